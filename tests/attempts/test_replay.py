"""Replays of a transcript's reads, and the normal form in which two attempts of one agent agree."""

import os
from functools import partialmethod
from typing import Any

import pytest
from support import REPOSITORY
from support_attempts import FACTS, AttemptFolder, row

from harness.attempts.reads import Listing, ViewReader
from harness.run.attempts.score import normal_form, replay_reads
from harness.store.journal import read_chain


def answer_all(attempt, answer=lambda prompt: prompt[:9], limit=3):
    """Take a whole attempt, as a simple agent does; gives its events."""
    desk = attempt.desk()
    desk.call("list_items", attempt.args(limit="3"), FACTS)
    while items := desk.call("list_items", attempt.args(limit=limit), FACTS).unwrap()["items"]:
        for each in items:
            prompt, part, parts = "", 0, 1
            while part < parts:
                part += 1
                asked = attempt.args(item_ids=[each["item_id"]], part=part)
                data = desk.call("get_item", asked, FACTS).unwrap()["items"][0]
                prompt, parts = prompt + data["prompt"], data.get("parts", 1)
            one = {"item_id": each["item_id"], "answer": answer(prompt), "confidence": 0.5}
            desk.call("submit_answers", attempt.args(answers=[one]), FACTS).unwrap()
    desk.call("finish_attempt", attempt.args(), FACTS).unwrap()
    desk.shut()
    return read_chain(attempt.path, "transcript/1").events


def rows():
    return [row(number, text=f"{number} " + "long words " * (number * 700)) for number in range(1, 6)]


def view_of(attempt):
    folder = attempt.folder / "view"
    return ViewReader(os.open(folder / "items.jsonl", os.O_RDONLY), os.open(folder / "media.bin", os.O_RDONLY))


def normal_of(attempt, events):
    view = view_of(attempt)
    made = normal_form(events, view.places)
    view.close()
    return made


def test_every_read_of_an_attempt_can_be_made_again(tmp_path):
    attempt = AttemptFolder(tmp_path, rows=rows())
    events: Any = answer_all(attempt)
    view = view_of(attempt)
    found = replay_reads(events, view)
    reads = [event["n"] for event in events if event.get("tool") in ("list_items", "get_item")]
    assert (found.reads, found.differing) == (len(reads) - 1, ())  # the first was refused
    for number in reads[1:]:
        changed: Any = [{**each, "result_sha256": "0" * 64} if each["n"] == number else each for each in events]
        assert replay_reads(changed, view).differing == (number,)
    view.close()


@pytest.mark.parametrize("args", [{}, {"limit": "3", "status": "open"}, {"limit": 3, "status": "open", "cursor": "x"}])
def test_reads_of_arguments_that_no_desk_takes_differ(tmp_path, args):
    attempt = AttemptFolder(tmp_path, rows=rows())
    events: Any = answer_all(attempt)
    view = view_of(attempt)
    changed: Any = [{**each, "args": args} if each["n"] == 2 else each for each in events]
    assert replay_reads(changed, view).differing == (2,)
    view.close()


def test_two_attempts_of_one_agent_have_one_normal_form(tmp_path):
    first = AttemptFolder(tmp_path / "first", rows=rows(), secret="01" * 32)
    second = AttemptFolder(tmp_path / "second", rows=rows(), secret="99" * 32)
    forms = [normal_of(each, answer_all(each)) for each in (first, second)]
    order = [list(read_order(each)) for each in (first, second)]
    assert order[0] != order[1]  # the items came in another order
    assert forms[0] == forms[1]
    assert len(forms[0]["items"]) == 6 and forms[0]["end"]["answered"] == 5


def read_order(attempt):
    """Give the sizes of the answered prompts in the order of the answers, which tell the items apart."""
    for event in read_chain(attempt.path, "transcript/1").events:
        if event.get("tool") == "submit_answers":
            yield event["args"]["answers"][0]["answer"]


@pytest.mark.parametrize("change", [{"answer": lambda prompt: "x"}, {"limit": 2}])
def test_an_agent_that_does_something_else_has_another_normal_form(tmp_path, change):
    first = AttemptFolder(tmp_path / "first", rows=rows())
    second = AttemptFolder(tmp_path / "second", rows=rows())
    assert normal_of(first, answer_all(first)) != normal_of(second, answer_all(second, **change))


def test_a_normal_form_holds_no_id_digest_or_time(tmp_path):
    attempt = AttemptFolder(tmp_path)
    events: Any = answer_all(attempt)
    text = str(normal_of(attempt, events))
    for secret in (attempt.name, attempt.id(1), events[0]["secret"], events[2]["at"], events[2]["result_sha256"]):
        assert secret not in text


def test_a_transcript_of_an_earlier_release_replays(tmp_path):
    """It was written when each call read one item and every list had previews."""
    kept = REPOSITORY / "tests" / "golden" / "attempts" / "former"
    view = ViewReader(os.open(kept / "items.jsonl", os.O_RDONLY))
    events: Any = read_chain(kept / "transcript.jsonl", "transcript/1").events
    found = replay_reads(events, view)
    assert (found.reads, found.differing) == (12, ())
    made = normal_form(events, view.places)
    assert (
        made["end"]
        and made["end"]["answered"] == 1
        and {"part": 2} in [done for item in made["items"].values() for done in item]
    )
    view.close()


def test_reads_that_left_nothing_out_replay(tmp_path, monkeypatch):
    """An earlier release said the calls left and what to do next with every read."""
    attempt = AttemptFolder(tmp_path, rows=rows())
    with monkeypatch.context() as earlier:
        earlier.setattr(Listing, "read", partialmethod(Listing.read, whole=True))
        answer_all(attempt)
    events: Any = read_chain(attempt.path, "transcript/1").events
    view = view_of(attempt)
    found = replay_reads(events, view)
    assert found.reads > 5 and found.differing == ()
    view.close()


def test_a_read_without_ids_replays_as_the_items_that_it_gave(tmp_path):
    attempt = AttemptFolder(tmp_path, rows=rows())
    desk = attempt.desk()
    read = []
    while items := desk.call("get_item", attempt.args(), FACTS).unwrap()["items"]:
        given = [{"item_id": one["item_id"], "answer": "x"} for one in items]
        desk.call("submit_answers", attempt.args(answers=given), FACTS).unwrap()
        read.append([one["item_id"] for one in items])
    desk.call("finish_attempt", attempt.args(), FACTS).unwrap()
    desk.shut()
    events: Any = read_chain(attempt.path, "transcript/1").events
    recorded = [event["args"].get("item_ids") for event in events if event.get("tool") == "get_item"]
    assert recorded == [*read, None] and len(read) > 1 and sum(map(len, read)) == 6
    view = view_of(attempt)
    assert replay_reads(events, view).differing == ()
    view.close()
