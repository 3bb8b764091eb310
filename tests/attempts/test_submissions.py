"""One answer an item: races, retries, what is refused and why, and what nothing counts."""

import json
import threading

import pytest
from support_attempts import FACTS, AttemptFolder, row

from harness.attempts.shapes import SubmitAnswersResult
from harness.attempts.transcript import answer_digest, fold_events
from harness.digest import MAX_INT
from harness.store.journal import read_chain


@pytest.fixture
def attempt(tmp_path):
    return AttemptFolder(tmp_path)


@pytest.fixture
def desk(attempt):
    desk = attempt.desk()
    yield desk
    desk.shut()


def send(desk, args):
    """Submit, wait until the reply may leave, and give its data."""
    reply = desk.call("submit_answers", args, FACTS)
    data = reply.unwrap()
    SubmitAnswersResult.model_validate(data)
    assert data["transcript_head"] == reply.head
    return data


def events(attempt):
    chain = read_chain(attempt.path, "transcript/1")
    assert (chain.broken, chain.torn) == ("", "")
    return chain.events


def test_an_answer_is_recorded_with_its_digest_before_its_receipt_leaves(attempt, desk):
    data = send(desk, attempt.answers((1, "2")))
    receipt = data["receipts"][0]
    digest = answer_digest("2", False, None)
    assert receipt == {"item_id": attempt.id(1), "status": "recorded", "answer_sha256": digest}
    assert data["record"] == 1 and events(attempt)[-1]["receipts"] == [receipt]
    last = events(attempt)[-1]
    assert (last["n"], last["tool"], last["args"]["answers"][0]["answer"]) == (1, "submit_answers", "2")
    assert (data["remaining"], data["calls_left"], last["calls_left"]) == (5, 999, 999)


