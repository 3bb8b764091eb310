"""The architectures that `make walk` walks, each as a tiny model of drawn weights in every pass, on this device."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from gpu.findings import Clock, Finding, digest_of
from numerics.architectures import CAUSAL, ENCODERS, run_passes

from harness.digest import sha256
from harness.models.local.likelihood import ContinuationScore

NEWLINE = "\n"
PERMITTED = 1e-3  # of the largest value: weights this wide make each layer grow what rounding did in the one before


def kind_findings(kinds: Sequence[str], clock: Clock, refused: Callable[[str], None]) -> Iterator[Finding]:
    """Give what comes out of each architecture; one that cannot be computed here is told."""
    for kind in kinds or (*CAUSAL, *ENCODERS):
        clock.require(f"architectures from {kind} on", 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operations that nobody walked: `make walk` tells
            try:
                made = [*run_passes(kind, "float32")]
            except Exception as bad:  # what one refuses or cannot do, others can: the judge asks whether the CPU could
                refused(f"{kind}: {type(bad).__name__}: {str(bad).strip().partition(NEWLINE)[0][:200]}")
                continue
        tensors = [one.float().cpu().numpy() for one in _tensors(made)]
        scores = np.array([one.logprob for one in _scores(made)])
        rest = sha256(repr([one for one in _leaves(made) if isinstance(one, int | float | str)]).encode())
        values = {
            **{f"state {at}": one for at, one in enumerate(tensors)},
            **({"scores": scores} if len(scores) else {}),
        }
        yield Finding(
            "architecture", kind, "", values=values, permitted=PERMITTED,
            digest=sha256((digest_of(*tensors, scores) + rest).encode()),
        )  # fmt: skip


def _leaves(made: Any) -> Iterator[Any]:
    """Walk what passes gave, down to tensors, scores, numbers and texts."""
    if isinstance(made, dict):
        yield from _leaves([*made.items()])
    elif isinstance(made, Iterable) and not isinstance(made, str) and not hasattr(made, "dtype"):
        for one in made:
            yield from _leaves(one)
    else:
        yield made


def _tensors(made: Any) -> list[Any]:
    return [one for one in _leaves(made) if hasattr(one, "dtype")]


def _scores(made: Any) -> list[ContinuationScore]:
    return [one for one in _leaves(made) if isinstance(one, ContinuationScore)]
