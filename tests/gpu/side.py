"""Run as a command by the GPU check: one side of it, on one device, in a process of its own.

python tests/gpu/side.py FOLDER DEVICE SIZE ROLE SECONDS
ROLE is `cpu` (whose decisions count), `first` or `second`. What is found goes to FOLDER as it comes; run again there
after it died, it goes on behind the part in which it did.
"""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CPU = "cpu"
BOUNDS = "bounds"  # the part that all others need
SHARE = 0.25  # of the time that the CPU has left, for each of a model's results
PACKAGES = ("transformers", "numpy", "tokenizers", "safetensors", "himalaya")


@dataclass(frozen=True)
class Size:
    """How large everything is."""

    width: int  # of the wide model
    layers: int
    prompts: int
    new: int
    targets: int
    gammas: int
    block: int
    copied: int  # bytes
    square: int  # rows of the matrices that are multiplied
    kinds: tuple[str, ...] = ()  # of architectures; none: all


SIZES = {
    "full": Size(2048, 4, 32, 12, 92_450, 8, 9_245, 1 << 29, 8192),
    "quick": Size(1024, 2, 32, 8, 13_553, 4, 6_800, 1 << 29, 8192),
    "small": Size(128, 2, 9, 3, 1_400, 2, 700, 1 << 24, 512, ("llama", "bert")),
}


def main(folder: Path, device: str, size: Size, role: str, seconds: float) -> None:
    """Do one part after the other; a part that fails is told, and the next one follows."""
    from gpu.findings import Clock, Late, Notes

    notes, clock = Notes(folder), Clock(seconds)
    try:
        parts = _parts(notes, clock, device, size, role)
    except ModuleNotFoundError as lack:
        notes.say(missing=f"the package {lack.name}")
        return
    if device != CPU and not _cuda():
        notes.say(missing="a GPU that torch can use (`torch.cuda.is_available()` is false)")
        return
    notes.say(about={"versions": _versions(), "device": _named(device)})
    for name, part in parts.items():
        if name in notes.begun and name != BOUNDS:  # by a process that died in it, or after it
            continue
        notes.say(begun=name)
        try:
            for found in part():
                notes.add(found)
        except Late as late:
            notes.say(late=f"{name}: {late}")
        except ModuleNotFoundError as lack:
            notes.say(missing=f"the package {lack.name}")
        except Exception as bad:
            traceback.print_exc()
            notes.say(failed=f"{name}: {type(bad).__name__}: {str(bad)[:300]}")
        _release()
        print(f"  {name}: {time.monotonic() - clock.begun:.1f} s", file=sys.stderr, flush=True)
    notes.say(about={"flags": _flags(), "ended": True})


def _parts(notes: Any, clock: Any, device: str, size: Size, role: str) -> dict[str, Callable[[], Iterator[Any]]]:
    """Name the parts, each a function that gives findings as they come."""
    import tempfile

    from gpu.bounds import measure_bounds
    from gpu.kinds import kind_findings
    from gpu.models import BATCHES, Timer, model_findings, tiny_and_wide
    from gpu.ridge import Sizes, ridge_findings

    from harness.models.local.torch_setup import set_deterministic, set_offline

    held: list[Any] = []

    def bounds() -> Iterator[Any]:
        set_offline()
        set_deterministic(True)
        some = SIZES["small"] if role == CPU else size  # its times are not told
        held.append(measure_bounds(device, some.copied, some.square))
        notes.say(about={"bounds": {"copied": held[0].copied, "multiplied": held[0].multiplied}})
        yield from ()

    def answers(one: Any) -> Iterator[Any]:
        batches, share = (BATCHES[:1], SHARE) if role == CPU else (BATCHES, None)
        with tempfile.TemporaryDirectory() as name:
            yield from model_findings(one, batches, Path(name), held[0], Timer(clock, share))

    def ridge() -> Iterator[Any]:
        sizes = Sizes(size.targets, size.gammas, size.block)
        yield from ridge_findings(sizes, device, held[0], clock, whole=role != CPU)

    def architectures() -> Iterator[Any]:
        yield from kind_findings(size.kinds, clock, lambda why: notes.say(refused=why))

    shapes = tiny_and_wide(size.width, size.layers, size.prompts, size.new)
    *tiny, wide = [(one.name, partial(answers, one)) for one in shapes]
    return dict([(BOUNDS, bounds), *tiny, ("ridge", ridge), wide, ("architectures", architectures)])


def _cuda() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _release() -> None:
    from harness.models.local.torch_setup import release_memory

    release_memory()


def _flags() -> dict[str, Any]:
    """Say what makes a GPU compute alike twice, as it stands after all parts."""
    import torch

    cuda = torch.backends.cuda.matmul
    return {
        "deterministic algorithms": bool(torch.are_deterministic_algorithms_enabled()),
        "errors where there is none": torch.get_deterministic_debug_mode() == 2,
        "TF32 off": not (cuda.allow_tf32 or torch.backends.cudnn.allow_tf32),
        "cuDNN does not choose by time": not torch.backends.cudnn.benchmark,
        "workspace of cuBLAS fixed": os.environ.get("CUBLAS_WORKSPACE_CONFIG") == ":4096:8",
    }


def _versions() -> dict[str, str]:
    import torch

    found = {"python": platform.python_version(), "torch": torch.__version__, "CUDA": torch.version.cuda or ""}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {name: value for name, value in found.items() if value}


def _named(device: str) -> dict[str, Any]:
    """Say which card it is; its driver is what `nvidia-smi` says."""
    import torch

    if device == CPU:
        return {"name": "the CPU"}
    from harness.engines.engine import choose_device, query_driver
    from harness.errors import MissingError

    seen = torch.cuda.get_device_properties(0)
    found = {
        "name": seen.name,
        "compute_capability": f"{seen.major}.{seen.minor}",
        "memory_mib": seen.total_memory >> 20,
    }
    try:
        return {**found, "driver": choose_device(1, query_driver).facts["gpus"][0]["driver"]}
    except MissingError:
        return found


if __name__ == "__main__":
    tests = Path(__file__).resolve().parents[1]
    sys.path[0:1] = [str(tests), str(tests.parent)]
    main(Path(sys.argv[1]), sys.argv[2], SIZES[sys.argv[3]], sys.argv[4], float(sys.argv[5]))
