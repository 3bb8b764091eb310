"""Log-likelihoods that a local model assigns to continuations of a prompt, for multiple choice and perplexity.

Context and continuation are tokenized as one text, and the space between them belongs to the continuation. Long texts
are read as rolling windows, like in lm-eval. The prefix that several continuations share is computed once. At the
reference level one continuation is read at a time. In batches, prompts of similar length are read together.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from harness import rows
from harness.errors import InputError
from harness.models.local.decode import NO_ROOM
from harness.models.local.load import (
    REFERENCE,
    LoadedModel,
    ModelInput,
    batch_size,
    hold_causal,
    model_input,
    open_causal,
    step_model,
    with_batch_policy,
)
from harness.models.local.torch_setup import fingerprint_torch, out_of_memory, release_memory
from harness.models.provider import plain_text, require_text
from harness.rowtypes import Likelihood, Prompt
from harness.steps import FACTS

WARM = hold_causal
ROWS = 64  # rows of logits converted to float64 at a time; one row is as wide as the vocabulary


@dataclass(frozen=True, slots=True)
class TokenizedContinuation:
    """The tokens of one continuation and of the context before it; neither is empty."""

    head: tuple[int, ...]
    tail: tuple[int, ...]

    @property
    def read(self) -> tuple[int, ...]:
        """The tokens that the model reads: all except the last, since nothing is predicted after it."""
        return (self.head + self.tail)[:-1]


@dataclass(frozen=True, slots=True)
class ContinuationScore:
    """The score of one continuation: log-likelihood, number of tokens, and whether greedy decoding would produce it."""

    logprob: float  # sum over all its tokens
    tokens: int
    greedy: bool  # whether each token is the likeliest at its position


def likelihoods(loaded: LoadedModel, pairs: Sequence[TokenizedContinuation], size: int = 1) -> list[ContinuationScore]:
    """Score the continuations of one context in batches of `size`, and return the scores in the order given."""
    with torch.inference_mode():
        shared = shared_prefix_length([pair.read for pair in pairs])
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


def shared_prefix_length(texts: Sequence[tuple[int, ...]]) -> int:
    """Return the number of tokens in the prefix that all sequences share."""
    low, high = min(texts), max(texts)  # a prefix shared by the first and the last in order is shared by all
    for place, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            return place
    return len(low)


def _first(loaded: LoadedModel, tokens: Sequence[int], keep: int) -> tuple[Any, Any]:
    """Run the shared prefix, and return its KV cache and the logits of its last `keep` tokens."""
    cache = DynamicCache(config=loaded.model.config)
    scores = _continuations_forward(loaded, [tokens], cache, 0, {"logits_to_keep": keep} if loaded.last_only else {})
    return cache, scores[0, -keep:]


def _rests(loaded: LoadedModel, cache: Any, rests: Sequence[Sequence[int]], seen: int) -> Any:
    """Run the remainders after the shared prefix in one batch, padded on the right."""
    remembered = copy_cache(cache)
    if len(rests) > 1:
        remembered.batch_repeat_interleave(len(rests))
    longest = max(map(len, rests))
    return _continuations_forward(
        loaded, [[*rest, *[rest[-1]] * (longest - len(rest))] for rest in rests], remembered, seen, {}
    )


def copy_cache(cache: Any) -> Any:
    """Return a copy of a KV cache that can grow without changing the original; keys and values are not copied.

    A cache with any other layer type is copied entirely, because such layers may change in place.
    """
    if not remembers_keys(cache):
        return copy.deepcopy(cache)
    found = copy.copy(cache)
    found.layers = [copy.copy(layer) for layer in cache.layers]
    return found


def remembers_keys(cache: Any) -> bool:
    """Whether each layer of a KV cache stores keys and values alone, and grows by creating new ones."""
    return all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in cache.layers)


def _continuations_forward(
    loaded: LoadedModel, tokens: Sequence[Sequence[int]], cache: Any, seen: int, more: dict[str, Any]
) -> Any:

    where = loaded.model.device
    if loaded.positions:
        more = {**more, "position_ids": torch.arange(seen, seen + len(tokens[0]), device=where).unsqueeze(0)}
    given = torch.tensor([list(text) for text in tokens], device=where)
    return loaded.model(given, past_key_values=cache, use_cache=True, **more).logits


def _found(scores: Any, pair: TokenizedContinuation) -> ContinuationScore:
    """Return the sum of the log-probabilities of a continuation's tokens, as a score."""
    total, greedy = 0.0, True
    for at in range(0, len(pair.tail), ROWS):
        some = scores[at : at + ROWS]
        wanted = torch.tensor(pair.tail[at : at + ROWS], device=some.device)
        wide = some.to(torch.float64)
        logs = wide.gather(1, wanted.unsqueeze(1)).squeeze(1) - torch.logsumexp(wide, dim=1)
        total += float(logs.sum())
        greedy = greedy and bool((torch.argmax(some, dim=1) == wanted).all())
    return ContinuationScore(total, len(pair.tail), greedy)


