"""Difficulty as an analysis that works alone: the raw functions of three benchmarks, and the scale of 0 to 100.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.reliability.data import addition, anagram, transforms
from harness.studies.reliability.data.difficulty import block, calibrated
from harness.studies.reliability.tools.fields import field, numbers, sequence

# Of each benchmark whose raw difficulty follows from two texts: their fields, and what is derived from them.
DERIVED: Mapping[str, tuple[tuple[str, str], Callable[[str, str], dict[str, Any]]]] = {
    "addition": (("a", "b"), addition.facts),
    "anagram": (("word", "anagram"), anagram.facts),
    "transforms": (("input", "output"), transforms.facts),
}


def difficulty_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the raw difficulty of one case or of a list of cases, or put raw difficulties on the common scale."""
    if "raw" in given:
        return _scaled(given)
    if "cases" not in given:
        return _case(given)
    return {"cases": [_numbered(case, number) for number, case in enumerate(sequence(given, "cases"))]}


def _scaled(given: Mapping[str, Any]) -> dict[str, Any]:
    """Use the block as a manifest gives it, so that the calibration has the same id here and in a run."""
    told = given.get("calibration")
    try:
        scale = calibrated(numbers(given, "raw"), None if told is None else block(told))
    except InputError as bad:
        raise InputError(bad.what, where=bad.where or "calibration", next=bad.next) from bad
    return {"difficulty": scale.values, **scale.meta()}


def _numbered(case: Any, number: int) -> dict[str, Any]:
    if not isinstance(case, Mapping):
        raise InputError("a case is not an object", where=f"cases[{number}]", next="give the fields of one case each")
    try:
        return _case(case)
    except InputError as bad:
        raise InputError(bad.what, where=f"cases[{number}]/{bad.where}", next=bad.next) from bad


def _case(given: Mapping[str, Any]) -> dict[str, Any]:
    (first, second), facts = DERIVED[_benchmark(given)]
    return facts(field(given, first), field(given, second))


def _benchmark(given: Mapping[str, Any]) -> str:
    """Take the benchmark that is named, else the one of whose fields any is there."""
    if "benchmark" in given:
        named = next((name for name in DERIVED if name == given["benchmark"]), None)
    else:
        named = next((name for name, (fields, _) in DERIVED.items() if not given.keys().isdisjoint(fields)), None)
    if named is None:
        wanted = "; ".join(f"{name}: {first}, {second}" for name, ((first, second), _) in DERIVED.items())
        raise InputError(
            "nothing here says whose difficulty is meant", where="benchmark", next=f"give the fields of one: {wanted}"
        )
    return named


ANALYSES: Mapping[str, Tool] = {
    "reliability.difficulty": Tool(
        about="Gives the raw difficulty of an addition, an anagram or a text task, or puts raw ones on the scale.",
        takes={
            "a, b": "addition: the addends, decimal strings",
            "word, anagram": "anagram: texts",
            "input, output": "transforms: texts",
            "benchmark": "which of the three; may be left out where the fields say it",
            "cases": "instead of these fields: a list of objects that hold them",
            "raw": "instead of all of them: raw difficulties of the items of one benchmark",
            "calibration": "beside raw: the block of a manifest, {kind: rank} or {kind: logistic2, …}; null for rank",
        },
        gives={
            "sum, digits_a, digits_b, f_cry, f_hrm, keep": "addition: carries, the filter's measure and its verdict",
            "f_let, valid": "anagram: letters, and whether it is one as the benchmark draws them",
            "words_in, words_out, levenshtein, f_wl": "transforms: the difficulty f_w+l and what it is the sum of",
            "cases": "with cases: these fields of each",
            "difficulty": "with raw: the difficulties, 0 to 100",
            "calibration_id, calibrated": "with raw: what put them there, and whether it rests on people",
        },
        run=difficulty_of,
    ),
}
