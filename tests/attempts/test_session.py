"""The one door: each call is answered at its desk or here, and written down exactly once, whatever becomes of it."""

import os
import threading
import time

import pytest
from support_attempts import FACTS, ZERO, AttemptFolder, FolderBackend, SetClock

from harness.attempts import desk, transcript
from harness.attempts.codes import AttemptError, error_from_reply
from harness.attempts.session import Session
from harness.attempts.shapes import RESULTS
from harness.attempts.transcript import begin_session, fold_events, open_session_log
from harness.clock import current_time, time_after
from harness.evidence.audit.answers import budget_flaws
from harness.files import append_durable
from harness.store.journal import read_chain

NOBODY = "20260101T000000Z-" + "0" * 32
STARTED = {"principal": "local:0", "profile": "answer", "versions": {"harness": "0"}, "tools": ZERO}


def new_session(folder, backend, clock=None):
    path = folder / "session.jsonl"
    if not path.exists():
        begin_session(path, STARTED)
    return Session(open_session_log(os.open(path, os.O_RDWR | os.O_APPEND)), backend, ZERO, clock)


@pytest.fixture
def attempt(tmp_path):
    return AttemptFolder(tmp_path)


@pytest.fixture
def backend(attempt):
    return FolderBackend(attempt)


@pytest.fixture
def session(tmp_path, backend):
    session = new_session(tmp_path, backend)
    yield session
    session.close()


def calls(path, kind):
    chain = read_chain(path, kind)
    assert (chain.broken, chain.torn) == ("", "")
    return [(event["tool"], event["code"]) for event in chain.events if event["event"] == "call"]


def written(tmp_path, attempt):
    """Give the calls of the session's log, and those of the transcript."""
    return calls(tmp_path / "session.jsonl", "session/1"), calls(attempt.path, "transcript/1")


START = {"study": "sums-demo", "split": "dev", "idempotency_key": "k", "agent_label": "me"}


def test_a_whole_attempt_is_written_down_call_by_call_in_its_place(tmp_path, attempt, backend, session):
    def call(tool, **args):
        data = session.call(tool, args, FACTS).unwrap()
        RESULTS[tool].model_validate(data)
        return data

    call("list_studies")
    start = call("start_attempt", **START)
    assert (start["attempt_id"], start["n_items"], start["transcript_head"]) == (attempt.name, 6, attempt.first)
    items = call("list_items", attempt_id=attempt.name)["items"]
    call("get_item", attempt_id=attempt.name, item_ids=[items[0]["item_id"]])
    call("submit_answers", **attempt.answers((1, "2")))
    assert call("finish_attempt", attempt_id=attempt.name)["status"] == "scoring"
    assert backend.asked == ["catalogue", "open", "finish"]
    backend.status = {"status": "scored", "scores": {"addition/outcome": {"value": 0.2, "n": 5}}}
    poll = call("finish_attempt", attempt_id=attempt.name)
    assert (poll["status"], poll["n_answered"], poll["n_missing"]) == ("scored", 1, 5)
    assert poll["transcript_head"] == read_chain(attempt.path, "transcript/1").head
    mine, transcript = written(tmp_path, attempt)
    assert [tool for tool, _ in mine] == ["list_studies", "start_attempt", "finish_attempt"]
    assert [tool for tool, _ in transcript] == ["list_items", "get_item", "submit_answers", "finish_attempt"]


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("list_itms", {}, "E_UNKNOWN_TOOL"),
        ("", {}, "E_UNKNOWN_TOOL"),
        ("\ud800" * 100, {}, "E_UNKNOWN_TOOL"),
        ("list_studies", {"gold": 1}, "E_ARGUMENT"),
        ("start_attempt", {**START, "study": "brain"}, "E_UNKNOWN_STUDY"),
        ("start_attempt", {**START, "study": 7}, "E_ARGUMENT"),
        ("start_attempt", {**START, "agent_label": "../x"}, "E_ARGUMENT"),
        ("start_attempt", {**START, "idempotency_key": ""}, "E_ARGUMENT"),
        ("list_items", {}, "E_ARGUMENT"),
        ("list_items", [], "E_ARGUMENT"),
        ("list_items", {"attempt_id": 7}, "E_ARGUMENT"),
        ("list_items", {"attempt_id": NOBODY}, "E_UNKNOWN_ATTEMPT"),
        ("list_items", {"attempt_id": "../../gold"}, "E_UNKNOWN_ATTEMPT"),
        ("list_items", {"attempt_id": NOBODY + "\n"}, "E_UNKNOWN_ATTEMPT"),
        ("list_items", {"attempt_id": "\ud800"}, "E_UNKNOWN_ATTEMPT"),
        ("submit_answers", {"attempt_id": NOBODY, "answers": []}, "E_UNKNOWN_ATTEMPT"),
        ("finish_attempt", {"attempt_id": ""}, "E_UNKNOWN_ATTEMPT"),
        ("score_text", {"attempt_id": NOBODY, "item_id": "x", "metric": "m", "prediction": ""}, "E_UNKNOWN_ATTEMPT"),
    ],
)
def test_what_concerns_no_attempt_is_refused_and_in_the_sessions_log(tmp_path, attempt, session, tool, args, code):
    reply = session.call(tool, args, FACTS)
    assert reply.error.name == code and reply.error.text.isprintable()
    mine, transcript = written(tmp_path, attempt)
    assert ([each for _, each in mine], transcript) == ([code], [])
    assert reply.head == read_chain(tmp_path / "session.jsonl", "session/1").head


