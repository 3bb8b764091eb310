"""Certificates that lie: a forged figure is void wherever it is shown, and a forged matrix where the rows are there."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support import data_of, harness, small_project, unlocked_project

from harness import verbs
from harness.digest import seal_document, sha256
from harness.errors import InputError
from harness.kit.grading import Graded, figures
from harness.run.locking.certificates import certificate_path

pytestmark = pytest.mark.together

Row = dict[str, Any]
SCORER = "reliability.outcome"
MANIFEST = "manifests/small.yaml"
ONE = {"value": "1.000000", "interval": ["1.000000", "1.000000"]}
ROWS = [
    {"id": f"a-{n}", "benchmark": "addition", "a": str(n), "b": "3", "response": str(n + 3), "label": "c"}
    for n in range(1, 41)
]


def written(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def certified(folder: Path) -> Row:
    """Certify the scorer of a project by rows of which one in ten is labelled otherwise than it grades."""
    rows = [{**row, "label": "i"} if place % 10 == 0 else row for place, row in enumerate(ROWS)]
    labels = written(folder / "labels.jsonl", rows)
    found: Row = data_of("certify", SCORER, labels, cwd=folder)["certificate"]
    return found


def forged(folder: Path, found: Row) -> None:
    certificate_path(folder, SCORER).write_bytes(seal_document(found))


def perfect(found: Row) -> Row:
    """Give the certificate of a grader that never errs: its matrix and all its figures agree with each other."""
    parts = {}
    for name, part in found["sets"]["makers"]["parts"].items():
        labels = Counter(part["labels"])
        rows = [Graded(f"{label}{n}", label, label) for label, many in labels.items() for n in range(many)]
        parts[name] = figures(rows, found["accepts"], 0)
    return {**found, "sets": {"makers": {**found["sets"]["makers"], "parts": parts}}}


@pytest.fixture(scope="module")
def lying(tmp_path_factory):
    """Give a project that was run under a certificate whose accuracy is not that of its matrix, and what `run` said."""
    folder = tmp_path_factory.mktemp("lying") / "project"
    manifest = unlocked_project(folder, count=20, models=("oracle",))
    manifest.write_text(manifest.read_text() + "outputs: {report.html: exact}\n")
    found = certified(folder)
    parts = found["sets"]["makers"]["parts"]
    name = next(name for name in parts if parts[name]["accuracy"] != ONE)
    for part in parts.values():
        part["accuracy"] = ONE
    forged(folder, found)
    (folder / "labels.jsonl").unlink()
    harness("lock", MANIFEST, cwd=folder, check=0)
    return folder, name, harness("run", MANIFEST, cwd=folder, check=0).stdout


def test_a_forged_figure_is_void_wherever_it_is_shown(lying):
    folder, part, ran = lying
    said = f"void: it contradicts itself: {part}: accuracy is 1.000000 [1.000000, 1.000000], and its matrix gives 0."
    page = folder / "page.html"
    harness("get", "last", "report.html", "-o", page, cwd=folder, check=0)
    tools = {tool["name"]: tool for tool in data_of("score", "--list", cwd=folder)["tools"]}
    shown = {
        "run": ran,
        "show": harness("show", MANIFEST, cwd=folder, check=0).stdout,
        "scores": json.dumps(data_of("scores", "last", cwd=folder)),
        "score --list": tools[SCORER]["certificate"],
        "certify --check": harness("certify", SCORER, "--check", cwd=folder, check=1).stdout,
        "report.html": page.read_text(),
    }
    assert not [name for name, text in shown.items() if said not in text or "measured by others" in text]
    scored = [line for run in data_of("scores", "last", cwd=folder)["runs"] for line in run["scores"]]
    assert {line["certificate"] for line in scored if line.get("certificate_text")} == {"void"}


def test_an_audit_fails_a_run_that_stood_by_a_forged_figure(lying):
    found = data_of("audit", "last", "--level", "hashes", cwd=lying[0], check=1)
    flaws = [check for check in found["checks"] if check["verdict"] == "fail"]
    assert found["verdict"] == "disagreed" and "accuracy is 1.000000" in flaws[0]["detail"]
    assert {(flaw["id"], flaw["subject"]) for flaw in flaws} == {("certificate.contradicts", SCORER)}


@pytest.fixture(scope="module")
def consistent(tmp_path_factory):
    """Give a project that was run under a certificate whose matrix was forged along with its figures."""
    folder = tmp_path_factory.mktemp("consistent") / "project"
    small_project(folder, count=20, models=("oracle",))
    forged(folder, perfect(certified(folder)))
    harness("lock", MANIFEST, cwd=folder, check=0)
    data_of("run", MANIFEST, cwd=folder)
    return folder


def test_a_forged_matrix_is_void_where_its_rows_are_there(consistent):
    found = harness("certify", SCORER, "--check", cwd=consistent, check=1).stdout
    assert "void: it contradicts its labelled rows: " in found
    assert "accuracy is 1.000000, and the matrix of its rows gives 0." in found
    assert "void: it contradicts its labelled rows" in harness("show", MANIFEST, cwd=consistent, check=0).stdout
    checks = data_of("audit", "last", "--level", "hashes", cwd=consistent, check=1)["checks"]
    assert {check["id"] for check in checks if check["verdict"] == "fail"} == {"certificate.contradicts"}


def test_a_forged_matrix_is_shown_as_not_checked_without_its_rows(consistent, tmp_path):
    rows = consistent / "labels.jsonl"
    elsewhere = rows.rename(tmp_path / "rows.jsonl")
    try:
        told = harness("show", MANIFEST, cwd=consistent, check=0).stdout
        assert "accuracy 1.00" in told and "not checked against the labelled rows" in told
        audited = data_of("audit", "last", "--level", "hashes", cwd=consistent, check=None)["checks"]
        [check] = [check for check in audited if check["id"] == "certificate.contradicts"]
        assert check["verdict"] == "pass" and "not checked" in check["detail"]
        said = harness("certify", SCORER, elsewhere, "--check", cwd=consistent, check=1).stdout
        assert "void: it contradicts its labelled rows" in said  # they may be named, wherever they lie
    finally:
        elsewhere.rename(rows)


def test_a_sound_certificate_is_checked_against_its_rows(tmp_path):
    (tmp_path / "lockfiles").mkdir()
    certified(tmp_path)
    told = data_of("certify", SCORER, "--check", cwd=tmp_path)
    assert told["state"] == "certified" and told["text"].endswith("; checked against the labelled rows")
    with pytest.raises(InputError, match="these are not the rows"):
        verbs.check_certificate(
            verbs.Project.at(tmp_path),
            verbs.CheckCertificateRequest(scorer=SCORER, labels=written(tmp_path / "other.jsonl", ROWS[:3])),
        )


def test_a_certificate_that_leaves_out_code_of_its_grader_is_void(tmp_path):
    (tmp_path / "lockfiles").mkdir()
    found = certified(tmp_path)
    left_out = next(name for name in found["files"] if name.endswith("/addition.py"))
    for kind in ("files", "definitions"):
        found[kind] = {name: one for name, one in found[kind].items() if name != left_out}
    forged(tmp_path, found)
    assert f"void: changed since it was measured: {left_out}" in (
        harness("certify", SCORER, "--check", cwd=tmp_path, check=1).stdout
    )


@pytest.mark.parametrize("seed", [0, 3])
def test_rows_that_say_their_part_are_checked_by_the_seed_of_the_resamples(tmp_path, seed):
    (tmp_path / "lockfiles").mkdir()
    rows = [{**row, "part": "frozen", "label": "i"} if at % 9 == 0 else {**row, "part": "frozen"}
            for at, row in enumerate(ROWS)]  # fmt: skip
    labels = written(tmp_path / "labels.jsonl", rows)
    found = data_of("certify", SCORER, labels, "--seed", str(seed), cwd=tmp_path)["certificate"]["sets"]["makers"]
    assert found.get("bootstrap", 0) == seed and found["labels"]["sha256"] == sha256(labels.read_bytes())
    assert data_of("certify", SCORER, "--check", cwd=tmp_path)["state"] == "certified"
