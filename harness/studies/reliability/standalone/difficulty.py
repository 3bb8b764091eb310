"""The standalone analysis of difficulty: the raw difficulty of three benchmarks' cases, or scaling to 0 to 100.

Works on the names and fields that a caller uses; independent of where rows come from and where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import AnalysisInput, Numbers, Text, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.reliability.data.difficulty import block, calibrated
from harness.studies.reliability.standalone.fields import each
from harness.studies.reliability.standalone.raw_difficulty import DERIVED

SUM = "addition: the addends, decimal strings"
WORD, TASK = "anagram: texts", "transforms: texts"
CARRIES = "addition: carries, the filter's measure and its verdict"
SHUFFLED = "anagram: letters, and whether it is one as the benchmark draws them"
EDITS = "transforms: the difficulty f_w+l and what it is the sum of"
SCALED = "with raw: what put them there, and whether it rests on people"


class DifficultyInput(AnalysisInput):
    """Input: the fields of one benchmark's case, many such cases, or raw difficulties to be scaled."""

    a: Text | None = Field(default=None, description=SUM)
    b: Text | None = Field(default=None, description=SUM)
    word: Text | None = Field(default=None, description=WORD)
    anagram: Text | None = Field(default=None, description=WORD)
    input: Text | None = Field(default=None, description=TASK)
    output: Text | None = Field(default=None, description=TASK)
    benchmark: Text | None = Field(
        default=None, description="which of the three; may be left out where the fields say it"
    )
    cases: list[Any] | None = Field(
        default=None, description="instead of these fields: a list of objects that hold them"
    )
    raw: Numbers | None = Field(
        default=None, description="instead of all of them: raw difficulties of the items of one benchmark"
    )
    calibration: Any = Field(
        default=None,
        description="beside raw: the block of a manifest, {kind: rank} or {kind: logistic2, …}; null for rank",
    )


class DifficultyOutput(ToolOutput):
    """Output: the difficulty of one case, of many, or scaled difficulties."""

    sum: str | None = Field(default=None, description=CARRIES)
    digits_a: int | None = Field(default=None, description=CARRIES)
    digits_b: int | None = Field(default=None, description=CARRIES)
    f_cry: int | None = Field(default=None, description=CARRIES)
    f_hrm: float | None = Field(default=None, description=CARRIES)
    keep: bool | None = Field(default=None, description=CARRIES)
    f_let: int | None = Field(default=None, description=SHUFFLED)
    valid: bool | None = Field(default=None, description=SHUFFLED)
    words_in: int | None = Field(default=None, description=EDITS)
    words_out: int | None = Field(default=None, description=EDITS)
    levenshtein: int | None = Field(default=None, description=EDITS)
    f_wl: int | None = Field(default=None, description=EDITS)
    cases: list[dict[str, Any]] | None = Field(default=None, description="with cases: these fields of each")
    difficulty: list[float] | None = Field(default=None, description="with raw: the difficulties, 0 to 100")
    calibration_id: str | None = Field(default=None, description=SCALED)
    calibrated: bool | None = Field(default=None, description=SCALED)


def difficulty_of(given: DifficultyInput) -> Mapping[str, Any]:
    """Return the raw difficulty of one case or of each of `cases`, or raw difficulties mapped to the scale 0 to 100.

    Raises InputError if no benchmark is named or evident, or if a field or the calibration is malformed.
    """
    if given.raw is not None:
        return _scaled(given.raw, given.calibration)
    if given.cases is not None:
        return {"cases": each(given.cases, _derived)}
    return _derived({name: getattr(given, name) for name in given.model_fields_set})


def _scaled(raw: list[float], given_block: Any) -> dict[str, Any]:
    """Map raw difficulties to the scale by a block, which is parsed as in a manifest so that its id equals a run's."""
    try:
        scale = calibrated(raw, None if given_block is None else block(given_block))
    except InputError as bad:
        raise InputError(bad.what, where=bad.where or "calibration", next=bad.next) from bad
    return {"difficulty": scale.values, **scale.meta()}


def _derived(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return one case's raw difficulty, by the benchmark it names, or else by the first that has one of its fields."""
    if "benchmark" in given:
        named = next((tool for name, tool in DERIVED.items() if name == given["benchmark"]), None)
    else:
        named = next((tool for tool in DERIVED.values() if tool.takes.model_fields.keys() & given.keys()), None)
    if named is None:
        wanted = "; ".join(f"{name}: {', '.join(tool.takes.model_fields)}" for name, tool in DERIVED.items())
        raise InputError(
            "no benchmark is named, nor any field of one given",
            where="benchmark",
            next=f"give the fields of one: {wanted}",
        )
    return named.run(given)


ANALYSES: Mapping[str, Tool] = {
    "reliability.difficulty": Tool(
        about="Gives the raw difficulty of an addition, an anagram or a text task, or puts raw ones on the scale.",
        takes=DifficultyInput,
        gives=DifficultyOutput,
        run=difficulty_of,
    ),
}
