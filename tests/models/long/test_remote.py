"""The steps that ask remote models: order, error rows, what is kept of them, and that a replay is the same bytes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.gateways import CLAUDE, GPT, KEY, Running, both, gateway, model, params, prompts, step
from models.misbehaving import Misbehaving, misbehaving
from needs import needs

from harness.errors import InputError, MissingError, StepError
from harness.run.closure import Code

needs("aiohttp", "openai", "anthropic")

TEXTS = [f"t{number}" for number in range(30)]


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("openai", {}), ("openai", {"endpoint": "completions"}), ("anthropic", {"system": "Be brief."}),
]  # fmt: skip
pytestmark = pytest.mark.together  # so that one worker starts what the tests share


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Misbehaving, Running, Path]]:
    """A gateway that records, for tests that ask what no other test asks."""
    tape = tmp_path_factory.mktemp("recording") / "tape"
    with misbehaving() as server, gateway(both(server.url, "record", tape), retries=2) as running:
        yield server, running, tape


def test_a_recorded_step_replays_the_same_bytes_without_its_provider(recording: Any, tmp_path: Path) -> None:
    server, running, tape = recording
    inputs = prompts(tmp_path / "p", *TEXTS)
    asked = {"seeds": [0, 1, 2]}
    for number, (provider, more) in enumerate(WAYS):
        before = sum(server.answered.values())
        server.plan.update({"t3": ["500"], "t4": ["slow"], "t5": ["429:Retry-After: 0", "cut"], "t6": ["surrogate"]})
        rows, told = step(provider, inputs, tmp_path / f"one{number}", running.socket, **asked, **more)
        assert sum(server.answered.values()) - before == 90
        order = [(row["item"], row["sample"]) for row in rows]
        assert order == sorted(order) and len(order) == 90 and len({row["text"] for row in rows}) == 90
        assert told["usage"] == {"prompt_tokens": 630, "completion_tokens": 450}
        assert (told["requests"], told["retry"], told["mended"]) == (90, 0, 1)
        assert told["fingerprints"] == (["fp_1"] if provider == "openai" else [])
    assert server.most_at_once <= 8
    with gateway(both("http://127.0.0.1:1", "replay", tape), env={}) as replaying:
        for number, (provider, more) in enumerate(WAYS):
            step(provider, inputs, tmp_path / f"two{number}", replaying.socket, **asked, **more, concurrency=3)
            for name in ("responses", "inference"):
                one, two = (tmp_path / f"{turn}{number}" / name for turn in ("one", "two"))
                assert one.read_bytes() == two.read_bytes()


def test_an_error_is_a_row_with_its_kind_and_never_a_text(recording: Any, tmp_path: Path) -> None:
    server, running, _ = recording
    for provider, refusal in (("openai", "content_filter"), ("anthropic", "refusal")):
        ways: dict[str, list[str]] = {"fine": [], "bad": ["400:" + "x" * 900], "down": ["500"] * 3, "gone": ["404"]}
        ways |= {"no": ["refused"], "hollow": ["hollow"]}
        server.plan.update(ways)
        rows, told = step(provider, prompts(tmp_path / "p", *ways), tmp_path / provider, running.socket)
        fine, bad, down, gone, refused, hollow = rows
        assert "error" not in fine and fine["usage"] == {"prompt_tokens": 7, "completion_tokens": 5}
        assert bad["error"].startswith("HTTP 400 invalid_request_error: no \\x1b[31m luck") and len(bad["error"]) == 500
        assert down["error"].startswith("HTTP 503 retries_exhausted: no answer after 3 attempts; the last: http_500")
        assert gone["error"].startswith("HTTP 404 api_error: ")
        assert hollow["error"].startswith("HTTP 200 no_answer: ")
        assert {row["finish"] for row in (bad, down, gone, hollow)} == {"error"}
        assert not bad["text"] + down["text"] + gone["text"] + hollow["text"]
        assert refused["finish"] == refusal and "error" not in refused
        kinds = ("invalid_request_error", "retries_exhausted", "api_error", "no_answer")
        assert told["errors"] == dict.fromkeys(kinds, 1)
        assert told["retry"] == 1 and told["finish"]["error"] == 4


def test_a_server_that_speaks_plain_text_is_quoted_and_never_with_the_key(recording: Any, tmp_path: Path) -> None:
    server, running, _ = recording
    for number, (body, said) in enumerate([
        (b"upstream is\tdown", "upstream is\\tdown"), (b'{"detail": "no such model"}', "no such model"),
        (f"who is {KEY}?".encode(), "with nothing to be read"),
    ]):  # fmt: skip
        server.words = body
        server.plan.update({f"q{number}": ["400"], f"r{number}": ["500"] * 3})
        inputs = prompts(tmp_path / "p", f"q{number}", f"r{number}")
        refused, down = step("openai", inputs, tmp_path / str(number), running.socket)[0]
        assert refused["error"].startswith("HTTP 400 http_400: ") and refused["error"].endswith(said)
        assert (said in down["error"]) == (number < 2) and KEY not in down["error"]
        assert down["error"].startswith("HTTP 503 retries_exhausted: no answer after 3 attempts; the last: http_500: ")
    server.words = b""


def test_what_is_sent_is_what_the_manifest_says_and_nothing_more(recording: Any, tmp_path: Path) -> None:
    settings = {"temperature": "0", "top_p": "0.5", "max_tokens": 16, "stop": ["\n"]}
    server, running, _ = recording
    one, before = prompts(tmp_path / "p", "a"), len(server.bodies)
    step("openai", one, tmp_path / "1", running.socket, generation=settings, system="S")
    step("openai", one, tmp_path / "2", running.socket, generation=settings, endpoint="completions")
    step("anthropic", one, tmp_path / "3", running.socket, generation=settings, system="S")
    turn, numbers = {"role": "user", "content": "a"}, {"temperature": 0, "top_p": 0.5, "max_tokens": 16}
    assert server.bodies[before:] == [
        {"model": GPT, "messages": [{"role": "system", "content": "S"}, turn], "stop": ["\n"], **numbers},
        {"model": GPT, "prompt": "a", "stop": ["\n"], **numbers},
        {"model": CLAUDE, "messages": [turn], "system": "S", "stop_sequences": ["\n"], **numbers},
    ]


def test_what_every_request_would_meet_fails_the_step_in_clear_words(tmp_path: Path) -> None:
    one = prompts(tmp_path / "p", "a", "b")
    money = {"prices": {"input": "1000", "output": "2000"}, "limits": {"dollars": "0.001"}}
    with misbehaving() as server:
        models = {
            GPT: model("openai", server.url, "replay", tmp_path / "t"),
            CLAUDE: {**model("anthropic", "http://192.0.2.1", "live"), "key": "LOST_KEY"},  # never reached
            "dear": model("openai", server.url, "record", tmp_path / "m", **money),
        }
        with gateway(models) as running:
            with pytest.raises(StepError, match="is not on the tape, which is empty"):
                step("openai", one, tmp_path / "1", running.socket)
            with pytest.raises(StepError, match="there is no key LOST_KEY"):
                step("anthropic", one, tmp_path / "2", running.socket)
            with pytest.raises(StepError, match="dollars are spent"):
                step("openai", one, tmp_path / "3", running.socket, id="dear", concurrency=1)
    with pytest.raises(StepError, match="connection to the gateway was lost"):
        step("openai", one, tmp_path / "4", tmp_path / "nobody")


def test_a_gateway_that_dies_fails_the_step_and_what_was_answered_is_kept(tmp_path: Path) -> None:
    one = prompts(tmp_path / "p", *TEXTS)
    with misbehaving() as server:
        with gateway(both(server.url, "record", tmp_path / "t")) as running:
            server.plan["t20"] = ["hang"]

            def kill() -> None:
                while not server.asked["t20"]:
                    time.sleep(0.01)
                running.process.kill()
                running.process.wait()

            killer = threading.Thread(target=kill)
            killer.start()
            with pytest.raises(StepError, match="lost"):
                step("openai", one, tmp_path / "1", running.socket, concurrency=2)
            killer.join()
        assert sum(server.answered.values()) >= 20
        with gateway(both(server.url, "record", tmp_path / "t")) as running:
            rows, _ = step("openai", one, tmp_path / "2", running.socket, concurrency=2)
        assert len(rows) == 30
        assert sum(server.answered.values()) <= 31  # the one whose answer was on its way to the tape


@pytest.mark.parametrize(("provider", "change", "word"), [
    ("openai", {"generation": {"temprature": "0"}}, "temprature"),
    ("openai", {"generation": {"temperature": "warm"}}, "no number"),
    ("openai", {"endpoint": "embeddings"}, "endpoint"),
    ("openai", {"endpoint": "completions", "system": "S"}, "system"),
    ("anthropic", {"generation": {"temperature": "0"}}, "max_tokens"),
])  # fmt: skip
def test_settings_that_the_provider_does_not_have_are_refused(
    provider: str, change: dict[str, Any], word: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=word):
        step(provider, prompts(tmp_path / "p", "a"), tmp_path / "o", tmp_path / "s", **change)


def test_a_step_without_a_gateway_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import harness.models.providers.openai

    monkeypatch.delenv("HARNESS_GATEWAY", raising=False)
    with pytest.raises(MissingError, match="no gateway"):
        harness.models.providers.openai.respond(params(GPT), prompts(tmp_path / "p", "a"), tmp_path)


@pytest.mark.parametrize(
    "kind", ["harness.models.providers.openai:respond", "harness.models.providers.anthropic:respond"]
)
def test_the_code_of_a_step_holds_neither_the_gateway_nor_the_tape(kind: str) -> None:
    files = Code().closure(kind).files
    assert "harness/models/providers/remote.py" in files
    assert not [name for name in files if "gate" in name or "tape" in name]
