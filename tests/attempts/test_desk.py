"""The desk's strictness: arguments, budgets, time, the end; and every call written down, whatever it was."""

import json
from typing import Any

import pytest
from support_attempts import FACTS, AttemptFolder, SetClock

from harness.attempts.calls import CallFacts
from harness.attempts.codes import CODES, LONGEST
from harness.attempts.desk import DeskClosedError
from harness.attempts.shapes import FinishAttemptResult
from harness.attempts.transcript import fold_events
from harness.digest import canonical_json, sha256
from harness.store.journal import read_chain


@pytest.fixture
def attempt(tmp_path):
    return AttemptFolder(tmp_path)


@pytest.fixture
def desk(attempt):
    desk = attempt.desk()
    yield desk
    desk.shut()


def events(attempt):
    chain = read_chain(attempt.path, "transcript/1")
    assert (chain.broken, chain.torn) == ("", "")
    return chain.events


@pytest.mark.parametrize(
    ("tool", "change", "code", "says"),
    [
        ("list_items", {"limt": 5}, "E_ARGUMENT", "Did you mean `limit`?"),
        ("list_items", {"gold": True}, "E_ARGUMENT", "attempt_id, limit, cursor, status"),
        ("list_items", {"limit": "5"}, "E_ARGUMENT", "must be a whole number, not text"),
        ("list_items", {"limit": True}, "E_ARGUMENT", "must be a whole number, not true or false"),
        ("list_items", {"limit": 5.0}, "E_ARGUMENT", "must be a whole number, not a number"),
        ("list_items", {"limit": 0}, "E_ARGUMENT", "at least 1"),
        ("list_items", {"limit": 51}, "E_ARGUMENT", "at most 50"),
        ("list_items", {"limit": None}, "E_ARGUMENT", "not null"),
        ("list_items", {"status": "opne"}, "E_ARGUMENT", "'open'"),
        ("list_items", {"cursor": 7}, "E_ARGUMENT", "must be text"),
        ("list_items", {"cursor": "\ud800"}, "E_ENCODING", "Unicode"),
        ("list_items", {"cursor": "x" * 513}, "E_TOO_LONG", "512"),
        ("get_item", {"item_ids": []}, "E_ARGUMENT", "`item_ids` must be a list of at least 1"),
        ("get_item", {"item_id": "x"}, "E_ARGUMENT", "Did you mean `item_ids`?"),
        ("get_item", {"item_ids": ["../../gold"]}, "E_UNKNOWN_ITEM", "list_items"),
        ("get_item", {"item_ids": "x"}, "E_ARGUMENT", "not text"),
        ("get_item", {"item_ids": ["x"] * 21}, "E_ARGUMENT", "at most 20"),
        ("get_item", {"item_ids": ["x"], "part": "1"}, "E_ARGUMENT", "whole number"),
        ("get_item", {"item_ids": ["x"], "part": 0}, "E_ARGUMENT", "at least 1"),
        ("get_item", {"part": 2}, "E_PART", "one item_id"),
        ("submit_answers", {"answers": []}, "E_ARGUMENT", "at least 1"),
        ("submit_answers", {"answers": [{"item_id": "x", "answer": "a"}] * 21}, "E_ARGUMENT", "at most 20"),
        ("submit_answers", {"answers": {"item_id": "x"}}, "E_ARGUMENT", "a list, not an object"),
        ("submit_answers", {"answers": ["a"]}, "E_ARGUMENT", "`answers[0]` must be an object"),
        ("submit_answers", {"answers": [{"item_id": "x", "answr": "a"}]}, "E_ARGUMENT", "Did you mean `answer`?"),
        ("submit_answers", {"answers": [{"item_id": "x"}]}, "E_ARGUMENT", "`answers[0].answer`"),
        ("submit_answers", {"answers": [{"item_id": 7, "answer": "a"}]}, "E_ARGUMENT", "`answers[0].item_id`"),
        ("submit_answers", {"answers": [{"item_id": "x", "answer": "", "abstain": 1}]}, "E_ARGUMENT", "true or false"),
        ("submit_answers", {"answers": [{"item_id": "x", "answer": "", "confidence": 2}]}, "E_ARGUMENT", "at most 1"),
        ("submit_answers", {"answers": [{"item_id": "x", "answer": "", "confidence": "1"}]}, "E_ARGUMENT", "a number"),
        ("submit_answers", {"answers": [{"item_id": "x", "answer": "", "confidence": True}]}, "E_ARGUMENT", "a number"),
        ("submit_answers", {"answers": '[{"item_id":"x","item_id":"y","answer":"a"}]'}, "E_ARGUMENT", "a list"),
        ("finish_attempt", {"force": True}, "E_ARGUMENT", "knows no argument `force`"),
    ],
)
def test_wrong_arguments_are_refused_with_what_was_meant(attempt, desk, tool, change, code, says):
    reply = desk.call(tool, attempt.args(**change), FACTS)
    assert reply.error.name == code
    assert says in reply.error.text
    assert reply.error.as_reply().keys() == {"code", "message", "next", "retryable"}
    last = events(attempt)[-1]
    assert (last["tool"], last["is_error"], last["code"]) == (tool, True, code)
    assert last["result_sha256"] == sha256(canonical_json(reply.error.as_reply()))
    assert not desk.closed


