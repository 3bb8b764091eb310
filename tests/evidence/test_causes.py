"""What a step rests on, held against what it rested on: every cause is named, and the likeliest first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.evidence.explain import (
    ACCEPTED,
    NOTHING,
    FirstDifference,
    Machine,
    StepBasis,
    describe_causes,
    find_causes,
    name_processor,
    split_threads,
)
from harness.run.environment import NUMERICS
from harness.steps import Computing

AMD, INTEL = "AMD EPYC (Zen 3)", "Intel Xeon (AVX-512)"


def environment(**changes: Any) -> dict[str, Any]:
    packages = {
        name: {"version": version, "record": "a"} for name, version in (("numpy", "2.4.6"), ("absl_py", "2.5.1"))
    }
    said = {"type": "environment/2", "image": "none", "python": "3.11.7", "platform": "linux-x86_64", "loose": {}}
    return {**said, "packages": packages, "stdlib": "b", **changes}


HERE = Machine(AMD, "none", "cpu", "1", dict(NUMERICS), environment())
BASIS = StepBasis({"data/a.csv": "1"}, {"models/tiny": "1"}, HERE, {"harness/a.py": "1", "harness/b.py": "2"})


def causes(new: StepBasis, old: StepBasis = BASIS) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in find_causes(old, new, ACCEPTED)]


def on(**changes: Any) -> StepBasis:
    return replace(BASIS, machine=replace(HERE, **changes))


def with_packages(**versions: str) -> StepBasis:
    held = {name: {"version": version, "record": "c"} for name, version in versions.items()}
    return on(environment=environment(packages={**HERE.environment["packages"], **held}))


def test_of_two_that_are_the_same_nothing_is_named() -> None:
    assert causes(BASIS) == []
    assert FirstDifference("fit/a", ()).text == f"fit/a differs first; {NOTHING}"
    assert "not deterministic" in describe_causes([])


@pytest.mark.parametrize(
    ("new", "kind", "text"),
    [
        (replace(BASIS, inputs={"data/a.csv": "2"}), "input", "input: data/a.csv"),
        (replace(BASIS, lock={}), "lock", "lock: models/tiny"),
        (on(processor=INTEL), "environment", f"accepted on {AMD}, here {INTEL}"),
        (on(environment=environment(python="3.11.2")), "environment", "Python 3.11.7 → 3.11.2"),
        (on(environment=environment(stdlib="c")), "environment", "the standard library"),
        (with_packages(numpy="2.4.5"), "environment", "packages: numpy 2.4.6 → 2.4.5"),
        (with_packages(numpy="2.4.6"), "environment", "packages: numpy 2.4.6, of other files"),
        (on(threads="2"), "environment", "threads 1 → 2"),
        (on(numerics={**NUMERICS, "OPENBLAS_CORETYPE": "Zen"}), "environment",
         "numerics: kernel of OpenBLAS Haswell → Zen"),
        (on(image="sha256:" + "1" * 64), "environment", "image: none → sha256:111111111111"),
        (on(device="cuda:sm_90"), "environment", "device cpu → cuda:sm_90"),
        (on(environment=environment(implementation="PyPy")), "environment", "the environment, in what has no name"),
        (replace(BASIS, code={"harness/a.py": "1", "harness/b.py": "3"}), "code", "code: harness/b.py"),
    ],
)  # fmt: skip
def test_a_cause_that_stands_alone_is_named_alone(new: StepBasis, kind: str, text: str) -> None:
    assert causes(new) == [(kind, text)]


def test_several_causes_stand_in_the_order_of_their_likelihood() -> None:
    machine = replace(
        HERE, processor=INTEL, threads="2", numerics={**NUMERICS, "TZ": "CET"},
        environment=environment(python="3.12.1", packages={"zipp": {"version": "1", "record": "a"}}),
    )  # fmt: skip
    found = causes(StepBasis({}, {}, machine, {}))
    assert [kind for kind, _ in found] == ["input", "lock", *["environment"] * 5, "code"]
    processor, python, packages, threads, numerics = (text for kind, text in found if kind == "environment")
    assert processor.startswith("accepted on") and python.startswith("Python") and threads.startswith("threads")
    assert packages == "packages: numpy 2.4.6 → absent, absl_py 2.5.1 → absent, zipp absent → 1", "numpy is likeliest"
    assert numerics == "numerics: TZ UTC → CET"


def test_many_names_are_counted_and_the_first_ones_shown() -> None:
    new = replace(BASIS, code={**BASIS.code, **{f"harness/c{number}.py": "1" for number in range(9)}})
    [(_, text)] = causes(new)
    assert text.endswith("harness/c5.py and 3 more")


def test_a_machine_that_was_not_written_down_is_called_that() -> None:
    unwritten = replace(BASIS, machine=None)
    assert causes(BASIS, unwritten) == [
        ("environment", f"accepted on a machine that was not written down, here {AMD}")
    ]  # fmt: skip
    assert causes(on(processor=""), BASIS) == [
        ("environment", f"accepted on {AMD}, here a machine that was not written down")
    ]  # fmt: skip


def test_the_processor_is_named_as_it_was_observed_else_as_it_calls_itself() -> None:
    assert name_processor({"cpu": "AMD EPYC 7B13", "processor": {"name": AMD, "class": "x"}}) == AMD
    assert name_processor({"cpu": "AMD EPYC 7B13"}) == "AMD EPYC 7B13"
    assert name_processor({}) == name_processor({"cpu": 7}) == ""
    assert len(name_processor({"cpu": "x" * 10_000})) == 200


def test_the_number_of_threads_is_one_difference_whatever_variables_say_it() -> None:
    wide = {**NUMERICS, **Computing(2).variables("")}
    assert split_threads(wide) == ("2", split_threads(NUMERICS)[1])
    assert split_threads(NUMERICS)[0] == "1" and "OPENBLAS_CORETYPE" in split_threads(NUMERICS)[1]
