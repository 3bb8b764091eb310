"""The gateway against a provider that misbehaves: what it asks again, what it passes on, what it keeps."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from models.gateways import CLAUDE, GPT, KEY, Running, both, chat, gateway, model, post
from models.misbehaving import Misbehaving, misbehaving
from needs import needs

from harness.models.tape.tape import Tape

needs("aiohttp", "openai", "anthropic")

CHAT, MESSAGES, OLD = "/v1/chat/completions", "/v1/messages", "/v1/completions"
TRANSIENT = ["500", "503", "408", "409", "429", "429:Retry-After: 0", "429:retry-after-ms: 5"]
TRANSIENT += ["cut", "broken", "html", "shape", "noise", "close"]
LIMITED = "gpt-limited"
pytestmark = pytest.mark.together  # so that one worker starts what the tests share


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Misbehaving, Running, Path]]:
    """A gateway that records, for tests that ask what no other test asks."""
    tape = tmp_path_factory.mktemp("recording") / "tape"
    with misbehaving() as server, gateway(both(server.url, "record", tape)) as running:
        yield server, running, tape


@pytest.fixture(scope="module")
def live() -> Iterator[tuple[Misbehaving, Running]]:
    """A gateway that keeps nothing and asks three things at once at most; of one model three a second."""
    limits = {"requests_per_minute": 180, "tokens_per_minute": 100_000}
    with misbehaving() as server:
        models = {GPT: model("openai", server.url, "live")}
        models |= {LIMITED: model("openai", server.url, "live", limits=limits)}
        with gateway(models, concurrency=3) as running:
            yield server, running


def kind(reply: Any) -> str:
    """Give the type of an error, which stands in the same place in both shapes."""
    return str(reply.json()["error"]["type"])


@pytest.mark.long
def test_transient_errors_are_retried_and_no_answer_is_requested_twice(tmp_path: Path) -> None:
    with misbehaving() as server, gateway(both(server.url, "record", tmp_path / "tape")) as running:
        for way in TRANSIENT:
            server.plan[f"o {way}"], server.plan[f"a {way}"] = [way, way], [way]
        for _ in range(2):  # the second time each stands on the tape
            for way in TRANSIENT:
                for path, text, name in ((CHAT, f"o {way}", GPT), (MESSAGES, f"a {way}", CLAUDE)):
                    reply = post(running.socket, path, chat(text, name), {"X-Harness-Repeat": "0"})
                    assert reply.status_code == 200 and f"echo {text} 0" in reply.text
        assert set(server.answered.values()) == {1}
        assert {server.asked[f"o {way}"] for way in TRANSIENT} == {3}
        told = running.stop()
    assert (told[GPT]["recorded"], told[GPT]["replayed"], told[GPT]["retries"]) == (13, 13, 26)
    assert len(Tape.open(tmp_path / "tape")) == 26


@pytest.mark.long
def test_what_never_passes_ends_in_an_error_that_says_so_and_is_not_taped(tmp_path: Path) -> None:
    with (
        misbehaving() as server,
        gateway(both(server.url, "record", tmp_path / "tape"), retries=2, timeout=0.4) as running,
    ):
        server.plan.update({"down": ["500"] * 3, "silent": ["hang"] * 3, "away": ["redirect:http://127.0.0.1:1/v1"]})
        server.plan.update({"bad": ["400"], "gone": ["404"], "stop": ["500:x-should-retry: false"]})
        expected = {"down": (503, "retries_exhausted"), "silent": (504, "retries_exhausted"), "away": (502, "redirect"),
                    "bad": (400, "invalid_request_error"), "gone": (404, "api_error"),
                    "stop": (500, "api_error")}  # fmt: skip
        for text, (status, name) in expected.items():
            reply = post(running.socket, CHAT, chat(text))
            assert (reply.status_code, kind(reply)) == (status, name), reply.text
        assert server.asked == {"down": 3, "silent": 3, "away": 1, "bad": 1, "gone": 1, "stop": 1}
        told = running.stop()
    assert told[GPT]["errors"] == {"http_400": 1, "http_404": 1, "http_500": 1, "redirect": 1, "retries_exhausted": 2}
    assert len(Tape.open(tmp_path / "tape")) == 0


@pytest.mark.long
def test_large_slow_and_odd_answers_arrive_whole(recording: Any) -> None:
    server, running, _ = recording
    server.plan.update({"slow": ["slow"], "big": ["big"], "odd": ["surrogate"], "t1": ["twin"], "t2": ["twin"]})
    replies = {text: post(running.socket, CHAT, chat(text)) for text in ("slow", "big", "odd", "t1", "t2")}
    said = {text: reply.json()["choices"][0]["message"]["content"] for text, reply in replies.items()}
    assert said["big"] == "x" * 10_000_000 and "\ud83d" in said["odd"]
    assert replies["t1"].json()["id"] == replies["t2"].json()["id"] and said["t1"] != said["t2"]
    again = post(running.socket, CHAT, chat("big"), {"X-Harness-Repeat": "0"})
    assert again.content == replies["big"].content and server.asked["big"] == 1


def test_a_replay_needs_no_provider_and_a_miss_names_the_nearest_request(recording: Any) -> None:
    server, running, tape = recording
    first = [post(running.socket, CHAT, chat("a")).content for _ in range(3)]
    assert len(set(first)) == 3 and server.asked["a"] == 3
    post(running.socket, OLD, {"model": GPT, "prompt": "b", "user": "me"})
    with gateway(both("http://127.0.0.1:1", "replay", tape), env={}) as replaying:
        assert [post(replaying.socket, CHAT, chat("a")).content for _ in range(3)] == first
        assert post(replaying.socket, OLD, {"model": GPT, "prompt": "b", "user": "you"}).status_code == 200
        miss = post(replaying.socket, CHAT, chat("a", max_tokens=17))
        assert (miss.status_code, kind(miss)) == (404, "tape_miss")
        assert "/body/max_tokens" in miss.text and "16 there" in miss.text
        assert "it is there with repeat" in post(replaying.socket, CHAT, chat("a")).text
        told = replaying.stop()
    assert told[GPT]["replayed"] == 4 and told[GPT]["errors"] == {"tape_miss": 2}


def test_an_answer_that_cannot_be_streamed_is_an_error_yet_comes_whole(recording: Any) -> None:
    server, running, _ = recording
    server.plan["hollow"] = ["hollow"]
    streamed = post(running.socket, CHAT, chat("hollow", stream=True), {"X-Harness-Repeat": "0"})
    assert (streamed.status_code, kind(streamed)) == (502, "no_stream")
    whole = post(running.socket, CHAT, chat("hollow"), {"X-Harness-Repeat": "0"})
    assert whole.json()["choices"][0]["message"] == "hollow" and server.asked["hollow"] == 1


@pytest.mark.long
def test_a_live_model_is_asked_each_time_and_leaves_nothing(live: Any) -> None:
    server, running = live
    for _ in range(2):
        assert post(running.socket, CHAT, chat("a"), {"X-Harness-Repeat": "0"}).status_code == 200
    assert server.asked["a"] == 2
    assert [path.name for path in running.socket.parent.iterdir()] == [running.socket.name]


def test_the_same_request_at_once_is_one_call_and_both_get_its_answer(recording: Any) -> None:
    server, running, _ = recording
    server.delay = 0.3
    with ThreadPoolExecutor(8) as pool:
        same = [pool.submit(post, running.socket, CHAT, chat("same"), {"X-Harness-Repeat": "4"}) for _ in range(4)]
        other = [pool.submit(post, running.socket, CHAT, chat("same")) for _ in range(4)]
    server.delay = 0
    assert len({one.result().content for one in same}) == 1
    assert len({one.result().content for one in (*same, *other)}) == 5  # turns 0 to 3, and 4 for all who named it
    assert server.asked["same"] == 5


def test_no_more_is_under_way_than_is_allowed(live: Any) -> None:
    server, running = live
    server.delay = 0.05
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda n: post(running.socket, CHAT, chat(f"{n}")), range(12)))
    server.delay = 0
    assert {one.status_code for one in replies} == {200} and server.most_at_once == 3


@pytest.mark.long
def test_a_spent_budget_refuses_new_requests_and_replay_costs_nothing(tmp_path: Path) -> None:
    money: dict[str, Any] = {"prices": {"input": "1000", "output": "2000"}, "limits": {"dollars": "0.03"}}  # 0.017 each
    with (
        misbehaving() as server,
        gateway({GPT: model("openai", server.url, "record", tmp_path / "t", **money)}) as running,
    ):
        replies = [post(running.socket, CHAT, chat(text)) for text in "abcd"]
        assert [reply.status_code for reply in replies] == [200, 200, 402, 402] and kind(replies[3]) == "budget_spent"
        assert post(running.socket, CHAT, chat("a"), {"X-Harness-Repeat": "0"}).status_code == 200
        told = running.stop()
        assert told[GPT]["dollars"] == "0.034" and told[GPT]["replayed"] == 1
    with (
        misbehaving() as server,
        gateway({GPT: model("openai", server.url, "record", tmp_path / "t", **money)}) as running,
    ):
        assert [post(running.socket, CHAT, chat(text)).status_code for text in "abcd"] == [200] * 4
        assert server.asked == {"c": 1, "d": 1}


@pytest.mark.long
def test_what_a_provider_had_in_its_cache_is_paid_for_at_its_own_price(tmp_path: Path) -> None:
    prices: dict[str, Any] = {
        "prices": {"input": "1000", "cached_input": "100", "cache_write": "2000", "output": "2000"}
    }
    with misbehaving() as server, gateway(both(server.url, "live", **prices)) as running:
        server.plan["a"] = ["cached", "cached"]
        assert post(running.socket, CHAT, chat("a")).status_code == 200
        assert post(running.socket, "/v1/messages", chat("a", CLAUDE)).status_code == 200
        told = running.stop()
    assert told[GPT]["dollars"] == "0.2" and told[CLAUDE]["dollars"] == "0.25"
    for name in (GPT, CLAUDE):
        assert told[name]["tokens"] == {"prompt": 1000, "completion": 5, "cached": 900}


def test_a_rate_limit_waits(live: Any) -> None:
    server, running = live
    begun = time.monotonic()
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda n: post(running.socket, CHAT, chat(f"limited {n}", LIMITED)), range(6)))
    assert {one.status_code for one in replies} == {200} and time.monotonic() - begun > 0.9
    assert sum(count for text, count in server.asked.items() if text.startswith("limited")) == 6


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b"{", 400, "not JSON"),
        (b"[]", 400, "object"),
        (b'{"model": "gpt-test", "messages": [], "temperature": NaN}', 400, "NaN"),
        (b'{"model": "gpt-test", "messages": [], "temperature": 1e999}', 400, "canonical"),
        (b'{"model": "gpt-test", "messages": ["\\ud800"]}', 400, "surrogate"),
        (b'{"model": "gpt-test", "messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "JSON"),
        (b'{"model": "gpt-test", "n": 123456789012345678901234567890, "messages": []}', 400, "canonical"),
        (b'{"model": "nobody", "messages": []}', 400, "those of openai: gpt-test"),
        (b'{"model": {"a": 1}, "messages": []}', 400, "no model"),
        (b'{"model": "claude-test", "messages": []}', 400, "anthropic"),
        (b'{"model": "gpt-test", "prompt": ""}', 400, "messages"),
        (b'{"model": "gpt-test", "messages": [], "api_key": "sk"}', 400, "key"),
        pytest.param(json.dumps(chat(f"My key is {KEY}.")).encode(), 400, "holds the key TEST_KEY", id="a key"),
        (b" " * ((32 << 20) + 1), 413, "32 MiB"),
    ],
)
def test_a_hostile_request_is_refused_and_reaches_nobody(body: bytes, status: int, word: str, recording: Any) -> None:
    server, running, _ = recording
    before = len(server.bodies)
    reply = post(running.socket, CHAT, body)
    assert reply.status_code == status and word.lower() in reply.json()["error"]["message"].lower(), reply.text
    assert len(server.bodies) == before


@pytest.mark.parametrize(
    ("path", "headers", "status", "word"),
    [
        ("/v1/moderations", {}, 404, "/v1/chat/completions"),
        ("/v1/messages/batches", {}, 404, "/v1/messages"),
        ("/v1/chat/completions", {"anthropic-beta": "x"}, 400, "means nothing to this provider"),
        ("/v1/chat/completions", {"X-Harness-Repeat": "-1"}, 400, "Repeat"),
        ("/v1/chat/completions", {"X-Harness-Repeat": "9" * 5000}, 400, "Repeat"),
        ("/v1/chat/completions", {"X-Harness-Repeat": "0" * 12 + "9" * 12}, 400, "Repeat"),
        ("/../etc/passwd", {}, 404, "not served"),
    ],
)
def test_what_is_not_served_is_refused_in_the_shape_of_its_provider(
    path: str, headers: dict[str, str], status: int, word: str, recording: Any
) -> None:
    reply = post(recording[1].socket, path, chat("a"), headers)
    assert reply.status_code == status and word in reply.text
    assert (reply.json().get("type") == "error") == path.startswith("/v1/messages")
