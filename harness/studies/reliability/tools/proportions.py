"""The curve of one model over bins of difficulty as an analysis that works alone.

It knows the names and fields a caller uses; it must never know where rows come from or where results go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError
from harness.scorers.tool import Tool
from harness.studies.reliability.measures.proportions import proportions
from harness.studies.reliability.terms import BINS
from harness.studies.reliability.tools.fields import same_length, sequence, whole


def proportions_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the curve of one model from rows, or from the columns `ids`, `difficulty` and `labels`."""
    params = given.get("params", {})
    if not isinstance(params, Mapping):
        raise InputError("`params` is not an object", where="params", next='give {"bins": 30}')
    settings = {**given, **params}
    bins = whole(settings, "bins" if "bins" in settings else "n_bins", BINS)
    if "rows" in given:
        return proportions(sequence(given, "rows"), bins)
    columns = {name: sequence(given, name) for name in ("ids", "difficulty", "labels")}
    same_length(columns)
    table = zip(*columns.values(), strict=True)
    return proportions(({"id": item, "difficulty": at, "labels": labels} for item, at, labels in table), bins)


ANALYSES: Mapping[str, Tool] = {
    "reliability.proportions": Tool(
        about="Gives the shares correct, avoidant and incorrect of one model over bins of difficulty, and in all.",
        takes={
            "rows": "objects of id, difficulty and labels (a text or list of c, a, i); or the columns below",
            "ids, difficulty, labels": "the same as three lists",
            "params": '{"bins": 30}; or `bins` or `n_bins` beside the rows',
        },
        gives={
            "bins": "per bin: n items, n_scored, difficulty (mean), low, high, correct, avoidant, incorrect (shares)",
            "n_items, n_bins, n_scored, counts": "what the shares rest on",
            "correct, avoidant, incorrect, prudent": "shares of all scored responses",
            "correctness_proportion, prudence_proportion": "the published indicator, 0 to 100",
            "degenerate": "whether there are too few items or no scored responses",
        },
        run=proportions_of,
    ),
}
