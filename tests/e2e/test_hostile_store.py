"""A store is hostile input: whatever a stranger laid in it is named or left alone, and nothing outside is touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import Forger, chained, write
from support import REPOSITORY, clean_env, error_of, name_twice, small_project, tree
from support_draws import drawn
from support_hostile import FOLDERS, HUGE, KINDS, READS, furnish, lay, names, snapshot
from support_inside import inner_data, inside

from harness.clock import time_after
from harness.digest import encode_document, sha256
from harness.evidence.record import spell_record, summarise_journal
from harness.store.store import Store

MEMORY = 300 << 20  # bytes that no verb needs
SECONDS = 10  # of CPU
PATIENCE = 60  # seconds of a wall clock on a machine that has other work, too
WRITTEN = {"format", "heads.jsonl", "locks/store", "locks/heads", *FOLDERS[:9]}  # where a run itself reads or writes
ROWS = ("tmp", "runs", "keys", "locks", "blobs/sha256", "heads.jsonl", "locks/heads")  # whose links a run refuses
RUN = ("run", "manifests/small.yaml", "--isolation", "process")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "project"
    small_project(folder, models=("oracle",))
    inside(*RUN, cwd=folder, check=0)
    store = Store(folder / ".harness")
    furnish(store, names(store)["made"])
    return folder


@pytest.fixture
def project(original: Path, tmp_path: Path) -> Path:
    """Give a project of its own whose store a stranger may have prepared."""
    shutil.copytree(original, tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that is nobody's business, and hold it against what it was."""
    folder = tmp_path / "outside"
    (folder / "deep").mkdir(parents=True)
    (folder / "mine").write_bytes(b"years of work")
    (folder / "deep" / "mine").write_bytes(b"more of them")
    before = snapshot(folder)
    yield folder
    assert snapshot(folder) == before


def attempted(kind: str, project: Path, work: Path, verbs: list[str]) -> Iterator[dict[str, Any]]:
    """Try a kind of thing at every place, by verbs in one process of their own, and hold what must never be."""
    work.mkdir()
    words = [sys.executable, str(REPOSITORY / "tests" / "support_hostile.py"), kind, str(project), str(work), *verbs]
    done = subprocess.run(words, env=clean_env(), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    *rows, last = map(json.loads, done.stdout.splitlines())
    assert last["rss"] < MEMORY
    for row in rows:
        assert not row["touched"], row
        assert row["code"] in (0, 1, 2, 3) and row["seconds"] < SECONDS, row
        assert "Traceback" not in row["said"], row
        yield row


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["link", *drawn([one for one in KINDS if one != "link"], 2)])
def test_whatever_lies_in_a_store_every_verb_ends_and_names_it(kind: str, original: Path, tmp_path: Path) -> None:
    """Every place, by every verb that reads: within seconds, in little memory, and nothing outside is touched."""
    for row in attempted(kind, original, tmp_path / "work", READS):
        odd = kind == "huge" and row["place"].startswith("views/{made}/")  # of no attempt, and so nothing but garbage
        alike = kind == "hard link" and not row["place"].startswith(("heads", "locks", "format"))  # only read
        if row["verb"] == "fsck" and not odd and not alike:
            assert row["code"] == 1, row
        if row["verb"] == "gc" and kind == "link":
            assert row["code"] == 1 and row["said"].startswith("error: "), row


@pytest.mark.long
@pytest.mark.parametrize("kind", ["link", "hard link"])
def test_a_run_into_a_strangers_store_writes_nothing_elsewhere(kind: str, original: Path, tmp_path: Path) -> None:
    ends = {row["place"]: row for row in attempted(kind, original, tmp_path / "work", ["run"])}
    for place in ROWS if kind == "link" else ("heads.jsonl", "locks/store", "locks/heads"):
        assert ends[place]["code"] == 1 and f"store/{place}" in ends[place]["said"], ends[place]


def test_gc_deletes_nothing_behind_a_linked_folder_of_temporary_files(project: Path, outside: Path) -> None:
    """Attack 1: `gc --delete` said `2 temporary`, and files outside of the store were gone."""
    temp = project / ".harness" / "tmp"
    shutil.rmtree(temp)
    temp.symlink_to(outside)
    refused = inside("gc", "--delete", "--json", cwd=project, check=1)
    assert error_of(refused)["where"] == str(temp)
    flaws = inner_data("fsck", cwd=project, check=1)["flaws"]
    assert [flaw["subject"] for flaw in flaws] == [str(temp)]


