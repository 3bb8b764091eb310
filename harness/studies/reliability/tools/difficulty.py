"""Difficulty as an analysis that works alone: the raw functions of three benchmarks, and the scale of 0 to 100.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.reliability.data.difficulty import block, calibrated
from harness.studies.reliability.tools.fields import each, numbers
from harness.studies.reliability.tools.raw_difficulty import DERIVED


def difficulty_of(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the raw difficulty of one case or of a list of cases, or put raw difficulties on the common scale."""
    if "raw" in given:
        return _scaled(given)
    if "cases" not in given:
        return _derived(given)
    return {"cases": each(given, "cases", _derived)}


def _scaled(given: Mapping[str, Any]) -> dict[str, Any]:
    """Use the block as a manifest gives it, so that the calibration has the same id here and in a run."""
    told = given.get("calibration")
    try:
        scale = calibrated(numbers(given, "raw"), None if told is None else block(told))
    except InputError as bad:
        raise InputError(bad.what, where=bad.where or "calibration", next=bad.next) from bad
    return {"difficulty": scale.values, **scale.meta()}


def _derived(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Derive it by the benchmark that is named, else by the one of whose fields any is there."""
    if "benchmark" in given:
        named = next((tool for name, tool in DERIVED.items() if name == given["benchmark"]), None)
    else:
        named = next((tool for tool in DERIVED.values() if not given.keys().isdisjoint(tool.takes)), None)
    if named is None:
        wanted = "; ".join(f"{name}: {', '.join(tool.takes)}" for name, tool in DERIVED.items())
        raise InputError(
            "nothing here says whose difficulty is meant", where="benchmark", next=f"give the fields of one: {wanted}"
        )
    return named.run(given)


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
