"""`harness gateway`, as a person starts it beside the official SDKs: recorded, ended, killed, and replayed alone."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import SECONDS, clean_env, command, error_of
from support_inside import inside

from harness.models.tape.index import check_tape
from harness.models.tape.tape import Recorder, Tape
from harness.verbs.project import Project, Watch
from harness.verbs.recordings import GatewayReady, gateway
from harness.verbs.requests import GatewayRequest

pytestmark = pytest.mark.together

needs("aiohttp", "openai", "anthropic")
KEYS = {"OPENAI_API_KEY": "sk-planted-of-one", "ANTHROPIC_API_KEY": "sk-planted-of-two"}
NO_KEYS = dict.fromkeys(KEYS, "")
GPT, CLAUDE = "gpt-nobody-declared", "claude-nobody-declared"


def upstream(server: Misbehaving) -> list[str]:
    return ["--upstream", f"openai={server.url}/v1", "--upstream", f"anthropic={server.url}"]


@contextlib.contextmanager
def running(folder: Path, *words: str, env: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    """Start the verb as a process of its own, and wait until it has said where it is."""
    process = subprocess.Popen(
        command("gateway", "--tape", "tape", "--json", *words), cwd=folder, env=clean_env(env),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    try:
        line = process.stdout.readline()
        assert line, process.communicate()
        yield process, json.loads(line)
    finally:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[bytes]) -> Any:
    """Press ctrl-C, and give what it says at its end."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, b"")
    return json.loads(out)


class Clients:
    """Both SDKs, with nothing but the variables that the gateway prints."""

    def __init__(self, env: dict[str, str]) -> None:
        import anthropic
        import openai

        self.gpt = openai.OpenAI(base_url=env["OPENAI_BASE_URL"], api_key=env["OPENAI_API_KEY"], max_retries=0)
        self.claude = anthropic.Anthropic(
            base_url=env["ANTHROPIC_BASE_URL"], api_key=env["ANTHROPIC_API_KEY"], max_retries=0
        )

    def __enter__(self) -> Clients:
        return self

    def __exit__(self, *_: object) -> None:
        self.gpt.close()
        self.claude.close()

    def chat(self, text: str) -> Any:
        return self.gpt.chat.completions.create(model=GPT, messages=[{"role": "user", "content": text}])

    def everything(self) -> list[Any]:
        """Ask by every route, streamed too; gives what was said."""
        turns: list[Any] = [{"role": "user", "content": "turn"}]
        asked = {"model": CLAUDE, "max_tokens": 9, "messages": turns}
        with self.claude.messages.stream(**asked) as stream:
            streamed = stream.get_final_message()
        said = [
            self.chat("one"), self.chat("one"), self.gpt.responses.create(model=GPT, input="two"),
            self.gpt.embeddings.create(model=GPT, input="three"), self.claude.messages.create(**asked),
            self.claude.messages.count_tokens(model=CLAUDE, messages=turns),
            self.claude.beta.messages.create(**asked, betas=["b-1"]),
        ]  # fmt: skip
        with self.gpt.responses.stream(model=GPT, input="two") as events:
            said.append(events.get_final_response())
        return [one.model_dump(mode="json", exclude={"parsed_output"}) for one in (*said, streamed)]


@pytest.mark.long
def test_a_foreign_client_is_recorded_killed_and_replayed_offline(tmp_path: Path) -> None:
    with misbehaving() as server:
        words = ("--record", *upstream(server))
        with running(tmp_path, *words, env=KEYS) as (process, ready), Clients(ready["env"]) as clients:
            assert ready["url"].startswith("http://127.0.0.1:") and (ready["mode"], ready["lacking"]) == ("record", [])
            recorded = clients.everything()
            server.delay = 0.4
            with ThreadPoolExecutor(1) as pool:
                last = pool.submit(clients.chat, "in flight")
                while not server.asked["in flight"]:
                    time.sleep(0.01)
                told = ended(process)
                assert last.result().choices[0].message.content == "echo in flight 0"
            server.delay = 0
        assert (told["requests"], told["recorded"], told["replayed"], told["refused"]) == (10, 10, 0, 0)
        counts = {(one["provider"], one["model"]): one["recorded"] for one in told["models"]}
        assert counts == {("openai", GPT): 6, ("anthropic", CLAUDE): 4}
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {key}" for key in KEYS.values()}

        with running(tmp_path, *words, env=KEYS) as (process, ready), Clients(ready["env"]) as clients:
            assert clients.everything() == recorded and sum(server.answered.values()) == 10
            assert clients.chat("before the kill").choices[0].message.content == "echo before the kill 0"
            process.kill()
            process.wait()
    assert not check_tape(tmp_path / "tape").flaws and len(Tape.open(tmp_path / "tape")) == 11

    with running(tmp_path, env=NO_KEYS) as (process, ready), Clients(ready["env"]) as clients:
        check_other_server(clients, server.url)
        ended(process)
    with running(tmp_path, *upstream(server), env=NO_KEYS) as (process, ready), Clients(ready["env"]) as clients:
        assert clients.everything() == recorded
        assert clients.chat("before the kill").choices[0].message.content == "echo before the kill 0"
        check_refusals(clients, ready["env"])
        told = ended(process)
    assert (told["replayed"], told["recorded"], told["refused"]) == (10, 0, 1)
    assert [one["errors"] for one in told["models"]] == [{}, {"tape_miss": 1}]
    for path in (path for path in (tmp_path / "tape").iterdir()):
        assert b"sk-planted" not in path.read_bytes()


