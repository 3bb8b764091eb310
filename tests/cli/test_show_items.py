"""`show --items` pages through answers beside items and gold; what is gated, private or hidden is not shown.

Nor is it handed over in a bundle.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from evidence.forger import Forger, forged, whole_run
from support import error_of, harness
from support_capitals import MANIFEST, ROWS, capitals
from support_inside import inner_data, inside
from support_questions import SECRET, record, table
from support_views import HIDDEN, project

from harness.digest import sha256
from harness.store.store import Store

GATED = """\
harness: 1
study: reliability
name: gated
about: Questions that are not to be shown, for a test.
models:
  oracle: {{provider: baseline, behaviour: oracle}}
  refuser: {{provider: baseline, behaviour: refuser}}
datasets:
  file: {{fetch: "https://example.org/gpqa.csv", sha256: {sha256}, licence: gated}}
  gpqa: {{make: reliability.gpqa, seed: 7, questions: file}}
prompts: {{set: reliability/science@1}}
"""
pytestmark = pytest.mark.together  # one project, run once, serves most


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = capitals(tmp_path_factory.mktemp("items") / "project")
    harness("run", MANIFEST, cwd=folder, check=0)
    return folder


def test_answers_stand_beside_item_gold_and_score(ran: Path) -> None:
    page = inner_data("show", "last", "--items", "--model", "oracle", cwd=ran)
    assert (page["page"], page["pages"], page["total"]) == (1, 1, len(ROWS))
    for (question, answer), one in zip(ROWS, page["answers"], strict=True):
        assert one["input"] == {"question": question} and one["gold"]["target"] == one["answer"] == answer
        [score] = one["scores"]
        assert (score["scorer"], score["value"]) == ("exact", 1)
    text = inside("show", "last", "--items", "--model", "oracle", cwd=ran, check=0).stdout
    assert all(f"asked     question: {question}" in text and f"answer    {answer}" in text for question, answer in ROWS)


def test_pages_hold_each_answer_once_in_the_order_of_items(ran: Path) -> None:
    first, second = (inner_data("show", MANIFEST, "--items", "--page", page, cwd=ran) for page in ("1", "2"))
    assert first["pages"] == 2 and len(first["answers"]) == 10 and len(second["answers"]) == 2
    found = [(one["item"], one["model"]) for one in first["answers"] + second["answers"]]
    assert found == sorted(found) and len(set(found)) == 12
    assert "next: --page 2" in inside("show", "last", "--items", cwd=ran, check=0).stdout
    assert error_of(inside("show", "last", "--items", "--page", "3", "--json", cwd=ran, check=2))["where"] == "--page"


def test_wrong_shows_those_that_scored_nothing(ran: Path) -> None:
    every = [one for page in "12" for one in inner_data("show", "last", "--items", "--page", page, cwd=ran)["answers"]]
    wrong = inner_data("show", "last", "--items", "--wrong", cwd=ran)["answers"]
    assert wrong == [one for one in every if one["scores"][0]["value"] == 0] and 0 < len(wrong) < len(every)
    assert {one["model"] for one in wrong} == {"coin-oracle"}


def test_an_item_is_found_by_its_id(ran: Path) -> None:
    page = inner_data("show", "last", "--items", "--item", "capitals-000003", cwd=ran)
    assert [(one["item"], one["model"]) for one in page["answers"]] == [
        ("capitals-000003", "coin-oracle"), ("capitals-000003", "oracle"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["model", "dataset", "scorer", "item"])
def test_a_name_that_nothing_has_is_refused(ran: Path, name: str) -> None:
    error = error_of(inside("show", "last", "--items", f"--{name}", "nothing", "--json", cwd=ran, check=2))
    assert error["where"] == f"--{name}" and "'nothing'" in error["what"]


def test_options_of_items_are_refused_without_it(ran: Path) -> None:
    error = error_of(inside("show", MANIFEST, "--wrong", "--json", cwd=ran, check=2))
    assert error["what"].startswith("--wrong says which items are shown")


@pytest.mark.long
def test_what_models_and_data_say_reaches_no_terminal_as_control(tmp_path: Path) -> None:
    question = 'A\x1b[2J\x1b]0;owned\x07 "quoted"\r\nsecond line \u202etxt.exe\u2028third'
    folder = capitals(tmp_path / "project", ("oracle",), [(question, "=cmd|' /C calc'!A0"), ("x" * 5000, "y")])
    harness("run", MANIFEST, cwd=folder, check=0)
    shown = inside("show", "last", "--items", cwd=folder, check=0).stdout
    assert not {"\x1b", "\x07", "\r", "\u202e", "\u2028"} & set(shown)
    assert "second line" in shown and "(5,0" in shown and max(map(len, shown.splitlines())) < 500
    as_json = inside("show", "last", "--items", "--json", cwd=folder, check=0).stdout
    assert as_json.isascii() and "\x1b" not in as_json
    answers = inner_data("show", "last", "--items", cwd=folder)["answers"]
    assert answers[0]["input"]["question"].startswith("A\x1b[2J") and len(answers[1]["input"]["question"]) == 5000


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions from a private file, in a hidden split; and the same ones without the split."""
    name = tmp_path_factory.mktemp("owned") / "project"
    alone = HIDDEN.split("agents:", maxsplit=1)[0].replace("name: hidden", "name: alone")
    folder = project(name, HIDDEN, alone)
    for path in sorted((folder / "manifests").glob("*.yaml")):
        harness("run", path, cwd=folder, check=0)
    return folder


