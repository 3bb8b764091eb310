"""The official SDKs as clients of the gateway, through the forwarder, as code in a container would use them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.gateways import CLAUDE, GPT, SECONDS, both, gateway
from models.misbehaving import Misbehaving, misbehaving
from needs import needs

from harness.models.gateway.forward import tcp_forwarder
from harness.models.tape.tape import Tape

needs("aiohttp", "openai", "anthropic")

pytestmark = pytest.mark.together  # so that one worker starts what the tests share
ASKED: list[Any] = [{"role": "user", "content": "hello"}]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Misbehaving, str, Path]]:
    tape = tmp_path_factory.mktemp("tape") / "t"
    with (
        misbehaving() as server,
        gateway(both(server.url, "record", tape)) as running,
        tcp_forwarder(running.socket) as url,
    ):
        yield server, url, tape


@pytest.fixture
def asks(place: tuple[Misbehaving, str, Path]) -> Iterator[tuple[Any, Any]]:
    """Both SDKs' clients, pointed at the gateway by the variables that everybody's code obeys."""
    import anthropic
    import openai

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", f"{place[1]}/v1")
        patch.setenv("ANTHROPIC_BASE_URL", place[1])
        patch.setenv("OPENAI_API_KEY", "whatever")
        patch.setenv("ANTHROPIC_API_KEY", "whatever")
        with openai.OpenAI() as gpt, anthropic.Anthropic() as claude:
            yield gpt, claude


def test_openai_streams_put_together_are_the_whole_answer(asks: Any, place: Any) -> None:
    gpt, _ = asks
    for text, way in (("s1", "fine"), ("s2", "tool")):
        place[0].plan[text] = [way]
        asked = {"model": GPT, "messages": [{"role": "user", "content": text}]}
        again = {"extra_headers": {"X-Harness-Repeat": "0"}}
        whole = gpt.chat.completions.create(**asked, **again)
        with gpt.chat.completions.stream(**asked, **again, stream_options={"include_usage": True}) as stream:
            put_together = stream.get_final_completion()
        for part in (whole, put_together):
            for choice in part.choices:
                choice.message = choice.message.model_copy(update={"parsed": None})
        kept = {"id", "choices", "model", "created", "usage", "system_fingerprint"}
        first, second = (part.model_dump(include=kept, exclude_none=True) for part in (whole, put_together))
        for calls in (choice["message"].get("tool_calls", []) for choice in second["choices"]):
            for call in calls:
                del call["index"]
                call["function"].pop("parsed_arguments", None)
        assert first == second
        assert place[0].asked[text] == 1
    assert not any("stream" in body or "stream_options" in body for body in place[0].bodies)


def test_openai_chunks_carry_usage_only_where_it_is_asked_for(asks: Any) -> None:
    gpt, _ = asks
    plain = list(gpt.chat.completions.create(model=GPT, messages=ASKED, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in plain).startswith("echo hello")
    assert plain[-1].choices[0].finish_reason == "stop" and not any(chunk.usage for chunk in plain)
    counted = list(gpt.chat.completions.create(
        model=GPT, messages=ASKED, stream=True, stream_options={"include_usage": True}))  # fmt: skip
    assert counted[-1].usage.total_tokens == 12 and counted[-1].choices == []
    old = list(gpt.completions.create(model=GPT, prompt="hello", stream=True))
    assert "".join(chunk.choices[0].text for chunk in old).startswith("echo hello")


def test_anthropic_streams_put_together_are_the_whole_answer(asks: Any, place: Any) -> None:
    _, claude = asks
    for text, way in (("m1", "fine"), ("m2", "tool"), ("m3", "refused")):
        place[0].plan[text] = [way]
        asked = {"model": CLAUDE, "max_tokens": 9, "messages": [{"role": "user", "content": text}]}
        again = {"extra_headers": {"X-Harness-Repeat": "0"}}
        whole = claude.messages.create(**asked, **again)
        with claude.messages.stream(**asked, **again) as stream:
            said = "".join(stream.text_stream)
            put_together = stream.get_final_message()
        assert said == whole.content[0].text and place[0].asked[text] == 1
        kept = {"id", "role", "model", "content", "stop_reason", "stop_sequence", "usage"}
        first, second = (part.model_dump(include=kept, exclude_none=True) for part in (whole, put_together))
        for block in second["content"]:
            block.pop("parsed_output", None)
        assert first == second


def test_async_clients_may_ask_many_things_at_once(place: Any) -> None:
    import anthropic
    import openai

    async def main() -> set[str]:
        async with (
            openai.AsyncOpenAI(base_url=f"{place[1]}/v1", api_key="x") as gpt,
            anthropic.AsyncAnthropic(base_url=place[1], api_key="x") as claude,
        ):
            asked = [[{"role": "user", "content": f"async {n}"}] for n in range(20)]
            one = (gpt.chat.completions.create(model=GPT, messages=turn) for turn in asked)
            two = (claude.messages.create(model=CLAUDE, max_tokens=9, messages=turn) for turn in asked)
            first, second = await asyncio.gather(asyncio.gather(*one), asyncio.gather(*two))
            return {part.choices[0].message.content for part in first} | {part.content[0].text for part in second}

    assert len(asyncio.run(main())) == 40


def test_models_are_listed_and_an_unserved_path_is_an_error_of_the_sdk(asks: Any) -> None:
    import anthropic
    import openai

    gpt, claude = asks
    assert {one.id for one in gpt.models.list()} == {one.id for one in claude.models.list()} == {GPT, CLAUDE}
    with pytest.raises(openai.NotFoundError, match="not served"):
        gpt.moderations.create(model=GPT, input="a")
    with pytest.raises(anthropic.NotFoundError, match="not served"):
        claude.messages.batches.list()
    with pytest.raises(openai.BadRequestError, match=GPT):
        gpt.chat.completions.create(model="gpt-unknown", messages=ASKED)


def test_a_client_that_lost_an_answer_and_asks_again_gets_the_same(asks: Any, place: Any) -> None:
    gpt, _ = asks
    server, _, tape = place
    server.delay, before = 0.6, len(Tape.open(tape))
    try:
        said = gpt.with_options(timeout=0.3, max_retries=5).chat.completions.create(
            model=GPT, messages=[{"role": "user", "content": "late"}]
        )
    finally:
        server.delay = 0
    assert said.choices[0].message.content == "echo late 0"
    assert server.asked["late"] == 1 and len(Tape.open(tape)) == before + 1


def test_unmodified_code_in_another_process_needs_the_two_variables_only(place: Any) -> None:
    program = (
        f"import openai, anthropic\nasked = {ASKED}\n"
        f"print(openai.OpenAI().chat.completions.create(model='{GPT}', messages=asked).choices[0].message.content)\n"
        f"print(anthropic.Anthropic().messages.create(model='{CLAUDE}', max_tokens=9, messages=asked).content[0].text)"
    )
    env = {**os.environ, "OPENAI_BASE_URL": f"{place[1]}/v1", "ANTHROPIC_BASE_URL": place[1],
           "OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "x"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True, timeout=60
    )
    assert [line[:10] for line in done.stdout.splitlines()] == ["echo hello"] * 2


def test_a_forwarder_ends_with_its_block_and_outlives_its_gateway(tmp_path: Path) -> None:
    with tcp_forwarder(tmp_path / "nobody") as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as one:
            assert one.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=SECONDS)


def test_a_forwarder_goes_on_where_a_connection_could_not_be_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept, failed = socket.socket.accept, []

    def full(one: socket.socket) -> Any:
        if not failed:
            failed.append(True)
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(one)

    monkeypatch.setattr(socket.socket, "accept", full)
    with (
        tcp_forwarder(tmp_path / "nobody") as url,
        socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=SECONDS) as one,
    ):
        assert one.recv(1) == b"" and failed


def test_a_forwarder_that_ends_leaves_no_connection_open(tmp_path: Path) -> None:
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(str(tmp_path / "silent"))
    silent.listen(64)
    with silent:
        for _ in range(20):
            with tcp_forwarder(tmp_path / "silent") as url, contextlib.ExitStack() as held:
                for _ in range(8):
                    held.enter_context(socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), SECONDS))
                held.pop_all().close()
        gc.collect()  # a task or a writer that nobody ended would say so here, and fail this test
