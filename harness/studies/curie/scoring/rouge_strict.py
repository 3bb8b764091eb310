"""The reference of ROUGE in strict mode (OURS: R3): the decoded texts of a ground truth, one per line, without keys.

ROUGE-L is shown in strict mode and is no task's primary metric there. Predictions stay raw.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.dft_items import parameters, program_text, structures
from harness.studies.curie.reading.ground_truth import IDS
from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads
from harness.studies.curie.scoring.found import GOLD_INVALID, without
from harness.studies.curie.scoring.rouge import METRICS
from harness.studies.curie.scoring.rouge import score as score_text
from harness.studies.curie.tasks import STRICT

_OF_PROGRAM = {"dft-s": structures, "dft-p": parameters}


def reference(task: str, truth_text: str) -> str:
    """Return the reference of a task in the text of a ground-truth file, one leaf per line in the file's order.

    For DFT-C it is the task's own part of the program, for DFT-S and DFT-P their items (D1). Raises Unreadable if the
    file is not JSON, lacks the program, or has no text or number at all.
    """
    if task == "dft-c":
        found = program_text(truth_text)
    else:
        items = _OF_PROGRAM.get(task)
        found = "\n".join(_leaves(items(truth_text) if items else _without_ids(loads(truth_text, LONGEST_FILE))))
    if not found.strip():
        raise Unreadable("nothing in it to compare with")
    return found


def score(task: str, response: str, truth_text: str) -> Found:
    """Score a response of a task against a ground-truth file's text by ROUGE; without a reference it has no value."""
    try:
        text = reference(task, truth_text)
    except Unreadable as bad:
        return without(STRICT, METRICS, GOLD_INVALID, f"the ground truth: {bad}")
    return score_text(response, text, STRICT)


def _without_ids(value: Any) -> Any:
    """Drop ids at the top level and in the elements of a list, as the paper does, but not deeper."""
    if isinstance(value, list):
        return [_without_ids(each) if isinstance(each, dict) else each for each in value]
    return {key: each for key, each in value.items() if key not in IDS} if isinstance(value, dict) else value


def _leaves(value: Any) -> Iterator[str]:
    """Yield texts unchanged, numbers and truth values as JSON; blanks, nulls and non-finite numbers are left out."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    elif isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        yield json.dumps(value)