NUMBERS = 1 << 21  # logits converted to float64 at a time
HEADER = 8  # least shared tokens of all prompts that are computed once

ContinuationGroup = Sequence[TokenizedContinuation]


@dataclass
class PreparedGroup:
    """The continuations of one prompt, the length of their shared prefix, and the results for each token so far."""

    pairs: ContinuationGroup
    shared: int
    logs: list[list[float]] = field(default_factory=list)
    greedy: list[bool] = field(default_factory=list)

    @property
    def prefix(self) -> tuple[int, ...]:
        """The tokens that all continuations of the group begin with."""
        return self.pairs[0].read[: self.shared]

    @property
    def least(self) -> int:
        """The length in tokens of the shortest context of the group."""
        return min(len(pair.head) for pair in self.pairs)

    def scores(self) -> list[ContinuationScore]:
        """Return the score of each continuation from the results for its tokens."""
        found = zip(self.logs, self.pairs, self.greedy, strict=True)
        return [ContinuationScore(math.fsum(logs), len(pair.tail), greedy) for logs, pair, greedy in found]


def prepare_group(pairs: ContinuationGroup) -> PreparedGroup:
    """Return the continuations of one prompt as a group with its shared prefix."""
    return PreparedGroup(pairs, shared_prefix_length([pair.read for pair in pairs]))


@dataclass(frozen=True)
class Header:
    """The tokens that all prompts begin with, and the model's KV cache after reading them."""

    length: int
    cache: Any

    def spread(self, loaded: LoadedModel, count: int) -> Any:
        """Return the cache for `count` rows; no values are copied."""
        if not self.length:
            return _empty_cache(loaded)
        return _selected(self.cache, [0] * count)


def batches_together(loaded: LoadedModel) -> bool:
    """Whether prompts of several lengths may share a batch: each layer of the model caches keys and values alone."""
    return remembers_keys(_empty_cache(loaded))


def compute_header(loaded: LoadedModel, groups: Sequence[PreparedGroup]) -> Header:
    """Compute the common beginning of all prompts, if it is long enough and the model takes position ids."""
    cache = _empty_cache(loaded)
    if len(groups) < 2 or not loaded.positions or any(type(layer) is not DynamicLayer for layer in cache.layers):
        return Header(0, None)
    length = min(shared_prefix_length([group.prefix for group in groups]), min(group.least for group in groups) - 1)
    if length < HEADER:
        return Header(0, None)
    with torch.inference_mode():
        _together_forward(
            loaded, torch.tensor([groups[0].prefix[:length]]), cache, None, torch.arange(length).unsqueeze(0), 1
        )
    return Header(length, cache)


def measure_batch(loaded: LoadedModel, groups: Sequence[PreparedGroup], header: Header, size: int) -> None:
    """Score the continuations of at most `size` prompts, at most `size` rows at a time; groups keep the scores."""
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
        logits = _together_forward(loaded, given, cache, mask, places.clamp(min=0) + header.length, keep)
        _take(logits, _of_prefixes(groups))
        waiting = [(row, one) for row, group in enumerate(groups) for one in _longer(group)]
        waiting.sort(key=lambda each: len(groups[each[0]].pairs[each[1]].read) - groups[each[0]].shared)
        for at in range(0, len(waiting), size):
            _measure_rests(loaded, groups, waiting[at : at + size], cache, mask)