@pytest.mark.long
def test_items_of_private_data_and_hidden_splits_are_not_shown(owned: Path) -> None:
    whys = set()
    for one in inner_data("runs", cwd=owned)["runs"]:
        for words in (["--wrong"], ["--dataset", "asked"], ["--item", "openbookqa-7-1"]):
            done = inside("show", one["run"], "--items", *words, "--json", cwd=owned, check=2)
            assert SECRET not in done.stdout + done.stderr
            whys.add((one["manifest"], error_of(done)["what"].partition(": ")[2]))
        handed = owned / f"{one['run']}.tar"
        said = inner_data("export", one["run"], cwd=owned)
        assert SECRET.encode() not in handed.read_bytes() and said["omitted"]
        assert inner_data("audit", handed, cwd=owned.parent, check=1)["verdict"] == "incomplete"
    assert whys == {
        ("alone", "it is made from the private file 'owned', which nobody publishes"),
        ("hidden", "the split 'test' is hidden from agents, who may read a terminal"),
    }


@pytest.mark.long
def test_imported_answers_to_private_items_are_in_no_bundle(owned: Path, tmp_path: Path) -> None:
    folder, mark = shutil.copytree(owned, tmp_path / "p", symlinks=True), "said of a private item"
    alone = next(one["run"] for one in inner_data("runs", cwd=folder)["runs"] if one["manifest"] == "alone")
    rows = [json.loads(line) for line in inside("get", alone, "responses", cwd=folder, check=0).stdout.splitlines()]
    (folder / "theirs.jsonl").write_text("".join(json.dumps({**row, "text": mark}) + "\n" for row in rows))
    text = HIDDEN.split("agents:", maxsplit=1)[0].replace("name: hidden", "name: theirs")
    model = "models: {theirs: {provider: imported, source: theirs.jsonl, model: oracle}}"
    path = folder / "manifests" / "theirs.yaml"
    path.write_text(text.replace("models: {oracle: {provider: baseline, behaviour: oracle}}", model))
    for verb in ("lock", "run"):
        inside(verb, path, cwd=folder, check=0)
    inside("export", "last", "-o", "theirs.tar", cwd=folder, check=0)
    handed = (folder / "theirs.tar").read_bytes()
    assert mark.encode() not in handed and SECRET.encode() not in handed
    assert inner_data("audit", "theirs.tar", cwd=folder, check=1)["verdict"] == "incomplete"


@pytest.mark.long
def test_words_of_steps_in_the_log_of_another_run_are_not_handed_over_unasked(owned: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(owned, tmp_path / "p", symlinks=True)
    store = Store(folder / ".harness")
    first = whole_run(store)
    name = next(one["manifest"] for one in inner_data("runs", cwd=folder)["runs"] if one["run"] == first)

    def speak(forger: Forger) -> None:
        line = {"type": "event/1", "event": "step.log", "at": forger.events[1]["at"], "step": "x", "text": SECRET}
        forger.events.insert(1, line)

    forged(store, speak)
    [path] = [one for one in (folder / "manifests").glob("*.yaml") if f"name: {name}\n" in one.read_text()]
    inside("run", path, cwd=folder, check=0)
    done = inside("export", "last", "-o", "new.tar", "--json", cwd=folder, check=2)
    assert error_of(done)["what"].startswith(f"the journal of run {first} holds words of step x")
    assert not (folder / "new.tar").exists()
    inside("export", "last", "-o", "new.tar", "--with-logs", cwd=folder, check=0)
    assert SECRET.encode() in (folder / "new.tar").read_bytes()


@pytest.mark.long
def test_items_that_are_gated_are_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for name in ("lockfiles", "manifests"):
        (folder / name).mkdir(parents=True)
    asked = table(folder / "gpqa.csv", map(record, range(1, 5)))
    (folder / "manifests" / "gated.yaml").write_text(GATED.format(sha256=sha256(asked.read_bytes())))
    harness("import", "data", asked, cwd=folder, check=0)
    for verb in ("lock", "run"):
        harness(verb, "manifests/gated.yaml", cwd=folder, check=0)
    done = inside("show", "last", "--items", "--json", cwd=folder, check=2)
    assert error_of(done)["what"].endswith("it is gated: who uses it promised not to show its items")
    assert SECRET not in done.stdout + done.stderr
    assert "oracle   gpqa " in inside("scores", "last", cwd=folder, check=0).stdout
    compared = inside("compare", "last", "--models", "oracle", "refuser", cwd=folder, check=0).stdout
    assert "changed sides" in compared and SECRET not in compared
    inside("export", "last", "-o", "gated.tar", cwd=folder, check=0)
    assert SECRET.encode() not in (folder / "gated.tar").read_bytes()
    found = inner_data("audit", "gated.tar", cwd=folder, check=1)
    assert found["verdict"] == "incomplete"
    assert {one["id"] for one in found["checks"] if one["verdict"] != "pass"} == {"blob.omitted"}
