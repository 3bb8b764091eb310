"""A provider that cannot be reached, or that takes no key any more, is given up soon, at any time of a run."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from models.gateways import GPT, both, chat, gateway, model, post, prompts, step
from models.misbehaving import Misbehaving, misbehaving
from needs import needs

from harness.errors import MissingError, StepError
from harness.models.gateway.limits import AUTHORISATION, CONNECTION, UNANSWERED, OutageBreaker
from harness.models.gateway.settings import NO_KEY, Keys, is_loopback

needs("aiohttp", "openai", "anthropic")
pytestmark = pytest.mark.together  # so that one worker starts what the tests share
CHAT = "/v1/chat/completions"
URL = "http://127.0.0.1:9/v1"


@pytest.fixture
def closed() -> Iterator[str]:
    """The URL of a port that nobody listens on, and that nobody else gets meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that a test sets."""
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    return clock


def test_it_opens_after_failures_in_a_row_at_any_time_and_stays_open(now: list[float]) -> None:
    breaker = OutageBreaker(URL, 3, 10, 300)
    for _ in range(2):
        breaker.record_failure(CONNECTION, "refused")
    breaker.record_answer()  # which ends the row, and disarms nothing
    for _ in range(2):
        breaker.record_failure(CONNECTION, "refused")
    assert not breaker.open_reason and not breaker.opened.is_set()
    breaker.record_failure(AUTHORISATION, "HTTP 401")
    assert (
        breaker.open_reason == f"accepts no key at {URL}: 3 requests in a row failed within 0.0 s; the last: HTTP 401"
    )
    breaker.record_answer()
    assert (breaker.cause, breaker.opened.is_set()) == (AUTHORISATION, True), (
        "and an answer that was under way closes it not"
    )


def test_it_opens_after_seconds_of_failures_but_not_after_one(now: list[float]) -> None:
    breaker = OutageBreaker(URL, 5, 10, 300)
    breaker.record_failure(CONNECTION, "refused")
    now[0] += 9
    breaker.record_failure(CONNECTION, "refused")
    assert not breaker.open_reason
    breaker.record_answer()
    now[0] += 100
    breaker.record_failure(CONNECTION, "refused")
    assert not breaker.open_reason, "one failure after a long silence"
    now[0] += 10
    breaker.record_failure(CONNECTION, "no route to host")
    assert "2 requests in a row failed within 10.0 s; the last: no route to host" in breaker.open_reason
    never = OutageBreaker(URL, 0, 10, 300)
    for _ in range(99):
        never.record_failure(CONNECTION, "refused")
    assert not never.open_reason


def test_connections_that_end_together_are_one_failure(now: list[float]) -> None:
    breaker = OutageBreaker(URL, 3, 1000, 300)
    for _ in range(50):
        breaker.record_failure(CONNECTION, "hung up", began=99.0)
    assert not breaker.open_reason
    for _ in range(2):
        now[0] += 1
        breaker.record_failure(CONNECTION, "hung up", began=now[0])
    assert breaker.open_reason


def test_a_provider_that_replies_and_never_answers_is_given_its_time_and_no_more(now: list[float]) -> None:
    breaker = OutageBreaker(URL, 5, 10, 300)
    for _ in range(1000):
        breaker.record_unanswered("HTTP 429")
    now[0] += 299
    breaker.record_unanswered("HTTP 429")
    breaker.record_failure(CONNECTION, "refused")  # which is no answer either
    assert not breaker.open_reason, "many at once are no reason: they were asked together"
    now[0] += 1
    breaker.record_unanswered("HTTP 503")
    said = f"gives no answer at {URL}: 1002 replies in a row within 300 s were no answers; the last: HTTP 503"
    assert (breaker.open_reason, breaker.cause) == (said, UNANSWERED) and breaker.opened.is_set()

    working = OutageBreaker(URL, 5, 10, 300)
    for _ in range(10):
        working.record_unanswered("HTTP 429")
        now[0] += 200
        working.record_answer()
    now[0] += 1000
    working.record_unanswered("HTTP 429")
    assert not working.open_reason, "one reply after a long silence"
    never = OutageBreaker(URL, 0, 10, 300)
    for _ in range(9):
        now[0] += 1000
        never.record_unanswered("HTTP 429")
    assert not never.open_reason


@pytest.mark.parametrize(
    ("url", "here"),
    [("http://127.0.0.1:8000/v1", True), ("http://localhost:1/v1", True), ("http://[::1]:1", True),
     ("http://127.9.9.9", True), ("https://api.openai.com/v1", False), ("http://10.0.0.1/v1", False),
     ("http://localhost.evil.example/v1", False), ("http://127.0.0.1.evil.example", False)],
)  # fmt: skip
def test_only_a_server_of_this_machine_needs_no_key(url: str, here: bool, tmp_path: Path) -> None:
    assert is_loopback(url) is here
    keys = Keys({"HOME": str(tmp_path), "SET": "sk-1234567890abc"})
    assert keys.find_for("SET", url) == "sk-1234567890abc"
    if here:
        assert keys.find_for("UNSET", url) == NO_KEY
    else:
        with pytest.raises(MissingError, match="there is no key UNSET"):
            keys.find_for("UNSET", url)


@pytest.mark.long
def test_a_server_of_this_machine_is_asked_without_a_key() -> None:
    with misbehaving() as server, gateway(both(server.url, "live"), env={}, keys="all") as running:
        assert post(running.socket, CHAT, chat("a")).status_code == 200
        assert server.headers[-1]["authorization"] == f"Bearer {NO_KEY}"


def test_a_closed_port_ends_a_step_soon_in_words_that_name_it(closed: str, tmp_path: Path) -> None:
    inputs = prompts(tmp_path / "p", *(f"t{number}" for number in range(300)))
    begun = time.monotonic()
    with gateway(both(closed, "live"), backoff=0.5) as running:
        with pytest.raises(StepError) as failed:
            step("openai", inputs, tmp_path / "out", running.socket)
        told = running.stop()[GPT]
    assert f"{GPT} cannot be reached at {closed}/v1: 5 requests in a row failed" in failed.value.what
    assert failed.value.what.endswith("the last: no connection (connection refused)")
    assert told["outage"] == CONNECTION and told["live"] == 0 and told["requests"] < 100
    assert set(told["errors"]) == {"refused"}
    assert time.monotonic() - begun < 60, "seven attempts at each of 300 would take minutes"


@pytest.mark.long
@pytest.mark.parametrize("host", ["a" * 70 + ".example", ".example"])
def test_a_name_that_no_host_can_have_is_given_up_in_words_that_name_it(host: str, tmp_path: Path) -> None:
    inputs = prompts(tmp_path / "p", *(f"t{number}" for number in range(50)))
    with gateway(both(f"http://{host}", "live")) as running:
        with pytest.raises(StepError) as failed:
            step("openai", inputs, tmp_path / "out", running.socket)
        told = running.stop()[GPT]
    assert f"cannot be reached at http://{host}/v1: 5 requests" in failed.value.what
    assert failed.value.what.endswith("the last: no connection (this is no name of a host)")
    assert told["outage"] == CONNECTION


@pytest.mark.long
def test_requests_that_wait_for_their_turn_end_with_the_others(closed: str) -> None:
    limits = {"requests_per_minute": 60}  # the last of them would wait for a minute
    with gateway(both(closed, "live", limits=limits), backoff=30) as running, ThreadPoolExecutor(60) as pool:
        begun = time.monotonic()
        replies = list(pool.map(lambda n: post(running.socket, CHAT, chat(f"{n}")), range(60)))
        assert {reply.status_code for reply in replies} == {400} and "cannot be reached" in replies[0].text
        assert time.monotonic() - begun < 25


@pytest.mark.long
def test_a_server_that_dies_in_the_middle_is_given_up_and_its_tape_still_answers(tmp_path: Path) -> None:
    texts = [f"t{number}" for number in range(200)]
    with contextlib.ExitStack() as life:
        server = life.enter_context(misbehaving())
        server.delay = 0.02
        with gateway(both(server.url, "record", tmp_path / "tape")) as running:
            with ThreadPoolExecutor(1) as pool:
                inputs = prompts(tmp_path / "p", *texts)
                asking = pool.submit(step, "openai", inputs, tmp_path / "1", running.socket)
                while sum(server.answered.values()) < 60:
                    time.sleep(0.01)
                life.close()
                with pytest.raises(StepError, match="cannot be reached at"):
                    asking.result()
            first, last = prompts(tmp_path / "first", *texts[:20]), prompts(tmp_path / "last", *texts[-20:])
            rows, _ = step("openai", first, tmp_path / "2", running.socket)
            assert [row["text"] for row in rows] == [f"echo {text} 0" for text in texts[:20]], "replayed"
            with pytest.raises(StepError, match="cannot be reached at"):
                step("openai", last, tmp_path / "3", running.socket)
            told = running.stop()[GPT]
    assert 60 <= told["recorded"] < 180 and told["replayed"] == 20 and told["outage"] == CONNECTION


@pytest.mark.long
def test_a_key_that_is_refused_in_the_middle_ends_the_asking(tmp_path: Path) -> None:
    texts = [f"t{number}" for number in range(100)]
    with misbehaving() as server, gateway(both(server.url, "live")) as running:
        server.plan.update({text: ["401"] for text in texts[40:]})
        with pytest.raises(StepError, match=r"accepts no key at .*HTTP 401"):
            step("openai", prompts(tmp_path / "p", *texts), tmp_path / "1", running.socket)
        told = running.stop()[GPT]
        assert told["live"] == 40 and told["outage"] == AUTHORISATION and server.asked.total() < 60


@pytest.mark.long
def test_a_server_that_answers_badly_or_slowly_is_there(tmp_path: Path) -> None:
    """Its rows are errors, each after its own attempts; no row of them opens the breaker."""
    ways, many = ("fine", "400", "500", "429", "html", "empty", "shape", "cut", "broken", "stream", "hang", "slow"), 12
    with misbehaving() as server, gateway(both(server.url, "live"), retries=1, timeout=2, backoff=0.01) as running:
        for way in ways:
            server.usual = way
            inputs = prompts(tmp_path / "p", *(f"{way} {number}" for number in range(many)))
            rows, told = step("openai", inputs, tmp_path / way, running.socket)
            if way in ("fine", "slow"):
                assert [row["text"] for row in rows] == [f"echo {way} {number} 0" for number in range(many)]
            else:
                assert all(row["error"] and not row["text"] for row in rows) and told["finish"] == {"error": many}
        said = running.stop()[GPT]
    assert "outage" not in said and (said["live"], sum(said["errors"].values())) == (2 * many, 10 * many)


@pytest.mark.long
@pytest.mark.parametrize("way", ["429", "503:Retry-After: 120", "html"])
def test_a_server_that_never_answers_ends_a_step_of_any_size_in_words_that_name_it(way: str, tmp_path: Path) -> None:
    """Seven attempts at each of 400 rows would go on for hours; a wait that the server asks for is cut short, too."""
    inputs = prompts(tmp_path / "p", *(f"t{number}" for number in range(400)))
    with misbehaving() as server, gateway(both(server.url, "live"), patience=1, backoff=0.1) as running:
        server.usual = way
        if "120" in way:
            server.plan.update({f"t{number}": ["503:Retry-After: 1"] for number in range(32)})
        with pytest.raises(
            StepError, match=rf"{GPT} gives no answer at .*replies in a row within \d+ s were no answers"
        ):
            step("openai", inputs, tmp_path / "out", running.socket)
        told = running.stop()[GPT]
    assert told["outage"] == UNANSWERED and told["live"] == 0 and server.asked.total() < 7 * 400
    assert "gives no answer" in told["gave_up"]


@pytest.mark.long
def test_a_server_that_answers_now_and_then_is_not_given_up(tmp_path: Path) -> None:
    texts = [f"t{number}" for number in range(60)]
    with misbehaving() as server, gateway(both(server.url, "live"), patience=0.5, backoff=0.02) as running:
        server.delay = 0.02
        server.plan.update({text: ["429", "503", "html"] for text in texts[::2]})
        rows, _ = step("openai", prompts(tmp_path / "p", *texts), tmp_path / "out", running.socket)
        told = running.stop()[GPT]
    assert len([row for row in rows if "error" not in row]) == 60 and "outage" not in told


@pytest.fixture(scope="module")
def limited() -> Iterator[tuple[Misbehaving, Any]]:
    """A gateway of two models, of which one has limits of how it is asked."""
    limits = {"concurrency": 2, "timeout": "0.3", "retries": 1}
    with misbehaving() as server:
        models = {GPT: model("openai", server.url, "live", limits=limits)}
        models |= {"other": model("openai", server.url, "live")}
        with gateway(models, retries=3) as running:
            yield server, running


@pytest.mark.long
def test_each_model_has_its_own_requests_at_once(limited: tuple[Misbehaving, Any]) -> None:
    server, running = limited
    server.delay = 0.05
    for name, low, high in ((GPT, 2, 2), ("other", 3, 20)):
        server.most_at_once = 0
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda n: post(running.socket, CHAT, chat(f"{n}", name)), range(20)))  # noqa: B023
        assert {one.status_code for one in replies} == {200} and low <= server.most_at_once <= high
    server.delay = 0


@pytest.mark.long
def test_each_model_has_its_own_timeout_and_retries(limited: tuple[Misbehaving, Any]) -> None:
    server, running = limited
    server.plan.update({"slow": ["hang"] * 9, "down": ["500"] * 9})
    slow, down = (post(running.socket, CHAT, chat(text)) for text in ("slow", "down"))
    assert "no answer after 2 attempts; the last: timeout: no whole answer in 0.3 s" in slow.text
    assert "no answer after 2 attempts" in down.text
    assert "no answer after 4 attempts" in post(running.socket, CHAT, chat("down", "other")).text
    assert server.asked["slow"] == 2 and server.asked["down"] == 6
