"""The verbs of tapes, and the verb `gateway`, which records what models elsewhere answer."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from harness.errors import AGREED, DISAGREED, HarnessError, InputError, MissingError
from harness.manifest.models import PROVIDERS
from harness.models.gateway.forward import tcp_forwarder
from harness.models.gateway.settings import STAND_IN
from harness.models.provider import RemoteSettings
from harness.models.tape.exchange import export_lines, import_lines, merge
from harness.models.tape.index import verify
from harness.models.tape.redact import Redaction, redact
from harness.models.tape.tape import Tape
from harness.run.gateway import Gateway
from harness.verbs.project import Project, Request, Result, Watch

FOLDER = "The tape: a folder of segments."


class TapeRequest(Request):
    """Request of a verb of tapes: which tape."""

    folder: Path = Field(description=FOLDER)


class TapedModel(Result):
    """Exchanges of one model on a tape, counted."""

    provider: str
    model: str
    exchanges: int
    bytes: int
    first: str
    last: str


class LsTapeResult(Result):
    """Result of `tape ls`: exchanges by model; `redacted` ones answer nothing."""

    digest: str
    exchanges: int
    bytes: int
    models: list[TapedModel]
    redacted: int = 0


def ls_tape(project: Project, asked: TapeRequest, watch: Watch | None = None) -> LsTapeResult:
    """List what a tape holds, by model: exchanges, bytes, first and last time."""
    folder, redacted = _there(project, asked.folder), 0
    found: dict[tuple[str, str], dict[str, Any]] = {}
    with near(project), Tape.open(folder) as tape:
        for one in tape.requests():
            names = (one.provider, str(one.body.get("model", "")))
            row = found.setdefault(names, {"exchanges": 0, "bytes": 0, "first": one.at, "last": one.at})
            row["exchanges"] += 1
            row["bytes"] += len(one.response)
            row["first"], row["last"] = min(row["first"], one.at), max(row["last"], one.at)
            redacted += bool(one.redacted)
        digest, count = tape.digest(), len(tape)
    models = [TapedModel(provider=provider, model=model, **row) for (provider, model), row in sorted(found.items())]
    size = sum(path.stat().st_size for path in folder.glob("segment-*.jsonl"))
    more = {"redacted": redacted} if redacted else {}
    return LsTapeResult(digest=digest, exchanges=count, bytes=size, models=models, **more)


class TapeFlaw(Result):
    """Damage of a tape, and where."""

    file: str
    line: int
    detail: str


class VerifyTapeResult(Result):
    """Result of `tape verify`: how much was read, and what is damaged; `redacted` lines are intact."""

    exchanges: int
    segments: int
    bytes: int
    torn: str
    flaws: list[TapeFlaw]
    verdict: str  # agreed | disagreed
    redacted: int = 0

    @property
    def code(self) -> int:
        """Exit code: 0 where nothing is damaged."""
        return DISAGREED if self.flaws else AGREED


def verify_tape(project: Project, asked: TapeRequest, watch: Watch | None = None) -> VerifyTapeResult:
    """Read every byte of a tape and report what is damaged; nothing is repaired."""
    with near(project):
        found = verify(_there(project, asked.folder))
    more = {"redacted": found.redacted} if found.redacted else {}
    return VerifyTapeResult(
        exchanges=found.exchanges,
        segments=found.segments,
        bytes=found.bytes,
        torn=found.torn,
        flaws=[TapeFlaw(**vars(flaw)) for flaw in found.flaws],
        verdict="disagreed" if found.flaws else "agreed",
        **more,
    )


class ImportTapeRequest(TapeRequest):
    """Request of `tape import`: which file of exchanges, onto which tape."""

    file: Path = Field(description="JSON Lines of request and response.")
    provider: str = Field(default="", description="Who answered, where a line does not say it: openai, anthropic, …")


class ImportTapeResult(Result):
    """Result of `tape import`: how many exchanges were read, and how many the tape had already."""

    read: int
    added: int
    known: int


def import_tape(project: Project, asked: ImportTapeRequest, watch: Watch | None = None) -> ImportTapeResult:
    """Import recorded exchanges from JSON Lines; importing them again adds nothing."""
    with near(project):
        done = import_lines(project.path(asked.file), project.path(asked.folder), asked.provider)
    return ImportTapeResult(read=done.read, added=done.added, known=done.read - done.added)


class ExportTapeRequest(TapeRequest):
    """Request of `tape export`: which tape, into which file."""

    file: Path = Field(description="A new file, of JSON Lines of request and response.")


class ExportTapeResult(Result):
    """Result of `tape export`: the file, how many exchanges it has, and the tape's digest, which an import keeps."""

    file: Path
    exchanges: int
    digest: str


