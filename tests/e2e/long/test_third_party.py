"""Software of other people at both ends of the gateway: recorded, then replayed with the server gone, the same bytes.

A server of open models is asked through it, and two harnesses of others ask through it. They stand in an environment of
their own, which `make peers` makes, or PEERS names; what is missing there is skipped and named.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.peers import TASK, environment, write_task
from models.gateways import CLAUDE, GPT, both, gateway, model
from models.misbehaving import misbehaving
from needs import needs
from support import REPOSITORY, data_of, error_of, harness, outputs_of, unlocked_project
from support_draws import drawn

from harness.digest import sha256
from harness.models.gateway.forward import tcp_forwarder

needs("aiohttp", "openai", "anthropic")
pytestmark = pytest.mark.together
SECONDS = 300
TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
SETTINGS = "harness: 2\n", "generation: {max_tokens: 8, temperature: 0}\n"


def peer(*modules: str) -> str:
    """Give a Python that holds these modules: that of PEERS, of `make peers`, or this one."""
    made = REPOSITORY / ".bench" / "peers"
    venv = os.environ.get("PEERS") or (made if (made / "ready").exists() else None)
    python = str(Path(venv).absolute() / "bin" / "python") if venv else sys.executable
    done = subprocess.run([python, "-c", f"import {', '.join(modules)}"], capture_output=True, text=True, check=False)
    if done.returncode:
        lacks = done.stderr.strip().rsplit("\n", 1)[-1]
        pytest.skip(f"{lacks}; `make peers`, or give a Python that holds it: PEERS=DIR of a virtual environment")
    return python


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextlib.contextmanager
def serving(python: str, model: Path, home: Path) -> Iterator[str]:
    """Run `transformers serve` over one model; at the end of the block it is killed."""
    url = f"http://127.0.0.1:{free_port()}"
    words = [python, "-m", "transformers.cli.transformers", "serve", "--host", "127.0.0.1", "--device", "cpu"]
    with open(home / "serve.log", "wb") as log:
        process = subprocess.Popen(
            [*words, "--port", url.rpartition(":")[2], str(model)], env=environment(home), stdout=log, stderr=log
        )
    try:
        end = time.monotonic() + SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{url}/health", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < end, (home / "serve.log").read_text()[-3000:]
                time.sleep(0.2)
        yield f"{url}/v1"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, Any]]:
    """A server of the project's small model, with a chat template; the third value ends it."""
    python = peer("fastapi", "uvicorn", "torch", "transformers")
    home = tmp_path_factory.mktemp("served")
    model = home / "tiny"
    shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", model)
    (model / "chat_template.jinja").write_text(TEMPLATE)
    with contextlib.ExitStack() as stack:
        yield stack.enter_context(serving(python, model, home)), model, stack.close


def project(folder: Path, url: str, model: Path, generation: str, count: int = 6) -> Path:
    """Lay out a manifest that asks the server in both its ways."""
    manifest = unlocked_project(folder, count=count, models=())
    way = f"provider: openai, model: {model}, tape: record, base_url: {url}, key: NO_KEY"
    lines = f"  chat: {{{way}}}\n  text: {{{way}, endpoint: completions}}\n"
    text = manifest.read_text().replace("harness: 1\n", SETTINGS[0]).replace("models:\n", f"models:\n{lines}")
    manifest.write_text(text + generation)
    harness("lock", manifest, cwd=folder, check=0)
    return manifest


def run(folder: Path, store: str, check: int = 0) -> Any:
    done = harness("run", "manifests/small.yaml", "--store", store, "--json", cwd=folder, env={"NO_KEY": "none"})
    assert done.returncode == check, done.stderr
    return json.loads(done.stdout) if check == 0 else error_of(done)


def test_a_server_of_open_models_is_recorded_killed_and_replayed(server: Any, tmp_path: Path) -> None:
    url, model, end = server
    odd = "generation: {max_tokens: 8, extra: {no_such_setting: 1}}\n"
    refused = project(tmp_path / "refused", url, model, odd, count=12)  # more rows than refusals that are put up with
    error = run(refused.parents[1], "store", check=1)
    assert error["name"] == "refused" and "no_such_setting" in error["what"] and "HTTP 422" in error["what"]

    folder = tmp_path / "project"
    manifest = project(folder, url, model, SETTINGS[1])
    first = run(folder, "first")
    texts = [row for row in responses(folder, "first") if "error" not in row]
    assert len(texts) >= 30 and len({row["text"] for row in texts}) > 3
    assert {row["model"] for row in texts} == {"chat", "text"}
    end()
    manifest.write_text(manifest.read_text().replace("tape: record", "tape: replay"))
    harness("lock", manifest, cwd=folder, check=0)
    second = run(folder, "second")
    assert outputs_of(second) == outputs_of(first) and second["runs"][0]["steps"]["executed"] > 0
    assert data_of("audit", "last", "--store", "second", "--budget", "900", cwd=folder)["verdict"] == "agreed"


