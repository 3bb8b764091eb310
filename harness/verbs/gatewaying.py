"""The verb `gateway`: LLM clients on this machine are answered from a tape, recorded onto one, or passed through."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from harness.errors import InputError, MissingError
from harness.manifest.models import PROVIDERS
from harness.models.gateway.forward import tcp_forwarder
from harness.models.gateway.settings import STAND_IN
from harness.models.provider import RemoteSettings
from harness.models.tape.tape import Tape
from harness.run.gateway import Gateway
from harness.verbs.project import Project, Request, Result, Watch
from harness.verbs.recordings import near

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
