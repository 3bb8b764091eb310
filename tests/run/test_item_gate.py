"""The gate between runs and agents: what is open, summed up only, or sealed, by the manifest and by the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.run.item_gate import OPEN, SEALED, SUMMED, ItemGate, holds_back, sealed_datasets
from harness.run.scores.table import RunTables
from harness.store.attempts import SplitData, mark_hidden
from harness.store.store import Store

A, B = "a" * 64, "b" * 64
DATASETS: dict[str, Any] = {
    "owned": {"fetch": "private:owned", "sha256": A},
    "asked": {"make": "reliability.openbookqa", "questions": "owned"},
    "shared": {"fetch": "https://example.org/x", "sha256": B},
    "made": {"make": "reliability.addition", "seed": 7},
    "held": {"make": "reliability.science_demo", "from": {"file": "shared"}},
}


class Tables(SimpleNamespace):
    """What the gate reads of a run, without a run."""

    def made(self, table: str, kind: type) -> Iterator[tuple[str, dict[str, Any]]]:
        yield "made", {"id": "1"}
        yield "held", {"id": "2", "meta": {"gated": True}}


def gate(store: Store, intent: dict[str, Any], limit: int = 0) -> ItemGate:
    lock = SimpleNamespace(intent=intent, of=lambda part: {})
    return ItemGate(cast(RunTables, Tables(lock=lock, store=store, limit=limit)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "store")


def test_private_and_gated_data_are_summed_and_other_data_open(store: Store) -> None:
    found = gate(store, {"datasets": DATASETS})
    assert {name: found.state(name) for name in DATASETS} == {
        "owned": SUMMED, "asked": SUMMED, "shared": OPEN, "made": OPEN, "held": SUMMED,
    }  # fmt: skip
    assert found.note() == {"asked": SUMMED, "held": SUMMED, "owned": SUMMED}


def test_means_over_a_part_of_private_data_are_not_told(store: Store) -> None:
    """From the means of the first three items and of the first four, the fourth one's score follows."""
    found = gate(store, {"datasets": DATASETS}, limit=3)
    assert found.note() == {"asked": SEALED, "held": SEALED, "owned": SEALED}
    assert found.state("made") == OPEN


def test_what_a_split_hides_is_sealed(store: Store) -> None:
    for split in ({"hidden": True, "datasets": ["made"]}, {"hidden": True}):
        found = gate(store, {"datasets": DATASETS, "agents": {"splits": {"test": split}}})
        assert found.state("made") == SEALED
    assert found.note()["asked"] == SEALED  # a split that names none hides all that is asked
    shown = {"datasets": DATASETS, "agents": {"splits": {"dev": {"public": True}}}}
    assert gate(store, shown).state("made") == OPEN


def test_what_another_manifest_hides_is_sealed_in_every_run_of_the_store(store: Store) -> None:
    mark_hidden(store, SplitData("other", "test", frozenset([A])))
    assert sealed_datasets({"datasets": DATASETS}, store) == {"owned", "asked"}
    renamed = {"mine": {"fetch": "private:mine", "sha256": A}, "put": {"make": "x", "questions": "mine"}}
    assert gate(store, {"datasets": renamed}).note() == {"held": SUMMED, "mine": SEALED, "put": SEALED}


def test_words_of_errors_are_told_where_nothing_is_closed() -> None:
    lock = cast(Any, SimpleNamespace(of=lambda part: {"shared": {"gated": True}}))
    open_data = {"shared": DATASETS["shared"], "made": DATASETS["made"]}
    assert not holds_back({"datasets": open_data}, None)
    assert holds_back({"datasets": open_data}, lock)
    assert holds_back({"datasets": DATASETS}, None)
    assert holds_back({"datasets": open_data, "agents": {"splits": {"t": {"hidden": True}}}}, None)
