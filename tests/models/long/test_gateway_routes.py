"""The gateway's other routes, asked by the official SDKs: responses, embeddings, counts of tokens, and beta headers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from models.gateways import CLAUDE, GPT, KEY, Running, both, chat, gateway, post
from models.misbehaving import Misbehaving, misbehaving
from needs import needs

from harness.models.gateway.forward import tcp_forwarder
from harness.models.tape.exchange import Redaction, write_redacted_copy
from harness.models.tape.tape import Recorder, Tape

needs("aiohttp", "openai", "anthropic")
pytestmark = pytest.mark.together  # so that one worker starts what the tests share
ASKED: list[Any] = [{"role": "user", "content": "hello"}]
PRICES = {"input": "1000", "output": "1000", "cached_input": "0"}


class Place(NamedTuple):
    server: Misbehaving
    running: Running
    gpt: Any
    claude: Any
    tape: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    import anthropic
    import openai

    tape = tmp_path_factory.mktemp("routes") / "t"
    with (
        misbehaving() as server,
        gateway(both(server.url, "record", tape, prices=PRICES), retries=1) as running,
        tcp_forwarder(running.socket) as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as gpt,
        anthropic.Anthropic(base_url=url, api_key="x", max_retries=0) as claude,
    ):
        yield Place(server, running, gpt, claude, tape)


def first(**more: Any) -> dict[str, Any]:
    """Ask for the first asking of a request, whatever was asked before."""
    return {"extra_headers": {"X-Harness-Repeat": "0", **more}}


@pytest.mark.parametrize("way", ["fine", "thoughtful", "tool", "short"])
def test_a_response_is_taped_and_its_stream_put_together_is_the_whole(way: str, place: Place) -> None:
    place.server.plan[f"r {way}"] = [way]
    asked = {"model": GPT, "input": f"r {way}"}
    whole = place.gpt.responses.create(**asked, **first())
    events = list(place.gpt.responses.create(**asked, **first(), stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert (events[0].type, events[-1].type) == ("response.created", f"response.{whole.status}")
    assert events[-1].response.model_dump() == whole.model_dump()
    said = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert said == whole.output_text and place.server.asked[f"r {way}"] == 1
    if way != "short":
        with place.gpt.responses.stream(**asked, **first()) as stream:
            put_together = stream.get_final_response()
        assert put_together.output_text == whole.output_text
        assert [item.type for item in put_together.output] == [item.type for item in whole.output]


def test_an_answer_that_comes_later_is_neither_asked_for_nor_taped(place: Place) -> None:
    import openai

    with pytest.raises(openai.BadRequestError, match="comes later"):
        place.gpt.responses.create(model=GPT, input="background", background=True)
    place.server.plan["queued"] = ["queued", "queued"]
    with pytest.raises(openai.InternalServerError, match="not finished"):
        place.gpt.responses.create(model=GPT, input="queued")
    assert not place.server.asked["background"]
    assert not [one for one in Tape.open(place.tape).requests() if one.body.get("input") in ("background", "queued")]


def test_embeddings_and_counts_are_taped_and_never_streamed(place: Place) -> None:
    one, two = (place.gpt.embeddings.create(model=GPT, input="vector", **first()) for _ in range(2))
    assert one.data[0].embedding == two.data[0].embedding == [len("echo vector 0"), 0.5]
    assert place.server.asked["vector"] == 1
    counts = [place.claude.messages.count_tokens(model=CLAUDE, messages=ASKED, **first()) for _ in range(2)]
    assert [count.input_tokens for count in counts] == [len("echo hello 0")] * 2
    for path, model in (("/v1/embeddings", GPT), ("/v1/messages/count_tokens", CLAUDE)):
        reply = post(place.running.socket, path, {**chat("a", model), "input": "a", "stream": True})
        assert reply.status_code == 400 and "in one piece" in reply.text


def test_questions_of_two_routes_with_the_same_body_are_two_requests(place: Place) -> None:
    asked = {"model": GPT, "input": "same body"}
    replies = [post(place.running.socket, path, asked, {"X-Harness-Repeat": "0"})
               for path in ("/v1/responses", "/v1/embeddings") for _ in range(2)]  # fmt: skip
    assert [reply.json()["object"] for reply in replies] == ["response"] * 2 + ["list"] * 2
    counted = {"model": CLAUDE, "messages": [{"role": "user", "content": "same turns"}]}
    assert "input_tokens" in post(place.running.socket, "/v1/messages/count_tokens", counted).json()
    assert "content" in post(place.running.socket, "/v1/messages", counted).json()


def test_a_beta_header_goes_upstream_and_is_a_part_of_the_request(place: Place) -> None:
    asked = {"model": CLAUDE, "max_tokens": 9, "messages": [{"role": "user", "content": "beta"}]}
    plain = place.claude.messages.create(**asked, **first())
    assert "anthropic-beta" not in place.server.headers[-1]
    beta = place.claude.beta.messages.create(**asked, betas=["b-2", "a-1"], **first())
    assert place.server.headers[-1]["anthropic-beta"] == "a-1,b-2" and place.server.asked["beta"] == 2
    again = place.claude.beta.messages.create(**asked, betas=["a-1", "b-2"], **first())
    assert plain.content[0].text != beta.content[0].text == again.content[0].text and place.server.asked["beta"] == 2
    [kept] = [one for one in Tape.open(place.tape).requests() if one.more.get("headers")]
    assert kept.more == {"headers": {"anthropic-beta": "a-1,b-2"}}
    for odd in (KEY, "x" * 5000):
        reply = post(place.running.socket, "/v1/messages", chat("odd", CLAUDE), {"anthropic-beta": odd})
        assert reply.status_code == 400 and KEY not in reply.text
    assert not place.server.asked["odd"]


def test_every_endpoint_replays_offline_and_unpriced_answers_are_counted(tmp_path: Path) -> None:
    questions: list[tuple[str, dict[str, Any], dict[str, str]]] = [
        ("/v1/responses", {"model": GPT, "input": "a"}, {}), ("/v1/embeddings", {"model": GPT, "input": "a"}, {}),
        ("/v1/messages/count_tokens", chat("a", CLAUDE), {}), ("/v1/messages", chat("a", CLAUDE), {}),
        ("/v1/messages", chat("a", CLAUDE), {"anthropic-beta": "a-1"}),
    ]  # fmt: skip
    with misbehaving() as server, gateway(both(server.url, "record", tmp_path / "t", prices=PRICES)) as running:
        server.plan["a"] = ["thoughtful"]
        recorded = [post(running.socket, *question).content for question in questions]
        told = running.stop()
    assert (told[GPT]["unpriced"], told[GPT]["tokens"]) == (1, {"prompt": 14, "completion": 5, "cached": 3})
    assert told[GPT]["dollars"] == "0.016" and told[CLAUDE]["dollars"] == "0.024" and "unpriced" not in told[CLAUDE]
    with gateway(both("http://127.0.0.1:1", "replay", tmp_path / "t"), env={}) as running:
        assert [post(running.socket, *question).content for question in questions] == recorded
        miss = post(running.socket, "/v1/messages", chat("a", CLAUDE), {"anthropic-beta": "a-2"})
        assert miss.status_code == 404 and "differs in /headers/anthropic-beta" in miss.text


def test_a_redacted_answer_is_given_to_nobody_and_told_as_one(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t") as recorder:
        recorder.add("openai", chat("a"), 0, 200, b'{"choices": [{"text": "secret"}]}')
        recorder.add("openai", chat("b secret"), 0, 200, b'{"choices": []}')
    write_redacted_copy(tmp_path / "t", tmp_path / "out", Redaction.of(["secret"], []))
    with gateway(both("http://127.0.0.1:1", "replay", tmp_path / "out"), env={}) as running:
        told = [post(running.socket, "/v1/chat/completions", chat(text)) for text in ("a", "b secret")]
    assert [reply.headers["x-harness-error"] for reply in told] == ["tape_miss"] * 2
    assert "it stands there redacted" in told[0].text and "/body/messages/0/content" in told[1].text
