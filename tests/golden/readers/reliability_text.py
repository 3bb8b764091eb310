"""The golden files of anagrams and text tasks: how each is read, and the fields their scored cases give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.studies.reliability.tools.text import ANALYSES
from readers.case import Tally, check, load, tolerance

SCORED = {
    "anagram": ("anagram", "accepted", "response"),
    "transforms": ("input", "expected_output", "answer_shape", "response"),
}


def anagram_validity(path: Path, tally: Tally) -> None:
    _cases(path, tally, "anagram_validity", ("word", "anagram"), ("f_let", "valid"))


def transforms_difficulty(path: Path, tally: Tally) -> None:
    outputs = ("words_in", "words_out", "levenshtein", "f_wl")
    _cases(path, tally, "transforms_difficulty", ("input", "output"), outputs)


def _cases(path: Path, tally: Tally, name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    golden = load(path)
    cases = golden.get("cases")
    if not isinstance(cases, list) or not cases:
        raise ValueError("`cases` holds no cases")
    run, within = ANALYSES[f"reliability.{name}"].run, tolerance(golden)
    for number, case in enumerate(cases):
        check(tally, f"cases[{number}]", case, run, inputs, outputs, within=within)


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "anagram_validity.json": anagram_validity,
    "transforms_difficulty.json": transforms_difficulty,
}
