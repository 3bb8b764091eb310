"""The reference text of an item for measures of words: the paper's serialised ground truth, or strict mode's fields.

It must never know an answer.
"""

from __future__ import annotations

from harness.errors import InputError
from harness.rowtypes import Gold
from harness.studies.curie.reading.ground_truth import preprocess
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.scoring.rouge_strict import reference
from harness.studies.curie.tasks import PAPER, TASKS


def reference_text(task: str, gold: Gold, mode: str) -> str:
    """Give the reference of an item's ground truth; InputError where that cannot be read."""
    truth = gold["gold"]["truth"]
    try:
        if mode == PAPER:
            return preprocess(truth, TASKS[task].domain, TASKS[task].prompt)
        return reference(task, truth)
    except Unreadable as bad:
        raise InputError(f"a ground truth that cannot be read: {bad}", where=f"gold of {gold['id']}") from bad
