"""What may lie where in a store: the names that each folder may hold, and whatever nothing in the store accounts for.

It knows names and kinds of files, and opens none of them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import HarnessError
from harness.files import is_leftover
from harness.store.reader import MOST_LOG, MOST_NOTE
from harness.store.store import Store

STAMP = "[0-9]{8}T[0-9]{6}Z"
RUN_ID = re.compile(rf"{STAMP}-[0-9a-f]{{8}}|{STAMP}-[0-9a-f]{{32}}(\.[1-9][0-9]*)?")
_DIGEST, _SHORT, _ANY = "[0-9a-f]{64}", "[0-9a-f]{2}", ".+"
_LINKED = "this is neither a file nor a folder, and whoever follows it is led elsewhere"


@dataclass(frozen=True)
class Level:
    """One floor of folders: the names of the files it may hold, and of its folders, each with what is in it.

    `deep` folders are private to what was made in them, and are not looked into. No file has more than `most` bytes,
    where that is said; where a folder is `own`, its files are written in place, and have no second name elsewhere.
    """

    files: str = ""
    folders: Mapping[str, Level] = field(default_factory=dict)
    deep: bool = False
    most: int | None = None
    own: bool = False


_SHELVES = {_SHORT: Level(_ANY, {_ANY: Level(deep=True)})}  # whoever reads blobs and entries names what is none
ROOT = Level(
    r"format|heads\.jsonl",
    {
        "tmp": Level("[a-z]+-.+", {"[a-z]+-.+": Level(deep=True)}),
        "locks": Level("[a-z]+(-[0-9A-Za-z.-]+)?", most=0, own=True),
        "blobs": Level("", {"sha256": Level("", _SHELVES)}),
        "keys": Level("", _SHELVES),
        "runs": Level("", {RUN_ID.pattern: Level(r"(journal|transcript)\.jsonl|record\.json")}),
        "images": Level(
            r".+\.json",
            {"layers": Level(rf"{_DIGEST}\.json", most=MOST_NOTE), "inventories": Level(rf"{_DIGEST}\.spdx\.json")},
        ),
        "imported": Level(_DIGEST, most=0),
        "receipts": Level(rf"{_DIGEST}\.json", most=MOST_NOTE),
        "views": Level("", {_DIGEST: Level(r"items\.jsonl|media\.bin|canary\.json")}),
        "hidden": Level(rf"{_DIGEST}\.json", most=MOST_LOG),
        "sessions": Level(rf"{STAMP}-[0-9a-f]+\.jsonl", most=MOST_LOG),
    },
    own=True,
)


@dataclass(frozen=True)
class Stranger:
    """Something in a store that nothing accounts for; `shut` says that what lies behind it cannot be known."""

    path: Path
    flaw: str
    shut: bool = False


def strangers(store: Store) -> Iterator[Stranger]:
    """Find whatever lies in a store and has no place there, the folders in the order of their names."""
    waiting = [("", ROOT)]
    while waiting:
        place, level = waiting.pop()
        try:
            found = store.tree.list_kinds(place)
        except HarnessError as bad:
            yield Stranger(store.root / place, bad.what, shut=True)
            continue
        yield from _collisions(store.root / place, [name for name, _ in found])
        for name, kind in found:
            path = store.root / place / name
            below = _below(level, name) if kind == "folder" else None
            if kind == "other":
                yield Stranger(path, _LINKED, shut=place != "tmp")
            elif kind == "folder" and below and not below.deep:
                waiting.append((f"{place}/{name}".removeprefix("/"), below))
            elif flaw := _flaw(level, name, kind):
                yield Stranger(path, flaw, shut=kind != "folder" and _below(level, name) is not None)
            elif kind == "file" and (flaw := _odd_file(store, path, level)):
                yield Stranger(path, flaw)


def show_name(name: str) -> str:
    """Spell the name of a file in ASCII, so that no terminal and no encoding chokes on it."""
    return json.dumps(name)


def _flaw(level: Level, name: str, kind: str) -> str:
    """Say why a file or folder has no place on a floor; empty where it has one."""
    if kind == "folder":
        return "" if _below(level, name) else "no such folder belongs here"
    if is_leftover(name) or (level.files and re.fullmatch(level.files, name)):
        return ""
    return "here belongs a folder" if _below(level, name) else "no such file belongs here"


def _odd_file(store: Store, path: Path, level: Level) -> str:
    """Say what is odd about a file that has its place, but for its bytes; empty where nothing is."""
    if level.most is None and not level.own:
        return ""
    facts = store.tree.facts(path)
    if facts and level.most is not None and facts.st_size > level.most:
        return f"this file has {facts.st_size:,} bytes, and none of its kind has more than {level.most:,}"
    twice = facts and level.own and facts.st_nlink > 1
    return "this file has a second name, and whoever writes here writes there" if twice else ""


def _below(level: Level, name: str) -> Level | None:
    found = (inside for pattern, inside in level.folders.items() if re.fullmatch(pattern, name))
    return next(found, None)


def _collisions(folder: Path, names: Sequence[str]) -> Iterator[Stranger]:
    """Name what would be one file on a disk that folds case or spells letters another way: which, nobody could tell."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[unicodedata.normalize("NFKC", name).casefold()].append(name)
    for same in alike.values():
        if len(same) > 1:
            yield Stranger(folder / same[1], f"on a disk that folds case this is {' and '.join(map(show_name, same))}")
