"""The gate between runs and agents: what is open, summed up only, or sealed, by the manifest and by the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.manifest.load import LoadedManifest, parse_manifest
from harness.manifest.lockfile import Lock, lock_path
from harness.run.attempts.hidden_splits import question_digest
from harness.run.scores.table import RunTables
from harness.run.sealed import sealed_datasets
from harness.run.withheld import OPEN, SEALED, SUMMED, ItemGate, holds_back, keeps_words
from harness.store.attempts import SplitData, mark_hidden
from harness.store.store import Store
from harness_tools.run_calls import _words

OPEN_MANIFEST = """\
harness: 1
study: reliability
name: open
about: A manifest that says of no data that it is closed.
models: {refuser: {provider: baseline, behaviour: refuser}}
datasets: {sums: {make: reliability.addition, seed: 1, count: 1}}
prompts: {set: reliability/addition@1}
"""
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
    return ItemGate(cast(RunTables, Tables(lock=lock_of(intent), store=store, limit=limit)))


def lock_of(intent: dict[str, Any], **pins: Any) -> Any:
    return SimpleNamespace(intent=intent, of=lambda part: pins.get(part, {}))


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
    assert sealed_datasets(lock_of({"datasets": DATASETS}), store) == {"owned", "asked"}
    renamed = {"mine": {"fetch": "private:mine", "sha256": A}, "put": {"make": "x", "questions": "mine"}}
    assert gate(store, {"datasets": renamed}).note() == {"held": SUMMED, "mine": SEALED, "put": SEALED}


def test_a_copy_of_hidden_data_in_the_project_is_sealed_too(store: Store, tmp_path: Path) -> None:
    """The hidden file lies beside a manifest as a file of its own; or its questions do, in a file of another form.

    A public split with them is refused, but a run of a manifest without splits told an agent each item's score.
    """
    rows.write(tmp_path / "items", [{"id": "q1", "task": "t", "input": {"question": "Who?"}}])
    items = {"mine": {"items": {"sha256": store.blobs.put((tmp_path / "items").read_bytes()), "rows": 1}}}
    intent: dict[str, Any] = {"datasets": {"mine": {"file": "mine.csv"}, "made": DATASETS["made"]}}
    copy, other = ({"mine": {"sha256": digest}} for digest in (A, B))
    mark_hidden(store, SplitData("other", "test", frozenset([A])))
    assert sealed_datasets(lock_of(intent, files=copy, datasets=items), store) == {"mine"}
    assert sealed_datasets(lock_of(intent, files=other, datasets=items), store) == frozenset()
    asked = question_digest({"input": {"question": "  who? "}})
    mark_hidden(store, SplitData("third", "test", frozenset(["c" * 64]), frozenset([asked])))
    assert sealed_datasets(lock_of(intent, files=other, datasets=items), store) == {"mine"}
    recipe = {"datasets": {"made": DATASETS["made"]}}  # whose items anybody can make
    assert sealed_datasets(lock_of(recipe, datasets={"made": items["mine"]}), store) == frozenset()
    assert holds_back(cast(Any, intent), lock_of(intent, files=copy), store)


def test_words_of_errors_are_kept_where_the_lock_says_that_data_is_gated(store: Store, tmp_path: Path) -> None:
    """What the hub gates is known by the lock alone, which was not looked at where a call of an agent failed."""
    text = OPEN_MANIFEST.encode()
    manifest, tree = parse_manifest(text, "manifest")
    loaded = LoadedManifest(manifest, text, tree, tmp_path / "manifest", tmp_path)
    place = lock_path(tmp_path, manifest.name)
    place.parent.mkdir(parents=True)
    door = cast(Any, SimpleNamespace(served=(loaded,), store=store, project=SimpleNamespace(root="/p", store="/p/s")))
    for gated, told in ((False, "the words"), (True, "an operator sees why")):
        pins: Any = {"models": {}, "prompts": {}, "datasets": {}, "images": {}, "packages": {}}
        pins["files"] = {"shared": {"file": "x", "sha256": B, **({"gated": True} if gated else {})}}
        place.write_bytes(Lock(manifest.intent(), sha256(text), pins).data)
        assert keeps_words(loaded, store) is gated
        assert told in _words(door, InputError("the words"))[0]
    place.write_bytes(b"no lock")
    assert keeps_words(loaded, store)


def test_words_of_errors_are_told_where_nothing_is_closed(store: Store) -> None:
    open_data = {"shared": DATASETS["shared"], "made": DATASETS["made"]}
    gated = lock_of({"datasets": open_data}, files={"shared": {"gated": True}})
    assert not holds_back({"datasets": open_data}, None, store)
    assert holds_back({"datasets": open_data}, gated, store)
    assert holds_back({"datasets": DATASETS}, None, store)
    assert holds_back({"datasets": open_data, "agents": {"splits": {"t": {"hidden": True}}}}, None, store)
