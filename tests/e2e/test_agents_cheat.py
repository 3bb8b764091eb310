"""An agent that cheats, over real processes: nothing it is sent holds an answer, or tells a right one from a wrong."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support_cheat import (
    ASKED,
    NOBODY,
    PLANTED,
    cheated_project,
    chunks,
    hidden_words,
    images_of,
    leaked,
    tables,
    try_everything,
    try_the_protocol,
    whole_view,
)
from support_server import answers, items, opened_by, until
from support_wire import WireClient, environment

pytestmark = [
    pytest.mark.long,
    pytest.mark.together,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]
SERVE = [sys.executable, "-m", "harness.cli.main", "serve", "--agent-uid", str(NOBODY)]
METRIC = "reliability.outcome"
HIDDEN = {"study": "hidden", "split": "test"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cheated_project(tmp_path_factory.mktemp("cheated") / "project")


def server(folder: Path, *before: str | Path) -> WireClient:
    return WireClient([*map(str, before), *SERVE], cwd=folder, env=environment())


def over(client: WireClient, attempt: str) -> bool:
    return bool(client.call("finish_attempt", attempt_id=attempt)["status"] != "scoring")


def test_no_byte_that_an_agent_is_sent_holds_what_is_hidden(folder: Path, tmp_path: Path) -> None:
    if not shutil.which("strace") or subprocess.run(["strace", "-o", tmp_path / "t", "true"], check=False).returncode:
        pytest.skip("strace is not here, or not allowed")
    trace = tmp_path / "trace"
    watched = ("strace", "-f", "--seccomp-bpf", "-s", "4096", "-e", "trace=%file,clone,clone3,vfork,fork", "-o", trace)
    with server(folder, *watched) as client:
        client.hello()
        client.call("list_studies")
        made = {
            study: whole_view(client, study, split, study)
            for study, split in (("small", "dev"), ("documents", "dev"), ("hidden", "test"))
        }
        tried = try_everything(client, {"start_attempt": {"study": "small", "split": "dev", "idempotency_key": "odd"}})
        for attempt, names in made.values():
            given, this = answers((names[0], "I guess")), {"attempt_id": attempt}
            item = {**this, "item_id": names[0]}
            client.call("submit_answers", attempt_id=attempt, answers=given)
            tried += try_everything(client, {
                "list_items": this, "get_item": {**this, "item_ids": [names[0]]}, "finish_attempt": this,
                "submit_answers": {"attempt_id": attempt, "answers": given},
                "score_text": {**item, "metric": METRIC, "prediction": "I guess"},
            })  # fmt: skip
        try_the_protocol(client)
        for attempt, _ in made.values():
            client.call("finish_attempt", attempt_id=attempt)
            until(partial(over, client, attempt))
        pictures = list(images_of(client))
        assert client.end() == 0
    assert tried > 1500
    words = hidden_words(folder)
    assert PLANTED in words and len(words) > 60
    assert leaked(client, words) == set()
    assert leaked(client, {"Which planet is secret"})  # a prompt's, which it was sent
    assert b"E_INTERNAL" not in b"".join(client.seen) and b"Traceback" not in b"".join(client.said)
    assert pictures and all(chunks(data) <= {b"IHDR", b"PLTE", b"IDAT", b"IEND"} for _, data in pictures)
    opened = opened_by(trace, "harness_tools.answering")
    assert len(opened) > 100
    assert not [path for path in opened if str(folder) in path or ".harness" in path or path.endswith(".yaml")]
    assert [path for path in opened_by(trace, "harness_tools.worker") if path.startswith(str(folder))]


def asked_for(client: WireClient, attempt: str) -> dict[str, tuple[str, str]]:
    """Read the hidden questions: by the id of an item its question, and the letter of the right answer."""
    right = {row["id"]: row["gold"]["target"] for row in tables(client_folder(client), "gold")}
    letters = {
        row["input"]["question"]: right[row["id"]]
        for row in tables(client_folder(client), "items")
        if row["task"] == "science"
    }
    found = {}
    for name in items(client, attempt):
        prompt = client.call("get_item", attempt_id=attempt, item_ids=[name])["items"][0]["prompt"]
        (question,) = [one for one in letters if f"{one}\n" in prompt]
        found[name] = (question, letters[question])
    return found


def client_folder(client: WireClient) -> Path:
    return Path(os.readlink(f"/proc/{client.process.pid}/cwd"))


def begin(client: WireClient, key: str) -> str:
    begun = client.call("start_attempt", **HIDDEN, idempotency_key=key)
    assert "attempt_id" in begun, begun
    return str(begun["attempt_id"])


def alike(reply: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a reply what differs between any two calls: ids, digests of what was sent, heads of the log."""
    kept = {name: value for name, value in reply.items() if name != "transcript_head"}
    receipts = [{**one, "item_id": "", "answer_sha256": ""} for one in reply.get("receipts", [])]
    return {**kept, "receipts": receipts}


