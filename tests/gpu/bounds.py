"""The device's own bounds, measured beside what they bound: bandwidth of a copy, and rate of a product of matrices."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

REPEATS = 7


@dataclass(frozen=True)
class Bounds:
    """Bytes and floating-point operations a second, in float32 without TF32."""

    copied: float
    multiplied: float

    def least(self, moved: float, operations: float) -> float:
        """Give the seconds that so many bytes and operations take at least, done side by side."""
        return max(moved / self.copied, operations / self.multiplied)


def measure_bounds(device: str, copied: int, square: int) -> Bounds:
    """Copy so many bytes, which moves each twice, and multiply two square matrices; the median of some goes."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    source = torch.ones(copied // 4, device=device)
    target = torch.empty_like(source)
    left = torch.randn((square, square), generator=torch.Generator().manual_seed(1)).to(device)
    made = torch.empty_like(left)
    copy = _timed(lambda: target.copy_(source), device)
    product = _timed(lambda: torch.matmul(left, left, out=made), device)
    return Bounds(2 * copied / copy, 2 * square**3 / product)


def _timed(work: Callable[[], Any], device: str) -> float:
    import torch

    def wait() -> None:
        if device != "cpu":
            torch.cuda.synchronize()

    found = []
    for _ in range(REPEATS + 2):
        wait()
        begun = time.perf_counter()
        work()
        wait()
        found.append(time.perf_counter() - begun)
    return median(found[2:])
