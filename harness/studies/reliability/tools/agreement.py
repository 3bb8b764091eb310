"""The measure of agreement as an analysis that works alone: rows with two labels, or with one and a response.

It knows the fields a caller gives; it must never know a rule, nor where rows come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.scorers.outcome.by_row import score_row
from harness.scorers.tool import Tool
from harness.studies.reliability.measures.agreement import agreement
from harness.studies.reliability.tools.fields import MOST, sequence, whole

SHARED = ("gazetteer", "common_words")  # of locality; given once for all rows, or in a row


def agreement_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a person's labels with the rules'; rows without the rules' label are labelled first."""
    shared = {name: given[name] for name in SHARED if name in given}
    return agreement(_labelled(sequence(given, "rows"), shared), whole(given, "seed", 0, least=-MOST))


def _labelled(rows: Sequence[Any], shared: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give each row the rules' label where it brings none; a row's own shared field goes before the common one."""
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or "found" in row:
            yield row
            continue
        try:
            outcome = score_row({**shared, **row})
        except InputError as bad:
            raise InputError(bad.what, where=f"rows[{number}]: {bad.where}", next=bad.next) from bad
        told = {name: row[name] for name in ("id", "benchmark", "label", "avoidance") if name in row}
        more = {"found": outcome["label"], "found_avoidance": outcome["avoidance"], "rule_set": outcome["rule_set"]}
        yield {**told, **more}


ANALYSES: Mapping[str, Tool] = {
    "reliability.agreement": Tool(
        about="Measures how far a rule set's labels agree with those of a person who read the same responses.",
        takes={
            "rows": "objects of label (a person's: c, a or i) and found (the rules'), benchmark where there are "
            "several, avoidance and found_avoidance (subtypes) where known; or, instead of found, the fields of "
            "the scorer reliability.outcome, which then labels the row",
            "gazetteer, common_words": "locality without found: what its rows share",
            "seed": "of the bootstrap; 0 where left out",
        },
        gives={
            "benchmarks, together": "n; matrix (person -> rules); recall and precision of each label; accuracy; "
            "kappa (Cohen's): each with its interval; degenerate",
            "avoidance": "the same for the subtypes of what both call avoidant",
            "parted": "the rows on which the two differ: id, benchmark, row, label, found",
            "rule_set": "the rules the labels were given under",
            "ci": "what the intervals are",
        },
        run=agreement_of,
    ),
}
