"""The first steps of a child process: it reserves the wire for itself, and loads large libraries fast.

Everything else in the process that prints or reads uses other descriptors than the wire. Of large libraries only the
used parts are loaded, without garbage collection. Only the standard library is imported. Independent of what the
process does.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


def claim_connection(source: int = 0, sink: int = 1) -> tuple[int, int]:
    """Move the client's connection (stdin, stdout) to private file descriptors, and return these two.

    After that, prints to stdout reach stderr, and stdin is at its end, also in child processes.
    """
    wire = os.dup(source), os.dup(sink)  # neither is inherited
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, source)
    os.close(nothing)
    os.dup2(2, sink)
    return wire


@contextmanager
def paused_collection() -> Iterator[None]:
    """Context manager for imports: no garbage is collected meanwhile, nor later among the objects that were loaded."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def lazy_packages(*packages: str) -> None:
    """Let modules of these packages be imported without running the packages' own `__init__`, until that is needed.

    The `__init__` of an SDK imports its client and its HTTP servers, which takes a quarter of the start of a server
    over stdio.
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
    """Package whose `__init__` runs when a name is first requested that is not one of its modules."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or importlib.util.find_spec(f"{self.__name__}.{name}"):
            raise AttributeError(name)  # the import system then looks for the module
        self.__class__ = ModuleType  # type: ignore[assignment]  # once
        assert self.__spec__ is not None and self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)
