"""The placement that a user chooses: this process's own pool, or the workers of a Dask scheduler.

It comes from `--placement`, from HARNESS_PLACEMENT, or from the user's own placement.toml; never from a manifest, and
it is in no key. Only texts and files are read here; nothing is connected to.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness.errors import InputError, MissingError
from harness.files import read_plain

LOCAL, DASK = "local", "dask"
FORMS = "write local, dask=tls://HOST:PORT, dask=SCHEDULER.json, or dask=local:N"
OWN = re.compile(r"local:([1-9][0-9]{0,3})")
STORES = ("sent", "shared")
_FIELDS: Mapping[str, type] = {"placement": str, "store": str, "memory": bool, "tls": dict}
_TLS = ("ca", "cert", "key")


@dataclass(frozen=True)
class Certificates:
    """The TLS files by which this process and a scheduler know each other: authority, certificate and key (PEM)."""

    ca: Path
    cert: Path
    key: Path


@dataclass(frozen=True)
class PlacementChoice:
    """Which scheduler the steps are executed at, how inputs reach its workers, and who is told messages."""

    kind: str = LOCAL
    target: str = ""  # of dask: an address, a scheduler file, or `local:N`
    shared: bool = False  # the workers see the run's store at the same path
    memory: bool = False  # a step takes its memory from what a worker offers as MEMORY
    certificates: Certificates | None = None
    tell: Callable[[str], None] = lambda _: None

    @property
    def own_workers(self) -> int:
        """How many workers to start on this machine; 0 if a scheduler that somebody else started is used."""
        found = OWN.fullmatch(self.target)
        return int(found[1]) if found else 0


def read_placement(text: str, root: Path, tell: Callable[[str], None] = lambda _: None) -> PlacementChoice:
    """Parse a placement as a user names it, with what placement.toml adds; an empty text leaves it to that file.

    A text that ends in `.toml` names such a file itself; paths are relative to `root`. Raises InputError for anything
    else than the known forms.
    """
    path = root / text if text.endswith(".toml") and "=" not in text else settings_path()
    settings = _read_settings(path, needed=path != settings_path())
    named = text if text and path == settings_path() else str(settings.get("placement", LOCAL))
    kind, _, target = named.partition("=")
    if kind not in (LOCAL, DASK) or bool(target) != (kind == DASK):
        raise InputError(f"{named[:80]!r} is no placement", where="--placement", next=FORMS)
    if target.startswith("local:") and not OWN.fullmatch(target):
        raise InputError(f"{named[:80]!r} starts no number of workers", where="--placement", next=FORMS)
    if target.endswith(".json"):
        target = str(root / target)
    shared, tls = settings.get("store", STORES[0]) == STORES[1], settings.get("tls")
    files = Certificates(*(path.parent / Path(tls[name]).expanduser() for name in _TLS)) if tls else None
    return PlacementChoice(kind, target, shared, bool(settings.get("memory")), files, tell)


def settings_path() -> Path:
    """Return the path of the user's placement.toml, which need not exist."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home) / "repro-harness" / "placement.toml"


def _read_settings(path: Path, *, needed: bool) -> dict[str, Any]:
    if not path.exists() and not needed:
        return {}
    try:
        found = tomllib.loads(read_plain(path).decode())
    except (ValueError, OSError) as bad:
        raise InputError(f"this file cannot be read: {bad}", where=str(path), next="write TOML") from bad
    for name, value in found.items():
        if name not in _FIELDS or type(value) is not _FIELDS[name]:
            known = ", ".join(_FIELDS)
            raise InputError(f"{name!r} is no setting of a placement, or not of its type", where=str(path), next=known)
    if found.get("store", STORES[0]) not in STORES:
        raise InputError(f"`store` is {found['store'][:40]!r}", where=str(path), next=f"write {' or '.join(STORES)}")
    tls = found.get("tls", {})
    if tls and (set(tls) != set(_TLS) or not all(isinstance(one, str) for one in tls.values())):
        raise InputError("[tls] names other files than it should", where=str(path), next="write ca, cert and key")
    return found


def find_address(choice: PlacementChoice) -> str:
    """Return the chosen scheduler's address; raise MissingError for an address of another machine without TLS."""
    address = _read_address(Path(choice.target)) if choice.target.endswith(".json") else choice.target
    require_private(address, choice)
    return address


def require_private(address: str, choice: PlacementChoice) -> None:
    """Raise an error for an address that is invalid, or of another machine without certificates of the user's.

    Anyone who can connect to a scheduler can have its workers run any program.
    """
    parts = urlsplit(address)
    try:
        there = bool(parts.hostname and parts.port)
    except ValueError:
        there = False
    if parts.scheme not in ("tcp", "tls") or not there:
        raise InputError(f"{address[:80]!r} is no address of a scheduler", where="--placement", next=FORMS)
    if parts.scheme == "tls" and choice.certificates is None and not choice.own_workers:
        raise MissingError(
            f"{address} asks for certificates, and none are named",
            where="--placement",
            next=f"name ca, cert and key under [tls] in {settings_path()}; docs/scale.md shows how to make them",
        )
    if parts.scheme == "tcp" and not _is_loopback(str(parts.hostname)):
        raise MissingError(
            f"{address} is beyond this machine, and what goes there is neither encrypted nor known to be from you",
            where="--placement",
            next="start scheduler and workers with --protocol tls and your certificates (docs/scale.md), and write "
            "tls:// here",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_address(path: Path) -> str:
    if not path.exists():
        raise MissingError(
            "there is no such scheduler file",
            where=str(path),
            next="`dask scheduler --scheduler-file FILE` writes one once it listens",
        )
    try:
        return str(json.loads(read_plain(path))["address"])
    except (ValueError, LookupError, TypeError) as bad:
        raise InputError("this is no scheduler file", where=str(path), next="`dask scheduler` writes one") from bad
