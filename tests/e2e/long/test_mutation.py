"""Whatever byte or field of a run is changed, audit exits 1 and names it."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from evidence.bare import Bare, bare
from evidence.forger import Forger, write
from support import data_of, finished_project
from support_draws import drawn

from harness.digest import encode_document, seal_document, sha256, walk_values
from harness.errors import InputError
from harness.evidence.audit.checks import Report
from harness.manifest.load import load_manifest
from harness.manifest.read import read_tree
from harness.run.recording.auditing import audit_files
from harness.store.store import Store

pytestmark = pytest.mark.together
STEP = 41  # of so many positions one is flipped on a day, and all at night


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    """A run of three steps: every kind of document, line and field, and few enough bytes to flip each."""
    return bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture
def store(run: Bare, tmp_path: Path) -> Path:
    """A copy of its store, to be damaged."""
    return shutil.copytree(run.store.root, tmp_path / "store")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was locked and run whole, by the public command line."""
    folder = tmp_path_factory.mktemp("mutation")
    finished_project(folder, 7, ("oracle",), "process")
    data_of("lock", "--accept", "last", cwd=folder)
    return folder


def files(root: Path) -> list[Path]:
    """Give every file that belongs to a run: its folder, its entries, its blobs, and the list of runs."""
    mine = max((root / "runs").iterdir(), key=lambda run: (run / "journal.jsonl").stat().st_size)
    kept = [*mine.iterdir(), *root.glob("keys/*/*"), *root.glob("blobs/sha256/*/*"), root / "heads.jsonl"]
    return sorted(path for path in kept if path.is_file())


def named(report: Report, path: Path) -> bool:
    """Whether a report fails something by the name of a file: its own, or the word for what it is."""
    wanted = path.stem if path.parent.parent.name == "keys" else path.name
    subjects = [f"{check.subject} {check.detail}" for check in report.checks if check.verdict != "pass"]
    return report.verdict != "agreed" and any(wanted in subject for subject in subjects)


@contextmanager
def flipping(path: Path, draw: random.Random) -> Iterator[Iterator[int]]:
    """Flip one bit of each byte of a file in turn, the bit before put back: gives the positions as they are flipped."""
    whole = path.read_bytes()
    path.chmod(0o644)
    with open(path, "r+b", buffering=0) as file:

        def positions() -> Iterator[int]:
            for position, byte in enumerate(whole):
                os.pwrite(file.fileno(), bytes([byte ^ 1 << draw.randrange(8)]), position)
                yield position
                os.pwrite(file.fileno(), bytes([byte]), position)

        yield positions()
    assert path.read_bytes() == whole


def test_the_run_agrees_as_long_as_nobody_touches_it(run: Bare, project: Path) -> None:
    assert run.look(run.store.root).verdict == "agreed"
    assert data_of("audit", "manifests/small.yaml", cwd=project)["verdict"] == "agreed"


def test_the_small_run_has_every_kind_of_file_line_and_field(run: Bare, project: Path) -> None:
    def kinds(root: Path) -> set[str]:
        found = {path.relative_to(root).parts[0] + path.suffix for path in files(root)}
        for path in [path for path in files(root) if "blobs" not in path.parts]:
            for line in map(json.loads, path.read_bytes().splitlines()):
                kind = line.get("event", line["type"])
                parts = [line, line.get("preimage", {}), line.get("usage", {}), line.get("facts", {})]
                found |= {f"{kind} {name}" for part in parts for name in part}
                found |= {
                    f"{kind} input {type(one).__name__}" for one in line.get("preimage", {}).get("inputs", {}).values()
                }
        return found

    assert not kinds(project / ".harness") - kinds(run.store.root)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", drawn(range(STEP), 1))
def test_a_flipped_bit_at_any_position_of_any_document_is_named(first: int, run: Bare, store: Path) -> None:
    draw = random.Random(f"bits {first}")
    for path in files(store):
        if "blobs" not in path.parts:
            with flipping(path, draw) as positions:
                for position in islice(positions, first, None, STEP):
                    assert named(run.look(store), path), (path.name, position)
    assert run.look(store).verdict == "agreed"


