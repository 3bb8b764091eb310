"""Strict reading of a call's arguments: the first thing that is wrong, with the name that was probably meant.

What a caller sent never stands in a message, but for names and at most 80 characters of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from harness.attempts.codes import AttemptError, nearest, shown
from harness.attempts.limits import KEPT_BYTES
from harness.attempts.shapes import REQUESTS
from harness.digest import canonical, sha256

_MUST: Mapping[str, str] = {
    "string_type": "text", "int_type": "a whole number", "float_type": "a number", "bool_type": "true or false",
    "list_type": "a list", "model_type": "an object", "model_attributes_type": "an object", "dict_type": "an object",
    "greater_than_equal": "at least {ge}", "less_than_equal": "at most {le}", "literal_error": "one of {expected}",
    "string_too_short": "text of at least {min_length} characters", "finite_number": "a finite number",
    "string_pattern_mismatch": "text of lower-case letters, digits, dots, dashes and underscores",
    "too_long": "a list of at most {max_length}", "too_short": "a list of at least {min_length}",
}  # fmt: skip
_KINDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}


def checked(tool: str, args: object) -> BaseModel:
    """Read the arguments of a known tool; AttemptError says what is wrong first."""
    if not isinstance(args, Mapping):
        raise AttemptError("E_ARGUMENT", f"the arguments of {tool} must be an object, not {_kind(args)}")
    model = REQUESTS[tool]
    try:
        return model.model_validate(args)
    except ValidationError as bad:
        found = bad.errors(include_url=False)
        unknown = [each for each in found if each["type"] == "extra_forbidden"]
        raise _explained(tool, model, (unknown or found)[0]) from None
    except RecursionError:
        raise AttemptError("E_ARGUMENT", "the arguments are nested too deeply") from None


def _explained(tool: str, model: type[BaseModel], bad: ErrorDetails) -> AttemptError:
    loc, context = bad["loc"], bad.get("ctx", {})
    place = _spelled(loc)
    if bad["type"] == "extra_forbidden":
        known = _fields(model, loc[:-1])
        advice = nearest(loc[-1], known) or f"Leave it out; known: {', '.join(known) or 'no argument at all'}."
        return AttemptError("E_ARGUMENT", f"{tool} knows no argument `{place}`", advice)
    if bad["type"] == "missing":
        return AttemptError("E_ARGUMENT", f"the argument `{place}` of {tool} is missing", f"Give `{place}`.")
    if bad["type"] == "string_unicode":
        return AttemptError("E_ENCODING", f"the argument `{place}` is not text in Unicode")
    if bad["type"] == "string_too_long":
        return AttemptError(
            "E_TOO_LONG",
            f"the argument `{place}` has more than {context['max_length']} characters",
            "Send a shorter text.",
        )
    must = _MUST.get(bad["type"], "of its kind, as the tool's schema says").format(**context)
    but = f", not {_kind(bad['input'])}" if bad["type"].endswith("_type") else ""
    return AttemptError("E_ARGUMENT", f"the argument `{place}` must be {must}{but}")


def _fields(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Names of the fields at a place: of the request, or of an answer in it."""
    from harness.attempts.shapes import SubmittedAnswer  # noqa: PLC0415

    return list((SubmittedAnswer if loc else model).model_fields)


def _spelled(loc: tuple[int | str, ...]) -> str:
    """Spell a place, such as `answers[3].item_id`."""
    spelled = ""
    for step in loc:
        spelled += f"[{step}]" if isinstance(step, int) else f"{'.' * bool(spelled)}{shown(step)}"
    return spelled[:160] or "arguments"


def _kind(value: object) -> str:
    if isinstance(value, list | tuple):
        return "a list"
    return _KINDS.get(type(value), "an object")


def rejected(value: object) -> dict[str, Any]:
    """Give what a transcript keeps of something rejected: its first KiB as ASCII, its size and its digest."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=lambda odd: type(odd).__name__)
    except (ValueError, TypeError, RecursionError):
        text = '"cannot be written as JSON"'
    return {"head": text[:KEPT_BYTES], "sha256": sha256(text.encode()), "size": len(text)}


def digest_of(value: Mapping[str, Any]) -> str:
    """Digest of arguments or of a result, without the head, which depends on it."""
    return sha256(canonical({name: each for name, each in value.items() if name != "transcript_head"}))