def test_of_sixteen_answers_to_one_item_at_once_exactly_one_is_recorded(attempt, desk):
    found, gate = [], threading.Barrier(16)

    def answer(number):
        gate.wait()
        found.append((number, send(desk, attempt.answers((1, f"answer {number}")))["receipts"][0]))

    threads = [threading.Thread(target=answer, args=(number,)) for number in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    recorded = [number for number, receipt in found if receipt["status"] == "recorded"]
    assert len(found) == 16 and len(recorded) == 1
    assert {receipt.get("code") for number, receipt in found if number not in recorded} == {"E_ALREADY_SUBMITTED"}
    state = fold_events(events(attempt))
    assert state.answers[attempt.id(1)].text == f"answer {recorded[0]}"
    assert (state.calls, state.flaws) == (16, [])


def test_the_same_answer_again_has_the_same_receipt_and_counts_once(attempt, desk):
    sent = send(desk, attempt.answers((1, 4)))
    first = {**sent["receipts"][0], "record": sent["record"]}
    again = send(desk, attempt.answers((1, "4")))["receipts"][0]  # as text: the same answer
    assert (first["status"], again["status"]) == ("recorded", "duplicate")
    assert {**first, "status": ""} == {**again, "status": ""}
    assert fold_events(events(attempt)).counts() == {"answered": 1, "abstained": 0, "missing": 4}


def test_the_same_answer_after_the_server_came_back_has_the_same_receipt(attempt):
    desk = attempt.desk()
    sent = send(desk, attempt.answers((1, "4"), confidence=0.25))
    first = {**sent["receipts"][0], "record": sent["record"]}
    desk.shut()
    desk = attempt.desk()
    again = send(desk, attempt.answers((1, "4"), confidence=0.25))["receipts"][0]
    assert {**first, "status": ""} == {**again, "status": ""}
    desk.shut()


@pytest.mark.parametrize("change", [{"answer": "5"}, {"abstain": True}, {"confidence": 0.5}])
def test_another_answer_or_another_flag_is_refused_and_changes_nothing(attempt, desk, change):
    send(desk, attempt.answers((1, "4")))
    changed = {"item_id": attempt.id(1), "answer": "4", **change}
    receipt = send(desk, attempt.args(answers=[changed]))["receipts"][0]
    assert (receipt["status"], receipt["code"]) == ("rejected", "E_ALREADY_SUBMITTED")
    assert fold_events(events(attempt)).answers[attempt.id(1)].text == "4"


def test_the_first_of_two_answers_to_an_item_in_one_call_counts(attempt, desk):
    statuses = [each["status"] for each in send(desk, attempt.answers((1, "a"), (1, "b"), (1, "a")))["receipts"]]
    assert statuses == ["recorded", "rejected", "duplicate"]
    assert fold_events(events(attempt)).answers[attempt.id(1)].text == "a"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (4.5, "E_FORMAT"),
        (True, "E_FORMAT"),
        (None, "E_FORMAT"),
        (["4"], "E_FORMAT"),
        ({"answer": "4"}, "E_FORMAT"),
        (float("nan"), "E_FORMAT"),
        (MAX_INT + 1, "E_FORMAT"),
        (10**5000, "E_FORMAT"),
        ("\ud800", "E_ENCODING"),
        ("x" * (64 * 1024 + 1), "E_TOO_LONG"),
        ("é" * (32 * 1024 + 1), "E_TOO_LONG"),
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_what_is_no_answer_is_refused_and_leaves_others_alone(attempt, desk, answer, code):
    data = send(desk, attempt.answers((1, answer), (2, "fine")))
    assert [each["status"] for each in data["receipts"]] == ["rejected", "recorded"]
    assert data["receipts"][0]["code"] == code
    assert len(json.dumps(data)) < 1500
    kept = events(attempt)[-1]["args"]["answers"][0]["answer"]
    assert set(kept) == {"head", "sha256", "size"} and len(kept["head"]) <= 1024
    assert fold_events(events(attempt)).answers.keys() == {attempt.id(2)}


@pytest.mark.parametrize("answer", ["", "x" * 64 * 1024, "é" * 32 * 1024, "\0\n\u2028", "0", 0, -MAX_INT, "🜚"])
def test_every_text_and_whole_number_within_the_bound_is_an_answer(attempt, desk, answer):
    assert send(desk, attempt.answers((1, answer)))["receipts"][0]["status"] == "recorded"
    assert fold_events(events(attempt)).answers[attempt.id(1)].text == str(answer)


@pytest.mark.parametrize(("given", "kept"), [(0.25, "0.25"), (1, "1"), (1.0, "1"), (0, "0"), (1e-7, "1e-07")])
def test_confidence_is_kept_as_decimal_text(attempt, desk, given, kept):
    assert send(desk, attempt.answers((1, "4"), confidence=given))["receipts"][0]["status"] == "recorded"
    assert fold_events(events(attempt)).answers[attempt.id(1)].confidence == kept


def test_an_unknown_item_is_refused_in_its_receipt(attempt, desk):
    receipt = send(desk, attempt.args(answers=[{"item_id": "0" * 16, "answer": "4"}]))["receipts"][0]
    assert (receipt["status"], receipt["code"]) == ("rejected", "E_UNKNOWN_ITEM")


def test_the_control_item_counts_for_its_agent_like_any_other_and_for_nobody_else(attempt, desk):
    data = send(desk, attempt.answers((0, "unknown"), (1, "2")))
    assert [each["status"] for each in data["receipts"]] == ["recorded", "recorded"]
    assert data["remaining"] == 4
    done = desk.call("finish_attempt", attempt.args(), FACTS).unwrap()
    assert (done["n_answered"], done["n_abstained"], done["n_missing"]) == (2, 0, 4)
    assert [events(attempt)[-1][name] for name in ("answered", "abstained", "missing")] == [1, 0, 4]


def test_an_abstention_is_told_beside_its_text_and_counted_apart(attempt, desk):
    send(desk, attempt.answers((1, "I do not know"), abstain=True))
    send(desk, attempt.answers((2, "4")))
    assert fold_events(events(attempt)).counts() == {"answered": 2, "abstained": 1, "missing": 3}
    assert fold_events(events(attempt)).answers[attempt.id(1)].text == "I do not know"


def test_answers_are_held_against_the_public_schema_alone(tmp_path):
    rows = [row(1, answer_kind="choice", answer_schema={"type": "string", "enum": ["A", "B"]})]
    rows.append(row(2, answer_schema={"type": "string", "maxLength": 3, "minLength": 1}))
    attempt = AttemptFolder(tmp_path, rows=rows)
    desk = attempt.desk()
    refused = send(desk, attempt.answers((1, "C"), (2, ""), (2, "four")))["receipts"]
    assert {each["code"] for each in refused} == {"E_FORMAT"}
    taken = send(desk, attempt.answers((1, "B"), (2, "abc")))["receipts"]
    assert {each["status"] for each in taken} == {"recorded"}
    desk.shut()


def test_a_list_that_came_as_text_is_taken_and_recorded_as_a_list(attempt, desk):
    text = json.dumps(attempt.answers((1, "2"))["answers"])
    assert send(desk, attempt.args(answers=text))["receipts"][0]["status"] == "recorded"
    assert events(attempt)[-1]["args"]["answers"] == [{"item_id": attempt.id(1), "answer": "2", "abstain": False}]
