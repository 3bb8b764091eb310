"""Responses and their labels, a list a benchmark."""

from __future__ import annotations

from pathlib import Path

from golden.case import Tally, check
from golden.files import cases, load

from harness.studies.reliability.standalone.outcome import SCORERS

FILES = ("scoring_cases*.json",)
# The fields that the cases of each benchmark give.
SCORED = {
    "addition": ("a", "b", "response"),
    "anagram": ("anagram", "accepted", "response"),
    "locality": ("city", "target", "response"),
    "science": ("options", "key", "response"),
    "transforms": ("input", "expected_output", "answer_shape", "response"),
}
RULE_SET = "OURS-v1"  # the cases were made with it
# What all cases of a benchmark take from their file: the field of a row, and the file's name for it.
SHARED = {"locality": {"gazetteer": "locality_gazetteer", "common_words": "locality_common_words"}}


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    run = SCORERS["reliability.outcome"].run
    given = [benchmark for benchmark in SCORED if benchmark in golden]
    if not given:
        raise ValueError(f"no cases of any of {', '.join(SCORED)}")
    for benchmark in given:
        shared = {field: golden[name] for field, name in SHARED.get(benchmark, {}).items() if name in golden}
        for name, case in cases(golden, benchmark):
            more = {"benchmark": benchmark, "rule_set": RULE_SET, **shared}
            check(tally, name, case, run, SCORED[benchmark], ("label", "avoidance"), more=more)
