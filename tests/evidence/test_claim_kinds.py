"""What a claim is compared with, told from the steps of its value: of the papers' manifests, and of made-up plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from support import REPOSITORY

from harness.evidence.claims.kinds import (
    COUNTS,
    PIPELINE,
    READING,
    TRANSCRIPTION,
    UNKNOWN,
    ClaimKind,
    OutputKinds,
    claim_kind,
    planned_kinds,
    planned_steps,
)
from harness.manifest.load import load_manifest
from harness.run.service import foresee_kinds
from harness.steps import Pinned, Plan, Ref, Source, Step

TABLE, FILE, OTHER = Pinned("aa" * 32), Pinned("bb" * 32), Pinned("cc" * 32)
DATA = {FILE.sha256: "published"}

# By the outputs that their claims point into: told by hand from what each output is, not by the code under test.
BY_OUTPUT = {
    "demo/biomed": {"published": TRANSCRIPTION},
    "demo/curie": {"published": TRANSCRIPTION},
    "demo/brain-networks": {"length_check": PIPELINE},
    "paper/biomed": {"performance": PIPELINE, "texts": PIPELINE, "dataset": COUNTS, "published": TRANSCRIPTION},
    "paper/brain-H": {"choices": PIPELINE, "findings": PIPELINE},
    "paper/brain-P": {"findings": PIPELINE},
    "paper/curie-archive": {
        "counts": COUNTS, "lengths": COUNTS, "tables": PIPELINE, "means": PIPELINE, "published": TRANSCRIPTION,
    },
    "paper/curie-public-copy": {"counts": COUNTS, "lengths": COUNTS},
    "paper/reliability-addition": {"counts": COUNTS},
    "paper/reliability-counts": {"counts": COUNTS},
    "paper/reliability": {
        "counts": COUNTS, "proportions": PIPELINE, "indicators": PIPELINE, "breakdowns": PIPELINE, "people": PIPELINE,
    },
    "reanalysis/brain-H": {"reanalysis": READING},
}  # fmt: skip


@pytest.mark.parametrize("name", BY_OUTPUT)
def test_each_claim_of_a_papers_manifest_has_the_kind_of_its_output_without_a_lock_or_a_run(name: str) -> None:
    loaded = load_manifest(REPOSITORY / "manifests" / f"{name}.yaml")
    kinds = foresee_kinds(loaded)
    found = {
        output: kinds.of([output])
        for claim in loaded.manifest.claims
        for output in (pointer.partition("#")[0] for pointer in claim.pointers)
    }
    assert found == {output: ClaimKind(BY_OUTPUT[name][output]) for output in found}
    assert found.keys() <= BY_OUTPUT[name].keys()


def test_every_manifest_that_claims_something_is_told_of_above() -> None:
    claiming = {
        path.relative_to(REPOSITORY / "manifests").with_suffix("").as_posix()
        for path in (REPOSITORY / "manifests").rglob("*.yaml")
        if load_manifest(path).manifest.claims
    }
    assert claiming == set(BY_OUTPUT)


def step(name: str, stage: str = "analyses", outputs: tuple[str, ...] = ("x",), **inputs: Source) -> Step:
    return Step(name, f"m:{name}", stage, {}, inputs, outputs)


def of(*steps: Step) -> ClaimKind:
    """Give the kind of a claim on the last step's output."""
    plan = Plan(steps, {"out": Ref(steps[-1].name, steps[-1].outputs[0])})
    return planned_kinds(plan, {TABLE.sha256}, DATA)["out"]


ITEMS = step("d/make", "rows", ("items", "gold", "counts"), files=FILE)
BRAINS = step("b/make", "rows", ("recordings", "counts"), files=FILE)
RESULTS = step("r/make", "rows", ("parsed", "counts"), files=FILE)
ASKED = step("a", "responses", ("responses",), i=Ref("d/make", "items"))
SIMULATED = step("s/make", "rows", ("parsed",))


def read(name: str, *, output: str = "items", **more: Source) -> Step:
    return step("out", "analyses", ("x",), a=Ref(name, output), **more)


CASES: Mapping[str, tuple[tuple[Step, ...], str]] = {
    "statistics of questions": ((ITEMS, read("d/make")), COUNTS),
    "questions as they were drawn": ((step("d/make", "rows", ("counts", "items"), files=FILE),), COUNTS),
    "scores of answers": ((ITEMS, ASKED, read("a", output="responses")), PIPELINE),
    "fits of recordings": ((BRAINS, read("b/make", output="recordings")), PIPELINE),
    "units of recordings": ((step("b/make", "rows", ("counts", "recordings"), files=FILE),), COUNTS),
    "result files": ((RESULTS, read("r/make", output="parsed")), READING),
    "result files beside a printed table": ((RESULTS, read("r/make", output="parsed", t=TABLE)), READING),
    "printed numbers": ((step("out", t=TABLE),), TRANSCRIPTION),
    "printed numbers through a second step": ((step("one", t=TABLE), read("one", output="x")), TRANSCRIPTION),
    "printed numbers beside questions": ((ITEMS, read("d/make", t=TABLE)), COUNTS),
    "published files that are read at once": ((step("out", t=TABLE, f=FILE),), READING),
    "the same beside questions that are made of them": ((ITEMS, step("out", t=TABLE, f=FILE)), COUNTS),
    "a file that is no data set": ((step("out", t=TABLE, f=OTHER),), UNKNOWN),
    "nothing": ((step("out"),), UNKNOWN),
    "what is neither asked nor recorded nor published": ((SIMULATED, read("s/make", output="parsed")), UNKNOWN),
    "items that nobody answers rightly": ((step("p/make", "rows", ("items",), f=FILE), read("p/make")), UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_kind_follows_from_what_is_read_and_is_unknown_where_that_does_not_tell(case: str) -> None:
    steps, kind = CASES[case]
    found = of(*steps)
    assert found.name == kind and bool(found.reason) == (kind == UNKNOWN)


def test_a_model_that_runs_in_an_analysis_counts_as_one() -> None:
    looks = Step("out", "m:f", "analyses", {}, {"t": TABLE}, ("x",), infers=True)
    assert of(looks) == ClaimKind(PIPELINE)


def test_values_of_several_kinds_are_of_none_and_the_narrower_reading_of_a_run_may_be_the_plans() -> None:
    kinds = OutputKinds({"a": ClaimKind(COUNTS), "b": ClaimKind(PIPELINE)})
    assert kinds.of(["a", "a"]) == ClaimKind(COUNTS)
    assert kinds.of(["a", "b"]) == ClaimKind(UNKNOWN, "its values are of several kinds: counts, pipeline")
    assert kinds.of(["c"]).name == UNKNOWN and OutputKinds({}, lacks="no plan").of(["a"]).reason == "no plan"
    ran = OutputKinds(kinds.planned, recorded={"a": [ClaimKind(COUNTS), ClaimKind(PIPELINE)], "b": [ClaimKind(COUNTS)]})
    assert ran.of(["a"]) == ClaimKind(COUNTS) and ran.of(["b"]).name == UNKNOWN


def test_a_long_chain_of_steps_is_followed_once() -> None:
    chain = [step("s0", t=TABLE)]
    for number in range(1, 3000):
        chain.append(step(f"s{number}", a=Ref(f"s{number - 1}", "x"), b=Ref(f"s{number // 2}", "x")))
    steps = planned_steps(Plan(tuple(chain), {}), {TABLE.sha256}, DATA)
    assert claim_kind("s2999", steps) == ClaimKind(TRANSCRIPTION)
    assert Counter(one.tables for one in steps.values()) == {False: 2999, True: 1}
