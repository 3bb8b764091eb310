"""Log-likelihoods of many prompts' continuations in batches across prompts, each shared prefix computed once.

A batch reads the prompts of about one length, padded on the left, and then what each continuation adds. What all
prompts begin with, such as their examples, is computed once for all. It never knows a text, an item or a file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.models.local.continuations import (
    ContinuationScore,
    TokenizedContinuation,
    apart,
    remembers_keys,
    shared_length,
)
from harness.models.local.load import LoadedModel

NUMBERS = 1 << 21  # logits converted to float64 at a time
HEADER = 8  # tokens that all prompts begin with, from which on they are computed once for all

Group = Sequence[TokenizedContinuation]


@dataclass
class PreparedGroup:
    """The continuations of one prompt, how many tokens they share, and what was found of each token so far."""

    pairs: Group
    shared: int
    logs: list[list[float]] = field(default_factory=list)
    greedy: list[bool] = field(default_factory=list)

    @property
    def prefix(self) -> tuple[int, ...]:
        """The tokens that all of them begin with."""
        return self.pairs[0].read[: self.shared]

    @property
    def least(self) -> int:
        """The length of the shortest context."""
        return min(len(pair.head) for pair in self.pairs)

    def scores(self) -> list[ContinuationScore]:
        """Sum up what was found."""
        found = zip(self.logs, self.pairs, self.greedy, strict=True)
        return [ContinuationScore(math.fsum(logs), len(pair.tail), greedy) for logs, pair, greedy in found]


def prepared(pairs: Group) -> PreparedGroup:
    """Prepare the continuations of one prompt."""
    return PreparedGroup(pairs, shared_length([pair.read for pair in pairs]))


@dataclass(frozen=True)
class Header:
    """The tokens that all prompts begin with, and their KV cache, of one row."""

    length: int
    cache: Any

    def spread(self, loaded: LoadedModel, count: int) -> Any:
        """Give the cache for so many rows; no number is copied."""
        if not self.length:
            return _empty_cache(loaded)
        return _selected(self.cache, [0] * count)


def batches_together(loaded: LoadedModel) -> bool:
    """Whether prompts of several lengths may share a batch: each layer of the model remembers keys and values alone."""
    return remembers_keys(_empty_cache(loaded))


def header_of(loaded: LoadedModel, groups: Sequence[PreparedGroup]) -> Header:
    """Compute what all prompts begin with, where it is worth it and positions can be told to the model."""
    import torch  # noqa: PLC0415
    from transformers.cache_utils import DynamicLayer  # noqa: PLC0415

    cache = _empty_cache(loaded)
    if len(groups) < 2 or not loaded.positions or any(type(layer) is not DynamicLayer for layer in cache.layers):
        return Header(0, None)
    length = min(shared_length([group.prefix for group in groups]), min(group.least for group in groups) - 1)
    if length < HEADER:
        return Header(0, None)
    with torch.inference_mode():
        _forward(loaded, torch.tensor([groups[0].prefix[:length]]), cache, None, torch.arange(length).unsqueeze(0), 1)
    return Header(length, cache)


def measure_batch(loaded: LoadedModel, groups: Sequence[PreparedGroup], header: Header, size: int) -> None:
    """Score the continuations of at most `size` prompts, at most `size` rows at a time; each group keeps its own."""
    import torch  # noqa: PLC0415

    for group in groups:
        group.logs, group.greedy = [[] for _ in group.pairs], [True for _ in group.pairs]
    with torch.inference_mode():
        rests = [group.prefix[header.length :] for group in groups]
        longest = max(map(len, rests))
        lacks = [longest - len(rest) for rest in rests]
        cache = header.spread(loaded, len(groups))
        given = torch.tensor([[rest[0]] * lack + list(rest) for lack, rest in zip(lacks, rests, strict=True)])
        places = torch.arange(longest).unsqueeze(0) - torch.tensor(lacks).unsqueeze(1)
        mask = None
        if any(lacks):
            known = torch.ones((len(groups), header.length), dtype=torch.long)
            mask = torch.cat([known, (places >= 0).to(torch.long)], dim=1)
        keep = max(group.shared - group.least + 1 for group in groups)
        logits = _forward(loaded, given, cache, mask, places.clamp(min=0) + header.length, keep)
        _take(logits, _of_prefixes(groups))
        waiting = [(row, one) for row, group in enumerate(groups) for one in _longer(group)]
        waiting.sort(key=lambda each: len(groups[each[0]].pairs[each[1]].read) - groups[each[0]].shared)
        for at in range(0, len(waiting), size):
            _measure_rests(loaded, groups, waiting[at : at + size], cache, mask)


def _measure_rests(
    loaded: LoadedModel, groups: Sequence[PreparedGroup], which: Sequence[tuple[int, int]], cache: Any, mask: Any
) -> None:
    """Read what continuations add to their prefixes, padded on the right, and take what it tells."""
    import torch  # noqa: PLC0415

    rests = [groups[row].pairs[one].read[groups[row].shared :] for row, one in which]
    longest = max(map(len, rests))
    rows = [row for row, _ in which]
    sizes = torch.tensor([len(rest) for rest in rests]).unsqueeze(1)
    along = torch.arange(longest).unsqueeze(0)
    begins = torch.tensor([groups[row].shared for row in rows]).unsqueeze(1)
    if mask is not None:
        mask = torch.cat([mask[rows], (along < sizes).to(torch.long)], dim=1)
    given = torch.tensor([[*rest, *[rest[-1]] * (longest - len(rest))] for rest in rests])
    places = begins + torch.minimum(along, sizes - 1)
    _take(_forward(loaded, given, _selected(cache, rows), mask, places, 0), _of_rests(groups, which))


@dataclass(frozen=True, slots=True)
class WantedLogit:
    """Where the logits of one token of a continuation lie in a batch, and whose they are."""

    row: int
    column: int
    token: int
    group: PreparedGroup
    one: int


def _of_prefixes(groups: Sequence[PreparedGroup]) -> Iterator[WantedLogit]:
    """List the tokens that the logits of the prefixes foretell; columns are counted from the end."""
    for row, group in enumerate(groups):
        for one, pair in enumerate(group.pairs):
            for place in range(len(pair.head) - 1, group.shared):
                token = pair.tail[place + 1 - len(pair.head)]
                yield WantedLogit(row, place - group.shared, token, group, one)


def _of_rests(groups: Sequence[PreparedGroup], which: Sequence[tuple[int, int]]) -> Iterator[WantedLogit]:
    """List the tokens that the logits of the rests foretell."""
    for row, (at, one) in enumerate(which):
        group, pair = groups[at], groups[at].pairs[one]
        for place in range(group.shared, len(pair.read)):
            yield WantedLogit(row, place - group.shared, pair.tail[place + 1 - len(pair.head)], group, one)


def _take(logits: Any, wanted: Iterator[WantedLogit]) -> None:
    """Add the log-probability of each token to its continuation, and whether it is the likeliest."""
    import torch  # noqa: PLC0415

    listed = list(wanted)
    size = max(1, NUMBERS // logits.shape[-1])
    for at in range(0, len(listed), size):
        some = listed[at : at + size]
        rows = logits[[each.row for each in some], [each.column for each in some]]
        tokens = torch.tensor([each.token for each in some], device=rows.device)
        wide = rows.to(torch.float64)
        logs = wide.gather(1, tokens.unsqueeze(1)).squeeze(1) - torch.logsumexp(wide, dim=1)
        best = torch.argmax(rows, dim=1) == tokens
        for each, log, likeliest in zip(some, logs.tolist(), best.tolist(), strict=True):
            each.group.logs[each.one].append(log)
            each.group.greedy[each.one] &= likeliest


def _longer(group: PreparedGroup) -> list[int]:
    """List the continuations that read more than the prefix."""
    return [one for one, pair in enumerate(group.pairs) if len(pair.read) > group.shared]


def _empty_cache(loaded: LoadedModel) -> Any:
    from transformers import DynamicCache  # noqa: PLC0415

    return DynamicCache(config=loaded.model.config)


def _selected(cache: Any, rows: Sequence[int]) -> Any:
    """Give a cache of the rows named, whose growth leaves the one given as it is."""
    import torch  # noqa: PLC0415

    chosen = apart(cache)
    chosen.batch_select_indices(torch.tensor(rows))
    return chosen


def _forward(loaded: LoadedModel, tokens: Any, cache: Any, mask: Any, places: Any, keep: int) -> Any:
    """Run the model on new tokens; `keep` is how many of the last logits are wanted, 0 for all."""
    where = loaded.model.device
    more: dict[str, Any] = {"position_ids": places.to(where)} if loaded.positions else {}
    if keep and loaded.last_only:
        more["logits_to_keep"] = keep
    mask = None if mask is None else mask.to(where)
    return loaded.model(tokens.to(where), attention_mask=mask, past_key_values=cache, use_cache=True, **more).logits