def test_a_tool_that_is_misspelt_is_told_the_nearest(session):
    assert "`list_items`" in session.call("list_itms", {}, FACTS).error.text


def test_an_unknown_attempt_and_one_of_somebody_else_are_told_the_same(session, backend):
    first = session.call("list_items", {"attempt_id": NOBODY}, FACTS).error.as_reply()
    second = session.call("list_items", {"attempt_id": "0"}, FACTS).error.as_reply()
    assert first == second and backend.asked == ["reopen"]  # what cannot be an id is asked of nobody


def test_an_attempt_goes_on_after_its_server_ended(tmp_path, attempt, backend, session):
    session.call("start_attempt", START, FACTS).unwrap()
    session.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()
    session.close()
    again = new_session(tmp_path, backend)
    receipt = again.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()["receipts"][0]
    assert receipt["status"] == "duplicate"
    again.close()
    assert [event["event"] for event in read_chain(tmp_path / "session.jsonl", "session/1").events][-1] == "reopened"


def test_a_second_server_on_an_attempt_is_refused_until_the_first_ends(tmp_path, attempt, session):
    (tmp_path / "second").mkdir()
    second = new_session(tmp_path / "second", FolderBackend(attempt))
    session.call("list_items", attempt.args(), FACTS).unwrap()
    refused = second.call("list_items", attempt.args(), FACTS).error
    assert (refused.name, refused.retryable) == ("E_BUSY", True)
    started = second.call("start_attempt", START, FACTS).error
    assert started.name == "E_BUSY"
    session.close()
    second.call("list_items", attempt.args(), FACTS).unwrap()
    second.close()


def test_the_same_start_again_gives_the_same_attempt(session, backend):
    first = session.call("start_attempt", START, FACTS).unwrap()
    assert session.call("start_attempt", START, FACTS).unwrap() == first
    assert backend.asked == ["open", "open"]


def test_after_the_end_only_the_outcome_is_told(tmp_path, attempt, session):
    session.call("finish_attempt", attempt.args(), FACTS).unwrap()
    before = attempt.path.read_bytes()
    for tool, args in [("list_items", attempt.args()), ("submit_answers", attempt.answers((1, "2")))]:
        assert session.call(tool, args, FACTS).error.name == "E_FINISHED"
    assert session.call("start_attempt", START, FACTS).error.name == "E_FINISHED"
    assert session.call("finish_attempt", attempt.args(), FACTS).unwrap()["n_missing"] == 6
    assert session.call("finish_attempt", attempt.args(force=1), FACTS).error.name == "E_ARGUMENT"
    assert attempt.path.read_bytes() == before
    assert len(written(tmp_path, attempt)[0]) == 5


def test_the_outcome_is_told_to_a_server_that_comes_later(tmp_path, attempt, session):
    session.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()
    session.call("finish_attempt", attempt.args(), FACTS).unwrap()
    (tmp_path / "later").mkdir()
    later = new_session(tmp_path / "later", FolderBackend(attempt))
    assert later.call("finish_attempt", attempt.args(), FACTS).unwrap()["n_answered"] == 1
    later.close()


def test_a_text_is_scored_only_for_an_item_whose_answer_is_final(attempt, session, backend):
    args = attempt.args(item_id=attempt.id(1), metric="outcome", prediction="2")
    assert session.call("score_text", args, FACTS).error.name == "E_ARGUMENT"
    assert "score_text" not in backend.asked
    session.call("submit_answers", attempt.answers((1, "3")), FACTS).unwrap()
    data = session.call("score_text", args, FACTS).unwrap()
    RESULTS["score_text"].model_validate(data)
    assert data["value"] == 1.0