def test_what_was_left_is_deleted_and_a_link_in_it_not_followed(project: Path, outside: Path) -> None:
    left = project / ".harness" / "tmp" / "step-1-b"
    (left / "out" / "deep").mkdir(parents=True)
    for place in (left / "link", left / "out" / "deep" / "link"):
        place.symlink_to(outside)
    name_twice(outside / "mine", left / "out" / "mine")
    (left / "out").chmod(0o500)
    inside("gc", "--delete", cwd=project, check=0)
    assert not list((project / ".harness" / "tmp").iterdir())


@pytest.mark.parametrize(
    "place", ["runs/{run}/record.json", "heads.jsonl", "runs/{run}/journal.jsonl", "keys/{key:.2}/{key}.json"]
)
def test_a_huge_document_is_refused_by_its_size_before_it_is_read(place: str, project: Path) -> None:
    """Attack 7: a sparse record, heads or journal of 200 GB was read whole into memory."""
    known = names(Store(project / ".harness"))
    path = project / ".harness" / place.format(**known)
    path.chmod(0o644)
    os.truncate(path, HUGE)
    begun = time.monotonic()
    assert inside("audit", known["run"], "--level", "hashes", cwd=project).returncode == 1
    flaws = inner_data("fsck", cwd=project, check=1)["flaws"]
    assert any(path.name.partition(".")[0] in flaw["subject"] for flaw in flaws)
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.parametrize("size", [HUGE, 32 << 20])
def test_a_blob_with_more_bytes_than_an_entry_says_is_not_read(size: int, project: Path) -> None:
    """Attack 7, of blobs: an output has the size of its entry, and what is parsed has a most."""
    known = names(Store(project / ".harness"))
    for name in ("made", "lock", "code"):
        path = Store(project / ".harness").blobs.path(known[name])
        path.chmod(0o644)
        os.truncate(path, size)
    begun = time.monotonic()
    flaws = {flaw["subject"] for flaw in inner_data("fsck", cwd=project, check=1)["flaws"]}
    assert {str(Store(project / ".harness").blobs.path(known[name])) for name in ("made", "lock", "code")} <= flaws
    checks = inner_data("audit", known["run"], "--level", "hashes", cwd=project, check=1)["checks"]
    assert {"blob.changed", "lock.changed"} <= {one["id"] for one in checks if one["verdict"] == "fail"}
    assert inside("get", known["run"], "checks", "-o", "got", cwd=project, check=1)
    assert time.monotonic() - begun < PATIENCE and not (project / "got").exists()


class Exchanging(threading.Thread):
    """Exchanges a file for another one, back and forth, as fast as it can."""

    def __init__(self, path: Path, other: bytes) -> None:
        super().__init__()
        self.path, self.stop = path, threading.Event()
        self.both = [path.read_bytes(), other]

    def run(self) -> None:
        aside = self.path.with_name("aside")
        while not self.stop.is_set():
            for data in reversed(self.both):
                aside.write_bytes(data)
                aside.rename(self.path)

    def __enter__(self) -> Exchanging:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.join()


def test_a_blob_that_is_exchanged_is_never_copied_as_another(project: Path) -> None:
    """Attack 12: other bytes in 8 of 60 tries of `get -o`, exit 0, and the right digest printed."""
    store = Store(project / ".harness")
    known = names(store)
    sizes = {one["name"]: one for one in Forger(store).events if one["event"] == "output"}
    made = sizes["responses"]
    path = store.blobs.path(made["sha256"])
    data = path.read_bytes()
    got, ends = project / "got", []
    with Exchanging(path, data[:-1] + bytes([data[-1] ^ 1])):
        for _ in range(60):
            got.unlink(missing_ok=True)
            done = inside("get", known["run"], "responses", "-o", "got", "--json", cwd=project)
            ends.append(done.returncode)
            assert (done.returncode == 0) == got.exists()
            if got.exists():
                assert sha256(got.read_bytes()) == made["sha256"] == json.loads(done.stdout)["sha256"]
    assert 0 in ends and set(ends) <= {0, 1}
    assert [one for one in os.listdir(project) if one.endswith(".tmp")] == []


def test_get_replaces_a_link_at_its_target_and_not_what_it_leads_to(project: Path, outside: Path) -> None:
    (project / "got").symlink_to(outside / "mine")
    run = names(Store(project / ".harness"))["run"]
    digest = inner_data("get", run, "gold", "-o", "got", cwd=project)["sha256"]
    assert not (project / "got").is_symlink() and sha256((project / "got").read_bytes()) == digest
    assert sha256(inside("get", run, "gold", cwd=project, check=0).stdout.encode()) == digest


