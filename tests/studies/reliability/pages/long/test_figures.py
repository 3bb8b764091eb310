"""The figures of the study: all that was promised is drawn, from values as they are, whatever is missing or odd."""

import json
import os
import re
import subprocess
import sys

import pytest
import support_reliability_documents as made

from harness.kit import charts
from harness.studies.reliability.pages import figures, outputs
from harness.studies.reliability.pages.figures_curves import FILL, stacked, templates
from harness.studies.reliability.pages.figures_grid import GridModels
from harness.studies.reliability.pages.figures_indicators import ORDER, indicators
from harness.studies.reliability.pages.figures_people import SIMULATED, supervision
from harness.studies.reliability.pages.figures_scaling import NOTHING, scaling
from harness.studies.reliability.pages.model_facts import basis, families

pytestmark = pytest.mark.together  # they share the figures of `ten`
FIVE = tuple(outputs.TITLES)


def words_in(folder):
    """Give the words of each figure in a folder."""
    return {path.stem: made.words(path.read_bytes()) for path in folder.glob("*.svg")}


@pytest.fixture
def drawn(tmp_path):
    """Draw documents of some models; gives the words of each figure."""

    def draw(models, given, **params):
        out = made.empty(tmp_path / "out")
        figures.draw({"models": models, **params}, made.laid(tmp_path / "in", given), out)
        assert sorted(path.name for path in out.iterdir()) == sorted(outputs.figures(models))
        return words_in(out)

    return draw


def rests(given, **params):
    return basis(params, given["indicators"])


def sheet_of(draw, *given):
    with charts.drawing():
        return draw(*given)


def test_figures_say_what_they_rest_on_and_show_every_model(ten):
    found = words_in(ten)
    assert tuple(sorted(found)) == tuple(sorted(FIVE))
    assert sorted(path.name for path in ten.iterdir()) == sorted(outputs.figures(made.TEN))
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in ten.glob("*.png"))
    assert all("OURS-v1" in shown and "uncalibrated" in shown and "lanted" not in shown for shown in found.values())
    assert "95 % percentile, 2,000 resamples of instances; calibration and templates held fixed" in found["figure-1"]
    assert "500 resamples of participants" in found["figure-3"]
    for name in made.TEN:
        assert all(name in found[stem] for stem in ("figure-1", "figure-2", "figure-templates"))
    assert "Responses in error, left out of all shares: 225." in found["figure-2"]


def test_what_is_calibrated_and_what_was_planted_says_so(drawn):
    for shown in drawn(made.ONE, made.documents(made.ONE, calibrated=True), planted=True).values():
        assert "Difficulty calibrated on what people expect." in shown and "Planted contrast, no claim" in shown


def texts(sheet):
    return [text.get_text() for place in (sheet.figure, *sheet.figure.axes) for text in place.texts]


def test_missing_values_are_said_and_not_drawn():
    given = made.emptied(made.documents(made.ONE))
    shown = GridModels(made.ONE, ["lonely"], rests(given))
    first = sheet_of(indicators, given["indicators"], made.ONE, shown.rests)
    assert texts(first).count("no value") == 6 and not any(axes.lines for axes in first.figure.axes)
    for draw, document in ((stacked, "proportions"), (templates, "sensitivity")):
        assert texts(sheet_of(draw, given[document], shown)).count("nothing scored") == 5
    assert NOTHING in texts(sheet_of(scaling, given["scaling"], made.ONE, shown.rests))


def test_no_benchmark_no_people_and_no_compute_are_said_in_words(drawn):
    given = made.documents(made.ONE, benchmarks=())
    found = drawn(made.ONE, given | {"people": {"simulated": True, "s1": {}, "s2": {"missing": "no survey rows"}}})
    assert "there is nothing to draw" in found["figure-2"]
    assert "No verdicts of people, real or simulated" in found["figure-3"]
    assert NOTHING in found["figure-4"] and "1 of 1 models" in found["figure-4"]


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_people_are_named_as_such_and_real_ones_are_not(simulated):
    given = made.documents(made.ONE, simulated=simulated)
    sheet = sheet_of(supervision, given["people"], rests(given))
    shown = [text.get_text() for text in sheet.figure.texts]
    assert (SIMULATED in shown) is simulated
    assert len(sheet.figure.axes) == 5 and "400 verdicts" in shown


def test_cells_of_people_are_drawn_as_they_are():
    given = made.documents(made.ONE, benchmarks=("addition",))
    given["people"]["s2"]["curve"]["addition"][3]["shares"] = {"i->c": {"value": 0.6, "interval": [0.5, 0.7]}}
    [panel] = sheet_of(supervision, given["people"], rests(given)).figure.axes
    dangerous = panel.lines[0].get_ydata()
    assert (dangerous[0], dangerous[3]) == (0.2, 0.6) and len(panel.lines) == 8
    assert str(panel.lines[1].get_ydata()[3]) == "nan"


