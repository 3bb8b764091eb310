"""Intervals that hold: the short form of the bench's simulation, and what documents say of too few items."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from bench.reliability_intervals import (
    BENCHMARKS,
    MODELS,
    NAMES,
    answers,
    difficulties,
    page,
    resampled,
    truth,
    wilson_99,
)
from support_cases import each_of

from harness.kit.resample import LEVEL, multiplicities
from harness.studies.reliability.measures import coverage
from harness.studies.reliability.measures.estimates import AnalysisOptions, estimate
from harness.studies.reliability.measures.recentred import CURVED, recentred
from harness.studies.reliability.measures.replicate import SortedCounts, replicate
from harness.studies.reliability.measures.table import Table, TableItem
from harness.studies.reliability.terms import LABELS, SIX

pytestmark = pytest.mark.together  # one simulation serves most
ENDS = (1 - LEVEL) / 2, (1 + LEVEL) / 2
WORLD, DRAWS = "skewed", 150


def generator(seed):
    return np.random.Generator(np.random.PCG64(seed))


def table(difficulty, counts):
    """Make a label table of a world's models from counts [item, model, label]."""
    items = {f"{place:04}": TableItem("x", float(at), {}) for place, at in enumerate(difficulty)}
    labels = {
        f"m{model}": {
            name: "".join(label * int(n) for label, n in zip(LABELS, counts[place, model], strict=True))
            for place, name in enumerate(items)
        }
        for model in range(counts.shape[1])
    }
    return Table("x", "", 15, items, labels)


@pytest.fixture(scope="module")
def at_a_hundred():
    """Draw hundred items many times: the resampled values of each draw, recentred and as they come."""
    found = []
    for draw in range(DRAWS):
        source, weights = generator([5, draw]), multiplicities(draw % 5, 200, {"x": range(100)})
        points, moved = resampled(source, WORLD, 100, weights)
        source = generator([5, draw])
        at = difficulties(source, WORLD, 100)
        plain = replicate(SortedCounts(list(range(100)), at, answers(source, WORLD, at)), weights)
        found.append((points, moved, plain))
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if coverage.holds_from(coverage.kind_of(name)) <= 100])
def test_intervals_said_to_hold_at_a_hundred_items_do_so(at_a_hundred, name):
    for model, true in enumerate(truth(WORLD)[name]):
        ends = [np.quantile(moved[name][:, model], ENDS) for _, moved, _ in at_a_hundred]
        low, high = wilson_99(sum(low <= true <= high for low, high in ends), len(ends))
        assert low <= 0.98 and high >= 0.92


@pytest.mark.long
@pytest.mark.parametrize("name", ["correctness_concordance", "prudence_concordance"])
def test_a_mean_concordance_is_held_because_resamples_are_recentred(at_a_hundred, name):
    true = truth(WORLD)[name][1]
    held = []
    for place in (1, 2):
        over = [np.mean([each[place][name][:, 1] for each in five], axis=0) for five in batched(at_a_hundred)]
        ends = [np.quantile(values, ENDS) for values in over]
        held.append(sum(low <= true <= high for low, high in ends) / len(ends))
    assert held[0] >= 0.8 > 0.75 >= held[1]


def batched(draws):
    """Yield five draws in turn: a mean over five benchmarks is over them."""
    iterator = iter(draws)
    return iter(lambda: list(itertools.islice(iterator, BENCHMARKS)), [])


def test_no_interval_stands_at_a_correlation_over_bins_and_its_value_does():
    source = generator(1)
    at = difficulties(source, WORLD, 60)
    found = estimate(table(at, answers(source, WORLD, at)), AnalysisOptions(30, 50, 0, {}))
    told = found.statistic("m0", "spearman.bins.c")
    assert told["value"] == found.points["m0"]["spearman_difficulty_vs_rate"]["c"] < -0.5
    assert "moves with the number of items" in told["interval"]["missing"]
    low, high = found.statistic("m0", "spearman.items.c")["interval"]
    assert low < found.value("m0", "spearman.items.c") < high


def test_the_bench_measures_the_intervals_that_documents_hold():
    weights = multiplicities(3, 80, {"x/x": range(90)})
    points, moved = resampled(generator(8), WORLD, 90, weights)
    source = generator(8)
    at = difficulties(source, WORLD, 90)
    found = estimate(table(at, answers(source, WORLD, at)), AnalysisOptions(30, 80, 3, {}))
    for name in NAMES:
        for model in range(len(MODELS[WORLD])):
            told = found.statistic(f"m{model}", name)
            assert told["value"] == pytest.approx(points[name][model], abs=1e-9)
            assert told["interval"] == pytest.approx(np.quantile(moved[name][:, model], ENDS).tolist(), abs=1e-9)


def test_only_curved_values_move_by_twice_their_bias_within_bounds():
    again = {name: np.array([[70.0, np.nan, 99.0], [80.0, np.nan, 100.0]]) for name in (*SIX, "correct")}
    points = {name: np.array([74.0, 100.0, 100.0]) for name in again}
    moved = recentred(points, again)
    for name, values in again.items():
        shift = [-2.0, np.nan, 1.0] if name in CURVED else [0.0, 0.0, 0.0]
        assert np.allclose(moved[name], np.minimum(values + shift, 100), equal_nan=True)
    assert [name.partition("_")[2] for name in CURVED] == ["stability"] * 2 + ["concordance"] * 2
    lowest = recentred({name: np.array([59.0]) for name in SIX}, {name: np.array([[58.6], [64.0]]) for name in SIX})
    assert lowest["correctness_concordance"].min() == pytest.approx(100 / (1 + 0.5**0.5))


@each_of(
    ("name", "items", "at"),
    [
        ("correctness_concordance", 12, 30), ("prudence_concordance", 99, 30), ("correctness_concordance", 399, 200),
        ("correctness_concordance", 400, None), ("prudence_stability", 150, 100), ("prudence_stability", 200, None),
        ("correct", 99, 30), ("correctness_proportion", 100, None), ("spearman.items.c", 30, None),
    ],
)  # fmt: skip
def test_too_few_items_are_said_with_what_was_measured(name, items, at):
    told = coverage.note(name, items)
    assert (told == {}) == (at is None)
    if at:
        kind = coverage.kind_of(name)
        assert told["coverage"]["at_items"] == at and told["coverage"]["nominal"] == LEVEL
        assert told["coverage"]["simulated"] == list(coverage.MEASURED[kind][at])
        assert told["coverage"]["holds_from"] == coverage.holds_from(kind) > items


def test_concordance_is_said_to_hold_from_four_hundred_items_on():
    told = coverage.table()
    assert told["concordance"]["holds_from"] == 400
    assert all(0 < low <= high <= 1 for each in told.values() for low, high in each["held"].values())


def test_the_document_has_the_table_that_was_measured():
    root = Path(__file__).parents[4]
    assert page() in (root / "docs" / "reliability.md").read_text(encoding="utf-8")
