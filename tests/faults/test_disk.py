"""A disk that is full, read-only or rotten costs work at most: never a wrong byte, and never a finished step."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support import SmallDisk, clean_env, command, data_of, error_of, executed, finished_project, harness, outputs_of
from support_draws import drawn

from harness.evidence.fsck import find_store_flaws
from harness.store.store import Store

pytestmark = pytest.mark.together
MODELS = ("oracle", "noisy-oracle", "forger")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Give a project in whose own store a run came to its end."""
    folder = tmp_path_factory.mktemp("disk") / "project"
    finished_project(folder, models=MODELS)
    return folder


@pytest.fixture(scope="module")
def undisturbed(project):
    """Give what comes out where nothing goes wrong."""
    [record] = (project / ".harness" / "runs").glob("*/record.json")
    return {name: one["sha256"] for name, one in json.loads(record.read_bytes())["outputs"].items()}


@pytest.fixture(scope="module")
def mounted(tmp_path_factory):
    """Mount one disk for all tests here, and with it one process that sees it."""
    with SmallDisk(tmp_path_factory.mktemp("mounted") / "disk", "64m") as disk:
        yield disk


@pytest.fixture
def disk(mounted):
    """Give the disk empty and writable, with room."""
    yield mounted
    mounted.remount("rw,size=64m,nr_inodes=10000")
    for left in mounted.seen.iterdir():
        shutil.rmtree(left)


@pytest.fixture
def store(project, undisturbed, tmp_path):
    """Give a store of its own with one finished run."""
    return Path(shutil.copytree(project / ".harness", tmp_path / "store"))


