"""`gc` deletes only what no run names, and corruption never widens deletion; `fsck` names all damage."""

import shutil

import pytest
from support import tree

from harness.clock import unique_stamp
from harness.digest import encode_document, sha256
from harness.errors import DamageError, HarnessError, MissingError
from harness.evidence.fsck import find_store_flaws
from harness.evidence.record import spell_record, summarise_journal
from harness.store.journal import Journal, Preimage, read_chain
from harness.store.store import Output, Store
from harness.store.sweep import collect_garbage


class Kept:
    """A store with one recorded run of one step, and everything that run names."""

    def __init__(self, root):
        self.store = Store.make(root)
        self.entry = self.step("named")
        self.run = unique_stamp()
        self.record(self.run, [self.entry])

    def put(self, text):
        return self.store.blobs.put(text.encode())

    def step(self, name):
        """Finish a step with code, an environment, an input and an output of its own."""
        files = {f"harness/{name}.py": self.put(f"source of {name}")}
        self.closure = self.store.blobs.put(encode_document({"type": "closure/1", "files": files}))
        environment = self.store.blobs.put(encode_document({"type": "environment/1", "of": name}))
        data = f'{{"type":"summary","of":"{name}","mean":0.5}}\n'  # looks like a document and is none
        preimage: Preimage = {
            "type": "key/1", "kind": "m:f", "params": {}, "inputs": {"rows": self.put(f"input of {name}")},
            "outputs": ["out"], "environment": environment, "code": self.closure,
        }  # fmt: skip
        return self.store.entries.put(preimage, {"out": Output(self.put(data), len(data))})

    def record(self, run, entries, finish=True):
        """Write the journal of a run, and tell the list of runs, in the order in which a run does."""
        journal = Journal(self.store.journal(run))
        fields = {name: self.put(f"{name} of {run}") for name in ("manifest", "lock", "environment")} | {
            "plan": "0" * 64,
            "engine": "local",
            "isolation": "process",
            "image": "none",
            "steps": 1,
            "facts": {},
        }
        journal.add("run.started", {"run": run, **fields})
        journal.flush()
        self.store.heads.add("run.started", {"run": run, "journal": journal.head})
        for entry in entries:
            fields = {"step": "s", "stage": "rows", "key": entry.key, "entry": entry.digest, "usage": {}}
            journal.add("step.done", fields)
        if finish:
            journal.add("run.finished", {"status": "done", "events": journal.count + 1})
        journal.close()
        if finish:
            chain = read_chain(self.store.journal(run))
            record = spell_record(summarise_journal(chain.events, chain.head))
            self.store.record(run).write_bytes(record)
            fields = {"run": run, "journal": journal.head, "record": sha256(record)}
            self.store.heads.add("run.finished", fields)

    def junk(self):
        """Leave what no run names: a finished step, a blob, and what a kill leaves behind."""
        entry = self.step("unnamed")
        self.put("a blob of nobody")
        (self.store.temp / "step-1-a" / "out").mkdir(parents=True)
        (self.store.temp / "blob-1-b").write_text("half")
        return entry

    def reopened(self):
        return Store.open(self.store.root)


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path / "store")


def test_only_what_no_run_names_is_deleted(kept):
    before = tree(kept.store.root)
    unnamed = kept.junk()
    found = collect_garbage(kept.reopened(), delete=True)
    assert found.entries == [unnamed.key]
    assert (len(found.blobs), len(found.folders)) == (6, 2)
    after = tree(kept.store.root)
    assert {name: data for name, data in after.items() if not name.endswith("/")} == {
        name: data for name, data in before.items() if not name.endswith("/")
    } | {"locks/store": b""}
    assert list(find_store_flaws(kept.reopened())) == []
    assert collect_garbage(kept.reopened(), delete=True).blobs == []


def test_a_dry_run_finds_the_same_and_deletes_nothing(kept):
    kept.junk()
    collect_garbage(kept.reopened())
    before = tree(kept.store.root)
    found = collect_garbage(kept.reopened())
    assert tree(kept.store.root) == before
    assert found == collect_garbage(kept.reopened(), delete=True)


def test_a_run_that_was_killed_keeps_what_it_names(kept):
    entry = kept.step("of a killed run")
    kept.record(unique_stamp(), [entry], finish=False)
    assert list(find_store_flaws(kept.reopened())) == []
    assert (collect_garbage(kept.reopened()).entries, collect_garbage(kept.reopened()).blobs) == ([], [])


def test_nothing_is_swept_while_a_run_uses_the_store(kept):
    kept.junk()
    with kept.store.in_use():
        before = tree(kept.store.root)
        for delete in (False, True):
            with pytest.raises(MissingError, match="using this store"):
                collect_garbage(kept.reopened(), delete=delete)
        assert tree(kept.store.root) == before


def test_a_link_that_was_left_is_removed_and_not_followed(kept, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    (kept.store.temp / "link").symlink_to(tmp_path / "mine")
    collect_garbage(kept.reopened(), delete=True)
    assert tree(tmp_path / "mine") == {"file": b"mine"}
    assert not list(kept.store.temp.iterdir())


def flip(path, at=-9):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)


def cut(path, keep):
    path.chmod(0o644)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:keep]))


def misplace(path, name):
    """Move a file to a place where no file of its kind lies."""
    target = path.parent.parent / name
    target.parent.mkdir(exist_ok=True)
    path.rename(target)


def blob(kept, field):
    return kept.store.blobs.path(kept.entry.preimage[field])


def lock(kept):
    """The place of the lock that the run names where it starts."""
    return kept.store.blobs.path(read_chain(kept.store.journal(kept.run)).events[0]["lock"])


def lengthen(path, more=b"half a line"):
    path.write_bytes(path.read_bytes() + more)


