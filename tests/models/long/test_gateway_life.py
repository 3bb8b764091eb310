"""The gateway as a process: how it starts and ends, what a kill leaves, and where a key goes."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from models.gateways import GPT, KEY, NAMES, PROGRAM, both, chat, gateway, model, post, prompts, step
from models.misbehaving import misbehaving
from needs import needs
from support import clean_env

from harness.errors import InputError
from harness.models.gateway.settings import parse_settings
from harness.models.tape.tape import Recorder, Tape

pytestmark = pytest.mark.together

needs("aiohttp", "openai", "anthropic")

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize("mode", ["record", "live"])
def test_a_question_that_holds_a_key_goes_to_nobody_and_onto_no_tape(mode: str, tmp_path: Path) -> None:
    other, quoted = "sk-another-planted-1c9b27e8", 'sk-with"quotes-4f1c9b27'
    keys = {**NAMES, "OTHER_KEY": other, "QUOTED_KEY": quoted}
    tape = tmp_path / "tape" if mode == "record" else None
    with misbehaving() as server:
        models = both(server.url, mode, tape) | {
            "other": {**model("openai", server.url, mode, tape), "key": "OTHER_KEY"},
            "quoted": {**model("openai", server.url, mode, tape), "key": "QUOTED_KEY"},
            "lost": {**model("openai", server.url, mode, tape), "key": "NO_SUCH_KEY"},
        }
        with gateway(models, keys) as running:
            for name, key in (("TEST_KEY", KEY), ("OTHER_KEY", other), ("QUOTED_KEY", quoted)):
                for spelled in (key, key.encode().hex(), base64.b64encode(key.encode()).decode()):
                    refused = post(running.socket, CHAT, chat(f"My key is {spelled}."))
                    assert refused.status_code == 400 and refused.headers["x-harness-error"] == "key_in_request"
                    assert f"holds the key {name}" in refused.text and key not in refused.text
            assert post(running.socket, CHAT, chat("NO_SUCH_KEY")).status_code == 200
            inputs = prompts(tmp_path / "prompts", "a", KEY)
            [fine, kept_out], _ = step("openai", inputs, tmp_path / "out", running.socket)
            assert "error" not in fine and kept_out["error"].startswith("HTTP 400 key_in_request: this request holds")
            running.stop()
        assert len(server.bodies) == 2 and KEY not in json.dumps(server.bodies)
    if tape:
        with Tape.open(tape) as kept:
            assert len(kept) == 2
        written = b"".join(path.read_bytes() for path in tape.iterdir())
        assert not [key for key in (KEY, other, quoted) if key.encode() in written]


@pytest.mark.long
def test_a_key_reaches_its_provider_and_nothing_else(tmp_path: Path) -> None:
    ambient = {"OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug", "OPENAI_CUSTOM_HEADERS": "Authorization: x"}
    with misbehaving() as server:
        inputs = prompts(tmp_path / "prompts", "a", "b", "leak", "bad")
        with gateway(both(server.url, "record", tmp_path / "tape"), {**NAMES, **ambient}) as running:
            assert KEY not in Path(f"/proc/{running.process.pid}/cmdline").read_text()
            for provider in ("openai", "anthropic"):
                server.plan.update({"a": ["500"], "leak": ["key"], "bad": [f"400:{KEY}"]})
                rows, _ = step(provider, inputs, tmp_path / provider, running.socket)
                assert [row["finish"] == "error" for row in rows] == [False, False, True, True]
                assert "key_in_answer" in rows[2]["error"]
            client = {"Authorization": "Bearer client-own-secret", "x-api-key": "client-own-secret"}
            post(running.socket, CHAT, chat("c"), client)
            running.stop()
            log = running.said
        sent = {headers["authorization"] for headers in server.headers}
        assert sent == {f"Bearer {KEY}"} and "client-own-secret" not in json.dumps(server.headers)
    raw = KEY.encode()
    forms = [
        raw,
        base64.b64encode(raw).rstrip(b"="),
        raw.hex().encode(),
        urllib.parse.quote(KEY, safe="").encode(),
        raw[::-1],
    ]
    forms += [json.dumps(KEY)[1:-1].encode(), b"client-own-secret"]
    kept = [log, *(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())]
    assert len(kept) > 6 and not [form for form in forms for one in kept if form in one]


def test_a_key_comes_from_a_private_file_and_may_be_a_common_word(tmp_path: Path) -> None:
    keys = tmp_path / "keys.toml"
    keys.write_text(f'TEST_KEY = "{KEY}"\nWORD = "echo"\n')
    keys.chmod(0o644)
    with misbehaving() as server:
        models = {
            GPT: model("openai", server.url, "live"),
            "word": {**model("openai", server.url, "live"), "key": "WORD"},
        }
        with gateway(models, {"HARNESS_KEYS_FILE": str(keys)}) as running:
            reply = post(running.socket, CHAT, chat("a"))
            assert reply.status_code == 401 and not server.asked
            assert "0644" in reply.text and "chmod 600" in reply.text and KEY not in reply.text
            keys.chmod(0o600)
            assert post(running.socket, CHAT, chat("a")).status_code == 200
            assert "echo b" in post(running.socket, CHAT, chat("b", "word")).text
    assert [headers["authorization"] for headers in server.headers] == [f"Bearer {KEY}", "Bearer echo"]


ELSEWHERE = "http://192.0.2.1"  # an address of documentation, which is nobody's


def test_a_missing_key_is_named_when_a_request_needs_it_and_not_before(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t") as recorder:
        recorder.add("openai", chat("a"), 0, 200, b'{"choices": []}')
    with gateway(both(ELSEWHERE, "record", tmp_path / "t"), {"HOME": str(tmp_path)}) as running:
        assert post(running.socket, CHAT, chat("a")).status_code == 200
        reply = post(running.socket, CHAT, chat("b"))
        assert reply.status_code == 401 and reply.json()["error"]["type"] == "missing_key"
        assert "\n" not in reply.json()["error"]["message"], "a client that escapes line breaks would show them"
        assert "TEST_KEY" in reply.text and "~/.config/harness/keys.toml" in reply.text


@pytest.mark.parametrize("way", ["stdin", "term"])
def test_the_gateway_ends_with_its_harness_and_finishes_what_is_under_way(way: str, tmp_path: Path) -> None:
    with misbehaving() as server, gateway(both(server.url, "record", tmp_path / "t")) as running:
        post(running.socket, CHAT, chat("first"))
        server.delay = 0.3
        with ThreadPoolExecutor(1) as pool:
            last = pool.submit(post, running.socket, CHAT, chat("last"))
            while not server.asked["last"]:
                time.sleep(0.01)
            if way != "stdin":
                running.process.send_signal(signal.SIGTERM)
            told = running.stop()
            assert last.result().status_code == 200
        assert running.process.returncode == 0 and told[GPT]["recorded"] == 2 and not running.socket.exists()
    assert len(Tape.open(tmp_path / "t")) == 2


def test_what_does_not_end_by_itself_is_ended_when_its_grace_is_over() -> None:
    with misbehaving() as server, gateway(both(server.url, "live"), timeout=60, grace=0.2) as running:
        server.plan["a"] = ["hang"]
        with ThreadPoolExecutor(1) as pool:
            last = pool.submit(post, running.socket, CHAT, chat("a"))
            while not server.asked["a"]:
                time.sleep(0.01)
            begun = time.monotonic()
            running.stop()
            assert time.monotonic() - begun < 10 and running.process.returncode == 0
            assert last.result().json()["error"]["type"] == "closing"


def test_a_kill_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    with misbehaving() as server:
        with gateway(both(server.url, "record", tmp_path / "t")) as running:
            got = {text: post(running.socket, CHAT, chat(text)).content for text in "abc"}
            os.kill(running.process.pid, signal.SIGKILL)
            running.process.wait()
        with gateway(both(server.url, "record", tmp_path / "t")) as running:
            assert {text: post(running.socket, CHAT, chat(text)).content for text in "abc"} == got
            assert post(running.socket, CHAT, chat("d")).status_code == 200
        assert server.asked == dict.fromkeys("abcd", 1)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"models": {}}, "/models"),
        ({"models": {GPT: model("openai", "http://a", "record")}}, "/models/gpt-test"),
        ({"models": {GPT: model("openai", "http://me:secret@a", "live")}}, "/models/gpt-test/base_url"),
        ({"models": {GPT: model("openai", "http://a", "live", limits={"dollars": "1"})}}, "/models/gpt-test"),
        ({"socket": "relative"}, "/"),
        ({"socket": "/" + "s" * 200}, "/"),
        ({"more": 1}, "/more"),
        ({"retries": -1}, "/retries"),
    ],
)
def test_wrong_settings_are_named_by_their_place(change: dict[str, Any], where: str) -> None:
    line = {"socket": "/tmp/s", "models": both("http://a", "live"), **change}
    with pytest.raises(InputError) as told:
        parse_settings(json.dumps(line).encode())
    assert told.value.where == where and told.value.next and "secret" not in str(told.value)


def test_a_gateway_that_cannot_start_says_why_on_its_one_line(tmp_path: Path) -> None:
    def said(**change: Any) -> str:
        settings = {"socket": str(tmp_path / "s"), "models": both("http://a", "record", tmp_path / "t"), **change}
        done = subprocess.run(
            [sys.executable, *PROGRAM], input=json.dumps(settings) + "\n", text=True, capture_output=True,
            env=clean_env(), timeout=30, check=False,
        )  # fmt: skip
        error = json.loads(done.stdout)["error"]
        assert done.returncode == 2 and error["next"] and not done.stderr
        return f"{error['where']}: {error['what']}"

    refused = said(more="secret")
    assert refused.startswith("/more: ") and "secret" not in refused
    (tmp_path / "file").write_text("mine")
    assert said(socket=str(tmp_path / "file")).startswith("socket: the socket cannot be made")
    assert (tmp_path / "file").read_text() == "mine"
    with Recorder(tmp_path / "t"):
        assert "another process is recording" in said()