def test_a_scored_text_costs_a_call_and_stands_in_the_transcript(tmp_path):
    attempt = AttemptFolder(tmp_path, budget={"calls": 4, "seconds": 3600})
    backend = FolderBackend(attempt)
    session = new_session(tmp_path, backend)
    session.call("submit_answers", attempt.answers((1, "3")), FACTS).unwrap()
    text = {"metric": "outcome", "prediction": "2"}
    assert session.call("score_text", attempt.args(item_id=attempt.id(2), **text), FACTS).error.name == "E_ARGUMENT"
    assert session.call("score_text", attempt.args(item_id="f" * 16, **text), FACTS).error.name == "E_UNKNOWN_ITEM"
    args = attempt.args(item_id=attempt.id(1), **text)
    session.call("score_text", args, FACTS).unwrap()
    assert session.call("score_text", args, FACTS).error.name == "E_BUDGET"
    assert session.call("list_items", attempt.args(), FACTS).error.name == "E_BUDGET"
    found = read_chain(attempt.path, "transcript/1").events
    assert [event["tool"] for event in found[1:]] == ["submit_answers", *["score_text"] * 4, "list_items"]
    assert found[4]["args"] == args and fold_events(found).flaws == []
    assert list(budget_flaws(read_chain(attempt.path, "transcript/1"))) == []
    assert backend.asked.count("score_text") == 1
    session.close()


def while_scored(tmp_path, attempt, happens, clock=None):
    """Score a text, let something happen meanwhile that is given the session; gives the reply's error and the flaws."""
    backend = FolderBackend(attempt)
    session = new_session(tmp_path, backend, clock)
    session.call("submit_answers", attempt.answers((1, "3")), FACTS).unwrap()

    def meanwhile(request):
        happens(session)
        return {"metric": request["metric"], "value": 1.0, "scorer_sha256": ZERO}

    backend.score_text = meanwhile  # type: ignore[method-assign]
    args = attempt.args(item_id=attempt.id(1), metric="outcome", prediction="2")
    error = session.call("score_text", args, FACTS).error
    session.close()
    chain = read_chain(attempt.path, "transcript/1")
    return error and error.name, [*fold_events(chain.events).flaws, *budget_flaws(chain)]


@pytest.mark.parametrize(("more", "code"), [(2, None), (3, "E_BUDGET")])
def test_a_text_that_is_being_scored_keeps_its_call_unless_one_is_refused(tmp_path, more, code):
    attempt = AttemptFolder(tmp_path, budget={"calls": 4, "seconds": 3600})
    errors = []

    def happens(session):
        errors.extend(session.call("list_items", attempt.args(), FACTS).error for _ in range(more))

    assert while_scored(tmp_path, attempt, happens) == (code, [])
    assert [error and error.name for error in errors] == [None, None, "E_BUDGET"][:more]


@pytest.mark.parametrize(("seconds", "expires", "code"), [(60, 7200, "E_BUDGET"), (3600, 60, "E_EXPIRED")])
def test_a_text_whose_scoring_outlasts_the_attempts_time_is_refused(tmp_path, seconds, expires, code):
    clock = SetClock(current_time())
    expires = time_after(clock.time, expires)
    attempt = AttemptFolder(tmp_path, budget={"calls": 9, "seconds": seconds}, expires=expires)
    assert while_scored(tmp_path, attempt, lambda _: clock.pass_by(120), clock) == (code, [])
    closed = read_chain(attempt.path, "transcript/1").events[-1]["event"] == "attempt.closed"
    assert closed == (code == "E_EXPIRED")


def test_an_attempt_that_ends_while_a_text_is_scored_keeps_its_end(tmp_path, attempt, session, backend):
    session.call("submit_answers", attempt.answers((1, "3")), FACTS).unwrap()
    args = attempt.args(item_id=attempt.id(1), metric="outcome", prediction="2")
    scored = backend.score_text

    def meanwhile(request):
        backend.score_text = scored
        session.call("finish_attempt", attempt.args(), FACTS).unwrap()
        return scored(request)

    backend.score_text = meanwhile
    assert session.call("score_text", args, FACTS).unwrap()["value"] == 1.0
    events = read_chain(attempt.path, "transcript/1").events
    assert events[-1]["event"] == "attempt.closed" and fold_events(events).flaws == []
    assert calls(tmp_path / "session.jsonl", "session/1") == [("score_text", "")]


