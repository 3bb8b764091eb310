"""The index of one run's answers: a SQLite file with full-text search, made from the run's tables, and never the truth.

It holds names, numbers, the beginnings of answers, and where in which blob each row stands. What a reader is shown is
read from the blobs. Items of gated, private and hidden data, and all that was answered about them, are left out. An
index names the digest of the record that it was made from, and that of what the store hid then; with other digests, or
in another form, it is made anew. So is one that this user's viewer did not make here, such as one that came with a
store: a mark in the user's cache tells them apart.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import HarnessError
from harness.files import make_folder, translating_os_errors, write_atomic
from harness.store.attempts import FOLDER as HIDDEN
from harness.store.store import Store
from harness.store.sweep import INDEXES

FORM = "answers/2"  # of an index; another one is made anew
FOLDER = INDEXES  # in a store
OWNER = 0o600


def index_path(store: Store, run: str) -> Path:
    """Return the path of a run's index: in the store, or in the user's cache if the store is read-only."""
    own = store.root / FOLDER
    if not own.is_symlink() and os.access(own if own.is_dir() else store.root, os.W_OK):  # no link is followed
        return own / f"{run}.sqlite"
    return _cache(store) / f"{run}.sqlite"


def _cache(store: Store) -> Path:
    """Return the folder of the user's cache that belongs to a store."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "repro-harness"
    return cache / FOLDER / sha256(os.fsencode(store.root.resolve()))[:16]


def hidden_state(store: Store) -> str:
    """Return a digest of which data a store hides from agents; an index made under another one is not used."""
    return sha256("\n".join(sorted(store.tree.list_names(HIDDEN))).encode())


def mark_made(store: Store, path: Path) -> None:
    """Note in the user's cache that this very file was made here, by the viewer of this user."""
    mark = _cache(store) / f"{path.name}.made"
    with translating_os_errors(mark):
        make_folder(mark.parent)
        write_atomic(mark, _facts(path).encode())


def was_made_here(store: Store, path: Path) -> bool:
    """Whether the viewer of this user made this very file here, and nothing wrote to it since."""
    try:
        return not path.is_symlink() and (_cache(store) / f"{path.name}.made").read_bytes() == _facts(path).encode()
    except OSError:
        return False


def _facts(path: Path) -> str:
    """Return facts of a file that no other file has, whatever was copied or unpacked into its place."""
    found = os.lstat(path)
    return f"{found.st_ino} {found.st_size} {found.st_ctime_ns}\n"


def is_fresh(store: Store, run: str, record: str) -> bool:
    """Whether a run's index was made here, in the present form, from the record with this digest and what is hidden."""
    path = index_path(store, run)
    if not was_made_here(store, path):
        return False
    try:
        with contextlib.closing(open_index(path)) as index:
            found = dict(index.execute("SELECT name, value FROM meta WHERE name IN ('form', 'record', 'hidden')"))
    except sqlite3.DatabaseError:
        return False
    return found == {"form": FORM, "record": record, "hidden": hidden_state(store)}


def open_index(path: Path) -> sqlite3.Connection:
    """Open an index for reading alone; nothing in the file is run."""
    found = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    found.execute("PRAGMA trusted_schema = OFF")
    found.execute("PRAGMA query_only = ON")
    found.execute("PRAGMA cache_size = -4000")
    return found


def storable_text(text: str) -> str:
    """Return a text that UTF-8 can hold: half of a surrogate pair becomes a replacement character."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def prompt_words(row: Mapping[str, Any]) -> str:
    """Return the text of a prompt; of a chat, each turn after its role."""
    if "text" in row:
        return str(row["text"])
    return "\n\n".join(f"{turn.get('role')}: {_content(turn.get('content'))}" for turn in row.get("messages", ()))


def _content(said: Any) -> str:
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def read_row(store: Store, digest: str, at: int, size: int) -> Any:
    """Read one row from a blob whose bytes are checked once while its file stays unchanged."""
    with open(store.blobs.deliver(digest), "rb") as file:
        file.seek(at)
        line = file.read(size)
    try:
        return json.loads(line)
    except ValueError as bad:
        raise HarnessError("the index does not fit this blob", where=digest, next="remove it; it is made anew") from bad
