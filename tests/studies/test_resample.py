"""Resamples of instances: strata keep their sizes, and whoever asks for the same instances gets the same draws."""

import numpy as np
import pytest

from harness import stats
from harness.errors import InputError
from harness.kit.resample import multiplicities


def test_every_stratum_keeps_its_size_in_every_resample():
    strata = {"obqa": [0, 2, 4, 6, 8], "gpqa": [1, 3, 5], "one": [7]}
    drawn = multiplicities(1, 50, strata)
    assert drawn.shape == (50, 9)
    for places in strata.values():
        assert set(drawn[:, places].sum(axis=1)) == {len(places)}
    assert set(drawn[:, 7]) == {1}
    assert len(np.unique(drawn, axis=0)) > 40


def test_the_same_instances_get_the_same_resamples_beside_any_others(monkeypatch):
    alone = multiplicities(4, 450, {"science/gpqa": [0, 1, 2]})
    monkeypatch.setattr(stats, "AT_ONCE", 7)
    beside = multiplicities(4, 450, {"science/obqa": [0, 3], "science/gpqa": [1, 2, 4]})
    assert (beside[:, [1, 2, 4]] == alone).all()
    assert (multiplicities(5, 450, {"science/gpqa": [0, 1, 2]}) != alone).any()
    assert (multiplicities(4, 450, {"science/other": [0, 1, 2]}) != alone).any()


def test_an_instance_is_drawn_once_on_average_and_left_out_by_chance():
    drawn = multiplicities(2, 2000, {"all": range(50)})
    assert drawn.mean(axis=0) == pytest.approx(1, abs=0.12)
    assert (drawn == 0).mean() == pytest.approx((1 - 1 / 50) ** 50, abs=0.01)


def test_no_resamples_are_refused():
    with pytest.raises(InputError):
        multiplicities(0, 0, {"all": [0]})
