"""Below a store's root no link is followed, whatever opens the path, and no file is read beyond what it may have."""

import errno
import os
import shutil
import socket
import threading

import pytest
from support import name_twice, tree
from support_hostile import HUGE

from harness.digest import sha256
from harness.errors import DamageError, InputError
from harness.files import remove_tree
from harness.store import tree as store_tree
from harness.store.blobs import Blobs
from harness.store.journal import Journal
from harness.store.store import Store
from harness.store.tree import StoreTree, open_beneath, open_part_by_part

READ = os.O_RDONLY | os.O_NONBLOCK


@pytest.fixture(params=["by the kernel", "part by part"])
def inside(request, tmp_path, monkeypatch):
    """Give the tree of a folder, in each way in which a path is opened."""
    if request.param == "part by part":
        monkeypatch.setattr(store_tree, "open_beneath", open_part_by_part)
    (tmp_path / "store" / "folder").mkdir(parents=True)
    (tmp_path / "store" / "folder" / "file").write_bytes(b"data")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_bytes(b"mine")
    return StoreTree(tmp_path / "store")


def test_a_plain_file_is_read_by_its_place_or_its_path(inside):
    assert inside.read_file("folder/file", 4) == inside.read_file(inside.root / "folder" / "file", 4) == b"data"
    assert inside.find_file("folder/none", 4) is inside.find_file("none/file", 4) is None
    assert inside.list_kinds("") == [("folder", "folder")] and inside.list_names("none") == []


@pytest.mark.parametrize("place", ["link", "way/file", "folder/link"])
def test_no_link_is_followed_at_the_end_or_on_the_way(inside, tmp_path, place):
    (inside.root / "link").symlink_to(tmp_path / "mine" / "file")
    (inside.root / "way").symlink_to(tmp_path / "mine")
    (inside.root / "folder" / "link").symlink_to("file")
    for touch in (
        lambda: inside.read_file(place, 9),
        lambda: inside.find_file(place, 9),
        lambda: inside.open_file(place),
        lambda: inside.open_log(place),
        lambda: inside.open_log(place, make=False),
        lambda: inside.lock(place).__enter__(),
    ):
        with pytest.raises(DamageError) as refused:
            touch()
        assert refused.value.where.startswith(f"{inside.root}/") and refused.value.next
    assert not inside.is_file(place) and not inside.is_folder("way") and inside.hash_file(place) == ""
    assert tree(tmp_path / "mine") == {"file": b"mine"}


def test_what_is_written_or_removed_behind_a_link_stays_as_it_was(inside, tmp_path):
    (inside.root / "way").symlink_to(tmp_path / "mine")
    (inside.root / "link").symlink_to(tmp_path / "mine" / "file")
    for touch in (
        lambda: inside.write_file("way/file", b"new"),
        lambda: inside.write_file("way/deep/file", b"new"),
        lambda: inside.make_folder("way/more"),
        lambda: inside.remove("way/file"),
        lambda: inside.rename("folder/file", "way/file"),
        lambda: inside.list_names("way"),
    ):
        with pytest.raises(DamageError, match="not a folder"):
            touch()
    inside.write_file("link", b"new")  # the link itself gives way
    inside.remove("way")
    assert tree(tmp_path / "mine") == {"file": b"mine"}
    assert tree(inside.root) == {"folder/": b"", "folder/file": b"data", "link": b"new"}


@pytest.mark.parametrize("place", ["..", "../mine/file", "folder/../../mine/file", "/etc/hostname", "a\0b"])
def test_no_place_leads_out_of_the_store(inside, place):
    with pytest.raises(DamageError):
        inside.read_file(place, 9)


@pytest.mark.parametrize("way", [open_beneath, open_part_by_part])
def test_no_way_of_opening_leads_out_even_where_nobody_looks(way, tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "mine").write_bytes(b"mine")
    top = os.open(tmp_path / "store", os.O_RDONLY)
    with pytest.raises(OSError):
        way(top, "../mine", READ)
    os.close(top)


