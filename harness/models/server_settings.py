"""Settings that every model behind an API has besides its provider's: how it is asked, and where its server was before.

`limits` say how many requests are made at once, how long one may take and how often it is retried. They change no
answer, so they are in no step's parameters, key or code, and in no lock's intent. `same_as: URL` says that a server
moved: answers that are recorded at that URL count as answers of the present one. The manifest's author asserts it, so
it is in the lock's intent. It is also in the keys of the steps that ask, but only if it is set: without it, answers of
the former address are not this server's, so a manifest that does not say so must not find a step that took them.

These fields are apart from `provider.py` because that file is part of the code of every step in which a model answers,
and a step's code never reads them: the manifest, the lock and the gateway do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import cache
from typing import Annotated, Any

from harness.models.provider import ADDRESS, LATE, Allowance, CheckedText, Number, RemoteSettings, Service
from harness.models.tape.line import server_address

MOST_AT_ONCE, MOST_RETRIES, LONGEST = 1024, 20, 86_400


@dataclass(frozen=True, kw_only=True)
class RequestLimits(Allowance):
    """The limits of a model: rates, spending, requests at once, seconds for one, and its retries; None: the default."""

    concurrency: int | None = field(default=None, metadata=LATE)
    timeout: Number | None = field(default=None, metadata=LATE)
    retries: int | None = field(default=None, metadata=LATE)

    def __post_init__(self) -> None:
        """Raise ValueError for a limit out of its range."""
        super().__post_init__()
        if self.concurrency is not None and not 1 <= self.concurrency <= MOST_AT_ONCE:
            raise ValueError(
                f"`concurrency` is 1 to {MOST_AT_ONCE:,}: how many requests are under way at once, at most"
            )
        if self.timeout is not None and not 0 < float(self.timeout) <= LONGEST:
            raise ValueError(f"`timeout` is above 0 and at most {LONGEST:,}: the seconds that one request may take")
        if self.retries is not None and not 0 <= self.retries <= MOST_RETRIES:
            raise ValueError(f"`retries` is 0 to {MOST_RETRIES}: how often a failed request is made again")


MANNER = tuple(each.name for each in fields(RequestLimits) if each.metadata == LATE)


@dataclass(frozen=True, kw_only=True)
class ServerSettings(RemoteSettings):
    """The settings of a model behind an API, with how it is asked and where its server was before."""

    limits: RequestLimits | None = None
    same_as: Annotated[str, CheckedText(ADDRESS)] | None = field(default=None, metadata=LATE)

    def __post_init__(self) -> None:
        """Raise ValueError for an address that cannot be read, and for a server that moved to where it was."""
        super().__post_init__()
        here = server_address(self.base_url or self.URL)
        if self.same_as and server_address(self.same_as) == here:
            raise ValueError("`same_as` is where the server was before, and this is where it is now: leave it out")

    def as_data(self) -> dict[str, Any]:
        """Return all settings as plain data, as a lock holds them: without how requests are made."""
        said = super().as_data()
        limits = said.get("limits")
        if isinstance(limits, Mapping):
            kept = {name: value for name, value in limits.items() if name not in MANNER}
            said["limits"] = kept if any(value is not None for value in kept.values()) else None
        return said

    def answer_params(self) -> dict[str, Any]:
        """Return what can change an answer, including the server's former address if it is set."""
        return super().answer_params() | ({"same_as": self.same_as} if self.same_as else {})

    @property
    def service(self) -> Service:
        """The model's settings for the gateway, with the provider's own address and the server's former one."""
        service = super().service
        more = {"home": self.URL, **({"same_as": self.same_as} if self.same_as else {})}
        return replace(service, told={**service.told, **more})


@cache
def with_server_settings(settings: type[Any]) -> type[Any]:
    """Return a provider's class of settings with the fields of `ServerSettings`; unchanged if no server is asked."""
    if not issubclass(settings, RemoteSettings):
        return settings
    return make_dataclass(
        settings.__name__,
        (),
        bases=(ServerSettings, settings),
        frozen=True,
        kw_only=True,
        namespace={"__doc__": settings.__doc__, "__module__": settings.__module__},
    )
