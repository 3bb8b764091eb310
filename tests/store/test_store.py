"""A store is made by the first who writes, read without writing, and finds a run by what it is called."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support import clean_env, tree
from support_examples import examples

from harness.clock import unique_stamp
from harness.digest import sha256
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.evidence.fsck import find_store_flaws
from harness.store.journal import Journal
from harness.store.store import FORMAT, Store
from harness.store.sweep import collect_garbage


@pytest.fixture
def store(tmp_path):
    return Store.make(tmp_path / "store")


def runs(store, *names):
    for name in names:
        (store.runs / name).mkdir()


def test_making_a_store_again_changes_nothing(store):
    store.blobs.put(b"kept")
    before = tree(store.root)
    assert Store.make(store.root).blobs.read(store.blobs.put(b"kept")) == b"kept"
    assert tree(store.root) == before


def test_opening_a_store_writes_nothing(store):
    before = tree(store.root)
    opened = Store.open(store.root)
    assert (opened.run_ids(), opened.heads.read().events, list(opened.entries.all())) == ([], (), [])
    assert tree(store.root) == before


def test_what_is_no_store_is_neither_opened_nor_taken(tmp_path):
    with pytest.raises(MissingError):
        Store.open(tmp_path / "nothing")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(MissingError):
        Store.open(tmp_path / "mine")
    with pytest.raises(InputError):
        Store.make(tmp_path / "mine")
    with pytest.raises(HarnessError):
        Store.make(tmp_path / "mine" / "thesis.tex")
    assert tree(tmp_path) == {"mine/": b"", "mine/thesis.tex": b"years of work"}


@pytest.mark.parametrize("mark", [b"harness store 2\n", b"", FORMAT.encode() * 2, b"\xff\xfe"])
def test_a_store_of_another_format_is_refused(store, mark):
    (store.root / "format").write_bytes(mark)
    for door in (Store.open, Store.make):
        with pytest.raises(InputError, match="another format"):
            door(store.root)


def test_a_store_whose_making_was_killed_is_made_to_its_end(store):
    for gone in ("format", "keys", "runs"):
        path = store.root / gone
        path.unlink() if path.is_file() else path.rmdir()
        Store.make(store.root)
        assert (store.root / "format").read_text() == FORMAT
    assert store.blobs.put(b"works")


def test_the_mark_of_a_store_is_durable_before_it_has_its_name(tmp_path, monkeypatch):
    synced, sync = [], os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (synced.append(os.readlink(f"/proc/self/fd/{handle}")), sync(handle))
    )
    store = Store.make(tmp_path / "store")
    assert synced[0].startswith(f"{store.temp}/") and synced[-1] == str(store.root)


def test_bytes_are_durable_before_their_name_and_their_name_before_anybody_rests_on_it(store, monkeypatch):
    """A blob, and a document of the store: the file, its name, the folder, in this order."""
    done, sync, rename = [], os.fsync, os.rename

    def synced(handle):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def renamed(*args, **more):
        done.append("name")
        rename(*args, **more)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    monkeypatch.setattr(os, "replace", renamed)
    for write in (
        lambda: store.blobs.put(b"some bytes"),
        lambda: store.tree.write_file(store.root / "runs" / "note", b"some bytes"),
    ):
        done.clear()
        write()
        named = done.index("name")
        assert "file" in done[:named] and done[-1] == "folder", done


def test_a_private_folder_is_gone_afterwards_whatever_was_left_in_it(store):
    with pytest.raises(ZeroDivisionError), store.folder("step") as folder:
        (folder / "deep" / "er").mkdir(parents=True)
        (folder / "deep" / "file").write_text("left")
        raise ZeroDivisionError
    assert not list(store.temp.iterdir())


def test_many_processes_make_one_store(tmp_path):
    code = """
        import sys
        from pathlib import Path
        from harness.store.store import Store
        sys.stdin.readline()
        print(Store.make(Path(sys.argv[1])).blobs.put(b"same"))
    """
    words = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "store")]
    makers = [
        subprocess.Popen(words, env=clean_env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for maker in makers:
        maker.stdin.write("go\n")
        maker.stdin.flush()
    assert len({maker.communicate()[0] for maker in makers}) == 1
    assert {maker.returncode for maker in makers} == {0}
    assert not list((tmp_path / "store" / "tmp").iterdir())


def test_a_run_is_found_by_its_name_or_a_prefix(store):
    runs(store, "20260101T000000Z-aa", "20260101T000000Z-ab", "20260102T000000Z-cc")
    assert store.find_run("20260101T000000Z-aa") == "20260101T000000Z-aa"
    assert store.find_run("20260102") == "20260102T000000Z-cc"


@pytest.mark.parametrize("name", ["", "20260101", "nothing", "..", "../..", "/", "\udcff", "*", "\x1b[31m"])
def test_a_name_that_means_no_run_or_several_is_refused(store, name):
    runs(store, "20260101T000000Z-aa", "20260101T000000Z-ab")
    with pytest.raises(InputError):
        store.find_run(name)


def test_the_last_run_is_the_one_started_last_whatever_the_clock_said(store):
    with pytest.raises(InputError, match="no run has been started"):
        store.find_run("last")
    for name in ("20300101T000000Z-aa", "19700101T000000Z-bb"):
        runs(store, name)
        store.heads.add("run.started", {"run": name, "journal": "a" * 64})
    assert store.find_run("last") == "19700101T000000Z-bb"


def test_which_run_was_the_last_is_not_guessed_from_a_broken_list(store):
    for name in ("20300101T000000Z-aa", "20300101T000000Z-bb"):
        runs(store, name)
        store.heads.add("run.started", {"run": name, "journal": "a" * 64})
    store.heads.path.write_bytes(store.heads.path.read_bytes().replace(b"Z-aa", b"Z-ab"))
    with pytest.raises(DamageError, match="the list of runs is broken at line 2"):
        store.find_run("last")


CONTENTS = [b"", b"a", b"b", b"some more bytes", b'{"type":"x/1"}\n']


class Model(RuleBasedStateMachine):
    """A store beside a dictionary of what it should hold: digest → sound, changed or missing."""

    def __init__(self):
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="harness-model-"))
        self.store = Store.make(self.root / "store")
        self.state = {sha256(data): "missing" for data in CONTENTS}
        self.named = set()

    def teardown(self):
        shutil.rmtree(self.root)

    @rule(data=st.sampled_from(CONTENTS))
    def put(self, data):
        self.state[self.store.blobs.put(data)] = "sound"

    @rule(data=st.sampled_from(CONTENTS))
    def adopt(self, data):
        (self.root / "made").write_bytes(data)
        digest, size = self.store.blobs.adopt(self.root / "made")
        assert (digest, size) == (sha256(data), len(data))
        self.state[digest] = "sound"

    @rule(data=st.sampled_from(CONTENTS), how=st.sampled_from(["other bytes", "link", "gone"]))
    def damage(self, data, how):
        path = self.store.blobs.path(sha256(data))
        if self.state[path.name] == "missing":
            return
        before = path.lstat().st_mtime_ns
        path.unlink()
        if how == "other bytes":
            path.write_bytes(data + b"!")
            os.utime(path, ns=(before, before + 1))
        elif how == "link":
            path.symlink_to("/etc/hostname")
        self.state[path.name] = "missing" if how == "gone" else "changed"

    @rule(data=st.sampled_from(CONTENTS))
    def name_by_a_run(self, data):
        run, name = unique_stamp(), sha256(data)
        journal = Journal(self.store.journal(run))
        kept = {part: self.store.blobs.put(part.encode()) for part in ("manifest", "lock", "environment")}
        about = {"plan": "0" * 64, "engine": "local", "isolation": "process", "image": "none", "steps": 1, "facts": {}}
        journal.add("run.started", {"run": run, **kept, **about})
        journal.flush()
        self.store.heads.add("run.started", {"run": run, "journal": journal.head})
        journal.add("output", {"name": "rows", "sha256": name, "size": 1, "step": "s", "output": "o"})
        journal.close()
        self.named.add(name)

    @rule()
    def reopen(self):
        self.store = Store.open(self.store.root)

    @rule(delete=st.booleans())
    def sweep(self, delete):
        unnamed = {name for name, state in self.state.items() if state != "missing"} - self.named
        try:
            found = set(collect_garbage(self.store, delete=delete).blobs)
        except DamageError as bad:  # it may stop at damage; then, as the invariant sees, it deleted nothing
            assert any(self.state[name] == "changed" for name in self.named), bad
            return
        assert found == unnamed
        if delete:
            self.state |= dict.fromkeys(unnamed, "missing")

    @rule()
    @precondition(lambda self: "changed" not in self.state.values())
    def look(self):
        assert list(find_store_flaws(self.store)) == []

    @invariant()
    def right_bytes_or_none(self):
        for data in CONTENTS:
            name = sha256(data)
            assert self.store.blobs.state(name) == self.store.blobs.check(name) == self.state[name]
            if self.state[name] == "sound":
                assert self.store.blobs.read(name) == self.store.blobs.deliver(name).read_bytes() == data
            else:
                for door in (self.store.blobs.read, self.store.blobs.deliver):
                    with pytest.raises(DamageError, match=self.state[name]):
                        door(name)


TestModel = Model.TestCase
TestModel.settings = examples(0.2, stateful_step_count=25)
