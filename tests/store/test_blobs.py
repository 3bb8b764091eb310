"""A blob is what its name says or it is not delivered; whatever lies in its place is replaced, never followed."""

import os
import stat

import pytest

from harness.digest import sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.store.blobs import Blobs, is_digest
from harness.store.tree import StoreTree

DATA = b"the bytes of a blob"
NAME = sha256(DATA)


@pytest.fixture
def store(tmp_path):
    """Give a way to open the same blobs again, as another process would."""
    return lambda: Blobs(StoreTree(tmp_path))


@pytest.fixture
def made(tmp_path):
    def make(data=DATA):
        (tmp_path / "made").write_bytes(data)
        return tmp_path / "made"

    return make


def flip(path, at=0, bit=0):
    data, before = bytearray(path.read_bytes()), path.stat().st_mtime_ns
    data[at] ^= 1 << bit
    path.chmod(0o644)
    path.write_bytes(data)
    os.utime(path, ns=(before, before + 1))  # later than the clock of some file systems can tell


def replace(path, what, tmp_path):
    """Put something else in place of a file."""
    path.unlink()
    if what == "link to the same bytes":
        (tmp_path / "elsewhere").write_bytes(DATA)
        path.symlink_to(tmp_path / "elsewhere")
    elif what == "link to nothing":
        path.symlink_to(tmp_path / "nowhere")
    elif what == "fifo":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "other bytes":
        path.write_bytes(b"the bytes of a blub")
    elif what == "no bytes":
        path.touch()


OTHERS = ("link to the same bytes", "link to nothing", "fifo", "folder", "other bytes", "no bytes")


def test_a_file_where_a_folder_of_blobs_should_be_is_told_and_no_crash(store, tmp_path):
    (tmp_path / "blobs" / "sha256").mkdir(parents=True)
    (tmp_path / "blobs" / "sha256" / NAME[:2]).write_text("in the way")
    assert store().state(NAME) == store().check(NAME) == "changed"


def test_bytes_are_kept_once_read_only_under_their_digest(store, tmp_path):
    for _ in range(2):
        assert store().put(DATA) == NAME
    assert [path.name for path in (tmp_path / "blobs").rglob("*") if path.is_file()] == [NAME]
    path = store().deliver(NAME)
    assert path.read_bytes() == store().read(NAME) == DATA
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_file_is_taken_over_and_not_copied(store, made):
    path = made()
    inode = path.stat().st_ino
    assert store().adopt(path) == (NAME, len(DATA))
    assert not path.exists()
    assert store().deliver(NAME).stat().st_ino == inode


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_only_a_plain_file_is_taken_over(store, made, tmp_path, kind):
    path = tmp_path / "odd"
    {"link": lambda: path.symlink_to(made()), "fifo": lambda: os.mkfifo(path), "folder": path.mkdir}[kind]()
    with pytest.raises(InputError):
        store().adopt(path)
    assert store().state(NAME) == "missing"


@pytest.mark.parametrize("at", range(len(DATA)))
def test_a_flipped_bit_is_never_delivered_and_the_next_put_repairs_it(store, made, at):
    for mend in (lambda blobs: blobs.put(DATA), lambda blobs: blobs.adopt(made())):
        store().put(DATA)
        flip(store().path(NAME), at, at % 8)
        for door in (store().deliver, store().read):
            with pytest.raises(DamageError):
                door(NAME)
        assert (store().state(NAME), store().check(NAME)) == ("changed", "changed")
        mend(store())
        assert store().read(NAME) == DATA


def test_a_change_is_seen_by_a_process_that_had_read_the_blob_before(store):
    blobs = store()
    blobs.put(DATA)
    assert blobs.deliver(NAME)
    flip(blobs.path(NAME))
    for door in (blobs.deliver, blobs.read):
        with pytest.raises(DamageError):
            door(NAME)


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.parametrize("door", ["deliver", "read"])
def test_what_lies_in_place_of_a_blob_is_changed_and_not_delivered(store, tmp_path, what, door):
    store().put(DATA)
    replace(store().path(NAME), what, tmp_path)
    assert store().state(NAME) == store().check(NAME) == "changed"
    with pytest.raises(DamageError):
        getattr(store(), door)(NAME)


@pytest.mark.parametrize("what", [what for what in OTHERS if what != "folder"])
def test_a_link_in_place_of_a_blob_is_replaced_and_its_target_untouched(store, made, tmp_path, what):
    for mend in (lambda blobs: blobs.put(DATA), lambda blobs: blobs.adopt(made())):
        store().put(DATA)
        replace(store().path(NAME), what, tmp_path)
        mend(store())
        assert store().deliver(NAME).read_bytes() == DATA
        assert store().path(NAME).is_file() and not store().path(NAME).is_symlink()
    if what == "link to the same bytes":
        assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) != 0o444
    assert not (tmp_path / "nowhere").exists()


def test_a_missing_blob_is_missing(store):
    assert store().state(NAME) == store().check(NAME) == "missing"
    for door in (store().deliver, store().read):
        with pytest.raises(DamageError, match="missing"):
            door(NAME)
    store().put(DATA)
    store().remove(NAME)
    assert store().state(NAME) == "missing"
    store().remove(NAME)  # dropping what is gone already is no error


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_size_does_not_matter(store, made, size):
    data = (b"0123456789abcdef" * ((size >> 4) + 1))[:size]
    digest, found = store().adopt(made(data))
    assert (digest, found) == (sha256(data), size)
    assert store().read(digest) == store().deliver(digest).read_bytes() == data
    if size:
        flip(store().path(digest), size - 1)
        assert store().state(digest) == "changed"


@pytest.mark.parametrize(
    "name", ["", "..", "../" * 21 + "a", NAME.upper(), NAME[:-1], NAME + "0", "/etc/passwd", "g" * 64]
)
def test_no_other_text_becomes_a_path(store, name):
    assert not is_digest(name)
    for door in (store().path, store().deliver, store().read, store().state, store().remove):
        with pytest.raises(HarnessError):
            door(name)
