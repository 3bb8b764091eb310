"""Whatever byte or field of a run is changed, audit exits 1 and names it."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import data_of, harness, small_project

from harness.digest import document, sealed, sha256, walk
from harness.errors import InputError
from harness.evidence.audit import audit
from harness.evidence.checks import Report
from harness.manifest.load import load
from harness.manifest.read import read_tree
from harness.run.project import audit_files, replan
from harness.store.store import Store


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutation")
    small_project(folder, count=7, models=("oracle",))
    data_of("run", "manifests/small.yaml", "--isolation", "process", cwd=folder)
    return folder


def look(root: Path) -> Report:
    """Audit the one run of a store in this process, from nothing but its bytes."""
    store = Store(root)
    return audit(store, store.run_ids()[0], replan, lambda step, parts: None, level="hashes")


def files(root: Path) -> list[Path]:
    """Give every file that belongs to a run: its folder, its entries, its blobs, and the list of runs."""
    kept = [*root.glob("runs/*/*"), *root.glob("keys/*/*"), *root.glob("blobs/sha256/*/*"), root / "heads.jsonl"]
    return sorted(path for path in kept if path.is_file())


def named(report: Report, path: Path) -> bool:
    """Whether a report fails something by the name of a file: its own, or the word for what it is."""
    wanted = path.stem if path.parent.parent.name == "keys" else path.name
    subjects = [f"{check.subject} {check.detail}" for check in report.checks if check.verdict != "pass"]
    return report.verdict != "agreed" and any(wanted in subject for subject in subjects)


def write(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def test_the_run_agrees_as_long_as_nobody_touches_it(project: Path) -> None:
    assert look(project / ".harness").verdict == "agreed"
    assert data_of("audit", "manifests/small.yaml", cwd=project)["verdict"] == "agreed"


@pytest.mark.parametrize("half", [0, 1])
def test_a_flipped_bit_at_any_position_of_any_document_is_named(half: int, project: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(project / ".harness", store)
    draw = random.Random("bits")
    for path in files(store):
        if "blobs" in path.parts:
            continue
        whole = path.read_bytes()
        for position in range(half, len(whole), 2):
            changed = bytearray(whole)
            changed[position] ^= 1 << draw.randrange(8)
            write(path, bytes(changed))
            assert named(look(store), path), (path.name, position)
        write(path, whole)
    assert look(store).verdict == "agreed"


def test_a_flipped_bit_at_any_position_of_any_blob_is_named(project: Path, tmp_path: Path) -> None:
    """Audit's own check of a blob at every byte, and the whole audit at three of them."""
    store = tmp_path / "store"
    shutil.copytree(project / ".harness", store)
    draw = random.Random("blobs")
    checked = Store(store).blobs
    for path in files(store):
        whole = path.read_bytes()
        if "blobs" not in path.parts or not whole:
            continue
        audited = set(draw.sample(range(len(whole)), min(3, len(whole))))
        for position in range(len(whole)):
            changed = bytearray(whole)
            changed[position] ^= 1 << draw.randrange(8)
            write(path, bytes(changed))
            assert checked.check(path.name) == "changed"
            if position in audited:
                assert named(look(store), path), (path.name, position)
        write(path, whole)


def test_a_renamed_swapped_truncated_missing_or_added_file_is_named(project: Path, tmp_path: Path) -> None:
    original = project / ".harness"
    paths = [path.relative_to(original) for path in files(original)]
    for index, name in enumerate(paths):
        store = tmp_path / f"store-{index}"
        shutil.copytree(original, store)
        path = store / name
        whole = path.read_bytes()
        if whole:
            write(path, whole[:-1])
            assert named(look(store), path), f"truncated {name}"
            write(path, whole)
        path.rename(path.with_name(path.name[:-1] + ("0" if path.name[-1] != "0" else "1")))
        assert look(store).verdict == "disagreed", f"renamed {name}"
        path.with_name(path.name[:-1] + ("0" if path.name[-1] != "0" else "1")).rename(path)
        siblings = [other for other in paths if other.parts[0] == name.parts[0] and other != name]
        if siblings:
            other = store / siblings[index % len(siblings)]
            first, second = path.read_bytes(), other.read_bytes()
            write(path, second)
            write(other, first)
            assert named(look(store), path) or named(look(store), other), f"swapped {name}"
            write(path, first)
            write(other, second)
        path.unlink()
        assert look(store).verdict == "disagreed", f"missing {name}"
        path.symlink_to(original / name)
        if name.parts[0] != "keys" and name.name != "heads.jsonl":
            assert look(store).verdict == "disagreed", f"a link in place of {name}"
        shutil.rmtree(store)
    run = next((original / "runs").iterdir())
    for stranger in (run / "better.json", run / "record.json.orig"):
        stranger.write_text("{}")
        assert any(check.id == "unaccounted" and stranger.name in check.subject for check in look(original).checks)
        stranger.unlink()