def responses(folder: Path, store: str) -> list[dict[str, Any]]:
    shown = harness("get", "last", "responses", "--store", store, cwd=folder, check=0).stdout
    return [json.loads(line) for line in shown.splitlines()]


LM_EVAL = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager
url, folder, task, model = sys.argv[1:]
how = f"model={model},base_url={url}/v1/chat/completions,num_concurrent=4,max_retries=1,tokenized_requests=False"
found = simple_evaluate(model="local-chat-completions", model_args=how, tasks=[task], log_samples=True,
    task_manager=TaskManager(include_path=folder, include_defaults=False), apply_chat_template=True)
said = [[one["doc"], one["resps"], one["filtered_resps"], one["exact_match"]] for one in found["samples"][task]]
print("\\nSAID " + json.dumps([said, found["results"][task]["exact_match,none"]], sort_keys=True))
"""
INSPECT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
url, folder, provider, model = sys.argv[1:]
task = Task(dataset=[Sample(input=f"{n} + 1?", target=str(n)) for n in range(12)], solver=generate(), scorer=includes())
base = f"{url}/v1" if provider == "openai" else url
[log] = eval(task, model=f"{provider}/{model}", model_base_url=base, log_dir=folder, display="none", max_tokens=16)
assert log.status == "success", log.error
said = [[one.id, one.output.completion, one.scores["includes"].value] for one in log.samples]
print("\\nSAID " + json.dumps([said, log.results.scores[0].metrics["accuracy"].value]))
"""
SDKS = """
import json, sys, anthropic, openai
url, folder, gpt, claude = sys.argv[1:]
one, two = openai.OpenAI(base_url=f"{url}/v1"), anthropic.Anthropic(base_url=url)
said = []
for n in range(6):
    ask = [{"role": "user", "content": f"{n} + 1?"}]
    said.append(one.chat.completions.create(model=gpt, messages=ask).choices[0].message.content)
    said.append(two.messages.create(model=claude, max_tokens=9, messages=ask).content[0].text)
    with two.messages.stream(model=claude, max_tokens=9, messages=ask) as stream:
        said.append("".join(stream.text_stream))
print("\\nSAID " + json.dumps([said, len(said)]))
"""
UNKNOWN = "gpt-9-unheard-of"  # which it asks by the Responses API
CLIENTS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "lm_eval": (("lm_eval", "aiohttp", "tenacity"), LM_EVAL, (TASK, GPT)),
    "inspect with openai": (("inspect_ai", "openai"), INSPECT, ("openai", GPT)),
    "inspect with a name it does not know": (("inspect_ai", "openai"), INSPECT, ("openai", UNKNOWN)),
    "inspect with anthropic": (("inspect_ai", "anthropic"), INSPECT, ("anthropic", CLAUDE)),
    "both SDKs": (("openai", "anthropic"), SDKS, (GPT, CLAUDE)),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("client", drawn(CLIENTS, 1))
def test_other_harnesses_record_through_the_gateway_and_replay_offline(client: str, tmp_path: Path) -> None:
    modules, program, words = CLIENTS[client]
    python = peer(*modules)
    write_task(tmp_path / "task", 12)

    def asked(socket: Path) -> str:
        with tcp_forwarder(socket) as url:
            keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none", "no_proxy": "127.0.0.1"}
            done = subprocess.run(
                [python, "-c", program, url, str(tmp_path / "task"), *words], cwd=tmp_path, timeout=SECONDS,
                env={**environment(tmp_path), **keys}, capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return next(line for line in done.stdout.splitlines() if line.startswith("SAID "))

    def all_models(url: str, mode: str) -> dict[str, Any]:
        return {**both(url, mode, tmp_path / "tape"), UNKNOWN: model("openai", url, mode, tmp_path / "tape")}

    with misbehaving() as upstream, gateway(all_models(upstream.url, "record")) as recording:
        first = asked(recording.socket)
        assert upstream.asked.total() >= 12 and "echo" in first
        assert any("input" in body for body in upstream.bodies) == (UNKNOWN in words)
    with gateway(all_models("http://127.0.0.1:1", "replay"), env={}) as replaying:
        assert sha256(asked(replaying.socket).encode()) == sha256(first.encode())
        told = replaying.stop()
    assert sum(one["replayed"] for one in told.values()) >= 12 and not any(one["live"] for one in told.values())