@pytest.mark.exhaustive
def test_a_flipped_bit_at_any_position_of_any_blob_is_named(run: Bare, store: Path) -> None:
    """Audit's own check of a blob at every byte, and the whole audit at one of them, at night at three."""
    draw = random.Random("blobs")
    checked = Store(store).blobs
    for path in files(store):
        if "blobs" in path.parts:
            size = path.stat().st_size
            audited = set(drawn(draw.sample(range(size), min(3, size)), 1))
            with flipping(path, draw) as positions:
                for position in positions:
                    assert checked.check(path.name) == "changed"
                    if position in audited:
                        assert named(run.look(store), path), (path.name, position)
    assert run.look(store).verdict == "agreed"


def test_a_renamed_swapped_truncated_missing_or_added_file_is_named(run: Bare, store: Path) -> None:
    original = run.store.root
    paths = files(store)
    for index, path in enumerate(paths):
        whole, name = path.read_bytes(), path.relative_to(store)
        if whole:
            write(path, whole[:-1])
            assert named(run.look(store), path), f"truncated {name}"
            write(path, whole)
        other_name = path.with_name(path.name[:-1] + ("0" if path.name[-1] != "0" else "1"))
        path.rename(other_name)
        assert run.look(store).verdict == "disagreed", f"renamed {name}"
        other_name.rename(path)
        siblings = [one for one in paths if one.relative_to(store).parts[0] == name.parts[0] and one != path]
        if siblings:
            other = siblings[index % len(siblings)]
            second = other.read_bytes()
            write(path, second)
            write(other, whole)
            report = run.look(store)
            assert named(report, path) or named(report, other), f"swapped {name}"
            write(path, whole)
            write(other, second)
        path.unlink()
        assert run.look(store).verdict == "disagreed", f"missing {name}"
        path.symlink_to(original / name)
        if name.parts[0] != "keys" and name.name != "heads.jsonl":
            assert run.look(store).verdict == "disagreed", f"a link in place of {name}"
        write(path, whole)
    assert run.look(store).verdict == "agreed"
    folder = store / "runs" / run.name
    for stranger in (folder / "better.json", folder / "record.json.orig"):
        stranger.write_text("{}")
        assert any(check.id == "unaccounted" and stranger.name in check.subject for check in run.look(store).checks)
        stranger.unlink()


def test_a_run_under_another_name_is_not_that_run(run: Bare, store: Path) -> None:
    folder = store / "runs" / run.name
    other = folder.rename(folder.with_name("20200101T000000Z-00000000"))
    assert run.look(store, run=other.name).verdict == "disagreed"


