"""The banded ridge of the GPU check, at the number of voxels of real recordings, and himalaya's beside it."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from bench.brain_run import ALPHAS, BANDS, problem, theirs
from gpu.bounds import Bounds
from gpu.findings import Clock, Finding, Late, digest_of

from harness.studies.brain.ridge.gammas import candidates
from harness.studies.brain.ridge.refit import refit
from harness.studies.brain.ridge.search import Search, SearchFound, search

Array = Any  # of numpy
SPARE = 1e-4  # of the choices: a decision between candidates of one cell of the grid may turn without being flagged
AGREED = 0.05  # of the choices may be other than himalaya's: it takes the best of all, we the first that is as good
NEAR_THEIRS = 1e-4  # of the largest score, each at its best alpha
PERMITTED = 1e-4  # of the largest value
PEER = "himalaya"
ROWS = 50  # every so many rows of the dual weights are compared, and all of them hashed


@dataclass(frozen=True)
class Sizes:
    """How many targets, weights of bands, and targets of the CPU at a time."""

    targets: int
    gammas: int
    block: int


def ridge_findings(sizes: Sizes, device: str, bounds: Bounds, clock: Clock, whole: bool) -> Iterator[Finding]:
    """Give what search and refit choose for every target; `whole`: in one call, else as many blocks as time allows."""
    clock.require(f"ridge of {sizes.targets:,} targets", 10)
    bands, targets, inner = problem(sizes.targets)
    gammas = candidates(len(BANDS), sizes.gammas, 1, all_subsets=False)
    how = Search(tuple(ALPHAS.tolist()), "mse", stop=False, device=device)
    block = sizes.targets if whole else sizes.block
    if whole:
        _fitted(bands, targets[:, : sizes.block], inner, gammas[:1], how)  # libraries are loaded and warm
    parts, begun, pace = [], time.perf_counter(), 0.0
    for start in range(0, sizes.targets, block):
        if start:
            pace = (time.perf_counter() - begun) / start * block
            if clock.left() <= pace:
                break
        parts.append(_fitted(bands, targets[:, start : start + block], inner, gammas, how))
    seconds = time.perf_counter() - begun
    yield _joined(parts, seconds, bounds.least(0, _operations(len(targets), sizes.targets, sizes.gammas)))
    done = sum(len(part.decisions) for part in parts)
    if done < sizes.targets:
        clock.require(f"ridge of targets {done:,} to {sizes.targets:,}", pace)
    if whole and (importlib.util.find_spec(PEER) and importlib.util.find_spec("sklearn")):
        clock.require(f"{PEER}'s ridge", 2 * seconds)
        try:
            yield _peer(bands, targets, inner, gammas, device)
        except RuntimeError as bad:  # memory, most likely: it takes all targets at once
            raise Late(f"{PEER}'s ridge, which failed: {str(bad)[:200]}") from bad


@dataclass(frozen=True)
class _Fitted:
    """What came of some targets."""

    decisions: Array
    tied: Array
    scores: Array
    dual: Array


def _fitted(bands: list[Array], targets: Array, inner: Any, gammas: Array, how: Search) -> _Fitted:
    found: SearchFound = search(bands, targets, inner, gammas, how)
    fit = refit(bands, targets, found, gammas, how)
    return _Fitted(_decisions(found.gamma, found.alpha), found.tied, found.scores, fit.dual)


def _decisions(gamma: Array, alpha: Array) -> Array:
    """Spell the choice of weights and alpha as one number a target."""
    places = np.abs(np.log2(np.asarray(alpha, np.float64))[:, None] - np.log2(ALPHAS)).argmin(axis=1)
    return gamma.astype(np.int64) * len(ALPHAS) + places


def _joined(parts: list[_Fitted], seconds: float, least: float) -> Finding:
    tied = np.concatenate([part.tied for part in parts])
    scores = np.concatenate([part.scores for part in parts], axis=1)
    dual = np.concatenate([part.dual for part in parts], axis=1)
    decisions = np.concatenate([part.decisions for part in parts])
    values = {"scores": scores.T, "dual weights": np.ascontiguousarray(dual[::ROWS].T)}
    return Finding(
        "ridge", f"{len(BANDS)} bands", "", decisions, np.where(tied, 0.0, np.inf), values, 0.0, PERMITTED, SPARE,
        seconds, least, digest_of(decisions, scores, dual),
    )  # fmt: skip


def _operations(rows: int, targets: int, gammas: int) -> float:
    """Count what half of a quadratic form a target and alpha, and turning each target, take at least."""
    coordinates = rows - 1
    return float(gammas) * targets * coordinates**2 * (len(ALPHAS) + 2)


def _peer(bands: list[Array], targets: Array, inner: Any, gammas: Array, device: str) -> Finding:
    """Search and refit by himalaya on the same device, without flags that it was not written for."""
    import torch

    backend = "torch_cuda" if device.startswith("cuda") else "numpy"
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("default")
    try:
        theirs(bands, targets[:, :1000], inner, gammas[:1], backend)
        begun = time.perf_counter()
        found = theirs(bands, targets, inner, gammas, backend)
        seconds = time.perf_counter() - begun
    finally:
        torch.set_deterministic_debug_mode(before)
    decisions, scores = _decisions(found["gamma"], found["alpha"]), {"scores": found["scores"].T}
    return Finding(
        PEER, f"{len(BANDS)} bands", "", decisions, values=scores, permitted=NEAR_THEIRS, spare=AGREED, seconds=seconds
    )