def export_tape(project: Project, asked: ExportTapeRequest, watch: Watch | None = None) -> ExportTapeResult:
    """Write a tape to a new file as JSON Lines, which an import reads back."""
    folder = _there(project, asked.folder)
    with near(project):
        count = export_lines(folder, project.path(asked.file))
        return ExportTapeResult(file=asked.file, exchanges=count, digest=_digest(folder))


class MergeTapesRequest(Request):
    """Request of `tape merge`: which tapes are added to which."""

    into: Path = Field(description="The tape that is added to; it need not be there yet.")
    sources: list[Path] = Field(min_length=1, description="The tapes whose exchanges are added.")


class TapeConflict(Result):
    """Request with two answers, and the tapes that hold them."""

    request: str
    repeat: int
    model: str
    tapes: list[str]


class MergeTapesResult(Result):
    """Result of `tape merge`: what was added; nothing, where tapes contradict each other."""

    verdict: str  # agreed | disagreed
    read: int
    added: int
    known: int
    conflicting: int
    conflicts: list[TapeConflict]
    digest: str = ""

    @property
    def code(self) -> int:
        """Exit code: 0 where nothing contradicts anything."""
        return DISAGREED if self.conflicting else AGREED


def merge_tapes(project: Project, asked: MergeTapesRequest, watch: Watch | None = None) -> MergeTapesResult:
    """Add to a tape what it lacks of others; where two answers contradict each other, nothing is written."""
    into, sources = project.path(asked.into), [_there(project, folder) for folder in asked.sources]
    with near(project):
        done = merge(into, sources)
    conflicts = [
        TapeConflict(
            request=one.request, repeat=one.repeat, model=one.model, tapes=[_short(project, tape) for tape in one.tapes]
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


class RedactTapeRequest(TapeRequest):
    """Request of `tape redact`: what is hidden in the new tape."""

    out: Path = Field(description="A new folder, for the redacted tape.")
    match: list[str] = Field(default_factory=list, description="A regular expression: what it matches is hidden.")
    fields: list[str] = Field(
        default_factory=list,
        description="A JSON Pointer into {request, response, headers}: what stands there is hidden.",
    )


class RedactTapeResult(Result):
    """Result of `tape redact`: exchanges, how many are redacted, hits by pattern, and both tapes' digests."""

    exchanges: int
    redacted: int
    hits: dict[str, int]
    original: str
    digest: str


def redact_tape(project: Project, asked: RedactTapeRequest, watch: Watch | None = None) -> RedactTapeResult:
    """Write a new tape in which what patterns or pointers hit is hidden; redacted lines say so and answer nothing."""
    folder, out = _there(project, asked.folder), project.path(asked.out)
    with near(project):
        done = redact(folder, out, Redaction.of(asked.match, asked.fields))
    return RedactTapeResult(
        exchanges=done.exchanges, redacted=done.redacted, hits=done.hits, original=_digest(folder), digest=_digest(out)
    )


@contextmanager
def near(project: Project) -> Iterator[None]:
    """Rewrite paths in an error the way they were asked for: relative to the person's folder."""
    try:
        yield
    except HarnessError as bad:
        bad.where = _short(project, bad.where)
        raise


def _short(project: Project, path: str) -> str:
    return path.removeprefix(f"{project.folder}/")


def _digest(folder: Path) -> str:
    with Tape.open(folder) as tape:
        return tape.digest()


def _there(project: Project, folder: Path) -> Path:
    """Refuse a folder that does not exist, which the library would take for an empty tape."""
    path = project.path(folder)
    if not path.is_dir():
        raise InputError("there is no tape here", where=str(folder), next="name the folder that holds its segments")
    return path


LOOK = 0.25  # seconds between two looks at whether the gateway is still there
FOREVER = {"refusals": 0}  # a person who mistypes a model's name mends it, and goes on


class GatewayRequest(Request):
    """Request of `gateway`: which tape is replayed or recorded, and for which providers."""

    tape: Path | None = Field(default=None, description="The tape: a folder. In `live` there is none.")
    mode: Literal["replay", "record", "live"] = Field(
        default="replay", description="The tape alone; the provider too, for what is not on it; the provider alone."
    )
    providers: list[str] = Field(default_factory=list, description="Whose clients are served; default: all.")
    upstream: list[str] = Field(
        default_factory=list, description="URL or PROVIDER=URL: another server that speaks like a provider."
    )
    port: int = Field(default=0, ge=0, le=65535, description="The port of 127.0.0.1; 0: any that is free.")


class GatewayReady(Result):
    """A gateway that listens: its URL, environment variables for clients, and the API keys that are missing."""

    url: str
    env: dict[str, str]
    mode: str
    tape: Path | None
    lacking: list[str]


class GatewayModel(Result):
    """Requests to one model, counted; `errors` are those that clients were given, by kind."""

    provider: str
    model: str
    requests: int
    replayed: int
    recorded: int
    live: int
    retries: int
    errors: dict[str, int]
    tokens: dict[str, int]


class GatewayResult(Result):
    """Result of `gateway`: requests counted, in all and by model; `refused` ones got an error."""

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
    """Serve LLM clients on this machine, from a tape or their providers, until `watch.stop` is set or ctrl-C comes.

    `ready` is called once, with the address and the variables for clients. A replayed tape that is missing or empty
    raises an error; the requests are counted in the result.
    """
    watch = watch or Watch()
    named = _providers(asked)
    tape = _tape(project, asked)
    token = STAND_IN + secrets.token_urlsafe(24)
    how = {"token": token, "keys": "all" if asked.providers else "some", **FOREVER}
    more = {**how, "others": list(_others(asked, named, tape))}
    with near(project), Gateway({}, more) as running, _offered(running.socket, asked.port) as url:
        env = {name: value for one in named.values() for name, value in _env(one, url, token)}
        lacking = list(running.ready.get("lacking", ()))
        try:
            ready(GatewayReady(url=url, env=env, mode=asked.mode, tape=asked.tape, lacking=lacking))
            while not watch.stop.wait(LOOK):
                if running.gone:
                    raise MissingError("the gateway ended by itself", next="start it again: what was answered is kept")
        except KeyboardInterrupt:  # the way in which a person ends it
            pass
        running.end()  # what is under way is finished before the port is closed
    return _summed(running.summary)


def _providers(asked: GatewayRequest) -> dict[str, type[RemoteSettings]]:
    """List the providers that are served: all with a remote API, or those that were named."""
    there = {name: one for name in PROVIDERS.names() if issubclass(one := PROVIDERS.find(name), RemoteSettings)}
    for name in asked.providers:
        if name not in there:
            raise InputError(
                f"no provider elsewhere is called {name!r}",
                where="--provider",
                next=f"choose one of: {', '.join(there)}",
            )
    return {name: one for name, one in there.items() if name in (asked.providers or there)}


def _tape(project: Project, asked: GatewayRequest) -> Path | None:
    """Find the tape's folder; a replayed one must exist."""
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
    """Make the settings for models that nobody named: how they are answered."""
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
        yield {**told, "mode": asked.mode, **({"tape": str(tape)} if tape else {})}


def _env(one: type[RemoteSettings], url: str, token: str) -> Iterator[tuple[str, str]]:
    """Environment variables that point a provider's client here: base URL with its path, and a key."""
    yield f"{one.KEY.removesuffix('_API_KEY')}_BASE_URL", url + urlsplit(one.URL).path.rstrip("/")
    yield one.KEY, token


@contextmanager
def _offered(socket: Path, port: int) -> Iterator[str]:
    """Serve on the TCP port that was asked for."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(tcp_forwarder(socket, port))
        except OSError as bad:
            raise InputError(
                f"port {port} is not available: {bad.strerror}", where="--port", next="name another, or leave it out"
            ) from bad
        yield url


def _summed(summary: Mapping[str, Any]) -> GatewayResult:
    rows = [{name: one[name] for name in GatewayModel.model_fields} for one in summary.get("others", ())]
    models = [GatewayModel(**row) for row in rows]
    counts = {
        name: sum(int(getattr(one, name)) for one in models) for name in ("requests", "replayed", "recorded", "live")
    }
    return GatewayResult(**counts, refused=sum(sum(one.errors.values()) for one in models), models=models)
