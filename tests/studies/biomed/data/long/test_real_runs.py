"""The real rows through the whole pipeline: the experts' 80 questions and the 6,208 of the early release.

Nothing is fetched: addresses are replaced, and files are found by their digests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY
from support_biomed_data import SEEDS, TEMPLATE_ROWS, needs_real
from support_draws import drawn
from support_inside import inside

from harness.digest import sha256

needs_real(SEEDS, TEMPLATE_ROWS)
PAPER = REPOSITORY / "manifests" / "paper"
ADDRESS = re.compile(r"fetch: https://\S+")
MODELS = re.compile(r"^models:\n(?:  .*\n)+", re.MULTILINE)
OUTPUTS = re.compile(r"^outputs:\n(?:  .*\n)+", re.MULTILINE)
WANTED = "outputs: {scores: exact, counts: exact, performance: exact, defects: exact}\n"


def templates_manifest(models: Sequence[str] = ("oracle", "refuser")) -> str:
    """Give the manifest of the published templates with some of its stand-ins, and with nothing to draw."""
    text = (PAPER / "biomed-templates.yaml").read_text()
    said = "models:\n" + "".join(f"  {name}: {{provider: baseline, behaviour: {name}}}\n" for name in models)
    return OUTPUTS.sub(WANTED, MODELS.sub(said, ADDRESS.sub("fetch: https://localhost:1/rows.csv", text)))


def seeds_manifest() -> str:
    """Give the same of the experts' questions, in whose place no manifest of ours stands."""
    old = re.search(r"sha256: (\w{64})", templates_manifest())
    assert old
    return templates_manifest().replace(old[1], sha256(SEEDS.read_bytes()))


def performed(root: Path, text: str, file: Path, change: Callable[[str], str] = str) -> dict[str, Any]:
    """Import a file, lock and run a manifest; gives its document `performance`."""
    for name in ("manifests", "lockfiles"):
        (root / name).mkdir(parents=True)
    (root / "manifests" / "m.yaml").write_text(change(text))
    inside("import", "data", file, cwd=root, check=0)
    inside("lock", "manifests/m.yaml", cwd=root, check=0)
    inside("run", "manifests/m.yaml", cwd=root, check=0)
    found: dict[str, Any] = json.loads(inside("get", "last", "performance", cwd=root, check=0).stdout)
    return found


def rates(found: dict[str, Any], name: str) -> list[Any]:
    """Give AR, RQR and SR of a model by the rule; None for one that has no value."""
    told = found["graders"]["bioscore-rule"]["models"][name]["rates"]
    return [None if isinstance(told[each]["value"], dict) else told[each]["value"] for each in ("AR", "RQR", "SR")]


@pytest.mark.parametrize("mode", ["strict", "paper"])
def test_the_80_questions_of_the_experts_go_through_every_step(mode: str, tmp_path: Path) -> None:
    def change(text: str) -> str:
        return text.replace("set: templates}", f"set: templates, mode: {mode}}}").replace(
            "settings: {mode: strict}", f"settings: {{mode: {mode}}}"
        )

    found = performed(tmp_path / "p", seeds_manifest(), SEEDS, change)
    assert (found["mode"], found["n_items"], len(found["templates"])) == (mode, 80, 80)
    assert rates(found, "oracle") == [0, 1, None] and rates(found, "refuser") == [1, 0, 1]


@pytest.mark.exhaustive
@pytest.mark.parametrize("models", drawn(["oracle refuser", "random-refuser", "always-no"], 1))
def test_the_6208_rows_of_five_templates_go_through_every_step(models: str, tmp_path: Path) -> None:
    found = performed(tmp_path / "p", templates_manifest(models.split()), TEMPLATE_ROWS)
    assert {name: each["n_items"] for name, each in found["templates"].items()} == {
        "Q2": 1000, "Q3": 1000, "Q35": 2000, "Q42": 2000, "Q5": 208,
    }  # fmt: skip
    always = {name: found["templates"][name]["always_no"] for name in ("Q35", "Q5")}
    assert always == {"Q35": pytest.approx(0.925, abs=0.001), "Q5": pytest.approx(0.85, abs=0.005)}
    said = found["graders"]["bioscore-rule"]["models"]
    assert [*said] == models.split()
    if "oracle" in said:
        assert rates(found, "oracle") == [0, 1, None] and rates(found, "refuser") == [1, 0, 1]
    elif "random-refuser" in said:
        assert rates(found, "random-refuser")[2] > 0.6 and abs(said["random-refuser"]["gain"]) < 0.02
    else:
        by_template = said["always-no"]["by_template"]
        assert {name: by_template[name]["RQR"] for name in always} == always, "a bare no is worth what the page says"
