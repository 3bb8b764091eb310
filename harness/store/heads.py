"""The list of runs and attempts (heads.jsonl): a hash chain of starts and ends; a change before the last line shows."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from harness.digest import document, sha256
from harness.errors import DamageError
from harness.files import append_durable, translating_os_errors
from harness.store.journal import START, Chain, Event, check_chain
from harness.store.limits import MOST_LOG
from harness.store.tree import StoreTree

KIND = "head/1"
# The canonical form of every kind of line: a fast path, so that ten thousand runs are read in a moment.
_HEX = r'"([0-9a-f]{64})"'
_LINE = re.compile(
    r'\{"event":"(run\.started|run\.finished|attempt\.started|attempt\.closed)","journal":' + _HEX
    + r',"n":(0|[1-9][0-9]*),"prev":' + _HEX + r',(?:"record":' + _HEX
    + r',)?"run":"([0-9A-Za-z._-]+)","type":"head/1"\}\n'
)  # fmt: skip


class Heads:
    """The append-only list of all runs of a store."""

    def __init__(self, tree: StoreTree) -> None:
        self.tree = tree
        self.path = tree.root / "heads.jsonl"
        self._read: tuple[tuple[int, ...], Chain] | None = None

    def add(self, event: str, fields: Mapping[str, Any]) -> None:
        """Append a line under the store's lock; a partial last line is cut off first, a whole line never is.

        DamageError, and no line is added, where the chain is broken.
        """
        with self.tree.lock("locks/heads"), translating_os_errors(self.path):
            handle = self.tree.open_log(self.path)
            try:
                data = self.tree.read_file(self.path, MOST_LOG)
                whole = data[: data.rfind(b"\n") + 1]
                if len(whole) != len(data):
                    os.ftruncate(handle, len(whole))
                chain = _chain(whole)
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
        """Read the chain as far as it is valid (`Chain.broken`: where not); cached while the file is unchanged."""
        facts = self.tree.facts(self.path)
        mark = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns) if facts else ()
        if self._read is None or self._read[0] != mark or not mark:
            self._read = (mark, _chain(self.tree.find_file(self.path, MOST_LOG) or b""))
        return self._read[1]


def _chain(data: bytes) -> Chain:
    """Parse the list by the fast path; anything unusual goes to `check_chain`, which reports what is wrong."""
    events: list[Event] = []
    digests: list[str] = []
    head, read = START, 0
    for number, found in enumerate(_LINE.finditer(data.decode("ascii", "replace"))):
        event, journal, n, prev, record, run = found.groups()
        if found.start() != read or prev != head or n != str(number) or bool(record) != (event == "run.finished"):
            break
        read = found.end()
        body: Event = {"type": KIND, "event": event, "n": number, "prev": prev, "run": run, "journal": journal}
        if record:
            body["record"] = record
        events.append(body)
        head = sha256(data[found.start() : read])
        digests.append(head)
    return Chain(tuple(events), tuple(digests), head=head) if read == len(data) else check_chain(data, KIND)
