"""Transcripts that no desk wrote, chained as soundly as any: what is wrong is said, and nothing falls over."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support_attempts import FACTS, ZERO, AttemptFolder
from support_scored import begin, open_project

from harness import verbs
from harness.attempts.reads import ViewReader
from harness.attempts.transcript import answer_digest, fold_events
from harness.digest import encode_document, seal_document, sha256
from harness.errors import DamageError
from harness.evidence.audit.answers import budget_flaws, canary_hits
from harness.files import write_atomic
from harness.run.attempts.score import replay_reads
from harness.store.attempts import transcript_path
from harness.store.journal import START, AttemptEvent, Chain, check_chain, read_chain

ITEM, OTHER = "a" * 16, "b" * 16
GIVEN: dict[str, Any] = {"item_id": ITEM, "abstain": False, "answer": "x"}
RECEIPT = {"item_id": ITEM, "status": "recorded", "answer_sha256": answer_digest("x", False, None)}


def chained(*bodies: dict[str, Any]) -> Chain[AttemptEvent]:
    """Chain lines anew."""
    data, head = b"", START
    for number, body in enumerate(bodies):
        line = encode_document({**body, "n": number, "prev": head}) + b"\n"
        data, head = data + line, sha256(line)
    return check_chain(data, "transcript/1")


@pytest.fixture
def attempt(tmp_path: Path) -> AttemptFolder:
    return AttemptFolder(tmp_path)


def first(attempt: AttemptFolder, **more: Any) -> dict[str, Any]:
    return {**read_chain(attempt.path, "transcript/1").events[0], **more}


def call(
    begun: Mapping[str, Any], args: dict[str, Any], receipts: list[Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Write the line of a call."""
    told = {} if receipts is None else {"receipts": receipts}
    return {
        "type": "transcript/1", "event": "call", "at": begun["at"], "tool": "submit_answers", "args": args,
        "args_sha256": ZERO, "result_sha256": ZERO, "is_error": False, "code": "", "protocol": "", "client": "",
        "ms": 0, "calls_left": begun["budget"]["calls"] - 1, **told, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"secret": "zz"}, {"budget": {}}, {"budget": {"calls": "9", "seconds": 9}}, {"budget": {"calls": 9}},
        {"budget": {"calls": 9, "seconds": 10**15}}, {"canary": {}}, {"canary": {"key": 5, "sha256": ZERO}},
        {"canary": {"key": ZERO}}, {"items": -1}, {"at": "yesterday"},
    ],
)  # fmt: skip
def test_a_start_that_no_desk_writes_is_damage(attempt: AttemptFolder, change: dict[str, Any]) -> None:
    chain = chained(first(attempt, **change))
    assert chain.events and not chain.broken
    with pytest.raises(DamageError):
        fold_events(chain.events)


@pytest.mark.parametrize(
    ("args", "receipts", "more"),
    [
        ({"answers": 5}, [RECEIPT], {}),
        ({}, [RECEIPT], {}),
        ({"answers": [{}]}, [RECEIPT], {}),
        ({"answers": ["x"]}, [RECEIPT], {}),
        ({"answers": [{**GIVEN, "item_id": []}]}, [{**RECEIPT, "item_id": []}], {}),
        ({"answers": [{**GIVEN, "item_id": OTHER}]}, [RECEIPT], {}),
        ({"answers": [{**GIVEN, "answer": {"a": "x"}}]}, [RECEIPT], {}),
        ({"answers": [{**GIVEN, "answer": True}]}, [RECEIPT], {}),
        ({"answers": [{**GIVEN, "abstain": "no"}]}, [RECEIPT], {}),
        ({"answers": [GIVEN]}, [RECEIPT], {"tool": "get_item"}),
        ({"answers": [GIVEN]}, [RECEIPT], {"is_error": True, "code": "E_BUDGET"}),
    ],
)
def test_receipts_that_are_not_of_their_answers_are_named(
    attempt: AttemptFolder, args: dict[str, Any], receipts: list[Any], more: dict[str, Any]
) -> None:
    begun = first(attempt)
    chain = chained(begun, call(begun, args, receipts, **more))
    state = fold_events(chain.events)
    assert len(state.flaws) == 1 and state.flaws[0].startswith("record 1 has ")
    assert state.answers == {} and canary_hits(state) == 0


def test_the_same_line_as_a_desk_writes_it_has_no_flaw(attempt: AttemptFolder) -> None:
    begun = first(attempt)
    state = fold_events(chained(begun, call(begun, {"answers": [GIVEN]}, [RECEIPT])).events)
    assert state.flaws == [] and list(state.answers) == [ITEM]


