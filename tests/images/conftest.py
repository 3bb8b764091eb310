"""Stores that the tests of images fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "store")


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store.make(tmp_path / "other")
