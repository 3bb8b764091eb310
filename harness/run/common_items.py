"""The items that two runs have in common, and in what else the runs differ that a comparison of scores must say.

An item is the same where its id is, and what a model can be shown of it; where it stood in a file may be another. It
must never know a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.digest import canonical, sha256
from harness.errors import InputError
from harness.rowtypes import Gold, Item
from harness.run.run_tables import GOLD, ITEMS, SCORES, RunTables

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
        (len(one.keys() - both), "in the first run alone"), (len(other.keys() - both), "in the second run alone"),
        (len(both - same), "of the same id and another content"),
    )  # fmt: skip
    lacks = [f"{count} {where}" for count, where in counts if count]
    remarks = [f"compared on the {len(same)} items that both runs have; left out: {', '.join(lacks)}"] * bool(lacks)
    return CommonItems(frozenset(same), (*remarks, *_remarks(left, right)))


def _items(tables: RunTables) -> dict[str, tuple[str, str]]:
    """Give of each item its dataset and the digest of what is asked."""
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
    """Give the digests of the code of each kind of step that scores."""
    found: dict[str, set[str]] = {}
    sorts = {str(one["step"]).rpartition("/")[0]: one for one in tables.finished if one["stage"] == SCORES}
    for event in sorts.values():
        preimage = tables.entry(event).preimage
        found.setdefault(str(preimage["kind"]), set()).add(str(preimage["code"]))
    return {kind: frozenset(codes) for kind, codes in found.items()}
