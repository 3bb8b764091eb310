"""The log of an attempt: one holder, changes found with their place, torn ends cut and told, durable in groups."""

import json
import os
import subprocess
import sys
import threading
from typing import Any, Final

import pytest
from support import clean_env
from support_attempts import FACTS, SECRET, AttemptFolder, fields

from harness.attempts import transcript
from harness.attempts.codes import AttemptError
from harness.attempts.desk import DeskClosedError
from harness.attempts.transcript import ChainLog, Transcript, create_log, fold_events
from harness.digest import encode_document, sha256
from harness.errors import DamageError, HarnessError
from harness.store.journal import check_chain, read_chain

KIND: Final = "transcript/1"


def opened(path):
    return os.open(path, os.O_RDWR | os.O_APPEND)


@pytest.fixture
def attempt(tmp_path):
    """Give an attempt with a start, three calls and an end."""
    attempt = AttemptFolder(tmp_path)
    desk = attempt.desk()
    desk.call("list_items", attempt.args(), FACTS)
    desk.call("get_item", attempt.args(item_ids=[attempt.id(1)]), FACTS)
    desk.call("submit_answers", attempt.answers((1, "2"), (2, "4")), FACTS).unwrap()
    desk.call("finish_attempt", attempt.args(), FACTS).unwrap()
    desk.shut()
    return attempt


def test_the_transcript_holds_one_line_a_call_between_start_and_end(attempt):
    chain = read_chain(attempt.path, KIND)
    assert (chain.torn, chain.broken) == ("", "")
    names = [event.get("tool", event["event"]) for event in chain.events]
    assert names == [
        "attempt.started", "list_items", "get_item", "submit_answers", "finish_attempt", "attempt.closed",
    ]  # fmt: skip
    assert chain.lines[0] == attempt.first
    assert attempt.path.stat().st_mode & 0o777 == 0o600


def test_its_lines_hold_no_floats_and_are_canonical(attempt):
    for line in attempt.path.read_bytes().splitlines():
        assert encode_document(json.loads(line, parse_float=pytest.fail)) == line


def lines_of(attempt):
    return attempt.path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("at", range(6))
def test_a_flipped_bit_is_found_with_its_line_or_by_the_head(attempt, at):
    lines, head = lines_of(attempt), read_chain(attempt.path, KIND).head
    for place in range(len(lines[at])):
        changed = lines[at][:place] + bytes([lines[at][place] ^ 1]) + lines[at][place + 1 :]
        chain = check_chain(b"".join([*lines[:at], changed, *lines[at + 1 :]]), KIND)
        if at < 5:
            assert chain.broken.startswith((f"line {at + 1}:", f"line {at + 2}:"))
        else:  # the last line is held by whoever was told the head
            assert chain.broken or chain.torn or chain.head != head