DAMAGE = {
    "a flipped bit in a lock": lambda kept: flip(lock(kept), at=-1),
    "a missing lock": lambda kept: lock(kept).unlink(),
    "a journal that goes on after its end": lambda kept: lengthen(kept.store.journal(kept.run)),
    "a flipped bit in a journal": lambda kept: flip(kept.store.journal(kept.run)),
    "a journal of another's making": lambda kept: kept.store.journal(kept.run).write_text("{}\n"),
    "a journal cut between its lines": lambda kept: cut(kept.store.journal(kept.run), 1),
    "a journal cut in a line": lambda kept: flip_length(kept.store.journal(kept.run)),
    "an emptied journal": lambda kept: cut(kept.store.journal(kept.run), 0),
    "a missing journal": lambda kept: kept.store.journal(kept.run).unlink(),
    "a missing run": lambda kept: shutil.rmtree(kept.store.runs / kept.run),
    "a flipped bit in the list of runs": lambda kept: flip(kept.store.heads.path),
    "a flipped bit in an entry": lambda kept: flip(kept.store.entries.path(kept.entry.key)),
    "an emptied entry": lambda kept: cut(kept.store.entries.path(kept.entry.key), 0),
    "an entry under another key": lambda kept: misplace(
        kept.store.entries.path(kept.entry.key), f"00/{'0' * 64}.json"
    ),
    "an entry in another folder": lambda kept: misplace(
        kept.store.entries.path(kept.entry.key), f"zz/{kept.entry.key}.json"
    ),
    "a file that is no entry": lambda kept: (kept.store.entries.path(kept.entry.key).parent / "x").touch(),
    "a flipped bit in a closure": lambda kept: flip(blob(kept, "code")),
    "a missing closure": lambda kept: blob(kept, "code").unlink(),
    "a flipped bit in an environment": lambda kept: flip(blob(kept, "environment")),
    "a missing environment": lambda kept: blob(kept, "environment").unlink(),
    "a blob under another name": lambda kept: blob(kept, "code").rename(blob(kept, "code").parent / "copy"),
    "a blob in another folder": lambda kept: misplace(
        kept.store.blobs.path(kept.entry.outputs["out"].sha256), f"zz/{kept.entry.outputs['out'].sha256}"
    ),
}  # fmt: skip


def flip_length(path):
    path.write_bytes(path.read_bytes()[:-5])


@pytest.mark.parametrize("damage", DAMAGE)
def test_corruption_stops_the_sweep_before_it_deletes_anything(kept, damage):
    kept.junk()
    collect_garbage(kept.reopened())  # makes the lock file
    DAMAGE[damage](kept)
    before = tree(kept.store.root)
    for delete in (False, True):
        with pytest.raises(HarnessError) as stopped:
            collect_garbage(kept.reopened(), delete=delete)
        assert stopped.value.what.startswith("nothing was deleted")
        assert stopped.value.where.startswith(str(kept.store.root)) and stopped.value.next
    assert tree(kept.store.root) == before


@pytest.mark.parametrize("after", range(7))
def test_a_crash_during_a_sweep_leaves_a_sound_store_to_sweep_again(kept, monkeypatch, after):
    kept.junk()
    store = kept.reopened()
    removed = []

    def remove(digest, remove=store.blobs.remove):
        if len(removed) == after:
            raise DamageError("the power went")
        removed.append(digest)
        remove(digest)

    monkeypatch.setattr(store.blobs, "remove", remove)
    if after < 6:
        with pytest.raises(DamageError, match="the power went"):
            collect_garbage(store, delete=True)
    else:
        collect_garbage(store, delete=True)
    assert list(find_store_flaws(kept.reopened())) == []
    assert len(collect_garbage(kept.reopened(), delete=True).blobs) == 6 - after
    assert list(kept.reopened().entries.all()) == [kept.store.entries.path(kept.entry.key)]


def test_a_sound_store_has_no_flaw_and_reading_it_changes_nothing(kept):
    before = tree(kept.store.root)
    assert list(find_store_flaws(kept.reopened())) == []
    assert tree(kept.store.root) == before


@pytest.mark.parametrize(
    ("damage", "flaw"),
    [
        (lambda kept: flip(blob(kept, "code")), "blob.changed"),
        (lambda kept: (blob(kept, "code").unlink(), blob(kept, "code").mkdir()), "blob.changed"),
        (lambda kept: (blob(kept, "code").unlink(), blob(kept, "code").symlink_to("/etc/hostname")), "blob.changed"),
        (lambda kept: kept.store.blobs.remove(kept.entry.outputs["out"].sha256), "blob.missing"),
        (DAMAGE["a blob under another name"], "unaccounted"),
        (DAMAGE["a blob in another folder"], "unaccounted"),
        (DAMAGE["a flipped bit in an entry"], "entry.changed"),
        (DAMAGE["an entry under another key"], "entry.changed"),
        (DAMAGE["an entry in another folder"], "entry.changed"),
        (DAMAGE["a file that is no entry"], "entry.changed"),
        (DAMAGE["a flipped bit in a journal"], "chain.broken"),
        (DAMAGE["a missing journal"], "chain.broken"),
        (DAMAGE["a journal that goes on after its end"], "chain.broken"),
        (lambda kept: kept.store.record(kept.run).unlink(), "record.changed"),
        (lambda kept: lengthen(kept.store.record(kept.run), b" "), "record.changed"),
        (DAMAGE["a missing run"], "unaccounted"),
        (DAMAGE["a flipped bit in the list of runs"], "chain.broken"),
    ],
)
def test_each_damage_is_named_by_fsck(kept, damage, flaw):
    damage(kept)
    assert flaw in {found.id for found in find_store_flaws(kept.reopened())}
