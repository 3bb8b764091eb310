"""Loading of large libraries at the start of a process: only the parts that are used, and no look for garbage."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def loading() -> Iterator[None]:
    """Import in a `with` block: no garbage is looked for meanwhile, nor ever again in what was loaded."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def alone(*packages: str) -> None:
    """Let modules of these packages be imported without what the packages' own `__init__` imports, until it is needed.

    An SDK's `__init__` imports its client and its HTTP servers: a quarter of the start of a server over stdio.
    """
    for name in packages:
        spec = None if name in sys.modules else importlib.util.find_spec(name)
        if spec is not None:
            package = _Package(name)
            package.__spec__, package.__path__ = spec, list(spec.submodule_search_locations or ())
            package.__file__, package.__loader__, package.__package__ = spec.origin, spec.loader, name
            sys.modules[name] = package
            above, _, last = name.rpartition(".")
            if above:
                setattr(sys.modules[above], last, package)


class _Package(ModuleType):
    """A package whose `__init__` runs when a name is asked for that no module of it has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or importlib.util.find_spec(f"{self.__name__}.{name}"):
            raise AttributeError(name)  # then the import looks for the module
        self.__class__ = ModuleType  # type: ignore[assignment]  # once
        assert self.__spec__ is not None and self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)
