"""Damage that a run met in its store and made anew is told: at its end, in its record, by `runs`, `show`, `audit`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import data_of, finished_project, harness, outputs_of, small_project
from support_draws import drawn

from harness.digest import encode_document, sha256
from harness.evidence.audit.checks import Report
from harness.evidence.audit.steps import audit_healing
from harness.evidence.record import summarise_journal
from harness.store.blobs import Blobs
from harness.store.journal import Chain, Event, read_chain
from harness.store.store import Store
from harness.store.tree import StoreTree

pytestmark = pytest.mark.together
MANIFEST = "manifests/small.yaml"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Give a project that was run once, and the digests of its outputs; nobody changes it."""
    folder = tmp_path_factory.mktemp("whole") / "project"
    finished_project(folder, models=("oracle",))
    record = json.loads(store_of(folder).record(store_of(folder).find_run("last")).read_bytes())
    return folder, {name: one["sha256"] for name, one in record["outputs"].items()}


@pytest.fixture
def poisoned(whole: tuple[Path, dict[str, str]], tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """Give a copy of that project to be poisoned."""
    shutil.copytree(whole[0], tmp_path / "project", symlinks=True)
    return tmp_path / "project", whole[1]


def store_of(folder: Path) -> Store:
    return Store(folder / ".harness")


def chain_of(folder: Path) -> Chain[Event]:
    store = store_of(folder)
    return read_chain(store.journal(store.find_run("last")))


def spoil(path: Path, data: bytes = b"poison\n") -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def step_event(folder: Path, step: str) -> Event:
    [event] = [one for one in chain_of(folder).events if one["event"] == "step.done" and one["step"] == step]
    return event


def spoil_output(folder: Path, outputs: dict[str, str]) -> str:
    spoil(store_of(folder).blobs.path(outputs["scores"]))
    return "met 1 damaged step in its store, made anew"


def lose_output(folder: Path, outputs: dict[str, str]) -> str:
    store_of(folder).blobs.path(outputs["scores"]).unlink()
    return "met 1 damaged step in its store, made anew"


def spoil_entry(folder: Path, outputs: dict[str, str]) -> str:
    spoil(store_of(folder).entries.path(step_event(folder, "checks")["key"]))
    return "met 1 damaged step in its store, made anew"


def replace_entry(folder: Path, outputs: dict[str, str]) -> str:
    """Let a sound entry of a step name another sound blob as its output."""
    store = store_of(folder)
    entry = store.entries.get(step_event(folder, "checks")["key"])
    assert entry
    false = {**json.loads(store.entries.path(entry.key).read_bytes())}
    data = b'{"invented":1}\n'
    digest = Blobs(store.tree).put(data)
    false["outputs"] = {name: {"sha256": digest, "size": len(data)} for name in false["outputs"]}
    spoil(store.entries.path(entry.key), encode_document(false) + b"\n")
    return "met 1 damaged step in its store, made anew"


def spoil_manifest(folder: Path, outputs: dict[str, str]) -> str:
    spoil(store_of(folder).blobs.path(chain_of(folder).events[0]["manifest"]))
    return "met 1 damaged blob in its store, made anew"


def spoil_wordings(folder: Path, outputs: dict[str, str]) -> str:
    """Spoil an input that a lock pins: the file of wordings."""
    lock = json.loads((folder / "lockfiles/manifests/small.lock.json").read_bytes())
    [pin] = [pin for pin in lock["pins"]["prompts"].values() if "sha256" in pin]
    spoil(store_of(folder).blobs.path(pin["sha256"]))
    return "met 1 damaged blob in its store, made anew"


def link_blob(folder: Path, outputs: dict[str, str]) -> str:
    """Lay a link where the manifest's blob lay."""
    path = store_of(folder).blobs.path(chain_of(folder).events[0]["manifest"])
    path.unlink()
    os.symlink("/etc/hostname", path)
    return "met 1 damaged blob in its store, made anew"


def spoil_both(folder: Path, outputs: dict[str, str]) -> str:
    spoil_output(folder, outputs)
    spoil(store_of(folder).blobs.path(outputs["items"]))
    spoil_manifest(folder, outputs)
    return "met 2 damaged steps and 1 damaged blob in its store, made anew"


POISONS = (
    spoil_output, lose_output, spoil_entry, replace_entry, spoil_manifest, spoil_wordings, link_blob, spoil_both,
)  # fmt: skip


@pytest.mark.parametrize("poison", drawn(POISONS, 1, len(POISONS)), ids=lambda poison: poison.__name__)
def test_a_run_that_heals_a_poisoned_store_says_so(poisoned: tuple[Path, dict[str, str]], poison: Any) -> None:
    folder, outputs = poisoned
    said = poison(folder, outputs)
    done = harness("run", MANIFEST, cwd=folder, check=0)
    assert said in done.stdout and said in done.stderr
    record = json.loads(store_of(folder).record(store_of(folder).find_run("last")).read_bytes())
    many = record["healed"]["steps"] + record["healed"]["blobs"]
    assert said.count("damaged") and many == sum(int(word) for word in said.split() if word.isdigit())
    [listed] = data_of("runs", "--most", "1", cwd=folder)["runs"]
    assert listed["healed"] == record["healed"] and said in harness("runs", cwd=folder, check=0).stdout
    assert said in harness("show", "last", "--items", cwd=folder, check=0).stdout
    audited = data_of("audit", "last", "--level", "hashes", cwd=folder, check=None)
    [told] = [one for one in audited["checks"] if one["id"] == "damage.healed"]
    assert (told["verdict"], told["subject"]) == ("pass", "store") and said in told["detail"]
    assert not [one for one in audited["checks"] if one["verdict"] == "fail"] and audited["healed"] == record["healed"]
    assert {name: one["sha256"] for name, one in record["outputs"].items()} == outputs


@pytest.mark.long
def test_json_of_a_run_counts_what_it_healed_and_the_next_run_meets_none(poisoned: tuple[Path, dict[str, str]]) -> None:
    folder, outputs = poisoned
    spoil_both(folder, outputs)
    [run] = data_of("run", MANIFEST, cwd=folder)["runs"]
    assert run["healed"] == {"steps": 2, "blobs": 1}
    [again] = data_of("run", MANIFEST, cwd=folder)["runs"]
    assert "healed" not in again and "damaged" not in harness("runs", "--most", "1", cwd=folder, check=0).stdout


def test_a_run_that_met_no_damage_says_nothing_of_it(whole: tuple[Path, dict[str, str]]) -> None:
    record = json.loads(store_of(whole[0]).record(store_of(whole[0]).run_ids()[0]).read_bytes())
    assert "healed" not in record
    checks = data_of("audit", "last", "--level", "hashes", cwd=whole[0], check=None)["checks"]
    assert "damage.healed" not in {one["id"] for one in checks}


@pytest.mark.long
def test_an_entry_that_nobody_made_and_that_lies_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    small_project(folder, count=20, models=("oracle",))
    elsewhere = tmp_path / "elsewhere"
    data_of("run", MANIFEST, "--store", elsewhere, cwd=folder)
    there, store = Store(elsewhere), store_of(folder)
    made = [e for e in read_chain(there.journal(there.run_ids()[0])).events if e["event"] == "step.done"]
    [event] = [e for e in made if e["step"] == "checks"]
    entry = there.entries.get(event["key"])
    assert entry
    false = json.loads(there.entries.path(entry.key).read_bytes())
    data = b'{"invented":1}\n'
    digest = store.blobs.put(data)
    false["outputs"] = {name: {"sha256": digest, "size": len(data)} for name in false["outputs"]}
    path = store.entries.path(entry.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_document(false) + b"\n")
    [run] = data_of("run", MANIFEST, cwd=folder)["runs"]
    assert run["healed"] == {"steps": 1, "blobs": 0} and outputs_of({"runs": [run]})["checks"] != digest
    [told] = [one for one in data_of("audit", "last", cwd=folder, check=None)["checks"] if one["id"] == "damage.healed"]
    assert "checks (entry: no run had made it, and its outputs were others)" in told["detail"]


def test_a_lock_that_heals_its_store_says_so(poisoned: tuple[Path, dict[str, str]]) -> None:
    folder, outputs = poisoned
    spoil(store_of(folder).blobs.path(outputs["items"]))
    assert "met 1 damaged blob in its store, made anew" in harness("lock", MANIFEST, cwd=folder, check=0).stderr


def events(*more: dict[str, Any]) -> Any:
    at = {"at": "2026-01-01T00:00:00.000Z"}
    start = dict.fromkeys(("run", "manifest", "lock", "plan", "engine", "isolation", "image", "environment"), "x")
    return [
        {"event": "run.started", "steps": 1, "facts": {}, **start, **at},
        *more,
        {"event": "run.finished", "status": "done", "events": 2, **at},
    ]


def test_a_record_of_an_old_journal_is_what_it_was() -> None:
    """A journal of before tells of damaged steps and sums up nothing: no field may come into its record."""
    damaged = {"event": "step.damaged", "step": "a", "detail": "output x was changed", "at": ""}
    assert set(summarise_journal(events(damaged), "h")) == set(summarise_journal(events(), "h"))
    healed = {"event": "run.healed", "steps": 1, "blobs": 0, "digests": [], "at": ""}
    assert summarise_journal(events(damaged, healed), "h")["healed"] == {"steps": 1, "blobs": 0}


def test_a_put_over_damage_is_counted_and_a_first_one_is_not(tmp_path: Path) -> None:
    blobs = Blobs(StoreTree(tmp_path))
    digest = blobs.put(b"good")
    assert blobs.healed == {}
    spoil(blobs.path(digest))
    assert blobs.put(b"good") == digest and blobs.healed == {digest: "changed"} and sha256(b"good") == digest


CONTRADICTED = {
    "more steps than its lines": {"steps": 2, "blobs": 0, "digests": []},
    "nothing at all": {"steps": 0, "blobs": 0, "digests": []},
    "fewer blobs than it names": {"steps": 1, "blobs": 0, "digests": ["0" * 64]},
    "a blob that is none": {"steps": 1, "blobs": 1, "digests": ["x"]},
    "less than nothing": {"steps": 1, "blobs": -1, "digests": []},
}


@pytest.mark.parametrize("what", CONTRADICTED)
def test_a_line_on_healing_that_other_lines_deny_fails_the_audit(what: str) -> None:
    damaged: Any = {"event": "step.damaged", "step": "a", "detail": "output x was changed"}
    healed: Any = {"event": "run.healed", **CONTRADICTED[what]}
    report = Report()
    audit_healing(Chain((damaged, healed)), report)
    assert [check.subject for check in report.checks if check.verdict == "fail"] == ["run.healed"]
