"""The golden files of the reliability study: which are finished, and how each is read."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

from harness.studies.reliability.tools.catalogue import ANALYSES, SCORERS
from readers import reliability_choice, reliability_indicators, reliability_people, reliability_text
from readers.case import Tally, check, load, tolerance

# The fields that the cases of each benchmark give.
SCORED = {"addition": ("a", "b", "response"), **reliability_text.SCORED, **reliability_choice.SCORED}


def addition_difficulty(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.addition_difficulty"].run, tolerance(golden)
    outputs = ("sum", "digits_a", "digits_b", "f_cry", "f_hrm", "keep")
    for number, case in enumerate(_cases(golden, "cases")):
        check(tally, f"cases[{number}]", case, run, ("a", "b"), outputs, within=within)


def equal_size_bins(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.equal_size_bins"].run, tolerance(golden)
    cases = _cases(golden, "cases") if "cases" in golden else [golden]
    outputs = ("bin_of_item", "bin_sizes", "bin_mean_difficulty")
    for number, case in enumerate(cases):
        check(tally, f"cases[{number}]", case, run, ("ids", "difficulty", "n_bins"), outputs, within=within)


def scoring_cases(path: Path, tally: Tally) -> None:
    golden = load(path)
    run = SCORERS["reliability.outcome"].run
    if not SCORED.keys() & golden.keys():
        raise ValueError(f"no cases of any of {', '.join(SCORED)}")
    for benchmark, inputs in SCORED.items():
        shared = {
            field: golden[name]
            for field, name in reliability_choice.SHARED.get(benchmark, {}).items()
            if name in golden
        }
        for number, case in enumerate(_cases(golden, benchmark) if benchmark in golden else ()):
            more = {"benchmark": benchmark, **shared}
            check(tally, f"{benchmark}[{number}]", case, run, inputs, ("label", "avoidance"), more=more)


def _cases(golden: dict[str, object], name: str) -> list[object]:
    cases = golden.get(name)
    if not isinstance(cases, list) or not cases:
        raise ValueError(f"`{name}` holds no cases")
    return cases


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "addition_difficulty.json": addition_difficulty,
    "equal_size_bins.json": equal_size_bins,
    "scoring_cases*.json": scoring_cases,
    **reliability_text.FINISHED,
    **reliability_choice.FINISHED,
    **reliability_indicators.FINISHED,
    **reliability_people.FINISHED,
}


def reader(name: str) -> Callable[[Path, Tally], None] | None:
    """Give the finished reader of a file of this study, if there is one."""
    return next((read for pattern, read in FINISHED.items() if fnmatch(name, pattern)), None)
