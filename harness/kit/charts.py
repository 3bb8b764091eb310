"""Deterministic matplotlib figures for every study: equal data give equal bytes of SVG and PNG on any machine.

The module keeps no figure or setting between two calls, ignores matplotlibrc files, and uses only the fonts that
matplotlib ships.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import tempfile
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.kit import narrow
from harness.kit.narrow import DrawnPanel, Rect

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


DPI = 100
WIDTH = 11.4  # inches: a page's width at 100 %
HEAD = 0.56  # inches: where the title and the line under it end
BODY, SMALL, LARGE = 8.5, 7.5, 12.0  # points
INK, MUTED, LINE, BAND, PAPER = "#222222", "#5f5f5f", "#d9d9d9", "#f4f4f4", "#ffffff"
FAINT: Mapping[str, Any] = {"fontsize": SMALL, "color": MUTED}
# Okabe and Ito's colours, which colour-blind people can tell apart, without yellow, which is too pale for a line.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5f5f5f")
FONT = "DejaVu Sans"
_RC: dict[str, Any] = {
    "font.family": ["sans-serif"],
    # Text stays text in an SVG, so it can be searched and read aloud. Verdana has DejaVu's widths if that is missing.
    "font.sans-serif": [FONT, "Verdana", "sans-serif"],
    "font.size": BODY,
    "text.parse_math": False,  # a name with two dollar signs is not a formula
    "text.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "harness",
    "figure.dpi": DPI,
    "axes.titlesize": BODY,
    "axes.labelsize": BODY,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.use_locale": False,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.frameon": False,
    "legend.fontsize": SMALL,
}


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Context manager that fixes matplotlib's settings while figures are made, and restores them."""
    _load()
    import matplotlib  # noqa: PLC0415

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = _RC
        matplotlib.rcParams.update(settings)
        yield


def _load() -> None:
    """Load matplotlib without the user's settings, without searching for system fonts, and without leaving a cache."""
    kept = {name: os.environ.get(name) for name in ("MPLCONFIGDIR", "MATPLOTLIBRC", "MPL_IGNORE_SYSTEM_FONTS")}
    with tempfile.TemporaryDirectory(prefix="fonts-") as folder:
        os.environ.update(MPLCONFIGDIR=folder, MPL_IGNORE_SYSTEM_FONTS="1")
        os.environ.pop("MATPLOTLIBRC", None)
        try:
            import matplotlib.font_manager  # noqa: PLC0415, F401 - it lists the fonts when it is imported
        finally:
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


@dataclass
class Placed:
    """What stands on a sheet and where, for the sheet's narrow form."""

    panels: list[tuple[Axes, Rect, float]] = field(default_factory=list)  # axes, place, width of a column that is whole
    texts: list[Rect] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # of all texts but title, line under it and small print
    under: str = ""
    note: str = ""


