"""A journal tells a torn end (a kill) from a broken chain (somebody's hand), wherever it is cut or changed."""

import datetime
import json
import subprocess
import sys
import textwrap
import threading

import pytest
from support import clean_env

from harness.digest import encode_document, sha256
from harness.errors import HarnessError
from harness.store.journal import START, Journal, check_chain, read_chain


def make(path, count=5):
    journal = Journal(path)
    for number in range(count):
        journal.add("step.failed", {"step": f"s{number}", "error": "two\nlines é"})
        journal.flush()
    journal.close()
    return path.read_bytes()


@pytest.fixture
def data(tmp_path):
    return make(tmp_path / "runs" / "journal.jsonl")


def test_each_line_names_the_line_before_it(data):
    prev = START
    for number, line in enumerate(data.splitlines(keepends=True)):
        event = json.loads(line)
        assert (event["type"], event["event"], event["n"], event["prev"]) == ("event/1", "step.failed", number, prev)
        assert datetime.datetime.fromisoformat(event["at"]).utcoffset() == datetime.timedelta(0)
        prev = sha256(line)
    chain = check_chain(data)
    assert (chain.head, chain.torn, chain.broken, len(chain.events)) == (prev, "", "", 5)
    assert chain.lines[-1] == prev


def another(lines, **changes):
    """Spell a further line that is chained to the last, with other fields than a run gives it."""
    last = json.loads(lines[-1])
    return encode_document({**last, "n": last["n"] + 1, "prev": sha256(lines[-1]), **changes}) + b"\n"


def test_a_line_that_follows_as_a_run_writes_it_belongs_to_the_chain(data):
    longer = data + another(data.splitlines(keepends=True))
    assert (check_chain(longer).broken, len(check_chain(longer).events)) == ("", 6)


def test_an_empty_journal_is_a_chain_without_events():
    assert check_chain(b"") == check_chain(b"")
    assert (check_chain(b"").events, check_chain(b"").head) == ((), START)


def test_a_cut_at_every_place_is_torn_or_shorter_but_never_broken(data):
    ends = [0] + [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(len(data)):
        chain = check_chain(data[:cut])
        whole = max(number for number, end in enumerate(ends) if end <= cut)
        assert chain.broken == ""
        assert bool(chain.torn) == (cut not in ends)
        assert chain.events == check_chain(data).events[:whole]


def test_a_flipped_bit_at_every_place_is_broken_or_torn(data):
    lines = [number for number, line in enumerate(data.splitlines(keepends=True)) for _ in line]
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        chain = check_chain(changed)
        if lines[at] < 4:  # a later line or the line itself shows it
            assert chain.broken and len(chain.events) <= lines[at] + 1
        else:  # the last line is held by whoever names the head: heads.jsonl and record.json
            assert chain.broken or chain.torn or chain.head != check_chain(data).head


@pytest.mark.parametrize(
    "mangle",
    [
        lambda lines: [lines[0], *lines[2:]],
        lambda lines: lines[1:],
        lambda lines: [lines[1], lines[0], *lines[2:]],
        lambda lines: [lines[0], *lines],
        lambda lines: [*lines[:2], b"\n", *lines[2:]],
        lambda lines: [*lines[:2], b"not json\n", *lines[2:]],
        lambda lines: [*lines[:2], lines[2].replace(b'"n":2', b'"n": 2'), *lines[3:]],
        lambda lines: [*lines[:2], lines[2][:20] + b"\n", *lines[3:]],
        lambda lines: [*lines[:-1], lines[-1], b"\n"],
        lambda lines: [*lines, b"[]\n"],
        lambda lines: [*lines, b"[" * 100_000 + b"\n"],
        lambda lines: [*lines, b"\xff\xfe\n"],
        lambda lines: [*lines, another(lines, n=9)],
        lambda lines: [*lines, another(lines, type="head/1")],
        lambda lines: [*lines, another(lines, event="step.begun")],
        lambda lines: [*lines, another(lines, event=7)],
        lambda lines: [*lines, another(lines, step=7)],
        lambda lines: [*lines, another(lines, at=None)],
        lambda lines: [*lines, another(lines, more="")],
    ],
)  # fmt: skip
def test_lines_that_are_moved_missing_added_or_respelt_break_the_chain(data, mangle):
    chain = check_chain(b"".join(mangle(data.splitlines(keepends=True))))
    assert chain.broken.startswith("line ")
    assert all(isinstance(event["event"], str) for event in chain.events)


def test_a_broken_line_before_a_torn_end_is_broken(data):
    assert check_chain(data.replace(b'"n":1', b'"n":8')[:-3]).broken.startswith("line 2")


def test_a_journal_that_is_not_there_is_an_error_a_user_can_read(tmp_path):
    with pytest.raises(HarnessError, match=r"(?i)no such file"):
        read_chain(tmp_path / "journal.jsonl")


def test_events_of_many_threads_make_one_chain(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")

    def work(name):
        for number in range(50):
            journal.add("step.failed", {"step": f"{name}/{number}", "error": ""})
            journal.flush()

    threads = [threading.Thread(target=work, args=[name]) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    chain = read_chain(tmp_path / "journal.jsonl")
    assert (len(chain.events), chain.broken, chain.torn, chain.head) == (200, "", "", journal.head)


def test_what_was_added_is_durable_after_a_flush_and_not_before(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add("step.failed", {"step": "a", "error": ""})
    assert (tmp_path / "journal.jsonl").read_bytes() == b""
    journal.flush()
    assert len(read_chain(tmp_path / "journal.jsonl").events) == 1
    journal.add("step.failed", {"step": "b", "error": ""})
    journal.close()
    assert len(read_chain(tmp_path / "journal.jsonl").events) == 2


def test_a_write_that_runs_out_of_room_is_told_and_leaves_no_broken_chain(tmp_path):
    code = """
        import resource, sys
        from pathlib import Path
        from harness.errors import MissingError
        from harness.store.journal import Journal
        journal = Journal(Path(sys.argv[1]))
        journal.add("step.failed", {"step": "one", "error": ""})
        journal.flush()
        for room in (250, 400, 100_000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            journal.add("step.failed", {"step": "more", "error": "x" * 200})
            try:
                journal.flush()
            except MissingError as bad:
                print(bad.what)
        journal.close()
    """
    words = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "journal.jsonl")]
    done = subprocess.run(words, env=clean_env(), capture_output=True, text=True, check=True)
    assert done.stdout == "the disk is full\nthe disk is full\n"
    chain = read_chain(tmp_path / "journal.jsonl")
    assert (chain.broken, chain.torn) == ("", "")
    assert [event["step"] for event in chain.events] == ["one", "more", "more", "more"]