@pytest.mark.parametrize(
    "args",
    [
        None,
        [1],
        "text",
        {"attempt_id": "a" * 10_000_000},
        {"x" * 1_000_000: 1},
        {"\ud800": "\udfff", "é\n`": 1},
        {"n": float("nan"), "i": float("inf"), "big": 10**400},
        json.loads("[" * 900 + "]" * 900),
        {"limit": json.loads("[" * 900 + "]" * 900)},
    ],
    ids=range(9),
)
def test_whatever_is_sent_is_refused_written_down_short_and_told_apart(attempt, desk, args):
    reply = desk.call("list_items", args, FACTS)
    assert reply.error.name in ("E_ARGUMENT", "E_TOO_LONG", "E_ENCODING")
    assert len(reply.error.text) < 600 and reply.error.text.isprintable()
    last = events(attempt)[-1]
    assert set(last["args"]) == {"head", "sha256", "size"} and last["args_sha256"] == last["args"]["sha256"]
    assert len(canonical_json(last)) < 4_000


def test_a_defect_is_told_as_one_and_written_down(attempt, desk, monkeypatch):
    monkeypatch.setattr(desk._listing, "page", lambda *_: 1 / 0)
    reply = desk.call("list_items", attempt.args(), FACTS)
    assert reply.error.name == "E_INTERNAL" and "division" not in reply.error.text
    assert events(attempt)[-1]["code"] == "E_INTERNAL"


def test_what_a_client_calls_itself_is_kept_short_and_plain(attempt, desk):
    desk.call("list_items", attempt.args(), CallFacts("\ud800" * 200, "name\n\x1b" * 100))
    last = events(attempt)[-1]
    assert len(last["client"]) <= LONGEST and len(last["protocol"]) <= LONGEST
    assert (last["client"] + last["protocol"]).isprintable()


def test_calls_run_out_and_every_kind_counts(tmp_path):
    attempt = AttemptFolder(tmp_path, budget={"calls": 4, "seconds": 3600})
    desk = attempt.desk()
    desk.call("list_items", attempt.args(), FACTS)
    desk.call("list_items", attempt.args(limit=0), FACTS)
    desk.call("get_item", attempt.args(item_ids=[attempt.id(1)]), FACTS)
    assert desk.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()["calls_left"] == 0
    for tool, args in [("submit_answers", attempt.answers((2, "4"))), ("list_items", attempt.args())]:
        assert desk.call(tool, args, FACTS).error.name == "E_BUDGET"
    desk.shut()
    desk = attempt.desk()  # a server that was started again knows it
    assert desk.call("get_item", attempt.args(item_ids=[attempt.id(1)]), FACTS).error.name == "E_BUDGET"
    done = desk.call("finish_attempt", attempt.args(), FACTS).unwrap()
    assert (done["status"], done["n_answered"]) == ("scoring", 1)
    desk.shut()
    calls = [event for event in events(attempt) if event["event"] == "call"]
    assert [each["calls_left"] for each in calls] == [3, 2, 1, 0, 0, 0, 0, 0]


def timed(attempt):
    """Give a desk whose clock stands at the attempt's start, and the clock."""
    clock = SetClock(events(attempt)[0]["at"])
    return attempt.desk(clock), clock


