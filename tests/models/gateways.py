"""A gateway as its own process, the way the harness starts one, and what tests ask of it."""

from __future__ import annotations

import contextlib
import json
import select
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support import clean_env

KEY = "sk-planted-7f3Aq9+/Zx&1 never seen".replace(" ", "_")  # signs that every encoding spells in its own way
NAMES = {"TEST_KEY": KEY}
GPT, CLAUDE = "gpt-test", "claude-test"
SECONDS = 120  # a busy machine takes its time to start a process
PROGRAM = ("-m", "harness.models.gateway.gateway")


def model(provider: str, url: str, mode: str, tape: Path | None = None, **more: Any) -> dict[str, Any]:
    """Spell one served model, at what is the provider's own address here unless `home` is another."""
    base = f"{url}/v1" if provider == "openai" else url
    spelled = {"provider": provider, "base_url": base, "home": base, "key": "TEST_KEY", "mode": mode, **more}
    return spelled if tape is None else {**spelled, "tape": str(tape)}


def both(url: str, mode: str, tape: Path | None = None, **more: Any) -> dict[str, Any]:
    """Spell a model of each provider."""
    return {GPT: model("openai", url, mode, tape, **more), CLAUDE: model("anthropic", url, mode, tape, **more)}


class Running:
    """A gateway that listens."""

    def __init__(self, process: subprocess.Popen[bytes], socket: Path) -> None:
        self.process, self.socket = process, socket
        self.said = b""  # everything that it printed
        self.summary: dict[str, Any] = {}

    def stop(self) -> dict[str, Any]:
        """Close its stdin, as the end of the harness does, and give its summary."""
        out, err = self.process.communicate(timeout=SECONDS)
        self.said += out + err
        self.summary = json.loads(out.splitlines()[-1])["models"] if out else {}
        return self.summary


@contextlib.contextmanager
def gateway(models: Mapping[str, Any], env: Mapping[str, str] | None = None, **more: Any) -> Iterator[Running]:
    """Run a gateway for as long as the block lasts; it must end well on its own unless a test ended it."""
    with tempfile.TemporaryDirectory(prefix="gw-") as folder:
        socket = Path(folder) / "s"
        settings = {"socket": str(socket), "models": models, "timeout": 10, "backoff": 0.02, **more}
        process = subprocess.Popen(
            [sys.executable, *PROGRAM], env=clean_env(NAMES if env is None else env),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        running = Running(process, socket)
        assert process.stdin and process.stdout
        try:
            process.stdin.write(json.dumps(settings).encode() + b"\n")
            process.stdin.flush()
            assert select.select([process.stdout], [], [], SECONDS)[0], "the gateway does not start"
            line = process.stdout.readline()
            running.said += line
            if json.loads(line or b"{}") != {"ready": True}:
                pytest.fail(f"the gateway said {line!r}: {process.communicate()}")
            yield running
            if process.poll() is None:
                running.stop()
                assert process.returncode == 0, running.said
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()


def prompts(path: Path, *texts: str) -> dict[str, Path]:
    """Write prompts with these texts, and give a step's inputs."""
    lines = [json.dumps({"item": f"i{n:04d}", "template": 0, "text": text}) for n, text in enumerate(texts)]
    path.write_text("".join(line + "\n" for line in lines))
    return {"prompts": path}


def params(name: str, **more: Any) -> dict[str, Any]:
    """Give a step's parameters."""
    settings = {"temperature": "0", "max_tokens": 16}
    return {"model": "m", "id": name, "seeds": [0], "generation": settings, "concurrency": 8, **more}


def step(provider: str, inputs: dict[str, Path], out: Path, socket: Path, **more: Any) -> tuple[list[Any], Any]:
    """Run a provider's step against a gateway, here; gives its rows and its inference."""
    import harness.models.providers.anthropic
    import harness.models.providers.openai

    out.mkdir()
    module = harness.models.providers.openai if provider == "openai" else harness.models.providers.anthropic
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_GATEWAY", str(socket))
        module.respond(params(GPT if provider == "openai" else CLAUDE, **more), inputs, out)
    rows = [json.loads(line) for line in (out / "responses").read_bytes().splitlines()]
    return rows, json.loads((out / "inference").read_bytes())


def post(socket: Path, path: str, body: Any, headers: Mapping[str, str] | None = None) -> Any:
    """Ask a gateway over its socket without any SDK; bytes are sent as they are."""
    import httpx2

    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with httpx2.Client(transport=httpx2.HTTPTransport(uds=str(socket), verify=unused), timeout=SECONDS) as client:
        return client.post(f"http://gateway{path}", content=content, headers=dict(headers or {}))


def chat(text: str, name: str = GPT, **more: Any) -> dict[str, Any]:
    """Spell a request that both providers' gateways take."""
    return {"model": name, "max_tokens": 16, "messages": [{"role": "user", "content": text}], **more}
