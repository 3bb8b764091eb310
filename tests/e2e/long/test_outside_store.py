"""An outside attacker hands over a store, or a checkout with one, that harms whoever only looks at it or sweeps it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import Forger, forged, write
from support import clean_env, data_of, harness, judging_once, small_project, tree
from support_draws import drawn

from harness.digest import encode_document, seal_document, sha256_file
from harness.evidence.record import MOMENT
from harness.store.store import Output, Store

pytestmark = pytest.mark.together
MANIFEST = "manifests/small.yaml"
BYTES = ("--level", "hashes")
LARGE = 400 << 20  # bytes of a file that holds nothing but a hole: it takes no room on the disk
MOST = 330 << 10  # KiB of memory; a verb takes at most two thirds of it
CEILING = 3 << 30  # bytes of addresses, so that an attack that succeeds harms no machine


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two runs, the second of which took every step from the first; the last one is accepted."""
    folder = tmp_path_factory.mktemp("outside")
    small_project(folder, count=7, models=("oracle",))
    for _ in range(2):
        harness("run", MANIFEST, "--isolation", "process", cwd=folder, check=0)
        time.sleep(MOMENT)  # of runs that begin within a moment none is the later one
    harness("lock", "--accept", "last", cwd=folder, check=0)
    return folder


@pytest.fixture
def project(ran: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ran, tmp_path / "project"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder that is nobody's store: somebody's files, of long ago."""
    folder = tmp_path / "victim"
    (folder / "thesis").mkdir(parents=True)
    for name in ("notes.txt", "table.npy", "model.npz", "settings.json", "thesis/chapter.tex"):
        (folder / name).write_bytes(f"the only copy of {name}".encode())
        (folder / name).chmod(0o640)
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (1e9, 1e9))
    return folder


def facts(folder: Path) -> dict[str, Any]:
    """Give bytes, mode and time of all that lies below a folder, and of the folder itself."""
    found = {
        path.relative_to(folder).as_posix(): (path.lstat().st_mode, path.lstat().st_mtime_ns)
        for path in [folder, *sorted(folder.rglob("*"))]
    }
    return {"bytes": tree(folder), "facts": found}


@dataclass
class Ended:
    """How a verb ended, and what it took."""

    code: int | None  # None: it had to be ended
    said: str
    seconds: float
    rss: int  # KiB


# The kernel counts to a program what its starter held: a small one starts it, and not the process of the tests.
STARTER = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measured(*words: str | Path, cwd: Path, seconds: float) -> Ended:
    """Run a verb in a process of its own, in bounded memory, and end it after so many seconds."""
    began, into, told = time.monotonic(), cwd / ".said", ""
    line = ["prlimit", f"--as={CEILING}", "--core=0", *judging_once(), *map(str, words)]
    with open(into, "wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", STARTER, *line], cwd=cwd, env=clean_env(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=out, start_new_session=True, text=True,
        )  # fmt: skip
    try:
        told, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    code, rss = map(int, told.split()) if told else (None, 0)
    return Ended(code, into.read_text(errors="replace"), time.monotonic() - began, rss)


def hole(path: Path, size: int) -> None:
    """Put a file of so many bytes in place of another, all of them a hole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(path, "wb") as file:
        file.truncate(size)


def test_accepting_a_run_deletes_no_array_of_a_linked_folder(project: Path, victim: Path) -> None:
    """The checkout holds a link `lockfiles/manifests/small.expect`, where expected arrays lie, to somebody's data.

    `lock --accept` puts away every `.npy` and `.npz` there that the new expectation does not name: all of the victim's.
    """
    before = facts(victim)
    (project / "lockfiles" / "manifests" / "small.expect").symlink_to(victim)
    harness("lock", "--accept", "last", cwd=project)
    assert facts(victim) == before


def test_a_reproduction_sweeps_nothing_that_a_link_leads_to(project: Path, victim: Path) -> None:
    """The checkout holds `.reproduce/old.lock`, an empty file, and a link `.reproduce/old` to somebody's home.

    A reproduction first deletes what killed ones left: whatever lies beside a lock that nobody holds. It follows the
    link, opens every folder to itself and empties all of them.
    """
    before = facts(victim)
    (project / ".reproduce").mkdir()
    (project / ".reproduce" / "old.lock").touch()
    (project / ".reproduce" / "old").symlink_to(victim)
    harness("reproduce", MANIFEST, "--isolation", "process", cwd=project)
    assert facts(victim) == before


@pytest.mark.parametrize("place", ["views", "images/layers", "tmp/inner", "imported"])
def test_a_sweep_deletes_nothing_behind_a_linked_folder(place: str, project: Path, victim: Path) -> None:
    """A folder of the store that a sweep goes through is a link to somebody's folder: what no run names there goes.

    Of views nothing is asked but a name, so with `views` the whole folder is deleted, subfolders and all.
    """
    before = facts(victim)
    path = project / ".harness" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(victim)
    harness("gc", "--delete", cwd=project)
    assert facts(victim) == before


@pytest.mark.parametrize("shelf", ["blobs/sha256", "keys"])
def test_a_sweep_deletes_nothing_of_the_store_next_door(shelf: str, project: Path, tmp_path: Path) -> None:
    """One of the two-letter folders is a link to that of another store, which holds what only that one's runs name.

    The names there are digests, as they should be, and no run of this store names them: a sweep here deletes what is
    another's.
    """
    other = Path(shutil.copytree(project / ".harness", tmp_path / "other"))
    store, mine = Store(other), Store(project / ".harness")
    entry: Any = next(iter(Forger(mine).entries.values()))
    for number in range(200):  # until it lies in a folder that this store does not have
        if shelf == "keys":
            made = {name: Output(**one) for name, one in entry["outputs"].items()}
            parts: Any = dict(entry["preimage"], batch=str(number))
            path = store.entries.path(store.entries.put(parts, made).key)
        else:
            path = store.blobs.path(store.blobs.put(f"only here {number}".encode()))
        here = mine.root / shelf / path.parent.name
        if not here.exists():
            break
    here.symlink_to(path.parent)
    before = facts(other)
    harness("gc", "--delete", cwd=project)
    assert facts(other) == before


@pytest.mark.parametrize("name", ["keys", "blobs", "runs", "locks", "tmp", "receipts"])
def test_a_run_writes_nothing_behind_a_linked_folder(name: str, project: Path, victim: Path) -> None:
    """A store comes with one of its folders already there, as a link out of it: whoever runs something writes there."""
    before = facts(victim)
    store = project / "fresh"
    store.mkdir()
    shutil.copy(project / ".harness" / "format", store)
    (store / name).symlink_to(victim)
    harness("run", MANIFEST, "--isolation", "process", "--store", "fresh", cwd=project)
    assert facts(victim) == before


@pytest.mark.parametrize("text", ["correct horse battery staple", "two lines\nand no end", "ended\n"])
def test_a_list_of_runs_that_has_a_second_name_is_not_cut(text: str, project: Path, tmp_path: Path) -> None:
    """The list of runs is a second name of somebody's file, which has one line without an end, such as a password.

    That is read as a line that a kill cut short: the next run cuts the file to nothing and writes its own lines.
    """
    secret = tmp_path / "password"
    secret.write_text(text)
    store = project / "fresh"
    store.mkdir()
    shutil.copy(project / ".harness" / "format", store)
    os.link(secret, store / "heads.jsonl")
    harness("run", MANIFEST, "--isolation", "process", "--store", "fresh", cwd=project)
    assert secret.read_text() == text


@pytest.mark.parametrize("where", ["a link in the project", "the store itself", "a second name"])
def test_getting_an_output_writes_over_no_other_file(where: str, project: Path, victim: Path) -> None:
    """The page of the manual is `harness get last report.html -o report.html`, and the checkout brings `report.html`.

    It is a link to (or a second name of) a file of the reviewer's, and the bytes that go there are the attacker's; or
    the reviewer mistypes, and the list of runs of the store is overwritten.
    """
    target, secret = project / "checks.json", victim / "settings.json"
    if where == "a link in the project":
        target.symlink_to(secret)
    elif where == "a second name":
        os.link(secret, target)
    else:
        target = secret = project / ".harness" / "heads.jsonl"
    before = secret.read_bytes()
    harness("get", "last", "checks", "-o", target.relative_to(project), cwd=project)
    assert secret.read_bytes() == before


@pytest.mark.exhaustive
@pytest.mark.parametrize("what", drawn(["manifest", "lock", "environment"], 1))
def test_a_document_of_the_right_digest_is_not_taken_in_whole(what: str, project: Path) -> None:
    """The blob that a run names as its manifest is a hole of 400 MiB, and it has the digest that names it.

    Nothing is wrong with it until somebody takes it for a document, and then it lies in memory two or three times.
    """
    store = Store(project / ".harness")
    hole(project / "large", LARGE)
    digest, _ = sha256_file(project / "large")
    store.blobs.path(digest).parent.mkdir(exist_ok=True)
    (project / "large").rename(store.blobs.path(digest))
    forged(store, lambda it: it.started.update({what: digest}))
    ended = measured("audit", Forger(store).run, *BYTES, cwd=project, seconds=15)
    assert ended.code == 1, ended
    assert ended.rss < MOST, f"{ended.rss >> 10} MiB"
    assert "Traceback" not in ended.said and "defect" not in ended.said, ended.said


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", drawn(["format", "keys", "images", "receipts", "transcript"], 2))
def test_no_small_file_of_a_store_is_read_at_any_size(place: str, project: Path) -> None:
    """Each file of a store that should hold a line or a page is a hole of 400 MiB in its turn."""
    store = Store(project / ".harness")
    it = Forger(store)
    attempt = "20260101T000000Z-" + "0" * 32
    path = {
        "format": store.root / "format",
        "keys": store.entries.path(next(one["key"] for one in it.events if "key" in one)),
        "images": store.images / "x.json",
        "receipts": next((store.root / "receipts").glob("*.json"), store.root / "receipts" / "x.json"),
        "transcript": store.runs / attempt / "transcript.jsonl",
    }[place]
    hole(path, LARGE)
    for words in (["fsck"], ["audit", it.run, *BYTES], ["gc"], ["list"]):
        ended = measured(*words, cwd=project, seconds=10)
        assert ended.code is not None and ended.rss < MOST, (words, f"{ended.rss >> 10} MiB", ended.said[:300])
        assert "Traceback" not in ended.said and "defect" not in ended.said, (words, ended.said)


@pytest.mark.parametrize("verb", ["fsck", "audit", "gc"])
def test_a_blob_that_is_a_hole_does_not_hold_a_reader_up(verb: str, project: Path) -> None:
    """A blob is a hole of 8 TiB: whoever holds bytes against a digest reads for hours before the first word.

    Journal and entry say the same size, so sizes agree; that a hole takes no room on the disk tells at once.
    """
    store = Store(project / ".harness")

    def swell(it: Forger) -> None:
        event = next(one for one in it.events if one.get("name") == "scores")
        for said in (event, it.entries[event["step"]]["outputs"][event["output"]]):
            said["size"] = 8 << 40

    forged(store, swell)
    it = Forger(store)
    digest = next(one["sha256"] for one in it.events if one.get("name") == "scores")
    hole(store.blobs.path(digest), 8 << 40)
    ended = measured(verb, *([it.run, *BYTES] if verb == "audit" else []), cwd=project, seconds=20)
    assert ended.code is not None, "it had not ended"
    assert verb == "gc" or (ended.code == 1 and digest in ended.said), ended.said


def test_a_lock_that_counts_millions_of_rows_is_not_planned(project: Path) -> None:
    """The lock in the store says that the dataset has a hundred million rows, the most that a lock may say.

    The audit plans again from lock and manifest before it looks at any row: some hundred thousand shards for each
    model become steps in the memory of the verifier, though the journal counts ten.
    """

    def grow(it: Forger) -> None:
        lock = it.document(it.started["lock"])
        for pin in lock["pins"]["datasets"]["addition"].values():
            pin["rows"] = 10**8
        it.started["lock"] = it.store.blobs.put(seal_document(lock))

    forged(Store(project / ".harness"), grow)
    run = Forger(Store(project / ".harness")).run
    ended = measured("audit", run, *BYTES, cwd=project, seconds=20)
    assert ended.code == 1 and ended.rss < MOST, (ended.code, f"{ended.rss >> 10} MiB", ended.said[:500])


def test_the_last_run_is_not_chosen_by_whoever_orders_the_list(project: Path) -> None:
    """The list of runs is written anew in another order, its chain sound: the run before last is now `last`.

    So an attacker hides the run that he dislikes; ids and journals still say which was the later one.
    """
    store = Store(project / ".harness")
    was = data_of("audit", "last", *BYTES, cwd=project)["run"]

    def turn(it: Forger) -> None:
        it.heads = [*it.heads[len(it.heads) // 2 :], *it.heads[: len(it.heads) // 2]]

    forged(store, turn)
    assert store.find_run("last") != was
    assert harness("fsck", cwd=project).returncode == 1
    done = harness("audit", "last", *BYTES, cwd=project)
    assert done.returncode == 1 and "agreed" not in done.stdout.replace("disagreed", ""), done.stdout


def test_a_file_that_no_part_of_the_store_accounts_for_is_named(project: Path) -> None:
    """Plain files lie where no reader looks: what somebody smuggles, or keeps from those who sweep, goes unnamed."""
    root = project / ".harness"
    places = ["payload.bin", "runs/notes.txt", "keys/readme", "blobs/sha512/aa/bb", "blobs/more", "locks/x/y", "more/a"]
    for place in places:
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text("x")
    told = harness("fsck", "--json", cwd=project)
    flaws = {flaw["subject"] for flaw in json.loads(told.stdout)["flaws"]}  # of a folder of strangers its own name
    named = [place for place in places if flaws & {str(root / place), *map(str, (root / place).parents)} - {str(root)}]
    assert told.returncode == 1 and named == places, (set(places) - set(named), told.stdout)


@pytest.mark.parametrize("words", [["list"], ["audit", "manifests/other.yaml"], ["audit", MANIFEST]])
def test_a_pipe_in_place_of_a_file_of_the_project_holds_nobody_up(words: list[str], project: Path) -> None:
    """Manifest, expectation and lock of an unpacked project are named pipes: whoever opens one waits for ever."""
    os.mkfifo(project / "manifests" / "other.yaml")
    for name in ("lock", "expect"):
        path = project / "lockfiles" / "manifests" / f"small.{name}.json"
        path.unlink()
        os.mkfifo(path)
    ended = measured(*words, *(BYTES if words[0] == "audit" else ()), cwd=project, seconds=20)
    assert ended.code is not None, "it waited"
    assert words == ["list"] or ended.code != 0, ended.said
    assert "Traceback" not in ended.said and "defect" not in ended.said, ended.said


def test_a_run_whose_id_is_a_path_is_not_read_outside_the_store(project: Path, tmp_path: Path) -> None:
    """The list of runs names a run `../../../outside/run`, and that is what `last` means; it agrees with itself.

    Whoever reads it reads journal and record where that path leads, out of the store that is judged.
    """

    def away(it: Forger) -> None:
        old, it.run = it.run, "../../../outside/run"
        it.started["run"] = it.run
        it.heads = [head | {"run": it.run} for head in it.heads if head["run"] == old]

    forged(Store(project / ".harness"), away)
    assert (tmp_path / "outside" / "run" / "journal.jsonl").is_file()
    for run in ("last", "../../../outside/run"):
        done = harness("audit", run, *BYTES, cwd=project)
        assert done.returncode != 0 and ": agreed" not in done.stdout, done.stdout
    for words in (["get", "last", "checks"], ["explain", "last"]):
        assert harness(*words, cwd=project).returncode != 0, words
    assert harness("fsck", cwd=project).returncode == 1


FORMS: dict[str, Any] = {
    "models that are a list": {"models": []}, "a model that is a text": {"models": {"oracle": "x"}},
    "datasets that are a number": {"datasets": 7}, "outputs that are nothing": {"outputs": None}, "a name alone": {},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_lock_of_another_form_is_a_flaw_and_no_crash(form: str, project: Path) -> None:
    """The lock in the store is sealed and canonical, and what it means (`intent`) is of a form that no lock has.

    A verifier that falls over gives no verdict and names nothing: the script that counts `disagreed` counts none.
    """

    def bend(it: Forger) -> None:
        lock = it.document(it.started["lock"])
        lock["intent"] = lock["intent"] | FORMS[form] if FORMS[form] else {"name": "small"}
        it.started["lock"] = it.store.blobs.put(seal_document(lock))

    forged(Store(project / ".harness"), bend)
    for words in (["audit", Forger(Store(project / ".harness")).run, *BYTES], ["list"], ["runs"], ["fsck"], ["gc"]):
        done = harness(*words, cwd=project)
        assert "defect" not in done.stderr and "Traceback" not in done.stderr, (words, done.stderr)
        assert words[0] != "audit" or (done.returncode == 1 and "lock" in done.stdout), done.stdout


@pytest.mark.parametrize("field", ["config", "manifest", "layers"])
def test_an_image_of_another_form_is_a_flaw_and_no_crash(field: str, project: Path) -> None:
    """An image on the shelf names a number where a digest stands: whoever checks the store ends before its runs."""
    image: dict[str, Any] = {
        "type": "image/1",
        "name": "x",
        "config": "ab" * 32,
        "manifest": "ab" * 32,
        "layers": ["ab" * 32],
    }
    image |= {field: [7, "cd" * 32] if field == "layers" else 7}
    (project / ".harness" / "images").mkdir()
    (project / ".harness" / "images" / "x.json").write_bytes(encode_document(image))
    done = harness("fsck", cwd=project)
    assert "defect" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 1 and "x.json" in done.stdout, done.stdout


def test_files_of_a_store_with_a_second_name_keep_bytes_mode_and_time(project: Path, tmp_path: Path) -> None:
    """Every blob, entry, journal and record is a second name of a file outside, and many of them are damaged.

    Whoever heals by writing into a file, or opens it to himself before he deletes it, changes what is outside.
    """
    outside, twins = tmp_path / "outside", []
    outside.mkdir()
    store = project / ".harness"
    found = [one for part in ("blobs", "keys", "runs") for one in sorted((store / part).rglob("*")) if one.is_file()]
    for number, path in enumerate(found):
        if "blobs" in path.parts and number % 2:
            write(path, b"another's file")
            path.chmod(0o600)
        twins.append(outside / str(number))
        os.link(path, twins[-1])
    before = facts(outside)
    for words in (["run", MANIFEST, "--isolation", "process"], ["gc", "--delete"], ["fsck"], ["audit", "last", *BYTES]):
        harness(*words, cwd=project)
    assert facts(outside) == before


def test_a_folder_exchanged_under_an_audit_gives_nothing_away(project: Path, victim: Path) -> None:
    """Whoever owns `tmp/` of a store renames the folder that an audit made there, and lays one of his own in its place.

    Its `out` is a link: what the audit does to it (root gives it to the user that steps run as) is done to what the
    link leads to, and the code, inputs and outputs of the step `made again` are the attacker's.
    """
    owner, before = victim.stat().st_uid, facts(victim)
    temp, over = project / ".harness" / "tmp", threading.Event()
    ready = [temp / f"ready-{number}" for number in range(30)]
    for folder in ready:
        for name in ("in", "tmp", "code"):
            (folder / name).mkdir(parents=True)
        (folder / "out").symlink_to(victim)

    def exchange() -> None:
        while not over.is_set() and ready:
            for mine in temp.glob("audit-*"):
                if (mine / "code").is_dir() and not (mine / "out").is_symlink() and ready:
                    with contextlib.suppress(OSError):  # it was gone before
                        mine.rename(temp / f"gone-{len(ready)}")
                        ready.pop().rename(mine)

    attacker = threading.Thread(target=exchange)
    attacker.start()
    try:
        done = harness("audit", "last", cwd=project)
    finally:
        over.set()
        attacker.join()
    assert (victim.stat().st_uid, facts(victim)) == (owner, before), done.stderr
    assert "Traceback" not in done.stderr and "defect" not in done.stderr, done.stderr


def test_a_store_does_not_say_what_isolation_keeps_from_a_step(project: Path, tmp_path: Path) -> None:
    """The store brings the receipt of a probe that nobody made: every attempt to break out of the isolation was `held`.

    Whoever runs something in this store on the same machine makes no probe then, and what the attacker wrote stands in
    the record as what was tried.
    """
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    harness("run", MANIFEST, cwd=project, env=cache, check=0)
    receipts = list((tmp_path / "cache").rglob("receipts/*.json"))
    assert any(b'"held: ' in path.read_bytes() for path in receipts)
    for path in receipts:  # under the very name by which such a receipt is found
        lie = path.read_bytes().replace(b'"held: ', b'"held: trust me, ')
        write(project / ".harness" / "receipts" / path.name, lie)
        path.unlink()
    harness("run", MANIFEST, cwd=project, env=cache, check=0)
    newest = max((project / ".harness" / "runs").glob("*/journal.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    said = newest.read_bytes()
    assert b'"held: ' in said and b"trust me" not in said
