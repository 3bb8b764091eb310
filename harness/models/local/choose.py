"""How the next token is chosen: greedily, or by a draw that belongs to the request and the place alone.

Pure arithmetic in float64 on one row of scores; it must never know a model, a batch or who else is asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness import seeds
from harness.errors import InputError


@dataclass(frozen=True, slots=True)
class Rule:
    """How every token of a step is chosen."""

    temperature: float
    top_p: float

    @property
    def greedy(self) -> bool:
        """Whether nothing is drawn."""
        return self.temperature == 0


def rule(generation: Mapping[str, Any]) -> Rule:
    """Read the rule from a manifest's decimals; refuses what no draw can follow."""
    found = Rule(_decimal(generation, "temperature", "0"), _decimal(generation, "top_p", "1"))
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
    """Give the seed of one request: 53 bits of what it is asked, never of when or beside whom."""
    return seeds.derive(seed, "sample", item, template, sample) >> 11


def uniform(seed: int, place: int) -> float:
    """Give the number in [0, 1) that decides the token at a place of a request's answer."""
    return seeds.unit(seeds.derive(seed, "token", "", 0, place))


def drawn(scores: Any, how: Rule, number: float) -> int:
    """Draw a token: the likeliest ones that together reach `top_p`, ties by the smaller token first."""
    import numpy as np  # noqa: PLC0415

    chances = probabilities(scores, how.temperature)
    order = np.argsort(-chances, kind="stable")
    heaped = np.cumsum(chances[order])
    kept = int(np.searchsorted(heaped, how.top_p * heaped[-1], side="left")) + 1 if how.top_p < 1 else len(order)
    kept = min(kept, len(order))
    place = int(np.searchsorted(heaped[:kept], number * heaped[kept - 1], side="right"))
    return int(order[min(place, kept - 1)])


def probabilities(scores: Any, temperature: float) -> Any:
    """Turn scores into chances in float64."""
    import numpy as np  # noqa: PLC0415

    scaled = np.asarray(scores, dtype=np.float64) / temperature
    risen = np.exp(scaled - scaled.max())
    return risen / risen.sum()


def log_probabilities(scores: Any) -> Any:
    """Give the logarithms of the chances at temperature 1, which is what a response reports."""
    import numpy as np  # noqa: PLC0415

    wide = np.asarray(scores, dtype=np.float64)
    shifted = wide - wide.max()
    return shifted - np.log(np.exp(shifted).sum())


def likeliest(logs: Any, count: int) -> list[tuple[int, float]]:
    """Give the likeliest tokens with their log-probabilities, ties by the smaller token first."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(-logs, kind="stable")[:count]
    return [(int(token), float(logs[token])) for token in order]
