"""The golden files of the reliability study: which are finished, and how each is read."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from harness.studies.reliability.tools.outcome import SCORERS
from readers import reliability_choice, reliability_difficulty, reliability_indicators, reliability_people
from readers.case import Tally, cases, check, load

# The fields that the cases of each benchmark give.
SCORED = {
    "addition": ("a", "b", "response"),
    "anagram": ("anagram", "accepted", "response"),
    "locality": ("city", "target", "response"),
    "science": ("options", "key", "response"),
    "transforms": ("input", "expected_output", "answer_shape", "response"),
}
# What all cases of a benchmark take from their file: the field of a row, and the file's name for it.
SHARED = {"locality": {"gazetteer": "locality_gazetteer", "common_words": "locality_common_words"}}


def scoring_cases(path: Path, tally: Tally) -> None:
    golden = load(path)
    run = SCORERS["reliability.outcome"].run
    given = [benchmark for benchmark in SCORED if benchmark in golden]
    if not given:
        raise ValueError(f"no cases of any of {', '.join(SCORED)}")
    for benchmark in given:
        shared = {field: golden[name] for field, name in SHARED.get(benchmark, {}).items() if name in golden}
        for name, case in cases(golden, benchmark):
            more = {"benchmark": benchmark, **shared}
            check(tally, name, case, run, SCORED[benchmark], ("label", "avoidance"), more=more)


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "scoring_cases*.json": scoring_cases,
    **reliability_difficulty.FINISHED,
    **reliability_choice.FINISHED,
    **reliability_indicators.FINISHED,
    **reliability_people.FINISHED,
}


def reader(name: str) -> Callable[[Path, Tally], None] | None:
    """Give the finished reader of a file of this study, if there is one."""
    return next((read for pattern, read in FINISHED.items() if fnmatch(name, pattern)), None)
