"""Scores of PDB answers, programs or not: the one module that decides which text the sequence rules read.

Does not run programs; it is given the outcome of their trials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.rowtypes import Found
from harness.studies.curie.code.pdb_programs import NoAnswer, answered, is_code, obstacle
from harness.studies.curie.scoring import sequences, sequences_strict
from harness.studies.curie.scoring.found import INVALID, without
from harness.studies.curie.tasks import PAPER, STRICT


class _Rules(NamedTuple):
    score: Callable[[str, str], Found]
    failed: Callable[[str, str], Found]
    metrics: tuple[str, ...]


_PAPER = _Rules(sequences.score, sequences.failed, sequences.METRICS)
_STRICT = _Rules(sequences_strict.score, sequences_strict.failed, sequences_strict.METRICS)


def score(response: str, truth: str, document: str, trial: Mapping[str, Any] | None, mode: str) -> Found:
    """Score a protein sequence answer against the ground truth; `trial` is how its program ended, if it is a program.

    A program that was not run has no value. A program that gave no text is worth 0 in strict mode. In paper mode it has
    no metric, since the published code raises.
    """
    rules = _PAPER if mode == PAPER else _STRICT
    if not is_code(response):
        return rules.score(response, truth)
    why = obstacle(response, document, mode)
    if not why and trial is None:
        return without(mode, rules.metrics, INVALID, "the answer is a program, which was not run")
    said = NoAnswer(why) if why or trial is None else answered(trial)
    if mode == STRICT and not isinstance(said, NoAnswer) and not said.strip():
        said = NoAnswer("the program told nothing but blanks")  # the answer was not blank, so this is `invalid`
    found = rules.failed(said.why, truth) if isinstance(said, NoAnswer) else rules.score(said, truth)
    return {**found, "detail": {**found["detail"], "by_code": True}}