def flip(path):
    """Turn one bit in the middle of a file, as a disk does."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)
    path.chmod(0o444)


def blobs(store):
    return {path.name: path for path in (store / "blobs").glob("*/*/*")}


BYTES, FILES = ["130k", "60k", "8k", "200k"], ["8m,nr_inodes=110", "8m,nr_inodes=40"]  # where a run finds no more room


def sound(store):
    return list(find_store_flaws(Store(store))) == []


def agreed(store, project, run="last", disk=None):
    """Whether an audit agrees; on a small disk it makes steps again where that is mounted, as a run there does."""
    return data_of("audit", run, "--store", store, cwd=project, disk=disk)["verdict"] == "agreed"


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [*drawn(BYTES, 1), *drawn(FILES, 1)])
def test_a_full_disk_is_told_and_with_room_the_run_goes_on_where_it_was(project, undisturbed, disk, size):
    disk.remount(f"size={size}")
    run: list[Any] = ["run", "manifests/small.yaml", "--store", disk.folder / "store", "--json"]
    error = error_of(harness(*run, cwd=project, disk=disk, check=3))
    assert error["what"] == "the disk is full" and error["where"] and "run again" in error["next"]
    seen = disk.seen / "store"
    finished = {path.stem for path in seen.glob("keys/*/*.json")}
    if (seen / "format").exists():
        assert sound(seen)
    disk.remount("size=64m,nr_inodes=10000")
    again = json.loads(harness(*run, cwd=project, disk=disk, check=0).stdout)
    assert outputs_of(again) == undisturbed
    assert again["runs"][0]["steps"]["cached"] == len(finished)
    assert max(Counter(executed(seen)).values()) == 1
    assert sound(seen) and agreed(disk.folder / "store", project, disk=disk)
    assert not list((seen / "tmp").iterdir())


@pytest.mark.long
def test_a_read_only_store_is_read_and_audited_and_not_run_in(project, store, disk):
    where = shutil.copytree(store, disk.seen / "store")
    items = harness("get", "last", "items", "--store", where, cwd=project, text=False, check=0).stdout
    disk.remount("ro")
    assert harness("get", "last", "items", "--store", where, cwd=project, text=False, check=0).stdout == items
    assert agreed(disk.folder / "store", project, disk=disk)
    assert data_of("diff", "last", "last", "--store", where, cwd=project)["level"] == "bytes"
    assert data_of("list", "--store", where, cwd=project)["manifests"][0]["verdict"] == "unconfirmed"
    for verb in (["explain", "last"], ["fsck"]):
        harness(*verb, "--store", where, cwd=project, check=0)
    for verb in (["run", "manifests/small.yaml"], ["lock", "manifests/small.yaml"], ["gc", "--delete"]):
        error = error_of(harness(*verb, "--store", where, "--json", cwd=project, check=3))
        assert error["what"] == "this place cannot be written" and error["next"]


@pytest.mark.long
def test_a_place_that_cannot_be_written_is_no_place_for_a_store(project, tmp_path):
    with SmallDisk(tmp_path / "disk", "1m") as disk:
        disk.remount("ro")
        args = ("run", "manifests/small.yaml", "--store", disk.seen / "deep" / "store", "--json")
        assert error_of(harness(*args, cwd=project, check=3))["what"] == "this place cannot be written"


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_truncated_journal_has_a_verdict_and_the_next_run_is_whole(project, undisturbed, store):
    journal = next(store.glob("runs/*/journal.jsonl"))
    run, data = journal.parent.name, journal.read_bytes()
    second = data.index(b"\n") + 1
    for before, keep in enumerate(drawn((0, second - 1, len(data) // 2, len(data) - 1), 2)):
        journal.write_bytes(data[:keep])
        done = harness("audit", run, "--store", store, "--json", cwd=project, check=1)
        assert "Traceback" not in done.stderr
        if keep > second:  # before that there is nothing to hold against anything
            assert "verdict" in done.stdout
        again = data_of("run", "manifests/small.yaml", "--store", store, cwd=project)
        steps = again["runs"][0]["steps"]  # nobody vouches for what the run made, until another one has made it again
        assert outputs_of(again) == undisturbed and steps["executed"] == (0 if before else steps["total"])
    journal.write_bytes(data)  # every audit holds the list of runs against all their journals
    assert agreed(store, project)


@pytest.mark.long
def test_a_run_killed_while_it_wrote_its_record_is_incomplete_not_failed(project, undisturbed, store):
    record = next(store.glob("runs/*/record.json"))
    record.rename(record.with_name(".record.json.0123abcd.tmp"))
    heads = (store / "heads.jsonl").read_bytes().splitlines(keepends=True)
    (store / "heads.jsonl").write_bytes(heads[0])
    audit = data_of("audit", record.parent.name, "--store", store, cwd=project, check=1)
    assert audit["verdict"] == "incomplete"
    assert {check["id"] for check in audit["checks"] if check["verdict"] != "pass"} == {
        "chain.incomplete",
        "record.changed",  # which is not there to be compared
    }
    (store / "heads.jsonl").write_bytes(b"".join(heads))  # but a record that the list of runs names has to be there
    audit = data_of("audit", record.parent.name, "--store", store, cwd=project, check=1)
    assert audit["verdict"] == "disagreed"
    data_of("gc", "--delete", "--store", store, cwd=project)
    assert not list(store.rglob("*.tmp"))


@pytest.mark.long
def test_a_flipped_bit_is_never_delivered_and_the_next_run_repairs_it(project, undisturbed, store):
    right = {name: blobs(store)[undisturbed[name]].read_bytes() for name in ("items", "responses", "checks")}
    for digest in set(undisturbed.values()):
        flip(blobs(store)[digest])
    for name in right:
        done = harness("get", "last", name, "--store", store, "--debug", cwd=project, text=False)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"is changed" in done.stderr and b"run the manifest again" in done.stderr
    again = data_of("run", "manifests/small.yaml", "--store", store, cwd=project)
    assert outputs_of(again) == undisturbed and again["runs"][0]["steps"]["executed"] > 0
    for name, data in right.items():
        assert harness("get", "last", name, "--store", store, cwd=project, text=False, check=0).stdout == data
    assert sound(store)


@pytest.mark.long
@pytest.mark.parametrize("what", ["what no step made", "everything"])
def test_whatever_rots_the_next_run_mends_it(project, undisturbed, store, what):
    made = {
        output["sha256"]
        for path in store.glob("keys/*/*.json")
        for output in json.loads(path.read_bytes())["outputs"].values()
    }
    right = {name: path.read_bytes() for name, path in blobs(store).items()}
    for name, path in blobs(store).items():
        if right[name] and (what == "everything" or name not in made):
            flip(path)
    assert outputs_of(data_of("run", "manifests/small.yaml", "--store", store, cwd=project)) == undisturbed
    assert [name for name, data in right.items() if blobs(store)[name].read_bytes() != data] == []
    assert sound(store)
    assert agreed(store, project)


@pytest.mark.long
def test_a_damaged_entry_costs_its_step_and_nothing_else(project, undisturbed, store):
    entry = sorted(store.glob("keys/*/*.json"))[0]
    flip(entry)
    again = data_of("run", "manifests/small.yaml", "--store", store, cwd=project)
    assert outputs_of(again) == undisturbed and again["runs"][0]["steps"]["executed"] == 1
    assert sound(store)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("attempt", drawn(range(4), 1))
def test_two_runs_at_once_agree_and_make_each_step_once(project, undisturbed, disk, attempt):
    where = disk.folder / "store"
    words = disk.within(command("run", "manifests/small.yaml", "--store", str(where), "--json"), project)
    both = [
        subprocess.Popen(words, env=clean_env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [one.communicate() for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    keys = executed(disk.seen / "store")
    assert len(keys) == len(set(keys)) == len(list((disk.seen / "store").glob("keys/*/*.json")))
    for out, _ in said:
        assert outputs_of(json.loads(out)) == undisturbed
    for run in sorted((disk.seen / "store" / "runs").iterdir()):
        assert agreed(disk.folder / "store", project, run.name, disk)
