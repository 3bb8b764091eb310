"""The scores of a run together with facts about their items: dataset, groups and cluster.

Reads the tables `items` and `scores`. Does not use the text of questions, targets or answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.kit.meaning import plain_metrics
from harness.kit.score_lines import ScoredAnswer
from harness.rowtypes import Item, Score

LONGEST = 100  # characters of a group's name; a longer one is cut and ends with a digest
NO_GROUP = "(empty)"


class GroupedItem(NamedTuple):
    """An item's dataset, cluster and group values, which are known before any model is asked."""

    dataset: str
    groups: Mapping[str, str]  # by column
    cluster: str


@dataclass(frozen=True)
class ScoredItems:
    """All items of a run by id, and all scores in the order of their table."""

    items: Mapping[str, GroupedItem]
    answers: Sequence[ScoredAnswer]

    @classmethod
    def read(cls, inputs: Mapping[str, Path]) -> ScoredItems:
        """Read the tables of items and scores; raise InputError for a score of an unknown item."""
        items = {row["id"]: _facts(row) for row in rows.read(inputs["items"], Item)}
        return cls(items, [_answer(items, row) for row in rows.read(inputs["scores"], Score)])

    def datasets(self) -> dict[str, list[GroupedItem]]:
        """Return the items' clusters and groups, by dataset."""
        found: dict[str, list[GroupedItem]] = {}
        for item in self.items.values():
            found.setdefault(item.dataset, []).append(item)
        return found


def _facts(row: Item) -> GroupedItem:
    meta: Mapping[str, Any] = row["meta"]
    groups = {str(column): _name(str(value)) for column, value in (meta.get("group") or {}).items()}
    return GroupedItem(row["task"], groups, str(meta.get("cluster") or ""))


def _name(text: str) -> str:
    shown = text.strip() or NO_GROUP
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}… {sha256(shown.encode())[:8]}"


def _answer(items: Mapping[str, GroupedItem], row: Score) -> ScoredAnswer:
    if row["item"] not in items:
        raise InputError(f"a score of item {row['item'][:LONGEST]}, which is not in items", where="scores")
    item = items[row["item"]]
    return ScoredAnswer(item.dataset, row, plain_metrics(row), cluster=item.cluster)
