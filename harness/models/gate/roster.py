"""Whom a gateway serves: the models it was told by name, and, beside somebody's own client, any other of a provider.

Each has an account: how it is answered, what was counted, what is left of its limits. It must never know HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.models.gate.limits import Allowance
from harness.models.gate.patience import Patience
from harness.models.gate.settings import Served, Settings
from harness.models.gate.tally import Tally


@dataclass(frozen=True, eq=False)
class Account:
    """One model of one provider, as this gateway knows it."""

    model: str
    served: Served
    tally: Tally
    patience: Patience
    allowance: Allowance

    def as_data(self) -> dict[str, Any]:
        """Give what it came to."""
        return self.tally.as_data(self.allowance.spent)


class Roster:
    """The accounts of a gateway; those that nobody named are opened when they are asked."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.named = {name: self._open(name, served) for name, served in settings.models.items()}
        self._others: dict[tuple[str, str], Account] = {}

    def _open(self, name: str, served: Served) -> Account:
        return Account(name, served, Tally(), Patience(self._settings.refusals), Allowance(served))

    def find(self, name: object, path: str, own: str | None = None) -> Account | None:
        """Give the account of a model that is asked at a path, if it may be asked there; `own` is our name for it."""
        if not isinstance(name, str):
            return None
        account = self.named.get(name if own is None else own)
        if account:
            meant = account.served.model == ("" if own is None else name)
            return account if meant and path in account.served.dialect.questions else None
        if own is not None:
            return None
        for served in self._settings.others:
            if path in served.dialect.questions:
                return self._others.setdefault((served.provider, name), self._open(name, served))
        return None

    def here(self, path: str) -> dict[str, str]:
        """Give the providers of the models that were named and may be asked at a path, by model."""
        known = self._settings.models.items()
        return {name: told.provider for name, told in known if path in told.dialect.questions and not told.model}

    @property
    def providers(self) -> Mapping[str, str]:
        """Give the providers of all models, by model: those that were named, and those that were asked."""
        others = {name: provider for provider, name in self._others}
        return others | {name: told.provider for name, told in self._settings.models.items() if not told.model}

    def __iter__(self) -> Iterator[Account]:
        """Give all accounts."""
        yield from (*self.named.values(), *self._others.values())

    def folders(self, mode: str) -> set[Path]:
        """Give the tapes of all models that are answered in one mode."""
        return {served.tape for served in self._settings.served if served.mode == mode and served.tape}

    def summary(self) -> dict[str, Any]:
        """Say what the gateway did, a model at a time."""
        told: dict[str, Any] = {"models": {name: account.as_data() for name, account in self.named.items()}}
        if self._settings.others:
            told["others"] = [
                {"provider": provider, "model": name, **account.as_data()}
                for (provider, name), account in sorted(self._others.items())
            ]
        return told
