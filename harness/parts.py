"""Plugin lookup by file name (engines, providers, scorers, studies), and import of a place written `module:name`.

A part is found where its kind lives, by the name of its file, so that adding one touches no list. Nothing that a step
imports may import this: what a step runs is read from its source, and an import by name would not be seen there.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Any

from harness.errors import InputError


@dataclass(frozen=True)
class PartRegistry:
    """Plugins of one kind: what a person calls it, the package it lives in, and the variable its file defines."""

    what: str
    package: str
    holds: str
    file: str = ""  # of a part that is a folder: the module in it that says what it is

    def find(self, name: str, where: str = "") -> Any:
        """Get a part by its name, or raise an InputError that lists those there are."""
        found = self.get(name)
        if found is None:
            raise InputError(
                f"there is no {self.what} {name!r}", where=where, next=f"choose one of: {', '.join(self.names())}"
            )
        return found

    def get(self, name: object) -> Any:
        """Get a part by its name; None where no module of that name defines one."""
        return self._load(name) if isinstance(name, str) and name in self._modules() else None

    def names(self) -> list[str]:
        """List the parts there are: the modules of the package that define one."""
        return [name for name in self._modules() if self._load(name) is not None]

    def _modules(self) -> tuple[str, ...]:
        return _inside(self.package, folders=bool(self.file))

    def _load(self, name: str) -> Any:
        module = f"{self.package}.{name}{'.' if self.file else ''}{self.file}"
        return getattr(importlib.import_module(module), self.holds, None)


@cache
def _inside(package: str, *, folders: bool) -> tuple[str, ...]:
    """List a package's modules, or its packages."""
    path = importlib.import_module(package).__path__
    return tuple(sorted(one.name for one in pkgutil.iter_modules(path) if one.ispkg == folders))


def part(place: str) -> Any:
    """Import the attribute that `place` names as `module:name`, the spelling of step kinds."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
