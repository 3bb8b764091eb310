"""Facts of GEO (OURS, rule GEO): data sets compared field by field, each with the one it shares most facts with.

The facts of a data set are its name, addresses, variables, dates, places and the quantities in its descriptions. The
fields are those of the published prompt. The paper says that the ground truth has them too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.dates import iso
from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads
from harness.studies.curie.reading.quantities import quantities
from harness.studies.curie.reading.strict_json import read_first
from harness.studies.curie.reading.texts import leaves, norm
from harness.studies.curie.scoring.facts import Comparison, Fact, scored

MOST_DATA_SETS = 2_000  # of an answer that are paired; the facts of further ones count all the same
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,10}://|www\.)[^\s,;<>\"'\])}]{1,500}", re.IGNORECASE)
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]{1,10}://")
_UNSAID = frozenset(
    ["n/a", "na", "nan", "none", "null", "unknown", *(f"not {word}" for word in ("specified", "available", "provided"))]
)
DataSets = list[Counter[Fact]]


def score(response: str, truth: str) -> Found:
    """Score an answer of GEO against a ground-truth file by its facts, as `facts.scored` does."""
    return scored(response, truth, facts, lambda text, _: facts_of(text), paired)


def facts(truth: str) -> DataSets:
    """Return the facts of each data set of a ground-truth file; raises Unreadable if it is no JSON or has no object."""
    return _stating(loads(truth, LONGEST_FILE))


def facts_of(response: str) -> DataSets:
    """Return the facts of each data set of an answer; raises Unreadable if it has no readable object (R1, R2)."""
    return _stating(read_first(response))


def _stating(value: Any) -> DataSets:
    objects = value if isinstance(value, list) else [value]
    if not any(isinstance(one, dict) for one in objects):
        raise Unreadable("no object stands in it")
    return [found for one in _data_sets(objects) if (found := Counter(_facts(one)))]


def _data_sets(objects: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the data sets of a list of objects: those under `datasets`, or an object that is one itself."""
    for one in objects:
        if isinstance(one, dict):
            inner = one.get("datasets")
            yield from ([one] if inner is None else (each for each in _many(inner) if isinstance(each, dict)))


def _many(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _facts(data: Mapping[str, Any]) -> Iterator[Fact]:
    yield from _atoms("dataset_name", data.get("dataset_name"))
    for text in leaves(data.get("dataset_website_or_source")):
        for address in _URL.findall(text) or [text]:
            yield from _said("dataset_website_or_source", _SCHEME.sub("", norm(address)).rstrip("/"))
    for variable in _many(data.get("variables")):
        one = variable if isinstance(variable, dict) else {"variable_name": variable}
        yield from _atoms("variable_name", one.get("variable_name"), ",")
        yield from _atoms("spatial_range", one.get("spatial_range"), ",")
        yield from (("description", *found) for text in leaves(one.get("description")) for found in quantities(text))
        for span in _many(one.get("time_range")):
            for end in ("start_date", "end_date"):
                yield from _dates(end, span.get(end) if isinstance(span, dict) else None)


def _atoms(field: str, value: Any, parting: str = "") -> Iterator[Fact]:
    for text in leaves(value):
        for part in text.split(parting) if parting else [text]:
            yield from _said(field, norm(part))


def _dates(field: str, value: Any) -> Iterator[Fact]:
    return (fact for text in leaves(value) for fact in _said(field, iso(text)))


def _said(field: str, atom: str) -> Iterator[Fact]:
    """Yield the fact, unless the atom only says that nothing is known."""
    if atom and atom not in _UNSAID:
        yield field, atom


def paired(gold: DataSets, stated: DataSets) -> Comparison:
    """Compare data sets, each of the gold with at most one of the answer, so that they share the most facts."""
    shared: Counter[Fact] = Counter()
    for left, right in _pairs(gold, stated[:MOST_DATA_SETS]):
        shared += gold[left] & stated[right]
    return Comparison(shared.total(), _all(gold) - shared, _all(stated) - shared)


def _all(sets: DataSets) -> Counter[Fact]:
    found: Counter[Fact] = Counter()
    for one in sets:
        found.update(one)
    return found


def _pairs(gold: DataSets, stated: DataSets) -> Iterator[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - heavy

    common = [[(left & right).total() for right in stated] for left in gold]
    rows, columns = linear_sum_assignment(common, maximize=True) if gold and stated else ((), ())
    return zip(map(int, rows), map(int, columns), strict=True)