def test_a_container_that_forbids_the_call_is_noticed_once(monkeypatch):
    def forbidden(*_):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(store_tree, "_openat2", lambda: forbidden)
    store_tree._way.cache_clear()
    assert store_tree._way() is open_part_by_part
    store_tree._way.cache_clear()


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder"])
def test_what_is_no_file_is_named_and_never_waited_for(inside, kind):
    path = inside.root / "odd"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        there = os.open(inside.root, os.O_RDONLY)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{there}/odd")
        os.close(there)
    for touch in (lambda: inside.read_file("odd", 9), lambda: inside.open_log("odd"), lambda: inside.open_file("odd")):
        with pytest.raises(DamageError, match="not a regular file"):
            touch()


def test_a_file_beyond_its_most_is_not_read(inside):
    with pytest.raises(DamageError, match="has 4 bytes, and none of its kind has more than 3"):
        inside.read_file("folder/file", 3)
    path = inside.root / "huge"
    path.write_bytes(b"begins")
    os.truncate(path, HUGE)
    with pytest.raises(DamageError, match="more than"):
        inside.read_file("huge", 1 << 28)
    os.truncate(path, 8 << 20)
    with pytest.raises(DamageError, match="has holes"):
        inside.read_file("huge", 1 << 28)
    os.truncate(path, HUGE)
    with pytest.raises(DamageError, match="little else than holes"):
        inside.open_file("huge")


def test_a_large_file_with_some_holes_is_no_hollow_one(tmp_path, monkeypatch):
    monkeypatch.setattr(store_tree, "HOLLOW", 1 << 20)
    path = tmp_path / "file"
    path.write_bytes(bytes(1 << 20))
    with open(path, "r+b") as file:
        assert not store_tree.is_hollow(file.fileno(), 1 << 20)
        os.truncate(path, 4 << 20)
        assert not store_tree.is_hollow(file.fileno(), 4 << 20)
        os.truncate(path, 40 << 20)
        assert store_tree.is_hollow(file.fileno(), 40 << 20)


@pytest.mark.parametrize("log", ["heads.jsonl", "locks/heads"])
def test_nothing_is_appended_to_or_locked_that_has_another_name(tmp_path, log):
    store = Store.make(tmp_path / "store")
    store.heads.add("run.started", {"run": "r", "journal": "0" * 64})
    mine = tmp_path / "mine"
    (store.root / log).rename(mine)
    name_twice(mine, store.root / log)
    before = mine.read_bytes()
    with pytest.raises(DamageError, match="second name"):
        store.heads.add("run.started", {"run": "s", "journal": "0" * 64})
    assert mine.read_bytes() == before


def test_a_store_that_was_deleted_and_made_again_is_the_new_one(inside):
    assert inside.read_file("folder/file", 9) == b"data"
    shutil.rmtree(inside.root)
    assert inside.find_file("folder/file", 9) is None
    (inside.root / "folder").mkdir(parents=True)
    (inside.root / "folder" / "file").write_bytes(b"new")
    assert inside.read_file("folder/file", 9) == b"new"


