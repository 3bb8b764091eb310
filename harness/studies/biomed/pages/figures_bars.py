"""Figures of rates by model, blocked answers by category (Fig. S8), and the balance of yes and no by template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import interval, number, section
from harness.studies.biomed.measures.rates import ACCURACY, AR, RQR, SR
from harness.studies.biomed.pages import outputs
from harness.studies.biomed.pages.figures_basis import FigureBasis, listed
from harness.studies.biomed.pages.figures_rows import (
    BLUE,
    ORANGE,
    RowChart,
    RowPanel,
    bar,
    beside,
    dot,
    row_chart,
    spelled,
)
from harness.studies.biomed.terms import BLOCKED, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHOLE, HALVES = (0.0, 1.0), (0.0, 0.5, 1.0)
RATES: Mapping[str, tuple[str, str]] = {
    AR: ("AR", "stated not to know, of all"),
    RQR: ("RQR", "good, of all"),
    SR: ("SR", "not known, of not good"),
    ACCURACY: ("Answered accuracy", "OURS: good, of answered"),
}
GAIN = "gain"
NO, YES = "#e9b48f", "#a9cde2"  # pale, because marks are drawn over them


def safety(basis: FigureBasis) -> charts.Sheet:
    """Draw AR, RQR, SR, answered accuracy and the gain over random refusal of each model, from `performance`."""
    names = [name for name in basis.models if basis.answered(name)]
    panels = [
        RowPanel(title, under, WHOLE, HALVES, partial(_rate, basis, rate)) for rate, (title, under) in RATES.items()
    ]
    gains = [value for name in names if (value := number(basis.told(name).get(GAIN))) is not None]
    most = max([0.2, *(abs(value) for value in gains)])
    panels.append(
        RowPanel(
            "Gain",
            "OURS: over random refusal",
            (-most, most),
            (-round(most, 1), 0, round(most, 1)),
            partial(_gain, basis),
        )
    )
    intervals = (
        "Line: the published interval; answered accuracy has none in this mode."
        if basis.mode == PAPER
        else "Thick line: 95 % interval for other answers to these templates; thin: for other templates (OURS)."
    )
    note = basis.note(
        intervals,
        "SR holds nothing beyond AR and RQR: refusing more answers at random raises it. Gain: SR less what refusing "
        "the same share at random would reach, so 0 says that a model knows no better than chance when it does not "
        "know; below 0 the bar is orange. What is undefined has no dot.",
        _absent(basis, names),
    )
    under = "Shares from 0 to 1; the gain is a difference."
    return row_chart(RowChart(outputs.TITLES[outputs.SAFETY], under, names, panels, note, len(panels), basis.grey))


def _rate(basis: FigureBasis, rate: str, axes: Axes, at: int, name: str) -> None:
    found = basis.rate(name, rate) or _accuracy(basis.told(name).get("counts", {}), rate)
    value = number(found)
    if value is None:
        beside(axes, at, "\N{EM DASH}", charts.MUTED)
        return
    inner = interval(section(found, "rows")) or interval(section(found, "official"))
    dot(axes, at, value, inner=inner, outer=interval(section(found, "templates")))
    beside(axes, at, spelled(value))


def _accuracy(counts: Mapping[str, Any], rate: str) -> Any:
    """Return answered accuracy from counts if the document has no such rate, as the published table has none."""
    good, bad = number(counts.get("good")), number(counts.get("bad"))
    if rate != ACCURACY or good is None or bad is None or not good + bad:
        return {}
    return {"value": good / (good + bad)}


def _gain(basis: FigureBasis, axes: Axes, at: int, name: str) -> None:
    value = number(basis.told(name).get(GAIN))
    if value is None:
        beside(axes, at, "\N{EM DASH}", charts.MUTED)
        return
    bar(axes, at, value, BLUE if value >= 0 else ORANGE)
    beside(axes, at, spelled(value))


def refusals(basis: FigureBasis) -> charts.Sheet:
    """Draw Fig. S8 from the map `blocked` of `categories`: blocked answers by biological category, one panel per model.

    Models without a blocked answer are named in the small print.
    """
    found = section(basis.documents.get("categories"), "graders", basis.grader)
    drawn = section(found, "kinds", "biological", BLOCKED)
    order, values = found.get("order") or [], drawn.get("values") or []
    shares = {
        model: {name: number(row[at]) for name, row in zip(drawn.get("categories") or [], values, strict=True)}
        for at, model in enumerate(order)
    }
    met = [model for model in basis.models if any(shares.get(model, {}).values())]
    most = 100 * max([0.01, *(value for model in met for value in shares[model].values() if value)])
    panels = [
        RowPanel(model, "% of the answers", (0.0, most), (0.0, most), partial(_share, shares[model])) for model in met
    ]
    asked = [model for model, own in shares.items() if any(share is not None for share in own.values())]
    without = [model for model in asked if model not in met]
    note = basis.note(
        "Blocked: an error whose text names dangerous content, or an end by a content filter; of all answers to the "
        "questions of a category, which count once in each of their labels. The paper shows one model.",
        f"Without a blocked answer: {listed(without)}." if without else "",
        grey=False,
    )
    rows = [str(name) for name in drawn.get("categories") or []]
    under = "Percent of the answers; all panels end at the greatest."
    chart = RowChart(outputs.TITLES[outputs.REFUSALS], under, rows, panels, note, min(4, max(len(met), 2)))
    return row_chart(chart, "No answer was blocked." if asked else "No document counts blocked answers by category.")


def _share(shares: Mapping[str, float | None], axes: Axes, at: int, name: str) -> None:
    value = shares.get(name)
    if value is None:
        beside(axes, at, "NA", charts.MUTED)
        return
    bar(axes, at, 100 * value, ORANGE)
    beside(axes, at, f"{100 * value:.1f}")


def verdicts(basis: FigureBasis) -> charts.Sheet:
    """Draw the balance of yes and no of each template, and beside it every model's RQR there, from `performance`."""
    templates = section(basis.documents.get("performance"), "templates")
    known = [name for name in templates if number(templates[name].get("always_no")) is not None]
    rates = {name: _rates_of(basis, name) for name in known}
    panels = [
        RowPanel(
            "Always yes, always no",
            "blue: yes; orange: no; of the questions of yes or no",
            WHOLE,
            HALVES,
            partial(_balance, templates),
            1.1,
        ),
        RowPanel(
            "RQR of each model",
            "a dot a model; bar: the better word",
            WHOLE,
            HALVES,
            partial(_beside_balance, templates, rates),
            0.1,
        ),
    ]
    note = basis.note(
        "What one word throughout would get right is no model's doing: a model whose dot lies left of the bar gets "
        "less right than that word would. Other templates ask for no yes or no. A response is good from "
        "grade 2 on, which may take more than the right word.",
        "Filled: models; hollow: stand-ins.",
        grey=False,
    )
    under = "Templates with questions of yes or no, and how many."
    chart = RowChart(outputs.TITLES[outputs.VERDICTS], under, known, panels, note, 2)
    return row_chart(chart, "No question is known to be one of yes or no.")