@pytest.mark.parametrize("at", range(1, 5))
def test_a_record_deleted_inserted_or_swapped_is_found_with_its_line(attempt, at):
    lines = lines_of(attempt)
    again = {**json.loads(lines[at]), "n": at + 1, "prev": sha256(lines[at])}
    for mangled in (
        [*lines[:at], *lines[at + 1 :]],
        [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
    ):
        assert check_chain(b"".join(mangled), KIND).broken.startswith(f"line {at + 1}:")
    inserted = [*lines[: at + 1], encode_document(again) + b"\n", *lines[at + 1 :]]
    assert check_chain(b"".join(inserted), KIND).broken.startswith(f"line {at + 3}:")


def test_a_cut_transcript_lacks_its_end_or_is_torn_but_never_broken(attempt):
    data = attempt.path.read_bytes()
    whole = check_chain(data, KIND)
    for cut in range(len(data)):
        chain = check_chain(data[:cut], KIND)
        assert chain.broken == "" and chain.head != whole.head
        assert "attempt.closed" not in [event["event"] for event in chain.events]


def test_a_broken_transcript_is_not_gone_on_with(attempt):
    lines = lines_of(attempt)
    attempt.path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    handle = opened(attempt.path)
    with pytest.raises(DamageError, match="broken at line 3"):
        Transcript(handle)
    os.close(handle)


@pytest.mark.parametrize("data", [b"", b"torn", b"{}\n"])
def test_what_does_not_begin_with_a_start_is_no_transcript(tmp_path, data):
    (tmp_path / "transcript.jsonl").write_bytes(data)
    handle = opened(tmp_path / "transcript.jsonl")
    with pytest.raises(DamageError):
        Transcript(handle)
    os.close(handle)
    assert (tmp_path / "transcript.jsonl").read_bytes() == data


def relinked(lines):
    """Chain lines again after a change, as a forger without the heads would."""
    made, prev = [], "0" * 64
    for number, line in enumerate(lines):
        made.append(encode_document({**json.loads(line), "n": number, "prev": prev}) + b"\n")
        prev = sha256(made[-1])
    return made


@pytest.mark.parametrize(
    "forge",
    [
        lambda lines: [*lines[:4], lines[3], *lines[4:]],  # the same answers twice
        lambda lines: [*lines[:2], *lines[3:]],  # a read taken out: the calls left do not fit
        lambda lines: [*lines, lines[1]],  # a call after the end
        lambda lines: [lines[0], *lines],
        lambda lines: [line.replace(b'"answered":2', b'"answered":3') for line in lines],
        lambda lines: [line.replace(b'"answer":"2"', b'"answer":"3"') for line in lines],
    ],
)
def test_a_chain_made_anew_over_other_events_shows_what_no_desk_writes(attempt, forge, tmp_path):
    """And nobody goes on with it, whose every link holds."""
    data = b"".join(relinked(forge(lines_of(attempt))))
    chain = check_chain(data, KIND)
    assert chain.broken == ""
    assert fold_events(chain.events).flaws
    (tmp_path / "forged.jsonl").write_bytes(data)
    handle = opened(tmp_path / "forged.jsonl")
    with pytest.raises(DamageError):
        Transcript(handle)
    os.close(handle)
    assert (tmp_path / "forged.jsonl").read_bytes() == data


def test_a_torn_end_is_cut_when_it_is_reopened_and_told(tmp_path):
    attempt = AttemptFolder(tmp_path)
    desk = attempt.desk()
    desk.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()
    desk.shut()
    whole = attempt.path.read_bytes()
    attempt.path.write_bytes(whole + b'{"args":{"answers":[{"ab')
    desk = attempt.desk()
    assert desk.transcript.state.answers.keys() == {attempt.id(1)}
    desk.shut()
    chain = read_chain(attempt.path, KIND)
    assert (chain.broken, chain.torn) == ("", "")
    assert attempt.path.read_bytes().startswith(whole)
    assert [(event["event"], event["cut"]) for event in chain.events[2:]] == [("reopened", 24)]


def test_a_fresh_transcript_is_not_reopened_and_a_closed_one_never_written(attempt, tmp_path):
    fresh = AttemptFolder(tmp_path / "fresh")
    fresh.desk().shut()
    assert len(lines_of(fresh)) == 1
    before = attempt.path.read_bytes()
    desk = attempt.desk()
    assert desk.closed
    with pytest.raises(DeskClosedError):
        desk.call("list_items", attempt.args(), FACTS)
    desk.abandon("abandoned")
    desk.shut()
    assert attempt.path.read_bytes() == before


def test_a_second_holder_is_refused_until_the_first_lets_go(tmp_path):
    attempt = AttemptFolder(tmp_path)
    desk = attempt.desk()
    handle = opened(attempt.path)
    with pytest.raises(AttemptError) as refused:
        Transcript(handle)
    os.close(handle)
    assert (refused.value.name, refused.value.retryable) == ("E_BUSY", True)
    desk.shut()
    attempt.desk().shut()


def test_another_process_is_refused_while_one_holds_it_by_any_copy(tmp_path):
    attempt = AttemptFolder(tmp_path)
    first = opened(attempt.path)
    transcript = Transcript(first)
    copy = os.dup(first)
    transcript.close()
    begin = "import os, sys; from harness.attempts.transcript import lock_descriptor as lock"
    program = f"{begin}; print(lock(os.open(sys.argv[1], os.O_RDWR)))"

    def free():
        run = [sys.executable, "-c", program, str(attempt.path)]
        return subprocess.run(run, capture_output=True, text=True, check=True, env=clean_env()).stdout.strip()

    assert free() == "False"
    os.close(copy)
    assert free() == "True"


def test_calls_of_sixteen_threads_make_one_gapless_chain(tmp_path):
    attempt = AttemptFolder(tmp_path, count=32)
    desk = attempt.desk()

    def work(number):
        for turn in (1, 2):
            desk.call("list_items", attempt.args(), FACTS)
            desk.call("submit_answers", attempt.answers((2 * number + turn, "x")), FACTS).unwrap()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    desk.shut()
    chain = read_chain(attempt.path, KIND)
    assert (chain.broken, chain.torn, len(chain.events)) == ("", "", 65)
    state = fold_events(chain.events)
    assert (len(state.answers), state.calls, state.flaws) == (32, 64, [])


def test_many_waiters_share_a_sync_and_reads_wait_for_none(tmp_path, monkeypatch):
    syncs, going = [], threading.Event()

    def slow(handle, lines):
        going.wait(10)
        syncs.append(handle)

    monkeypatch.setattr(transcript, "append_durable", slow)
    attempt = AttemptFolder(tmp_path, count=20)
    desk = attempt.desk()
    replies = [desk.call("submit_answers", attempt.answers((number, "x")), FACTS) for number in range(1, 17)]
    assert desk.call("list_items", attempt.args(), FACTS).durable.done()
    assert not any(reply.durable.done() for reply in replies)
    going.set()
    for reply in replies:
        reply.durable.result(10)
    assert len(syncs) <= 2
    desk.shut()


def test_a_waiter_that_gives_up_does_not_stop_the_others(tmp_path):
    attempt = AttemptFolder(tmp_path)
    desk = attempt.desk()
    reply = desk.call("submit_answers", attempt.answers((1, "x")), FACTS)
    assert not reply.durable.cancel()
    desk.call("submit_answers", attempt.answers((2, "x")), FACTS).unwrap()
    desk.shut()


def test_after_a_sync_that_failed_nothing_more_is_taken(tmp_path, monkeypatch):
    def fail(handle, lines):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(transcript, "append_durable", fail)
    attempt = AttemptFolder(tmp_path)
    desk = attempt.desk()
    reply = desk.call("submit_answers", attempt.answers((1, "x")), FACTS)
    with pytest.raises(HarnessError, match="the disk refused"):
        reply.unwrap()
    with pytest.raises(HarnessError, match="takes no line"):
        desk.call("list_items", attempt.args(), FACTS)
    desk.shut()


def test_a_line_that_the_disk_takes_half_of_leaves_the_chain_whole(tmp_path, monkeypatch):
    attempt = AttemptFolder(tmp_path)
    desk = attempt.desk()

    def half(handle, data):
        os.write(handle, data[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("harness.attempts.transcript.write_every_byte", half)
        with pytest.raises(HarnessError, match="the disk is full"):
            desk.call("submit_answers", attempt.answers((1, "x")), FACTS)
    assert desk.call("submit_answers", attempt.answers((1, "y")), FACTS).unwrap()["receipts"][0]["status"] == "recorded"
    desk.shut()
    assert fold_events(read_chain(attempt.path, KIND).events).answers[attempt.id(1)].text == "y"


def test_a_log_of_another_kind_is_not_taken(tmp_path):
    create_log(
        tmp_path / "log", "session/1", "session.started", {"principal": "", "profile": "", "versions": {}, "tools": ""}
    )
    handle = opened(tmp_path / "log")
    with pytest.raises(DamageError):
        ChainLog(handle, KIND)
    os.close(handle)


def test_the_fields_of_a_start_are_those_of_the_shape(tmp_path):
    assert fold_events(read_chain(AttemptFolder(tmp_path).path, KIND).events).secret.hex() == SECRET
    for name in fields("0" * 64, 5):
        wrong: Any = {key: value for key, value in fields("0" * 64, 5).items() if key != name}
        create_log(tmp_path / f"without-{name}", KIND, "attempt.started", wrong)
        assert "no line" in read_chain(tmp_path / f"without-{name}", KIND).broken
