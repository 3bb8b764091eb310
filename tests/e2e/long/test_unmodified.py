"""Code of other people, with the providers' own packages, runs in a container without network: taped, then replayed."""

from __future__ import annotations

import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY
from support_engine import open_docker

from harness.engines.engine import Job, Limits
from harness.images.image import find_image, read_image_pins
from harness.run.environment import step_environment
from harness.run.gateway import Gateway
from harness.store.store import Store

needs("openai", "aiohttp")

# What a person would write, who has never heard of the harness.
THEIRS = """
import json
import anthropic, openai
asked = openai.OpenAI().chat.completions.create(model="toy-o", messages=[{"role": "user", "content": "1+1?"}])
parts = openai.OpenAI().chat.completions.create(
    model="toy-o", messages=[{"role": "user", "content": "1+1?"}], stream=True)
streamed = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
told = anthropic.Anthropic().messages.create(
    model="toy-a", max_tokens=5, messages=[{"role": "user", "content": "2+2?"}])
print(json.dumps([asked.choices[0].message.content, streamed, told.content[0].text]))
"""
# What the harness puts around it.
OURS = """
import os, runpy, sys
sys.path.append("/usr/local/lib/python3.11/dist-packages")
sys.path.insert(0, "code")
from forward import tcp_forwarder

with tcp_forwarder(os.environ["HARNESS_GATEWAY"]) as url:
    os.environ |= {"OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}
    os.environ |= {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    runpy.run_path("code/theirs.py", run_name="__main__")
"""


class Provider(http.server.BaseHTTPRequestHandler):
    """Both wire formats, and one answer each."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = f"said to {body['messages'][0]['content']}"
        if self.path.endswith("/messages"):
            value: dict[str, Any] = {
                "id": "m", "type": "message", "role": "assistant", "model": body["model"], "stop_reason": "end_turn",
                "stop_sequence": None, "content": [{"type": "text", "text": text}],
                "usage": {"input_tokens": 3, "output_tokens": 4},
            }  # fmt: skip
        else:
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            value = {
                "id": "c", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice],
                "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
            }  # fmt: skip
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep still."""


@pytest.fixture
def url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def asked(folder: Path, models: dict[str, Any], images: tuple[Path, str]) -> tuple[str, dict[str, Any]]:
    """Run their code in a container beside a gateway; gives what it printed, and what the gateway did."""
    for name in ("in", "out", "tmp", "code"):
        (folder / name).mkdir(parents=True)
    shutil.copy(REPOSITORY / "harness" / "models" / "gateway" / "forward.py", folder / "code" / "forward.py")
    (folder / "code" / "theirs.py").write_text(THEIRS)
    (folder / "code" / "main.py").write_text(OURS)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    engine = open_docker(images)
    with Gateway(models) as gateway:
        env = {**step_environment(Path("/step")), "HARNESS_GATEWAY": str(engine.socket(gateway.socket))}
        job = Job(engine.command("code/main.py"), folder, env, Limits(seconds=120), sockets=(gateway.socket,))
        outcome = engine.run(job, lambda _: None, threading.Event())
    assert outcome.fine, outcome.log.decode()
    return outcome.log.decode(), gateway.summary["models"]


def test_their_code_is_taped_and_replayed(
    tmp_path: Path, url: str, docker_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin, store = read_image_pins(REPOSITORY)["cpu"], REPOSITORY / ".harness"
    if not store.is_dir() or find_image(Store(store), pin.image_id) is None:
        pytest.skip("the image `cpu` is not here: `make images`")
    monkeypatch.setenv("TOY_KEY", "sk-toy-0123456789abcdef")
    shared = {"key": "TOY_KEY", "mode": "record", "tape": str(tmp_path / "tape")}
    models = {
        "toy-o": {"provider": "openai", "base_url": f"{url}/v1", **shared},
        "toy-a": {"provider": "anthropic", "base_url": url, **shared},
    }
    said, did = asked(tmp_path / "first", models, (store, pin.image_id))
    assert json.loads(said) == ["said to 1+1?", "said to 1+1?", "said to 2+2?"]
    recorded = (did["toy-o"]["recorded"], did["toy-a"]["recorded"])
    assert recorded == (2, 1)  # the second time the same is asked is its own

    monkeypatch.delenv("TOY_KEY")
    gone = {
        name: {**told, "mode": "replay", "base_url": "http://127.0.0.1:9/v1", "same_as": told["base_url"]}
        for name, told in models.items()
    }
    again, did = asked(tmp_path / "second", gone, (store, pin.image_id))
    assert again == said
    assert (did["toy-o"]["replayed"], did["toy-a"]["replayed"], did["toy-o"]["live"]) == (2, 1, 0)
