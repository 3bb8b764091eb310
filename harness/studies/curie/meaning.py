"""The meaning of this study's metrics in a table of scores, and what an answer counts for in each metric.

In these tables each answer counts once. The averages of the notebooks, in which zeros are filled in by record, are made
in `measures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit import graded
from harness.kit.meaning import MAIN, Meaning, plain_metrics
from harness.rowtypes import Score
from harness.studies.curie.measures.meta_results import NOT_FINITE
from harness.studies.curie.measures.run_scores import BAD, GOLD_INVALID
from harness.studies.curie.tasks import STRICT

_BLANK = "answers nothing"
MEANINGS: Mapping[str, Meaning] = {
    "boxes": Meaning("overlap of the box with the right one, by area of both", "higher", 0, 1, 0, _BLANK),
    "areas": Meaning("overlap of boxes and polygons with the right area, by area of both", "higher", 0, 1, 0, _BLANK),
    "facts": Meaning("F1 of the facts that the answer states", "higher", 0, 1, 0, _BLANK),
    "facts/facts_precision": Meaning("share of stated facts that are right", "higher", 0, 1),
    "facts/facts_recall": Meaning("share of right facts that are stated", "higher", 0, 1, 0, _BLANK),
    "llmsim-rule": Meaning("F1 of the listed entries, matched by a rule", "higher", 0, 1, 0, _BLANK),
    "llmsim-rule/precision": Meaning("share of listed entries that are matched", "higher", 0, 1),
    "llmsim-rule/recall": Meaning("share of right entries that are matched", "higher", 0, 1, 0, _BLANK),
    "llmsim-judge": Meaning("F1 of the listed entries, matched by a judge", "higher", 0, 1, 0, _BLANK),
    "rouge": Meaning("ROUGE-Lsum between answer and gold, in per cent", "higher", 0, 100, 0, _BLANK),
    "sequence": Meaning("identity with the right sequence", "higher", ceiling=1),
}


def metrics(row: Score) -> dict[str, Any]:
    """Return the metrics of a score row by name: its main value and further ones.

    There are none if the gold is unusable. In strict mode a bad answer counts 0 in the main metric (A1). In paper mode
    a text that is not a number counts 0, as in the notebooks.
    """
    if row.get("outcome") == GOLD_INVALID:
        return {}
    found = plain_metrics(row)
    if row["detail"].get("mode") == STRICT:
        return {**found, MAIN: 0} if row.get("outcome") in BAD else found
    if graded.state(row) in graded.UNSCORED:
        return found
    return {name: 0 if isinstance(value, str) and value not in NOT_FINITE else value for name, value in found.items()}