def test_no_reply_tells_a_right_answer_from_a_wrong_one(folder: Path) -> None:
    with server(folder) as client:
        client.hello()
        told, orders = [], []
        for number, probe in enumerate((True, False, None)):  # 19 wrong ones and a right one; all wrong; all right
            attempt = begin(client, f"probe {number}")
            known = asked_for(client, attempt)
            orders.append([question for question, _ in known.values()])
            said = [
                (name, right if probe is None or (probe and not place) else "ABCD"["ABCD".index(right) - 1])
                for place, (name, (_, right)) in enumerate(known.items())
            ]
            assert len(said) == ASKED
            replies = [client.call("submit_answers", attempt_id=attempt, answers=answers(*said[:20]))]
            again = answers((said[0][0], "A"), (said[0][0], "B"))  # a change of mind, right or wrong
            replies.append({**client.call("submit_answers", attempt_id=attempt, answers=again), "receipts": []})
            replies += [client.call("finish_attempt", attempt_id=attempt) for _ in range(2)]
            told.append([alike(reply) for reply in replies])
        assert told[0] == told[1] == told[2] and told[0][3]["status"] == "sealed"
        assert len({tuple(order) for order in orders}) == 3


def test_right_and_wrong_answers_take_the_same_time(folder: Path) -> None:
    with server(folder) as client:
        client.hello()
        took: dict[bool, list[float]] = {True: [], False: []}
        for round_ in range(3):
            attempt = begin(client, f"time {round_}")
            for place, (name, (_, letter)) in enumerate(asked_for(client, attempt).items()):
                right = place % 2 == 0
                given = answers((name, letter if right else "ABCD"["ABCD".index(letter) - 1]))
                since = time.perf_counter()
                client.call("submit_answers", attempt_id=attempt, answers=given)
                took[right].append(time.perf_counter() - since)
        medians = sorted(statistics.median(took[one]) for one in (True, False))
        assert medians[1] - medians[0] < 0.5 * medians[0] + 0.002


def test_the_order_of_items_says_nothing_about_their_answers(folder: Path) -> None:
    places: dict[str, list[int]] = {letter: [] for letter in "ABCD"}
    firsts = []
    with server(folder) as client:
        client.hello()
        for number in range(2):
            listed = asked_for(client, begin(client, f"order {number}"))
            firsts.append([question for question, _ in listed.values()])
            for place, (_, letter) in enumerate(listed.values()):
                places[letter].append(place)
    assert firsts[0] != firsts[1]
    for letter, seen in places.items():
        width = ASKED / (12 * len(seen)) ** 0.5  # of the mean place, were the order drawn
        assert abs(statistics.mean(seen) - (ASKED - 1) / 2) < 6 * width, letter


def test_a_true_id_is_refused_in_the_words_for_any_other(folder: Path) -> None:
    true = [*[row["id"] for row in tables(folder, "items")][:3], ".harness", str(folder / ".harness"), "canary.json"]
    true += [view.name for view in (folder / ".harness" / "views").iterdir()]
    with server(folder) as client:
        client.hello()
        attempt = str(
            client.call("start_attempt", study="small", split="dev", idempotency_key="true ids")["attempt_id"]
        )
        mine = {"attempt_id": attempt}
        tries: list[tuple[str, str, dict[str, Any]]] = [
            ("get_item", "item_ids", mine), ("list_items", "attempt_id", {}), ("finish_attempt", "attempt_id", {}),
            ("list_items", "cursor", mine), ("start_attempt", "study", {"split": "dev", "idempotency_key": "x"}),
            ("start_attempt", "split", {"study": "small", "idempotency_key": "x"}),
            ("start_attempt", "subset", {"study": "small", "split": "dev", "idempotency_key": "x"}),
            ("score_text", "item_id", {**mine, "metric": METRIC, "prediction": "1"}),
        ]  # fmt: skip
        for tool, argument, base in tries:
            for word in true:
                said = [client.call(tool, **{**base, argument: one}) for one in (word, "q" * len(word))]
                plain = [str(one).replace(word, "").replace("q" * len(word), "") for one in said]
                assert said[0]["code"] and plain[0] == plain[1], (tool, argument)


def test_texts_are_scored_once_an_answer_is_final_and_never_hidden_ones(folder: Path) -> None:
    with server(folder) as client:
        client.hello()
        public = str(client.call("start_attempt", study="small", split="dev", idempotency_key="oracle")["attempt_id"])
        hidden = begin(client, "texts")
        (name, other), (secret, *_) = items(client, public)[:2], items(client, hidden)
        asked = {"metric": METRIC, "prediction": "12"}
        assert client.call("score_text", attempt_id=public, item_id=name, **asked)["code"] == "E_ARGUMENT"
        client.call("submit_answers", attempt_id=public, answers=answers((name, "12")))
        assert "value" in client.call("score_text", attempt_id=public, item_id=name, **asked)
        for attempt, item in ((public, other), (public, secret), (hidden, secret), (hidden, name)):
            said = client.call("score_text", attempt_id=attempt, item_id=item, **asked)
            assert said["code"] in ("E_ARGUMENT", "E_UNKNOWN_ITEM", "E_HIDDEN_SPLIT") and "value" not in said
        told = [
            client.call("score_text", attempt_id=hidden, item_id=secret, metric=METRIC, prediction=one)
            for one in "ABCD"
        ]
        assert told[0] == told[1] == told[2] == told[3]
