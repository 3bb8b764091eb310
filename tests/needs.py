"""What a file of tests cannot do without."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


def needs(*packages: str) -> None:
    """Skip a file where a package is missing; none is loaded for that, since each process collects every file."""
    for name in packages:
        if not find_spec(name):
            pytest.skip(f"{name} is not installed here", allow_module_level=True)


class OnceUsed:
    """A module that is loaded when something of it is first used, which collecting its tests is not."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("__", "_py", "_mock")):  # what pytest asks each name of a file for
            raise AttributeError(name)
        return getattr(import_module(self._name), name)
