"""What surrounds a step: the environment it is given, the packages it could import, the machine it is on.

The first two stand in every key; the last are facts for the record, observed and not requested.
"""

from __future__ import annotations

import os
import platform
import sysconfig
from pathlib import Path
from typing import Any

from harness.digest import document, sha256, sha256_file
from harness.engines.local import STEP_PATH

# The fixed environment of evidence.md section 2, measured there; part of every key.
NUMERICS = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "LC_ALL": "C.UTF-8",
    "MKL_CBWR": "AVX2",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}


def step_environment(folder: Path) -> dict[str, str]:
    """Give the only variables a step sees: nothing of the user's shell reaches it, least of all a key."""
    private = str(folder / "tmp")
    return {**NUMERICS, "PATH": STEP_PATH, "HOME": private, "TMPDIR": private}


def environment(site: Path | None = None) -> bytes:
    """Spell what a local step could import: Python, platform, and every installed package by its RECORD."""
    site = site or Path(sysconfig.get_path("purelib"))
    packages = {}
    claimed: set[str] = set()
    for info in sorted(site.glob("*.dist-info")):
        name, _, version = info.name.removesuffix(".dist-info").partition("-")
        record = info / "RECORD"
        if record.is_file():
            claimed |= {line.partition("/")[0].partition(",")[0] for line in record.read_text().splitlines()}
        if name != "llm_harness" and record.is_file():  # the harness itself stands in the code closure
            packages[name.lower()] = {"version": version, "record": _record_digest(record)}
    loose = {path.name: _loose_digest(path) for path in sorted(site.iterdir()) if _is_loose(path, claimed)}
    return document(
        {
            "type": "environment/1",
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "platform": sysconfig.get_platform(),
            "packages": packages,
            "loose": loose,
        }
    )


def _is_loose(path: Path, claimed: set[str]) -> bool:
    """Whether a step could import what no installed package answers for."""
    importable = path.suffix in (".py", ".so") or (path.is_dir() and path.suffix != ".dist-info")
    return importable and path.name not in claimed and path.name != "__pycache__"


def _loose_digest(path: Path) -> str:
    """Name a module, or all files of a folder, that somebody laid among the packages."""
    files = (
        sorted(one for one in path.rglob("*") if one.is_file() and one.suffix != ".pyc") if path.is_dir() else [path]
    )
    return sha256("\n".join(f"{one.relative_to(path.parent)} {sha256_file(one)[0]}" for one in files).encode())


def _record_digest(record: Path) -> str:
    """Digest what a package installed, less what depends on where or by whom it was installed."""
    lines = record.read_bytes().splitlines()
    kept = [
        line
        for line in lines
        if not line.startswith((b"../", b'"../')) and b",sha256=" in line and b".dist-info/" not in line
    ]
    return sha256(b"\n".join(sorted(kept)))


def facts() -> dict[str, Any]:
    """Say what machine this is, for the record: no name of a host, a user or a path."""
    return {
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return "unknown"
