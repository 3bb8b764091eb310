"""What a file of tests cannot do without."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(*packages: str) -> None:
    """Skip a file where a package is missing; none is loaded for that, since each process collects every file."""
    for name in packages:
        if not find_spec(name):
            pytest.skip(f"{name} is not installed here", allow_module_level=True)
