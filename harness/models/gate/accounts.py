"""Accounts of the models that a gateway serves: each that its settings name, and others that `others` lets in.

A model that is not named gets an account at its first request, if a provider in `settings.others` serves the path of
that request. An account holds a model's settings, counters, circuit breaker and rate limiter. It never knows HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.models.gate.circuit_breaker import CircuitBreaker
from harness.models.gate.limits import RateLimiter
from harness.models.gate.settings import GateSettings, ServedModel
from harness.models.gate.usage_count import UsageCount


@dataclass(frozen=True, eq=False)
class Account:
    """The state of one model in this gateway: settings, counters, circuit breaker and rate limiter."""

    model: str
    served: ServedModel
    usage: UsageCount
    breaker: CircuitBreaker
    limiter: RateLimiter

    def as_data(self) -> dict[str, Any]:
        """Convert the counters and the dollars spent to plain data."""
        return self.usage.as_data(self.limiter.spent)


class Accounts:
    """The accounts of a gateway's models: settings, counters, circuit breaker and rate limiter of each.

    Every model that the settings name has one from the start. Any other gets one at its first request, but only where
    a provider in `settings.others` serves the path of that request.
    """

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings
        self.named = {name: self._open(name, served) for name, served in settings.models.items()}
        self._others: dict[tuple[str, str], Account] = {}

    def _open(self, name: str, served: ServedModel) -> Account:
        return Account(name, served, UsageCount(), CircuitBreaker(self._settings.refusals), RateLimiter(served))

    def find(self, name: object, path: str, own: str | None = None) -> Account | None:
        """Find the account of the model that a request names; None where it is not served at the request's path.

        `own` is the gateway's own name for the model, where the client sent one (header `x-harness-served`). A model
        that is not named gets its account opened here, if a provider in `settings.others` serves the path and no
        `own` was sent.
        """
        if not isinstance(name, str):
            return None
        account = self.named.get(name if own is None else own)
        if account:
            meant = account.served.model == ("" if own is None else name)
            return account if meant and path in account.served.dialect.endpoints else None
        if own is not None:
            return None
        for served in self._settings.others:
            if path in served.dialect.endpoints:
                return self._others.setdefault((served.provider, name), self._open(name, served))
        return None

    def models_at(self, path: str) -> dict[str, str]:
        """Map each model that the settings name and serve at a path to its provider.

        Models served under a name of the gateway's own are left out.
        """
        known = self._settings.models.items()
        return {name: told.provider for name, told in known if path in told.dialect.endpoints and not told.model}

    @property
    def providers(self) -> Mapping[str, str]:
        """Map every model to its provider: those the settings name, and those whose account was opened since.

        Models served under a name of the gateway's own are left out.
        """
        others = {name: provider for provider, name in self._others}
        return others | {name: told.provider for name, told in self._settings.models.items() if not told.model}

    def __iter__(self) -> Iterator[Account]:
        """Iterate over all accounts: the named models' first, then those opened since."""
        yield from (*self.named.values(), *self._others.values())

    def tape_folders(self, mode: str) -> set[Path]:
        """Collect the tape folders of all entries in the settings, `others` included, that have this mode."""
        return {served.tape for served in self._settings.served if served.mode == mode and served.tape}

    def summary(self) -> dict[str, Any]:
        """Summarise the counters and the dollars spent, model by model, as plain data.

        Under `models` stand the named ones; under `others`, where the settings allow any, those opened since.
        """
        summary: dict[str, Any] = {"models": {name: account.as_data() for name, account in self.named.items()}}
        if self._settings.others:
            summary["others"] = [
                {"provider": provider, "model": name, **account.as_data()}
                for (provider, name), account in sorted(self._others.items())
            ]
        return summary
