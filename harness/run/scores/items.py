"""Items of a run beside their answers, selected and shown; those of gated, private and hidden data are refused.

What may be shown is read from what the run's lock says of each dataset, and from an item that says it is gated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.kit import graded
from harness.kit.meaning import MAIN
from harness.kit.score_lines import ScoredAnswer, number
from harness.manifest.datasets import PRIVATE
from harness.rowtypes import Gold, Item, Response, Score
from harness.run.scores.table import GOLD, ITEMS, RESPONSES, Answer, RunTables, is_right, scored_answers


def require_showable(tables: RunTables, dataset: str = "") -> None:
    """Refuse to show items of a run, or of one of its datasets, where one of them is gated, private or hidden."""
    held = _closed(tables)
    asked = {dataset} if dataset else {place.dataset for place in tables.places.values()}
    for name in sorted(asked & held.keys()):
        others = sorted({place.dataset for place in tables.places.values()} - held.keys())
        raise InputError(
            f"items of dataset {name!r} are not shown: {held[name]}",
            where=tables.run,
            next=f"--dataset NAME shows those of: {', '.join(others)}" if others else "`harness scores RUN` has means",
        )


def _closed(tables: RunTables) -> dict[str, str]:
    """Say of each dataset whose items are not shown why."""
    said: Mapping[str, Mapping[str, Any]] = tables.lock.intent["datasets"]
    private = {name for name, one in said.items() if str(one.get("fetch", "")).startswith(PRIVATE)}
    found: dict[str, str] = {}
    for name, one in said.items():
        if own := _named(one) & private | {name} & private:
            found[name] = f"it is made from the private file {min(own)!r}, which nobody publishes"
    for split, one in ((tables.lock.intent.get("agents") or {}).get("splits") or {}).items():
        if one.get("hidden"):
            named = one.get("datasets") or [name for name, made in said.items() if "fetch" not in made]
            found |= dict.fromkeys(named, f"the split {split!r} is hidden from agents, who may read a terminal")
    for name, item in tables.made(ITEMS, Item):
        if name not in found and item.get("meta", {}).get("gated"):
            found[name] = "it is gated: who uses it promised not to show its items"
    return found


def _named(said: Mapping[str, Any]) -> set[str]:
    """Collect the texts among what a manifest says of a dataset: the names of other datasets are among them."""
    found: set[str] = set()
    for value in said.values():
        values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        found |= {each for each in values if isinstance(each, str)}
    return found


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
