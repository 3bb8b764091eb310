"""Where a fit computes: on the CPU by numpy, on a GPU by torch, with workers of one thread each.

What a ridge needs of either is a few operations, and what operators and slices say alike in both. Under a step's fixed
variables numpy's BLAS gives the same bytes on every processor, and torch's does not. It must never know a band, a
target or a score.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from harness.errors import InputError, MissingError
from harness.steps import CPU, THREADS

Array = Any  # of numpy
Tensor = Any  # of numpy or torch, on the device
DTYPES = ("float32", "float64")


def require_dtype(name: str) -> None:
    """Raise an InputError for a type of numbers that is neither float32 nor float64."""
    if name not in DTYPES:
        raise InputError(f"numbers of type {name!r}", where="dtype", next=f"choose one of: {', '.join(DTYPES)}")


def open_device(name: str) -> Device:
    """Open a device; InputError for what is none, MissingError for CUDA where this machine has none."""
    if name == CPU:
        return ByNumpy()
    if name.partition(":")[0] != "cuda":
        raise InputError(f"no device is called {name!r}", where="device", next="choose cpu or cuda")
    import torch  # noqa: PLC0415

    if not torch.cuda.is_available():
        raise MissingError("CUDA is asked for, and this machine has none", where="device", next="choose cpu")
    return ByTorch(name)


def worker_count(device: str) -> int:
    """Give the number of threads that the environment gives the step, 1 where it says nothing; on CUDA it is 1."""
    if device != CPU:
        return 1
    told = os.environ.get(THREADS, "1")
    return max(1, int(told)) if told.isdecimal() else 1


class ByNumpy:
    """The CPU, by numpy."""

    name = CPU

    def there(self, array: Any, dtype: str) -> Tensor:
        """Give an array on the device in a type of numbers: itself, where it is so already."""
        import numpy as np  # noqa: PLC0415

        return np.asarray(array, dtype)

    def back(self, tensor: Tensor) -> Array:
        """Give what is on the device as numpy's array, float64."""
        return self.there(tensor, "float64")

    def empty(self, count: int, dtype: str) -> Tensor:
        """Give memory for so many numbers."""
        import numpy as np  # noqa: PLC0415

        return np.empty(count, dtype)

    def multiply(self, left: Tensor, right: Tensor, out: Tensor) -> None:
        """Write a product of matrices, or of stacks of them, to `out`."""
        import numpy as np  # noqa: PLC0415

        np.matmul(left, right, out=out)

    def decompose(self, symmetric: Tensor) -> tuple[Tensor, Tensor]:
        """Give eigenvalues, ascending, and eigenvectors in columns."""
        import numpy as np  # noqa: PLC0415

        values, vectors = np.linalg.eigh(symmetric)
        return values, vectors

    def invert(self, positive: Tensor) -> Tensor | None:
        """Invert a stack of positive definite matrices; None where one is not, as far as Cholesky's rounding tells."""
        import numpy as np  # noqa: PLC0415

        try:
            np.linalg.cholesky(positive)
            return np.linalg.inv(positive)
        except np.linalg.LinAlgError:
            return None

    @contextmanager
    def workers(self) -> Iterator[ThreadPoolExecutor]:
        """Open a pool of workers that compute in one thread each, so that their number changes no digit of a result.

        There are as many as the step has threads. BLAS has one while the block runs, outside the pool, too.
        """
        from threadpoolctl import threadpool_limits  # noqa: PLC0415

        with threadpool_limits(1, "blas"), ThreadPoolExecutor(worker_count(self.name)) as pool:
            yield pool


class ByTorch:
    """A GPU, by torch: as `ByNumpy`, but for what is said here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def there(self, array: Any, dtype: str) -> Tensor:
        """Give an array on the device."""
        import numpy as np  # noqa: PLC0415
        import torch  # noqa: PLC0415

        if isinstance(array, np.ndarray) and not array.flags.writeable:  # mapped files are so, which torch warns of
            array = array.copy()
        return torch.as_tensor(array, dtype=getattr(torch, dtype), device=self.name)

    def back(self, tensor: Tensor) -> Array:
        """Give what is on the device as numpy's array, float64."""
        return tensor.to(CPU).double().numpy()

    def empty(self, count: int, dtype: str) -> Tensor:
        """Give memory on the device."""
        import torch  # noqa: PLC0415

        return torch.empty(count, dtype=getattr(torch, dtype), device=self.name)

    def multiply(self, left: Tensor, right: Tensor, out: Tensor) -> None:
        """Write a product to `out`."""
        import torch  # noqa: PLC0415

        torch.matmul(left, right, out=out)

    def decompose(self, symmetric: Tensor) -> tuple[Tensor, Tensor]:
        """Give eigenvalues and eigenvectors."""
        import torch  # noqa: PLC0415

        values, vectors = torch.linalg.eigh(symmetric)
        return values, vectors

    def invert(self, positive: Tensor) -> Tensor | None:
        """Invert positive definite matrices."""
        import torch  # noqa: PLC0415

        lower, failed = torch.linalg.cholesky_ex(positive)
        return None if failed.any() else torch.cholesky_inverse(lower)

    @contextmanager
    def workers(self) -> Iterator[ThreadPoolExecutor]:
        """Open a pool of one worker, with TF32 off and deterministic algorithms on; both are restored after it."""
        import torch  # noqa: PLC0415

        matmul = torch.backends.cuda.matmul
        before = matmul.allow_tf32, torch.get_deterministic_debug_mode()
        matmul.allow_tf32 = False
        torch.set_deterministic_debug_mode("error")  # the other way to say it loads a compiler, for more than a second
        try:
            with ThreadPoolExecutor(1) as pool:
                yield pool
        finally:
            matmul.allow_tf32 = before[0]
            torch.set_deterministic_debug_mode(before[1])


Device = ByNumpy | ByTorch
