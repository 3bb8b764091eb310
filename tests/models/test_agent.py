"""Answers of an agent: each prompt gets what its transcript records, or says why there is none; no line is believed."""

import json
from typing import Any

import pytest

from harness import rows
from harness.attempts import transcript
from harness.digest import encode_document, sha256
from harness.errors import InputError
from harness.manifest.models import settings_class
from harness.models.providers.agent import NOT_ASKED, UNANSWERED, account, item_id, item_key, respond

SECRET = b"\x07" * 32
CONTROL = item_key("control", 0)
PROMPTS = [{"item": item, "template": number, "text": "?"} for item in "ab" for number in (1, 2)]
START = {"event": "attempt.started", "secret": SECRET.hex(), "canary": {"key": CONTROL, "sha256": "0" * 64}}
END = {"event": "attempt.closed"}


def name(item, template):
    return item_id(SECRET, item_key(item, template))


def submit(*given, status="recorded"):
    """Spell a call that answers: (id, answer) or (id, answer, more)."""
    answers = [
        {"item_id": one[0], "answer": one[1], "abstain": False, **(one[2] if len(one) > 2 else {})} for one in given
    ]
    receipts = [{"item_id": one[0], "status": status} for one in given]
    return {"event": "call", "tool": "submit_answers", "args": {"answers": answers}, "receipts": receipts}


def chained(*events):
    data, head = b"", "0" * 64
    for number, event in enumerate(events):
        line = encode_document({"type": "transcript/1", "n": number, "prev": head, **event}) + b"\n"
        data, head = data + line, sha256(line)
    return data


@pytest.fixture
def take(tmp_path):
    """Take the answers of a transcript for four prompts; gives the responses and the count."""

    def taken(data: bytes, **params: Any):
        (tmp_path / "transcript").write_bytes(data)
        rows.write(tmp_path / "prompts", PROMPTS)
        inputs = {"prompts": tmp_path / "prompts", "imported": tmp_path / "transcript"}
        given = {"model": "agent-x", "seeds": [0], **params}
        respond(given, inputs, tmp_path)
        account(given, inputs, tmp_path)
        [counts] = rows.read(tmp_path / "imported")
        return list(rows.read(tmp_path / "responses")), counts["agent-x"]

    return taken


def test_each_prompt_gets_its_recorded_answer_or_says_that_there_is_none(take):
    found, counts = take(chained(START, submit((name("b", 1), "forty"), (name("a", 2), 42)), END))
    assert [(row["text"], row["finish"]) for row in found] == [
        ("", UNANSWERED), ("42", "stop"), ("forty", "stop"), ("", UNANSWERED),
    ]  # fmt: skip
    assert ["error" in row for row in found] == [True, False, False, True]
    assert (counts["rows"], counts["taken"], counts["missing"], counts["not_asked"]) == (2, 2, 2, 0)


def test_what_the_attempt_did_not_ask_is_no_missing_answer(take):
    found, counts = take(chained(START, submit((name("a", 1), "1"), (name("a", 2), "2")), END), templates=[1])
    assert [row["finish"] for row in found] == ["stop", NOT_ASKED, UNANSWERED, NOT_ASKED]
    assert (counts["missing"], counts["not_asked"]) == (1, 2)
    assert counts["refused"]["no_prompt"] == {"keys": 1, "first": [name("a", 2)]}  # answered, and no part of it


def test_an_attempt_is_one_sample_however_often_a_benchmark_asks(take):
    found, _ = take(chained(START, submit((name("a", 1), "1")), END), seeds=[0, 1])
    assert [(row["sample"], row["finish"]) for row in found[:2]] == [(0, "stop"), (1, NOT_ASKED)]


def test_an_abstention_is_recorded_beside_the_text_and_never_instead_of_it(take):
    found, counts = take(chained(START, submit((name("a", 1), "7, I think", {"abstain": True})), END))
    assert (found[0]["text"], found[0]["finish"], counts["abstained"]) == ("7, I think", "abstained", 1)


def test_only_the_first_recorded_answer_counts(take):
    first, again = submit((name("a", 1), "1")), submit((name("a", 1), "2"))
    refused, wrong = submit((name("a", 2), "x"), status="rejected"), submit((name("b", 1), "y"), status="duplicate")
    found, _ = take(chained(START, first, again, refused, wrong, END))
    assert [row["text"] for row in found] == ["1", "", "", ""]


def test_the_control_record_is_no_item(take):
    _, counts = take(chained(START, submit((item_id(SECRET, CONTROL), "unknown")), END))
    assert (counts["rows"], counts["taken"], counts["refused"]["no_prompt"]["keys"]) == (0, 0, 0)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b"forty", b"fifty"),
        lambda data: data[:-1],
        lambda data: b"".join(data.splitlines(keepends=True)[:-1]),
        lambda data: b"".join(data.splitlines(keepends=True)[1:]),
        lambda data: data.replace(b'"n":1', b'"n":2'),
        lambda data: data + b"{}\n",
        lambda data: b"",
    ],
    ids=["word", "torn", "open", "beheaded", "renumbered", "lengthened", "empty"],
)
def test_a_transcript_that_is_not_whole_gives_no_answers(take, spoil):
    with pytest.raises(InputError, match="transcript"):
        take(spoil(chained(START, submit((name("a", 1), "forty")), END)))


def test_ids_are_those_of_the_desk():
    assert item_key("a", 3) == transcript.item_key("a", 3)
    assert item_id(SECRET, CONTROL) == transcript.item_id(SECRET, CONTROL)


def test_settings_pin_the_transcript_and_leave_the_attempt_out_of_the_key():
    said = {"provider": "agent", "attempt": "20260101T000000Z-" + "0" * 32, "transcript": "a" * 64, "templates": [0, 5]}
    made = settings_class(said)(**said)
    assert made.imported.sha256 == "a" * 64 and made.imported.source.startswith("attempt 2026")
    assert made.answer_params() == {"templates": [0, 5]}
    assert json.dumps(made.as_data())
