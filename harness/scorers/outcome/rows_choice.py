"""Answers to locality and science questions by hand or over the command line: one row in, one outcome out.

It knows which fields the rules of these two benchmarks need; it must never know where rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.fields import field, text
from harness.scorers.outcome.gazetteer import Gazetteer, gazetteer
from harness.scorers.outcome.locality import locality
from harness.scorers.outcome.names import LONGEST_NAME
from harness.scorers.outcome.result import Outcome
from harness.scorers.outcome.science import LETTERS, science

SHARED = " in every row, or with --data"
# The last gazetteer built, and from what: rows repeat their lists, and to compare costs a hundredth of building.
_LAST: dict[str, Any] = {"names": None, "common": None, "built": None}


def locality_row(row: Mapping[str, Any]) -> Outcome:
    """Label a row of `city`, `target`, `response`, `gazetteer` and, to replace the list shipped, `common_words`."""
    city, target, response = (text(row, name) for name in ("city", "target", "response"))
    return locality(city, target, response, _gazetteer(row))


def science_row(row: Mapping[str, Any]) -> Outcome:
    """Label a row of `options`, `key` and `response`."""
    options, key = field(row, "options", SHARED), text(row, "key")
    if not isinstance(options, Mapping) or sorted(map(str, options)) != list(LETTERS):
        raise _wrong("options", "an object of A, B, C and D")
    if not all(isinstance(each, str) for each in options.values()):
        raise _wrong("options", "an object of four texts")
    if key not in options:
        raise _wrong("key", "one of A, B, C and D")
    return science(options, key, text(row, "response"))


def _gazetteer(row: Mapping[str, Any]) -> Gazetteer:
    names, common = field(row, "gazetteer", SHARED), row.get("common_words")
    built: Gazetteer | None = _LAST["built"]
    if built is None or not (_same(_LAST["names"], names) and _same(_LAST["common"], common)):
        _check(names, "gazetteer")
        if common is not None:
            _check(common, "common_words")
        built = gazetteer(names, common)
        _LAST.update(names=names, common=common, built=built)
    return built


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


def _check(names: Any, name: str) -> None:
    if not isinstance(names, list | tuple):
        raise _wrong(name, "a list")
    if not all(isinstance(each, str) and len(each) <= LONGEST_NAME for each in names):
        raise _wrong(name, f"a list of texts of at most {LONGEST_NAME} characters")


def _wrong(name: str, what: str) -> InputError:
    return InputError(f"the field `{name}` is not {what}", where=name, next=f"mend `{name}`")


ROWS: Mapping[str, Callable[[Mapping[str, Any]], Outcome]] = {"locality": locality_row, "science": science_row}
