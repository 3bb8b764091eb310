"""The environment variables of a step, and the facts about this machine for a run's record.

The variables in NUMERICS are part of every step's key; the facts are in no key, and are observed, not requested.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness.engines.engine import NO_IMAGE, Engine
from harness.engines.local import STEP_PATH
from harness.errors import MissingError
from harness.run import processor
from harness.run.processor import Processor
from harness.steps import PORTABLE

# The fixed environment of a portable step, part of every key; what each line holds: docs/architecture.md#numerics.
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


def require_processor(here: Processor, named: str) -> None:
    """Raise MissingError for a processor without AVX2 and, under `numerics: machine`, for one of unknown class."""
    if not here.computes:
        raise MissingError(
            f"every step computes with AVX2, and this processor has none: {here.name}",
            next="run on an x86-64 processor with AVX2: Intel's since 2013, AMD's since 2015",
        )
    if named != PORTABLE and not here.kind:
        raise MissingError(
            f"the manifest says `numerics: {named}`, and the class of this processor cannot be known here",
            where="numerics",
            next="write `numerics: portable`, or run where a process may map executable memory",
        )


def observe_processor(engine: Engine) -> Processor:
    """Return the processor that an engine's steps run on, as the interpreter that runs them sees it."""
    if engine.image != NO_IMAGE:
        return processor.ask_processor()  # containers of this machine run on its processor
    command = engine.command(str(Path(processor.__file__)))
    if command[0] == sys.executable:
        return processor.ask_processor()
    told = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=True, timeout=60).stdout
    return processor.read_observed(json.loads(told))


def step_environment(folder: Path, fixed: Mapping[str, str] = MappingProxyType(NUMERICS)) -> dict[str, str]:
    """Return the environment variables of a step: the fixed ones, PATH, and HOME and TMPDIR in its own folder.

    Nothing is taken from the user's shell.
    """
    private = str(folder / "tmp")
    return {**fixed, "PATH": STEP_PATH, "HOME": private, "TMPDIR": private}


def machine_facts(here: Processor | None = None) -> dict[str, Any]:
    """Return facts about this machine for the record; never a host name, a user name or a path.

    `here` is the processor that steps run on; the default is the one that this process runs on.
    """
    here = here or processor.ask_processor()
    return {
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu(),
        "cores": count_cores(),
        "processor": {"name": here.name, "class": here.kind},
    }


def count_cores() -> int:
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
