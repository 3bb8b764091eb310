"""What the rules give for a near miss, in strict mode and in that of the paper.

Items are judged by the rule judge (OURS). The published LLMSim asks a model, so that ROUGE-L stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from studies.curie.scoring.near_misses.within import NearMissWithin

from harness.studies.curie.code import pdb_scores
from harness.studies.curie.judging.rule import pairs
from harness.studies.curie.reading.ground_truth import preprocess
from harness.studies.curie.scoring import boxes, boxes_strict, rouge
from harness.studies.curie.scoring.llmsim_strict import found_pairs, gold_items, read_predictions
from harness.studies.curie.tasks import PAPER, STRICT, TASKS

Found = Mapping[str, Any]


def by_items(task: str, row: NearMissWithin, mode: str) -> Found:
    """Score an answer that lists items: a matching of the rule judge's pairs, or the words as published."""
    if mode == PAPER:
        return rouge.score(row.answer, preprocess(row.gold, TASKS[task].domain, TASKS[task].prompt), PAPER)
    gold, (predicted, outcome) = gold_items(task, row.gold).items, read_predictions(row.answer)
    return found_pairs(len(gold), len(predicted), pairs(task, gold, predicted), outcome)


def by_box(_: str, row: NearMissWithin, mode: str) -> Found:
    """Score a box."""
    return boxes.score(row.answer, row.gold) if mode == PAPER else boxes_strict.score(row.answer, row.gold)


def by_residues(_: str, row: NearMissWithin, mode: str) -> Found:
    """Score a sequence that no program gave."""
    return pdb_scores.score(row.answer, row.gold, "", None, mode)


RULES: Mapping[str, Callable[[str, NearMissWithin, str], Found]] = {
    **dict.fromkeys(("dft-s", "dft-p", "mpv"), by_items),
    "biogr": by_box,
    "pdb": by_residues,
}


def strictly(task: str, row: NearMissWithin) -> Any:
    """Give the primary metric in strict mode."""
    return RULES[task](task, row, STRICT)["value"]


def values(task: str, row: NearMissWithin) -> tuple[Any, Any]:
    """Give the primary metric in strict mode and the published one: ROUGE-L for a task of items."""
    return strictly(task, row), RULES[task](task, row, PAPER)["value"]


def as_given(row: NearMissWithin, value: Any) -> bool:
    """Whether a value is what a scientist gives; one that cannot be had is not."""
    return isinstance(value, int | float) and row.low - 1e-9 <= value <= row.high + 1e-9
