"""What an expectation keeps of its run is bounded whatever the plan, and refused where it is another thing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from manifest.test_lockfile import EXPECT

from harness.digest import canonical_json, seal_document
from harness.errors import InputError
from harness.manifest.documents import AcceptedMachine
from harness.manifest.lockfile import (
    MOST_STEPS,
    AcceptedRun,
    bound_names,
    group_alike,
    join_digests,
    read_expect,
    short_digest,
    step_family,
)

PAIR = "0123456789ab 456789abcdef"
MACHINE: AcceptedMachine = {
    "processor": "AMD EPYC (Zen 3)", "image": "none", "device": "cpu", "threads": "1", "numerics": {"TZ": "UTC"},
    "environment": {"type": "environment/2", "python": "3.11.7", "platform": "linux-x86_64", "stdlib": "0" * 12,
                    "packages": {"numpy": f"2.4.6 {'a' * 12}"}, "loose": {}},
}  # fmt: skip
RUN = AcceptedRun({"data/a.csv": "a" * 12}, {"seeds": "b" * 12}, {"a/make": PAIR, "scores": PAIR}, MACHINE)
NEW = replace(EXPECT, run=RUN)
PARTS = "benchmark/responses/a-model/part-{:05}"


def steps(count: int, name: str = PARTS) -> dict[str, str]:
    return {name.format(number): f"{short_digest(number)} {short_digest(-number)}" for number in range(count)}


def test_an_expectation_with_its_run_is_another_type_and_reads_back() -> None:
    assert json.loads(EXPECT.data)["type"] == "expect/1" and json.loads(NEW.data)["type"] == "expect/2"
    assert read_expect(NEW.data, "x") == NEW and read_expect(NEW.data, "x").data == NEW.data
    assert read_expect(EXPECT.data, "x").run.steps == {}


@pytest.mark.parametrize(
    "change",
    [{"run": None}, {"run": {}}, {"type": "expect/1"}, {"type": "expect/3"}, {"run": {**RUN.as_data(), "more": {}}},
     {"run": {**RUN.as_data(), "steps": {}}}, {"run": {**RUN.as_data(), "steps": {"a": "0" * 64}}},
     {"run": {**RUN.as_data(), "steps": ["a"]}}, {"run": {**RUN.as_data(), "lock": {"a": 1}}},
     {"run": {**RUN.as_data(), "inputs": None}}, {"run": {**RUN.as_data(), "machine": {}}},
     {"run": {**RUN.as_data(), "machine": {**MACHINE, "threads": "0"}}},
     {"run": {**RUN.as_data(), "machine": {**MACHINE, "threads": 1}}},
     {"run": {**RUN.as_data(), "machine": {**MACHINE, "processor": "x" * 201}}},
     {"run": {**RUN.as_data(), "machine": {**MACHINE, "image": "latest"}}},
     {"run": {**RUN.as_data(), "machine": {**MACHINE, "environment": {}}}},
     {"run": {**RUN.as_data(), "machine": {**MACHINE, "numerics": {"TZ": ["UTC"]}}}},
     {"run": {**RUN.as_data(), "steps": {f"step-{number}": PAIR for number in range(30_000)}}}],
)  # fmt: skip
def test_a_run_of_another_shape_or_of_giant_size_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        read_expect(seal_document({**json.loads(NEW.data), **change}), "the file")
    assert refused.value.where == "the file"


def test_a_run_that_is_named_by_no_expectation_of_before_is_refused_there() -> None:
    body = {**json.loads(EXPECT.data), "run": RUN.as_data()}
    with pytest.raises(InputError, match="expect/2"):
        read_expect(seal_document(body), "x")


def test_few_steps_are_kept_one_by_one() -> None:
    some = steps(2000)
    assert bound_names(some, MOST_STEPS) == some


@pytest.mark.long
@pytest.mark.parametrize(
    ("count", "names", "kept"),
    [
        (20_000, (PARTS,), 1),
        (9_000, (PARTS, "{}/make"), 9_001),  # parts of names that tell nothing apart stay
        (9_000, ("{}/make/with/a-name/that-is/longer-than-most-of-them",), 9_000),
        (50_000, ("{}",), 1),
        (50_000, ("{0}/{0}/{0}",), 1),
    ],
)
def test_many_steps_become_families_that_fit(count: int, names: tuple[str, ...], kept: int) -> None:
    some = {step: pair for name in names for step, pair in steps(count, name).items()}
    found = bound_names(some, MOST_STEPS)
    assert len(canonical_json(found)) <= MOST_STEPS and len(found) == kept
    assert all(len(digests.split(" ")) == 2 for digests in found.values())
    assert set(group_alike(some, found)) == set(found)


def test_a_family_differs_where_any_of_its_members_does() -> None:
    some = steps(20_000)
    kept = bound_names(some, MOST_STEPS)
    [(family, members)] = group_alike(some, kept).items()
    assert family == "benchmark/responses/a-model/*" and kept[family] == join_digests(members, some)
    made, given = kept[family].split(" ")
    moved = {**some, members[7]: f"{short_digest('other')} {some[members[7]].split(' ')[1]}"}
    other = join_digests(members, moved).split(" ")
    assert other[0] != made and other[1] == given


def test_names_that_no_document_could_hold_are_spelled_in_ascii() -> None:
    assert step_family("modèle/a", 0).isascii() and step_family("modèle/a", 1).endswith("/*")
    kept = bound_names({"modèle/a": PAIR}, MOST_STEPS)
    assert list(group_alike(["modèle/a"], kept)) == list(kept)
    assert read_expect(replace(NEW, run=replace(RUN, steps=kept)).data, "x").run.steps == kept
