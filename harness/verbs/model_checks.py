"""The verb `models check`: one question to each model of manifests, or of the command line, and what came back.

The question goes through a gateway without a tape, so nothing is recorded, and no run is started. Independent of
studies and of what a model's answers are worth.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import AGREED, DISAGREED, HarnessError, InputError
from harness.manifest.models import read_model
from harness.models.gateway.dialect import Dialect
from harness.models.provider import RemoteSettings, Settings
from harness.models.wire import parse_refusal
from harness.parts import import_part
from harness.run.gateway import Gateway
from harness.run.locking.models import every_model, model_string
from harness.run.planning.derived import MODEL_FORM, read_model_option
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import CheckModelsRequest

__all__ = ["CheckModelsResult", "CheckedModelData", "check_models"]


class CheckedModelData(Result):
    """One model: whether it answered its question, what and as whom, how fast, at what cost."""

    name: str
    model: str
    state: str  # answered | failed | on this machine
    said: str
    answered_as: str = ""
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: str = ""  # empty if the manifest gives no prices
    logprobs: bool | None = None  # None: that was not found out


class CheckModelsResult(Result):
    """Result of `models check`: the models, in the order of the manifests and then of the command line."""

    models: list[CheckedModelData]

    @property
    def code(self) -> int:
        """Exit code: 1 if a model did not answer."""
        return DISAGREED if any(one.state == FAILED for one in self.models) else AGREED


def check_models(project: Project, asked: CheckModelsRequest, watch: Watch | None = None) -> CheckModelsResult:
    """Ask each model behind an API one question, live, and report what came back; nothing is recorded."""
    watch, found = watch or Watch(), dict[str, Settings]()
    for path in asked.manifests:
        manifest = project.manifest(path).manifest
        several = len(asked.manifests) > 1
        found |= {f"{manifest.name}/{one.name}" if several else one.name: one.model for one in every_model(manifest)}
    for text in asked.models:
        option = read_model_option(text)
        found[option.name] = read_model(dict(option.said))
    if not found:
        raise InputError("no model is named", where="harness models check", next=f"name a manifest, or {MODEL_FORM}")
    done = list[CheckedModelData]()
    for one in ask_models(found):
        done.append(CheckedModelData(**vars(one)))
        watch.task("models check")(one.name, one.state, len(done), len(found))
    return CheckModelsResult(models=done)


QUESTION = "Answer with one word: ready."
SECONDS = 60  # for one answer
MOST_TOKENS = 256  # where a provider must be told how long an answer may be
SHOWN = 80  # letters of an answer
ANSWERED, FAILED, LOCAL = "answered", "failed", "on this machine"


@dataclass(frozen=True)
class CheckedModel:
    """A model after its question: what it is, its answer or why there is none, and whether it tells log-probabilities.

    `logprobs` is None if that was not found out, and `dollars` empty if the manifest gives no prices.
    """

    name: str
    model: str
    state: str  # ANSWERED | FAILED | LOCAL
    said: str = ""
    answered_as: str = ""
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: str = ""
    logprobs: bool | None = None


def ask_models(models: Mapping[str, Settings]) -> Iterator[CheckedModel]:
    """Yield each model once it is checked, in their order; a failure is a result, not an error."""
    for name, model in models.items():
        if isinstance(model, RemoteSettings):
            yield _ask(name, model)
        else:
            stand_in = ": a stand-in, which needs nothing" if model.stand_in else ": a run loads it in a step"
            yield CheckedModel(name, model_string(model), LOCAL, f"not asked{stand_in}")


def _ask(name: str, model: RemoteSettings) -> CheckedModel:
    shown, told = model_string(model), dict(model.service.told)
    limits = {**told.get("limits", {}), "retries": 0, "timeout": SECONDS}
    settings = {**told, "mode": "live", "limits": limits}
    try:
        with Gateway({model.model: settings}) as gateway:
            place = gateway.socket
            answer = _answer(place, model, logprobs=True)
            logprobs: bool | None = None
            if answer.status == 400:  # perhaps it knows no log-probabilities
                again = _answer(place, model, logprobs=False)
                answer, logprobs = (again, False) if again.fine else (answer, None)
        used = gateway.summary.get("models", {}).get(model.model, {})
    except HarnessError as bad:
        return CheckedModel(name, shown, FAILED, _short(f"{bad.what}. Next: {bad.next}", SHOWN * 4))
    if not answer.fine:
        return CheckedModel(name, shown, FAILED, _short(answer.error, SHOWN * 4), seconds=answer.seconds)
    text, tokens = _text(answer.body), used.get("tokens", {})
    return CheckedModel(
        name, shown, ANSWERED, _short(text, SHOWN), _served(answer.body), round(answer.seconds, 3),
        tokens.get("prompt", 0), tokens.get("completion", 0), used.get("dollars", "") if model.prices else "",
        _tells_logprobs(answer.body) if logprobs is None else logprobs,
    )  # fmt: skip


@dataclass(frozen=True)
class _Answer:
    status: int
    body: Mapping[str, Any]
    error: str
    seconds: float

    @property
    def fine(self) -> bool:
        return self.status == 200


class _Connection(http.client.HTTPConnection):
    """A connection to the gateway's Unix socket."""

    def __init__(self, place: Path) -> None:
        super().__init__("gateway", timeout=SECONDS + 30)
        self._place = place

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._place))


