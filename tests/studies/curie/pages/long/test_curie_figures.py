"""The figures of a run: all that was promised is drawn, from values as they are, whatever is missing or odd."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import support_reliability_documents as page_reader
from studies.curie.pages import made_run

from harness.kit import charts
from harness.studies.curie.pages import figures, outputs
from harness.studies.curie.pages.figures_length import length
from harness.studies.curie.pages.figures_rows import NOTHING, Bar, BarChart, BarPanel, bar_chart
from harness.studies.curie.pages.run_facts import RunFacts

pytestmark = pytest.mark.together  # they share the documents and the figures of one run
RUN = RunFacts.of(made_run.params())
REAL = replace(RUN, models={name: facts for name, facts in RUN.models.items() if not RUN.is_stand_in(name)})
BEST, COPY = "mistral-large-2407", "strategy: copy the document"


def sheet_of(draw: Any, *given: Any) -> charts.Sheet:
    with charts.drawing():
        sheet: charts.Sheet = draw(*given)
        return sheet


def widths(axes: Any) -> list[float]:
    """Give the values of the bars of a panel, from the top."""
    return [patch.get_width() for patch in axes.patches if patch.get_height() < 0.9]


def texts(sheet: charts.Sheet) -> list[str]:
    places: list[Any] = [sheet.figure, *sheet.figure.axes]
    return [text.get_text() for place in places for text in place.texts]


def words(path: Any) -> str:
    found: str = page_reader.words(path.read_bytes())
    return found


def test_every_promised_figure_names_models_and_mode(curie_figures):
    shown = {name: words(path) for name, path in curie_figures.items() if name.endswith(".svg")}
    assert {name.removesuffix(".svg") for name in shown} == set(outputs.TITLES)
    assert all(path.read_bytes().startswith(b"\x89PNG") for name, path in curie_figures.items() if "png" in name)
    for stem in ("averages", "tasks", "difficulty", "boxes"):
        found = shown[f"figure-{stem}.svg"]
        assert (
            BEST in found and "Mode: strict." in found and "cheap strategies (OURS), which understand nothing" in found
        )
        assert "llama-3.3-70b" in found and "…" in found  # a long name is cut in its middle


def test_averages_are_those_of_the_document_over_ten_and_over_nine(curie_documents):
    sheet = sheet_of(figures.averages, RUN, curie_documents)
    averages = curie_documents["means"]["averages"]
    for axes, kind in zip(sheet.figure.axes, ("ten", "nine"), strict=True):
        known = [each["value"] for each in averages[kind].values() if not isinstance(each["value"], dict)]
        assert sorted(widths(axes)) == pytest.approx(sorted(100 * value for value in known))
    ten, nine = (len(widths(axes)) for axes in sheet.figure.axes)
    assert nine == ten + 1  # copying the document makes sense on all tasks but BIOGR
    assert widths(sheet.figure.axes[0])[0] == max(100 * averages["ten"][name]["value"] for name in RUN.models)


def test_a_task_has_a_bar_a_model_and_the_spread_of_its_records(curie_documents):
    sheet = sheet_of(figures.tasks, RUN, curie_documents)
    cell = curie_documents["means"]["tasks"]["dft-s"]["models"][BEST]["primary"]
    axes = sheet.figure.axes[0]
    assert len(sheet.figure.axes) == len(made_run.TASKS)
    assert widths(axes)[0] == pytest.approx(100 * cell["value"])
    lines = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "|"]
    assert lines[0] == pytest.approx([100 * cell["q25"], 100 * cell["q75"]])
    assert any("which is spread and not uncertainty" in " ".join(text.split()) for text in texts(sheet))


def test_bars_of_difficulty_are_pooled_and_diamonds_are_of_domains(curie_documents):
    found = curie_documents["slices"]["difficulty"]
    sheet = sheet_of(figures.difficulty, RUN, curie_documents)
    for axes, level in zip(sheet.figure.axes, ("easy", "medium", "hard"), strict=True):
        assert widths(axes)[0] == pytest.approx(100 * found["pooled"][BEST][level]["value"])
        marks = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "D"]
        assert marks[0] == pytest.approx(100 * found["macro"][BEST][level]["value"])
    assert "60 records" in texts(sheet)  # 6 easy ones of 16 in each of ten tasks


def boxes_of(axes: Any) -> list[Any]:
    return [patch for patch in axes.patches if patch.get_facecolor()[3] < 1]


def test_a_box_a_bin_of_lengths_between_its_quartiles(curie_documents):
    bins = curie_documents["slices"]["length"]["bins"]
    [axes] = sheet_of(length, REAL, curie_documents["slices"]).figure.axes
    boxes = boxes_of(axes)
    assert len(boxes) == len(bins) == 16
    edges = boxes[3].get_path().vertices[:, 1]
    assert (min(edges), max(edges)) == pytest.approx((100 * bins[3]["q25"], 100 * bins[3]["q75"]))
    assert axes.get_xticklabels()[0].get_text() == f"{bins[0]['low']}"


def test_stand_ins_are_not_pooled_with_models_but_each_has_its_own_line(curie_documents):
    sheet = sheet_of(length, RUN, curie_documents["slices"])
    [axes] = sheet.figure.axes
    bins = curie_documents["slices"]["length"]["bins"]
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert not boxes_of(axes) and set(lines) == set(RUN.models)
    assert lines[BEST][3] == pytest.approx(100 * bins[3]["models"][BEST]["value"])
    assert any("none are pooled" in " ".join(text.split()) for text in texts(sheet))


def test_a_box_below_zero_is_inside_the_axis_and_an_empty_bin_has_none():
    low = {"q25": -0.4, "median": -0.3, "q75": -0.1, "whiskers": [-0.3, -0.2], "low": 5, "high": 9, "outliers": 2}
    found = {"metric": "chance_corrected", "bins": [low, {"low": 10, "high": 12, "value": {"missing": "nobody"}}]}
    sheet = sheet_of(length, REAL, {"models": ["m"], "length": found})
    [axes] = sheet.figure.axes
    assert len(boxes_of(axes)) == 1 and axes.get_ylim()[0] < -40
    ends = [line.get_ydata()[0] for line in axes.lines]
    assert min(ends) == pytest.approx(-40) and max(ends) == pytest.approx(-10)  # no whisker ends inside the box
    assert any("are counted and not drawn: 2." in " ".join(text.split()) for text in texts(sheet))


def test_boxes_show_medians_on_a_logarithmic_axis_and_what_is_unusable(curie_documents):
    sheet = sheet_of(figures.boxes, RUN, curie_documents)
    _, distance, _, unusable = sheet.figure.axes
    cells = curie_documents["means"]["tasks"]["biogr"]["models"]
    known = cells[BEST]["metrics"]["boxes"]["normalized_distance_error"]
    dots = [line.get_xdata()[0] for line in distance.lines if line.get_marker() == "o"]
    assert distance.get_xscale() == "log" and dots[0] == pytest.approx(known["value"])
    assert "median, log" in texts(sheet)
    shares = curie_documents["breakdowns"]["unusable"]["biogr"]
    assert widths(unusable)[2] == pytest.approx(100 * shares["tiny"]["share"]) and shares["tiny"]["share"] > 0


def test_lengths_are_medians_of_words(curie_documents):
    sheet = sheet_of(figures.lengths, RUN, curie_documents)
    document, answer = sheet.figure.axes
    for axes, name in ((document, "document"), (answer, "answer")):
        dots = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
        each = curie_documents["breakdowns"]["lengths"]
        assert dots == pytest.approx([each[task][name]["median"] for task in made_run.TASKS])


def test_lmscore_stands_beside_each_other_scorer(curie_documents):
    sheet = sheet_of(figures.lmscore, RUN, curie_documents)
    pairs = [pair for pair in curie_documents["breakdowns"]["correlations"]["hfe"] if "lmscore" in pair.values()]
    assert {"rouge", "facts", "bertscore"} <= set(texts(sheet))
    [one] = [pair["value"] for pair in pairs if "facts" in pair.values()]
    facts = sheet.figure.axes[sorted({"bertscore", "boxes", "facts"}).index("facts")]
    assert any(value == pytest.approx(one) for value in widths(facts))


def test_figures_without_documents_say_that_there_is_nothing(tmp_path):
    for name, path in made_run.drawn(tmp_path, {}).items():
        assert name.endswith(".png") or NOTHING in words(path)


def test_a_run_without_proteins_says_why_there_is_no_figure_of_lengths():
    found = {"length": {"missing": "no item of the task pdb has a sequence to measure"}}
    shown = " ".join(texts(sheet_of(length, REAL, found)))
    assert NOTHING in shown and "no item of the task pdb has a sequence" in shown


@pytest.mark.parametrize("count", [1, pytest.param(20, marks=pytest.mark.long)])
def test_one_model_and_twenty_are_drawn_each_with_its_name(tmp_path, count):
    models = {f"model-{place:02}": {"family": "f"} for place in range(count)}
    given = made_run.documents(tmp_path, models, ("hfe", "biogr", "pdb"), records=4)
    found = made_run.drawn(tmp_path, given, models=models, tasks=["hfe", "biogr", "pdb"])
    for stem in ("figure-tasks", "figure-difficulty", "figure-boxes"):
        shown = words(found[f"{stem}.svg"])
        assert all(name in shown for name in models)


def test_hostile_names_are_text_and_no_markup(tmp_path):
    given = made_run.documents(tmp_path, made_run.HOSTILE, ("hfe",), records=3)
    found = made_run.drawn(tmp_path, given, models=made_run.HOSTILE, tasks=["hfe"], instruments={})
    shown = words(found["figure-tasks.svg"])
    assert "<script>alert(1)</script>" in shown and "]]>&amp;\"'" in shown
    assert "\u202e" not in shown and "\x00" not in shown and "m" * 60 not in shown


def test_odd_values_break_no_figure(tmp_path, curie_documents):
    given = copy.deepcopy({name: curie_documents[name] for name in figures.DOCUMENTS})
    boxes = given["means"]["tasks"]["biogr"]["models"]
    for value, model in zip((0, "inf", 1e300, {"missing": "x"}), RUN.models, strict=True):
        boxes[model]["metrics"]["boxes"]["normalized_distance_error"] |= {"value": value, "q25": 0, "q75": value}
        boxes[model]["primary"] |= {"value": value if value != 1e300 else -1e12, "q25": "nan"}
    shown = words(made_run.drawn(tmp_path, given, tasks=["biogr"], instruments={})["figure-boxes.svg"])
    assert "no value" in shown and "1.0e+300" in shown and "\N{MINUS SIGN}1.0e+14" in shown


def test_what_nobody_has_a_value_of_is_no_row_and_a_model_without_one_says():
    panels = [BarPanel("one", "", {"a": Bar(3.0), "b": Bar(None)}), BarPanel("two", "", {"b": Bar(4.0)})]
    sheet = sheet_of(bar_chart, BarChart("t", "", ["a", "b", "c"], panels, "note"))
    assert [len(widths(axes)) for axes in sheet.figure.axes] == [1, 1]
    shown = texts(sheet)
    assert "c" not in shown and shown.count("no value") == 1


def test_the_names_of_figures_follow_from_tasks_and_instruments():
    assert outputs.stems(["hfe"], []) == outputs.ALWAYS
    assert {"figure-averages", "figure-tasks", "figure-difficulty", "figure-length"} <= set(outputs.ALWAYS)
    assert set(outputs.stems(["biogr"], ["grader"])) - set(outputs.ALWAYS) == {"figure-boxes", "figure-lmscore"}
    names = outputs.figures(["hfe"], [])
    assert len(names) == 2 * len(outputs.ALWAYS) and "figure-averages.png" in names
    assert outputs.title("figure-averages.svg") == outputs.TITLES["figure-averages"]


def test_two_drawings_are_the_same_bytes(tmp_path):
    given = made_run.documents(tmp_path, {"one": {}, "two": {}}, ("hfe", "biogr"), records=3)
    asked = {"models": {"one": {}, "two": {}}, "tasks": ["hfe", "biogr"], "instruments": {}}
    first, again = (made_run.drawn(tmp_path / name, given, **asked) for name in ("first", "again"))
    assert all(path.read_bytes() == again[name].read_bytes() for name, path in first.items())


@pytest.mark.long
def test_two_drawings_of_everything_are_the_same_bytes(tmp_path, curie_documents, curie_figures):
    again = made_run.drawn(tmp_path, curie_documents)
    assert all(path.read_bytes() == again[name].read_bytes() for name, path in curie_figures.items())
