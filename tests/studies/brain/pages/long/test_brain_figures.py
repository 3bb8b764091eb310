"""The figures of a run: each shows the values of its documents as they are, and says what it cannot show."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from studies.brain.pages import sample_run as run
from support_reliability_documents import words as words_of

from harness import arrays, rows
from harness.errors import InputError
from harness.kit import charts
from harness.studies.brain.pages import outputs
from harness.studies.brain.pages.figures import DRAWN, DRAWN_OF_UNITS
from harness.studies.brain.pages.figures_rows import BLUE, NOTHING, ORANGE
from harness.studies.brain.pages.figures_units import UnitPair, _panel
from harness.studies.brain.pages.joint_models import joint_models
from harness.studies.brain.pages.pixels import as_paths
from harness.studies.brain.pages.run_basis import BrainRun
from harness.studies.brain.pages.unit_scores import measured

pytestmark = pytest.mark.together  # they load matplotlib


def sheet(stem, given=None, **asked):
    with charts.drawing():
        return DRAWN[stem](BrainRun.of(run.params(**asked), run.documents() if given is None else given))


def words(drawn) -> list[str]:
    found = list(drawn.figure.texts) + [text for axes in drawn.figure.axes for text in axes.texts]
    return [" ".join(text.get_text().split()) for text in found]


def bars(axes, colour) -> list[float]:
    from matplotlib.colors import to_hex

    return [patch.get_width() for patch in axes.patches if to_hex(patch.get_facecolor()) == colour]


def lines(axes, marker) -> list[list[float]]:
    return [list(line.get_xdata()) for line in axes.lines if line.get_marker() == marker]


@pytest.fixture(scope="module")
def drawn_run(tmp_path_factory):
    """Give the folder of all figures of the run."""
    folder = tmp_path_factory.mktemp("run")
    return run.drawn(folder, run.documents(), run.measured(folder / "made"), groups=run.GROUPS)


def test_every_promised_figure_is_written_as_svg_and_png(drawn_run):
    assert {path.name for path in drawn_run.iterdir()} == set(outputs.figures())
    for stem in outputs.stems():
        shown = words_of((drawn_run / f"{stem}.svg").read_bytes())
        assert outputs.TITLES[stem] in shown and NOTHING not in shown


def test_a_figure_has_the_same_bytes_each_time(drawn_run, tmp_path):
    basis = BrainRun.of(run.params(groups=run.GROUPS), run.documents())
    found = measured(basis, run.measured(tmp_path / "made"))
    again = {stem: partial(DRAWN[stem], basis) for stem in (outputs.WORLDS,)}
    again |= {stem: partial(DRAWN_OF_UNITS[stem], basis, found) for stem in (outputs.UNITS, outputs.MAPS)}
    (tmp_path / "again").mkdir()
    charts.draw(again, tmp_path / "again", outputs.title)
    for path in (tmp_path / "again").iterdir():
        made = path.read_bytes()
        made = as_paths(made.decode()).encode() if path.suffix == ".svg" else made
        assert made == (drawn_run / path.name).read_bytes()


def test_without_documents_every_figure_says_that_there_is_nothing(tmp_path):
    out = run.drawn(tmp_path, {})
    for stem in [stem for stem in outputs.stems() if stem != outputs.POSITIONS]:  # that one needs a layout alone
        assert NOTHING in words_of((out / f"{stem}.svg").read_bytes())


def test_both_worlds_stand_side_by_side_on_one_axis():
    first, second = sheet(outputs.WORLDS).figure.axes
    assert first.get_xlim() == second.get_xlim() and first.get_position().y0 == second.get_position().y0


def test_bars_of_both_splits_are_the_published_choices():
    drawn = sheet(outputs.WORLDS)
    for axes, name in zip(drawn.figure.axes, run.WORLDS, strict=True):
        for split, colour in (("shuffled", ORANGE), ("contiguous", BLUE)):
            oasm, llm = run.LEVEL[name][split], run.LLM[name][split]
            assert bars(axes, colour) == pytest.approx([oasm, llm, llm * 0.9])


def test_participants_are_dots_and_the_nested_choice_a_diamond():
    axes = sheet(outputs.WORLDS).figure.axes[0]
    people = list(run.spread(run.LEVEL[run.DEFAULT]["shuffled"]).values())
    assert any(line == pytest.approx(people) for line in lines(axes, "o"))
    assert [run.LEVEL[run.DEFAULT]["shuffled"] * 0.8] in [pytest.approx(line) for line in lines(axes, "D")]


def test_the_figure_of_worlds_says_that_it_is_no_proof():
    assert any("Sufficient, not proof about real data" in text for text in words(sheet(outputs.WORLDS)))


def test_without_choices_the_best_member_stands_for_its_family():
    given = {"performance": run.performance()}
    axes = sheet(outputs.WORLDS, given).figure.axes[0]
    assert bars(axes, ORANGE)[0] == pytest.approx(run.LEVEL[run.DEFAULT]["shuffled"])


def test_layer_curves_leave_oasm_to_the_figure_of_widths():
    titles = [text for text in words(sheet(outputs.LAYERS)) if " in " in text]
    assert [text.split(" in ")[0] for text in titles] == ["minilm", "minilm"]
    assert any(text.startswith("OASM in drift") for text in words(sheet(outputs.SIGMAS)))


def test_a_curve_runs_over_layers_in_their_order():
    given = run.documents()
    curve = given["choices"][run.DEFAULT]["shuffled"]["minilm"]["curve"]
    wanted = {float(point["model"].partition("@")[2]): point["r2"] for point in curve}
    curve.reverse()
    axes = sheet(outputs.LAYERS, given).figure.axes[0]
    thick = [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines if line.get_linewidth() == 1.8]
    assert ([0.0, 3.0, 6.0], [wanted[at] for at in (0, 3, 6)]) in thick


def test_starred_models_stand_below_all_subsets():
    drawn = sheet(outputs.SUBSETS)
    rows_ = [text for text in words(drawn) if text.startswith(("SP+SL", "LLM", "WORD", "OASM"))]
    assert rows_[-2:] == ["SP+SL*", "SP+SL+LLM*"] and "SP+SL+WORD+LLM" in rows_ and "minilm@3" not in rows_


def test_a_hundred_models_leave_room_for_starred_ones_and_are_counted():
    given = run.documents()
    own = given["performance"]["datasets"][run.DEFAULT]["splits"]["shuffled"]
    own |= {f"SP+A{at:03d}": run.scored(0.1) for at in range(100)}
    shown = words(sheet(outputs.SUBSETS, given))
    assert "SP+SL+LLM*" in shown and "SP+A001" in shown and "SP+A099" not in shown
    assert any(" 20 models more are in the tables." in text for text in shown)


def test_a_row_stands_only_beside_panels_that_have_its_value():
    given, names = run.documents(), [*run.WORLDS, "other", "last"]
    for name in names[2:]:
        given["performance"]["datasets"][name] = {"splits": {"shuffled": {"WP": run.scored(0.1)}}}
    facts = {name: {"world": "topic"} for name in names}
    first, _, third, _ = sheet(outputs.SUBSETS, given, datasets=facts).figure.axes
    assert len(bars(third, ORANGE)) == 1 and third.get_ylim() == (0.5, -0.5) and first.get_ylim()[0] == 9.5


def test_sizes_stand_by_level_beside_the_promised_five_percent():
    axes = sheet(outputs.SIZES).figure.axes[0]
    assert any(list(line.get_xdata()) == [0.05, 0.05] for line in axes.lines)
    assert [0.229] in [pytest.approx(line) for line in lines(axes, "o")]


@pytest.mark.parametrize("value", ["nan", "-inf", None, {"missing": "no fold"}])
def test_what_is_no_number_has_no_bar_and_a_dash(value):
    given = run.documents()
    given["performance"]["datasets"][run.DEFAULT]["splits"]["shuffled"]["LLM"]["r2"] = value
    drawn = sheet(outputs.WORLDS, given)
    assert len(bars(drawn.figure.axes[0], ORANGE)) == 2 and "\N{EM DASH}" in words(drawn)


@pytest.mark.parametrize("value", [-7.5, -1e300, 1e300])
def test_a_value_beyond_the_axis_stands_at_its_end(value):
    given = run.documents()
    given["performance"]["datasets"][run.DEFAULT]["splits"]["shuffled"]["LLM"]["r2"] = value
    low, high = sheet(outputs.WORLDS, given).figure.axes[0].get_xlim()
    assert -1.2 < low <= 0 < high < 1.2


def test_hostile_names_are_drawn_as_text(tmp_path):
    given = run.documents()
    given["performance"]["datasets"][run.HOSTILE] = given["performance"]["datasets"].pop(run.DEFAULT)
    own = given["performance"]["datasets"][run.HOSTILE]["splits"]["shuffled"]
    own[run.HOSTILE * 40] = own["WORD"]
    facts = {run.HOSTILE: {"world": run.HOSTILE}, run.TOPIC: {"world": "topic"}}
    basis = BrainRun.of(run.params(datasets=facts, generation=run.HOSTILE), given)
    charts.draw({outputs.SUBSETS: lambda: DRAWN[outputs.SUBSETS](basis)}, tmp_path, outputs.title)
    shown = words_of((tmp_path / f"{outputs.SUBSETS}.svg").read_bytes())
    assert "<b>&\"'$x$" in shown and "\u202e" not in shown


def of_units(stem, folder, groups: Any = run.GROUPS, inputs=None, **asked):
    """Draw a figure of units; `inputs` are what a test changed of them."""
    basis = BrainRun.of(run.params(groups=groups, **asked), {})
    with charts.drawing():
        return DRAWN_OF_UNITS[stem](basis, measured(basis, inputs or run.measured(folder)))


def test_units_above_the_line_are_counted(tmp_path):
    drawn = of_units(outputs.UNITS, tmp_path)
    assert len(drawn.figure.axes) == 4
    told = [
        text for text in words(drawn) if text.startswith("above the line: 200 of 399 units; 1 without a score; r = ")
    ]
    low = np.append(np.linspace(0.5, -0.1, 400)[:-1], [])
    high = low + np.where(np.arange(399) < 200, 0.1, -0.05)
    assert len(told) == 4 and float(told[0].split("= ")[1]) == pytest.approx(np.corrcoef(low, high)[0, 1], abs=6e-4)


def test_the_best_of_all_subsets_stands_on_each_axis(tmp_path):
    inputs = run.measured(tmp_path)
    for at in range(len(run.GROUPS)):
        path = inputs["fits"] / rows.part_name(at)
        made = arrays.read_all(path)
        made["WORD.mse"] = np.full((3, 400), 0.01)  # lower than any, and without the language model
        arrays.write_all(path, made)
    assert any(
        "above the line: 0 of 399 units" in text for text in words(of_units(outputs.UNITS, tmp_path, inputs=inputs))
    )


@pytest.mark.parametrize("most", [*range(1, 40, 3), 400])
def test_the_square_of_the_most_units_is_the_darkest(tmp_path, most):
    low = np.concatenate([np.zeros(most), [0.5]])
    with charts.drawing():
        axes = charts.sheet(3, 3).panel(0, 0, 2, 2)
        _panel(axes, UnitPair("", "a", "b", low, low, 0))
        colours = axes.images[0].get_array()
    assert colours is not None
    assert colours[0, 0].tolist() == [0, 77, 128] and colours[0, 1].tolist() == [255, 255, 255]


def test_contiguous_splits_stand_first_and_of_seeds_the_first(tmp_path):
    groups = [{**group, "models": ["SP+SL", "SP+SL+u0", "SP+SL+u1", "LLM", "SP+SL+LLM"], "text_models": [*run.SEEDS]}
              for group in run.GROUPS]  # fmt: skip
    inputs = run.measured(tmp_path)
    for at in range(len(groups)):
        path = inputs["fits"] / rows.part_name(at)
        arrays.write_all(path, arrays.read_all(path) | {f"SP+SL+{seed}.mse": np.ones((3, 400)) for seed in run.SEEDS})
    basis = BrainRun.of(run.params(groups=groups), run.documents())
    with charts.drawing():
        drawn = DRAWN_OF_UNITS[outputs.UNITS](basis, measured(basis, inputs))
    titles = [text for text in words(drawn) if text.endswith((", contiguous", ", shuffled"))]
    assert [(text.split()[0], text.split(", ")[1]) for text in titles[::2]] == [
        ("LLM", "contiguous"), ("u0", "contiguous"), ("LLM", "shuffled"), ("u0", "shuffled"),
    ]  # fmt: skip


def test_units_that_took_no_part_are_not_counted(tmp_path):
    inputs = run.measured(tmp_path)
    first = inputs["fits"] / rows.part_name(0)
    made = arrays.read_all(first)
    for name in made:
        if name.endswith(".mse"):
            made[name] = np.where(np.arange(400) < 100, np.nan, made[name])
    arrays.write_all(first, made)
    told = words(of_units(outputs.UNITS, tmp_path, inputs=inputs))
    assert any(text.startswith("above the line: 100 of 299 units; 1 without a score") for text in told)


def test_models_in_two_files_of_one_split_are_compared(tmp_path):
    groups = [{**run.GROUPS[0], "models": ["SP+SL+WORD"]}, {**run.GROUPS[0], "models": ["SP+SL+WORD+LLM"]},
              {**run.GROUPS[2], "models": []}, {**run.GROUPS[3], "models": []}]  # fmt: skip
    told = words(of_units(outputs.UNITS, tmp_path, groups))
    assert any(text.startswith("above the line: 200 of 399 units; 1 without a score") for text in told)


def test_fits_of_another_number_than_groups_are_refused(tmp_path):
    with pytest.raises(InputError, match="4 parts stand beside 1 groups"):
        of_units(outputs.UNITS, tmp_path, run.GROUPS[:1])


@pytest.mark.parametrize(
    ("models", "simple", "pairs"),
    [
        (["SP+SL", "SP+SL+LLM", "LLM"], False, [("LLM", "SP+SL", "SP+SL+LLM")]),
        (["SP+SL", "SP+SL+LLM", "SP+SL+WORD", "SP+SL+WORD+LLM"], False, [("LLM", "SP+SL+WORD", "SP+SL+WORD+LLM")]),
        (["SP+SL", "SP+SL+LLM", "SP+SL+WORD", "SP+SL+WORD+LLM"], True, [("LLM", "SP+SL", "SP+SL+LLM")]),
        (["SP", "SP+mini@best", "SP+LLMU"], False, [("mini", "SP", "SP+mini@best"), ("LLMU", "SP", "SP+LLMU")]),
        (["GLOVE", "GLOVE+LLM"], True, []),
        (["LLM", "SP", "SP+LLM+mini@3"], False, []),
        ([], False, []),
    ],
)
def test_each_language_model_stands_beside_the_most_bands(models, simple, pairs):
    found = joint_models(models, ("mini",), simple=simple)
    assert [(one.model, one.base, one.joint) for one in found] == pairs


def test_a_star_is_of_the_fitted_subsets_alone():
    models = ["SP", "SL", "SP+SL", "LLM", "SP+LLM", "SP+SL+LLM", "WORD"]
    [found] = joint_models(models, ())
    assert found.without == ("SP", "SL", "SP+SL") and found.with_it == ("LLM", "SP+LLM", "SP+SL+LLM")
