"""Answers of a recorded run with their items, right answers and scores, a page at a time, in the order of the items.

Only the rows of a page are kept, however many there are. Whether they may be shown is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.rowtypes import Gold, Item, Response, Score
from harness.run.run_tables import GOLD, ITEMS, RESPONSES, RunTables
from harness.run.score_sides import is_right
from harness.run.score_table import Answer, scored_answers
from harness.studies import graded
from harness.studies.meaning import MAIN
from harness.studies.score_lines import ScoredAnswer, number


@dataclass(frozen=True)
class AnswerFilter:
    """Which answers are wanted: empty texts want any; `wrong`, those that failed or are wrong by a scorer wanted."""

    model: str = ""
    dataset: str = ""
    scorer: str = ""
    item: str = ""
    wrong: bool = False

    def takes(self, answer: ScoredAnswer) -> bool:
        """Whether a score is of an answer and by a scorer that is wanted."""
        row = answer.row
        asked = ((self.model, row["model"]), (self.scorer, row["scorer"]), (self.item, row["item"]))
        return answer.dataset == (self.dataset or answer.dataset) and all(not one or one == own for one, own in asked)


@dataclass
class ShownAnswer:
    """One answer with everything that is known of it."""

    dataset: str
    item: Item
    gold: Mapping[str, Any]
    asked: Answer
    response: Response | None = None  # none where likelihoods were measured and nothing was answered
    scores: list[Score] = field(default_factory=list)


def selected(tables: RunTables, wanted: AnswerFilter) -> list[Answer]:
    """List the answers that are wanted, in the order of the items; InputError where a name fits none."""
    seen: dict[str, set[str]] = {"model": set(), "dataset": set(), "scorer": set()}
    found: dict[Answer, bool] = {}
    for answer in scored_answers(tables):
        row = answer.row
        for name, value in (("model", row["model"]), ("dataset", answer.dataset), ("scorer", row["scorer"])):
            seen[name].add(value)
        if wanted.takes(answer):
            asked = (row["item"], row["template"], row["model"], row["sample"])
            found[asked] = found.get(asked, False) or _is_wrong(tables, answer)
    for name, known in seen.items():
        if (given := getattr(wanted, name)) and given not in known:
            raise InputError(f"no {name} {given!r} has scores", where=f"--{name}", next=f"choose of: {_list(known)}")
    if wanted.item and wanted.item not in tables.places:
        raise InputError(f"no item {wanted.item[:80]!r}", where="--item", next="`harness show RUN --items` has the ids")
    order = {name: place for place, name in enumerate(tables.places)}
    return sorted(
        (asked for asked, wrong in found.items() if wrong or not wanted.wrong),
        key=lambda asked: (order[asked[0]], *asked[1:]),
    )


def _list(known: set[str]) -> str:
    return ", ".join(sorted(known)) or "none"


def _is_wrong(tables: RunTables, answer: ScoredAnswer) -> bool:
    if answer.unanswered or graded.state(answer.row) in graded.UNSCORED:
        return True
    value = number(answer.metrics.get(MAIN))
    return value is not None and is_right(value, tables.meanings.get(answer.row["scorer"])) is False


def shown(tables: RunTables, page: Sequence[Answer], scorer: str = "") -> list[ShownAnswer]:
    """Read everything about some answers of a run, by one scorer or by all, in the order given."""
    names = {asked[0] for asked in page}
    items = {row["id"]: (name, row) for name, row in tables.made(ITEMS, Item) if row["id"] in names}
    golds = {row["id"]: row["gold"] for _, row in tables.made(GOLD, Gold) if row["id"] in names}
    found = {asked: ShownAnswer(*items[asked[0]], golds.get(asked[0], {}), asked) for asked in page}
    for row in tables.rows(RESPONSES, Response):
        if one := found.get((row["item"], row["template"], row["model"], row["sample"])):
            one.response = row
    for answer in scored_answers(tables):
        score = answer.row
        if one := found.get((score["item"], score["template"], score["model"], score["sample"])):
            one.scores += [score] if scorer in ("", score["scorer"]) else []
    return list(found.values())
