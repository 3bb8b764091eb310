"""One principal over HTTP that wants what another has: ids, keys, items and cursors of another's attempt, and races.

What the cheating agent tries at a hidden split is in `test_http_confinement.py`; here each class of attack is tried
between two principals who both may call.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support_http import MODERN, HttpClient, HttpServer
from support_server import SPLIT, STUDY, answers, transcript
from support_views import ADDITION, project

from harness.attempts.tokens import add_token
from harness.store.store import Store

pytestmark = pytest.mark.together
MOST = 2  # attempts of a principal at the limited study
LIMITED = ADDITION.replace("name: small", "name: limited").replace(
    "templates: [1, 6]", f"templates: [1, 6], max_attempts: {MOST}"
)
UNKNOWN = "E_UNKNOWN_ATTEMPT"
CALLERS = 12  # at once


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("attacked") / "project", ADDITION, LIMITED)


def aliases(attempt: str) -> list[Any]:
    """Give other spellings of an id: of another case, width, end, encoding or kind, and paths to it."""
    wide = "".join(chr(ord(sign) + 0xFEE0) if sign.isdigit() else sign for sign in attempt)
    spelled = [attempt.upper(), attempt.lower(), f"{attempt}\n", f" {attempt}", f"{attempt}\0", f"{attempt}.2", wide]
    spelled += [f"./{attempt}", f"../runs/{attempt}", f"{attempt}/", attempt.replace("-", "%2d"), f"{attempt}\u200b"]
    return [*spelled, [attempt], {"attempt_id": attempt}, 0, None, "", "last", "*"]


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """Do something in many threads that begin together, and give what each found."""
    found: list[Any] = []
    gate = threading.Barrier(CALLERS)

    def one(number: int) -> None:
        gate.wait()
        found.append(work(number))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(CALLERS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == CALLERS
    return found


def begin(client: HttpClient, key: str, study: str = STUDY) -> dict[str, Any]:
    return client.call("start_attempt", study=study, split=SPLIT, idempotency_key=key)


def test_nothing_of_another_principal_is_reached_by_any_spelling(folder: Path) -> None:
    store = Store.open(folder / ".harness")
    tokens = {name: add_token(store, name, ["answer"], 1)[0] for name in ("alice", "bob")}
    with HttpServer(folder) as server:
        alice, bob = server.client(tokens["alice"]), server.client(tokens["bob"])
        hers, his = str(begin(alice, "key")["attempt_id"]), str(begin(bob, "key")["attempt_id"])
        assert hers != his
        listed = alice.call("list_items", attempt_id=hers, limit=1)
        item, cursor = listed["items"][0]["item_id"], listed["next_cursor"]
        before = len(transcript(folder, hers))
        for one in (bob, server.client(tokens["bob"], era=MODERN)):
            for spelled in [hers, *aliases(hers)]:
                for tool, more in (
                    ("list_items", {}),
                    ("get_item", {"item_ids": [item]}),
                    ("submit_answers", {"answers": answers((item, "1"))}),
                    ("finish_attempt", {}),
                ):
                    told = one.call(tool, attempt_id=spelled, **more)
                    assert told["code"] in (UNKNOWN, "E_ARGUMENT", "E_TOO_LONG", "E_ENCODING"), (tool, spelled, told)
        # what is hers is nothing in his attempt
        assert bob.call("get_item", attempt_id=his, item_ids=[item])["code"] == "E_UNKNOWN_ITEM"
        assert bob.call("list_items", attempt_id=his, limit=1, cursor=cursor)["code"] == "E_CURSOR"
        [receipt] = bob.call("submit_answers", attempt_id=his, answers=answers((item, "1")))["receipts"]
        assert (receipt["status"], receipt["code"]) == ("rejected", "E_UNKNOWN_ITEM")
        scored = {"attempt_id": his, "item_id": item, "metric": "reliability.outcome", "prediction": "1"}
        assert bob.call("score_text", **scored)["code"] == "E_UNKNOWN_ITEM"
        assert bob.call("score_text", **{**scored, "attempt_id": hers})["code"] == UNKNOWN
        # what he says of himself makes him nobody else
        for said in ({"agent_label": "token:alice"}, {"principal": "token:alice"}, {"session": "x"}):
            told = bob.call("start_attempt", study=STUDY, split=SPLIT, idempotency_key="key", **said)
            assert told.get("code") == "E_ARGUMENT"
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        for headers in (
            {"authorization": f"Bearer {tokens['bob']}, Bearer {tokens['alice']}"},
            {"authorization": f"Bearer {tokens['bob']} {tokens['alice']}"},
            {"authorization": f"Basic {tokens['alice']}"},
            {"authorization": f"Bearer {tokens['alice'][:-1]}"},
            {"authorization": f"Bearer {tokens['alice'].upper()}"},
        ):
            assert bob.send(body, headers=headers)[0] == 401, headers
        assert len(transcript(folder, hers)) == before  # not even a line of all this is in hers
        assert all(hers.encode() not in one and item.encode() not in one for one in bob.seen if b'"code"' not in one)


def test_calls_that_race_get_no_more_than_one_after_the_other(folder: Path) -> None:
    store = Store.open(folder / ".harness")
    token = add_token(store, "carol", ["answer"], 1)[0]
    with HttpServer(folder) as server:
        clients = [server.client(token) for _ in range(CALLERS)]
        begun = at_once(lambda number: begin(clients[number], f"race {number}", "limited"))
        assert sum("attempt_id" in one for one in begun) == MOST
        assert {one["code"] for one in begun if "code" in one} == {"E_NO_ATTEMPTS_LEFT"}
        same = at_once(lambda number: begin(clients[number], "the same"))
        [attempt] = {one["attempt_id"] for one in same}
        item = clients[0].call("list_items", attempt_id=attempt)["items"][0]["item_id"]
        told = at_once(
            lambda number: clients[number].call(
                "submit_answers", attempt_id=attempt, answers=answers((item, f"answer {number}"))
            )["receipts"][0]
        )
        assert sorted(one["status"] for one in told) == ["recorded", *["rejected"] * (CALLERS - 1)]
        ended = at_once(lambda number: clients[number].call("finish_attempt", attempt_id=attempt))
        assert len({(one.get("n_answered"), one.get("n_missing")) for one in ended}) == 1, ended
        late = at_once(
            lambda number: clients[number].call(
                "submit_answers", attempt_id=attempt, answers=answers((item, f"late {number}"))
            )
        )
        assert {one["code"] for one in late} == {"E_FINISHED"}
        closings = [one for one in transcript(folder, attempt) if one["event"] == "attempt.closed"]
        assert len(closings) == 1