def _measure_rests(
    loaded: LoadedModel, groups: Sequence[PreparedGroup], which: Sequence[tuple[int, int]], cache: Any, mask: Any
) -> None:
    """Run the model on the continuations after their prefixes, padded on the right, and store the results."""
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
    _take(_together_forward(loaded, given, _selected(cache, rows), mask, places, 0), _of_rests(groups, which))


@dataclass(frozen=True, slots=True)
class WantedLogit:
    """Where in a batch the logits for one token of a continuation are, with the continuation's group and number."""

    row: int
    column: int
    token: int
    group: PreparedGroup
    one: int


def _of_prefixes(groups: Sequence[PreparedGroup]) -> Iterator[WantedLogit]:
    """Yield the tokens that the logits of the prefixes predict; columns are counted from the end."""
    for row, group in enumerate(groups):
        for one, pair in enumerate(group.pairs):
            for place in range(len(pair.head) - 1, group.shared):
                token = pair.tail[place + 1 - len(pair.head)]
                yield WantedLogit(row, place - group.shared, token, group, one)


def _of_rests(groups: Sequence[PreparedGroup], which: Sequence[tuple[int, int]]) -> Iterator[WantedLogit]:
    """Yield the tokens that the logits of the rests predict."""
    for row, (at, one) in enumerate(which):
        group, pair = groups[at], groups[at].pairs[one]
        for place in range(group.shared, len(pair.read)):
            yield WantedLogit(row, place - group.shared, pair.tail[place + 1 - len(pair.head)], group, one)


def _take(logits: Any, wanted: Iterator[WantedLogit]) -> None:
    """Add the log-probability of each token to its continuation, and whether the token is the likeliest."""
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
    """Return the continuations that are longer than the prefix."""
    return [one for one, pair in enumerate(group.pairs) if len(pair.read) > group.shared]


def _empty_cache(loaded: LoadedModel) -> Any:

    return DynamicCache(config=loaded.model.config)


def _selected(cache: Any, rows: Sequence[int]) -> Any:
    """Return a cache of the given rows that can grow without changing the original."""
    chosen = copy_cache(cache)
    chosen.batch_select_indices(torch.tensor(rows))
    return chosen


def _together_forward(loaded: LoadedModel, tokens: Any, cache: Any, mask: Any, places: Any, keep: int) -> Any:
    """Run the model on new tokens; `keep` is the number of last logits to compute, 0 for all."""
    where = loaded.model.device
    more: dict[str, Any] = {"position_ids": places.to(where)} if loaded.positions else {}
    if keep and loaded.last_only:
        more["logits_to_keep"] = keep
    mask = None if mask is None else mask.to(where)
    return loaded.model(tokens.to(where), attention_mask=mask, past_key_values=cache, use_cache=True, **more).logits


NO_BEGINNING = "the model has no token that begins a text"


def tokenize_continuations(
    loaded: LoadedModel, context: ModelInput, continuations: Sequence[str]
) -> list[TokenizedContinuation] | str:
    """Tokenize the continuations of one context, with the boundary where lm-eval has it; or return an error message."""
    text = context.text.rstrip()
    space = context.text[len(text) :]
    before = ModelInput(text, context.templated or not text)  # after an empty text, no tokenizer adds a beginning
    head = before.tokens(loaded) if text else _beginning(loaded)
    if not head:
        return NO_BEGINNING
    found = []
    for one in continuations:
        tail = before.tokens(loaded, space + one)
        known = len(head) if text or head == tail[:1] else 0
        if len(tail) == known:
            return "a continuation has no tokens of its own"
        length = len(head) + len(tail) - known - 1
        if loaded.window is not None and length > loaded.window:
            return f"a prompt and its continuation have {length} tokens, the window holds {loaded.window}"
        found.append(TokenizedContinuation(tuple(head), tuple(tail[known:])))
    return found