def test_a_call_after_the_seconds_of_the_budget_is_named(attempt: AttemptFolder) -> None:
    begun = first(attempt, at="2026-05-01T10:00:00.000Z", budget={"calls": 5, "seconds": 60})
    in_time, late = (call(begun, {}, at=f"2026-05-01T10:0{minute}:00.000Z") for minute in (1, 2))
    assert list(budget_flaws(chained(begun, in_time))) == []
    assert list(budget_flaws(chained(begun, late))) == ["line 2 serves a call after the 60 seconds"]
    assert list(budget_flaws(chained(begun, {**late, "is_error": True}))) == []


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("get_item", {"item_ids": []}), ("get_item", {"item_id": 5}), ("get_item", {"item_id": ITEM, "part": 0}),
        ("list_items", {"limit": "x", "status": []}), ("list_items", {"limit": 3, "status": "open", "cursor": 5}),
    ],
)  # fmt: skip
def test_a_read_of_no_desk_differs_when_it_is_made_again(
    attempt: AttemptFolder, tool: str, args: dict[str, Any]
) -> None:
    named = {**args, **({"item_id": attempt.id(1)} if args.get("item_id") == ITEM else {})}
    begun = first(attempt)
    chain = chained(begun, call(begun, attempt.args(**named), tool=tool))
    view = ViewReader(*(os.open(attempt.folder / "view" / name, os.O_RDONLY) for name in ("items.jsonl", "media.bin")))
    try:
        assert replay_reads(chain.events, view).differing == (1,)
    finally:
        view.close()


def test_reads_of_a_desk_are_the_same_when_they_are_made_again(attempt: AttemptFolder) -> None:
    desk = attempt.desk()
    desk.call("list_items", attempt.args(), FACTS).unwrap()
    desk.call("get_item", attempt.args(item_ids=[attempt.id(1)]), FACTS).unwrap()
    desk.shut()
    view = ViewReader(*(os.open(attempt.folder / "view" / name, os.O_RDONLY) for name in ("items.jsonl", "media.bin")))
    try:
        assert replay_reads(read_chain(attempt.path, "transcript/1").events, view).differing == ()
    finally:
        view.close()


@pytest.mark.together
def test_what_is_forged_is_told_by_the_verdict(tmp_path: Path) -> None:
    project = open_project(tmp_path / "project")
    with verbs.AttemptDoor(project) as door:
        name = begin(door, "one")
    path = transcript_path(project.open(), name)
    whole = path.read_bytes()
    events = read_chain(path, "transcript/1").events
    forged = call(events[0], {"answers": [GIVEN]}, [RECEIPT], prev=sha256(whole), n=1)
    asked = verbs.VerifyTranscriptRequest(attempt=name)

    write_atomic(path, whole + encode_document(forged) + b"\n")
    found = verbs.verify_transcript(project, asked)
    assert (found.verdict, found.flaws) == ("disagreed", ["record 1 answers an item that the view does not have"])

    write_atomic(path, encode_document({**events[0], "items": 9}) + b"\n")
    assert "the transcript counts other items than the view has" in verbs.verify_transcript(project, asked).flaws

    write_atomic(path, encode_document({**events[0], "secret": "zz"}) + b"\n")
    found = verbs.verify_transcript(project, asked)
    assert (found.verdict, found.first_bad_seq) == ("disagreed", 0)
    assert verbs.list_attempts(project).attempts[0].status == "damaged"


@pytest.mark.together
def test_a_transcript_whose_lock_is_not_that_of_its_manifest_is_not_agreed_upon(tmp_path: Path) -> None:
    project = open_project(tmp_path / "project")
    with verbs.AttemptDoor(project) as door:
        name = begin(door, "one")
    store = project.open()
    path = transcript_path(store, name)
    begun = read_chain(path, "transcript/1").events[0]
    lock = seal_document({**json.loads(store.blobs.read(begun["lock"])), "manifest_sha256": ZERO})
    asked = verbs.VerifyTranscriptRequest(attempt=name)
    assert verbs.verify_transcript(project, asked).manifest_match

    for change in ({"lock": store.blobs.put(lock)}, {"name": "another"}):
        line = encode_document({**begun, **change}) + b"\n"
        write_atomic(path, line)
        store.heads.path.unlink()  # the list of runs is made to follow
        store.heads.add("attempt.started", {"run": name, "journal": sha256(line)})
        found = verbs.verify_transcript(project, asked)
        assert (found.verdict, found.manifest_match) == ("disagreed", False)
        assert found.flaws == ["the lock or the name that the transcript names is not that of its manifest"]
