"""`harness claims` when a claim is fished for: the same thing tried until it is met, under whatever seed, bar or name.

Of twenty additions drawn, seed 1 keeps 12, seed 2 keeps 13 and seed 3 keeps 15; fifteen is what was published.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import unlocked_project
from support_history import Clones, Tries, written_down
from support_inside import inner_data, inside

from harness.store.store import Store

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


def really(project: Path) -> None:
    """Lock the manifest and run it."""
    for verb in ("lock", "run"):
        inside(verb, SMALL, cwd=project, check=0)


def run(project: Path, kept: int, manifest: str = SMALL, **how: Any) -> str:
    """Write down a run of a manifest as it stands, which kept so many additions."""
    return Tries(project).run(manifest, {"addition": {"drawn": 20, "kept": kept, "removed": 20 - kept}}, **how)


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
    really(folder)
    assert stood(row(folder, check=1)) == ("missed", 1, 1, 0)
    edit(folder, ("seed: 1", "seed: 2"))
    run(folder, 13)
    assert stood(row(folder, check=1)) == ("missed", 2, 2, 1)
    return folder


@pytest.fixture(scope="module")
def met(tried: Path) -> Path:
    """Give the same, met under the third seed."""
    folder = tried.parent / "met"
    shutil.copytree(tried, folder)
    edit(folder, ("seed: 2", "seed: 3"))
    really(folder)
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
    edit(project, ("seed: 3", "seed: 2"), ("published: 15", "published: 13"))
    Tries(project).lock(SMALL)
    found = row(project)
    assert stood(found) == ("met", 2, 3, 1) and found["moved"] and found["missed_after"] == 1
    assert "run 2 of 3; 1 earlier variant missed; 1 later missed" in inside("claims", cwd=project, check=0).stdout


def test_a_manifest_by_another_name_takes_its_history_along(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    (project / SMALL).rename(project / other)
    edit(project, ("name: small", "name: other"), ("id: kept", "id: newer"), ("Table 1", "Table 9"), path=other)
    edit(project, ("seed: 2", "seed: 3"), path=other)
    run(project, 15, other)
    found = row(project)
    assert (found["manifest"], *stood(found)) == ("other", "met", 3, 3, 2) and not found["moved"]
    edit(project, ("within: 0.5", "within: 0.6"), path=other)
    found = row(project)
    assert found["moved"] and found["was"]["within"] == "0.5"


def test_a_copy_of_the_manifest_shares_the_history_of_the_first(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    shutil.copy(project / SMALL, project / other)
    edit(project, ("name: small", "name: other"), ("within: 0.5", "within: 3"), path=other)
    run(project, 13, other)
    found = row(project, other)
    assert stood(found) == ("met", 3, 3, 2) and found["moved"] and found["was"]["within"] == "0.5"


def test_a_claim_dropped_along_with_its_manifest_is_missed(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    (project / SMALL).rename(project / other)
    edit(project, ("name: small", "name: other"), (CLAIM, ""), path=other)
    run(project, 13, other)
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
    run(project, 15)
    assert stood(row(project)) == ("met", 3, 3, 2)


def test_a_claim_written_only_once_it_is_met_still_has_its_misses(tried: Path, tmp_path: Path) -> None:
    project, other = copied(tried, tmp_path), "manifests/other.yaml"
    shutil.copy(project / SMALL, project / other)
    edit(project, ("name: small", "name: other"), (CLAIM, ""), path=other)
    for kept in (11, 12):
        run(project, kept, other)
    (project / other).write_text((project / other).read_text() + CLAIM)
    run(project, 15, other)
    found = row(project, other)
    assert stood(found) == ("met", 5, 5, 4) and found["moved"] and found["was"] is None


def test_runs_that_were_cut_short_or_never_ended_are_told_apart(tried: Path, tmp_path: Path) -> None:
    project = copied(tried, tmp_path)
    edit(project, ("seed: 2", "seed: 3"))
    run(project, 3, limit=3)
    run(project, 14, limit=15)
    run(project, 15, ended=False)
    run(project, 15, status="failed")
    run(project, 15)
    found = row(project)
    assert stood(found) == ("met", 4, 4, 3), "a limit that cuts nothing makes no smaller run"
    assert (found["limited_missed"], found["unfinished"]) == (1, 2)
    told = "run 4 of 4; 3 earlier variants missed; 1 cut by --limit missed; 2 unfinished"
    assert f" met ({told}) " in inside("claims", cwd=project, check=0).stdout


@pytest.mark.parametrize("what", ["journal", "record", "output", "fifo"])
def test_an_earlier_run_that_fails_its_checks_is_named_and_not_counted(what: str, met: Path, tmp_path: Path) -> None:
    project = copied(met, tmp_path)
    store = Store.open(project / ".harness")
    [second] = written_down(store)  # the one that was written down between two real ones
    path = {
        "journal": store.journal(second), "fifo": store.journal(second), "record": store.record(second),
        "output": store.blobs.path(json.loads(store.record(second).read_bytes())["outputs"]["counts"]["sha256"]),
    }[what]  # fmt: skip
    data = path.read_bytes()
    path.unlink()
    if what == "fifo":
        os.mkfifo(path)
    else:
        path.write_bytes(data.replace(b"13", b"15").replace(b'"local"', b'"other"'))
    told = inner_data("claims", cwd=project)
    assert told["unread"] == [second] and stood(told["claims"][0]) == ("met", 2, 2, 1)


def test_hundreds_of_runs_are_counted_and_each_of_them_is_sound(met: Path, tmp_path: Path) -> None:
    project = copied(met, tmp_path)
    store = Store.open(project / ".harness")
    real = [run for run in store.run_ids() if run not in written_down(store)]
    with Clones(store) as clones:
        last = [clones.add(real[number % 2]) for number in range(300)][-1]
    assert stood(row(project)) == ("met", 303, 303, 152)
    for words in (["fsck"], ["gc"], ["audit", last, "--level", "hashes"]):
        inside(*words, cwd=project, check=0)
