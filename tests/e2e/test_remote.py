"""A model behind an API is recorded once; then its server is gone, and a run without network gives the same bytes."""

from __future__ import annotations

import base64
import http.server
import json
import shutil
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY, data_of, error_of, harness, outputs_of, unlocked_project

from harness.images.image import find, pins
from harness.models.model import Request
from harness.store.store import Store

pytest.importorskip("openai")
pytest.importorskip("aiohttp")
KEY = "sk-planted-4f1c9b27e8a0d3"


class Provider(http.server.BaseHTTPRequestHandler):
    """OpenAI's chat completions over one of the tiny models, or over nothing but arithmetic where torch is missing."""

    protocol_version = "HTTP/1.1"
    asked: list[dict[str, Any]]
    fails: dict[str, int]  # what stands in a prompt → how often it is refused before it is answered

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        assert self.headers["Authorization"] == f"Bearer {KEY}"
        self.asked.append(body)
        if self.refused(text):
            self._say(400, {"error": {"message": "not this one", "type": "invalid_request_error"}})
            return
        for mark, left in self.fails.items():
            if mark in text and left:
                self.fails[mark] = left - 1
                self._say(503, {"error": {"message": "later", "type": "server_error"}})
                return
        said = {"role": "assistant", "content": self.answer(text)}
        usage = {"prompt_tokens": len(text), "completion_tokens": 3, "total_tokens": len(text) + 3}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        self._say(
            200,
            {"id": "one", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice],
             "usage": usage},
        )  # fmt: skip

    refused: Any = staticmethod(lambda text: False)
    answer: Any = staticmethod(lambda text: f"It is {len(text)}.")

    def _say(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep still."""


def over_a_tiny_model() -> Any:
    """Answer with the project's own small model, so that what is recorded is a real one's text."""
    pytest.importorskip("torch")
    from harness.models.local_load import open_causal
    from harness.models.transformers import Local

    loaded = open_causal(REPOSITORY / "assets" / "tiny-shaped", {"batch": "reference", "dtype": "float32"})
    model, turn = Local("tiny", loaded), threading.Lock()

    def answer(text: str) -> str:
        request = Request("x", 1, 0, text, 0, {"temperature": "0", "max_tokens": 24})
        with turn:
            return next(iter(model.complete([request]))).text

    return answer


@pytest.fixture
def provider() -> Iterator[Any]:
    kind = type("One", (Provider,), {"asked": [], "fails": {}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    kind.url = f"http://127.0.0.1:{server.server_port}/v1"

    def end() -> None:
        server.shutdown()
        thread.join()
        server.server_close()

    kind.end = end
    yield kind
    if thread.is_alive():
        end()


def project(folder: Path, url: str, tape: str = "record") -> Path:
    manifest = unlocked_project(folder, count=12, models=())
    model = f"  far: {{provider: openai, model: toy-1, tape: {tape}, base_url: {url}, key: TOY_KEY}}\n"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{model}"))
    harness("lock", manifest, cwd=folder, check=0)
    return manifest


def replayed(folder: Path) -> None:
    manifest = folder / "manifests" / "small.yaml"
    manifest.write_text(manifest.read_text().replace("tape: record", "tape: replay"))
    harness("lock", manifest, cwd=folder, check=0)


def run(folder: Path, *args: str, key: str = "", check: int = 0) -> Any:
    env = {"TOY_KEY": key} if key else {}
    return data_of("run", "manifests/small.yaml", *args, cwd=folder, env=env, check=check)


def prompts(folder: Path) -> int:
    return len(harness("get", "last", "prompts", cwd=folder, check=0).stdout.splitlines())


def test_recorded_then_replayed_with_the_server_gone(tmp_path: Path, provider: Any, docker_host: str) -> None:
    folder = tmp_path / "project"
    provider.answer = staticmethod(over_a_tiny_model())
    project(folder, provider.url)
    first = run(folder, key=KEY)
    assert len(provider.asked) == prompts(folder) > 15
    provider.end()
    replayed(folder)
    second = run(folder, "--store", "second")
    assert outputs_of(second) == outputs_of(first) and second["runs"][0]["steps"]["executed"] > 0
    assert data_of("audit", "last", "--store", "second", cwd=folder)["verdict"] == "agreed"
    whole = data_of("audit", "last", "--store", "second", "--rerun", "50", cwd=folder, check=1)
    skipped = [check["detail"] for check in whole["checks"] if check["verdict"] == "skip"]
    assert whole["verdict"] == "incomplete" and "this step asked models elsewhere" in skipped[0]

    pin = pins(REPOSITORY).get("cpu")
    store = REPOSITORY / ".harness"
    if pin is None or not store.is_dir() or find(Store(store), pin.image_id) is None:
        pytest.skip("the image `cpu` is not here for the third run: `make images`")
    shutil.copy(REPOSITORY / "lockfiles" / "images.json", folder / "lockfiles")
    harness("lock", "manifests/small.yaml", cwd=folder, check=0)
    third = run(folder, "--store", "third", "--engine", "docker", "--images", str(store))
    assert outputs_of(third) == outputs_of(first)


def test_a_request_that_is_on_no_tape_names_the_nearest(tmp_path: Path, provider: Any) -> None:
    folder = tmp_path / "project"
    project(folder, provider.url)
    run(folder, key=KEY)
    replayed(folder)
    manifest = folder / "manifests" / "small.yaml"
    manifest.write_text(manifest.read_text() + "generation: {temperature: 0.5}\n")
    harness("lock", manifest, cwd=folder, check=0)
    done = harness("run", manifest, "--json", "--store", "other", cwd=folder)
    error = error_of(done)
    assert done.returncode == 4 and "/body/temperature" in error["what"], error


def test_what_fails_for_a_while_is_asked_again_and_nothing_answered_is(tmp_path: Path, provider: Any) -> None:
    folder = tmp_path / "project"
    provider.fails = {" + ": 5}
    project(folder, provider.url)
    run(folder, key=KEY)
    once = prompts(folder) + 5
    assert len(provider.asked) == once
    again = run(folder, "--store", "fresh", key=KEY)  # a new store: everything is on the tape
    assert len(provider.asked) == once and again["runs"][0]["steps"]["executed"] > 0
    responses = harness("get", "last", "responses", "--store", "fresh", cwd=folder, check=0).stdout
    assert '"error"' not in responses


def test_what_a_provider_refuses_is_an_error_row_counted_beside_the_metric_and_never_scored(
    tmp_path: Path, provider: Any
) -> None:
    folder = tmp_path / "project"
    provider.refused = staticmethod(lambda text: len(text) % 3 == 0)
    project(folder, provider.url)
    run(folder, key=KEY)

    def table(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in harness("get", "last", name, cwd=folder, check=0).stdout.splitlines()]

    failed = {(row["item"], row["template"]) for row in table("responses") if "error" in row}
    assert failed == {(row["item"], row["template"]) for row in table("prompts") if len(row["text"]) % 3 == 0} != set()
    for score in table("scores"):
        assert ("missing" in json.dumps(score["value"])) == ((score["item"], score["template"]) in failed)
    assert f'"errors":{len(failed)}' in json.dumps(table("proportions"), separators=(",", ":"))


def test_without_a_key_a_recording_run_says_which(tmp_path: Path, provider: Any) -> None:
    folder = tmp_path / "project"
    project(folder, provider.url)
    done = harness("run", "manifests/small.yaml", "--json", cwd=folder)
    assert done.returncode in (3, 4) and "TOY_KEY" in error_of(done)["what"]
    assert not provider.asked


def test_no_byte_that_is_written_holds_the_key(tmp_path: Path, provider: Any) -> None:
    folder = tmp_path / "project"
    project(folder, provider.url)
    done = harness("run", "manifests/small.yaml", cwd=folder, env={"TOY_KEY": KEY}, check=0)
    plain = KEY.encode()
    forms = {plain, plain[::-1], plain.hex().encode(), urllib.parse.quote(KEY).encode(), base64.b64encode(plain)}
    forms |= {base64.b64encode(b"x" * pad + plain)[4:-4] for pad in (1, 2)}
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert len(written) > 20
    for data in (*written, done.stdout.encode(), done.stderr.encode()):
        assert not any(form in data for form in forms)
