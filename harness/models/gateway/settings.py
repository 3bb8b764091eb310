"""Settings of the gateway, read at its start (models, tapes, rate limits, prices), and the API keys of providers.

Settings are one line of JSON. They never contain a key, only its name, by which it is looked up in the environment,
else in a private file that is read once. A key is never printed or logged.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import stat
import tomllib
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from harness.errors import HarnessError, InputError, MissingError
from harness.models.gateway.dialect import Dialect
from harness.models.tape.line import SERVER, server_address
from harness.parts import import_part

DEFAULT = Path(".config") / "harness" / "keys.toml"  # below the user's home
STAND_IN = "harness-gateway-"  # prefix of the stand-in keys of a gateway's clients, which no provider accepts
SHORTEST = 12  # a shorter key ("none", "EMPTY") is not a secret, and may occur in an answer
NO_KEY = "none"  # sent in the place of a key to a server of this machine


class Keys:
    """Lookup of API keys by name: in a copy of the environment, else in the user's private keys file.

    The file is read once, when the environment first lacks a key.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        given = env.get("HARNESS_KEYS_FILE", "")
        self.path = Path(given) if given else Path(env.get("HOME", "/")) / DEFAULT
        self._file: dict[str, str] | None = None

    def find(self, name: str) -> str:
        """Return the key with a name.

        Raises MissingError, which says where to put the key, if there is none or only a gateway's stand-in for one.
        Raises InputError if it cannot be sent in a header, or if the keys file is unreadable, not TOML, or accessible
        to others.
        """
        key = self._env.get(name, "").strip() or self._from_file(name).strip()
        if not key or key.startswith(STAND_IN):
            raise MissingError(
                f"there is no key {name}",
                where=f"environment, {self._shown()}",
                next=f'export {name}=…, or write `{name} = "…"` to {self._shown()} (mode 0600)',
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise InputError(
                f"the key {name} cannot be sent: it holds a space, a line break or a sign that is not ASCII",
                where=name,
                next="copy it again from the provider's page",
            )
        return key

    def find_for(self, name: str, url: str) -> str:
        """Return the key for a server; `none` if there is no such key and the server is on this machine (loopback).

        Raises the same errors as `find` for any other server.
        """
        try:
            return self.find(name)
        except MissingError:
            if is_loopback(url):
                return NO_KEY
            raise

    def _from_file(self, name: str) -> str:
        if self._file is None:
            self._file = self._read()
        return self._file.get(name, "")

    def _read(self) -> dict[str, str]:
        """Read the keys file, if the user owns it and no one else can read it."""
        try:
            with open(self.path, "rb") as file:
                self._require_private(os.fstat(file.fileno()))
                table = tomllib.load(file)
        except FileNotFoundError:
            return {}
        except OSError as bad:
            raise self._wrong(f"cannot be read ({bad.strerror})", f"chmod 600 {self._shown()}") from None
        except ValueError:  # the reason could quote a line of the file
            raise self._wrong("is not TOML", 'write one `NAME = "key"` a line') from None
        return {name: key for name, key in table.items() if isinstance(key, str)}

    def _require_private(self, found: os.stat_result) -> None:
        if found.st_uid != os.getuid():
            raise self._wrong("belongs to another user", f"chown it to yourself, or remove {self._shown()}")
        mode = stat.S_IMODE(found.st_mode)
        if mode & 0o077:
            raise self._wrong(f"can be read by others (mode {mode:04o})", f"chmod 600 {self._shown()}")

    def _wrong(self, what: str, fix: str) -> HarnessError:
        return InputError(f"the keys file {what}", where=self._shown(), next=fix)

    def _shown(self) -> str:
        """Return the path of the file, with the home folder written as ~."""
        home = self._env.get("HOME", "")
        text = str(self.path)
        return "~" + text[len(home) :] if home and text.startswith(home + "/") else text


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine: 127.0.0.0/8, ::1 or `localhost`."""
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def encoded_forms(key: str) -> tuple[bytes, ...]:
    """Return the encodings in which a key could leak into a request or an answer.

    Empty for a key shorter than 12 characters, such as "none", which does not count as a secret.
    """
    if len(key) < SHORTEST:
        return ()
    raw = key.encode()
    coded = (base64.b64encode(raw), raw.hex().encode(), urllib.parse.quote(key, safe="").encode(), raw[::-1])
    return tuple(dict.fromkeys((raw, json.dumps(key)[1:-1].encode(), *coded)))


def _dialect(place: Any) -> Any:
    """Import a dialect by `module:name`."""
    try:
        return import_part(place)
    except (ImportError, AttributeError, TypeError, ValueError) as bad:
        raise ValueError(f"no dialect lies there ({bad}); name it as `module:name`") from bad


Mode = Literal["replay", "record", "live"]
Money = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^@\s?#]+$", max_length=2000)]
LONGEST_SOCKET = 107  # bytes that a Unix socket's address can hold
MOST = 1024  # requests of clients at once; beyond that HTTP 503
MOST_AT_ONCE = 128  # requests at once to one model, to which their number may grow


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token counts of one answer; those `read` from the provider's cache or `written` to it are part of `prompt`."""

    prompt: int = 0
    completion: int = 0
    read: int = 0
    written: int = 0


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TokenPrices(_Part):
    """Prices of a model in dollars per million tokens."""

    input: Money
    output: Money
    cached_input: Money | None = None  # for prompt tokens read from the provider's cache
    cache_write: Money | None = None  # for prompt tokens written to it

    def of(self, used: TokenUsage) -> Decimal:
        """Return the price of an answer; cached tokens cost as much as others if they have no price of their own."""
        read = self.input if self.cached_input is None else self.cached_input
        write = self.input if self.cache_write is None else self.cache_write
        fresh = max(0, used.prompt - used.read - used.written)
        whole = self.input * fresh + read * used.read + write * used.written + self.output * used.completion
        return whole / 1_000_000


AtOnce = Annotated[int, Field(ge=1, le=1024)]
Retries = Annotated[int, Field(ge=0, le=20)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class ModelLimits(_Part):
    """Limits of a model: requests and tokens per minute, dollars, and how each request is made; None: the default."""

    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    dollars: Money | None = None
    concurrency: AtOnce | None = None  # the most requests at once
    timeout: Seconds | None = None  # for one request
    retries: Retries | None = None  # of one request


class ServedModel(_Part):
    """A served model, or in `others` any model of a provider: URL, name of the key, tape mode, prices and limits.

    The key itself is never included.
    """

    provider: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,80}$")]
    dialect: Annotated[InstanceOf[Dialect], BeforeValidator(_dialect)]
    base_url: Url
    home: Url | None = None  # the provider's own address; answers of any other one belong to that server
    same_as: Url | None = None  # the address that the server had before; what it answered there counts as its own
    key: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
    mode: Mode
    tape: Path | None = None
    prices: TokenPrices | None = None
    limits: ModelLimits = ModelLimits()
    model: str = ""  # the provider's name for it, if it is served under a name of the gateway's own

    @model_validator(mode="before")
    @classmethod
    def _default_dialect(cls, given: Any) -> Any:
        """Use the dialect with the provider's name if none is given."""
        if isinstance(given, dict) and isinstance(provider := given.get("provider"), str):
            return {"dialect": f"{__package__}.{provider}:DIALECT", **given}
        return given

    @model_validator(mode="after")
    def _whole(self) -> ServedModel:
        if self.mode != "live" and (self.tape is None or not self.tape.is_absolute()):
            raise ValueError(f"mode {self.mode} needs `tape`, an absolute folder")
        if self.limits.dollars is not None and self.prices is None:
            raise ValueError("a limit in dollars needs `prices`, or nobody knows what is spent")
        for url in filter(None, (self.base_url, self.home, self.same_as)):
            server_address(url)
        return self

    @cached_property
    def address(self) -> str:
        """The server's address, as a tape names it."""
        return server_address(self.base_url)

    @cached_property
    def own_part(self) -> dict[str, str]:
        """The fields that this model's server address adds to what identifies a request."""
        return self.part_of_request(self.address)

    def part_of_request(self, address: str) -> dict[str, str]:
        """Return the fields that a server address adds to what identifies a request; none for the provider's own."""
        return {} if self.home and address == server_address(self.home) else {SERVER: address}

    def part_of_call(self, path: str) -> dict[str, str]:
        """Return the fields that a gateway path and the server's address add to what identifies a request."""
        return {**({"path": path} if self.dialect.endpoints[path].path_in_name else {}), **self.own_part}


class GateSettings(_Part):
    """The settings of a gateway: its socket, models, retries, timeout and concurrency; without providers' keys."""

    socket: Path
    others: tuple[ServedModel, ...] = ()  # for models that are not named: one per provider
    models: dict[str, ServedModel]
    token: str = ""  # the key that clients must send; empty: any client of the socket may ask
    keys: Literal["late", "some", "all"] = "late"  # when missing keys are reported: by a request, or at the start
    concurrency: AtOnce = MOST_AT_ONCE  # the most requests at once to a model, if its limits do not say it
    retries: Retries = 6
    timeout: Seconds = 600
    backoff: Annotated[float, Field(gt=0, le=60)] = 0.5  # seconds before the first retry
    refusals: Annotated[int, Field(ge=0)] = 20  # allowed refusals in a row of a model without an answer; 0: any number
    failures: Annotated[int, Field(ge=0)] = (
        5  # attempts in a row that reach nobody, after which it is given up; 0: never
    )
    outage: Annotated[float, Field(gt=0, le=86_400)] = 10  # seconds of such attempts after which it is given up, too
    patience: Annotated[float, Field(gt=0, le=86_400)] = 300  # seconds without an answer of a provider that replies
    grace: Annotated[float, Field(ge=0, le=600)] = 5  # seconds for running requests when the gateway stops

    @model_validator(mode="after")
    def _reachable(self) -> GateSettings:
        if not self.socket.is_absolute() or len(str(self.socket).encode()) > LONGEST_SOCKET:
            raise ValueError(f"`socket` must be an absolute path of at most {LONGEST_SOCKET} bytes")
        return self

    @field_validator("models")
    @classmethod
    def _not_empty(cls, models: dict[str, ServedModel], info: ValidationInfo) -> dict[str, ServedModel]:
        if not models and not info.data.get("others"):
            raise ValueError("a gateway serves one model at least")
        return models

    @property
    def served(self) -> tuple[ServedModel, ...]:
        """The settings of all served models: the named ones first, then `others`."""
        return (*self.models.values(), *self.others)

    @property
    def dialects(self) -> tuple[Dialect, ...]:
        """The dialects of all models, each once, in the order of the models."""
        return tuple(dict.fromkeys(served.dialect for served in self.served))


def parse_settings(line: bytes) -> GateSettings:
    """Parse the settings from a line of JSON; raises InputError with the name of the first wrong field."""
    try:
        return GateSettings.model_validate_json(line)
    except ValidationError as bad:
        first = bad.errors(include_input=False, include_url=False)[0]
        where = "/" + "/".join(str(part) for part in first["loc"])
        raise InputError(
            f"the gateway's settings are wrong: {first['msg']}", where=where, next="give one line of JSON on stdin"
        ) from None