def check_other_server(clients: Clients, url: str) -> None:
    """What another server answered is not an answer of the provider itself."""
    import openai

    with pytest.raises(openai.NotFoundError, match=f"it was asked of another server, {url}/v1.*`--upstream`"):
        clients.chat("one")


def check_refusals(clients: Clients, env: dict[str, str]) -> None:
    """A miss is told as one, and who does not show the stand-in key gets nothing, the list of models included."""
    import openai

    with pytest.raises(openai.NotFoundError, match="not on the tape"):
        clients.chat("never asked")
    with (
        openai.OpenAI(base_url=env["OPENAI_BASE_URL"], api_key="guessed", max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError, match="stand-in"),
    ):
        stranger.models.list()
    assert {one.id for one in clients.gpt.models.list()} == {GPT, CLAUDE}


def test_a_person_is_told_what_to_export_and_what_was_done(tmp_path: Path) -> None:
    with Recorder(tmp_path / "tape") as recorder:
        recorder.add("openai", {"model": GPT}, 0, 200, b"{}")
    process = subprocess.Popen(
        command("gateway", "--tape", "tape", "--provider", "openai"), cwd=tmp_path, env=clean_env(NO_KEYS),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    first, second = process.stdout.readline(), process.stdout.readline()
    url = first.strip().removeprefix("export OPENAI_BASE_URL=")
    assert url.startswith("http://127.0.0.1:") and url.endswith("/v1")
    assert second.startswith("export OPENAI_API_KEY=harness-gateway-")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (0, "") and "ctrl-C ends it" in err
    assert "0 requests: 0 recorded, 0 replayed, 0 refused" in err and "answers from the tape alone" in err


def test_python_is_given_the_same_and_ends_it_by_an_event(tmp_path: Path) -> None:
    heard: list[GatewayReady] = []
    watch = Watch()
    with misbehaving() as server, pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setenv("OPENAI_API_KEY", KEYS["OPENAI_API_KEY"])
        patch.delenv("ANTHROPIC_API_KEY", raising=False)
        asked = GatewayRequest(tape=tmp_path / "tape", mode="record", upstream=upstream(server)[1::2])
        done = pool.submit(gateway, Project.at(tmp_path), asked, watch, heard.append)
        while not heard and not done.done():
            time.sleep(0.02)
        with Clients(heard[0].env) as clients:
            assert clients.chat("a").choices[0].message.content == "echo a 0"
        held = inside("gateway", "--tape", "tape", "--record", "--json", cwd=tmp_path, env=KEYS, check=2)
        watch.stop.set()
        told = done.result(timeout=SECONDS)
    assert heard[0].lacking == [] and (told.recorded, told.code) == (1, 0)
    assert told.models[0].as_data()["tokens"] == {"prompt": 7, "completion": 5}
    error = error_of(held)
    assert f"started by process {os.getpid()}" in error["what"] and error["where"] == "tape"


def test_a_key_that_is_missing_is_told_before_anything_is_made(tmp_path: Path) -> None:
    stand_in = {"OPENAI_API_KEY": "harness-gateway-of-another", "ANTHROPIC_API_KEY": "", "HOME": str(tmp_path)}
    done = inside("gateway", "--tape", "tape", "--record", "--json", cwd=tmp_path, env=stand_in, check=3)
    error = error_of(done)
    assert all(name in error["what"] and f"export {name}=" in error["next"] for name in KEYS)
    one = {**stand_in, "OPENAI_API_KEY": KEYS["OPENAI_API_KEY"]}
    words = ("--record", "--provider", "anthropic", "--provider", "openai", "--json")
    error = error_of(inside("gateway", "--tape", "tape", *words, cwd=tmp_path, env=one, check=3))
    assert error["what"] == "there is no key ANTHROPIC_API_KEY" and not (tmp_path / "tape").exists()


@pytest.mark.parametrize(
    ("words", "where", "said"),
    [
        ([], "--tape", "no tape was named"), (["--tape", "tape"], "tape", "is empty"),
        (["--tape", "tape", "--live"], "tape", "never recorded"),
        (["--record", "--live"], "--record, --live", "never recorded"),
        (["--live", "--provider", "gemini"], "--provider", "'gemini'"),
        (["--live", "--upstream", "http://a"], "--upstream", "a provider and a URL"),
        (["--live", "--provider", "openai", "--upstream", "anthropic=http://a"], "--upstream", "a provider and a URL"),
        (["--live", "--upstream", "openai=ftp://a"], "--upstream", "a provider and a URL"),
    ],
)  # fmt: skip
def test_what_was_asked_wrongly_is_told(words: list[str], where: str, said: str, tmp_path: Path) -> None:
    error = error_of(inside("gateway", *words, "--json", cwd=tmp_path, check=2))
    assert (error["where"], said in error["what"]) == (where, True) and error["next"]
    assert not (tmp_path / "tape").exists()


def test_a_port_that_is_taken_is_told_and_the_tape_is_free_again(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ("gateway", "--tape", "tape", "--record", "--port", port, "--json")
        error = error_of(inside(*words, cwd=tmp_path, env=KEYS, check=2))
    assert error["where"] == "--port" and port in error["what"]
    with Recorder(tmp_path / "tape"):
        pass
