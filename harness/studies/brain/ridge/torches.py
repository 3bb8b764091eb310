"""Where a fit computes: the device, the type of its numbers, and workers of one thread each.

It must never know a band, a target or a score.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from harness.errors import InputError, MissingError
from harness.steps import THREADS

DTYPES = ("float32", "float64")


def dtype_named(name: str) -> Any:
    """Give torch's type of this name; InputError where it is neither float32 nor float64."""
    import torch  # noqa: PLC0415

    if name not in DTYPES:
        raise InputError(f"numbers of type {name!r}", where="dtype", next=f"choose one of: {', '.join(DTYPES)}")
    return getattr(torch, name)


def require_device(name: str) -> None:
    """Raise an InputError for what is no device, a MissingError for CUDA where this machine has none."""
    import torch  # noqa: PLC0415

    if name != "cpu" and name.partition(":")[0] != "cuda":
        raise InputError(f"no device is called {name!r}", where="device", next="choose cpu or cuda")
    if name != "cpu" and not torch.cuda.is_available():
        raise MissingError("CUDA is asked for, and this machine has none", where="device", next="choose cpu")


def worker_count(device: str) -> int:
    """Give the number of threads that the environment gives the step, 1 where it says nothing; on CUDA it is 1."""
    if device != "cpu":
        return 1
    told = os.environ.get(THREADS, "1")
    return max(1, int(told)) if told.isdecimal() else 1


@contextmanager
def exact_products() -> Iterator[None]:
    """Switch TF32 off, and torch's deterministic algorithms on, while the block runs; both are restored after it."""
    import torch  # noqa: PLC0415

    matmul = torch.backends.cuda.matmul
    before = matmul.allow_tf32, torch.get_deterministic_debug_mode()
    matmul.allow_tf32 = False
    torch.set_deterministic_debug_mode("error")  # the other way to say it loads a compiler, for more than a second
    try:
        yield
    finally:
        matmul.allow_tf32 = before[0]
        torch.set_deterministic_debug_mode(before[1])


@contextmanager
def workers(device: str) -> Iterator[ThreadPoolExecutor]:
    """Open a pool of workers that compute in one thread each, so that their number changes no digit of a result.

    There are as many as the step has threads, and one for CUDA. The threads that torch had are restored after it.
    """
    import torch  # noqa: PLC0415

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(worker_count(device), initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield pool
    finally:
        torch.set_num_threads(before)
