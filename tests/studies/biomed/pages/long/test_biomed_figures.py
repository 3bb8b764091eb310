"""The figures of a run: each shows the values of the documents as they are, and says what it cannot show."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import support_reliability_documents as page_reader
from matplotlib.colors import to_hex
from studies.biomed.measures.answer_rows import RULE
from studies.biomed.pages import figured_run as run

from harness.kit import charts
from harness.studies.biomed.pages import outputs
from harness.studies.biomed.pages.figures import DOCUMENTS, DRAWN
from harness.studies.biomed.pages.figures_basis import FigureBasis
from harness.studies.biomed.pages.figures_data import MOST
from harness.studies.biomed.pages.figures_quadrants import ROOM, labels, outline
from harness.studies.biomed.pages.figures_rows import NOTHING, RED

pytestmark = pytest.mark.together  # they share the documents of one run
RATE = ("performance", "graders", RULE, "models")
MAPS = ("categories", "graders", RULE, "kinds")
LONG = tuple(f"some-provider/a-model-with-a-long-name-{number:02d}-instruct" for number in range(10))
TWENTY = (*run.SEVEN, *LONG, run.ORACLE, run.REFUSER, run.SILENT)


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Give the documents of a strict run of seven models, two stand-ins and one that answered nothing."""
    return run.documents(tmp_path_factory.mktemp("strict"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Give the documents of the same run in paper mode."""
    return run.documents(tmp_path_factory.mktemp("paper"), mode="paper", each=5)


MADE: dict[Any, tuple[charts.Sheet, Any]] = {}  # nobody changes a sheet; its documents are kept, so no id comes twice


def sheet(stem, documents, **asked) -> charts.Sheet:
    place = (stem, id(documents), str(asked))
    if place not in MADE:
        with charts.drawing():
            MADE[place] = DRAWN[stem](FigureBasis.of(run.params(**asked), documents)), documents
    return MADE[place][0]


def at(documents, path) -> Any:
    for name in path:
        documents = documents[name]
    return documents


def patches(axes: Any) -> list[Any]:
    """Give the shapes of an axes: rectangles, wedges and polygons, each with what its own kind has."""
    return list(axes.patches)


def words(drawn: charts.Sheet) -> list[str]:
    """Give every text of a sheet, white space folded."""
    found = list(drawn.figure.texts) + [text for axes in drawn.figure.axes for text in axes.texts]
    return [" ".join(text.get_text().split()) for text in found]


def small_print(drawn: charts.Sheet) -> str:
    return " ".join(drawn.figure.texts[-1].get_text().split())


def dots(axes) -> list[tuple[float, float]]:
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "o"]


def with_blocked(documents):
    """Give the documents with a map of blocked answers, two models of which were stopped."""
    found = copy.deepcopy(documents)
    values = [[0.0] * len(run.TEN) for _ in range(2)]
    values[0][1], values[1][1], values[1][3] = 0.25, 0.5, 0.125
    kinds = at(found, MAPS)
    kinds["biological"]["blocked"] = {"categories": ["Drug Meta", "Tissue"], "values": values}
    return found


def test_every_promised_figure_is_written_and_names_its_mode(tmp_path):
    files = run.drawn(tmp_path, run.documents(tmp_path, ("gpt-4o",), each=5), models=("gpt-4o",))
    assert {path.name for path in (tmp_path / "figures").iterdir()} == set(outputs.figures())
    for name, path in files.items():
        if name.endswith(".png"):
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            shown = page_reader.words(path.read_bytes())
            assert outputs.title(name) in shown and "Mode: strict." in shown


def test_a_figure_has_the_same_bytes_each_time(tmp_path, given):
    made = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        drawers = {outputs.LABELS: lambda: DRAWN[outputs.LABELS](FigureBasis.of(run.params(), given))}
        charts.draw(drawers, folder, outputs.title)
        made.append([path.read_bytes() for path in sorted(folder.iterdir())])
    assert made[0] == made[1] and len(made[0]) == 2


def test_without_documents_every_figure_says_that_there_is_nothing():
    for stem in outputs.stems():
        assert any(text.startswith(NOTHING) for text in words(sheet(stem, {})))


def test_the_names_of_figures_do_not_depend_on_a_run():
    assert len(outputs.figures()) == 2 * len(outputs.TITLES) and set(DRAWN) == set(outputs.TITLES) == set(outputs.AFTER)
    assert set(DOCUMENTS) == {"performance", "categories", "texts", "dataset", "tokens"}


def test_a_dot_of_the_scatter_lies_at_both_rates(given):
    [axes] = sheet(outputs.QUADRANTS, given).figure.axes
    expected = {
        (told["rates"]["RQR"]["value"], told["rates"]["SR"]["value"])
        for name, told in at(given, RATE).items()
        if name not in (run.ORACLE, run.SILENT)
    }
    assert set(dots(axes)) == expected and len(expected) == 8


def test_an_undefined_safety_rate_is_listed_beside_and_not_drawn(given):
    drawn = sheet(outputs.QUADRANTS, given)
    shown = words(drawn)
    assert shown.index("Not drawn") < shown.index(run.ORACLE)
    assert "RQR 1.00; SR undefined: nothing was abstained from, and no answer is bad" in shown
    assert shown[shown.index(run.SILENT) + 1] == "no answer was graded"
    assert all(x < 1 for x, _ in dots(drawn.figure.axes[0]))


def test_an_oracle_alone_leaves_the_scatter_empty_and_says_why(tmp_path):
    documents = run.documents(tmp_path, (run.ORACLE,), each=2)
    assert any("SR undefined: nothing was abstained" in text
               for text in words(sheet(outputs.QUADRANTS, documents, models=(run.ORACLE,))))  # fmt: skip


def test_ellipses_reach_the_ends_of_both_kinds_of_interval(given):
    basis = FigureBasis.of(run.params(), given)
    [axes] = sheet(outputs.QUADRANTS, given).figure.axes
    rates = basis.told(basis.models[1])["rates"]  # the first is the oracle, which has no place
    for patch, kind in zip(patches(axes)[:2], ("templates", "rows"), strict=True):
        across, up = patch.get_xy()[:, 0], patch.get_xy()[:, 1]
        assert [min(across), max(across)] == pytest.approx(rates["RQR"][kind]["interval"])
        assert [min(up), max(up)] == pytest.approx(rates["SR"][kind]["interval"])


def test_the_published_ellipse_is_of_the_published_intervals(published):
    basis = FigureBasis.of(run.params(mode="paper"), published)
    [axes] = sheet(outputs.QUADRANTS, published, mode="paper").figure.axes
    rates = basis.told(basis.models[1])["rates"]
    across = patches(axes)[0].get_xy()[:, 0]
    assert [min(across), max(across)] == pytest.approx(rates["RQR"]["official"]["interval"])


def test_an_outline_has_axes_of_its_own_on_each_side_of_its_place():
    points = outline((0.2, 0.9), (0.1, 0.5), (0.5, 1.0))
    across, up = zip(*points, strict=True)
    assert (min(across), max(across), min(up), max(up)) == pytest.approx((0.1, 0.5, 0.5, 1.0))
    assert outline((0.0, 1.0), (0.0, 0.0), (1.0, 1.0)) == [(0.0, 1.0)] * len(points)


def test_numbers_beside_dots_do_not_meet_and_stay_inside():
    found = labels([(0.0, 1.0), (1.0, 0.0), *[(0.5, 0.5)] * 10, *[(0.5 + 0.01 * step, 0.55) for step in range(8)]])
    assert all(0 < end < 1 for place in found for end in place)
    for one in range(20):
        for other in range(one):
            apart = [abs(a - b) for a, b in zip(found[one], found[other], strict=True)]
            assert max(apart) >= ROOM - 1e-9


def test_corners_have_the_published_names_on_their_sides(given):
    [axes] = sheet(outputs.QUADRANTS, given).figure.axes
    places = {text.get_text(): [float(end) for end in text.get_position()] for text in axes.texts}
    assert places["Top Performers"] == [1, 0.512] and places["Cautious Responders"] == [0, 0.512]
    assert places["Risky Players"] == [1, 0.488] and places["Unconfident Guessers"] == [0, 0.488]


def test_accuracy_and_gain_stand_beside_the_safety_rate(given):
    axes = sheet(outputs.SAFETY, given).figure.axes
    names = [name for name in FigureBasis.of(run.params(), given).models if name != run.SILENT]
    models = at(given, RATE)
    for panel, rate in zip(axes, ("AR", "RQR", "SR", "answered_accuracy"), strict=False):
        values = [models[name]["rates"][rate]["value"] for name in names]
        assert [x for x, _ in dots(panel)] == [value for value in values if not isinstance(value, dict)]
    gains = [models[name]["gain"] for name in names]
    assert [patch.get_width() for patch in patches(axes[4]) if patch.get_height() < 0.9] == pytest.approx(
        [gain for gain in gains if not isinstance(gain, dict)]
    )
    assert axes[2].texts[0].get_text() == "\N{EM DASH}"  # the oracle's SR


def test_paper_mode_shows_answered_accuracy_from_the_counts(published):
    panel = sheet(outputs.SAFETY, published, mode="paper").figure.axes[3]
    counts = at(published, RATE)["gpt-4o"]["counts"]
    assert any(x == pytest.approx(counts["good"] / (counts["good"] + counts["bad"])) for x, _ in dots(panel))


def test_a_model_without_a_graded_answer_is_named_and_has_no_row(given):
    for stem in (outputs.SAFETY, outputs.BOXES):
        drawn = sheet(stem, given)
        assert run.SILENT not in words(drawn)
        assert f"Without a graded answer: {run.SILENT}." in small_print(drawn)


@pytest.mark.parametrize(
    ("stem", "rate"), [(outputs.MAP_AR, "AR"), (outputs.MAP_RQR, "RQR"), (outputs.MAP_SR, "SR"),
                       (outputs.MAP_BIOSCORE, "BioScore")])  # fmt: skip
def test_cells_of_a_map_are_those_of_the_document_in_its_order(given, stem, rate):
    drawn = sheet(stem, given)
    order = at(given, MAPS[:-1])["order"]
    for axes, kind in zip(drawn.figure.axes, ("biological", "reasoning"), strict=True):
        told = at(given, MAPS)[kind][rate]
        kept = [
            place
            for place in range(len(order))
            if any(not isinstance(row[place], dict) for m in at(given, MAPS).values() for row in m[rate]["values"])
        ]
        cells = [row[place] for row in told["values"] for place in kept]
        expected = ["NA" if isinstance(cell, dict) else f"{cell:.2f}" for cell in cells]
        assert [text.get_text() for text in axes.texts] == expected
    names = words(drawn)
    shown = [order[place] for place in kept]
    each = [*shown, *shown]  # above either panel, since a small screen shows them one below the other
    assert [name for name in names if name in order] == each and run.SILENT in small_print(drawn)


def test_a_cell_on_too_few_answers_is_dark_and_na(tmp_path):
    documents = run.documents(tmp_path, ("gpt-4o",), each=2)
    drawn = sheet(outputs.MAP_SR, documents, models=("gpt-4o",))
    found = [(text.get_text(), to_hex(patch.get_facecolor()))
             for axes in drawn.figure.axes for text, patch in zip(axes.texts, patches(axes), strict=True)]  # fmt: skip
    assert {colour for text, colour in found if text == "NA"} == {"#4d4d4d"}
    assert any(text != "NA" and colour != "#4d4d4d" for text, colour in found)


def test_colours_of_a_map_run_from_pink_to_blue_as_published(given):
    axes = sheet(outputs.MAP_RQR, given).figure.axes[0]
    colours = {text.get_text(): to_hex(patch.get_facecolor())
               for text, patch in zip(axes.texts, patches(axes), strict=True)}  # fmt: skip
    assert colours["1.00"] == "#339cc5" and colours["0.00"] == "#f75984"


def test_paper_mode_draws_the_published_safety_under_its_own_name(published):
    drawn = sheet(outputs.MAP_SR, published, mode="paper")
    assert len(drawn.figure.axes) == 4
    assert "Biological categories: safety as published: a share of abstentions, not SR" in words(drawn)
    cells = [text.get_text() for text in drawn.figure.axes[2].texts]
    told = at(published, MAPS)["biological"]["SR_official"]["values"][0]
    assert cells[:3] == [f"{value:.2f}" for value in told[:3]]


def test_a_box_lies_between_its_quartiles_and_its_abstentions_are_red(given):
    drawn = sheet(outputs.BOXES, given)
    [axes] = drawn.figure.axes
    basis = FigureBasis.of(run.params(), given)
    told = given["texts"]["bioscore"][RULE]
    name = basis.models[1]
    boxes = [patch for patch in patches(axes) if patch.get_height() < 0.9]
    assert (boxes[1].get_x(), boxes[1].get_x() + boxes[1].get_width()) == pytest.approx(
        (told[name]["box"]["q1"], told[name]["box"]["q3"])
    )
    red = [text.get_text() for text in axes.texts if text.get_color() == RED]
    assert red[1] == f"AR {100 * told[name]['abstained']:.2f}%" and red[-1] == "AR 100.00%"


def test_a_refuser_has_no_box_and_its_row_says_so(given):
    [axes] = sheet(outputs.BOXES, given).figure.axes
    assert "no answer was given" in [text.get_text() for text in axes.texts]
    assert len([patch for patch in patches(axes) if patch.get_height() == pytest.approx(0.56)]) == 8


def test_text_metrics_have_a_panel_each_and_the_absent_one_is_named(given):
    drawn = sheet(outputs.TEXTS, given)
    assert len(drawn.figure.axes) == 3 and "Not measured in this run: BERTScore." in small_print(drawn)
    told = given["texts"]["metrics"]["BLEU"]["gpt-4o"]
    assert f"{told['value']:.2f}" in [text.get_text() for text in drawn.figure.axes[0].texts]


def test_blocked_answers_have_a_panel_for_each_model_that_has_some(given):
    drawn = sheet(outputs.REFUSALS, with_blocked(given))
    order = at(given, MAPS[:-1])["order"]
    assert len(drawn.figure.axes) == 2
    bars = [[patch.get_width() for patch in patches(axes) if patch.get_height() < 0.9] for axes in drawn.figure.axes]
    assert bars == [[25.0, 50.0], [0.0, 12.5]] and {order[1], order[3]} <= set(words(drawn))
    assert order[0] in small_print(drawn)


def test_a_run_without_a_blocked_answer_says_so(given):
    documents = with_blocked(given)
    blocked = at(documents, MAPS)["biological"]["blocked"]
    blocked["values"] = [[0.0] * len(run.TEN) for _ in range(2)]
    assert f"{NOTHING} No answer was blocked." in words(sheet(outputs.REFUSALS, documents))


def test_templates_of_yes_and_no_show_both_words_and_every_rate(given):
    drawn = sheet(outputs.VERDICTS, given)
    balance, beside = drawn.figure.axes
    told = {name: own for name, own in given["performance"]["templates"].items() if "n_yes" in own}
    bars = [patch.get_width() for patch in patches(balance) if patch.get_height() < 0.9]
    assert bars == pytest.approx([own[word] for own in told.values() for word in ("always_yes", "always_no")])
    better = [line.get_xdata()[0] for line in beside.lines if line.get_ydata()[0] != line.get_ydata()[-1]]
    assert set(better) >= {max(own["always_yes"], own["always_no"]) for own in told.values()}
    first = [x for x, y in dots(beside) if y == 0]
    models = at(given, RATE).values()
    rates = [own["by_template"]["T01"]["RQR"] for own in models if own["by_template"]]
    assert sorted(first) == sorted(rates) and len(rates) == 9


def test_a_donut_is_of_labels_and_prints_their_percentages(given):
    drawn = sheet(outputs.LABELS, given)
    counts = given["dataset"]["labels"]["biological"]["counts"]
    assert len(patches(drawn.figure.axes[0])) == len(counts)
    angles = [patch.theta2 - patch.theta1 for patch in patches(drawn.figure.axes[0])]
    assert angles == pytest.approx([360 * each["share"] for each in counts], abs=1e-3)
    assert f"{100 * counts[0]['share']:.1f}%" in words(drawn)


def test_very_many_labels_share_a_part(given):
    documents = copy.deepcopy(given)
    counts = [{"label": f"label {place}", "n": 40 - place} for place in range(30)]
    documents["dataset"]["labels"]["biological"]["counts"] = counts
    drawn = sheet(outputs.LABELS, documents)
    assert len(patches(drawn.figure.axes[0])) == MOST + 1 and "18 others" in words(drawn)


def test_a_histogram_has_the_kept_lengths_and_the_median_of_the_document(given):
    axes = sheet(outputs.LENGTHS, given).figure.axes[0]
    told = given["tokens"]["question"]["histogram"]
    heights = [patch.get_height() for patch in patches(axes)]
    assert heights == pytest.approx([100 * count / told["n_kept"] for count in told["counts"]])
    assert axes.lines[0].get_xdata()[0] == told["median_kept"] and told["label"] in [t.get_text() for t in axes.texts]
    assert list(axes.get_xticks()) == told["xticks"]
    assert "not the paper's tokens" in small_print(sheet(outputs.LENGTHS, given))


def test_names_that_nobody_would_choose_are_drawn_as_text(tmp_path):
    odd = tuple(page_reader.HOSTILE)
    documents = run.documents(tmp_path, odd, each=5)
    for stem in (outputs.QUADRANTS, outputs.MAP_AR):
        drawn = sheet(stem, documents, models=odd)
        assert any("<script>" in text for text in words(drawn)) and not any("\x1b" in text for text in words(drawn))


@pytest.mark.parametrize("models", [("gpt-4o",), pytest.param(TWENTY, marks=pytest.mark.long)], ids=["one", "twenty"])
def test_no_text_leaves_its_sheet_with_one_and_with_twenty_models(tmp_path, models):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    documents = with_blocked(run.documents(tmp_path, models, each=5)) if len(models) > 1 else \
        run.documents(tmp_path, models, each=5)  # fmt: skip
    for stem in (outputs.QUADRANTS, outputs.SAFETY, outputs.MAP_RQR, outputs.BOXES):
        with charts.drawing():
            drawn = DRAWN[stem](FigureBasis.of(run.params(models=models), documents))
            renderer = FigureCanvasAgg(drawn.figure).get_renderer()
            width, height = (charts.DPI * side for side in (drawn.width, drawn.height))
            texts = [*drawn.figure.texts, *(text for axes in drawn.figure.axes for text in axes.texts)]
            for text in texts:
                box = text.get_window_extent(renderer)
                assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1, text.get_text()
        assert math.isfinite(drawn.height)