def _answer(place: Path, model: RemoteSettings, *, logprobs: bool) -> _Answer:
    path, body = _request(model, logprobs=logprobs)
    began, connection = time.monotonic(), _Connection(place)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        data, status = reply.read(), reply.status
    except (OSError, http.client.HTTPException) as bad:
        return _Answer(0, {}, f"the gateway gave no answer ({type(bad).__name__})", time.monotonic() - began)
    finally:
        connection.close()
    seconds = time.monotonic() - began
    if status != 200:
        return _Answer(status, {}, parse_refusal(data)[1] or f"HTTP {status}", seconds)
    try:
        found = json.loads(data)  # the gateway has held it against its format, at less depth of calls
    except RecursionError:
        return _Answer(0, {}, "the answer is nested too deeply", seconds)
    return _Answer(status, found, "", seconds)


def _request(model: RemoteSettings, *, logprobs: bool) -> tuple[str, Mapping[str, Any]]:
    """Return path and body of the question, as the dialect of the model's API takes a chat or a prompt.

    A bound of the answer is sent where the dialect knows one alone, since an API may require it.
    """
    dialect: Dialect = import_part(model.DIALECT)
    asked = {"messages": [{"role": "user", "content": QUESTION}], "prompt": QUESTION}
    field = "prompt" if model.endpoint == "completions" else "messages"
    path = next((path for path, one in dialect.endpoints.items() if one.requires == field and not one.path_in_name), "")
    if not path:
        raise InputError(
            f"the provider {model.provider} takes no `{field}`, in which the question is asked",
            next="run its manifest with --limit 1",
        )
    bound = {dialect.bounds[0]: MOST_TOKENS} if len(dialect.bounds) == 1 else {}
    told = {"logprobs": 1} if field == "prompt" else {"logprobs": True, "top_logprobs": 1}
    return path, {"model": model.model, field: asked[field], **bound, **(told if logprobs else {})}


def _short(text: str, most: int) -> str:
    """Return a text on one line, cut to `most` letters."""
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[:most]}…"


def _choices(body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [one for one in body.get("choices") or () if isinstance(one, dict)]


def _text(body: Mapping[str, Any]) -> str:
    """Return the text of an answer of a chat, a completion or a message."""
    blocks = content if isinstance(content := body.get("content"), list) else ()  # other APIs may have any field so
    parts = [part.get("text") for part in blocks if isinstance(part, dict)]
    for choice in _choices(body)[:1]:
        message = choice.get("message")
        parts = [message.get("content") if isinstance(message, dict) else choice.get("text")]
    return "".join(part for part in parts if isinstance(part, str))


def _served(body: Mapping[str, Any]) -> str:
    """Return the name that an answer gives its model, cut as its text is; empty if it gives none."""
    model = body.get("model")
    return _short(model, SHOWN) if isinstance(model, str) else ""


def _tells_logprobs(body: Mapping[str, Any]) -> bool:
    return any(choice.get("logprobs") for choice in _choices(body))