def _rates_of(basis: FigureBasis, template: str) -> list[tuple[float, bool]]:
    found = []
    for name in basis.models:
        value = number(section(basis.told(name), "by_template", template).get(RQR))
        if value is not None:
            found.append((value, basis.stand_ins[name]))
    return found


def _balance(templates: Mapping[str, Mapping[str, Any]], axes: Axes, at: int, name: str) -> None:
    own = templates[name]
    yes, no = number(own.get("always_yes")) or 0.0, number(own.get("always_no")) or 0.0
    bar(axes, at, yes, YES)
    axes.barh([at], [no], left=[yes], height=0.62, color=NO, linewidth=0, zorder=2)
    beside(axes, at, f"{number(own.get('n_yes')) or 0:,.0f} yes, {number(own.get('n_no')) or 0:,.0f} no")


def _beside_balance(
    templates: Mapping[str, Mapping[str, Any]],
    rates: Mapping[str, Sequence[tuple[float, bool]]],
    axes: Axes,
    at: int,
    name: str,
) -> None:
    best = max(number(templates[name].get(word)) or 0.0 for word in ("always_yes", "always_no"))
    axes.plot([best, best], [at - 0.42, at + 0.42], color=charts.INK, linewidth=1.6, zorder=3)
    for value, is_stand_in in rates[name]:
        face = charts.PAPER if is_stand_in else BLUE
        axes.plot(
            [value],
            [at],
            marker="o",
            markersize=4.5,
            linestyle="none",
            markerfacecolor=face,
            markeredgecolor=BLUE,
            markeredgewidth=0.8,
            alpha=0.75,
            zorder=4,
        )


def _absent(basis: FigureBasis, names: Sequence[str]) -> str:
    absent = [name for name in basis.models if name not in names]
    return f"Without a graded answer: {listed(absent)}." if absent else ""
