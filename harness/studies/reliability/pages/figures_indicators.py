"""Figure 1: the six indicators of every model, with their intervals, grouped by family.

Rule: docs/reliability-rules.md#aggregation. Draws values that were computed elsewhere; sees no labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import interval, number, section
from harness.studies.reliability.pages import model_facts, outputs
from harness.studies.reliability.pages.model_facts import RAW, SHAPED, SIX, STAND_IN, UNSAID, kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS: Mapping[str, str] = {RAW: "o", SHAPED: "D", STAND_IN: "s", UNSAID: "^"}
NAMES_WIDTH, GAP, ROW, TOP = 2.35, 0.16, 0.235, 1.36
FLOOR = 100 / (1 + 0.5**0.5)  # the lowest possible concordance on the unit scale
FIRST = ("correctness_proportion", "correctness_stability", "correctness_concordance")
ORDER = (*FIRST, *(name for name in SIX if name not in FIRST))


def indicators(document: Mapping[str, Any], models: model_facts.Models, rests: model_facts.Basis) -> charts.Sheet:
    """Draw Fig. 1 from `indicators`: a panel per indicator, a row per model, each value a mean with its interval."""
    grouped = model_facts.families(models)
    lines = _lines(grouped)
    note = rests.small_print(
        "Each value is an unweighted mean, in a panel over the same benchmarks for all: those where the value of every "
        f"model is defined. {_left_out(document)}",
        "Stand-ins stand apart: they choose no benchmark." if STAND_IN in map(kind, models.values()) else "",
        f"No concordance lies in the hatched part, below {FLOOR:.1f}: it is read against its companions, never alone. "
        "Prudence is not accuracy: who never answers has a prudence of 100.",
        intervals=True,
    )
    height = TOP + max(len(lines), 1) * ROW + 0.32 + charts.depth(note)
    sheet = charts.sheet(charts.WIDTH, height)
    sheet.heading(
        outputs.TITLES["figure-1"],
        "0 to 100, more is better. The bar behind a mark is its interval.",
    )
    _legend(sheet, sorted({kind(facts) for facts in models.values()}, key=model_facts.KINDS.index))
    width = (charts.WIDTH - NAMES_WIDTH - 0.2 - 5 * GAP) / 6
    _names(sheet, lines)
    for place, name in enumerate(ORDER):
        panel = sheet.panel(NAMES_WIDTH + place * (width + GAP), TOP, width, max(len(lines), 1) * ROW)
        for line, word in enumerate(SIX[name].split()):
            sheet.above(NAMES_WIDTH + place * (width + GAP), TOP - 0.41 + 0.16 * line, word)
        sheet.above(
            NAMES_WIDTH + place * (width + GAP), TOP - 0.09, _over(document, name), fontweight="normal", **charts.FAINT
        )
        _frame(panel, name, lines)
        for at, (family, model) in enumerate(lines):
            if model:
                colour = charts.COLOURS[list(grouped).index(family) % len(charts.COLOURS)]
                stated = section(document, "models", model) or section(document, "stand_ins", model)
                _row(panel, at, stated.get(name), kind(models[model]), colour)
    sheet.small_print(note)
    return sheet


def _lines(grouped: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the contents of each row: a family's name, then its models."""
    return [(family, model) for family, members in grouped.items() for model in ("", *members)]


def _frame(panel: Axes, name: str, lines: Sequence[tuple[str, str]]) -> None:
    panel.set(xlim=(-4, 104), ylim=(max(len(lines), 1) - 0.5, -0.5), yticks=[])
    panel.set_xticks([0, 25, 50, 75, 100], labels=["0", "", "50", "", "100"])
    panel.grid(axis="x")
    panel.spines["left"].set_visible(False)
    panel.tick_params(axis="x", length=0)
    for at, (family, model) in enumerate(lines):
        if model and at % 2:
            panel.axhspan(at - 0.5, at + 0.5, color=charts.BAND, zorder=0, linewidth=0)
        if at and not model and family == model_facts.STAND_INS:
            panel.axhline(at - 0.5, color=charts.LINE, linewidth=1)
    if name.endswith("concordance"):
        panel.axvspan(-4, FLOOR, facecolor="none", edgecolor=charts.LINE, hatch="////", linewidth=0, zorder=0.4)


def _names(sheet: charts.Sheet, lines: Sequence[tuple[str, str]]) -> None:
    room, right = NAMES_WIDTH - 0.25, NAMES_WIDTH - 0.09
    for at, (family, model) in enumerate(lines):
        middle = TOP + (at + 0.5) * ROW
        if model:
            sheet.text(right, middle, charts.label(model, room), ha="right", va="center")
        else:
            how: Mapping[str, Any] = {"ha": "right", "va": "center", "fontweight": "bold", "color": charts.MUTED}
            sheet.text(right, middle + 0.08 * ROW, charts.label(family, 0.88 * room), **how)


def _row(panel: Axes, at: int, value: Any, what: str, colour: str) -> None:
    """Draw one model's value and its interval, or the words "no value"; marks of raw models are hollow."""
    found, bounds = number(value), interval(value)
    if found is None:
        panel.text(50, at, "no value", ha="center", va="center", fontsize=charts.SMALL, color=charts.MUTED)
        return
    if bounds:
        panel.plot(bounds, (at, at), color=colour, linewidth=9.5, alpha=0.3, solid_capstyle="butt", zorder=2)
    inside = charts.PAPER if what == RAW else colour
    size = 3.6 if what == SHAPED else 4.2
    panel.plot(
        [found],
        [at],
        marker=MARKS[what],
        markersize=size,
        markerfacecolor=inside,
        markeredgecolor=colour,
        markeredgewidth=1.2,
        linestyle="none",
        zorder=3,
        clip_on=False,
    )


def _over(document: Mapping[str, Any], name: str) -> str:
    """Return the text that says how many of the run's benchmarks a panel's means cover."""
    counted = len(section(document, "means", name).get("over", ()))
    return f"over {counted} of {len(section(document, 'benchmarks'))} benchmarks"


def _left_out(document: Mapping[str, Any]) -> str:
    """Return the text that names the benchmarks that means leave out, by indicator."""
    said = {name: ", ".join(section(document, "means", name, "left_out")) for name in ORDER}
    words = "; ".join(f"{SIX[name].lower()}: {which}" for name, which in said.items() if which)
    return f"Left out, as a model is always or never right there, or nothing varies: {words}." if words else ""


def _legend(sheet: charts.Sheet, kinds: Sequence[str]) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    marks = [
        Line2D(
            [],
            [],
            marker=MARKS[what],
            linestyle="none",
            markersize=5,
            markeredgecolor=charts.INK,
            markeredgewidth=1.2,
            markerfacecolor=charts.PAPER if what == RAW else charts.INK,
            label=what,
        )
        for what in kinds
    ]
    sheet.legend(marks, handletextpad=0.2)
