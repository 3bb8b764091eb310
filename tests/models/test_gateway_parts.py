"""The gateway's pure parts: how long it waits, whose turn it is, what a bucket lets through, how money is counted."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.models.gateway import openai
from harness.models.gateway.anthropic import DIALECT
from harness.models.gateway.forward import tcp_forwarder
from harness.models.gateway.gateway import Call, Dispatcher, RepeatCounter
from harness.models.gateway.limits import IMAGE, CircuitBreaker, RateLimiter, TokenBucket, estimate_tokens
from harness.models.gateway.settings import GateSettings, Keys, ServedModel, TokenPrices, TokenUsage, encoded_forms
from harness.models.gateway.upstream import (
    LONGEST_ASKED,
    MOST_TOKENS,
    ProviderReply,
    Upstream,
    _whole,
    backoff_seconds,
    is_transient,
    requested_wait,
)
from harness.models.wire import ERROR_HEADER, parse_refusal


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ({"error": {"type": "invalid_request_error", "message": "no"}}, "invalid_request_error", "no"),
        ({"error": {"code": "model_not_found", "message": ""}}, "model_not_found", ""),
        ({"type": "error", "error": {"type": "not_found_error", "message": "model: x"}}, "not_found_error", "model: x"),
        ({"object": "error", "message": "too long", "type": "Bad", "code": 400}, "Bad", "too long"),
        ({"error": "model x not found"}, "", "model x not found"),
        ({"detail": "Not Found"}, "", "Not Found"),
        ({"detail": [{"loc": ["body", "stop", 0], "msg": "wrong type", "type": "x"}, "and more"]}, "",
         "body.stop.0: wrong type; and more"),
        ([{"error": {"code": 404, "message": "no such model"}}], "404", "no such model"),
        ({"odd": 1}, "", '{"odd": 1}'),
        (b" Internal Server Error\n", "", "Internal Server Error"),
        (b"<b>\x1b[31m\x00\xff", "", "<b>\\x1b[31m\\x00\ufffd"),
        (b"", "", ""),
        (b"null", "", ""),
        ({"error": {"type": "t" * 999, "message": "m" * 9999}}, "t" * 60, "m" * 500),
        (b"[" * 100_000, "", "[" * 500),
    ],
)  # fmt: skip
def test_a_refusal_is_read_in_whatever_shape_it_comes(body: Any, kind: str, said: str) -> None:
    assert parse_refusal(body if isinstance(body, bytes) else json.dumps(body).encode()) == (kind, said)


def test_the_breaker_opens_after_refusals_in_a_row_but_not_after_an_answer() -> None:
    breaker = CircuitBreaker(3)
    for status in (400, 500, 0, 429, 404):
        breaker.record_refusal(status, f"no {status}")
    assert not breaker.open_reason
    breaker.record_refusal(422, "again")
    assert "all of the first 3 requests" in breaker.open_reason and "no 400" in breaker.open_reason
    breaker.record_success()
    assert not breaker.open_reason
    disarmed = CircuitBreaker(0)
    for _ in range(99):
        disarmed.record_refusal(400, "no")
    assert not disarmed.open_reason


@pytest.mark.parametrize(
    ("status", "word", "expected"),
    [(408, "", True), (425, "", True), (429, "", True), (500, "", True), (529, "", True), (400, "", False),
     (401, "", False), (404, "", False), (400, "true", True), (500, "false", False), (500, "maybe", True)],
)  # fmt: skip
def test_a_status_is_asked_again_unless_the_provider_says_otherwise(status: int, word: str, expected: bool) -> None:
    assert is_transient(status, {"x-should-retry": word} if word else {}) is expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "99999999"}, LONGEST_ASKED),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:09 GMT", "date": "Wed, 21 Oct 2015 07:28:02 GMT"}, 7.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT", "date": "Wed, 21 Oct 2015 07:29:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT", "date": "x"}, None),
    ],
)
def test_a_provider_is_waited_for_as_it_asks_within_bounds(headers: dict[str, str], expected: float | None) -> None:
    assert requested_wait(headers) == expected


def test_backoff_doubles_is_bounded_and_is_equal_for_equal_requests() -> None:
    pauses = [backoff_seconds(0.5, attempt, "abc", 0) for attempt in range(12)]
    assert pauses == [backoff_seconds(0.5, attempt, "abc", 0) for attempt in range(12)]
    for attempt, pause in enumerate(pauses):
        longest = min(0.5 * 2**attempt, 30)
        assert longest / 2 <= pause <= longest
    assert len({backoff_seconds(0.5, 0, "abc", repeat) for repeat in range(50)}) == 50


def test_repeats_count_from_zero_and_one_without_an_answer_is_reused() -> None:
    repeats = RepeatCounter()
    assert [repeats.take("a", False) for _ in range(3)] == [0, 1, 2] and repeats.take("b", False) == 0
    assert repeats.take("a", True) == 2
    repeats.give_back("a", 1)
    assert [repeats.take("a", False), repeats.take("a", False)] == [1, 3]
    repeats.give_back("a", 3)
    assert repeats.take("a", True) == 3
    assert repeats.take("c", True) == 0


def test_a_bucket_lets_a_burst_through_and_then_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    bucket = TokenBucket(60, 2)
    assert [bucket.take(1) for _ in range(4)] == [0, 0, 1, 2]
    now[0] += 10
    assert [bucket.take(1) for _ in range(3)] == [0, 0, 1], "who waits saves up no more than a burst"
    assert TokenBucket(60, 60).take(1_000_000) == 0  # what never fits is let through when the bucket is full
    tokens = TokenBucket(60, 60)
    tokens.take(60)
    tokens.settle(-30)  # it needed half of what was guessed
    assert tokens.take(30) == 0 and tokens.take(15) == 15


@pytest.mark.parametrize("told", [10**9, 10**300, 10**4000])
def test_a_server_s_count_makes_later_requests_wait_for_a_minute_at_most(told: int) -> None:
    bucket = TokenBucket(1000, 1000)
    bucket.take(10)
    bucket.settle(told)
    assert bucket.take(10) <= 62


def test_counts_of_an_answer_are_bounded_so_that_their_sums_can_be_written() -> None:
    counts = {"prompt_tokens": 10**4000, "completion_tokens": 10**4000, "prompt_tokens_details": {"cached_tokens": 9}}
    data = json.dumps({"choices": [{"message": {"content": "yes"}}], "usage": counts}).encode()
    used = _whole(openai.DIALECT.format_of(openai.DIALECT.endpoints["/v1/chat/completions"]), "/", data).used
    assert used == TokenUsage(MOST_TOKENS, MOST_TOKENS, 9, 0)


def test_money_is_counted_in_decimals_and_refused_when_it_is_spent() -> None:
    served = ServedModel.model_validate(
        {"provider": "openai", "base_url": "https://a", "key": "K", "mode": "live",
         "prices": {"input": "0.15", "output": "0.6"}, "limits": {"dollars": "0.00003"}}
    )  # fmt: skip
    limiter = RateLimiter(served)
    assert limiter.admit(0) == 0
    assert limiter.charge(TokenUsage(100, 10), 0) == Decimal("0.000021") and not limiter.exhausted
    assert limiter.charge(TokenUsage(100, 10), 0) == Decimal("0.000021") and limiter.exhausted


@pytest.mark.parametrize(
    ("more", "used", "cost"),
    [
        ({}, TokenUsage(1000, 10, 800, 100), "0.0102"),  # a cache of which nothing is said costs what any token costs
        ({"cached_input": "1"}, TokenUsage(1000, 10, 800, 100), "0.0030"),
        ({"cached_input": "1", "cache_write": "12.5"}, TokenUsage(1000, 10, 800, 100), "0.00325"),
        ({"cached_input": "0"}, TokenUsage(1000, 10, 1000), "0.0002"),
        ({"cached_input": "1"}, TokenUsage(10, 10, 1000), "0.0012"),  # a server that counts its cache beside the prompt
    ],
)
def test_what_a_cache_gave_has_its_own_price(more: dict[str, str], used: TokenUsage, cost: str) -> None:
    prices = TokenPrices.model_validate({"input": "10", "output": "20", **more})
    assert prices.of(used) == Decimal(cost)


def test_each_provider_says_in_its_own_way_what_a_cache_gave() -> None:
    counts = {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 7}}
    assert openai.DIALECT.cached({"usage": counts}) == (7, 0)
    counts = {"input_tokens": 1, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3, "output_tokens": 2}
    assert (
        DIALECT.cached({"usage": counts}) == (5, 3) and (DIALECT.usage({"usage": counts}) or {})["prompt_tokens"] == 9
    )
    counts = {"prompt_tokens_details": {"cached_tokens": "7"}, "cache_read_input_tokens": -1}
    for odd in ({}, {"usage": None}, {"usage": {"prompt_tokens_details": 3}}, {"usage": [1]}, {"usage": counts}):
        assert openai.DIALECT.cached(odd) == DIALECT.cached(odd) == (0, 0)


@pytest.mark.parametrize(
    "text", ["TEST = 'sk secret'\n", "TEST = 'sk\\u00e9secret'", 'TEST = "sk-secret\\nx"', "TEST=sk-secret"]
)
def test_a_key_that_cannot_be_sent_is_never_shown(text: str, tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    path.write_text(f"TEST = {text}\n")
    path.chmod(0o600)
    with pytest.raises(HarnessError) as bad:
        Keys({"HARNESS_KEYS_FILE": str(path)}).find("TEST")
    assert "secret" not in str(bad.value) and bad.value.next


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o604, 0o602])
def test_a_file_of_keys_that_others_may_open_is_refused(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    path.write_text('TEST = "sk-from-the-file"\n')
    path.chmod(mode)
    with pytest.raises(HarnessError, match=f"mode {mode:04o}") as bad:
        Keys({"HARNESS_KEYS_FILE": str(path)}).find("TEST")
    assert "sk-from" not in str(bad.value)


def test_a_gateways_port_is_on_loopback_alone(tmp_path: Path) -> None:
    with tcp_forwarder(tmp_path / "gateway.sock") as url:
        port = int(url.rpartition(":")[2])
        listening = [
            line.split()[1]
            for name in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
            if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
        ]
    assert listening == [f"0100007F:{port:04X}"]


def test_a_blank_key_is_none_and_a_folder_is_no_file_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    path.write_text('TEST = "sk-from-the-file"\nBLANK = " "\n')
    path.chmod(0o600)
    assert Keys({"HARNESS_KEYS_FILE": str(path), "TEST": " "}).find("TEST") == "sk-from-the-file"
    with pytest.raises(HarnessError, match="no key BLANK"):
        Keys({"HARNESS_KEYS_FILE": str(path)}).find("BLANK")
    with pytest.raises(HarnessError, match="cannot be read"):
        Keys({"HARNESS_KEYS_FILE": str(tmp_path)}).find("TEST")


def test_a_short_key_is_no_secret_and_a_long_one_is_known_in_its_forms() -> None:
    assert encoded_forms("none") == () and b"sk-1234567890" in encoded_forms("sk-1234567890")


def test_every_kind_of_block_is_taken_apart_and_none_is_lost() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "zzz"},
        {"type": "text", "text": "so", "citations": [{"type": "char_location", "cited_text": "x"}]},
        {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {"query": "q"}},
    ]
    whole = {"id": "m", "type": "message", "content": blocks, "stop_reason": "end_turn", "usage": {"input_tokens": 1}}
    text = b"".join(DIALECT.events(whole, {})).decode()
    assert text.startswith("event: message_start\n") and text.endswith('data: {"type":"message_stop"}\n\n')
    for part in ('"thinking":"hm"', '"signature":"sig"', '"data":"zzz"', '"text":"so"', '"cited_text":"x"', "query"):
        assert part in text
    assert text.count("event: content_block_start") == text.count("event: content_block_stop") == 4


def test_an_image_is_guessed_as_providers_count_it_and_not_by_its_bytes() -> None:
    said = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "x" * 4000 + " y"}]}
    plain = estimate_tokens(DIALECT.bounds, said)
    assert plain == 100 + len(json.dumps(said, separators=(",", ":"))) // 4
    data = "iVBORw0KGgo" * 100_000
    for image in (f"data:image/png;base64,{data}=", f"{data}=="):
        asked = {**said, "image": image}
        assert plain + IMAGE <= estimate_tokens(DIALECT.bounds, asked) <= plain + IMAGE + 10


class FailingUpstream(Upstream):
    """Connections whose library raises what nobody foresaw, with a key in its words."""

    async def call(self, *_: Any) -> ProviderReply:
        tokens = await asyncio.to_thread(int, "sk-1234567890abcdef")
        return ProviderReply(b"", TokenUsage(tokens))


@pytest.mark.parametrize("mode", ["live", "record"])
def test_an_unforeseen_exception_is_named_with_its_place_and_not_with_its_words(mode: str, tmp_path: Path) -> None:
    served = {"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "key": "K", "mode": mode}
    served |= {"tape": str(tmp_path / "tape")} if mode == "record" else {}
    settings = GateSettings.model_validate({"socket": str(tmp_path / "s"), "models": {"gpt": served}})

    async def ask() -> Any:
        dispatcher = Dispatcher(settings, FailingUpstream(Keys({"K": "sk-1234567890abcdef"}), 10))
        account, body = dispatcher.accounts.named["gpt"], {"model": "gpt", "messages": []}
        endpoint = account.served.dialect.endpoints["/v1/chat/completions"]
        replies = [await dispatcher.answer(Call(account, endpoint, body, {})) for _ in range(2)]
        dispatcher.close()
        return replies, account.usage

    replies, usage = asyncio.run(ask())
    for reply in replies:
        error = json.loads(reply.body)["error"]
        assert (reply.status, reply.kind, error["type"]) == (500, "defect", "defect")
        assert "a request to gpt: ValueError in gateway.py, line " in error["message"]
        assert "sk-1234" not in str(reply) and "literal" not in error["message"]
        assert reply.headers[ERROR_HEADER] == "busy", "the next run asks it again"
    assert usage.errors == {"defect": 2} and usage.live == 0
