"""Verbs on the answers of remote models: tapes, the `gateway` that records and replays them, and `models check`.

`models check` asks one question of each model of manifests, or of the command line, and says what came back. It goes
through a gateway without a tape, so nothing is recorded, and no run is started. Independent of studies and of what a
model's answers are worth.
"""

from __future__ import annotations

import http.client
import json
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from harness.errors import AGREED, DISAGREED, HarnessError, InputError, MissingError
from harness.manifest.models import PROVIDERS, read_model
from harness.models.gateway.dialect import Dialect
from harness.models.gateway.forward import tcp_forwarder
from harness.models.gateway.settings import STAND_IN
from harness.models.provider import RemoteSettings, Settings
from harness.models.tape.exchange import (
    Redaction,
    UnsaidDefaults,
    export_lines,
    import_lines,
    merge_exchanges,
    write_redacted_copy,
)
from harness.models.tape.index import check_tape, line_number, segment_path
from harness.models.tape.line import server_address
from harness.models.tape.tape import Tape
from harness.models.wire import parse_refusal
from harness.parts import import_part
from harness.run.gateway import Gateway
from harness.run.locking.models import every_model, model_string
from harness.run.planning.derived import MODEL_FORM, read_model_option
from harness.store.blobs import is_digest
from harness.verbs.project import Project, Result, Watch
from harness.verbs.requests import (
    CheckModelsRequest,
    ExportTapeRequest,
    FindExchangeRequest,
    GatewayRequest,
    ImportTapeRequest,
    MergeTapesRequest,
    RedactTapeRequest,
    TapeRequest,
)

