"""The environment variables of a step, and the facts about this machine for a run's record.

The variables in NUMERICS are part of every step's key; the facts are in no key, and are observed, not requested.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness.engines.local import STEP_PATH

# The fixed environment of a step, part of every key; what each line holds: docs/architecture.md#numerics.
NUMERICS = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "LC_ALL": "C.UTF-8",
    "MKL_CBWR": "COMPATIBLE",
    "MKL_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    "OMP_NUM_THREADS": "1",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
}


def step_environment(folder: Path, numerics: Mapping[str, str] = MappingProxyType(NUMERICS)) -> dict[str, str]:
    """Return the environment variables of a step: `numerics`, PATH, and HOME and TMPDIR in its own folder.

    Nothing is taken from the user's shell.
    """
    private = str(folder / "tmp")
    return {**numerics, "PATH": STEP_PATH, "HOME": private, "TMPDIR": private}


def facts() -> dict[str, Any]:
    """Describe this machine for the record; never a host name, a user name or a path."""
    return {
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": cores(),
    }


def cores() -> int:
    """Count the CPU cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return "unknown"
