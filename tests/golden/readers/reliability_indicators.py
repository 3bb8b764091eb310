"""The golden files of the indicators: bins, prompting stability, generality, and labels from end to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.studies.reliability.tools.indicators import ANALYSES
from readers.case import Tally, cases_or_one, check, laid_out, load, tolerance

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
    for name, case in cases_or_one(golden):
        for expected, more in DISCOUNTED.items():
            flat = laid_out(case, inputs, expected)
            check(tally, f"{name} {expected}", flat, run, inputs, INDICATORS, within=within, more=more)


def _read(path: Path, tally: Tally, tool: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
    golden = load(path)
    run, within = ANALYSES[tool].run, tolerance(golden)
    for name, case in cases_or_one(golden):
        check(tally, name, laid_out(case, inputs), run, inputs, outputs, within=within)


FINISHED: dict[str, Callable[[Path, Tally], None]] = {
    "equal_size_bins.json": equal_size_bins,
    "prompting_stability*.json": prompting_stability,
    "generality*.json": generality,
    "indicators_*.json": indicators,
}