def test_after_the_end_as_many_texts_are_scored_as_the_budget_has_calls(tmp_path):
    attempt = AttemptFolder(tmp_path, budget={"calls": 3, "seconds": 3600})
    session = new_session(tmp_path, FolderBackend(attempt))
    session.call("finish_attempt", attempt.args(), FACTS).unwrap()
    args = attempt.args(item_id=attempt.id(1), metric="outcome", prediction="2")
    found = [session.call("score_text", args, FACTS).error for _ in range(5)]
    assert [error and error.name for error in found] == [None, None, None, "E_BUDGET", "E_BUDGET"]
    session.close()


def test_a_damaged_transcript_or_view_is_refused_without_a_word_of_where(tmp_path, attempt, session):
    attempt.path.write_bytes(attempt.path.read_bytes().replace(b'"local:0"', b'"local:1"')[:-1] + b"x\n")
    reply = session.call("list_items", attempt.args(), FACTS)
    assert reply.error.name == "E_INTERNAL" and str(tmp_path) not in reply.error.text
    assert calls(tmp_path / "session.jsonl", "session/1") == [("list_items", "E_INTERNAL")]


def test_a_log_that_takes_no_line_is_told_and_the_answer_does_not_count(attempt, session, monkeypatch):
    def full(handle, data):
        raise OSError(28, "No space left on device")

    session.call("list_items", attempt.args(), FACTS).unwrap()
    with monkeypatch.context() as patched:
        patched.setattr("harness.attempts.transcript.write_every_byte", full)
        for tool, args in [("submit_answers", attempt.answers((1, "2"))), ("list_studies", {})]:
            assert session.call(tool, args, FACTS).error.name == "E_INTERNAL"
    receipt = session.call("submit_answers", attempt.answers((1, "3")), FACTS).unwrap()["receipts"][0]
    assert receipt["status"] == "recorded"


def test_a_message_that_is_no_call_is_written_down_too(tmp_path, attempt, session):
    reply = session.refuse(AttemptError("E_MESSAGE", "this line is no JSON"), "\ud800{" * 10_000, FACTS)
    assert reply.error.name == "E_MESSAGE"
    assert written(tmp_path, attempt)[0] == [("", "E_MESSAGE")]
    assert (tmp_path / "session.jsonl").stat().st_size < 4_000


def test_more_attempts_than_desks_take_turns(tmp_path, monkeypatch):
    monkeypatch.setattr(desk, "MOST", 2)
    attempts = [AttemptFolder(tmp_path / str(number)) for number in range(5)]
    session = new_session(tmp_path, FolderBackend(*attempts))
    before = len(os.listdir("/proc/self/fd"))

    for turn in (1, 2):
        for attempt in attempts:
            session.call("submit_answers", attempt.answers((turn, "x")), FACTS).unwrap()
    assert len(os.listdir("/proc/self/fd")) == before + 2 * 3
    session.close()
    assert [len(calls(each.path, "transcript/1")) for each in attempts] == [2] * 5


def test_many_threads_reopen_an_attempt_once(attempt, session, backend):
    found, gate = [], threading.Barrier(8)

    def work():
        gate.wait()
        found.append(session.call("list_items", attempt.args(), FACTS).error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [None] * 8
    assert backend.asked == ["reopen"]


def test_calls_that_finish_at_the_same_time_have_one_outcome(attempt, session, monkeypatch):
    """A client whose patience ended finishes again while the first call waits for the disk."""

    def slow(handle, lines):
        time.sleep(0.1)
        append_durable(handle, lines)

    monkeypatch.setattr(transcript, "append_durable", slow)
    session.call("submit_answers", attempt.answers((1, "x")), FACTS).unwrap()
    found, gate = [], threading.Barrier(8)

    def work():
        gate.wait()
        found.append(session.call("finish_attempt", attempt.args(), FACTS).unwrap())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {(one["n_answered"], one["n_missing"]) for one in found} == {(1, 5)} and len(found) == 8
    events = read_chain(attempt.path, "transcript/1").events
    assert [event["event"] for event in events].count("attempt.closed") == 1


def test_an_error_comes_over_a_pipe_as_it_was():
    error = AttemptError("E_BUSY", "held")
    again = error_from_reply(error.as_reply())
    assert (again.as_reply(), again.text) == (error.as_reply(), error.text)
    strange = error_from_reply({"code": "E_NEW", "message": "m", "next": "n", "retryable": "yes"})
    assert strange.as_reply() == {"code": "E_INTERNAL", "message": "m", "next": "n", "retryable": False}
