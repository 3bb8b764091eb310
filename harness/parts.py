"""Plugin lookup by file name (engines, providers, scorers, studies), and import of a `module:name` string.

A plugin is found by its file name in the package of its kind, so that adding one needs no registration. Modules that a
step imports may not import this module: the code of a step is found by reading its source, which does not show an
import by name.
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
    """Plugins of one kind: the word for the kind, the package that holds them, and the variable each file defines."""

    what: str
    package: str
    holds: str
    file: str = ""  # if a plugin is a folder: the module in it that defines the variable

    def find(self, name: str, where: str = "") -> Any:
        """Return a plugin by its name, or raise an InputError that lists those that exist."""
        found = self.get(name)
        if found is None:
            raise InputError(
                f"there is no {self.what} {name!r}", where=where, next=f"choose one of: {', '.join(self.names())}"
            )
        return found

    def get(self, name: object) -> Any:
        """Return a plugin by its name; None if no module of that name defines one."""
        return self._load(name) if isinstance(name, str) and name in self._modules() else None

    def names(self) -> list[str]:
        """List the names of the plugins: the modules of the package that define one."""
        return [name for name in self._modules() if self._load(name) is not None]

    def _modules(self) -> tuple[str, ...]:
        return _inside(self.package, folders=bool(self.file))

    def _load(self, name: str) -> Any:
        module = f"{self.package}.{name}{'.' if self.file else ''}{self.file}"
        return getattr(importlib.import_module(module), self.holds, None)


@cache
def _inside(package: str, *, folders: bool) -> tuple[str, ...]:
    """List the modules of a package, or with `folders` its subpackages."""
    path = importlib.import_module(package).__path__
    return tuple(sorted(one.name for one in pkgutil.iter_modules(path) if one.ispkg == folders))


def import_part(place: str) -> Any:
    """Import the attribute that `place` names as `module:name`, the spelling of step kinds."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