def rolling_windows(loaded: LoadedModel, text: str) -> list[TokenizedContinuation] | str:
    """Cut a text into windows as long as the model reads, in which each token is predicted once.

    The first window follows the beginning-of-sequence token, each other one the last token of the window before. The
    last window is filled with tokens that were already predicted, so that the remaining tokens have as much context as
    possible. Returns an error message if the text has no tokens or the model has no token that begins a text.
    """
    tokens, begin = ModelInput(text, templated=False).tokens(loaded), _beginning(loaded)
    if not tokens or not begin:
        return "the text has no tokens" if begin else NO_BEGINNING
    size = len(tokens) if loaded.window is None else loaded.window
    found = [TokenizedContinuation(tuple(begin), tuple(tokens[:size]))]
    for at in range(size, len(tokens), size):
        tail = tokens[at : at + size]
        end = at + len(tail)
        found.append(TokenizedContinuation(tuple(tokens[end - size - 1 : at]), tuple(tail)))
    return found


def _beginning(loaded: LoadedModel) -> list[int]:
    tokenizer = loaded.tokenizer
    found = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
    return [] if found is None else [int(found)]


NOT_FINITE = "the model's numbers are not finite; a wider dtype may help"
Measured = Literal["continuations", "alone", "rolling"]  # with the prompt, without it, or the prompt itself
Group = list[TokenizedContinuation]


