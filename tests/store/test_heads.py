"""The list of runs is one unbroken chain, whoever writes to it at once and whoever is killed while writing."""

import subprocess
import sys
import textwrap

import pytest
from support import clean_env

from harness.digest import encode_document
from harness.errors import DamageError
from harness.store.journal import Heads
from harness.store.tree import StoreTree


@pytest.fixture
def heads(tmp_path):
    return Heads(StoreTree(tmp_path))


def fill(heads, count=3):
    for number in range(count):
        heads.add("run.started", {"run": f"run-{number}", "journal": "a" * 64})


def test_a_store_without_runs_has_an_empty_list_and_reading_makes_no_file(heads, tmp_path):
    assert heads.read().events == ()
    assert list(tmp_path.iterdir()) == []


def test_runs_stand_in_the_order_in_which_they_were_added(heads):
    fill(heads)
    chain = heads.read()
    assert [event["run"] for event in chain.events] == ["run-0", "run-1", "run-2"]
    assert {event["type"] for event in chain.events} == {"head/1"}
    assert (chain.torn, chain.broken) == ("", "")


def test_attempts_stand_among_the_runs_and_every_line_is_checked(heads):
    for event in ("attempt.started", "run.started", "attempt.closed"):
        heads.add(event, {"run": "run-1", "journal": "a" * 64})
    heads.add("run.finished", {"run": "run-1", "journal": "b" * 64, "record": "c" * 64})
    assert [event["event"] for event in heads.read().events][2:] == ["attempt.closed", "run.finished"]
    lines = heads.path.read_bytes()
    for change in ((b"attempt.closed", b"run.closed"), (b"attempt.closed", b"attempt.finished")):
        heads.path.write_bytes(lines.replace(*change))
        assert heads.read().broken == "line 3: is no line that a run writes"


def test_four_processes_at_once_keep_one_unbroken_chain(heads):
    code = """
        import sys
        from pathlib import Path
        from harness.store.journal import Heads
        from harness.store.tree import StoreTree
        heads = Heads(StoreTree(Path(sys.argv[1])))
        sys.stdin.readline()
        for number in range(25):
            heads.add("run.started", {"run": f"{sys.argv[2]}-{number}", "journal": "a" * 64})
    """
    words = [sys.executable, "-c", textwrap.dedent(code), str(heads.tree.root)]
    writers = [subprocess.Popen([*words, name], env=clean_env(), stdin=subprocess.PIPE, text=True) for name in "abcd"]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    chain = heads.read()
    assert (chain.torn, chain.broken) == ("", "")
    assert sorted(event["run"] for event in chain.events) == sorted(f"{n}-{i}" for n in "abcd" for i in range(25))
    for name in "abcd":
        assert [e["run"] for e in chain.events if e["run"].startswith(name)] == [f"{name}-{i}" for i in range(25)]


def test_a_line_torn_by_a_kill_is_cut_by_the_next_writer_and_others_stay(heads):
    fill(heads)
    data = heads.path.read_bytes()
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(last + 1, len(data)):
        heads.path.write_bytes(data[:cut])
        assert heads.read().torn and not heads.read().broken
        heads.add("run.started", {"run": "next", "journal": "a" * 64})
        chain = heads.read()
        assert (chain.torn, chain.broken) == ("", "")
        assert [event["run"] for event in chain.events] == ["run-0", "run-1", "next"]
        assert heads.path.read_bytes().startswith(data[:last])


def test_a_broken_list_is_not_written_to(heads):
    fill(heads, 4)
    data = heads.path.read_bytes()
    broken = data.replace(b"run-1", b"run-9")
    for damaged in (broken, broken[:-5], data.splitlines(keepends=True)[1], b"junk\n", data + b"\n"):
        heads.path.write_bytes(damaged)
        whole = damaged[: damaged.rfind(b"\n") + 1]
        assert heads.read().broken
        with pytest.raises(DamageError) as refused:
            heads.add("run.started", {"run": "next", "journal": "a" * 64})
        assert refused.value.where == str(heads.path)
        assert heads.path.read_bytes() in (damaged, whole)


def test_a_run_cannot_be_taken_off_the_list_unseen(heads):
    fill(heads, 4)
    lines = heads.path.read_bytes().splitlines(keepends=True)
    for gone in range(3):
        heads.path.write_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))
        assert heads.read().broken


@pytest.mark.parametrize(
    ("event", "more"),
    [
        ("run.started", {"record": "c" * 64}),
        ("run.finished", {}),
        ("attempt.started", {"record": "c" * 64}),
        ("attempt.closed", {"record": "c" * 64}),
    ],
)
def test_a_line_names_a_record_where_a_run_ended_and_nowhere_else(event, more, heads):
    fill(heads, 1)
    body = {"type": "head/1", "event": event, "n": 1, "prev": heads.read().head, "run": "run-0", "journal": "b" * 64}
    with heads.path.open("ab") as log:
        log.write(encode_document({**body, **more}) + b"\n")
    assert heads.read().broken == "line 2: is no line that a run writes"