@dataclass(frozen=True)
class Sheet:
    """A figure laid out in inches from its top left corner, so that no panel moves with the length of a text."""

    figure: Figure
    width: float
    height: float
    placed: Placed = field(default_factory=Placed, compare=False)

    def panel(self, left: float, top: float, width: float, height: float, column: float = 0.0) -> Axes:
        """Add axes to the sheet, placed in inches; `column` is the width of columns that a narrow form leaves whole."""
        bottom = self.height - top - height
        found: Axes = self.figure.add_axes(
            (left / self.width, bottom / self.height, width / self.width, height / self.height)
        )
        self.placed.panels.append((found, Rect(left, top, left + width, top + height), column))
        return found

    def text(self, left: float, top: float, text: str, **how: Any) -> None:
        """Write a text with its upper left corner at this position, unless `ha` or `va` say otherwise."""
        self._write(left, top, text, how)
        self.placed.words.append(text)

    def _write(self, left: float, top: float, text: str, how: Mapping[str, Any]) -> None:
        settings = {"ha": "left", "va": "top", "fontsize": BODY, **how}
        self.figure.text(left / self.width, 1 - top / self.height, text, **settings)
        self.placed.texts.append(_taken(left, top, text, settings))

    def above(self, left: float, top: float, text: str, **how: Any) -> None:
        """Write a line of bold text with its baseline at this height, as for the names of panels."""
        self.text(left, top, text, **{"va": "baseline", "fontweight": "bold", **how})

    def heading(self, title: str, under: str = "") -> None:
        """Write the figure's title, and below it one line on how to read the figure."""
        self._write(0.15, 0.12, title, {"fontsize": LARGE, "fontweight": "bold"})
        self._write(0.15, 0.40, under, {"color": MUTED})
        self.placed.under = under

    def legend(self, handles: Sequence[Any], *, top: float = 0.12, left: float | None = None, **how: Any) -> None:
        """Add a legend outside the panels, at the right edge or from `left` on; without handles, add none."""
        if handles:
            across = self.width - 0.12 if left is None else left
            settings = {"ncols": len(handles), "columnspacing": 1.5, "borderpad": 0, "borderaxespad": 0, **how}
            self.figure.legend(
                handles=list(handles),
                loc="upper right" if left is None else "upper left",
                bbox_to_anchor=(across / self.width, 1 - top / self.height),
                **settings,
            )

    def small_print(self, text: str) -> None:
        """Write small print at the foot of the sheet, such as the data that the figure is based on."""
        lines = wrapped(text, self.width - 0.3)
        self._write(0.15, self.height - 0.1, "\n".join(lines), {"va": "bottom", "linespacing": 1.3, **FAINT})
        self.placed.note = text

    def narrow_form(self) -> str:
        """Return the parts of the sheet that a small screen shows one below another (`kit/narrow.py`), as a text."""
        foot = self.height - (depth(self.placed.note, self.width) if self.placed.note else 0.0)
        self.figure.draw_without_rendering()  # only then texts and legends know where they stand
        panels = [
            DrawnPanel(at, self._cuts(axes, at, column), column > 0, *self._reach(axes), self._labelled(axes))
            for axes, at, column in self.placed.panels
        ]
        drawn = narrow.Layout(self.width, HEAD, foot, panels, self.placed.texts, list(self._entries()))
        words = "" if panels else " ".join(self.placed.words)
        return narrow.spelled(narrow.parts(drawn), self.placed.under, words, self.placed.note)

    def _reach(self, axes: Axes) -> tuple[float, float, float]:
        """Return how far to the left the words of a panel and of its lower axis go, and how far to the right."""
        box, lower = axes.get_tightbbox(), axes.xaxis.get_tightbbox()
        ends = (box.x0 / DPI, box.x1 / DPI) if box else (math.inf, 0.0)
        return ends[0], lower.x0 / DPI if lower else math.inf, ends[1]

    def _labelled(self, axes: Axes) -> bool:
        """Whether the lower axis of a panel has labels."""
        return bool(axes.get_xlabel()) or any(each.get_text() for each in axes.get_xticklabels())

    def _cuts(self, axes: Axes, at: Rect, column: float) -> tuple[float, ...]:
        """Return where a panel may be cut: between two columns, or half way between two ticks of its lower axis."""
        if column:
            return tuple(at.left + column * place for place in range(1, round(at.width / column)))
        low, high = axes.get_xlim()
        ticks = [at.left + at.width * (tick - low) / (high - low) for tick in axes.get_xticks() if low <= tick <= high]
        return tuple((one + other) / 2 for one, other in pairwise(ticks)) if axes.get_xscale() == "linear" else ()

    def _entries(self) -> Iterator[Rect]:
        """Yield the place of each entry of the legend: its handle and its words."""
        for legend in self.figure.legends:
            for handle, words in zip(legend.legend_handles, legend.get_texts(), strict=True):
                both = [one.get_window_extent() for one in (handle, words) if one is not None]
                left, right = min(one.x0 for one in both), max(one.x1 for one in both)
                low, high = min(one.y0 for one in both), max(one.y1 for one in both)
                yield Rect(left / DPI, self.height - high / DPI, right / DPI, self.height - low / DPI)


