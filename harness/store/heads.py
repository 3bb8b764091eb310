"""Heads: one chain of every run's start and end in a store, so that a run nobody liked cannot vanish."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import document
from harness.errors import DamageError
from harness.files import append_durable, locked, open_log, told
from harness.store.journal import Chain, check_chain, read_chain

KIND = "head/1"


class Heads:
    """The list of everything that was ever started in a store."""

    def __init__(self, path: Path, lock: Path) -> None:
        self.path = path
        self.lock = lock

    def add(self, event: str, fields: Mapping[str, Any]) -> None:
        """Add a line under the store's lock; a line torn by a kill is cut off first, whole lines never are."""
        with locked(self.lock), told(self.path):
            handle = open_log(self.path)
            try:
                data = self.path.read_bytes()
                whole = data[: data.rfind(b"\n") + 1]
                if len(whole) != len(data):
                    os.ftruncate(handle, len(whole))
                chain = check_chain(whole, KIND)
                if chain.broken:
                    raise DamageError(
                        f"the list of runs is broken at {chain.broken}",
                        where=str(self.path),
                        next="restore heads.jsonl from a copy, or begin a fresh store with --store DIR",
                    )
                body = {"type": KIND, "event": event, "n": len(chain.events), "prev": chain.head, **fields}
                append_durable(handle, [document(body) + b"\n"])
            finally:
                os.close(handle)

    def read(self) -> Chain:
        """Give the chain as far as it holds; a store without runs has an empty one."""
        return read_chain(self.path, KIND) if self.path.exists() else Chain(())
