"""Maps of units and glass brains: every unit in its own place, by its own score, in files without images."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from studies.brain.pages import sample_run as run
from support_reliability_documents import words as words_of

from harness import arrays, rows
from harness.kit import charts
from harness.studies.brain.pages import figures_maps, figures_units, outputs
from harness.studies.brain.pages.figures import DRAWN_OF_UNITS
from harness.studies.brain.pages.figures_brains import brains, projected
from harness.studies.brain.pages.figures_cells import shaded
from harness.studies.brain.pages.figures_maps import mapped, maps
from harness.studies.brain.pages.figures_rows import NOTHING
from harness.studies.brain.pages.pixels import as_paths
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.unit_scores import measured

pytestmark = pytest.mark.together  # they load matplotlib
UNITS = 40
DARK = [0, 60, 110]


def basis(groups=run.GROUPS, **asked):
    return BrainRun.of(run.params(groups=groups, **asked), {})


def scored(folder, r2, units=UNITS):
    """Write fits in which each model has these scores, [model, unit], with the units of the sample."""
    inputs = run.measured(folder, units)
    for at in range(len(run.GROUPS)):
        made = {f"{model}.mse": np.tile(1 - r2.get(model, np.full(units, -0.5)), (3, 1)) for model in run.MODELS}
        made |= {"intercept.mse": np.ones((3, units)), "fold_rows": np.array([4, 4, 8])}
        arrays.write_all(inputs["fits"] / rows.part_name(at), made)
    return inputs


def images(sheet):
    return [axes.images[0].get_array() for axes in sheet.figure.axes if axes.images]


def words(sheet):
    return [" ".join(text.get_text().split()) for text in sheet.figure.texts]


def test_the_map_is_of_the_best_trained_model_and_what_it_adds(tmp_path):
    llm, base, joint = (np.linspace(low, low + 0.2, UNITS) for low in (0.1, 0.05, 0.12))
    inputs = scored(tmp_path, {"LLM": llm, "SP+SL": base, "SP+SL+LLM": joint, "LLMU": llm + 0.3})
    run_ = basis()
    one = mapped(run_, measured(run_, inputs))[0]
    assert [each.title.split(",")[0] for each in one.maps] == ["LLM", "SP+SL+LLM less SP+SL"]
    np.testing.assert_allclose(one.maps[0].values, llm)
    np.testing.assert_allclose(one.maps[1].values, joint - base)


def test_the_chosen_layer_stands_for_the_best_that_is_not_fitted_alone(tmp_path):
    models = ["SP+SL", "SP+SL+minilm@best", "minilm@3", "minilm@6"]
    inputs = scored(tmp_path, {"SP+SL": np.full(UNITS, 0.05)})
    groups = [{**group, "models": models} for group in run.GROUPS]
    for at in range(len(groups)):
        path = inputs["fits"] / rows.part_name(at)
        level = {"SP+SL+minilm@best": 0.3, "minilm@3": 0.2, "minilm@6": 0.1}
        more = {f"{model}.mse": np.full((3, UNITS), 1 - r2) for model, r2 in level.items()}
        arrays.write_all(path, arrays.read_all(path) | more)
    run_ = BrainRun.of(run.params(groups=groups), run.documents())  # whose choice is layer 6
    one = mapped(run_, measured(run_, inputs))[0]
    assert one.maps[0].title == "minilm@6, language mean 0.100"
    np.testing.assert_allclose(one.maps[0].values, 0.1)
    np.testing.assert_allclose(one.maps[1].values, 0.25)


def test_a_unit_of_two_experiments_has_the_mean_and_of_one_its_own(tmp_path):
    inputs = run.measured(tmp_path, UNITS)
    groups = [{**run.GROUPS[0], "experiment": name} for name in ("243", "384")]
    for at, level in enumerate((0.2, 0.4)):
        did = np.arange(UNITS) >= 10 * at  # the first ten did the first experiment alone
        made = {f"{model}.mse": np.where(did, 1 - level, np.nan) * np.ones((3, 1)) for model in run.MODELS}
        made |= {"intercept.mse": np.where(did, 1.0, np.nan) * np.ones((3, 1)), "fold_rows": np.array([4, 4, 8])}
        arrays.write_all(inputs["fits"] / rows.part_name(at), made)
    for at in (2, 3):
        (inputs["fits"] / rows.part_name(at)).unlink()
    (inputs["units"] / rows.part_name(1)).unlink()
    run_ = basis(groups)
    [one] = mapped(run_, measured(run_, inputs))
    np.testing.assert_allclose(one.maps[0].values, [0.2] * 10 + [0.3] * 30)


def test_units_stand_by_participant_and_network_in_their_order(tmp_path):
    values = np.linspace(0.01, 0.4, UNITS)
    inputs = scored(tmp_path, {"LLM": values, "SP+SL": values, "SP+SL+LLM": values})
    run_ = basis()
    with charts.drawing():
        sheet = maps(run_, measured(run_, inputs))
    who = list(rows.read(inputs["units"] / rows.part_name(0)))
    wanted = []
    for person in run.PEOPLE:
        for network in ("language", "DMN", "MD"):
            strip = [
                values[at] for at, unit in enumerate(who) if (unit["participant"], unit["network"]) == (person, network)
            ]
            wanted.append([*strip, *[np.nan] * (4 - len(strip))])
        wanted.append([np.nan] * 4)
    low, high = np.percentile(values, [1, 99])
    np.testing.assert_array_equal(images(sheet)[0], shaded(np.array(wanted[:-1]), min(low, 0), high))
    assert "p1, language" in words(sheet) and any("Simulated recordings (OURS)." in text for text in words(sheet))


def test_too_many_units_share_squares_and_the_figure_says_so(tmp_path, monkeypatch):
    values = np.linspace(0.0, 0.4, UNITS)
    inputs = scored(tmp_path, {"LLM": values, "SP+SL": values, "SP+SL+LLM": values})
    monkeypatch.setattr(figures_maps, "MOST", 40)  # for two data sets
    run_ = basis()
    with charts.drawing():
        sheet = maps(run_, measured(run_, inputs))
    assert images(sheet)[0].shape == (15, 2, 3)
    assert any(text.startswith("A square is the mean of up to 2 units") for text in words(sheet))


def test_shades_part_the_signs_and_leave_white_what_has_no_value():
    found = shaded(np.array([np.nan, 0.0, 0.4, 9.0, -0.2, -np.inf]), -0.2, 0.4).tolist()
    assert found[0] == found[5] == [255, 255, 255] and found[2] == found[3] == DARK
    assert found[4] == [150, 62, 0] and found[1] not in (found[0], found[2], found[4])


def test_a_projection_has_the_highest_unit_along_its_axis():
    source = np.random.Generator(np.random.PCG64(2))
    places = source.integers(0, [80, 96, 70], (300, 3))
    values = np.where(np.arange(300) % 9 == 0, np.nan, source.normal(size=300))
    for axis in range(3):
        found = projected(places, values, axis, 1)
        across, up = (each for each in range(3) if each != axis)
        wanted = np.full((np.array([80, 96, 70])[up], np.array([80, 96, 70])[across]), np.nan)
        for place, value in zip(places, values, strict=True):
            at = (len(wanted) - 1 - place[up], place[across])
            wanted[at] = np.fmax(wanted[at], value)
        np.testing.assert_array_equal(found, wanted)


def test_two_data_sets_share_the_file_by_squares_of_four_voxels():
    places = np.array([[4, 6, 8], [5, 7, 9], [6, 6, 8]])
    found = projected(places, np.array([0.1, 0.4, 0.2]), 1, 2)
    assert found.shape == (35, 40) and found[34 - 4, 2] == 0.4 and found[34 - 4, 3] == 0.2
    assert np.isfinite(found).sum() == 2


@pytest.mark.parametrize("place", [None, [1, 2], [1, 2, 70], [-1, 2, 3], "123", [1.5, 2, 3]])
def test_units_without_a_place_in_the_grid_have_no_glass_brain(tmp_path, place):
    inputs = scored(tmp_path, {"LLM": np.full(UNITS, 0.1)})
    for at in range(2):
        path = inputs["units"] / rows.part_name(at)
        rows.write(path, [{**unit, "place": place} if unit["id"] == "u7" else unit for unit in rows.read(path)])
    run_ = basis()
    with charts.drawing():
        assert NOTHING in words(brains(run_, measured(run_, inputs)))


def test_without_units_or_fits_nothing_is_drawn(tmp_path):
    inputs, run_ = run.measured(tmp_path), basis()
    for name in inputs:
        with charts.drawing():
            for stem in (outputs.MAPS, outputs.BRAINS, outputs.UNITS, outputs.ADDED):
                assert NOTHING in words(DRAWN_OF_UNITS[stem](run_, measured(run_, {name: inputs[name]})))


def svg_of(pixels, size=(3.0, 2.0)):
    with charts.drawing():
        sheet = charts.sheet(*size)
        figures_maps.picture(sheet.panel(0.5, 0.25, 2.0, 1.5), pixels)
        file = io.BytesIO()
        sheet.figure.savefig(file, format="svg")
    return file.getvalue().decode()


def test_an_image_becomes_one_path_a_colour_over_the_same_pixels():
    pixels = np.random.Generator(np.random.PCG64(3)).choice([0, 128, 255], (7, 9, 1)).repeat(3, axis=2).astype(np.uint8)
    found = as_paths(svg_of(pixels))
    assert "<image" in svg_of(pixels) and "<image" not in found
    again = np.full((7, 9), 255)
    for path, colour in re.findall(r'<path d="([^"]*)" stroke="#(\w{2})\w{4}"', found):
        for start, row, length in re.findall(r"M(\d+) (\d+)h(\d+)", path):
            again[int(row), int(start) : int(start) + int(length)] = int(colour, 16)
    np.testing.assert_array_equal(again, pixels[..., 0])
    assert "#ffffff" not in re.findall(r'<path d="M[^"]*" stroke="([^"]*)"', found)


def test_paths_stand_where_the_image_stood():
    found = as_paths(svg_of(np.zeros((4, 8, 3), np.uint8)))
    [moved] = re.findall(r'<g transform="([^"]*)">', found)
    matrix = np.eye(3)
    for name, inside in re.findall(r"(\w+)\(([^)]*)\)", moved):
        own, given = np.eye(3), [float(each) for each in re.split(r"[ ,]+", inside)]
        if name == "matrix":
            own[:2] = np.array(given).reshape(3, 2).T
        elif name == "translate":
            own[:2, 2] = given
        else:
            own[0, 0], own[1, 1] = given
        matrix = matrix @ own
    corners = matrix @ np.array([[0, 8], [-0.5, 3.5], [1, 1]])  # the upper edge of the first row, the lower of the last
    np.testing.assert_allclose(sorted(corners[0]), [36, 180], atol=1)  # half an inch from the left, two inches wide
    np.testing.assert_allclose(sorted(corners[1]), [18, 126], atol=1)


@pytest.mark.parametrize("image", ['<image xlink:href="https://x/y.png"/>', '<image xlink:href="data:text/html,x"/>'])
def test_an_image_that_is_no_png_of_its_own_stays_as_it_is(image):
    assert as_paths(f"<svg>{image}</svg>") == f"<svg>{image}</svg>"


@pytest.mark.long
def test_thirteen_thousand_voxels_stay_small_and_without_images(tmp_path, monkeypatch):
    monkeypatch.setattr(figures_units, "pearson", lambda one, other: 0.5)  # slow
    source = np.random.Generator(np.random.PCG64(4))
    units = 13_553
    inputs = scored(tmp_path, {name: source.normal(0.05, 0.1, units) for name in ("LLM", "SP+SL", "SP+SL+LLM")}, units)
    for path in (inputs["units"] / rows.part_name(at) for at in range(2)):
        placed = source.integers(0, [79, 95, 69], (units, 3)).tolist()
        rows.write(path, [{**unit, "place": place} for unit, place in zip(rows.read(path), placed, strict=True)])
    out = run.drawn(tmp_path, {}, inputs, groups=run.GROUPS)
    for stem in DRAWN_OF_UNITS:
        drawn = (out / f"{stem}.svg").read_bytes()
        assert len(drawn) < 400_000 and NOTHING not in words_of(drawn)
