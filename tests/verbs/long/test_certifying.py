"""Certificates: what is measured and written, what a lock pins, and when one no longer speaks of what runs."""

import json
import shutil
from dataclasses import replace
from typing import Any

import pytest
from support import REPOSITORY, data_of, harness, small_project

from harness import verbs
from harness.digest import parse_document, seal_document, sha256
from harness.errors import InputError
from harness.kit.certificate import certificate_text, sets_of
from harness.manifest.lockfile import load_lock
from harness.run.closure import Code
from harness.run.locking.certificates import certificate_path, grader_standing
from harness.verbs.certifying import find_grader

pytestmark = pytest.mark.together

SCORER = "reliability.outcome"
LABELLED = REPOSITORY / "tests" / "golden" / "cases" / "reliability"
MANIFEST = "manifests/small.yaml"
OF_MAKERS = "not yet measured by others: on "


def row(number, label="c", **more):
    """Give a labelled answer to a small sum; one in four answers is wrong."""
    total = number + 3 if number % 4 else number + 9
    return {"id": f"a-{number}", "benchmark": "addition", "a": str(number), "b": "3", "response": str(total),
            "label": label, **more}  # fmt: skip


ROWS = [row(number, "c" if number % 4 else "i") for number in range(1, 41)]


def written(path, rows):
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Give a locked project, whose scorer is not certified yet."""
    folder = tmp_path_factory.mktemp("certified") / "project"
    small_project(folder, count=20, models=("oracle",))
    return folder


def certified(folder, rows=ROWS, **more):
    asked = verbs.CertifyRequest(scorer=SCORER, rows=rows, labels="0" * 64, **more)
    return verbs.certify(verbs.Project.at(folder), asked)


@pytest.fixture
def alone(tmp_path):
    """Give a project of nothing but a certificate."""
    (tmp_path / "lockfiles").mkdir()
    return certified(tmp_path, ROWS), tmp_path


def test_certify_on_the_command_line_writes_a_document_without_rows(tmp_path):
    (tmp_path / "lockfiles").mkdir()
    labels = written(tmp_path / "labels.jsonl", [*ROWS, row(41, "i", response="It is 44, SECRET.")])
    done = data_of("certify", SCORER, labels, cwd=tmp_path)
    data = certificate_path(tmp_path, SCORER).read_bytes()
    found = parse_document(data, "certificate/3", "certificate")
    makers = found["sets"].pop("makers")
    assert found["sets"] == {} and done["verdict"] == "not yet measured by others"
    assert done["sha256"] == sha256(data) and done["changed"] and b"SECRET" not in data and b"a-1" not in data
    assert makers["labels"] == {"sha256": sha256(labels.read_bytes()), "rows": 41}
    assert makers["split"] == {"by": "instance", "seed": 0, "frozen_by": "not claimed"}
    assert sum(part["rows"] for part in makers["parts"].values()) == 41
    assert sum(part["matrix"]["i"]["c"] for part in makers["parts"].values()) == 1  # the reader alone calls it wrong
    assert "harness/answers/addition.py" in found["files"]
    again = harness("certify", SCORER, labels, cwd=tmp_path, check=0)
    assert "as it was" in again.stdout and "not yet measured by others: on " in again.stdout


def test_rows_that_say_their_part_stay_in_it(tmp_path):
    (tmp_path / "lockfiles").mkdir()
    rows = [{**each, "part": "frozen" if place < 10 else "develop"} for place, each in enumerate(ROWS)]
    found = certified(tmp_path, rows).certificate["sets"]["makers"]
    assert found["split"] == {"by": "rows", "frozen_by": "not claimed"}
    assert [found["parts"][name]["rows"] for name in ("develop", "frozen")] == [30, 10]


FLAWS = {
    "not one labelled row": [],
    "`label` is missing": [{**ROWS[0], "label": 1}],
    "some rows say their part": [ROWS[0], {**ROWS[1], "part": "frozen"}],
    "`part` is neither": [{**ROWS[0], "part": "test"}],
    "1 instances lie in both parts": [{**ROWS[0], "part": part} for part in ("develop", "frozen")],
    "the field `response` is missing": [{k: v for k, v in ROWS[0].items() if k != "response"}],
}


@pytest.mark.parametrize("said", FLAWS)
def test_invalid_labelled_rows_are_refused_and_nothing_is_written(tmp_path, said):
    (tmp_path / "lockfiles").mkdir()
    with pytest.raises(InputError, match=said):
        certified(tmp_path, FLAWS[said])
    assert not (tmp_path / "certificates").exists()


def test_a_one_line_edit_of_the_scorer_voids_its_certificate(alone, tmp_path):
    done, root = alone
    code = tmp_path / "code"
    for name in done.certificate["files"]:
        (code / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, code / name)
    assert grader_standing(root, SCORER, code=code).state == "certified"
    shown = certificate_path(root, SCORER)
    assert certificate_text(shown, code).startswith(OF_MAKERS)
    edited = code / "harness/answers/addition.py"
    edited.write_text(edited.read_text() + "# a remark\n")
    assert grader_standing(root, SCORER, code=code).state == "certified"
    edited.write_text(edited.read_text() + "ONE = 1\n")
    found = grader_standing(root, SCORER, code=code)
    assert found.state == "void" and "harness/answers/addition.py" in found.text
    assert certificate_text(shown, code) == found.text  # what a page says
    edited.unlink()
    assert certificate_text(shown, code).startswith("void: ")  # what a page does not import, or is there no more


def test_a_certificate_of_an_older_tree_is_carried_on_the_command_line(tmp_path):
    older, here = tmp_path / "older", tmp_path / "here"
    for root in (older, here):
        (root / "lockfiles").mkdir(parents=True)
    done = certified(older, ROWS)
    code = Code()
    for name in {file for kind in find_grader(SCORER).code for file in code.closure(kind).files}:
        (older / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, older / name)
    carried = data_of("certify", SCORER, "--carry", older, cwd=here)
    assert carried["changed"] and carried["text"].endswith("not checked against the labelled rows")
    assert carried["certificate"]["sets"] == done.certificate["sets"]
    assert carried["certificate"]["predecessor"] == done.sha256
    opened = [{"rows": "1" * 64, "grader": "2" * 64, "misses": "3" * 64}]
    certificate_path(here, SCORER).write_bytes(seal_document({**carried["certificate"], "opened": opened}))
    assert data_of("certify", SCORER, "--carry", older, cwd=here)["certificate"]["opened"] == opened
    (tmp_path / "moved.json").write_text('{"harness.answers.addition": "harness.answers.nowhere"}')
    refused = harness("certify", SCORER, "--carry", older, "--moved", tmp_path / "moved.json", cwd=here, check=2)
    assert "the grader is not the same here: harness.answers.nowhere:" in refused.stderr


def test_where_there_is_no_certificate_a_page_says_uncertified():
    assert certificate_text(None) == "uncertified"


def test_a_certificate_that_was_edited_or_is_of_another_scorer_is_void(alone):
    done, root = alone
    path = certificate_path(root, SCORER)
    path.write_bytes(seal_document({**done.certificate, "scorer": "other"}))
    assert grader_standing(root, SCORER).text == "void: changed since it was measured: the scorer, which it calls other"
    path.write_bytes(path.read_bytes().replace(b'"seed":0', b'"seed":1'))
    assert "does not match its own `self` digest" in grader_standing(root, SCORER).text


def test_another_judge_or_prompt_than_the_certificate_names_voids_it(project, tmp_path):
    (tmp_path / "lockfiles").mkdir()
    named = {"under": project / MANIFEST, "judge": "oracle", "prompt": "reliability/addition@1"}
    found = certified(tmp_path, **named).certificate
    lock = load_lock(project, "small")
    assert lock
    assert found["judge"] == {"name": "oracle", "sha256": lock.pins["models"]["oracle"]["sha256"]}
    assert grader_standing(tmp_path, SCORER, lock).state == "certified"
    for kind, name in (("models", "oracle"), ("prompts", "reliability/addition@1")):
        pins: Any = {**lock.pins, kind: {name: {"sha256": "f" * 64, "file": "x", "rows": 1}}}
        other = replace(lock, pins=pins)
        told = grader_standing(tmp_path, SCORER, other)
        assert told.state == "void" and name in told.text
    with pytest.raises(InputError, match="pins no judge 'nobody'"):
        certified(tmp_path, under=project / MANIFEST, judge="nobody")


def test_a_lock_pins_the_certificate_and_every_verb_shows_its_state(project):
    before = (project / "lockfiles/manifests/small.lock.json").read_bytes()
    assert b"certificates" not in before
    assert data_of("show", MANIFEST, cwd=project)["graders"] == {SCORER: "uncertified"}
    certified(project)
    shown = data_of("show", MANIFEST, cwd=project)
    assert shown["moved"] == [] and shown["graders"][SCORER].startswith(OF_MAKERS)  # an older lock still fits
    again = harness("lock", MANIFEST, cwd=project, check=0)
    assert "moved: pins/certificates" in again.stderr
    lock, digest = load_lock(project, "small"), sha256(certificate_path(project, SCORER).read_bytes())
    assert lock.pins["certificates"] == {SCORER: {"sha256": digest}}
    [ran] = data_of("run", MANIFEST, cwd=project)["runs"]
    assert ran["graders"][SCORER].startswith(OF_MAKERS)
    assert list((project / ".harness").rglob(f"{digest[2:]}*")) or list((project / ".harness").rglob(f"{digest}*"))
    listed = {tool["name"]: tool for tool in data_of("score", "--list", cwd=project)["tools"]}
    assert listed[SCORER]["certificate"].startswith(OF_MAKERS)
    assert f"scored by reliability.outcome: {OF_MAKERS}" in harness("run", MANIFEST, cwd=project, check=0).stdout
    assert data_of("audit", "last", cwd=project, check=None)["verdict"] in ("unconfirmed", "agreed")
    certified(project, ROWS[:20])
    assert data_of("show", MANIFEST, cwd=project)["moved"] == [f"pins/certificates/{SCORER}/sha256"]
    assert "the certificate, which is not the one" in data_of("show", MANIFEST, cwd=project)["graders"][SCORER]


def test_the_certificate_in_the_repository_agrees_with_the_hand_labels(tmp_path):
    (tmp_path / "lockfiles").mkdir()
    labels, shared = LABELLED / "hand_labels_v2.jsonl", json.loads((LABELLED / "hand_labels_v2_data.jsonl").read_text())
    rows = [json.loads(line) for line in labels.read_text().splitlines()]
    asked = verbs.CertifyRequest(scorer=SCORER, rows=rows, labels=sha256(labels.read_bytes()), shared=shared)
    kept = json.loads(certificate_path(REPOSITORY, SCORER).read_bytes())
    done = verbs.certify(verbs.Project.at(tmp_path), asked)
    assert sets_of(kept)["makers"] == done.certificate["sets"]["makers"]
    assert all(kept[name] == done.certificate[name] for name in ("accepts", "intervals"))
    makers = next(line for line in done.sets if "its makers" in line)
    assert makers in (REPOSITORY / "docs" / "reliability.md").read_text()
