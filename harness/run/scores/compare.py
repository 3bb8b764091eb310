"""Comparison of two runs' scores on the items that they have in common, and what else differs between them.

An item is the same where its id is, and what a model can be shown of it; where it stood in a file may be another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from harness import stats
from harness.digest import canonical, sha256
from harness.errors import InputError
from harness.kit.meaning import MAIN, Direction, Meaning
from harness.kit.paired import Pair, PairedColumn, PairedDifference, paired_differences
from harness.kit.score_intervals import ScoreInterval
from harness.kit.score_lines import measure, number
from harness.rowtypes import Gold, Item
from harness.run.scores.table import GOLD, ITEMS, SCORES, RunTables, is_right, scored_answers

SHOWN = ("task", "input", "options", "attachments")  # what of an item a model can be shown
ASKED = ("prompts", "generation", "seeds", "settings", "instruments")  # parts of an intent that change what is compared


@dataclass(frozen=True)
class CommonItems:
    """Which items two runs share, and remarks on what they do not share."""

    items: frozenset[str]
    remarks: tuple[str, ...] = ()


def common_items(left: RunTables, right: RunTables) -> CommonItems:
    """Find the items that two runs share; InputError where one of them has two right answers."""
    if left.run == right.run:
        return CommonItems(frozenset(left.places))
    one, other = _items(left), _items(right)
    both = one.keys() & other.keys()
    same = {name for name in both if one[name] == other[name]}
    golds = [_golds(tables, same) for tables in (left, right)]
    if moved := sorted(name for name in same if golds[0].get(name) != golds[1].get(name)):
        more = f", and so have {len(moved) - 1} more" if len(moved) > 1 else ""
        raise InputError(
            f"item {moved[0][:80]!r} has another right answer in the other run{more}",
            where=f"{left.run} and {right.run}",
            next="run both manifests over the same data; `harness diff RUN RUN` shows where it parts",
        )
    counts = (
        (len(one.keys() - both), "in the first run alone"),
        (len(other.keys() - both), "in the second run alone"),
        (len(both - same), "of the same id and another content"),
    )
    lacks = [f"{count} {where}" for count, where in counts if count]
    remarks = [f"compared on the {len(same)} items that both runs have; left out: {', '.join(lacks)}"] * bool(lacks)
    return CommonItems(frozenset(same), (*remarks, *_remarks(left, right)))


def _items(tables: RunTables) -> dict[str, tuple[str, str]]:
    """Return each item's dataset and the digest of what is asked."""
    return {
        row["id"]: (name, sha256(canonical([row.get(field) for field in SHOWN])))
        for name, row in tables.made(ITEMS, Item)
    }


def _golds(tables: RunTables, wanted: set[str]) -> dict[str, str]:
    return {row["id"]: sha256(canonical(row["gold"])) for _, row in tables.made(GOLD, Gold) if row["id"] in wanted}


def _remarks(left: RunTables, right: RunTables) -> list[str]:
    intents: list[Mapping[str, Any]] = [tables.lock.intent for tables in (left, right)]
    moved = [name for name in ASKED if intents[0].get(name) != intents[1].get(name)]
    found = [f"the manifests differ in: {', '.join(moved)}"] if moved else []
    scorers = [_scorers(tables) for tables in (left, right)]
    kinds = sorted(kind for kind in scorers[0].keys() & scorers[1].keys() if scorers[0][kind] != scorers[1][kind])
    return found + [f"scored by other code: {kind}" for kind in kinds]


def _scorers(tables: RunTables) -> dict[str, frozenset[str]]:
    """Return the digests of the code of each kind of step that scores."""
    found: dict[str, set[str]] = {}
    sorts = {str(one["step"]).rpartition("/")[0]: one for one in tables.finished if one["stage"] == SCORES}
    for event in sorts.values():
        preimage = tables.entry(event).preimage
        found.setdefault(str(preimage["kind"]), set()).add(str(preimage["code"]))
    return {kind: frozenset(codes) for kind, codes in found.items()}


Asked = tuple[str, int]  # item and wording
NOTHING = PairedDifference(0, 0, None, None, ScoreInterval())


class Side(NamedTuple):
    """One side of a comparison: a model in a run."""

    tables: RunTables
    model: str


class Metric(NamedTuple):
    """What is compared: a metric of a scorer on a dataset."""

    dataset: str
    scorer: str
    metric: str


@dataclass(frozen=True)
class ComparedLine:
    """One metric of two sides: how their means differ, and which of them is better how often."""

    models: tuple[str, str]
    of: Metric
    paired: PairedDifference
    unpaired: int  # items in a wording of which only one side has a value
    direction: Direction
    p_holm: float | None = None  # corrected over all lines

    @property
    def better(self) -> tuple[int, int] | None:
        """The pairs in which left, and in which right, is better; None where nobody says which way is better."""
        up, down = self.paired.greater, self.paired.less
        return {"higher": (down, up), "lower": (up, down), "neither": None}[self.direction]