def _taken(left: float, top: float, text: str, how: Mapping[str, Any]) -> Rect:
    """Return the place that a text takes, which may be turned upright."""
    points = float(how["fontsize"])
    bold = 1.12 if how.get("fontweight") == "bold" else 1.0
    lines = text.split("\n")
    width = bold * max(math.fsum(_advance(char) for char in line) for line in lines) * points / 72
    height = len(lines) * 1.25 * points / 72
    if how.get("rotation") == 90:
        width, height = height, width
    before = {"left": 0.0, "center": 0.5, "right": 1.0}[how["ha"]] * width
    above = {"top": 0.0, "center": 0.5, "bottom": 1.0, "baseline": 0.8}[how["va"]] * height
    return Rect(left - before, top - above, left - before + width, top - above + height)


Drawer = Callable[[], Sheet]


def sheet(width: float, height: float) -> Sheet:
    """Return an empty sheet of this size in inches; call it inside `drawing`."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Sheet(Figure(figsize=(width, height), facecolor=PAPER), width, height)


def wrapped(text: str, width: float) -> list[str]:
    """Break small print into lines that fit a width in inches."""
    return textwrap.wrap(text, int(width * 72 / (0.56 * SMALL)), break_long_words=True)


def depth(text: str, width: float = WIDTH) -> float:
    """Return the height in inches of small print at the foot of a sheet, including the space above it."""
    return 0.25 + len(wrapped(text, width - 0.3)) * SMALL * 1.42 / 72


def label(text: str, width: float = 2.0, points: float = BODY) -> str:
    """Sanitise a text for a figure: no control characters, only the font's letters, the middle cut out to fit."""
    shown = "".join(_shown(char) for char in unicodedata.normalize("NFC", text))
    shown = " ".join(shown.split()) or "(no name)"
    room = width * 72 / points
    if math.fsum(_advance(char) for char in shown) <= room:
        return shown
    room = (room - _advance("…")) / 2
    return f"{_within(shown, room)}…{_within(shown[::-1], room)[::-1]}"


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    if category in ("Cf", "Mn", "Me"):  # marks that change the text direction, are invisible, or combine with a letter
        return ""
    return char if ord(char) in _letters() else "\N{REPLACEMENT CHARACTER}"


def _within(text: str, room: float) -> str:
    """Return the longest beginning of a text that fits a width, in units of the font size."""
    taken = 0.0
    for place, char in enumerate(text):
        taken += _advance(char)
        if taken > room:
            return text[:place]
    return text


@functools.cache
def _letters() -> frozenset[int]:
    return frozenset(_font().get_charmap()) & frozenset(_font("DejaVuSans-Bold.ttf").get_charmap())


@functools.cache
def _advance(char: str) -> float:
    """Return the width of a letter, in units of the font size."""
    from matplotlib.ft2font import LoadFlags  # noqa: PLC0415

    glyph = _font().load_char(ord(char), flags=LoadFlags.NO_SCALE)
    return float(glyph.horiAdvance / _font().units_per_EM)


@functools.cache
def _font(name: str = "DejaVuSans.ttf") -> Any:
    from matplotlib import get_data_path  # noqa: PLC0415
    from matplotlib.ft2font import FT2Font  # noqa: PLC0415

    return FT2Font(os.path.join(get_data_path(), "fonts", "ttf", name))


def save(sheet: Sheet, svg: Path, png: Path, title: str) -> None:
    """Save a figure as SVG and PNG; equal figures give equal bytes at any time on any machine.

    The SVG also says which parts a small screen shows one below another (`pages.figure`).
    """
    figure = sheet.figure
    # No date, version or program name, so that the bytes depend on the drawing alone.
    silent = {"Date": None, "Creator": None, "Format": None, "Type": None}
    told = {**silent, "Title": title, "Description": sheet.narrow_form()}
    figure.savefig(svg, format="svg", backend="svg", metadata=told)
    figure.savefig(png, format="png", backend="agg", dpi=DPI, metadata={"Software": None})


def draw(drawers: Mapping[str, Drawer], out: Path, title: Callable[[str], str]) -> None:
    """Draw and save every figure as SVG and PNG, in files named by the keys of `drawers`."""
    with drawing():
        for stem, drawer in drawers.items():
            save(drawer(), out / f"{stem}.svg", out / f"{stem}.png", title(f"{stem}.svg"))
