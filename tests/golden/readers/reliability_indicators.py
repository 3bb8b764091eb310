"""The golden files of the indicators: bins, prompting stability, generality, and labels from end to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.studies.reliability.tools.indicators import ANALYSES
from readers.case import Tally, check, load, tolerance

STABILITY = ("s_pos", "s_neg", "stability", "scaled", "degenerate", "mean", "between_instance_variance")
GENERALITY = ("area", "capability", "expected_difficulty", "spread", "generality", "indicator")
INDICATORS = (
    "counts", "bin_of_item", "bin_mean_difficulty", "bin_rate", "psi_correctness", "psi_prudence", "indicators",
    "spearman_difficulty_vs_rate", "ultracrepidarianism",
)  # fmt: skip
DISCOUNTED = {"expected_plain": {}, "expected_with_science_discount": {"science": True}}


def equal_size_bins(path: Path, tally: Tally) -> None:
    inputs, outputs = ("ids", "difficulty", "n_bins"), ("bin_of_item", "bin_sizes", "bin_mean_difficulty")
    _read(path, tally, "reliability.bins", inputs, outputs)


def prompting_stability(path: Path, tally: Tally) -> None:
    _read(path, tally, "reliability.stability", ("positives_per_instance", "prompts_per_instance"), STABILITY)


def generality(path: Path, tally: Tally) -> None:
    _read(path, tally, "reliability.generality", ("h", "psi", "kmin"), GENERALITY)


def indicators(path: Path, tally: Tally) -> None:
    golden = load(path)
    run, within = ANALYSES["reliability.indicators"].run, tolerance(golden)
    inputs = ("ids", "difficulty", "labels", "n_bins")
    for name, case in _cases(golden):
        for expected, more in DISCOUNTED.items():
            flat = _flat(case, inputs, expected)
            check(tally, f"{name} {expected}", flat, run, inputs, INDICATORS, within=within, more=more)


def _read(path: Path, tally: Tally, tool: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    golden = load(path)
    run, within = ANALYSES[tool].run, tolerance(golden)
    for name, case in _cases(golden):
        check(tally, name, _flat(case, inputs, "expected"), run, inputs, outputs, within=within)


def _flat(case: Any, inputs: tuple[str, ...], expected: str) -> Any:
    """Lay what is expected beside what is given; a case that is written flat already stays as it is."""
    if not isinstance(case, dict) or not isinstance(case.get(expected), Mapping):
        return case
    return {**{name: case[name] for name in inputs if name in case}, **case[expected]}


def _cases(golden: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the cases of a file, or the file itself where it is one case."""
    if "cases" not in golden:
        yield "the file", golden
        return
    if not isinstance(golden["cases"], list) or not golden["cases"]:
        raise ValueError("`cases` holds no cases")
    for number, case in enumerate(golden["cases"]):
        yield f"cases[{number}]", case


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "equal_size_bins.json": equal_size_bins,
    "prompting_stability*.json": prompting_stability,
    "generality*.json": generality,
    "indicators_*.json": indicators,
}
