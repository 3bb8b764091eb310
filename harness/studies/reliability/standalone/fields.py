"""Helpers of several standalone analyses: shared field types, a check of parallel lists, a loop over cases.

Independent of what fields mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from harness.errors import InputError
from harness.scorers.given import AbsentValue, FieldCheck, finite_number, whole_number
from harness.studies.reliability.terms import UNSCORED, are_labels

Share = Annotated[float, finite_number(0, 1)]
Percent = Annotated[float, finite_number(0, 100)]
Seed = Annotated[int, whole_number(0)]
ShareOrAbsent = float | AbsentValue  # a share of zero responses does not exist
_LETTERS = {"type": ["string", "array"], "items": {"type": "string"}}
LABELS = FieldCheck(are_labels, "a text or a list of c, a and i", _LETTERS, "leave out what was not scored")
Labels = Annotated[str | list[str], LABELS]  # of one item
LabelsAndGaps = Annotated[
    str | list[str],
    FieldCheck(lambda given: are_labels(given, UNSCORED), "a text or a list of c, a, i and -", _LETTERS),
]


def each(cases: Sequence[Any], run: Callable[[Mapping[str, Any]], Any]) -> list[Any]:
    """Apply a function to every case and return the results; an InputError names the case's index in `cases`."""
    found = []
    for place, case in enumerate(cases):
        where = f"cases[{place}]"
        if not isinstance(case, Mapping):
            raise InputError("a case is not an object", where=where, next="give the fields of one case each")
        try:
            found.append(run(case))
        except InputError as bad:
            raise InputError(bad.what, where=f"{where}/{bad.where}", next=bad.next) from bad
    return found


def same_length(given: Mapping[str, Sequence[Any]]) -> None:
    """Raise InputError if parallel lists, given by name, differ in length."""
    (first, values), *others = given.items()
    for name, more in others:
        if len(more) != len(values):
            raise InputError(
                f"`{first}` holds {len(values)} values but `{name}` {len(more)}", where=name, next="give one of each"
            )
