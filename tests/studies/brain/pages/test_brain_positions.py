"""The figure of position: the matrices that go into fits, at the width that the run chose, or at the paper's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from studies.brain.pages import sample_run as run

from harness.kit import charts
from harness.studies.brain.pages.figures_positions import positions
from harness.studies.brain.pages.figures_rows import NOTHING
from harness.studies.brain.pages.run_basis import BrainRun

pytestmark = pytest.mark.together  # they load matplotlib


def drawn(layout, given=None):
    facts = {run.DEFAULT: {"world": "", "layout": layout}}
    with charts.drawing():
        return positions(BrainRun.of(run.params(datasets=facts), given or {}))


def titles(sheet):
    return [" ".join(text.get_text().split()) for text in sheet.figure.texts]


def numbers(axes, columns):
    return np.array([float(text.get_text()) for text in axes.texts]).reshape(-1, columns)


def test_word_positions_are_smoothed_and_end_with_the_position():
    sheet = drawn("fedorenko")
    shown = numbers(sheet.figure.axes[0], 9)
    np.testing.assert_allclose(shown[:, :8], scipy.ndimage.gaussian_filter1d(np.eye(8), 1, axis=1), atol=0.0051)
    np.testing.assert_array_equal(shown[:, 8], range(8))


@pytest.mark.parametrize(("layout", "sigma", "size"), [("pereira", 2.2, 4), ("fedorenko", 1.8, 8)])
def test_time_stands_at_the_papers_width_where_none_was_chosen(layout, sigma, size):
    sheet = drawn(layout)
    assert f"OASM@{sigma}, the paper's width" in titles(sheet)
    np.testing.assert_allclose(
        numbers(sheet.figure.axes[-1], size), scipy.ndimage.gaussian_filter1d(np.eye(size), sigma, axis=1), atol=0.0051
    )


def test_time_stands_at_the_width_that_the_run_chose():
    assert "OASM@3.4, chosen on test data in drift" in titles(drawn("pereira", run.documents()))


def test_of_a_story_the_first_scans_are_drawn_of_all():
    sheet = drawn("blank")
    assert "the first 20 of the 143 scans of a story" in titles(sheet)
    [axes] = sheet.figure.axes
    assert len(axes.collections[0].get_paths()) == 400
    whole = scipy.ndimage.gaussian_filter1d(np.eye(143), 1.5, axis=1)[:20, :20]
    colours = axes.collections[0].get_facecolor()[:, 0].reshape(20, 20)
    assert (colours[whole > 0.3].max() < colours[whole < 0.1].min()) and "OASM@1.5, the paper's width" in titles(sheet)


@pytest.mark.parametrize("layout", ["", "other", run.HOSTILE])
def test_an_unknown_layout_has_nothing_to_draw(layout):
    assert NOTHING in titles(drawn(layout))
