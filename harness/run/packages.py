"""The environment document: what a step could import. Its digest stands in every key.

On this machine it is taken here; of an image it is taken by a step inside that image, so that it is what was observed.
"""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.digest import document, sha256, sha256_file


def observe(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the environment of the image that this step runs in."""
    (out / "environment").write_bytes(environment(Path(sys.path[-1]), params["image"]))


def environment(site: Path | None = None, image: str = "none") -> bytes:
    """Spell what a step could import: Python, platform, and every installed package by its RECORD; and its image."""
    site = site or Path(sysconfig.get_path("purelib"))
    packages = {}
    claimed: set[bytes] = set()
    for info in sorted(site.glob("*.dist-info")):
        record = info / "RECORD"
        if not record.is_file():
            continue  # what it brought is loose
        lines = record.read_bytes().splitlines()
        claimed |= {top.partition(b",")[0] for top in {line.partition(b"/")[0] for line in lines}}
        name, _, version = info.name.removesuffix(".dist-info").partition("-")
        if name != "llm_harness":  # the harness itself stands in the code closure
            packages[name.lower()] = {"version": version, "record": _record_digest(lines)}
    loose = {path.name: _loose_digest(path) for path in sorted(site.iterdir()) if _is_loose(path, claimed)}
    return document(
        {
            "type": "environment/1",
            "image": image,
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "platform": sysconfig.get_platform(),
            "packages": packages,
            "loose": loose,
        }
    )


def _is_loose(path: Path, claimed: set[bytes]) -> bool:
    """Whether a step could import what no installed package answers for."""
    importable = path.suffix in (".py", ".so") or (path.is_dir() and path.suffix != ".dist-info")
    return importable and path.name != "__pycache__" and os.fsencode(path.name) not in claimed


def _loose_digest(path: Path) -> str:
    """Name a module, or all files of a folder, that somebody laid among the packages."""
    files = (
        sorted(one for one in path.rglob("*") if one.is_file() and one.suffix != ".pyc") if path.is_dir() else [path]
    )
    return sha256("\n".join(f"{one.relative_to(path.parent)} {sha256_file(one)[0]}" for one in files).encode())


def _record_digest(lines: list[bytes]) -> str:
    """Digest what a package installed, less what depends on where or by whom it was installed."""
    kept = [
        line
        for line in lines
        if b",sha256=" in line and not line.startswith((b"../", b'"../')) and b".dist-info/" not in line
    ]
    return sha256(b"\n".join(sorted(kept)))
