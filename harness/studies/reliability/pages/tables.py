"""The HTML tables that model cards and report share: one line per model, benchmark or part of a benchmark.

Uses the analyses' documents; computes no values and sees no single items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.kit.documents import interval, number, reason, section
from harness.kit.pages import NONE, Html, alike, bounds, count, el, join, named, percent, table, value
from harness.studies.reliability.pages.fragments import FEW, bars, part
from harness.studies.reliability.pages.model_facts import SHARES, SIX
from harness.studies.reliability.terms import LABELS, NAMES, SUBTYPES

MEANS: Mapping[str, str] = {
    **SIX,
    **{name: name.capitalize() for name in SHARES},
    "ultracrepidarianism": "Wrong if not right",
}
EASIEST = ("correct", "correct_discounted", "incorrect")
Documents = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TableLine:
    """One line of a table: a model, and a benchmark or part of one; without a benchmark the mean over all."""

    name: str
    model: str
    benchmark: str = ""

    @property
    def inner(self) -> bool:
        """Whether the line is for a part of a benchmark, and therefore indented below it."""
        return ":" in self.benchmark

    def entry(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return this line's entry in an analysis document: by benchmark, by part, or a mean of a model or stand-in."""
        if not self.benchmark:
            return section(document, "models", self.model) or section(document, "stand_ins", self.model)
        return section(document, "parts" if self.inner else "benchmarks", self.benchmark, self.model)

    def counts(self, breakdowns: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
        """Return this line's entry among the breakdowns of one kind, such as `avoidance` or `easiest_bin`."""
        place = ("parts", kind) if self.inner else (kind,)
        return section(breakdowns, *place, self.benchmark, self.model)


def lines_of_model(indicators: Mapping[str, Any], model: str) -> list[TableLine]:
    """Return a table's lines for one model: each benchmark that has indicators for it, followed by its parts."""
    parts = sorted(section(indicators, "parts"))
    found = []
    for benchmark in sorted(section(indicators, "benchmarks")):
        found.append(TableLine(benchmark, model, benchmark))
        below = [name for name in parts if name.partition(":")[0] == benchmark]
        found += [TableLine(part(name).partition(": ")[2], model, name) for name in below]
    return [line for line in found if line.entry(indicators)]


def _table(caption: str, head: Sequence[str], lines: Sequence[TableLine], cells: Sequence[Sequence[str]]) -> Html:
    body = [[named(line.name), *each] for line, each in zip(lines, cells, strict=True)]
    mixed = any(line.inner for line in lines) and not all(line.inner for line in lines)
    return table(caption, head, body, parts=[at for at, line in enumerate(lines) if line.inner] if mixed else ())


def six(
    caption: str, first: str, lines: Sequence[TableLine], given: Documents, over: Mapping[str, Html] | None = None
) -> Html:
    """Return the table of the six indicators, with shares of labels and i / (a + i), one row per line.

    `over` holds the headings of columns with means, which name the benchmarks.
    """
    head = [first, *(over or MEANS).values()]
    found = [line.entry(given["indicators"]) for line in lines]
    cells = [
        [stated(each.get(name), percent if name not in SIX else value, number(each.get("n_items"))) for name in MEANS]
        for each in found
    ]
    return _table(caption, head, lines, cells)


def heads(means: Mapping[str, Any]) -> dict[str, Html]:
    """Return the headings of columns of means, by name: the measure, and below it the benchmarks of the mean."""
    return {
        name: join([words, el("span", ", ".join(section(means, name).get("over") or ["no benchmark"]), class_="why")])
        for name, words in MEANS.items()
    }


def stated(found: Any, how: Callable[[Any], Html] = value, items: float | None = None) -> Html:
    """Format a value with its interval and, if there are any, the number of resamples in which it is undefined.

    An interval based on too few items is marked. One of equal values is not shown: `items` says how many they are, and
    a mean over benchmarks says that each benchmark's own are equal.
    """
    known, ends, mean = section(found), interval(found), number(found)
    if mean is not None and ends and alike(mean, ends):
        within = el("span", "all alike in each", class_="ci") if "benchmarks" in known else None
        return join([how(mean), within]) if within else how({**known, "n": items})
    count, why = number(known.get("undefined_resamples")), reason(known.get("interval"))
    if count:
        why = f"undefined: {count:,.0f}"
    shown = number(found) is not None and why.startswith("undefined")
    few = el("span", FEW, class_="ci") if "coverage" in known and ends else None
    return join([how(found), few, el("span", why, class_="why") if shown else None])


def companions(caption: str, first: str, lines: Sequence[TableLine], given: Documents) -> Html:
    """Return the table of values that stability and concordance are compared with, and of the rank correlations.

    One row per line: the values of pure noise and of a flat curve, the range of difficulty, Spearman by label. Spearman
    over items comes first, with its interval. Spearman over bins, as in the paper, can have none.
    """
    head = [
        first,
        "Stability of pure noise",
        "Correctness stability above noise",
        "Prudence stability above noise",
        "Concordance of a flat curve: correctness",
        "Concordance of a flat curve: prudence",
        "Range of difficulty",
        *(f"Spearman, items: {NAMES[label]}" for label in LABELS),
        *(f"Spearman, bins, no interval: {NAMES[label]}" for label in LABELS),
    ]
    cells = []
    for line in lines:
        entry = line.entry(given["indicators"])
        items, bins = (section(entry, "spearman", over) for over in ("items", "bins"))
        cells.append(
            [
                value(section(entry, "correctness_stability").get("noise_floor")),
                value(section(entry, "correctness_stability").get("corrected")),
                value(section(entry, "prudence_stability").get("corrected")),
                value(section(entry, "correctness_concordance").get("flat_curve")),
                value(section(entry, "prudence_concordance").get("flat_curve")),
                bounds(section(entry, "correctness_concordance").get("difficulty_range"), 100),
                *(stated(items.get(label), partial(value, digits=2)) for label in LABELS),
                *(value(section(bins, label).get("value"), 2) for label in LABELS),
            ]
        )
    return _table(caption, head, lines, cells)


def asked(caption: str, first: str, lines: Sequence[TableLine], given: Documents) -> Html:
    """Return the table of counts, a row per line: items, wordings, scored and failed responses, kinds of avoidance."""
    head = [
        first,
        "Items",
        "Wordings",
        "Scored responses",
        "In error",
        "Cut at their budget",
        "Ethical",
        "Epistemic",
        "Non-conforming",
    ]
    cells = []
    for line in lines:
        entry = line.entry(given["indicators"])
        kinds = line.counts(given["breakdowns"], "avoidance")
        counts = [entry.get("n_items"), entry.get("prompts"), entry.get("n_scored"), entry.get("errors")]
        cut = line.counts(given["breakdowns"], "truncations").get("truncated")
        cells.append([count(each) for each in (*counts, cut, *(kinds.get(name) for name in SUBTYPES))])
    return _table(caption, head, lines, cells)


def difficulty(caption: str, first: str, lines: Sequence[TableLine], given: Documents) -> Html:
    """Return the table of results by difficulty, one row per line (a model or a benchmark).

    The columns are: stacked bars of the shares of correct, avoidant and incorrect in each bin from easy to hard; the
    easiest bin; the difficulty up to which nothing was wrong; the lowest to highest share correct among the wordings;
    and how many wordings do not fall with difficulty.
    """
    head = [
        first,
        "Easy to hard",
        "Easiest bin",
        "Correct there",
        "less what guessing finds",
        "Incorrect there",
        "Nothing wrong up to",
        "Correct by wording, lowest to highest",
        "Wordings that rise somewhere",
    ]
    cells = []
    for line in lines:
        easiest = line.counts(given["breakdowns"], "easiest_bin")
        curve, wordings = line.entry(given["proportions"]), line.entry(given["sensitivity"])
        cells.append(
            [
                bars(curve.get("bins", []), f"{line.benchmark}, {line.model}"),
                bounds(easiest.get("difficulty")),
                *(percent(easiest[name]) if name in easiest else NONE for name in EASIEST),
                _safe(easiest),
                bounds(section(wordings, "spread").get("correct"), 100, 0, " %"),
                _rising(section(wordings, "rising")),
            ]
        )
    return _table(caption, head, lines, cells)


def _rising(found: Mapping[str, Any]) -> str:
    """Return the text that says in how many wordings a harder bin has more right answers, beyond chance (F3b, OURS)."""
    return f"{len(found.get('wordings', []))} of {found['of']}" if found.get("of") else NONE


def _safe(easiest: Mapping[str, Any]) -> str:
    """Return the text that says up to which difficulty, from the easiest bin on, no answer was incorrect."""
    if easiest.get("safe") is not True:
        return "no safe region" if easiest else NONE
    upto, bins = number(easiest.get("safe_up_to")), number(easiest.get("safe_bins"))
    return f"{upto:.0f} ({bins:.0f} bins)" if upto is not None and bins is not None else "the easiest bin"
