"""The optimiser of the tiny models: Muon for the matrices between layers, AdamW for embeddings and vectors.

Muon (K. Jordan and others, 2024) takes orthogonal steps: it moves a matrix by its smoothed gradient with all singular
values made about equal. A small model then learns more from each document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

MOMENTUM = 0.95
MATRICES = 3.5  # the learning rate of matrices, as a multiple of that of embeddings and vectors
ROUNDS = 5  # iterations that make the singular values about equal
# Coefficients of its odd polynomial of degree five, as published: it need not converge, only come near 1.
_LINEAR, _CUBIC, _QUINTIC = 3.4445, -4.7750, 2.0315


class Optimiser:
    """The optimisers Muon (matrices) and AdamW (other parameters) of a model as one; `rate` is AdamW's."""

    def __init__(self, model: Any, rate: float) -> None:

        tables = {id(each.weight) for each in model.modules() if isinstance(each, torch.nn.Embedding)}
        matrices = [each for each in model.parameters() if each.ndim == 2 and id(each) not in tables]
        moved = set(map(id, matrices))
        others = [each for each in model.parameters() if id(each) not in moved]
        self._adam = torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.0, fused=True)
        self._rate = rate
        alike: dict[tuple[int, ...], list[Any]] = {}
        for matrix in matrices:
            alike.setdefault(tuple(matrix.shape), []).append(matrix)
        self._alike = [(group, [torch.zeros_like(each) for each in group]) for group in alike.values()]

    def step(self, share: float) -> None:
        """Take one optimiser step at `share` of the learning rates, and clear the gradients."""
        for settings in self._adam.param_groups:
            settings["lr"] = self._rate * share
        self._adam.step()
        with torch.no_grad():
            for group, smoothed in self._alike:
                _move(group, smoothed, MATRICES * self._rate * share)
                for matrix in group:
                    matrix.grad = None
        self._adam.zero_grad(set_to_none=True)


def _move(group: Sequence[Any], smoothed: Sequence[Any], rate: float) -> None:

    wanted = []
    for matrix, average in zip(group, smoothed, strict=True):
        average.lerp_(matrix.grad, 1 - MOMENTUM)
        wanted.append(matrix.grad.lerp(average, MOMENTUM))
    rows, columns = group[0].shape
    reach = rate * (max(rows, columns) / min(rows, columns)) ** 0.5
    for matrix, direction in zip(group, orthogonal(torch.stack(wanted)), strict=True):
        matrix.add_(direction, alpha=-reach)


def orthogonal(matrices: Any) -> Any:
    """Return, for a stack of matrices, ones with the same singular vectors and all singular values near 1 (Muon)."""
    upright = matrices.shape[-2] > matrices.shape[-1]
    found = matrices.mT if upright else matrices
    found = found / (found.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        square = found @ found.mT
        found = _LINEAR * found + (_CUBIC * square + _QUINTIC * (square @ square)) @ found
    return found.mT if upright else found
