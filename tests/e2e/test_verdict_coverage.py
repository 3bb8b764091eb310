"""A verdict cannot hide its coverage: what was left out keeps it from `agreed`, what is taken on trust is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import Forger, forged
from support import data_of, error_of, finished_project, harness, manifest_text, unlocked_project
from support_slices import require_equal_slices, sliced_audit

from harness.digest import canonical_json
from harness.store.store import Store

RUN = ("run", "--isolation", "process")
PADDING = "12 " * 6_000  # what the scorer of sums reads number by number


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coverage")
    finished_project(folder)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ran, tmp_path / "project"))


def last_run(project: Path) -> tuple[Path, str]:
    store = project / ".harness"
    return store, Store.open(store).find_run("last")


def forge_scores(store: Path, model: str, edit: Any) -> None:
    """Write other scores of a model into the store; keys, chains and lists follow."""

    def forge(it: Forger) -> None:
        step = next(name for name in it.entries if f"/scores/{model}/" in name)
        made = it.entries[step]["outputs"]["scores"]
        rows = edit([json.loads(line) for line in it.store.blobs.read(made["sha256"]).splitlines()])
        data = b"".join(canonical_json(row) + b"\n" for row in rows)
        old, new = made["sha256"], it.store.blobs.put(data)
        made.update(sha256=new, size=len(data))
        for name, body in it.entries.items():
            if name != step:
                body["preimage"]["inputs"] = json.loads(json.dumps(body["preimage"]["inputs"]).replace(old, new))

    forged(Store(store), forge)


def all_right(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "value": 1, "outcome": "c"} for row in rows]


@pytest.mark.long
def test_an_audit_without_time_is_incomplete_and_says_so(project: Path) -> None:
    done = harness("audit", "last", "--budget", "0", cwd=project, check=1)
    assert "0 of " in done.stdout and "incomplete" in done.stdout and "agreed" not in done.stdout
    assert "coverage.partial" in done.stdout and "probability 0.000" in done.stdout
    found = data_of("audit", "last", "--budget", "0", "--seed", "5", cwd=project, check=1)
    assert (found["verdict"], found["coverage"]["again"], found["coverage"]["seed"]) == ("incomplete", 0, 5)
    assert len(found["coverage"]["left_out"]) == found["coverage"]["steps"]
    assert "chance" not in data_of("audit", "last", cwd=project)["coverage"]


def test_a_run_that_was_not_made_again_whole_is_not_accepted(project: Path) -> None:
    refused = error_of(harness("lock", "--accept", "last", "--budget", "0", "--json", cwd=project, check=2))
    assert "coverage.partial" in refused["what"]
    told = harness("lock", "--accept", "last", cwd=project, check=0).stdout
    assert told.endswith("its audit: agreed\n")
    assert "--accept" in harness("lock", "manifests/small.yaml", "--budget", "3", cwd=project, check=2).stderr


@pytest.mark.long
def test_slices_of_every_scorer_give_the_rows_that_were_recorded(project: Path) -> None:
    assert require_equal_slices(*last_run(project)) > 20


@pytest.mark.long
def test_a_forged_grade_is_met_by_a_slice_of_a_grader_that_is_too_dear(project: Path) -> None:
    store, run = last_run(project)
    forge_scores(store, "noisy-oracle", all_right)
    report = sliced_audit(store, run)
    flaws = [one for one in report.checks if one.verdict == "fail"]
    assert report.verdict == "disagreed"
    assert any(one.id == "output.differs" and "/scores/noisy-oracle/" in one.subject for one in flaws)
    assert any("output scores, item addition-" in one.detail for one in flaws)


@pytest.mark.long
def test_grades_forged_behind_padded_answers_are_never_agreed_upon(tmp_path: Path) -> None:
    """The attacker pads answers so that their grader is too dear to make again, and forges its grades."""
    oracle = unlocked_project(tmp_path, 6, ("oracle",), "oracle")
    harness("lock", oracle, cwd=tmp_path, check=0)
    harness(*RUN, oracle, cwd=tmp_path, check=0)
    harness("get", "last", "responses", "-o", "responses.jsonl", cwd=tmp_path, check=0)
    given = [json.loads(line) for line in (tmp_path / "responses.jsonl").read_text().splitlines()]
    padded = [{**row, "text": PADDING} for row in given]
    (tmp_path / "theirs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in padded))
    theirs = "  theirs: {provider: imported, source: theirs.jsonl, model: oracle}\ndatasets:"
    manifest = tmp_path / "manifests" / "padded.yaml"
    manifest.write_text(manifest_text(6, ("oracle",), "padded").replace("datasets:", theirs))
    harness("lock", manifest, cwd=tmp_path, check=0)
    harness(*RUN, manifest, cwd=tmp_path, check=0)
    honest = data_of("audit", "last", cwd=tmp_path)
    assert honest["words"] == "agreed, answers of 1 model unverified"
    forge_scores(tmp_path / ".harness", "theirs", all_right)
    for budget in ("0.5", "2", "300"):
        found = data_of("audit", "last", "--budget", budget, cwd=tmp_path, check=1)
        assert found["verdict"] in ("incomplete", "disagreed"), budget
    assert found["verdict"] == "disagreed"
    assert harness("lock", "--accept", "last", cwd=tmp_path).returncode == 2