def measure(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `likelihoods`, a row per prompt: log-likelihood, tokens and greediness of each continuation; and facts.

    With `unconditional`, each continuation is also scored without its prompt, after the beginning-of-sequence token
    alone; with `alone`, it is only scored so. With `rolling`, the prompt's own text is scored, in windows as long as
    the model reads.
    """
    params = with_batch_policy(params)
    what: Measured = "alone" if params.get("alone") else "rolling" if params.get("rolling") else "continuations"
    with step_model(open_causal, inputs, params) as loaded:
        reader = LikelihoodModel(params["model"], loaded, batch_size(params["batch"]), bool(params.get("chat")))
        asked = rows.read(inputs["prompts"], Prompt)
        found = reader.rows(asked, what, bool(params.get("unconditional")))
        written = rows.write(out / "likelihoods", found)
    used = REFERENCE if params["batch"] == REFERENCE else str(reader.size)
    facts = {"batch": params["batch"], "batch_used": used, "batches_redone": reader.redone, "likelihoods": written}
    told = {"model": params["model"], "numerics": fingerprint_torch(), "window": loaded.window}
    rows.write_one(out / FACTS, {**loaded.facts, **facts, **told})


@dataclass
class LikelihoodModel:
    """A local model that scores given texts, `size` at a time; it does not generate text."""

    name: str
    loaded: LoadedModel
    size: int = 1
    chat: bool = False
    redone: int = 0

    def rows(
        self, prompts: Iterable[Prompt], what: Measured = "continuations", unconditional: bool = False
    ) -> Iterator[Likelihood]:
        """Yield a row of scores for each prompt; if scoring is impossible, the row has an error and no scores.

        Raises InputError for a prompt without continuations if these are to be measured.
        """
        if self.size == 1:
            for prompt in prompts:
                yield from self._together([prompt], what, unconditional)
        else:
            yield from self._together(list(prompts), what, unconditional)

    def _together(self, prompts: Sequence[Prompt], what: Measured, unconditional: bool) -> Iterator[Likelihood]:
        found = self._scored(prompts, what)
        alone = self._scored(prompts, "alone") if unconditional else [[] for _ in prompts]
        for prompt, scores, others in zip(prompts, found, alone, strict=True):
            row: Likelihood = {
                "item": prompt["item"],
                "template": prompt["template"],
                "model": self.name,
                "continuations": [],
            }
            yield _row(row, scores, others)

    def _scored(self, prompts: Sequence[Prompt], what: Measured) -> list[list[ContinuationScore] | str]:
        """Score each prompt, equal ones once; a prompt that cannot be scored gets an error message."""
        told = [self._tokens(prompt, what) for prompt in prompts]
        keys = [one if isinstance(one, str) else tuple(map(tuple, one)) for one in told]
        groups = {key: one for key, one in zip(keys, told, strict=True) if not isinstance(one, str)}
        each = [group for one in groups.values() for group in one]
        scores = iter(self._measured(each))
        found = {key: [next(scores) for _ in one] for key, one in groups.items()}
        return [key if isinstance(key, str) else _joined(found[key], what) for key in keys]

    def _tokens(self, prompt: Prompt, what: Measured) -> list[Group] | str:
        """Return the groups of texts with a common beginning: all continuations, or each window separately."""
        require_text(prompt)
        if what == "rolling":
            windows = rolling_windows(self.loaded, plain_text(prompt))
            return windows if isinstance(windows, str) else [[one] for one in windows]
        given = _continuations(prompt)
        read = model_input(self.loaded, prompt.get("text", ""), prompt.get("messages"), self.chat, prompt["item"])
        if what == "alone":
            read = ModelInput("", read.templated)
        found = tokenize_continuations(self.loaded, read, given)
        return found if isinstance(found, str) else [found]

    def _measured(self, groups: Sequence[Group]) -> list[list[ContinuationScore] | str]:
        """Score groups, those of similar length together, and halve the batch if memory runs out."""
        if self.size == 1 or not batches_together(self.loaded):
            return [self._one(group) for group in groups]
        ready = [prepare_group(group) for group in groups]
        waiting = sorted(range(len(groups)), key=lambda place: (ready[place].shared, place))
        found: list[list[ContinuationScore] | str] = [NO_ROOM for _ in groups]
        header: Header | None = None
        while waiting and self.size > 1:
            part = waiting[: self.size]
            try:
                header = header or compute_header(self.loaded, ready)
                measure_batch(self.loaded, [ready[place] for place in part], header, self.size)
            except (RuntimeError, MemoryError) as bad:
                self._halve(bad)
                continue
            waiting = waiting[len(part) :]
            for place in part:
                found[place] = ready[place].scores()
        for place in waiting:
            found[place] = self._one(groups[place])
        return found

    def _one(self, group: Group) -> list[ContinuationScore] | str:
        """Score the continuations of one prompt, and halve the batch if memory runs out."""
        while True:
            try:
                return likelihoods(self.loaded, group, self.size)
            except (RuntimeError, MemoryError) as bad:
                least = self.size == 1
                self._halve(bad)
            if least:
                return NO_ROOM

    def _halve(self, bad: BaseException) -> None:
        """Halve the batch after memory ran out; any other error is raised again."""
        if not out_of_memory(bad):
            raise bad
        release_memory()
        self.redone += 1
        self.size = max(1, self.size // 2)


def _joined(found: Sequence[list[ContinuationScore] | str], what: Measured) -> list[ContinuationScore] | str:
    """Join the scores of a prompt's groups; the windows of one text make one score."""
    scores = []
    for one in found:
        if isinstance(one, str):
            return one
        scores += one
    if not all(math.isfinite(each.logprob) for each in scores):
        return NOT_FINITE
    if what != "rolling":
        return scores
    total = math.fsum(each.logprob for each in scores)
    return [ContinuationScore(total, sum(each.tokens for each in scores), all(each.greedy for each in scores))]


def _row(row: Likelihood, found: list[ContinuationScore] | str, alone: list[ContinuationScore] | str) -> Likelihood:
    if isinstance(found, str) or isinstance(alone, str):
        row["error"] = found if isinstance(found, str) else str(alone)
        return row
    values: list[dict[str, Any]] = [asdict(each) for each in found]
    for value, each in zip(values, alone, strict=False):  # as many as values, or none if not requested
        value["unconditional"] = each.logprob
    row["continuations"] = [*values]
    return row


def _continuations(prompt: Prompt) -> Sequence[str]:
    found = prompt.get("continuations")
    if not isinstance(found, list) or not found or not all(isinstance(one, str) and one for one in found):
        raise InputError(
            "this prompt has no continuations to measure",
            where=f"item {prompt.get('item')}",
            next="give `continuations`, a list of texts that are not empty",
        )
    return found
