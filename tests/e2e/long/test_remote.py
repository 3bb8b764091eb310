"""A model behind an API is recorded once; then its server is gone, and a run without network gives the same bytes."""

from __future__ import annotations

import base64
import http.server
import importlib.util
import json
import shutil
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, data_of, error_of, harness, outputs_of, unlocked_project

from harness.images.image import find_image, read_image_pins
from harness.models.provider import CompletionRequest
from harness.store.store import Store

needs("openai", "aiohttp")
KEY = "sk-planted-4f1c9b27e8a0d3"

pytestmark = pytest.mark.together  # two recorded projects serve most of the tests


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
    from harness.models.local.load import open_causal
    from harness.models.providers.transformers import LocalModel

    loaded = open_causal(REPOSITORY / "assets" / "tiny-shaped", {"batch": "reference", "dtype": "float32"})
    model, turn = LocalModel("tiny", loaded), threading.Lock()

    def answer(text: str) -> str:
        request = CompletionRequest("x", 1, 0, text, 0, {"temperature": "0", "max_tokens": 24})
        with turn:
            return next(iter(model.complete([request]))).text

    return answer


@contextmanager
def served() -> Iterator[Any]:
    """Run a provider of its own; `end` ends it before the block does."""
    kind: Any = type("One", (Provider,), {"asked": [], "fails": {}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    kind.url = f"http://127.0.0.1:{server.server_port}/v1"

    def end() -> None:
        server.shutdown()
        thread.join()
        server.server_close()

    kind.end = end
    try:
        yield kind
    finally:
        if thread.is_alive():
            end()


def project(folder: Path, url: str, tape: str = "record") -> Path:
    manifest = unlocked_project(folder, count=6, models=())
    model = f"  far: {{provider: openai, model: toy-1, tape: {tape}, base_url: {url}, key: TOY_KEY}}\n"
    manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{model}"))
    harness("lock", manifest, cwd=folder, check=0)
    return manifest


def run(folder: Path, *args: str, key: str = "", check: int = 0) -> Any:
    env = {"TOY_KEY": key} if key else {}
    return data_of("run", "manifests/small.yaml", *args, cwd=folder, env=env, check=check)


def prompts(folder: Path) -> int:
    return len(harness("get", "last", "prompts", cwd=folder, check=0).stdout.splitlines())


def copied(recorded: Any, tmp_path: Path) -> Path:
    """Give a copy of the recorded project, its tape and its store, to replay in."""
    folder = tmp_path / "project"
    shutil.copytree(recorded.folder, folder)
    manifest = folder / "manifests" / "small.yaml"
    manifest.write_text(manifest.read_text().replace("tape: record", "tape: replay"))
    return folder


@dataclass(frozen=True)
class Recorded:
    """A project that was recorded once, from a provider that is gone."""

    folder: Path
    outputs: dict[str, str]
    printed: str
    asked: int


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded") / "project"
    with served() as provider:
        if importlib.util.find_spec("torch"):
            provider.answer = staticmethod(over_a_tiny_model())
        project(folder, provider.url)
        done = harness("run", "manifests/small.yaml", "--json", cwd=folder, env={"TOY_KEY": KEY}, check=0)
    return Recorded(folder, outputs_of(json.loads(done.stdout)), done.stdout + done.stderr, len(provider.asked))


@pytest.mark.long
def test_recorded_then_replayed_with_the_server_gone(tmp_path: Path, recorded: Recorded, docker_host: str) -> None:
    folder = copied(recorded, tmp_path)
    assert recorded.asked == prompts(folder) > 10
    harness("lock", "manifests/small.yaml", cwd=folder, check=0)
    second = run(folder, "--store", "second")
    assert outputs_of(second) == recorded.outputs and second["runs"][0]["steps"]["executed"] > 0
    assert data_of("audit", "last", "--store", "second", "--budget", "900", cwd=folder)["verdict"] == "agreed"
    whole = data_of("audit", "last", "--store", "second", "--rerun", "50", cwd=folder, check=1)
    skipped = [check["detail"] for check in whole["checks"] if check["verdict"] == "skip"]
    assert whole["verdict"] == "incomplete" and "this step asked models elsewhere" in skipped[0]

    pin = read_image_pins(REPOSITORY).get("cpu")
    store = REPOSITORY / ".harness"
    if pin is None or not store.is_dir() or find_image(Store(store), pin.image_id) is None:
        pytest.skip("the image `cpu` is not here for the third run: `make images`")
    shutil.copy(REPOSITORY / "lockfiles" / "images.json", folder / "lockfiles")
    harness("lock", "manifests/small.yaml", cwd=folder, check=0)
    third = run(folder, "--store", "third", "--engine", "docker", "--images", str(store))
    assert outputs_of(third) == recorded.outputs


def test_a_request_that_is_on_no_tape_names_the_nearest(tmp_path: Path, recorded: Recorded) -> None:
    folder = copied(recorded, tmp_path)
    manifest = folder / "manifests" / "small.yaml"
    manifest.write_text(manifest.read_text() + "generation: {temperature: 0.5}\n")
    harness("lock", manifest, cwd=folder, check=0)
    done = harness("run", manifest, "--json", "--store", "other", cwd=folder)
    error = error_of(done)
    assert done.returncode == 4 and "/body/temperature" in error["what"], error


def test_no_byte_that_is_written_holds_the_key(recorded: Recorded) -> None:
    plain = KEY.encode()
    forms = {plain, plain[::-1], plain.hex().encode(), urllib.parse.quote(KEY).encode(), base64.b64encode(plain)}
    forms |= {base64.b64encode(b"x" * pad + plain)[4:-4] for pad in (1, 2)}
    written = [path.read_bytes() for path in recorded.folder.rglob("*") if path.is_file()]
    assert len(written) > 20
    for data in (*written, recorded.printed.encode()):
        assert not any(form in data for form in forms)


@dataclass(frozen=True)
class Troubled:
    """A project whose provider failed for a while and refused a third of all prompts, run in two stores."""

    folder: Path
    asked: tuple[int, int]  # in the first run, in the second
    again: Any  # what the second run says


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Troubled:
    folder = tmp_path_factory.mktemp("troubled") / "project"
    with served() as provider:
        provider.fails = {" + ": 5}
        provider.refused = staticmethod(refused)
        project(folder, provider.url)
        run(folder, key=KEY)
        first = len(provider.asked)
        again = run(folder, "--store", "fresh", key=KEY)  # a new store: everything is on the tape
    return Troubled(folder, (first, len(provider.asked) - first), again)


def refused(text: str) -> bool:
    return len(text) % 3 == 0


def table(folder: Path, name: str, *args: str) -> list[dict[str, Any]]:
    shown = harness("get", "last", name, *args, cwd=folder, check=0).stdout
    return [json.loads(line) for line in shown.splitlines()]


def test_what_fails_for_a_while_is_asked_again_and_nothing_answered_is(troubled: Troubled) -> None:
    texts = [row["text"] for row in table(troubled.folder, "prompts")]
    assert any(" + " in text and not refused(text) for text in texts)
    assert troubled.asked == (len(texts) + 5, sum(map(refused, texts)))
    assert troubled.again["runs"][0]["steps"]["executed"] > 0
    responses = table(troubled.folder, "responses", "--store", "fresh")
    assert [text for text, row in zip(texts, responses, strict=True) if "error" in row] == [*filter(refused, texts)]


def test_a_refusal_is_an_error_row_counted_beside_the_metric_never_scored(troubled: Troubled) -> None:
    folder = troubled.folder
    failed = {(row["item"], row["template"]) for row in table(folder, "responses") if "error" in row}
    asked = {(row["item"], row["template"]) for row in table(folder, "prompts") if refused(row["text"])}
    assert failed == asked != set()
    for score in table(folder, "scores"):
        assert ("missing" in json.dumps(score["value"])) == ((score["item"], score["template"]) in failed)
    assert f'"errors":{len(failed)}' in json.dumps(table(folder, "proportions"), separators=(",", ":"))


def test_a_run_with_error_rows_is_accepted_only_by_who_says_how_many(troubled: Troubled) -> None:
    failed = sum("error" in row for row in table(troubled.folder, "responses", "--store", "fresh"))
    accept = ("lock", "--accept", "last", "--store", "fresh")
    error = error_of(harness(*accept, "--json", cwd=troubled.folder, check=2))
    assert f"far left {failed} of" in error["what"] and "HTTP 400 invalid_request_error: not this one" in error["what"]
    harness(*accept, "--max-errors", "50%", cwd=troubled.folder, check=0)


def test_without_a_key_a_run_that_asks_elsewhere_begins_nothing(tmp_path: Path) -> None:
    project(tmp_path / "p", "http://192.0.2.1/v1")  # an address of documentation, which is nobody's
    done = harness("run", "manifests/small.yaml", "--json", cwd=tmp_path / "p", check=3)
    assert "TOY_KEY" in error_of(done)["what"] and not list(tmp_path.glob("p/.harness/runs/*"))