def rewritten(store: Store, edit: Any) -> None:
    """Change events of every run, and make chains, records and list follow: `edit` is given folder and events."""
    heads = [json.loads(line) for line in store.heads.path.read_bytes().splitlines()]
    for folder in sorted(store.runs.iterdir()):
        events = [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]
        old = events[0]["run"]
        name = edit(folder.name, events) or folder.name
        events[0]["run"] = name
        lines, head = chained(events)
        record = spell_record(summarise_journal(events, head))
        write(folder / "journal.jsonl", b"".join(lines))
        write(folder / "record.json", record)
        for line in (one for one in heads if one["run"] == old and "new" not in one):
            line.update(new=name, journal=sha256(lines[0]) if line["event"] == "run.started" else head)
            line.update({"record": sha256(record)} if "record" in line else {})
    for line in heads:
        line["run"] = line.pop("new")
    write(store.heads.path, b"".join(chained(heads)[0]))


def named(project: Path, run: str) -> set[str]:
    """Give what `fsck` and the audit of a run say where something is unaccounted for; both must say it."""
    flaws = inner_data("fsck", cwd=project, check=1)["flaws"]
    checks = inner_data("audit", run, "--level", "hashes", cwd=project, check=1)["checks"]
    failed = {one["detail"] for one in checks if (one["id"], one["verdict"]) == ("unaccounted", "fail")}
    assert failed and {flaw["id"] for flaw in flaws} == {"unaccounted"}, (flaws, checks)
    return {flaw["detail"] for flaw in flaws} | failed


def test_a_run_in_the_future_is_named_by_fsck_and_audit(project: Path) -> None:
    """Attack 13: times of 2999 agreed, and `fsck` called the store sound."""
    store = Store(project / ".harness")

    def later(name: str, events: list[dict[str, Any]]) -> None:
        for event in events:
            event["at"] = "2999" + event["at"][4:]

    rewritten(store, later)
    assert any("in the future" in one for one in named(project, names(store)["run"]))


def test_two_runs_under_each_others_ids_are_named(project: Path) -> None:
    """Attack 13: the ids of two runs were exchanged, everything else followed, and the audit agreed."""
    store = Store(project / ".harness")
    time.sleep(1.1)
    inside(*RUN, cwd=project, check=0)
    one, two = sorted(store.run_ids())
    rewritten(store, lambda name, _: {one: two, two: one}[name])
    (store.runs / one).rename(store.runs / "aside")
    (store.runs / two).rename(store.runs / one)
    (store.runs / "aside").rename(store.runs / two)
    assert any("before its id was made" in detail for detail in named(project, two))


def test_a_run_folder_that_is_a_link_is_no_run(project: Path, tmp_path: Path) -> None:
    """Attack 13: a run lay elsewhere, and its folder was a link."""
    store = Store(project / ".harness")
    run = names(store)["run"]
    shutil.move(store.runs / run, tmp_path / "elsewhere")
    (store.runs / run).symlink_to(tmp_path / "elsewhere")
    before = tree(tmp_path / "elsewhere")
    assert error_of(inside("audit", run, "--json", cwd=project, check=1))["where"] == str(store.runs / run)
    assert str(store.runs / run) in {flaw["subject"] for flaw in inner_data("fsck", cwd=project, check=1)["flaws"]}
    assert tree(tmp_path / "elsewhere") == before


