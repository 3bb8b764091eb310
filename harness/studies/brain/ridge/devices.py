"""The devices on which a fit computes: the CPU by numpy, or a GPU by torch, with single-threaded workers.

A ridge needs a few operations that differ between numpy and torch, and operators and slices that are the same in both.
With a step's fixed environment variables, numpy's BLAS returns the same bytes on every processor; torch's does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from harness.errors import InputError, MissingError
from harness.steps import CPU, THREADS

Array = Any  # a numpy array
Tensor = Any  # a numpy array or torch tensor on the device
DTYPES = ("float32", "float64")


def require_dtype(name: str) -> None:
    """Raise InputError unless `name` is float32 or float64."""
    if name not in DTYPES:
        raise InputError(f"numbers of type {name!r}", where="dtype", next=f"choose one of: {', '.join(DTYPES)}")


def open_device(name: str) -> Device:
    """Return a device; raise InputError for an unknown one, and MissingError for CUDA if it is not available."""
    if name == CPU:
        return ByNumpy()
    if name.partition(":")[0] != "cuda":
        raise InputError(f"no device is called {name!r}", where="device", next="choose cpu or cuda")
    import torch  # noqa: PLC0415

    if not torch.cuda.is_available():
        raise MissingError("CUDA is asked for, and this machine has none", where="device", next="choose cpu")
    return ByTorch(name)


def worker_count(device: str) -> int:
    """Return the number of threads that the environment gives the step, 1 by default; on CUDA it is 1."""
    if device != CPU:
        return 1
    told = os.environ.get(THREADS, "1")
    return max(1, int(told)) if told.isdecimal() else 1


class ByNumpy:
    """The linear algebra of a ridge fit on the CPU, by numpy."""

    name = CPU

    def there(self, array: Any, dtype: str) -> Tensor:
        """Return an array on the device with the given dtype; the array itself, if it already has it."""
        import numpy as np  # noqa: PLC0415

        return np.asarray(array, dtype)

    def back(self, tensor: Tensor) -> Array:
        """Return a tensor of the device as a numpy array, float64."""
        return self.there(tensor, "float64")

    def empty(self, count: int, dtype: str) -> Tensor:
        """Return uninitialised memory for `count` numbers."""
        import numpy as np  # noqa: PLC0415

        return np.empty(count, dtype)

    def multiply(self, left: Tensor, right: Tensor, out: Tensor) -> None:
        """Write a product of matrices, or of stacks of matrices, to `out`."""
        import numpy as np  # noqa: PLC0415

        np.matmul(left, right, out=out)

    def decompose(self, symmetric: Tensor) -> tuple[Tensor, Tensor]:
        """Return eigenvalues, ascending, and eigenvectors in columns."""
        import numpy as np  # noqa: PLC0415

        values, vectors = np.linalg.eigh(symmetric)
        return values, vectors

    def invert(self, positive: Tensor) -> Tensor | None:
        """Invert a stack of positive definite matrices; None if Cholesky, within rounding, finds one that is not."""
        import numpy as np  # noqa: PLC0415

        try:
            np.linalg.cholesky(positive)
            return np.linalg.inv(positive)
        except np.linalg.LinAlgError:
            return None

    @contextmanager
    def workers(self) -> Iterator[ThreadPoolExecutor]:
        """Context manager that opens a pool of single-threaded workers, so their number changes no digit of a result.

        The pool has as many workers as the step has threads. Inside the block, BLAS uses one thread outside the pool
        too.
        """
        from threadpoolctl import threadpool_limits  # noqa: PLC0415

        with threadpool_limits(1, "blas"), ThreadPoolExecutor(worker_count(self.name)) as pool:
            yield pool


class ByTorch:
    """The linear algebra of a ridge fit on a GPU, by torch; like `ByNumpy` except where noted."""

    def __init__(self, name: str) -> None:
        self.name = name

    def there(self, array: Any, dtype: str) -> Tensor:
        """Return an array on the device."""
        import numpy as np  # noqa: PLC0415
        import torch  # noqa: PLC0415

        if isinstance(array, np.ndarray) and not array.flags.writeable:  # torch warns about read-only arrays
            array = array.copy()
        return torch.as_tensor(array, dtype=getattr(torch, dtype), device=self.name)

    def back(self, tensor: Tensor) -> Array:
        """Return a tensor of the device as a numpy array, float64."""
        return tensor.to(CPU).double().numpy()

    def empty(self, count: int, dtype: str) -> Tensor:
        """Return uninitialised memory on the device."""
        import torch  # noqa: PLC0415

        return torch.empty(count, dtype=getattr(torch, dtype), device=self.name)

    def multiply(self, left: Tensor, right: Tensor, out: Tensor) -> None:
        """Write a product to `out`."""
        import torch  # noqa: PLC0415

        torch.matmul(left, right, out=out)

    def decompose(self, symmetric: Tensor) -> tuple[Tensor, Tensor]:
        """Return eigenvalues and eigenvectors."""
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
        """Context manager that opens a pool of one worker, with TF32 off and deterministic algorithms on.

        Both settings are restored at the end.
        """
        import torch  # noqa: PLC0415

        matmul = torch.backends.cuda.matmul
        before = matmul.allow_tf32, torch.get_deterministic_debug_mode()
        matmul.allow_tf32 = False
        torch.set_deterministic_debug_mode("error")  # the alternative API loads a compiler, for more than a second
        try:
            with ThreadPoolExecutor(1) as pool:
                yield pool
        finally:
            matmul.allow_tf32 = before[0]
            torch.set_deterministic_debug_mode(before[1])


Device = ByNumpy | ByTorch
