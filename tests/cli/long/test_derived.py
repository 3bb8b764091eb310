"""`harness run -m`, `--only` and `--set`: a manifest of its own, locked and recorded, that speaks for no other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import error_of, journals, unlocked_project
from support_inside import inner_data, inside

pytestmark = pytest.mark.together  # one worker makes the project that all of these read
SMALL = "manifests/small.yaml"
CLAIM = 'claims:\n  - {of: "counts#/addition/kept", published: 15, within: 0.5, where: "Table 1", id: kept}\n'
ADDED = ("-m", "mine=baseline/refuser")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project whose manifest claims something, locked and run once."""
    folder = tmp_path_factory.mktemp("derived") / "project"
    manifest = unlocked_project(folder, models=("oracle", "noisy-oracle"))
    manifest.write_text(manifest.read_text() + CLAIM)
    inside("lock", SMALL, cwd=folder, check=0)
    inside("run", SMALL, cwd=folder, check=0)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    shutil.copytree(ran, tmp_path / "project")
    return tmp_path / "project"


def asked(project: Path) -> list[str]:
    """Name the answering steps that the newest run executed."""
    *_, events = journals(project / ".harness")
    return [one["step"] for one in events if one["event"] == "step.done" and one["stage"] == "responses"]


def derived(project: Path) -> list[Path]:
    return sorted((project / "manifests" / "derived").glob("*.yaml"))


def claimed(project: Path, check: int = 1) -> dict[str, Any]:
    [found] = inner_data("claims", cwd=project, check=check)["claims"]
    return dict(found)


def test_a_model_that_is_added_is_asked_and_nobody_else_is(project: Path) -> None:
    [run] = inner_data("run", SMALL, *ADDED, cwd=project)["runs"]
    [path] = derived(project)
    assert run["derived"] == f"manifests/derived/{path.name}" and run["manifest"] == path.stem
    assert asked(project) == ["addition/responses/mine/part-00000", "responses"]
    assert (project / "lockfiles" / "manifests" / f"{path.stem}.lock.json").is_file()
    assert inner_data("audit", "last", cwd=project)["verdict"] == "agreed"


def test_the_same_options_use_the_same_manifest_and_make_nothing(project: Path) -> None:
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    written = [(path, path.read_bytes()) for path in derived(project)]
    [run] = inner_data("run", SMALL, "--model", "mine=baseline/refuser", cwd=project)["runs"]
    assert run["steps"]["executed"] == 0
    assert [(path, path.read_bytes()) for path in derived(project)] == written


def test_what_is_kept_alone_is_answered_from_the_store(project: Path) -> None:
    [run] = inner_data("run", SMALL, "--only", "model=oracle", cwd=project)["runs"]
    assert not [step for step in asked(project) if step != "responses"] and run["sees_gold"]
    [run] = inner_data("run", SMALL, "--only", "dataset=addition,model=oracle", "--limit", "3", cwd=project)["runs"]
    assert run["verdict"] == "incomplete"


def test_it_is_listed_with_what_it_comes_from(project: Path) -> None:
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    rows = {row["manifest"]: row for row in inner_data("list", cwd=project)["manifests"]}
    [path] = derived(project)
    assert rows[f"manifests/derived/{path.name}"]["derived"] == SMALL
    assert "derived" not in rows[SMALL] and rows[SMALL]["verdict"] == "unconfirmed"
    assert f"[derived from {SMALL}]" in inside("list", cwd=project, check=0).stdout
    assert f"derived from {SMALL} by -m mine=baseline/refuser" in inside("show", path, cwd=project, check=0).stdout


def test_no_run_of_it_is_accepted(project: Path) -> None:
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    error = error_of(inside("lock", "--accept", "last", "--json", cwd=project, check=2))
    assert "is derived from manifests/small.yaml" in error["what"] and "take `derived` out" in error["next"]
    assert not list((project / "lockfiles" / "manifests").glob("*.expect.json"))


def test_it_says_nothing_of_a_manifest_that_takes_its_name(project: Path) -> None:
    """A person keeps the name and takes `derived` out: the older run is still nobody's verdict."""
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    [path] = derived(project)
    lines = path.read_text().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("derived:"))
    last = next(number for number, line in enumerate(lines) if line.startswith("models:"))
    path.write_text("".join(lines[:first] + lines[last:]))
    inside("lock", path, cwd=project, check=0)
    rows = {row["name"]: row for row in inner_data("list", cwd=project)["manifests"]}
    assert rows[path.stem]["verdict"] == "-" and "derived" not in rows[path.stem]


def test_a_claim_never_takes_its_value_from_it_and_counts_it_as_a_try(project: Path) -> None:
    """Seed 3 keeps the fifteen additions that were published: tried on the command line, it meets no claim."""
    before = claimed(project)
    [run] = inner_data("run", SMALL, "--set", "datasets.addition.seed=3", cwd=project)["runs"]
    counts = json.loads(inside("get", run["run"], "counts", cwd=project, check=0).stdout)
    assert counts["addition"]["kept"] == 15
    after = claimed(project)
    assert (after["verdict"], after["value"], after["run"]) == (before["verdict"], before["value"], before["run"])
    assert (before["runs"], after["runs"]) == (1, 2)
    [path] = derived(project)
    assert "makes no claims" in error_of(inside("claims", path, "--json", cwd=project, check=2))["what"]


def test_claims_are_refused_in_one(project: Path) -> None:
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    [path] = derived(project)
    path.write_text(path.read_text() + CLAIM)
    assert "makes no claims" in error_of(inside("lock", path, "--json", cwd=project, check=2))["what"]


def test_a_parent_that_is_not_locked_or_has_moved_is_not_derived_from(project: Path) -> None:
    manifest = project / SMALL
    manifest.write_text(manifest.read_text().replace("seed: 7", "seed: 9"))
    error = error_of(inside("run", SMALL, *ADDED, "--json", cwd=project, check=2))
    assert "no longer fits" in error["what"] and not derived(project)
    inside("run", SMALL, *ADDED, "--relock", cwd=project, check=0)
    (project / "lockfiles" / "manifests" / "small.lock.json").unlink()
    assert "no lock" in error_of(inside("run", SMALL, *ADDED, "--json", cwd=project, check=2))["what"]


def test_its_lock_follows_the_parent_when_that_is_locked_again(project: Path) -> None:
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    [path] = derived(project)
    lock = project / "lockfiles" / "manifests" / f"{path.stem}.lock.json"
    body = lock.read_bytes()
    lock.unlink()
    inside("run", SMALL, *ADDED, cwd=project, check=0)
    assert lock.read_bytes() == body


def test_a_wrong_option_writes_nothing(project: Path) -> None:
    for words in (("-m", "nobody"), ("--only", "model=x"), ("--set", "generation.temperature=hot")):
        error = error_of(inside("run", SMALL, *words, "--json", cwd=project, check=2))
        assert error["where"].startswith(words[0]) and error["next"]
    assert not derived(project)


def test_agents_are_not_served_one_unless_it_is_named(project: Path) -> None:
    manifest = project / SMALL
    agents = "agents: {splits: {dev: {public: true}}, budget: {calls: 9, seconds: 60}}\n"
    manifest.write_text(manifest.read_text() + agents)
    inside("run", SMALL, *ADDED, "--relock", cwd=project, check=0)
    from harness.verbs import Project
    from harness.verbs.attempts import _open_to_agents

    assert [one.manifest.name for one in _open_to_agents(Project.at(project))] == ["small"]
