"""A file that must survive holds its old bytes or its new ones; a lock dies with its process and with nothing else."""

import os
import signal
import stat
import subprocess
import sys
import textwrap

import pytest
from support import SmallDisk, clean_env, tree

from harness.errors import InputError, MissingError
from harness.files import hold_lock, move_durable, open_log, translating_os_errors, write_atomic


def python(code, *args, within=None):
    """Start this interpreter on a few lines; it talks through its pipes."""
    words = [sys.executable, "-c", textwrap.dedent(code), *map(str, args)]
    return subprocess.Popen(
        within(words) if within else words, env=clean_env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_write_replaces_the_whole_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    for data in (b"first, and longer", b"second", b""):
        write_atomic(path, data)
        assert tree(tmp_path) == {"new/": b"", "new/folder/": b"", "new/folder/file": data}


def test_the_name_of_every_new_folder_is_made_durable(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("harness.files.sync_folder", synced.append)
    (tmp_path / "made").write_bytes(b"")
    for write in (
        lambda folder: write_atomic(folder / "file", b""),
        lambda folder: os.close(open_log(folder / "log")),
        lambda folder: move_durable(tmp_path / "made", folder / "file", 0o444),
    ):
        top = tmp_path / f"top{len(synced)}"
        before = len(synced)
        write(top / "below")
        assert {tmp_path, top, top / "below"} <= set(synced[before:])


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_a_file_has_the_mode_that_was_asked_for_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_atomic(tmp_path / "file", b"", mode=0o444)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o444


def test_a_full_disk_leaves_the_old_bytes_and_no_temporary_file(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from harness.errors import MissingError
        from harness.files import write_atomic
        try:
            write_atomic(Path(sys.argv[1]), b"new" * 100_000)
        except MissingError as bad:
            print(bad.what)
    """
    with SmallDisk(tmp_path / "disk", "100k") as disk:
        for old in ({}, {"file": b"old" * 10_000}):
            for name, data in old.items():
                (disk.seen / name).write_bytes(data)
            said, _ = python(code, disk.folder / "file", within=disk.within).communicate()
            assert said == "the disk is full\n"
            assert tree(disk.seen) == old


@pytest.mark.parametrize("refused", ["write", "fsync", "fchmod"])
def test_a_disk_that_fails_at_any_point_leaves_the_old_bytes(tmp_path, monkeypatch, refused):
    write_atomic(tmp_path / "file", b"old")

    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, refused, fail)
    with pytest.raises(MissingError, match="Input/output error"):
        write_atomic(tmp_path / "file", b"new")
    assert tree(tmp_path) == {"file": b"old"}


def test_a_writer_that_is_killed_leaves_the_old_bytes_or_the_new_ones(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from harness.files import write_atomic
        print("ready", flush=True)
        for number in range(10**9):
            write_atomic(Path(sys.argv[1]), b"%d " % number * 5000)
    """
    for _ in range(5):
        writer = python(code, tmp_path / "file")
        assert writer.stdout.readline() == "ready\n"
        while not (tmp_path / "file").exists():
            pass
        writer.kill()
        writer.communicate()
        words = (tmp_path / "file").read_bytes().split()
        assert len(words) == 5000 and len(set(words)) == 1


def test_an_unwritable_folder_and_a_missing_file_have_different_errors(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(MissingError) as refused:
        write_atomic(tmp_path / "file" / "below", b"")
    assert refused.value.where and refused.value.next
    with pytest.raises(InputError, match=r"(?i)no such file"), translating_os_errors(tmp_path):
        (tmp_path / "not there").read_bytes()
    with SmallDisk(tmp_path / "disk", "100k") as disk:
        disk.remount("ro")
        code = """
            import sys
            from pathlib import Path
            from harness.files import write_atomic
            try:
                write_atomic(Path(sys.argv[1]), b"")
            except Exception as bad:
                print(type(bad).__name__, bad.what)
        """
        said, _ = python(code, disk.folder / "file", within=disk.within).communicate()
        assert said == "MissingError this place cannot be written\n"


def test_a_file_is_moved_whole_and_a_link_is_not_moved_at_all(tmp_path):
    (tmp_path / "made").write_bytes(b"data")
    move_durable(tmp_path / "made", tmp_path / "a" / "b" / "kept", 0o444)
    assert (tmp_path / "a" / "b" / "kept").read_bytes() == b"data"
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b" / "kept")
    with pytest.raises(OSError):
        move_durable(tmp_path / "link", tmp_path / "stolen", 0o444)
    assert not (tmp_path / "stolen").exists()


HOLD = """
    import subprocess, sys
    from pathlib import Path
    from harness.files import hold_lock
    with hold_lock(Path(sys.argv[1])):
        if len(sys.argv) > 2:
            child = subprocess.Popen(["sleep", "60"], close_fds=False)
            print(child.pid, flush=True)
        else:
            print("held", flush=True)
        sys.stdin.read()
"""


def test_a_lock_is_held_by_one_and_shared_by_many(tmp_path):
    with hold_lock(tmp_path / "lock") as first, hold_lock(tmp_path / "lock", wait=False) as second:
        assert (first, second) == (True, False)
        with hold_lock(tmp_path / "lock", exclusive=False, wait=False) as third:
            assert third is False
    with (
        hold_lock(tmp_path / "lock", exclusive=False) as first,
        hold_lock(tmp_path / "lock", exclusive=False) as second,
    ):
        assert first and second
        with hold_lock(tmp_path / "lock", wait=False) as third:
            assert third is False
    with pytest.raises(ZeroDivisionError), hold_lock(tmp_path / "lock"):
        raise ZeroDivisionError
    with hold_lock(tmp_path / "lock", wait=False) as free:
        assert free


def test_a_lock_dies_with_its_process(tmp_path):
    holder = python(HOLD, tmp_path / "lock")
    assert holder.stdout.readline() == "held\n"
    with hold_lock(tmp_path / "lock", wait=False) as free:
        assert not free
    holder.kill()
    holder.communicate()
    with hold_lock(tmp_path / "lock", wait=False) as free:
        assert free


def test_a_lock_is_not_inherited_by_a_child_that_outlives_its_holder(tmp_path):
    holder = python(HOLD, tmp_path / "lock", "child")
    child = int(holder.stdout.readline())
    try:
        holder.kill()
        holder.wait()
        os.kill(child, 0)  # the child lives
        with hold_lock(tmp_path / "lock", wait=False) as free:
            assert free
    finally:
        os.kill(child, signal.SIGKILL)
        holder.communicate()


def test_a_log_is_only_ever_added_to(tmp_path):
    for data in (b"one\n", b"two\n"):
        handle = open_log(tmp_path / "logs" / "log")
        assert not os.get_inheritable(handle)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, data)
        os.close(handle)
    assert (tmp_path / "logs" / "log").read_bytes() == b"one\ntwo\n"
