"""The scorer `json`: an answer is right if its JSON equals the target's, if a schema allows it, or both.

Members may stand in any order, and 1 equals 1.0. Not accepted as JSON are an object with a duplicate key, NaN, numbers
beyond the range of floats (1e400), and deep nesting. Independent of the model that answered.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, shown, targets, without
from harness.studies.questions.scoring.schema import JsonSchema, parse_schema
from harness.studies.questions.scoring.search import UnsearchedError
from harness.texts import reject_duplicates

LONGEST = 1_000_000  # characters of an answer; a longer one is not parsed
NO_JSON, NO_TARGET = "the answer is no JSON", "the target is no JSON"
_FENCED = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_DEEPEST = 100


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 if it is JSON that equals the target, or that a schema allows, else 0."""
    schema = parse_schema(params["schema"]) if "schema" in params else None
    equal = bool(params.get("equal", schema is None))
    graded.write(
        params,
        inputs,
        out,
        params["name"],
        lambda seen: json_answer(seen.response["text"], seen.gold["gold"], schema, equal=equal),
    )


def json_answer(response: str, gold: Mapping[str, Any], schema: JsonSchema | None, *, equal: bool) -> Found:
    """Score one answer's JSON by the schema, if any, and by the targets if `equal`; `why` names the first violation."""
    wanted = [value for target in targets(gold) for value in parsed(target)] if equal else []
    if equal and not wanted:
        return without(NO_TARGET)
    said = parsed(unfenced(response))
    if not said:
        return finding(0, None, why=NO_JSON)
    [value] = said
    spelled = json.dumps(value, sort_keys=True)
    try:
        why = schema.violation(value) if schema is not None else ""
    except UnsearchedError as bad:
        return without(str(bad))
    if why:
        return finding(0, spelled, why=shown(why))
    if equal and not any(same(value, one) for one in wanted):
        return finding(0, spelled, why="it says something else than the target")
    return finding(1, spelled)


def unfenced(text: str) -> str:
    """Return the content of a text's only fenced code block, or the text if it has none or several."""
    blocks = _FENCED.findall(text) if len(text) <= LONGEST and text.count("```") == 2 else []
    return str(blocks[0]) if len(blocks) == 1 else text


def parsed(text: str) -> list[Any]:
    """Parse strict JSON: return its value in a list, or an empty list if it is invalid, too long or nested too deep."""
    if len(text) > LONGEST:
        return []
    try:
        value = json.loads(
            text.strip(), object_pairs_hook=reject_duplicates, parse_constant=_no_constant, parse_float=_finite
        )
    except (ValueError, RecursionError):
        return []
    return [value] if _shallow(value, _DEEPEST) else []


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal: true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):  # otherwise 1e400 would equal 1e999
        raise ValueError(f"{text} is beyond what numbers hold here")
    return value


def _shallow(value: Any, left: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left > 0 and all(_shallow(one, left - 1) for one in inside)
