"""The reference text of an item for word metrics: the paper's serialised ground truth, or strict mode's fields.

Sees no answers.
"""

from __future__ import annotations

from harness.rowtypes import Gold
from harness.studies.curie.reading.ground_truth import preprocess
from harness.studies.curie.scoring.rouge_strict import reference
from harness.studies.curie.tasks import PAPER, TASKS


def reference_text(task: str, gold: Gold, mode: str) -> str:
    """Return the reference text of an item's ground truth; raises Unreadable if it has nothing to compare with."""
    truth = gold["gold"]["truth"]
    if mode == PAPER:
        return preprocess(truth, TASKS[task].domain, TASKS[task].prompt)
    return reference(task, truth)