def test_a_row_of_figure_1_is_value_and_interval_and_raw_is_hollow():
    given = made.documents({**made.ONE, "shaped": made.model("Base", "true")})
    given["indicators"]["models"]["lonely"]["correctness_proportion"] = {"value": 37.5, "interval": [30.0, 52.0]}
    sheet = sheet_of(indicators, given["indicators"], {**made.ONE, "shaped": made.model("Base", "true")}, rests(given))
    panel = sheet.figure.axes[ORDER.index("correctness_proportion")]
    bar, mark, _, shaped = panel.lines
    assert list(bar.get_xdata()) == [30.0, 52.0] and list(mark.get_xdata()) == [37.5]
    assert mark.get_markerfacecolor() == charts.PAPER != shaped.get_markerfacecolor()
    assert all(axes.get_xlim() == (-4, 104) for axes in sheet.figure.axes)


def test_panels_say_over_how_many_benchmarks_and_which_are_left_out():
    given = made.documents(made.TEN)
    left = {"over": ["addition", "anagram"], "left_out": {"locality": {"base-7b": "never correct"}}, "dropped": {}}
    given["indicators"]["means"] |= {"correctness_stability": left}
    sheet = sheet_of(indicators, given["indicators"], made.TEN, rests(given))
    shown = texts(sheet)
    assert (shown.count("over 5 of 5 benchmarks"), shown.count("over 2 of 5 benchmarks")) == (5, 1)
    small_print = " ".join(" ".join(shown).split())
    assert "nothing varies: correctness stability: locality." in small_print
    assert "Stand-ins stand apart: they choose no benchmark." in small_print
    assert shown.count("no value") == 0  # stand-ins, too, have their row


def test_where_nothing_is_left_out_nothing_is_said_of_it():
    given = made.documents(made.ONE)
    small_print = " ".join(texts(sheet_of(indicators, given["indicators"], made.ONE, rests(given))))
    assert "Left out" not in small_print and "Stand-ins" not in small_print


def one_bin(**shares):
    curve = {"bins": [{"low": 0, "high": 9, "difficulty": 4, **shares}], "errors": 0}
    return {name: {"lonely": curve} for name in ("addition", "science")}


def test_stacked_bars_are_shares_and_science_shows_the_guessing_quarter():
    document = {"benchmarks": one_bin(correct=0.5, avoidant=0.2, incorrect=0.3)}
    shown = GridModels(made.ONE, ["lonely"], basis({}, {}))
    addition, science = sheet_of(stacked, document, shown).figure.axes
    heights = [patch.get_data().values.tolist() for patch in addition.patches]
    assert heights == [[pytest.approx(1.0)], [pytest.approx(0.7)], [0.5]]
    colours = [plots_hex(patch.get_facecolor()) for patch in addition.patches]
    assert colours == [FILL["incorrect"], FILL["avoidant"], FILL["correct"]]
    assert len(science.patches) == 4
    assert science.patches[3].get_data().values.tolist() == [pytest.approx(0.2)]
    assert addition.get_ylim() == science.get_ylim() == (0, 1)


def plots_hex(colour):
    from matplotlib.colors import to_hex

    return to_hex(colour)


def test_the_best_and_the_worst_wording_are_told_apart():
    bins = [{"difficulty": 10.0, "correct": 0.5}, {"difficulty": 20.0, "correct": {"missing": "none"}}]
    found = {
        "1": {"correct": 0.5, "bins": bins},
        "2": {"correct": 0.9, "bins": bins},
        "10": {"correct": 0.1, "bins": []},
    }
    document = {"benchmarks": {"addition": {"lonely": {"templates": {**found, "3": {"correct": {"missing": "x"}}}}}}}
    [panel] = sheet_of(templates, document, GridModels(made.ONE, ["lonely"], basis({}, {}))).figure.axes
    worst, best = panel.lines
    assert (len(worst.get_xdata()), list(best.get_xdata()), best.get_ydata()[0]) == (0, [0.5, 1.5], 0.5)
    assert best.get_color() == FILL["correct"] and worst.get_color() == FILL["incorrect"]
    assert len(panel.collections[0].get_segments()) == 2


