"""The arrays that repeat every measure on many resamples, held against the plain definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.kit.resample import multiplicities
from harness.studies.reliability.measures import replicate as replicating
from harness.studies.reliability.measures.bins import cut
from harness.studies.reliability.measures.defined import defined
from harness.studies.reliability.measures.replicate import replicate, sorted_counts
from harness.studies.reliability.measures.values import measures

TRIPLES = st.tuples(*[st.integers(0, 3)] * 3)  # correct, avoidant, incorrect; none at all is an error of every prompt


@st.composite
def benchmarks(draw, sizes=(1, 45)):
    """Some instances, many of one difficulty, as several models label them; ids against the order of difficulty."""
    size, models = draw(st.integers(*sizes)), draw(st.integers(1, 3))
    difficulties = draw(
        st.lists(st.sampled_from([0.0, 5.0, 12.5, 33.0, 33.3, 60.0, 99.0, 100.0]), min_size=size, max_size=size)
    )
    labels = st.lists(TRIPLES, min_size=size, max_size=size)
    return [f"i{size - n:03}" for n in range(size)], difficulties, [draw(labels) for _ in range(models)]


def plainly(ids, difficulties, counts, times, bins, discount):
    """Work the measures out on the resampled instances themselves, each as often as it was drawn."""
    chosen = [place for place, often in enumerate(times) for _ in range(often)]
    names = [f"{ids[place]}#{number:03}" for number, place in enumerate(chosen)]
    at = [difficulties[place] for place in chosen]
    return resampled(measures(cut(names, at, bins), at, [counts[place] for place in chosen], discount))


def resampled(found):
    """Give the values that are resampled: all but the correlation over bins, of which there is no interval."""
    return {name: value for name, value in defined(found).items() if not name.startswith("spearman.bins")}


def same(found, expected, model, row=0):
    for name, value in expected.items():
        repeated = found[name][row, model]
        if value is None:
            assert np.isnan(repeated), name
        else:
            assert repeated == pytest.approx(value, rel=1e-12, abs=1e-12), name


@given(benchmarks(), st.integers(1, 32), st.sampled_from([0.0, 0.25]))
@pytest.mark.long
def test_each_instance_once_gives_what_the_plain_definition_gives(benchmark, bins, discount):
    ids, difficulties, counts = benchmark
    found = replicate(sorted_counts(ids, difficulties, counts), np.ones((1, len(ids)), np.int32), bins, discount)
    for model, each in enumerate(counts):
        expected = resampled(measures(cut(ids, difficulties, bins), difficulties, each, discount))
        assert found.keys() == expected.keys()
        same(found, expected, model)


@given(benchmarks(), st.integers(1, 32), st.sampled_from([0.0, 0.25]), st.integers(0, 9))
@pytest.mark.long
def test_a_resample_gives_what_the_plain_definition_gives_on_its_instances(benchmark, bins, discount, seed):
    ids, difficulties, counts = benchmark
    drawn = multiplicities(seed, 3, {"all": range(len(ids))})
    found = replicate(sorted_counts(ids, difficulties, counts), drawn, bins, discount)
    for model, each in enumerate(counts):
        for row, times in enumerate(drawn):
            same(found, plainly(ids, difficulties, each, times, bins, discount), model, row)


@pytest.mark.long
def test_a_large_benchmark_in_portions_agrees_with_the_plain_definition(monkeypatch):
    monkeypatch.setattr(replicating, "CELLS", 20_000)
    source = np.random.Generator(np.random.PCG64(3))
    size = 6000  # beyond what single precision ranks exactly
    ids, difficulties = [f"{n:05}" for n in range(size)], [float(d) for d in source.integers(0, 400, size) / 4]
    counts = source.multinomial(15, [0.5, 0.2, 0.3], size).tolist()
    drawn = multiplicities(0, 5, {"all": range(size)})
    found = replicate(sorted_counts(ids, difficulties, [counts]), drawn)
    for row, times in enumerate(drawn):
        same(found, plainly(ids, difficulties, counts, times, 30, 0.0), 0, row)