def test_a_clock_that_was_set_back_between_two_runs_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the first run was a day ahead, honestly: nobody can tell it from a list in another order."""
    store = Store(project / ".harness")

    def early(name: str, events: list[dict[str, Any]]) -> None:
        for event in events:
            event["at"] = time_after(event["at"], -86_400)

    first = names(store)["run"]
    inside(*RUN, cwd=project, check=0)
    second = next(run for run in store.run_ids() if run != first)
    day = time_after(f"{second[:4]}-{second[4:6]}-{second[6:8]}T00:00:00.000Z", -86_400)
    before = day[:10].replace("-", "") + second[8:]

    def edit(name: str, events: list[dict[str, Any]]) -> str:
        if name == second:
            early(name, events)
            return before
        return name

    rewritten(store, edit)
    (store.runs / second).rename(store.runs / before)
    [flaw] = inner_data("fsck", cwd=project, check=1)["flaws"]
    assert "began later: the clock was set back" in flaw["detail"] and first in flaw["detail"]
    found = inner_data("audit", before, "--level", "hashes", cwd=project, check=1)
    assert found["verdict"] == "incomplete"


ODD = {
    "a name in the root": "NOTES", "a hidden name in the root": ".x", "an empty folder in the root": "more/",
    "a name in runs": "runs/notes.txt", "a folder in runs": "runs/20260101/",
    "a record in capitals": "runs/{run}/RECORD.JSON",
    "a name beside blobs": "blobs/x", "a folder among blobs": "blobs/sha256/AB/", "a folder among entries": "keys/zz/",
    "a name among marks": "imported/x", "a name among locks": "locks/X", "a name among views": "views/x/",
    "a run in other letters": "runs/{lower}/",
    "a name that is no text": os.fsdecode(b"runs/{run}/\xff\x1b[31m"),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_every_name_in_a_store_is_accounted_for(odd: str, project: Path) -> None:
    """Attack 15: odd names in the root and in runs, and another case of a name, were sound to `fsck`."""
    store = Store(project / ".harness")
    run = names(store)["run"]
    spelled = ODD[odd].format(run=run, lower=run.lower())
    path = store.root / spelled
    path.mkdir() if spelled.endswith("/") else path.write_bytes(b"")
    flaws = inner_data("fsck", cwd=project, check=1)["flaws"]
    assert {flaw["id"] for flaw in flaws} == {"unaccounted"}
    assert any(ascii(path.name)[1:-1].lower() in ascii(flaw["subject"]).lower() for flaw in flaws)
    if "RECORD" in spelled or "run in other" in odd:
        assert any("folds case" in flaw["detail"] for flaw in flaws)
    if "{run}" in ODD[odd]:
        checks = inner_data("audit", run, "--level", "hashes", cwd=project, check=1)["checks"]
        assert ("unaccounted", "fail") in {(one["id"], one["verdict"]) for one in checks}


def test_a_folder_of_reproductions_that_is_a_link_is_not_swept(project: Path, outside: Path) -> None:
    (outside / "20260101T000000Z-aaaaaaaa.lock").touch()
    (outside / "20260101T000000Z-aaaaaaaa").mkdir()
    before = snapshot(outside)
    (project / ".reproduce").symlink_to(outside)
    refused = inside("reproduce", "manifests/small.yaml", "--json", cwd=project, check=2)
    assert error_of(refused)["where"] == str(project / ".reproduce")
    assert snapshot(outside) == before
    for path in (outside / "20260101T000000Z-aaaaaaaa.lock", outside / "20260101T000000Z-aaaaaaaa"):
        path.unlink() if path.is_file() else path.rmdir()


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_who_may_not_write_is_told_so_and_deletes_nothing(project: Path, outside: Path) -> None:
    """As an ordinary user: what may not be opened is named, and what may not be deleted stays."""
    store = project / ".harness"
    for folder in (project, *project.parents):
        if str(folder).startswith("/tmp/") and folder.stat().st_mode & 0o055 != 0o055:
            folder.chmod(0o755)
    (store / "tmp" / "link-1-a").symlink_to(outside)
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-m", "harness.cli.main"]

    def asked(*verb: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*words, *verb, "--store", str(store)], cwd="/", env=clean_env(), capture_output=True,
                              text=True, timeout=60, check=False)  # fmt: skip

    if asked("fsck").returncode == 1 and "No module" in asked("fsck").stderr:
        pytest.skip("that user may not read the interpreter")
    before = tree(store)
    refused = asked("gc", "--delete", "--json")
    assert refused.returncode == 3, refused.stderr
    assert error_of(refused)["what"] == "this place cannot be written" and tree(store) == before


def test_a_store_of_before_is_sound_and_swept(project: Path) -> None:
    """What older versions and killed writes left in a store is no flaw of it: every kind of file, and leftovers."""
    store = Store(project / ".harness")
    left = f".{'a' * 64}.json.0123abcd.tmp"
    places = [
        ".heads.jsonl.0123abcd.tmp", f"keys/ab/{left}", f"receipts/{left}", f"receipts/{'b' * 64}.json",
        "sessions/20260101T000000Z-0123abcd.jsonl", "locks/step-abc", "locks/images", "locks/attempts",
        f"images/inventories/{'c' * 64}.spdx.json", "tmp/audit-x_1y", "tmp/blob-12-ab", "tmp/format-1-a",
    ]  # fmt: skip
    for place in places:
        (store.root / place).parent.mkdir(exist_ok=True)
        (store.root / place).write_bytes(b"")
    assert inner_data("fsck", cwd=project)["flaws"] == []
    inner_data("gc", "--delete", cwd=project)
    assert not list(store.root.rglob("*.tmp")) and not list(store.temp.iterdir())
    assert inner_data("audit", "last", "--level", "hashes", cwd=project)["verdict"] == "agreed"


def test_a_program_that_reads_a_linked_lock_waits_for_nobody(project: Path, outside: Path) -> None:
    path = project / ".harness" / "locks" / "store"
    path.unlink()
    held = lay("fifo", _made(path), outside.parent)
    assert held is None
    assert error_of(inside(*RUN, "--json", cwd=project, check=1))["where"] == str(path)


def _made(path: Path) -> Path:
    path.write_bytes(encode_document({"type": "x"}))
    return path
