"""Whether a user of this machine could read a store: tried by a child that becomes that user, not reasoned about."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable
from pathlib import Path

from harness.errors import MissingError
from harness.store.store import Store

_PARTS = ("", "format", "heads.jsonl", "runs", "views", "blobs/sha256", "keys", "imported", "tmp")
_UNREADABLE, _READABLE, _FAILED = 0, 1, 2
NOBODY = "give --agent-uid N: the user that the agent runs as, who cannot read the store"


def gold_reachable(store: Store, uid: int | None, digests: Iterable[str] = ()) -> bool:
    """Whether the user of an agent could read the store, or one of some blobs in it; whoever is not known could."""
    if uid is None or uid in (0, os.geteuid()) or os.geteuid() != 0:
        return True
    paths = [store.root / part for part in _PARTS] + [store.blobs.path(digest) for digest in digests]
    return _tried(uid, paths) != _UNREADABLE


def require_agent_uid(store: Store, uid: int) -> None:
    """Refuse a user whom the store is not closed to, or who cannot be tried: only root can become another user."""
    if os.geteuid() != 0:
        raise MissingError(
            f"whether user {uid} can read the store cannot be tried: only root can become another user",
            next="serve as root, or leave --agent-uid out and serve public splits alone",
        )
    if gold_reachable(store, uid):
        raise MissingError(
            f"user {uid} can read the store, and so every hidden answer",
            where=str(store.root),
            next=f"close it (`chmod 700 {store.root}`), or {NOBODY}",
        )


def _tried(uid: int, paths: list[Path]) -> int:
    """Let a child become a user and try to open each path; give what it found."""
    child = os.fork()
    if child == 0:
        result = _FAILED
        try:
            result = _try(uid, paths)
        finally:
            os._exit(result)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _try(uid: int, paths: list[Path]) -> int:
    try:
        person = pwd.getpwuid(uid)
        group, groups = person.pw_gid, os.getgrouplist(person.pw_name, person.pw_gid)
    except KeyError:
        group, groups = uid, []
    os.setgroups(groups)
    os.setresgid(group, group, group)
    os.setresuid(uid, uid, uid)
    for path in paths:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError:
            continue
        return _READABLE
    return _UNREADABLE
