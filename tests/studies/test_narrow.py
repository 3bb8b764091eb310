"""The narrow form of a figure: parts that fit a small screen, none cut through a bar or a word, nothing drawn twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from harness.kit import charts, narrow, report
from harness.kit.narrow import DrawnPanel, Layout, Rect

PANEL = Rect(2.5, 1.0, 4.5, 2.0)


def layout(*panels: DrawnPanel, texts: tuple[Rect, ...] = (), legend: tuple[Rect, ...] = ()) -> Layout:
    return Layout(11.4, 0.56, 3.0, panels, texts, legend)


def shifted(by: float, **more: Any) -> DrawnPanel:
    return DrawnPanel(Rect(PANEL.left + by, PANEL.top, PANEL.right + by, PANEL.bottom), **more)


NAMES = (Rect(1.2, 1.1, 2.4, 1.2), Rect(0.9, 1.6, 2.4, 1.7))


def test_each_panel_stands_beside_the_names_of_its_rows() -> None:
    [one], [other] = narrow.parts(layout(DrawnPanel(PANEL), shifted(3.0), texts=NAMES))
    assert one[0] == other[0] and one[0].left == pytest.approx(0.9 - narrow.EDGE)  # no wider than the longest name
    assert one[1].left < PANEL.left and one[1].right == pytest.approx(other[1].left)
    assert sum(each.width for each in one) <= narrow.MOST


def test_a_panel_with_an_axis_keeps_its_labels_and_not_the_words_before_it() -> None:
    list_of_first = Rect(4.8, 1.2, 5.2, 1.3)
    parts = narrow.parts(layout(DrawnPanel(PANEL), shifted(3.0), texts=(list_of_first,)))
    [first], [listed], [second] = parts
    assert first[0].left == pytest.approx(PANEL.left - narrow.AXIS) and first[0].right < list_of_first.left
    assert listed[0].left < list_of_first.left < list_of_first.right < listed[0].right
    assert second[0].left > list_of_first.right


def test_words_at_the_right_of_the_last_panel_are_whole() -> None:
    [[[_, cell]]] = narrow.parts(layout(DrawnPanel(PANEL, reach=5.6), texts=NAMES))
    assert cell.right > 5.6


def test_the_title_of_the_last_panel_is_whole() -> None:
    [[[_, cell]]] = narrow.parts(layout(DrawnPanel(PANEL), texts=(*NAMES, Rect(2.5, 0.8, 5.4, 0.9))))
    assert cell.right > 5.4


def test_a_panel_keeps_the_words_of_its_axis_and_its_neighbour_shows_none_of_them() -> None:
    [[_, one]], [[_, other]] = narrow.parts(layout(DrawnPanel(PANEL, reach=4.9), shifted(3.0, begins=5.3), texts=NAMES))
    assert 4.9 < one.right == other.left < 5.3
    [[_, one]], [[_, other]] = narrow.parts(layout(DrawnPanel(PANEL, reach=5.4), shifted(3.0, begins=5.3), texts=NAMES))
    assert one.right == other.left > 5.4


def test_names_beside_a_later_panel_show_nothing_of_the_first_panels_axis() -> None:
    first = DrawnPanel(PANEL, begins=2.42, lower=2.42)
    [[one, _]], [[other, _]] = narrow.parts(layout(first, shifted(3.0), texts=NAMES))
    assert one.right == pytest.approx(PANEL.left - narrow.EDGE) and other.right == pytest.approx(2.4)
    first = DrawnPanel(PANEL, begins=2.3, lower=2.42)  # an upright axis with labels of its own
    [[one, _]], [[other, _]] = narrow.parts(layout(first, shifted(3.0), texts=NAMES))
    assert one == other


def test_a_wide_panel_is_cut_between_its_columns_into_even_parts_that_cover_it() -> None:
    wide = Rect(2.5, 1.0, 10.5, 2.0)
    cuts = tuple(2.5 + step for step in range(1, 8))
    parts = [line for [line] in narrow.parts(layout(DrawnPanel(wide, cuts, columns=True), texts=NAMES))]
    ends = [part[-1].right for part in parts]
    assert len(parts) > 2 and all(part[0] == parts[0][0] for part in parts)  # names in each
    assert all(end in cuts for end in ends[:-1]) and ends[-1] >= wide.right
    assert [part[-1].left for part in parts[1:]] == ends[:-1]


def test_the_space_behind_the_last_column_makes_no_part_of_its_own() -> None:
    wide = Rect(2.5, 1.0, 9.1, 2.0)  # eleven columns
    cuts = tuple(2.5 + 0.6 * step for step in range(1, 11))
    parts = narrow.parts(layout(DrawnPanel(wide, cuts, columns=True), texts=NAMES))
    columns = [sum(part[0][-1].left < cut <= part[0][-1].right for cut in (*cuts, wide.right)) for part in parts]
    assert sum(columns) == 11 and min(columns) > 1


def test_bars_with_names_are_never_cut() -> None:
    wide = Rect(2.5, 1.0, 10.5, 2.0)
    assert len(narrow.parts(layout(DrawnPanel(wide, (5.0, 7.0)), texts=NAMES))) == 1


def test_titles_stay_with_their_strip_and_legends_break_into_lines() -> None:
    title, lower = Rect(2.5, 2.3, 3.0, 2.4), DrawnPanel(Rect(2.5, 2.5, 4.5, 2.9))
    entries = tuple(Rect(4 + at * 2.4, 0.1, 6 + at * 2.4, 0.25) for at in range(3))
    told = narrow.parts(layout(DrawnPanel(PANEL), lower, texts=(title,), legend=entries))
    first, second, upper, under = (line for [line] in told)
    assert first[0].right > entries[1].right or second[0].left < entries[1].left
    assert upper[0].bottom == under[0].top < title.top


GRID = [Rect(left, top, left + 2, top + 0.8) for top in (1.0, 2.1, 3.2) for left in (2.5, 5.5)]
TITLES = (Rect(2.5, 0.8, 3.0, 0.9), Rect(5.5, 0.8, 6.0, 0.9))


def grid(*more: Rect) -> list[narrow.Part]:
    """The parts of three rows of panels, with titles above the first row and axis labels below the last one."""
    names = tuple(Rect(1.2, top + 0.3, 2.4, top + 0.4) for top in (1.0, 2.1, 3.2))
    panels = [DrawnPanel(each, axis=each.top == 3.2) for each in GRID]
    return narrow.parts(Layout(11.4, 0.56, 4.4, panels, (*TITLES, *names, *more), ()))


def test_each_panel_of_a_grid_stands_between_its_columns_title_and_its_columns_axis() -> None:
    upper, _, middle, right, last, _ = grid()
    assert [len(part) for part in (upper, middle, right, last)] == [2, 3, 3, 2]  # its title, its axis
    head, panel, foot = right
    assert head[-1].top < TITLES[1].top < TITLES[1].bottom < head[-1].bottom < GRID[0].top
    assert (head[-1].left, head[-1].right) == (panel[-1].left, panel[-1].right) and head[-1].left < TITLES[1].left
    assert foot[-1].top == GRID[-1].bottom + narrow.EDGE and foot[-1].bottom == 4.4 and upper[-1] != foot
    assert panel[0].left < 1.2 < 2.4 < panel[0].right  # and beside the name of its row


def test_a_row_of_panels_with_titles_of_its_own_takes_none_from_above() -> None:
    own = Rect(2.5, 1.9, 3.0, 1.98)
    *_, middle, _, last, _ = grid(own)
    assert len(middle) == 2 and middle[0][-1].top < own.top  # itself, and the axis
    assert last[0][-1].top < own.top < own.bottom < last[0][-1].bottom


def test_what_a_file_says_of_its_parts_is_read_again_and_other_texts_are_not() -> None:
    told = narrow.spelled([[[PANEL]]], "under", "", "note")
    assert narrow.read(told) == {"narrow": [[[[2.5, 1.0, 2.0, 1.0]]]], "under": "under", "words": "", "note": "note"}
    assert narrow.read("a title") == narrow.read("{}") == narrow.read("[1]") == {}


def drawn(folder: Path, draw: Callable[[charts.Sheet], None]) -> str:
    def sheet() -> charts.Sheet:
        made = charts.sheet(charts.WIDTH, 3)
        made.heading("Title", "what it shows")
        made.small_print("what it rests on")
        draw(made)
        return made

    charts.draw({"figure-x": sheet}, folder, lambda name: name)
    return (folder / "figure-x.svg").read_text(encoding="utf-8")


def bars(sheet: charts.Sheet) -> None:
    for left in (2.5, 5.5, 8.5):
        sheet.text(2.4, 1.5, "a name", ha="right")
        axes = sheet.panel(left, 1, 2, 1)
        axes.barh([0], [1])
        axes.annotate("words beside it", (1, 0), xycoords="axes fraction", xytext=(5, 5), textcoords="offset points")


def test_a_page_shows_the_parts_as_views_of_the_one_drawing_with_its_words_as_text(tmp_path: Path) -> None:
    made = report.figure(drawn(tmp_path, bars), "figure-x", "a figure")
    root = ElementTree.fromstring(made)
    assert root.get("class") == "folds" and made.count('id="figure-x-whole"') == 1
    views = root.findall("div/svg")
    assert len(views) == 3 and all(len(view.findall("svg/use[@href='#figure-x-whole']")) == 2 for view in views)
    widths = [float(view.get("width", "").removesuffix("pt")) / 72 for view in views]
    assert max(widths) <= narrow.MOST
    assert [each.text for each in root.findall("div/p")] == ["what it shows", "what it rests on"]


def test_a_figures_file_carries_its_title(tmp_path: Path) -> None:
    assert report.titled(drawn(tmp_path, bars)) == "figure-x.svg"
    assert report.titled('<svg viewBox="0 0 1 1"/>') == ""


def test_a_sheet_without_panels_is_its_words(tmp_path: Path) -> None:
    svg = drawn(tmp_path, lambda sheet: sheet.text(0.2, 1, "There is nothing to draw."))
    root = ElementTree.fromstring(report.figure(svg, "figure-x", "a figure"))
    assert "There is nothing to draw." in [each.text for each in root.findall("div/p")]
    assert not root.findall("div/svg")


def test_a_figure_from_elsewhere_has_no_narrow_form() -> None:
    made = report.figure('<svg viewBox="0 0 1 1"><rect/></svg>', "figure-x", "a figure")
    assert "folds" not in made and "narrow" not in made


def test_the_head_names_the_manifest_and_each_model_and_says_who_says_the_date() -> None:
    models: dict[str, dict[str, Any]] = {"a": {"provider": "p"}, "b": {"provider": "baseline", "stand_in": True}}
    head = report.head({"name": "m<1>", "models": {"a": "p/a-1"}}, models)
    words = re.sub("<[^>]*>", " ", head)
    assert "m&lt;1&gt;" in head and "p/a-1" in words and "baseline (stand-in)" in " ".join(words.split())
    assert "<code>harness get RUN report.html -o FILE</code>" in head and "`" not in head
    assert "Manifest" not in report.head({}, models)
