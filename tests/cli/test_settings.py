"""`harness claims` of a study with settings and a judge: settings part histories and hide no miss, a judge neither."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support_history import Tries
from support_inside import inner_data, inside
from support_measuring import SMALL, found, manifest

pytestmark = pytest.mark.together  # one worker makes the project that all of these read
CLAIM = 'claims: [{of: "counts#/addition/kept", published: 3, within: 0.5, where: "Table 1", id: kept}]\n'
STRICT = "settings: {mode: strict}\n"
JUDGE = "provider: baseline, behaviour: echo, generation: {max_tokens: 50}, repeats: 2"


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a project whose claim was missed by one real run."""
    root = tmp_path_factory.mktemp("settings") / "project"
    with found(root.parent / "studies"):
        manifest(root, JUDGE, more=CLAIM + STRICT)
        for verb in ("lock", "run"):
            inside(verb, SMALL, cwd=root, check=0)
        yield root


def copied(project: Path, folder: Path) -> Path:
    shutil.copytree(project, folder / "project")
    return folder / "project"


def edit(root: Path, old: str, new: str) -> None:
    text = (root / SMALL).read_text()
    assert text.count(old) == 1, old
    (root / SMALL).write_text(text.replace(old, new))


def run(root: Path, kept: int, path: str = SMALL, **how: Any) -> None:
    """Write down a run of a manifest as it stands, which kept so many additions."""
    Tries(root).run(path, {"addition": {"drawn": 7, "kept": kept, "removed": 7 - kept}}, **how)


def test_runs_under_other_settings_are_another_history_shown_beside(tried: Path, tmp_path: Path) -> None:
    root = copied(tried, tmp_path)
    for mode, kept in (("paper", 1), ("paper", 1), ("strict", 1), ("strict", 3)):
        edit(root, STRICT, f"settings: {{mode: {mode}}}\n")
        run(root, kept)
        edit(root, f"settings: {{mode: {mode}}}\n", STRICT)
    [told] = inner_data("claims", cwd=root)["claims"]
    assert (told["verdict"], told["run_number"], told["runs"]) == ("met", 3, 3)
    assert (told["missed_before"], told["other_settings_missed"], told["moved"]) == (2, 2, False)
    words = "met (run 3 of 3; 2 earlier variants missed; 2 missed under other settings)"
    assert words in inside("claims", cwd=root, check=0).stdout


def test_a_setting_hides_no_miss_whatever_the_manifest_is_called(tried: Path, tmp_path: Path) -> None:
    root, other = copied(tried, tmp_path), "manifests/other.yaml"
    text = (root / SMALL).read_text().replace("name: small", "name: other").replace(STRICT, "")
    for cut in (text.replace(CLAIM, ""), text.replace("within: 0.5", "within: 5")):
        (root / other).write_text(cut)
        run(root, 1, other)
    run(root, 1, other, limit=1)
    (root / other).write_text(text)
    (root / SMALL).unlink()
    run(root, 3, other)
    found = {claim["id"]: claim for claim in inner_data("claims", cwd=root)["claims"] if not claim["withdrawn"]}
    assert (found["kept"]["missed_before"], found["kept"]["other_settings_missed"]) == (2, 1)
    (root / other).write_text(text + "settings: {rounds: 2}\n")
    run(root, 3, other)
    told = next(claim for claim in inner_data("claims", cwd=root)["claims"] if not claim["withdrawn"])
    assert (told["run_number"], told["missed_before"], told["other_settings_missed"]) == (1, 0, 4)


def test_a_judge_that_was_changed_until_a_claim_was_met_is_a_variant_tried(tried: Path, tmp_path: Path) -> None:
    root = copied(tried, tmp_path)
    for old, new, kept in (("max_tokens: 50", "max_tokens: 60", 1), ("repeats: 2", "repeats: 9", 3)):
        edit(root, old, new)
        run(root, kept)
    edit(root, "behaviour: echo, generation", "behaviour: empty, generation")
    run(root, 3)
    [told] = inner_data("claims", cwd=root)["claims"]
    assert (told["verdict"], told["run_number"], told["missed_before"]) == ("met", 4, 2)