def test_lines_of_scaling_are_the_fitted_ones_and_groups_stand_apart():
    given = made.documents(made.TEN)
    sheet = sheet_of(scaling, given["scaling"], made.TEN, rests(given))
    assert len(sheet.figure.axes) == 6
    raw = sheet.figure.axes[0]
    *points, line = raw.lines
    assert [point.get_ydata()[0] for point in points] == pytest.approx([0.6, 0.56, 0.52])
    first, last = line.get_xdata()
    assert (round(10 ** (first - 22), 9), round(10 ** (last - 23), 9)) == (4.02, 8.4)
    assert list(line.get_ydata()) == pytest.approx([2.269529 - 0.0794 * at for at in (first, last)])
    shown = [text.get_text() for text in sheet.figure.texts]
    assert shown.count("slope \u22120.079 a decade, n = 6") == 6


def test_a_group_without_points_says_so():
    models = {name: facts for name, facts in made.TEN.items() if facts.get("shaped") != "true"}
    given = made.documents(models)
    sheet = sheet_of(scaling, given["scaling"], models, rests(given))
    assert [text.get_text() for text in sheet.figure.texts].count("no points") == 3


def test_many_models_are_split_by_family_and_names_are_known_before(drawn):
    names = outputs.figures(made.THIRTEEN)
    stems = {name.removesuffix(".svg") for name in names if name.endswith(".svg")}
    assert {f"figure-2-{family}" for family in ("bloom", "gpt", "llama")} <= stems and "figure-2" not in stems
    found = drawn(made.THIRTEEN, made.documents(made.THIRTEEN, benchmarks=("addition",)))
    assert "gpt-3" in found["figure-2-gpt"] and "llama-3b" not in found["figure-2-gpt"]
    assert all(outputs.title(name) == outputs.TITLES["figure-2"] for name in names if name.startswith("figure-2"))


def test_a_large_family_gets_several_sheets_with_distinct_file_names():
    models = {f"m{n}": made.model("One Family", "false") for n in range(30)}
    models |= {
        f"n{n}": made.model(family, "true") for n, family in enumerate(["a/b", "a b", "A B", "é", "x-1-of-2", ""])
    }
    names = outputs.figures(models)
    assert "figure-2-one-family-3-of-3.png" in names
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,79}", name) for name in names)
    sheets = outputs.sheets("figure-2", models)
    assert sorted(name for part in sheets.values() for name in part) == sorted(models)
    assert max(map(len, sheets.values())) == outputs.MODELS_A_SHEET


def test_families_are_in_an_order_for_people():
    assert list(families(made.TEN)) == ["Base", "Hosted", "stand-ins"]
    assert families(made.TEN)["Base"] == [
        "base-7b", "base-13b", "base-70b", "base-7b-chat", "base-13b-chat", "base-70b-chat",
    ]  # fmt: skip


def test_models_without_known_compute_are_in_the_order_of_their_parameters():
    sizes = {"a": "70000000000", "b": "7000000000", "c": None, "d": "13000000000"}
    models = {name: {**made.model("Base", "true"), "parameters": size} for name, size in sizes.items()}
    models |= {"e": made.model("Base", "true", "9e25"), "f": {**made.model("Base", "true", "1e22"), "parameters": "9"}}
    assert families(models) == {"Base": ["f", "e", "b", "d", "a", "c"]}


def test_figure_4_says_that_stand_ins_are_not_drawn():
    given = made.documents(made.TEN)
    sheet = sheet_of(scaling, given["scaling"], made.TEN, rests(given))
    small_print = " ".join(" ".join(text.get_text() for text in sheet.figure.texts).split())
    assert "Not drawn, as stand-ins or since compute or tuning is not known: 4 of 10 models." in small_print


DRAW = """
import json, os, sys, time
os.umask(int(sys.argv[2], 8))
from pathlib import Path
from harness.studies.reliability.pages import figures
folder, out = Path(sys.argv[1]), Path(sys.argv[3])
inputs = {path.name: path for path in (folder / "in").iterdir()}
figures.draw(json.loads((folder / "params").read_text()), inputs, out)
assert not [name for name in sys.modules if name == "matplotlib.pyplot"]
print(time.process_time())
"""


@pytest.mark.long
def test_another_process_elsewhere_draws_the_same_bytes_and_is_quick(tmp_path, ten):
    made.laid(tmp_path / "in", made.documents(made.TEN))
    (tmp_path / "params").write_text(json.dumps({"models": made.TEN}))
    env = {
        "HOME": "/", "TZ": "America/St_Johns", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "7",
        "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    out = made.empty(tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DRAW, str(tmp_path), "077", str(out)], capture_output=True, text=True,
        env=env, cwd=out, check=True,
    )  # fmt: skip
    assert done.stderr == "" and float(done.stdout) < 10  # seconds of one core, the imports included
    there, here = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (out, ten))
    assert there == here
