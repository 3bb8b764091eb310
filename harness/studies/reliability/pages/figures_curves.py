"""Figure 2 and the figure of wordings: shares of labels in each bin, from easy to hard.

Rule: docs/reliability-rules.md#bins. Works on shares over bins; sees no items, wordings or answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.kit import charts
from harness.kit.documents import number, section
from harness.studies.reliability.pages import outputs
from harness.studies.reliability.pages.figures_grid import Bins, GridModels, GridPanel, grid
from harness.studies.reliability.pages.model_facts import SHARES
from harness.studies.reliability.terms import GUESSED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILL: Mapping[str, str] = {"correct": "#0072b2", "avoidant": "#d5d9dc", "incorrect": "#d55e00"}
BEST: Mapping[str, Any] = {"color": FILL["correct"], "linewidth": 1.6}
WORST: Mapping[str, Any] = {"color": FILL["incorrect"], "linewidth": 1.6, "linestyle": (0, (3, 1.2))}
OTHER: Mapping[str, Any] = {"color": "#b4b4b4", "linewidth": 0.6}


def stacked(document: Mapping[str, Any], shown: GridModels) -> charts.Sheet:
    """Draw Fig. 2 from `proportions`: the shares of correct, avoidant and incorrect answers in each bin, stacked.

    One column per benchmark, one row per model.
    """
    benchmarks = section(document, "benchmarks")
    curves = {name: {model: section(benchmarks, name, model) for model in shown.rows} for name in sorted(benchmarks)}
    errors = sum(int(number(curve.get("errors")) or 0) for column in curves.values() for curve in column.values())
    note = shown.rests.small_print(
        "Bars: bins of equal size by difficulty, all wordings pooled; below a bin its range of difficulty, 0 to 100. "
        "A gap is a bin without scored responses.",
        f"Responses in error, left out of all shares: {errors:,}.",
        "Dashed line, science: a quarter of the answers that do not avoid, as guessing among four options would find."
        if GUESSED.keys() & curves.keys()
        else "",
    )
    cells = {
        name: {model: _stack(curve.get("bins", []), GUESSED.get(name, 0.0)) for model, curve in column.items()}
        for name, column in curves.items()
    }
    sheet = grid(shown, cells, outputs.TITLES["figure-2"], "Share of responses in each bin of difficulty.", note)
    _swatches(sheet)
    return sheet


def _stack(bins: Bins, guessed: float) -> GridPanel:
    shares = {name: [_share(each, name) for each in bins] for name in SHARES}
    edges = list(range(len(bins) + 1))

    def draw(panel: Axes) -> None:
        # Drawn over each other, the whole first, so that there is no seam between two colours.
        for upto in (3, 2, 1):
            heights = [math.fsum(triple) for triple in zip(*(shares[name] for name in SHARES[:upto]), strict=True)]
            panel.stairs(heights, edges, fill=True, color=FILL[SHARES[upto - 1]], linewidth=0)
        if guessed:
            given = zip(shares["correct"], shares["incorrect"], strict=True)
            tops = [guessed * (correct + wrong) for correct, wrong in given]
            panel.stairs(tops, edges, baseline=None, color=charts.INK, linewidth=1.1, linestyle=(0, (2.5, 1.5)))

    return GridPanel(bins, draw if any(math.isfinite(share) for share in shares["correct"]) else None)


def _share(found: Mapping[str, Any], name: str) -> float:
    value = number(found.get(name))
    return math.nan if value is None else value


def templates(document: Mapping[str, Any], shown: GridModels) -> charts.Sheet:
    """Draw the figure of wordings from `sensitivity`: the share correct in each bin of difficulty, a line per wording.

    One column per benchmark, one row per model; the best and the worst wording are highlighted.
    """
    benchmarks = section(document, "benchmarks")
    cells = {
        name: {model: _spread(section(benchmarks, name, model, "templates")) for model in shown.rows}
        for name in sorted(benchmarks)
    }
    note = shown.rests.small_print(
        "Each line is one wording, over the same bins of equal size; below a bin its mean difficulty, 0 to 100.",
        "Best and worst: the wordings with the most and the fewest correct responses over the whole panel.",
    )
    sub = "Share of correct responses in each bin of difficulty."
    sheet = grid(shown, cells, outputs.TITLES["figure-templates"], sub, note)
    named = (("the best wording", BEST), ("the worst", WORST), ("each other wording", OTHER))
    sheet.legend([_line2d(name, how) for name, how in named])
    return sheet


def _line2d(name: str, how: Mapping[str, Any]) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return Line2D([], [], label=name, **how)


def _spread(found: Mapping[str, Any]) -> GridPanel:
    overall = {name: _share(section(found, name), "correct") for name in found}
    known = sorted((name for name in overall if math.isfinite(overall[name])), key=lambda name: (len(name), name))
    if not known:
        return GridPanel([], None)
    lines = {
        name: [(at + 0.5, _share(each, "correct")) for at, each in enumerate(found[name].get("bins", []))]
        for name in known
    }

    def draw(panel: Axes) -> None:
        from matplotlib.collections import LineCollection  # noqa: PLC0415

        panel.set_ylim(-0.04, 1.04)  # so that a line along an edge is not clipped
        panel.add_collection(LineCollection([line for line in lines.values() if line], **OTHER))
        best, worst = max(known, key=overall.__getitem__), min(known, key=overall.__getitem__)
        for name, how in ((worst, WORST), (best, BEST)):
            across, up = zip(*lines[name], strict=True) if lines[name] else ((), ())
            panel.plot(across, up, marker="." if len(across) == 1 else "", **how)

    return GridPanel(found[known[0]].get("bins", []), draw)


def _swatches(sheet: charts.Sheet) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415

    sheet.legend([Patch(facecolor=FILL[name], label=name) for name in SHARES], handlelength=1.2, handleheight=1.0)