def test_after_its_seconds_an_attempt_can_only_be_finished(tmp_path):
    attempt = AttemptFolder(tmp_path, budget={"calls": 100, "seconds": 60})
    desk, clock = timed(attempt)
    clock.pass_by(60)
    assert desk.call("submit_answers", attempt.answers((1, "2")), FACTS).error is None
    clock.pass_by(1)
    assert desk.call("submit_answers", attempt.answers((2, "4")), FACTS).error.name == "E_BUDGET"
    done = desk.call("finish_attempt", attempt.args(), FACTS).unwrap()
    assert (done["n_answered"], events(attempt)[-1]["reason"]) == (1, "finished")
    desk.shut()


def test_an_expired_attempt_is_closed_by_the_next_call_with_its_answers(tmp_path):
    attempt = AttemptFolder(tmp_path, expires="2030-01-01T00:00:00.000Z")
    desk, clock = timed(attempt)
    desk.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()
    clock.time = "2030-01-01T00:00:00.001Z"
    reply = desk.call("submit_answers", attempt.answers((2, "4")), FACTS)
    assert reply.error.name == "E_EXPIRED" and reply.head == desk.transcript.head
    *_, call, end = events(attempt)
    assert (call["code"], end["event"], end["reason"], end["answered"]) == ("E_EXPIRED", "attempt.closed", "expired", 1)
    with pytest.raises(DeskClosedError):
        desk.call("list_items", attempt.args(), FACTS)
    desk.shut()


def test_finishing_an_expired_attempt_closes_it_as_expired(tmp_path):
    attempt = AttemptFolder(tmp_path, expires="2030-01-01T00:00:00.000Z")
    desk, clock = timed(attempt)
    clock.time = "2031-01-01T00:00:00.000Z"
    assert desk.call("finish_attempt", attempt.args(), FACTS).unwrap()["n_missing"] == 6  # with the control item
    assert events(attempt)[-1]["reason"] == "expired"
    desk.shut()


@pytest.mark.parametrize(("hidden", "status"), [(False, "scoring"), (True, "sealed")])
def test_the_end_tells_counts_and_the_head_and_no_score(tmp_path, hidden, status):
    attempt = AttemptFolder(tmp_path, hidden=hidden)
    desk = attempt.desk()
    desk.call("submit_answers", attempt.answers((1, "2"), (2, "4")), FACTS).unwrap()
    reply = desk.call("finish_attempt", attempt.args(), FACTS)
    data = reply.unwrap()
    FinishAttemptResult.model_validate(data)
    assert data.keys() == {"status", "n_answered", "n_abstained", "n_missing", "transcript_head", "next"}
    assert (data["status"], data["n_answered"], data["n_missing"]) == (status, 2, 4)
    chain = read_chain(attempt.path, "transcript/1")
    assert chain.head == data["transcript_head"] == reply.head
    assert chain.events[-1]["event"] == "attempt.closed" and fold_events(chain.events).flaws == []
    desk.shut()


def test_replies_before_the_end_do_not_depend_on_what_is_answered(tmp_path):
    """Two attempts of one secret that differ in an answer get the same replies but for digests: no oracle."""
    seen = []
    for number, answer in enumerate(("2", "3")):
        attempt = AttemptFolder(tmp_path / str(number))
        desk = attempt.desk()
        data = [desk.call("submit_answers", attempt.answers((1, answer)), FACTS).unwrap()]
        asked: list[tuple[str, dict[str, Any]]] = [
            ("list_items", {}), ("list_items", {"status": "answered"}), ("get_item", {"item_ids": [attempt.id(1)]}),
            ("finish_attempt", {}),
        ]  # fmt: skip
        data += [desk.call(tool, attempt.args(**more), FACTS).unwrap() for tool, more in asked]
        desk.shut()
        data[0]["receipts"][0].pop("answer_sha256")
        for each in data:
            each.pop("transcript_head", None)
        seen.append(canonical_json({"data": data}))
    assert seen[0] == seen[1]


def test_an_operator_abandons_an_attempt_and_what_was_answered_counts(attempt):
    desk = attempt.desk()
    desk.call("submit_answers", attempt.answers((1, "2")), FACTS).unwrap()
    desk.abandon("abandoned")
    desk.shut()
    end = events(attempt)[-1]
    assert (end["reason"], end["answered"], end["missing"]) == ("abandoned", 1, 4)


def test_every_code_has_a_next_step_that_names_no_path():
    assert all(
        advice.next.endswith(".") and "/" not in advice.next.replace("tools/list", "") for advice in CODES.values()
    )
