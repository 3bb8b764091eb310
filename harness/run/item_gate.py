"""Who may see items: refuses those of gated, private and hidden data, which their owners promised not to show.

It reads what a run's lock says of each dataset, and whether an item says that it is gated; it must never know a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.errors import InputError
from harness.manifest.datasets import PRIVATE
from harness.rowtypes import Item
from harness.run.run_tables import ITEMS, RunTables


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
