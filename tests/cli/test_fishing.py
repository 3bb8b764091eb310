"""`harness claims` when a claim is fished for: the same thing tried until it is met, under whatever seed, bar or name.

Of twenty additions drawn, seed 1 keeps 12, seed 2 keeps 13 and seed 3 keeps 15; fifteen is what was published.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from support import unlocked_project
from support_inside import inner_data, inside

pytestmark = pytest.mark.together  # one worker makes the project that all of these read
SMALL = "manifests/small.yaml"
CLAIM = """claims:
  - {of: "counts#/addition/kept", published: 15, within: 0.5, where: "Table 1", id: kept}
"""


def edit(project: Path, *changes: tuple[str, str], path: str = SMALL) -> None:
    text = (project / path).read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (project / path).write_text(text)


def run(project: Path, manifest: str = SMALL, *args: str) -> None:
    inside("lock", manifest, cwd=project, check=0)
    inside("run", manifest, "--isolation", "process", *args, cwd=project, check=0)


def rows(project: Path, *args: str, check: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = inner_data("claims", *args, cwd=project, check=check)["claims"]
    return found


def row(project: Path, *args: str, check: int = 0) -> dict[str, Any]:
    [found] = rows(project, *args, check=check)
    return found


def stood(found: dict[str, Any]) -> tuple[str, int, int, int]:
    return found["verdict"], found["run_number"], found["runs"], found["missed_before"]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project whose claim was missed under two seeds."""
    folder = tmp_path_factory.mktemp("fishing") / "project"
    manifest = unlocked_project(folder, models=("oracle",))
    manifest.write_text(manifest.read_text().replace("seed: 7", "seed: 1") + CLAIM)
    run(folder)
    assert stood(row(folder, check=1)) == ("missed", 1, 1, 0)
    edit(folder, ("seed: 1", "seed: 2"))
    run(folder)
    assert stood(row(folder, check=1)) == ("missed", 2, 2, 1)
    return folder


@pytest.fixture(scope="module")
def met(tried: Path) -> Path:
    """Give the same, met under the third seed."""
    folder = tried.parent / "met"
    shutil.copytree(tried, folder)
    edit(folder, ("seed: 2", "seed: 3"))
    run(folder)
    return folder


def copied(project: Path, folder: Path) -> Path:
    shutil.copytree(project, folder / "project")
    return folder / "project"


def test_seeds_that_were_tried_until_one_met_the_claim_stand_beside_it(met: Path) -> None:
    found = row(met)
    assert stood(found) == ("met", 3, 3, 2) and not found["moved"]
    assert " met (run 3 of 3; 2 earlier variants missed) " in inside("claims", cwd=met, check=0).stdout


def test_a_bar_that_is_lowered_is_moved_and_its_misses_stay(tried: Path, tmp_path: Path) -> None:
    project = copied(tried, tmp_path)
    edit(project, ("within: 0.5", "within: 2"))
    found = row(project)
    assert stood(found) == ("met", 2, 2, 1) and found["moved"]
    assert found["was"]["within"] == "0.5"
    shown = inside("claims", cwd=project, check=0).stdout
    assert " met (moved; run 2 of 2; 1 earlier variant missed) " in shown
    edit(project, ("within: 2", "within: 3"))
    assert stood(row(project)) == ("met", 2, 2, 1), "the first missed what it had registered, though not this"


def test_a_run_that_was_gone_back_to_says_what_was_missed_after_it(met: Path, tmp_path: Path) -> None:
    project = copied(met, tmp_path)
    edit(project, ("seed: 3", "seed: 1"), ("published: 15", "published: 12"))
    inside("lock", SMALL, cwd=project, check=0)
    found = row(project)
    assert stood(found) == ("met", 1, 3, 0) and found["moved"] and found["missed_after"] == 2
    assert "run 1 of 3; 0 earlier variants missed; 2 later missed" in inside("claims", cwd=project, check=0).stdout


def test_a_manifest_by_another_name_takes_its_history_along(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    (project / SMALL).rename(project / other)
    edit(project, ("name: small", "name: other"), ("id: kept", "id: newer"), ("Table 1", "Table 9"), path=other)
    edit(project, ("seed: 2", "seed: 3"), path=other)
    run(project, other)
    found = row(project)
    assert (found["manifest"], *stood(found)) == ("other", "met", 3, 3, 2) and not found["moved"]
    edit(project, ("within: 0.5", "within: 0.6"), path=other)
    found = row(project)
    assert found["moved"] and found["was"]["within"] == "0.5"


def test_a_copy_of_the_manifest_shares_the_history_of_the_first(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    shutil.copy(project / SMALL, project / other)
    edit(project, ("name: small", "name: other"), ("within: 0.5", "within: 3"), path=other)
    run(project, other)
    found = row(project, other)
    assert stood(found) == ("met", 3, 3, 2) and found["moved"] and found["was"]["within"] == "0.5"


def test_a_claim_that_is_dropped_together_with_the_name_of_its_manifest_is_missed(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    (project / SMALL).rename(project / other)
    edit(project, ("name: small", "name: other"), (CLAIM, ""), path=other)
    run(project, other)
    found = row(project, check=1)
    assert found["withdrawn"] and (found["manifest"], *stood(found)) == ("small", "missed", 3, 3, 2)


PEOPLE = "{make: reliability.simulated_people, seed: 7, count: 5}"
BAITS = {
    "a stand-in is added": [("\ndatasets:", "\n  refuser: {provider: baseline, behaviour: refuser}\ndatasets:")],
    "a dataset is added": [("\nprompts:", f"\n  people: {PEOPLE}\nprompts:")],
    "the dataset takes another name, and another takes its own": [
        ("  addition: {make", "  sums: {make"), ("\nprompts:", f"\n  addition: {PEOPLE}\nprompts:"),
    ],
    "a stand-in is called as the value is": [("  oracle: {", "  kept: {")],
    "the pointer is spelled otherwise": [('of: "counts#/addition/kept"', 'of: ["counts#/addition/kept"]')],
}  # fmt: skip


@pytest.mark.parametrize("bait", BAITS)
def test_no_history_begins_anew_where(bait: str, tried: Path, tmp_path: Path) -> None:
    project = copied(tried, tmp_path)
    edit(project, ("seed: 2", "seed: 3"), *BAITS[bait])
    run(project)
    assert stood(row(project)) == ("met", 3, 3, 2)
