"""A sentence's length can be read off summed states because a GELU has a mean, and not where that mean is missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from harness.errors import InputError
from harness.studies.brain.nulls import gelu_mean, length_check, length_models
from harness.studies.brain.nulls.length_models import LengthDesign


def test_the_expected_share_is_that_of_sums_of_independent_tokens() -> None:
    moments, lengths = gelu_mean.Moments(0.2, 0.15), [5, 12, 19] * 40
    source = np.random.default_rng(2)
    sums = np.stack([source.normal(0.2, math.sqrt(0.15), (length, 3000)).sum(axis=0) for length in lengths])
    along = (sums.sum(axis=1) ** 2 / 3000).sum() / (sums**2).sum()  # along the vector of ones
    assert gelu_mean.expected_share(moments, lengths) == pytest.approx(along, abs=0.005)
    assert gelu_mean.share_along_mean(sums) == pytest.approx(along, abs=0.01)


def test_vectors_that_have_no_common_direction_have_no_share() -> None:
    sums = np.random.default_rng(5).normal(size=(400, 50))
    assert gelu_mean.share_along_mean(sums) < 0.04
    assert gelu_mean.share_along_mean(np.outer([1, 2, 3, 1, 2, 3], np.ones(4))) == pytest.approx(1)


def test_lengths_are_decoded_as_well_as_the_noise_allows() -> None:
    design = LengthDesign(sentences=2000)
    sentences = length_models.random_sentences(design, 0)
    lengths = np.array([len(sentence) for sentence in sentences], float)
    noise = np.random.default_rng(1).normal(size=(2000, 3)) * [2, 1, 1]
    states = np.column_stack([lengths + noise[:, 0], noise[:, 1:], np.full(2000, 7.0)])  # the last one is constant
    (r2, shuffled), ties = length_check.decoded(states, sentences, 0)
    assert r2 == pytest.approx(lengths.var() / (lengths.var() + 4), abs=0.02) and abs(shuffled) < 0.02
    assert ties == 0
    assert length_check.decoded(np.full((2000, 2), 3.0), sentences, 0).r2 == pytest.approx([0, 0], abs=0.01)


BAD: list[dict[str, Any]] = [
    {"seeds": []}, {"seeds": [1, 1]}, {"seeds": ["0"]}, {"seeds": [True]}, {"sentences": 49}, {"sentences": "240"},
    {"layers": 0}, {"width": 30}, {"width": 4}, {"vocabulary": 401}, {"shortest": 19}, {"longest": 0}, {"layers": True},
]  # fmt: skip


@pytest.mark.parametrize("params", BAD)
def test_sizes_that_make_no_check_are_named(tmp_path, params: dict[str, Any]) -> None:
    with pytest.raises(InputError) as bad:
        length_check.check(params, {}, tmp_path)
    assert bad.value.where in {*params, "longest"} and not (tmp_path / "length_check").exists()