def test_a_run_under_another_name_is_not_that_run(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(project / ".harness", store)
    run = next((store / "runs").iterdir())
    run.rename(run.with_name("20200101T000000Z-00000000"))
    assert look(store).verdict == "disagreed"


def mutants(value: Any) -> Iterator[tuple[str, Any]]:
    """Give a document once for each of its fields, with that field changed, and the pointer of the field."""
    for pointer, item in list(walk(value)):
        if pointer and not isinstance(item, dict | list):
            copy = json.loads(json.dumps(value))
            parent, parts = copy, [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
            for part in parts[:-1]:
                parent = parent[int(part)] if isinstance(parent, list) else parent[part]
            last: Any = int(parts[-1]) if isinstance(parent, list) else parts[-1]
            parent[last] = not item if isinstance(item, bool) else item + 1 if isinstance(item, int) else f"{item}1"
            yield pointer, copy


def test_every_field_of_the_record_is_named_when_it_is_edited(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(project / ".harness", store)
    path = next(store.glob("runs/*/record.json"))
    whole = json.loads(path.read_bytes())
    for pointer, mutant in mutants(whole):
        write(path, document(mutant) + b"\n")
        found = [check.detail for check in look(store).checks if check.id == "record.changed"]
        assert pointer in found, (pointer, found)


def test_every_field_of_an_entry_or_an_event_is_named_when_it_is_edited(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(project / ".harness", store)
    for path in [*store.glob("keys/*/*"), *store.glob("runs/*/journal.jsonl"), store / "heads.jsonl"]:
        whole = path.read_bytes()
        lines = whole.splitlines()
        for number, line in enumerate(lines):
            for pointer, mutant in mutants(json.loads(line)):
                changed = [*lines[:number], document(mutant), *lines[number + 1 :]]
                write(path, b"\n".join(changed) + b"\n")
                assert named(look(store), path), (path.name, number, pointer)
        write(path, whole)


def test_every_field_of_the_kept_manifest_and_lock_is_named_when_it_is_edited(project: Path, tmp_path: Path) -> None:
    """The copies the run keeps are blobs: an edit is another blob, whether or not its name follows."""
    store = tmp_path / "store"
    shutil.copytree(project / ".harness", store)
    journal = next(store.glob("runs/*/journal.jsonl"))
    started = json.loads(journal.read_bytes().splitlines()[0])
    lock = store / "blobs" / "sha256" / started["lock"][:2] / started["lock"]
    whole = lock.read_bytes()
    for pointer, mutant in mutants(json.loads(whole)):
        resealed = sealed(mutant) if pointer != "/self" else document(mutant) + b"\n"
        write(lock, resealed)
        assert look(store).verdict == "disagreed", pointer
        lock.with_name(sha256(resealed)).write_bytes(resealed)
    write(lock, whole)


def against_files(project: Path) -> list[tuple[str, str]]:
    """Hold the run against the working files as `audit MANIFEST` does, and give what fails."""
    store, report = Store(project / ".harness"), Report()
    audit_files(store, store.run_ids()[0], load(project / "manifests" / "small.yaml"), report)
    return [(check.id, check.detail) for check in report.checks if check.verdict == "fail"]


def test_every_field_of_the_working_lock_is_named_by_its_pointer(project: Path) -> None:
    path = project / "lockfiles" / "manifests" / "small.lock.json"
    whole = path.read_bytes()
    fields = list(mutants(json.loads(whole)))
    for pointer, mutant in fields:
        path.write_bytes(document(mutant) + b"\n")
        assert against_files(project) == [("lock.changed", pointer)]
    path.write_bytes(document(fields[0][1]) + b"\n")
    report = data_of("audit", "manifests/small.yaml", "--level", "hashes", cwd=project, check=1)
    assert [check["detail"] for check in report["checks"] if check["verdict"] == "fail"] == [fields[0][0]]
    path.write_bytes(whole)


def test_every_field_of_the_working_manifest_is_named_or_refused_by_name(project: Path) -> None:
    """An edit that still is a manifest is named by its pointer; one that is none is refused with its line."""
    path = project / "manifests" / "small.yaml"
    whole = path.read_bytes()
    seen: dict[str, list[str]] = {"named": [], "refused": []}
    for pointer, mutant in mutants(read_tree(whole, "manifest").value):
        path.write_text(json.dumps(mutant))  # JSON is YAML too
        try:
            found = against_files(project)
        except InputError as bad:
            assert bad.where.startswith(f"{path}:") and bad.next
            seen["refused"].append(pointer)
            continue
        assert ("manifest.changed", pointer) in found
        seen["named"].append(pointer)
    path.write_bytes(whole)
    assert {"/name", "/about", "/study", "/datasets/addition/seed", "/datasets/addition/count"} <= set(seen["named"])
    assert {"/harness", "/models/oracle/provider"} <= set(seen["refused"])


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ("seed: 7", "seed: 8", "/datasets/addition/seed"),
        ("count: 7", "count: 8", "/datasets/addition/count"),
        ("behaviour: oracle", "behaviour: echo", "/models/oracle/behaviour"),
        ("memory: 2GiB", "memory: 3GiB", "/resources/memory"),
        ("for a test", "for two tests", "/about"),
        ("harness: 1", "harness: 1 # one", "its text, not its meaning"),
    ],
)
def test_audit_names_the_pointer_of_what_was_edited_in_the_working_manifest(
    project: Path, old: str, new: str, pointer: str
) -> None:
    path = project / "manifests" / "small.yaml"
    whole = path.read_text()
    assert old in whole
    path.write_text(whole.replace(old, new))
    report = data_of("audit", "manifests/small.yaml", "--level", "hashes", cwd=project, check=1)
    path.write_text(whole)
    assert [(check["id"], check["detail"]) for check in report["checks"] if check["verdict"] == "fail"] == [
        ("manifest.changed", pointer)
    ]


def test_a_consistent_forgery_of_an_aggregate_is_found_by_making_it_again(project: Path, tmp_path: Path) -> None:
    """Somebody rewrites a result, its entry, the whole journal, the record and heads: only the arithmetic is left."""
    forged = tmp_path / "project"
    shutil.copytree(project, forged)
    store = Store(forged / ".harness")
    run = store.run_ids()[0]
    events = [json.loads(line) for line in store.journal(run).read_bytes().splitlines()]
    from harness.evidence.record import spell, summarise

    done = next(event for event in events if event.get("step") == "checks")
    entry = json.loads(store.entries.path(done["key"]).read_bytes())
    better = store.blobs.read(entry["outputs"]["checks"]["sha256"]).replace(b'"n":', b'"m":')
    digest = store.blobs.put(better)
    entry["outputs"]["checks"] = {"sha256": digest, "size": len(better)}
    write(store.entries.path(done["key"]), document(entry) + b"\n")
    done["entry"] = sha256(document(entry) + b"\n")
    for event in events:
        if event["event"] == "output" and event["name"] == "checks":
            event |= {"sha256": digest, "size": len(better)}
    head, lines = "0" * 64, []
    for event in events:
        event["prev"] = head
        lines.append(document(event) + b"\n")
        head = sha256(lines[-1])
    write(store.journal(run), b"".join(lines))
    record = spell(summarise(events, head))
    write(store.record(run), record)
    heads = [json.loads(line) for line in store.heads.path.read_bytes().splitlines()]
    heads[-1] |= {"journal": head, "record": sha256(record)}
    heads[0]["journal"] = sha256(lines[0])
    heads[1]["prev"] = sha256(document(heads[0]) + b"\n")
    write(store.heads.path, b"".join(document(line) + b"\n" for line in heads))
    assert look(store.root).verdict == "agreed"  # bytes alone cannot tell
    report = data_of("audit", "last", cwd=forged, check=1)
    assert [check["id"] for check in report["checks"] if check["verdict"] == "fail"] == ["aggregate.differs"]
    assert "output checks" in harness("audit", "last", cwd=forged, check=1).stdout


def test_the_copies_in_this_file_are_private(project: Path) -> None:
    assert os.access(project, os.W_OK)
    assert look(project / ".harness").verdict == "agreed"
