"""Log-likelihoods of token sequences: the prefix that several share is computed once (KV cache), then each remainder.

Tokens in, numbers out, in float64 from the model's logits. It never knows a text, an item or a file.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.models.local.load import LoadedModel

ROWS = 64  # logits converted to float64 at a time: one row is as wide as the vocabulary


@dataclass(frozen=True, slots=True)
class TokenizedContinuation:
    """The tokens of one continuation and of the context before it; neither is empty."""

    head: tuple[int, ...]
    tail: tuple[int, ...]

    @property
    def read(self) -> tuple[int, ...]:
        """The tokens that the model reads: all but the last, since nothing is predicted after it."""
        return (self.head + self.tail)[:-1]


@dataclass(frozen=True, slots=True)
class ContinuationScore:
    """The score of one continuation: log-likelihood, number of tokens, and whether greedy decoding would give it."""

    logprob: float  # of all its tokens together
    tokens: int
    greedy: bool  # whether each token is the likeliest at its position


def likelihoods(loaded: LoadedModel, pairs: Sequence[TokenizedContinuation], size: int = 1) -> list[ContinuationScore]:
    """Score the continuations of one context in batches of `size`; results in the order given."""
    import torch  # noqa: PLC0415

    with torch.inference_mode():
        shared = shared_length([pair.read for pair in pairs])
        least = min(len(pair.head) for pair in pairs)
        cache, first = _first(loaded, pairs[0].read[:shared], shared - least + 1)
        scores: list[Any] = [first] * len(pairs)
        waiting = [place for place, pair in enumerate(pairs) if len(pair.read) > shared]
        waiting.sort(key=lambda place: len(pairs[place].read))
        for at in range(0, len(waiting), size):
            group = waiting[at : at + size]
            rests = [pairs[place].read[shared:] for place in group]
            for place, rest, more in zip(group, rests, _rests(loaded, cache, rests, shared), strict=True):
                scores[place] = torch.cat([first, more[: len(rest)]])
        return [_found(each[len(pair.head) - least :], pair) for each, pair in zip(scores, pairs, strict=True)]


def shared_length(texts: Sequence[tuple[int, ...]]) -> int:
    """Count the tokens of the prefix that all sequences share."""
    low, high = min(texts), max(texts)  # what the first and the last in order share, all share
    for place, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            return place
    return len(low)


def _first(loaded: LoadedModel, tokens: Sequence[int], keep: int) -> tuple[Any, Any]:
    """Run the shared prefix; returns its KV cache and the logits of its last `keep` tokens."""
    from transformers import DynamicCache  # noqa: PLC0415

    cache = DynamicCache(config=loaded.model.config)
    scores = _forward(loaded, [tokens], cache, 0, {"logits_to_keep": keep} if loaded.last_only else {})
    return cache, scores[0, -keep:]


def _rests(loaded: LoadedModel, cache: Any, rests: Sequence[Sequence[int]], seen: int) -> Any:
    """Run the remainders after the shared prefix in one batch, padded on the right."""
    remembered = apart(cache)
    if len(rests) > 1:
        remembered.batch_repeat_interleave(len(rests))
    longest = max(map(len, rests))
    return _forward(loaded, [[*rest, *[rest[-1]] * (longest - len(rest))] for rest in rests], remembered, seen, {})


def apart(cache: Any) -> Any:
    """Copy a KV cache, so that one may grow and the other stays; keys and values themselves are not copied.

    They are where a layer remembers anything else, which it may change in place.
    """
    if not remembers_keys(cache):
        return copy.deepcopy(cache)
    found = copy.copy(cache)
    found.layers = [copy.copy(layer) for layer in cache.layers]
    return found


def remembers_keys(cache: Any) -> bool:
    """Whether each layer of a KV cache remembers keys and values alone, and grows by making new ones."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer  # noqa: PLC0415

    return all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in cache.layers)


def _forward(loaded: LoadedModel, tokens: Sequence[Sequence[int]], cache: Any, seen: int, more: dict[str, Any]) -> Any:
    import torch  # noqa: PLC0415

    where = loaded.model.device
    if loaded.positions:
        more = {**more, "position_ids": torch.arange(seen, seen + len(tokens[0]), device=where).unsqueeze(0)}
    given = torch.tensor([list(text) for text in tokens], device=where)
    return loaded.model(given, past_key_values=cache, use_cache=True, **more).logits


def _found(scores: Any, pair: TokenizedContinuation) -> ContinuationScore:
    """Sum the log-probabilities of a continuation's tokens."""
    import torch  # noqa: PLC0415

    total, greedy = 0.0, True
    for at in range(0, len(pair.tail), ROWS):
        some = scores[at : at + ROWS]
        wanted = torch.tensor(pair.tail[at : at + ROWS], device=some.device)
        wide = some.to(torch.float64)
        logs = wide.gather(1, wanted.unsqueeze(1)).squeeze(1) - torch.logsumexp(wide, dim=1)
        total += float(logs.sum())
        greedy = greedy and bool((torch.argmax(some, dim=1) == wanted).all())
    return ContinuationScore(total, len(pair.tail), greedy)
