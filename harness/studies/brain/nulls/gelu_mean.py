"""The mean of a GELU over random inputs and its effect on a sum over tokens: expected, and measured in a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

from harness.studies.brain.nulls.length_models import batches

Array = Any  # a numpy array
GPT2 = Any  # a transformers model
NODES = 64  # nodes of the quadrature


class Moments(NamedTuple):
    """Mean and variance of an activation over random inputs."""

    mean: float
    variance: float


def gelu_moments(spread: float) -> Moments:
    """Return mean and variance of GPT-2's GELU (`gelu_new`) over N(0, spread squared), by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    x, weights = spread * nodes, weights / weights.sum()
    values = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    mean = float(weights @ values)
    return Moments(mean, float(weights @ values**2) - mean**2)


def expected_share(moments: Moments, lengths: Sequence[int]) -> float:
    """Return the share of the squared norm of sums over tokens that lies along a token's mean.

    A sum of n independent tokens has n times the mean, but only the square root of n times the spread.
    """
    along = moments.mean**2 * sum(length**2 for length in lengths)
    return along / (along + moments.variance * sum(lengths))


def account(model: GPT2, sentences: Sequence[Array], source: Array) -> dict[str, dict[str, float]]:
    """Measure how much of each MLP's summed output lies along its mean, and what Gaussian inputs predict, by layer.

    `share_measured` is the share of the sentences' own sums. `share_dealt` is the share of sums of equally many tokens,
    assigned at random by the generator `source`; attention makes the tokens of a sentence similar, which adds to the
    rest. Both are taken along the mean of the other half of the sums.
    """
    found = {}
    for layer, seen in enumerate(_watched(model, sentences), start=1):
        spread = float(np.mean(np.concatenate(seen.before) ** 2)) ** 0.5
        moments = gelu_moments(spread)
        tokens, lengths = np.concatenate(seen.behind), np.array(seen.lengths)
        order = source.permutation(len(lengths))  # so both halves have all lengths
        found[str(layer)] = {
            "spread": spread,
            "mean_expected": moments.mean,
            "mean_measured": float(np.mean(np.concatenate(seen.active))),
            "share_expected": expected_share(moments, seen.lengths),
            "share_dealt": share_along_mean(_sums(source.permutation(tokens), lengths)[order]),
            "share_measured": share_along_mean(_sums(tokens, lengths)[order]),
        }
    return found


def share_along_mean(sums: Array) -> float:
    """Return the share of the squared norm of vectors [vector, width] that lies along the mean of the other half."""
    halves = sums[::2], sums[1::2]
    along = 0.0
    for own, other in (halves, halves[::-1]):
        mean = other.sum(axis=0)
        along += float(((own @ mean) ** 2).sum() / (mean @ mean))
    return along / float((sums**2).sum())


def _sums(tokens: Array, lengths: Array) -> Array:

    return np.add.reduceat(tokens, np.cumsum(lengths) - lengths, axis=0)


@dataclass
class _Seen:
    """Values in one layer's MLP, one row per token: before the activation, after it, and at the MLP's end."""

    before: list[Array] = field(default_factory=list)
    active: list[Array] = field(default_factory=list)
    behind: list[Array] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def activation(self, module: Any, given: Any, out: Any) -> None:
        self.before.append(_rows(given[0]))
        self.active.append(_rows(out))

    def end(self, module: Any, given: Any, out: Any) -> None:
        self.behind.append(_rows(out))
        self.lengths += [out.shape[1]] * len(out)


def _rows(states: Any) -> Array:
    return states.double().flatten(0, 1).numpy()


def _watched(model: GPT2, sentences: Sequence[Array]) -> list[_Seen]:

    found, hooks = [_Seen() for _ in model.h], []
    for block, seen in zip(model.h, found, strict=True):
        hooks += [block.mlp.act.register_forward_hook(seen.activation), block.mlp.register_forward_hook(seen.end)]
    with torch.inference_mode():
        for _, tokens in batches(sentences):
            model(input_ids=torch.from_numpy(tokens), use_cache=False)
    for hook in hooks:
        hook.remove()
    return found
