"""A comparison of two runs or two models by item, kept beside the indexes by the digests of both records."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.store.store import Store
from harness.view.index import hidden_state, index_path, open_index

FORM = "comparison/2"
PAGE = 50


def comparison_path(store: Store, runs: Sequence[str], records: Sequence[str], models: Sequence[str]) -> Path:
    """Return the path of the file with the comparison of two runs, or of two models of them.

    It is another one once the store hides other data.
    """
    name = sha256("\n".join((FORM, *runs, *records, *models, hidden_state(store))).encode())[:32]
    return index_path(store, runs[0]).with_name(f"compare-{name}.sqlite")


@dataclass(frozen=True)
class MovedRow:
    """An item in one wording whose scores differ between the two sides, with both values."""

    id: int
    left: str
    right: str
    dataset: str
    scorer: str
    item: str
    template: int
    left_value: float
    right_value: float
    changed: bool


@dataclass(frozen=True)
class Comparison:
    """A comparison that was read back: what it found, and one page of the items whose scores moved."""

    told: dict[str, Any]
    rows: tuple[MovedRow, ...]
    next: int


def read_comparison(path: Path, after: int = 0) -> Comparison:
    """Read a comparison from its file, with the page of moved items that follows the one numbered `after`."""
    with contextlib.closing(open_index(path)) as kept:
        [told] = kept.execute("SELECT value FROM meta WHERE name = 'told'").fetchone()
        found = kept.execute("SELECT * FROM moved WHERE id > ? ORDER BY id LIMIT ?", (after, PAGE + 1)).fetchall()
    rows = [MovedRow(*one) for one in found]
    return Comparison(json.loads(told), tuple(rows[:PAGE]), rows[PAGE - 1].id if len(rows) > PAGE else 0)
