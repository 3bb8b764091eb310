"""The golden files of raw difficulty: additions, anagrams and text tasks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.studies.reliability.tools.raw_difficulty import ANALYSES
from readers.case import Tally, cases, check, load, tolerance


def derived(inputs: tuple[str, ...], outputs: tuple[str, ...], path: Path, tally: Tally) -> None:
    """Read a file whose cases an analysis of the file's own name derives."""
    golden = load(path)
    run, within = ANALYSES[f"reliability.{path.stem}"].run, tolerance(golden)
    for name, case in cases(golden):
        check(tally, name, case, run, inputs, outputs, within=within)


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "addition_difficulty.json": partial(derived, ("a", "b"), ("sum", "digits_a", "digits_b", "f_cry", "f_hrm", "keep")),
    "anagram_validity.json": partial(derived, ("word", "anagram"), ("f_let", "valid")),
    "transforms_difficulty.json": partial(
        derived, ("input", "output"), ("words_in", "words_out", "levenshtein", "f_wl")
    ),
}
