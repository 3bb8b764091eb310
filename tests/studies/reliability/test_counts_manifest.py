"""Claims that resolve today: what the procedure alone gives is met without a model, and all else says what it needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support import REPOSITORY
from support_inside import inner_data, inside

from harness.errors import InputError
from harness.kit.study import Brief, Dataset, Templates
from harness.manifest.load import load_manifest
from harness.manifest.schema import Manifest
from harness.run.planning.plan import check_manifest
from harness.steps import Plan
from harness.studies.reliability.study import Reliability

COUNTS = REPOSITORY / "manifests" / "paper" / "reliability-counts.yaml"
PAPER = REPOSITORY / "manifests" / "paper" / "reliability.yaml"
FAMILIES = {"gpt": "GPT", "llama": "LLaMA", "bloom": "BLOOM"}
SHOWN = 72  # characters of a verdict in the table of `harness claims`


@pytest.fixture(scope="module")
def paper() -> Manifest:
    return load_manifest(PAPER).manifest


def unasked(makes: dict[str, str]) -> Plan:
    """Plan datasets that nobody is asked."""
    datasets = tuple(Dataset(name, f"reliability.{make}", {}, 3) for name, make in makes.items())
    return Reliability().plan(Brief(datasets, (), {}, {}, (0,))).check()


def test_without_models_items_are_drawn_and_counted_and_nobody_is_asked() -> None:
    plan = unasked({"addition": "addition", "anagram": "anagram", "people": "simulated_people"})
    assert set(plan.outputs) == {"items", "gold", "counts"}
    assert {step.stage for step in plan.steps} == {"rows"}
    made = [step.name for step in plan.steps if step.kind.endswith(":make")]
    assert made == ["addition/make", "anagram/make", "people/make"]
    assert set(unasked({"people": "simulated_people"}).outputs) == {"counts"}


def test_wordings_without_models_are_refused_as_a_slip() -> None:
    brief = Brief((), (), {"reliability/addition@1": Templates.__new__(Templates)}, {}, (0,))
    with pytest.raises(InputError, match="no model to be asked in them") as told:
        Reliability().plan(brief)
    assert told.value.where == "prompts" and "add `models`" in str(told.value.next)


def test_an_analysis_without_models_is_told_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests").mkdir()
    path = tmp_path / "manifests" / "counts.yaml"
    path.write_text(COUNTS.read_text().replace("outputs: {items", "outputs: {labels: exact, items"))
    with pytest.raises(InputError, match="no output 'labels'") as told:
        check_manifest(load_manifest(path))
    assert str(told.value.next) == "choose from: items, gold, counts"


def test_it_draws_what_the_manifest_of_the_whole_study_draws(paper: Manifest) -> None:
    counts = load_manifest(COUNTS).manifest
    assert not counts.models and not counts.prompts
    assert counts.datasets["addition"] == paper.datasets["addition"]
    same = next(claim for claim in paper.claims if claim.id == "r1-addition")
    assert counts.claims[0] == same.model_copy(update={"waits": None})


@pytest.mark.long
def test_the_published_count_of_additions_is_met_today(tmp_path: Path) -> None:
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests").mkdir()
    shutil.copy(COUNTS, tmp_path / "manifests")
    manifest = f"manifests/{COUNTS.name}"
    inside("lock", manifest, cwd=tmp_path, check=0)
    inside("run", manifest, cwd=tmp_path, check=0)
    found = inner_data("claims", manifest, cwd=tmp_path)["claims"]
    assert [(row["id"], row["verdict"], row["published"]) for row in found] == [
        ("r1-addition", "met", "3142"), ("r2-addition", "met", None),
    ]  # fmt: skip
    # The filter keeps 2 a b <= 50 (a + b): counted here over all pairs of digit counts, and not by the maker.
    kept = sum(2 * a * b <= 50 * (a + b) for a in range(1, 101) for b in range(1, 101))
    assert kept == 6308
    deviation = (5000 * kept * (10_000 - kept)) ** 0.5 / 10_000
    assert all(abs(int(row["value"]) - kept / 2) < 3.5 * deviation for row in found)


def test_every_other_claim_says_in_one_line_what_it_waits_for(paper: Manifest) -> None:
    models = {name: model.facts["family"] for name, model in paper.models.items()}
    for claim in paper.claims:
        assert claim.waits and len(f"not run: needs {claim.waits}") <= SHOWN, claim.id
        assert ", " not in claim.waits, "the line for a manifest counts what stands between commas"
        families = {models[name] for pointer in claim.pointers for name in pointer.split("/") if name in models}
        if len(families) == 1:
            assert FAMILIES[families.pop()] in claim.waits, claim.id
        elif families:
            assert "32 models" in claim.waits, claim.id
    assert {claim.waits for claim in paper.claims if claim.pointers[0].startswith("people#")} == {
        "the verdicts of study S2 and the answers they judge"
    }


def test_no_manifest_but_those_of_the_paper_claims_a_number_of_it() -> None:
    named = [load_manifest(path) for path in sorted((REPOSITORY / "manifests").rglob("reliability*.yaml"))]
    claiming = {one.manifest.name: one.manifest for one in named if one.manifest.claims}
    assert set(claiming) == {"reliability-paper", "reliability-addition", "reliability-counts"}
    drawn = {pointer for name in ("reliability-addition", "reliability-counts") for claim in claiming[name].claims
             for pointer in claim.pointers}  # fmt: skip
    assert drawn == {"counts#/addition/kept"}, "what rests on stand-ins or on data of ours is no number of the paper"
