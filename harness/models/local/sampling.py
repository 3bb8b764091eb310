"""Sampling of the next token: greedy, or by temperature and top-p, drawn from the request's seed and the position.

Pure float64 arithmetic on one row of logits; it never knows a model, a batch or another request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import InputError


@dataclass(frozen=True, slots=True)
class SamplingRule:
    """The sampling parameters of a request: temperature and top-p."""

    temperature: float
    top_p: float

    @property
    def greedy(self) -> bool:
        """Whether decoding is greedy: nothing is drawn."""
        return self.temperature == 0


def sampling_rule(generation: Mapping[str, Any]) -> SamplingRule:
    """Parse temperature and top-p from a manifest's decimals; refuses values out of range."""
    found = SamplingRule(_decimal(generation, "temperature", "0"), _decimal(generation, "top_p", "1"))
    if not 0 <= found.temperature <= 100:
        raise InputError("a temperature lies between 0 and 100", where="temperature", next="use 0 for greedy answers")
    if not 0 < found.top_p <= 1:
        raise InputError("top_p lies above 0 and at most at 1", where="top_p", next="use 1 to draw from all tokens")
    return found


def _decimal(generation: Mapping[str, Any], name: str, default: str) -> float:
    try:
        return float(str(generation.get(name, default)))
    except ValueError as bad:
        raise InputError(f"`{name}` is no number", where=name, next='give decimal text such as "0.7"') from bad


def request_seed(seed: int, item: str, template: int, sample: int) -> int:
    """Derive the 53-bit seed of one request from the run's seed, item, template and sample, never time or batch."""
    return seeds.derive(seed, "sample", item, template, sample) >> 11


def uniform(seed: int, place: int) -> float:
    """Derive the uniform number in [0, 1) that decides the token at one position of an answer."""
    return seeds.unit(seeds.derive(seed, "token", "", 0, place))


def draw_token(scores: Any, how: SamplingRule, number: float) -> int:
    """Draw a token at a temperature by top-p (nucleus) sampling; `number` in [0, 1) decides which.

    Tokens that are equally likely are ordered by their ids.
    """
    import numpy as np  # noqa: PLC0415

    chances = probabilities(scores, how.temperature)
    order = np.argsort(-chances, kind="stable")
    heaped = np.cumsum(chances[order])
    kept = int(np.searchsorted(heaped, how.top_p * heaped[-1], side="left")) + 1 if how.top_p < 1 else len(order)
    kept = min(kept, len(order))
    place = int(np.searchsorted(heaped[:kept], number * heaped[kept - 1], side="right"))
    return int(order[min(place, kept - 1)])


def probabilities(scores: Any, temperature: float) -> Any:
    """Compute softmax probabilities of logits at a temperature, in float64."""
    import numpy as np  # noqa: PLC0415

    scaled = np.asarray(scores, dtype=np.float64) / temperature
    risen = np.exp(scaled - scaled.max())
    return risen / risen.sum()


def log_probabilities(scores: Any) -> Any:
    """Compute log-probabilities at temperature 1 (log-softmax), which is what a response reports."""
    import numpy as np  # noqa: PLC0415

    wide = np.asarray(scores, dtype=np.float64)
    shifted = wide - wide.max()
    return shifted - np.log(np.exp(shifted).sum())


def top_tokens(logs: Any, count: int) -> list[tuple[int, float]]:
    """List the likeliest tokens with their log-probabilities; ties go to the smaller token id."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(-logs, kind="stable")[:count]
    return [(int(token), float(logs[token])) for token in order]
