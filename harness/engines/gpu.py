"""GPU detection by `nvidia-smi`, asked where the step would run."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from harness.engines.engine import Device
from harness.errors import MissingError

FIELDS = ("name", "uuid", "driver_version", "compute_cap", "memory.total")
QUERY = ("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits")
NONE = "no GPU can be used here: "
PATIENCE = 60.0  # seconds that the driver may take to answer
CAPABILITY = re.compile(r"[0-9]+\.[0-9]+")
Wanted = int | str  # how many, or `prefer`


def choose_device(wanted: Wanted, ask: Callable[[Sequence[str]], str]) -> Device:
    """Choose the device for the GPUs that a manifest wants, from the driver's answer to `ask`.

    No GPU, too few or unlike ones raise `MissingError`; with `prefer` they give the CPU, and its facts say why.
    """
    if wanted == 0:
        return Device()
    try:
        return _cuda(ask(QUERY), 1 if wanted == "prefer" else int(wanted))
    except MissingError as bad:
        if wanted == "prefer":
            return Device("cpu", {"gpus_wanted": "prefer", "gpus_missing": bad.what.removeprefix(NONE)})
        raise


def query_driver(query: Sequence[str]) -> str:
    """Run `nvidia-smi` on this machine and return what it prints; `MissingError` where it fails."""
    try:
        done = subprocess.run(
            list(query), capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
        )
    except OSError as bad:
        raise no_gpu("`nvidia-smi` is not here, so neither is NVIDIA's driver") from bad
    except subprocess.TimeoutExpired as bad:
        raise no_gpu(f"`nvidia-smi` gave no answer in {PATIENCE:g} s") from bad
    if done.returncode:
        raise no_gpu(f"`nvidia-smi` says: {(done.stdout + done.stderr).strip()[:200]}")
    return done.stdout


def no_gpu(why: str) -> MissingError:
    """Make the error for a GPU that is wanted where none can be had."""
    return MissingError(
        f"{NONE}{why}",
        next="install NVIDIA's driver (and, for docker, nvidia-container-toolkit), "
        "or say `gpus: prefer` or `gpus: 0` under `resources`",
    )


def _cuda(answer: str, count: int) -> Device:
    """Parse the driver's answer; a key names one compute capability, so the GPUs of a step must be alike."""
    gpus: list[dict[str, Any]] = [
        dict(zip(FIELDS, (part.strip() for part in row), strict=False)) if len(row) == len(FIELDS) else {}
        for row in csv.reader(answer.splitlines())
        if row
    ]
    if not all(CAPABILITY.fullmatch(gpu.get("compute_cap", "")) for gpu in gpus):
        raise no_gpu(f"`nvidia-smi` answered {answer.strip()[:200]!r}")
    if len(gpus) < count:
        raise no_gpu(f"{count} wanted, {len(gpus)} found")
    used = gpus[:count]
    kinds = sorted({gpu["compute_cap"] for gpu in used})
    if len(kinds) != 1:
        raise no_gpu(f"the first {count} have different compute capabilities ({', '.join(kinds)})")
    facts = [
        {
            "model": gpu["name"],
            "uuid": gpu["uuid"],
            "driver": gpu["driver_version"],
            "compute_capability": gpu["compute_cap"],
            "memory_mib": gpu["memory.total"],
        }
        for gpu in used
    ]
    return Device(f"cuda:sm_{kinds[0].replace('.', '')}", {"gpus": facts})