__all__ = [
    "CheckModelsResult",
    "CheckedModelData",
    "ExportTapeResult",
    "FindExchangeResult",
    "GatewayModel",
    "GatewayReady",
    "GatewayResult",
    "ImportTapeResult",
    "LsTapeResult",
    "MergeTapesResult",
    "RedactTapeResult",
    "VerifyTapeResult",
    "check_models",
    "export_tape",
    "find_exchange",
    "gateway",
    "import_tape",
    "ls_tape",
    "merge_tapes",
    "redact_tape",
    "verify_tape",
]


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
        return CheckedModel(name, shown, FAILED, _model_checks_short(f"{bad.what}. Next: {bad.next}", SHOWN * 4))
    if not answer.fine:
        return CheckedModel(name, shown, FAILED, _model_checks_short(answer.error, SHOWN * 4), seconds=answer.seconds)
    text, tokens = _text(answer.body), used.get("tokens", {})
    return CheckedModel(
        name, shown, ANSWERED, _model_checks_short(text, SHOWN), _served(answer.body), round(answer.seconds, 3),
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


def _model_checks_short(text: str, most: int) -> str:
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
    return _model_checks_short(model, SHOWN) if isinstance(model, str) else ""


def _tells_logprobs(body: Mapping[str, Any]) -> bool:
    return any(choice.get("logprobs") for choice in _choices(body))


FOLDER = "The tape: a folder of segments."


class TapedModel(Result):
    """Counts of one model's exchanges on a tape, at one server, and the names that its answers give the model."""

    provider: str
    model: str
    exchanges: int
    bytes: int
    first: str
    last: str
    server: str = ""  # empty if the lines name none
    answered_as: list[str] = Field(default_factory=list)
    fingerprints: list[str] = Field(default_factory=list)


class LsTapeResult(Result):
    """Result of `tape ls`: exchanges by model and server; `redacted` counts those that answer no request."""

    digest: str
    exchanges: int
    bytes: int
    models: list[TapedModel]
    redacted: int = 0


def ls_tape(project: Project, asked: TapeRequest, watch: Watch | None = None) -> LsTapeResult:
    """List the content of a tape by model and server: exchanges, bytes, first and last time."""
    folder, redacted = _there(project, asked.folder), 0
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    with relative_error_paths(project), Tape.open(folder) as tape:
        for one in tape.requests():
            names = (one.provider, str(one.body.get("model", "")), one.server)
            row = found.setdefault(names, {"exchanges": 0, "bytes": 0, "first": one.at, "last": one.at})
            row["exchanges"] += 1
            row["bytes"] += len(one.response)
            row["first"], row["last"] = min(row["first"], one.at), max(row["last"], one.at)
            redacted += bool(one.redacted)
            for field, kept in (("model", "answered_as"), ("fingerprint", "fingerprints")):
                if field in one.responder:
                    row.setdefault(kept, set()).add(one.responder[field])
        digest, count = tape.digest(), len(tape)
    models = [_taped_model(names, row) for names, row in sorted(found.items())]
    size = sum(path.stat().st_size for path in folder.glob("segment-*.jsonl"))
    more = {"redacted": redacted} if redacted else {}
    return LsTapeResult(digest=digest, exchanges=count, bytes=size, models=models, **more)


def _taped_model(names: tuple[str, str, str], row: Mapping[str, Any]) -> TapedModel:
    provider, model, server = names
    counts: dict[str, Any] = {name: sorted(value) if isinstance(value, set) else value for name, value in row.items()}
    if server:
        counts["server"] = server
    return TapedModel(provider=provider, model=model, **counts)


class FindExchangeResult(Result):
    """Result of `tape find`: where the line is, its digest, who answered when, and request and answer as recorded."""

    file: str
    line: int
    digest: str
    provider: str
    model: str  # that was asked
    at: str
    answered_as: str
    server: str  # empty if the line names none
    request: dict[str, Any]
    response: str


def find_exchange(project: Project, asked: FindExchangeRequest, watch: Watch | None = None) -> FindExchangeResult:
    """Return the line of a tape that answers a request, checked; MissingError if the tape has none."""
    folder = _there(project, asked.folder)
    if not is_digest(asked.request):
        raise InputError(
            "this is no digest of a request", where=asked.request[:80], next="give all 64 letters, as the page names it"
        )
    with relative_error_paths(project), Tape.open(folder) as tape:
        entry = tape.locate(asked.request, asked.repeat)
        if entry is None:
            raise MissingError(
                "this tape does not hold that request",
                where=f"{asked.request[:12]}, repeat {asked.repeat}",
                next="`harness tape ls` says what it holds",
            )
        taped = entry.line.taped
        return FindExchangeResult(
            file=_recordings_short(project, str(segment_path(folder, entry.segment))),
            line=line_number(folder, entry),
            digest=entry.line.own,
            provider=taped.provider,
            model=str(taped.body.get("model", "")),
            at=taped.at,
            answered_as=taped.responder.get("model", ""),
            server=taped.server,
            request=dict(taped.body),
            response=taped.response.decode("utf-8", "replace"),
        )


class TapeFlaw(Result):
    """Damage of a tape: file, line and description."""

    file: str
    line: int
    detail: str


class VerifyTapeResult(Result):
    """Result of `tape verify`: how much was read, and what is damaged; `redacted` lines do not count as damaged.

    `servers` counts lines by the server that they name, `unnamed` those that name none beside others that do.
    """

    exchanges: int
    segments: int
    bytes: int
    torn: str
    flaws: list[TapeFlaw]
    verdict: str  # agreed | disagreed
    redacted: int = 0
    servers: dict[str, int] = Field(default_factory=dict)
    unnamed: int = 0

    @property
    def code(self) -> int:
        """Exit code: 0 if nothing is damaged."""
        return DISAGREED if self.flaws else AGREED


def verify_tape(project: Project, asked: TapeRequest, watch: Watch | None = None) -> VerifyTapeResult:
    """Read every byte of a tape and report what is damaged; nothing is repaired."""
    with relative_error_paths(project):
        found = check_tape(_there(project, asked.folder))
    more: dict[str, Any] = {"redacted": found.redacted} if found.redacted else {}
    if named := {server: count for server, count in sorted(found.servers.items()) if server}:
        more |= {"servers": named, "unnamed": found.servers[""]}
    return VerifyTapeResult(
        exchanges=found.exchanges,
        segments=found.segments,
        bytes=found.bytes,
        torn=found.torn,
        flaws=[TapeFlaw(**vars(flaw)) for flaw in found.flaws],
        verdict="disagreed" if found.flaws else "agreed",
        **more,
    )


class ImportTapeResult(Result):
    """Result of `tape import`: how many exchanges were read, and how many the tape had already."""

    read: int
    added: int
    known: int


def import_tape(project: Project, asked: ImportTapeRequest, watch: Watch | None = None) -> ImportTapeResult:
    """Import recorded exchanges from JSON Lines; importing them again adds nothing."""
    try:
        server = server_address(asked.server) if asked.server else ""
    except ValueError as bad:
        raise InputError(str(bad), where="--server", next="write a URL, such as http://127.0.0.1:8000/v1") from None
    homes = {name: server_address(one.URL) for name, one in _elsewhere().items()}
    with relative_error_paths(project):
        unsaid = UnsaidDefaults(asked.provider, server, homes)
        done = import_lines(project.path(asked.file), project.path(asked.folder), unsaid)
    return ImportTapeResult(read=done.read, added=done.added, known=done.read - done.added)


class ExportTapeResult(Result):
    """Result of `tape export`: the file, how many exchanges it has, and the tape's digest, which an import keeps."""

    file: Path
    exchanges: int
    digest: str


def export_tape(project: Project, asked: ExportTapeRequest, watch: Watch | None = None) -> ExportTapeResult:
    """Write a tape to a new file as JSON Lines, which `import_tape` reads back."""
    folder = _there(project, asked.folder)
    with relative_error_paths(project):
        count = export_lines(folder, project.path(asked.file))
        return ExportTapeResult(file=asked.file, exchanges=count, digest=_digest(folder))


class TapeConflict(Result):
    """Request to one server with two answers, and the tapes that hold them."""

    request: str
    repeat: int
    model: str
    tapes: list[str]
    server: str = ""  # empty if the lines name none


class MergeTapesResult(Result):
    """Result of `tape merge`: what was added, which is nothing if tapes contradict each other."""

    verdict: str  # agreed | disagreed
    read: int
    added: int
    known: int
    conflicting: int
    conflicts: list[TapeConflict]
    digest: str = ""

    @property
    def code(self) -> int:
        """Exit code: 0 if no tapes contradict each other."""
        return DISAGREED if self.conflicting else AGREED


def merge_tapes(project: Project, asked: MergeTapesRequest, watch: Watch | None = None) -> MergeTapesResult:
    """Add to a tape the exchanges that only other tapes have; write nothing if two answers contradict each other."""
    into, sources = project.path(asked.into), [_there(project, folder) for folder in asked.sources]
    with relative_error_paths(project):
        done = merge_exchanges(into, sources)
    conflicts = [
        TapeConflict(
            request=one.request,
            repeat=one.repeat,
            model=one.model,
            tapes=[_recordings_short(project, tape) for tape in one.tapes],
            **({"server": one.server} if one.server else {}),
        )
        for one in done.conflicts
    ]
    named = {} if done.conflicting else {"digest": _digest(into)}
    return MergeTapesResult(
        verdict="disagreed" if conflicts else "agreed",
        read=done.read,
        added=done.added,
        known=0 if conflicts else done.read - done.added,
        conflicting=done.conflicting,
        conflicts=conflicts,
        **named,
    )


class RedactTapeResult(Result):
    """Result of `tape redact`: exchanges, how many are redacted, hits by pattern, and both tapes' digests."""

    exchanges: int
    redacted: int
    hits: dict[str, int]
    original: str
    digest: str


def redact_tape(project: Project, asked: RedactTapeRequest, watch: Watch | None = None) -> RedactTapeResult:
    """Write a new tape in which matches of patterns and pointers are hidden.

    Redacted lines are marked as such, and answer no request.
    """
    folder, out = _there(project, asked.folder), project.path(asked.out)
    with relative_error_paths(project):
        done = write_redacted_copy(folder, out, Redaction.of(asked.match, asked.fields))
    return RedactTapeResult(
        exchanges=done.exchanges, redacted=done.redacted, hits=done.hits, original=_digest(folder), digest=_digest(out)
    )


@contextmanager
def relative_error_paths(project: Project) -> Iterator[None]:
    """Context manager that rewrites the path in an error to be relative to the project's folder."""
    try:
        yield
    except HarnessError as bad:
        bad.where = _recordings_short(project, bad.where)
        raise


def _recordings_short(project: Project, path: str) -> str:
    return path.removeprefix(f"{project.folder}/")


def _digest(folder: Path) -> str:
    with Tape.open(folder) as tape:
        return tape.digest()


def _there(project: Project, folder: Path) -> Path:
    """Return the path of a tape; raise InputError if there is no such folder, which would count as an empty tape."""
    path = project.path(folder)
    if not path.is_dir():
        raise InputError("there is no tape here", where=str(folder), next="name the folder that holds its segments")
    return path


LOOK = 0.25  # seconds between two checks that the gateway still runs
FOREVER = {"refusals": 0, "failures": 0}  # a user who mistypes a name, or starts a server late, can go on


class GatewayReady(Result):
    """A running gateway: its URL, environment variables for clients, and the API keys that are missing."""

    url: str
    env: dict[str, str]
    mode: str
    tape: Path | None
    lacking: list[str]


class GatewayModel(Result):
    """Counts of requests to one model; `errors` counts the errors that clients got, by kind.

    `unnamed` of the replayed answers are from lines that name no server.
    """

    provider: str
    model: str
    requests: int
    replayed: int
    recorded: int
    live: int
    retries: int
    errors: dict[str, int]
    tokens: dict[str, int]
    unnamed: int = 0


class GatewayResult(Result):
    """Result of `gateway`: counts of requests, in all and by model; `refused` counts those that got an error."""

    requests: int
    replayed: int
    recorded: int
    live: int
    refused: int
    models: list[GatewayModel]


def gateway(
    project: Project,
    asked: GatewayRequest,
    watch: Watch | None = None,
    ready: Callable[[GatewayReady], None] = lambda _: None,
) -> GatewayResult:
    """Serve LLM clients on this machine from a tape or their providers, until `watch.stop` is set or ctrl-C is pressed.

    `ready` is called once, with the address and the variables for clients. Returns counts of the requests. Raises an
    error if a tape that is to be replayed is missing or empty.
    """
    watch = watch or Watch()
    named = _providers(asked)
    tape = _tape(project, asked)
    token = STAND_IN + secrets.token_urlsafe(24)
    how = {"token": token, "keys": "all" if asked.providers else "some", **FOREVER}
    more = {**how, "others": list(_others(asked, named, tape))}
    with relative_error_paths(project), Gateway({}, more) as running, _offered(running.socket, asked.port) as url:
        env = {name: value for one in named.values() for name, value in _env(one, url, token)}
        lacking = list(running.ready.get("lacking", ()))
        try:
            ready(GatewayReady(url=url, env=env, mode=asked.mode, tape=asked.tape, lacking=lacking))
            while not watch.stop.wait(LOOK):
                if running.gone:
                    raise MissingError("the gateway ended by itself", next="start it again: what was answered is kept")
        except KeyboardInterrupt:  # the user ends the gateway in this way
            pass
        running.end()  # open requests are finished before the port is closed
    return _summed(running.summary)


def _elsewhere() -> dict[str, type[RemoteSettings]]:
    """Return all providers that have a remote API, by name."""
    return {name: one for name in PROVIDERS.names() if issubclass(one := PROVIDERS.find(name), RemoteSettings)}


def _providers(asked: GatewayRequest) -> dict[str, type[RemoteSettings]]:
    """Return the providers that are served: those that were named, else all that have a remote API."""
    there = _elsewhere()
    for name in asked.providers:
        if name not in there:
            raise InputError(
                f"no provider elsewhere is called {name!r}",
                where="--provider",
                next=f"choose one of: {', '.join(there)}",
            )
    return {name: one for name, one in there.items() if name in (asked.providers or there)}


def _tape(project: Project, asked: GatewayRequest) -> Path | None:
    """Return the folder of the tape, or None in `live` mode; raise InputError if a tape to replay is empty."""
    if asked.mode == "live":
        if asked.tape:
            raise InputError("live answers are never recorded", where=str(asked.tape), next="record, or name no tape")
        return None
    if not asked.tape:
        raise InputError("no tape was named", where="--tape", next="name its folder: --tape DIR")
    folder = project.path(asked.tape)
    if asked.mode == "replay":
        with Tape.open(folder) as tape:
            if not len(tape):
                raise InputError(
                    "this tape is empty",
                    where=str(asked.tape),
                    next="record it first: --record; or check the path",
                )
    return folder


def _others(
    asked: GatewayRequest, named: Mapping[str, type[RemoteSettings]], tape: Path | None
) -> Iterator[dict[str, Any]]:
    """Yield for each provider the settings by which requests to any of its models are answered."""
    places = {}
    for text in asked.upstream:
        name, _, url = text.partition("=") if not text.startswith("http") else ("", "", text)
        if not name and len(named) == 1:
            name = next(iter(named))
        if name not in named or urlsplit(url).scheme not in ("http", "https"):
            raise InputError(
                f"this does not name a provider and a URL: {text[:200]}",
                where="--upstream",
                next=f"write PROVIDER=URL, such as {next(iter(named))}=http://127.0.0.1:8000/v1",
            )
        places[name] = url
    for name, one in named.items():
        told = {"provider": name, "dialect": one.DIALECT, "base_url": places.get(name, one.URL), "key": one.KEY}
        told["home"] = one.URL
        yield {**told, "mode": asked.mode, **({"tape": str(tape)} if tape else {})}


def _env(one: type[RemoteSettings], url: str, token: str) -> Iterator[tuple[str, str]]:
    """Yield environment variables that point a provider's client to the gateway: base URL with its path, and key."""
    yield f"{one.KEY.removesuffix('_API_KEY')}_BASE_URL", url + urlsplit(one.URL).path.rstrip("/")
    yield one.KEY, token


@contextmanager
def _offered(socket: Path, port: int) -> Iterator[str]:
    """Context manager that forwards a TCP port to the gateway's socket, and yields its URL."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(tcp_forwarder(socket, port))
        except OSError as bad:
            raise InputError(
                f"port {port} is not available: {bad.strerror}", where="--port", next="name another, or leave it out"
            ) from bad
        yield url


def _summed(summary: Mapping[str, Any]) -> GatewayResult:
    rows = [{name: one[name] for name in GatewayModel.model_fields if name in one} for one in summary.get("others", ())]
    models = [GatewayModel(**row) for row in rows]
    counts = {
        name: sum(int(getattr(one, name)) for one in models) for name in ("requests", "replayed", "recorded", "live")
    }
    return GatewayResult(**counts, refused=sum(sum(one.errors.values()) for one in models), models=models)