def mutants(value: Any) -> Iterator[tuple[str, Any]]:
    """Give a document once for each of its fields, with that field changed, and the pointer of the field."""
    for pointer, item in list(walk_values(value)):
        if pointer and not isinstance(item, dict | list):
            copy = json.loads(json.dumps(value))
            parent, parts = copy, [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
            for part in parts[:-1]:
                parent = parent[int(part)] if isinstance(parent, list) else parent[part]
            last: Any = int(parts[-1]) if isinstance(parent, list) else parts[-1]
            parent[last] = not item if isinstance(item, bool) else item + 1 if isinstance(item, int) else f"{item}1"
            yield pointer, copy


def some(fields: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return a fifth of the changed fields, at night all."""
    every = list(fields)
    return drawn(every, max(2, len(every) // 5))


@pytest.mark.exhaustive
def test_every_field_of_the_record_is_named_when_it_is_edited(run: Bare, store: Path) -> None:
    path = Store(store).record(run.name)
    whole = json.loads(path.read_bytes())
    for pointer, mutant in some(mutants(whole)):
        write(path, encode_document(mutant) + b"\n")
        found = [check.detail for check in run.look(store).checks if check.id == "record.changed"]
        assert pointer in found, (pointer, found)


@pytest.mark.exhaustive
def test_every_field_of_an_entry_or_an_event_is_named_when_it_is_edited(run: Bare, store: Path) -> None:
    for path in [*store.glob("keys/*/*"), Store(store).journal(run.name), store / "heads.jsonl"]:
        whole = path.read_bytes()
        lines = whole.splitlines()
        for number, line in enumerate(lines):
            for pointer, mutant in some(mutants(json.loads(line))):
                changed = [*lines[:number], encode_document(mutant), *lines[number + 1 :]]
                write(path, b"\n".join(changed) + b"\n")
                assert named(run.look(store), path), (path.name, number, pointer)
        write(path, whole)


@pytest.mark.exhaustive
def test_every_edited_field_of_the_kept_manifest_and_lock_is_named(run: Bare, store: Path) -> None:
    """The copies the run keeps are blobs: an edit is another blob, whether or not its name follows."""
    journal = Store(store).journal(run.name)
    started = json.loads(journal.read_bytes().splitlines()[0])
    lock = store / "blobs" / "sha256" / started["lock"][:2] / started["lock"]
    whole = lock.read_bytes()
    for pointer, mutant in some(mutants(json.loads(whole))):
        resealed = seal_document(mutant) if pointer != "/self" else encode_document(mutant) + b"\n"
        write(lock, resealed)
        assert run.look(store).verdict == "disagreed", pointer
        lock.with_name(sha256(resealed)).write_bytes(resealed)
    write(lock, whole)


def against_files(project: Path) -> list[tuple[str, str]]:
    """Hold the run against the working files as `audit MANIFEST` does, and give what fails."""
    store, report = Store(project / ".harness"), Report()
    audit_files(store, store.run_ids()[0], load_manifest(project / "manifests" / "small.yaml"), report)
    return [(check.id, check.detail) for check in report.checks if check.verdict == "fail"]


@pytest.mark.exhaustive
def test_every_field_of_the_working_lock_is_named_by_its_pointer(project: Path) -> None:
    path = project / "lockfiles" / "manifests" / "small.lock.json"
    whole = path.read_bytes()
    fields = some(mutants(json.loads(whole)))
    for pointer, mutant in fields:
        path.write_bytes(encode_document(mutant) + b"\n")
        assert against_files(project) == [("lock.changed", pointer)]
    path.write_bytes(encode_document(fields[0][1]) + b"\n")
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
def test_audit_names_the_pointer_of_an_edit_in_the_working_manifest(
    project: Path, old: str, new: str, pointer: str
) -> None:
    path = project / "manifests" / "small.yaml"
    whole = path.read_text()
    assert old in whole
    path.write_text(whole.replace(old, new))
    found = against_files(project)
    path.write_text(whole)
    assert found == [("manifest.changed", pointer)]


def test_a_consistent_forgery_of_an_aggregate_is_found_by_making_it_again(project: Path, tmp_path: Path) -> None:
    """Somebody rewrites a result, its entry, the whole journal, the record and heads: only the arithmetic is left."""
    forged = tmp_path / "project"
    shutil.copytree(project, forged)
    store = Store(forged / ".harness")
    forger = Forger(store)
    made = forger.entries["checks"]["outputs"]["checks"]
    better = store.blobs.read(made["sha256"]).replace(b'"n":', b'"m":')
    made |= {"sha256": store.blobs.put(better), "size": len(better)}
    next(event for event in forger.events if event.get("name") == "checks").update(made)
    forger.seal()
    bytes_alone = data_of("audit", "last", "--level", "hashes", cwd=forged)
    assert bytes_alone["verdict"] == "agreed", "bytes alone cannot tell"
    checks = data_of("audit", "last", cwd=forged, check=1)["checks"]
    failed = [(check["id"], check["detail"].partition(";")[0]) for check in checks if check["verdict"] == "fail"]
    assert failed == [("aggregate.differs", "output checks")]


def test_the_copies_in_this_file_are_private(run: Bare, project: Path) -> None:
    assert run.look(run.store.root).verdict == "agreed"
    assert data_of("audit", "last", "--level", "hashes", cwd=project)["verdict"] == "agreed"