def test_many_stores_leave_no_descriptor_open(tmp_path):
    Store.make(tmp_path / "store")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        Store.open(tmp_path / "store").blobs.put(b"data")
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_a_tree_of_any_depth_is_removed_and_its_links_are_not_followed(tmp_path):
    (tmp_path / "mine").mkdir(mode=0o500)
    (tmp_path / "top" / "shut").mkdir(parents=True)
    deep = os.open(tmp_path / "top", os.O_RDONLY)
    for _ in range(2000):  # no path is that long
        os.mkdir("deeper", dir_fd=deep)
        os.symlink(tmp_path / "mine", "link", dir_fd=deep)
        below = os.open("deeper", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    (tmp_path / "top" / "shut").chmod(0)
    remove_tree(tmp_path / "top")
    assert os.listdir(tmp_path) == ["mine"] and (tmp_path / "mine").stat().st_mode & 0o777 == 0o500
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    remove_tree(tmp_path / "link")
    assert os.listdir(tmp_path) == ["mine"]


@pytest.fixture
def blobs(tmp_path):
    return Blobs(StoreTree(tmp_path))


def test_a_step_gets_the_blob_that_was_checked_or_none(blobs, tmp_path, monkeypatch):
    """Attack 12, of inputs: what is linked into a step's folder is the file that was checked."""
    digest = blobs.put(b"rows")
    (tmp_path / "mine").touch()
    name_twice(tmp_path / "mine", tmp_path / "yours")
    path, link = blobs.path(digest), os.link

    def exchanged(source, target, **named):
        other = path.with_name("other")
        other.write_bytes(b"wors")
        other.rename(path)
        link(source, target, **named)

    assert blobs.link_to(digest, tmp_path / "first") and (tmp_path / "first").read_bytes() == b"rows"
    monkeypatch.setattr(os, "link", exchanged)
    with pytest.raises(DamageError, match="is changed"):
        blobs.link_to(digest, tmp_path / "in")
    assert not (tmp_path / "in").exists()


@pytest.mark.parametrize("why", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV], ids=errno.errorcode.get)
def test_where_a_file_has_no_second_name_nothing_is_linked_and_all_else_is_told(blobs, tmp_path, monkeypatch, why):
    def refused(*_, **__):
        raise OSError(why, os.strerror(why))

    digest = blobs.put(b"rows")
    monkeypatch.setattr(os, "link", refused)
    assert not blobs.link_to(digest, tmp_path / "in") and not (tmp_path / "in").exists()
    why = errno.ENOSPC
    with pytest.raises(OSError, match="No space"):
        blobs.link_to(digest, tmp_path / "in")


def test_a_copy_is_hashed_as_it_is_made(blobs, tmp_path):
    digest = blobs.put(b"rows" * 1000)
    blobs.copy_to(digest, tmp_path / "first")
    assert sha256((tmp_path / "first").read_bytes()) == digest
    path = blobs.path(digest)
    path.chmod(0o644)
    path.write_bytes(b"wors" * 1000)
    os.utime(path, ns=(0, 0))
    for size in (None, 4000, 3):
        with pytest.raises(DamageError):
            blobs.copy_to(digest, tmp_path / "second", size=size)
        assert not (tmp_path / "second").exists()
    with pytest.raises(DamageError):
        blobs.open(digest)


def test_what_is_read_from_an_open_blob_is_what_was_hashed(blobs):
    digest = blobs.put(b"rows")
    with blobs.open(digest) as file:
        blobs.path(digest).unlink()
        blobs.path(digest).write_bytes(b"wors")
        assert file.read() == b"rows"


def test_a_file_with_a_second_name_becomes_no_blob_and_keeps_its_mode(blobs, tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "mine").chmod(0o600)
    name_twice(tmp_path / "mine", tmp_path / "made")
    with pytest.raises(InputError, match="plain file"):
        blobs.adopt(tmp_path / "made")
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o600


def test_a_journal_that_nobody_would_read_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.store.journal.MOST_LOG", 2000)
    journal = Journal(tmp_path / "journal.jsonl")
    for _ in range(5):
        journal.add("step.log", {"step": "s", "text": "x" * 100})
    journal.flush()
    for _ in range(20):
        journal.add("step.log", {"step": "s", "text": "x" * 100})
    with pytest.raises(Exception, match="nobody reads"):
        journal.flush()
    assert os.path.getsize(tmp_path / "journal.jsonl") <= 2000


def test_threads_share_one_tree(inside):
    found = []
    readers = [threading.Thread(target=lambda: found.append(inside.read_file("folder/file", 9))) for _ in range(8)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    assert found == [b"data"] * 8