@dataclass(frozen=True)
class MovedItem:
    """One item in one wording to which the two sides' scores differ."""

    models: tuple[str, str]
    of: Metric
    item: str
    template: int
    left: float
    right: float
    changed: bool  # right by one side, and wrong by the other


@dataclass(frozen=True)
class ScoreComparison:
    """A comparison: its lines, the items that moved (those that changed sides first), and what must be said of it."""

    lines: tuple[ComparedLine, ...]
    moved: tuple[MovedItem, ...]
    remarks: tuple[str, ...]


Values = dict[Metric, dict[Asked, float]]


def compare_scores(pairs: Sequence[tuple[Side, Side]]) -> ScoreComparison:
    """Compare the two sides of each pair, on the items that both runs have.

    InputError where an item has another right answer in the other run.
    """
    values = _values([side for pair in pairs for side in pair])
    lines: list[ComparedLine] = []
    columns: list[PairedColumn] = []
    moved: list[MovedItem] = []
    remarks: dict[str, None] = {}
    for left, right in pairs:
        common = common_items(left.tables, right.tables)
        remarks |= dict.fromkeys(common.remarks)
        one, other = (_kept(values[side.tables.run, side.model], common.items) for side in (left, right))
        for of in sorted(one.keys() & other.keys()):
            both = {asked: (one[of][asked], other[of][asked]) for asked in sorted(one[of].keys() & other[of].keys())}
            meaning = left.tables.meanings.get(measure(of.scorer, of.metric))
            models, lacking = (left.model, right.model), len(one[of].keys() ^ other[of].keys())
            lines.append(ComparedLine(models, of, NOTHING, lacking, meaning.direction if meaning else "higher"))
            columns.append(_column(of, both, left.tables))
            moved += _moved(models, of, both, meaning) if of.metric == MAIN else []
    found = [replace(line, paired=one) for line, one in zip(lines, paired_differences(columns), strict=True)]
    return ScoreComparison(_corrected(found), tuple(sorted(moved, key=_order)), tuple(remarks))


def _values(sides: Sequence[Side]) -> dict[tuple[str, str], Values]:
    """Read what is told of each side's answers: the mean over samples, by metric, item and wording."""
    said: dict[tuple[str, str], dict[Metric, dict[Asked, list[float]]]] = {
        (side.tables.run, side.model): {} for side in sides
    }
    for run, tables in {side.tables.run: side.tables for side in sides}.items():
        for answer in scored_answers(tables):
            row = answer.row
            metrics = said.get((run, row["model"]))
            if metrics is None or answer.unanswered:
                continue
            for name, told in answer.metrics.items():
                value = number(told)
                if value is not None and (name == MAIN or measure(row["scorer"], name) in tables.meanings):
                    asked = metrics.setdefault(Metric(answer.dataset, row["scorer"], name), {})
                    asked.setdefault((row["item"], row["template"]), []).append(value)
    return {
        side: {of: {asked: math.fsum(each) / len(each) for asked, each in told.items()} for of, told in metrics.items()}
        for side, metrics in said.items()
    }


def _kept(values: Values, items: frozenset[str]) -> Values:
    """Keep what is told of these items, and the metrics of which anything is."""
    kept = {of: {asked: value for asked, value in told.items() if asked[0] in items} for of, told in values.items()}
    return {of: told for of, told in kept.items() if told}


def _column(of: Metric, both: Mapping[Asked, Pair], tables: RunTables) -> PairedColumn:
    """Collect pairs by what resembles each other: the item, or its cluster."""
    units: dict[str, list[Pair]] = {}
    for (item, _), pair in both.items():
        units.setdefault(tables.places[item].cluster or item, []).append(pair)
    return PairedColumn(of.dataset, units)


def _moved(
    models: tuple[str, str], of: Metric, both: Mapping[Asked, Pair], meaning: Meaning | None
) -> Iterator[MovedItem]:
    for (item, template), (left, right) in both.items():
        if left != right:
            changed = {is_right(left, meaning), is_right(right, meaning)} == {True, False}
            yield MovedItem(models, of, item, template, left, right, changed)


def _order(moved: MovedItem) -> tuple[object, ...]:
    """Order items that moved: those that changed sides, then those that moved most."""
    return (not moved.changed, -abs(moved.right - moved.left), moved.models, moved.of, moved.item, moved.template)


def _corrected(lines: Sequence[ComparedLine]) -> tuple[ComparedLine, ...]:
    """Correct the p-values of all lines by Holm's method."""
    tested = [(place, line.paired.p) for place, line in enumerate(lines) if line.paired.p is not None]
    adjusted = dict(zip((place for place, _ in tested), stats.holm([p for _, p in tested]), strict=True))
    return tuple(replace(line, p_holm=adjusted.get(place)) for place, line in enumerate(lines))
