"""The decoding loop of a causal language model: tokens in, tokens out, for one request or a batch.

It handles the KV cache, padding, stop strings, token limits and log-probabilities; finished requests leave the batch.
Requests of different lengths are batched by length, and the batch size is halved if memory runs out. Each request gets
an answer, or None if it does not fit in memory alone. The next token is the likeliest, or drawn by temperature and
top-p from the request's seed and the position, in float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness import seeds
from harness.errors import InputError
from harness.models.local.load import LoadedModel
from harness.models.local.torch_setup import out_of_memory, release_memory


@dataclass(frozen=True, slots=True)
class SamplingRule:
    """The sampling parameters of a request: temperature and top-p."""

    temperature: float
    top_p: float

    @property
    def greedy(self) -> bool:
        """Whether decoding is greedy, without random draws."""
        return self.temperature == 0


def sampling_rule(generation: Mapping[str, Any]) -> SamplingRule:
    """Parse temperature and top-p from a manifest's decimals; raises InputError for values out of range."""
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
    """Derive the 53-bit seed of one request from the run's seed, item, template and sample alone."""
    return seeds.derive_seed(seed, "sample", item, template, sample) >> 11


def token_uniform(seed: int, place: int) -> float:
    """Derive the uniform number in [0, 1) that decides the token at one position of an answer."""
    return seeds.unit_number(seeds.derive_seed(seed, "token", "", 0, place))


def draw_token(scores: Any, how: SamplingRule, number: float) -> int:
    """Draw a token at a temperature by top-p (nucleus) sampling; `number` in [0, 1) determines which.

    Tokens that are equally likely are ordered by their ids.
    """
    import numpy as np  # noqa: PLC0415

    chances = softmax_probabilities(scores, how.temperature)
    order = np.argsort(-chances, kind="stable")
    heaped = np.cumsum(chances[order])
    kept = int(np.searchsorted(heaped, how.top_p * heaped[-1], side="left")) + 1 if how.top_p < 1 else len(order)
    kept = min(kept, len(order))
    place = int(np.searchsorted(heaped[:kept], number * heaped[kept - 1], side="right"))
    return int(order[min(place, kept - 1)])


def softmax_probabilities(scores: Any, temperature: float) -> Any:
    """Return the softmax probabilities of logits at a temperature, in float64."""
    import numpy as np  # noqa: PLC0415

    scaled = np.asarray(scores, dtype=np.float64) / temperature
    risen = np.exp(scaled - scaled.max())
    return risen / risen.sum()


def log_probabilities(scores: Any) -> Any:
    """Return the log-probabilities at temperature 1 (log-softmax), which a response reports."""
    import numpy as np  # noqa: PLC0415

    wide = np.asarray(scores, dtype=np.float64)
    shifted = wide - wide.max()
    return shifted - np.log(np.exp(shifted).sum())


def top_tokens(logs: Any, count: int) -> list[tuple[int, float]]:
    """Return the likeliest tokens with their log-probabilities; ties go to the smaller token id."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(-logs, kind="stable")[:count]
    return [(int(token), float(logs[token])) for token in order]


@dataclass(frozen=True, slots=True)
class DecodeRequest:
    """A decoding request: prompt tokens, token limit, seed, sampling rule, stop strings and number of `logprobs`."""

    tokens: Sequence[int]
    limit: int  # most new tokens
    seed: int
    rule: SamplingRule
    stops: tuple[str, ...] = ()
    logprobs: int | None = None


@dataclass(slots=True)
class Decoded:
    """A decoded answer: new tokens without the end-of-sequence token, text, finish reason and log-probabilities."""

    tokens: list[int] = field(default_factory=list)
    text: str = ""
    finish: str = ""
    spent: int = 0  # tokens the model generated, including the end-of-sequence token
    logprobs: list[dict[str, Any]] = field(default_factory=list)


def decode_batch(loaded: LoadedModel, asks: Sequence[DecodeRequest]) -> list[Decoded]:
    """Decode requests as one batch, shorter prompts padded on the left, and return their answers in the order given."""
    import torch  # noqa: PLC0415

    answers = [Decoded() for _ in asks]
    with torch.inference_mode():
        state = _State(loaded, asks)
        while state.alive:
            scores = state.scores()
            chosen = _choose(scores, state, asks, answers)
            going = [
                row
                for row, (place, token) in enumerate(zip(state.alive, chosen, strict=True))
                if not _ended(loaded, asks[place], answers[place], token)
            ]
            state.take([chosen[row] for row in going], going)
    return answers


class _State:
    """The running batch: its unfinished requests, their next tokens, attention mask and KV cache."""

    def __init__(self, loaded: LoadedModel, asks: Sequence[DecodeRequest]) -> None:
        import torch  # noqa: PLC0415
        from transformers import DynamicCache  # noqa: PLC0415

        self.loaded = loaded
        self.alive = list(range(len(asks)))
        longest = max(len(ask.tokens) for ask in asks)
        lacks = [longest - len(ask.tokens) for ask in asks]
        filler = next(iter(sorted(loaded.ends)), 0)
        where = loaded.model.device
        self.tokens = torch.tensor(
            [[filler] * lack + list(ask.tokens) for lack, ask in zip(lacks, asks, strict=True)], device=where
        )
        self.mask: Any = None
        if any(lacks):
            self.mask = torch.tensor([[0] * lack + [1] * (longest - lack) for lack in lacks], device=where)
        self.lacks = torch.tensor(lacks, device=where)
        self.seen = 0
        self.cache = DynamicCache(config=loaded.model.config)

    def scores(self) -> Any:
        """Run the model on the new tokens and return the logits of each row's next token."""
        import torch  # noqa: PLC0415

        more: dict[str, Any] = {"logits_to_keep": 1} if self.loaded.last_only else {}
        if self.loaded.positions:
            places = torch.arange(self.seen, self.seen + self.tokens.shape[1], device=self.tokens.device)
            more["position_ids"] = (places.unsqueeze(0) - self.lacks.unsqueeze(1)).clamp(min=0)
        out = self.loaded.model(
            self.tokens, attention_mask=self.mask, past_key_values=self.cache, use_cache=True, **more
        )
        self.seen += self.tokens.shape[1]
        return out.logits[:, -1, :]

    def take(self, chosen: list[int], going: list[int]) -> None:
        """Append the chosen tokens, and drop the rows that have ended."""
        import torch  # noqa: PLC0415

        where = self.tokens.device
        if not going:
            self.alive = []
            return
        if len(going) < len(self.alive):
            rows = torch.tensor(going)  # on the CPU, because the layers' caches may be on several devices
            self.cache.batch_select_indices(rows)
            self.lacks = self.lacks[rows]
            self.mask = None if self.mask is None else self.mask[rows]
        self.alive = [self.alive[row] for row in going]
        self.tokens = torch.tensor(chosen, device=where).unsqueeze(1)
        if self.mask is not None:
            self.mask = torch.cat([self.mask, self.mask.new_ones(len(going), 1)], dim=1)


def _choose(scores: Any, state: _State, asks: Sequence[DecodeRequest], answers: list[Decoded]) -> list[int]:
    """Choose a token for each row by its request's sampling rule."""
    import torch  # noqa: PLC0415

    best = torch.argmax(scores, dim=-1).tolist()
    chosen: list[int] = []
    for row, place in enumerate(state.alive):
        ask, answer = asks[place], answers[place]
        if ask.rule.greedy and ask.logprobs is None:
            chosen.append(best[row])
            continue
        wide = scores[row].to(dtype=torch.float64, device="cpu").numpy()
        token = best[row] if ask.rule.greedy else draw_token(wide, ask.rule, token_uniform(ask.seed, answer.spent))
        if ask.logprobs is not None:
            answer.logprobs.append(_logged(state.loaded.tokenizer, wide, token, ask.logprobs))
        chosen.append(token)
    return chosen


def _logged(tokenizer: Any, scores: Any, token: int, count: int) -> dict[str, Any]:
    logs = log_probabilities(scores)

    def name(one: int) -> str:
        return str(tokenizer.decode([one], clean_up_tokenization_spaces=False))

    top = [[name(one), value] for one, value in top_tokens(logs, count)]
    return {"token": name(token), "logprob": float(logs[token]), "top": top}


def _ended(loaded: LoadedModel, ask: DecodeRequest, answer: Decoded, token: int) -> bool:
    """Append a token to an answer, and return whether the answer has ended."""
    answer.spent += 1
    if token in loaded.ends:
        answer.finish = "stop"
    else:
        answer.tokens.append(token)
        if ask.stops and (cut := _stopped(decoded_text(loaded, answer.tokens), ask.stops)) is not None:
            answer.text, answer.finish = cut, "stop"
            return True
        if answer.spent >= ask.limit:
            answer.finish = "length"
    if answer.finish:
        answer.text = decoded_text(loaded, answer.tokens)
    return bool(answer.finish)


def _stopped(text: str, stops: tuple[str, ...]) -> str | None:
    """Return a text up to its first stop string; None if it contains none."""
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return text[: min(places)] if places else None


def decoded_text(loaded: LoadedModel, tokens: Sequence[int]) -> str:
    """Return the text of tokens, without special tokens."""
    return str(loaded.tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))


NO_ROOM = "the machine's memory does not hold this request alone"


@dataclass
class BatchUse:
    """Statistics of batching: the requested size, the smallest used, and how often memory ran out."""

    asked: int
    least: int
    redone: int = 0


def answer_all(loaded: LoadedModel, asks: Sequence[DecodeRequest], size: int) -> tuple[list[Decoded | None], BatchUse]:
    """Decode all requests, `size` at a time, and return the answers in the order given, and how they were batched.

    An answer is None if its request does not fit in memory alone.
    """
    waiting = sorted(range(len(asks)), key=lambda place: (len(asks[place].tokens), place))
    answers: list[Decoded | None] = [None] * len(asks)
    used = BatchUse(size, size)
    at = 0
    while at < len(waiting):
        part = waiting[at : at + size]
        found = _try(loaded, [asks[place] for place in part])
        if found is None:
            used.redone += 1
            if len(part) == 1:
                at += 1
            size = max(1, len(part) // 2)
            used.least = min(used.least, size)
            continue
        for place, answer in zip(part, found, strict=True):
            answers[place] = answer
        at += len(part)
    return answers, used


def _try(loaded: LoadedModel, asks: Sequence[DecodeRequest]) -> list[Decoded] | None:
    """Decode one batch; returns None and releases memory if memory ran out."""
    try:
        return decode_batch(loaded, asks)
    except (RuntimeError, MemoryError) as bad:
        if not out_of_memory(bad):
            raise
    release_memory()
    return None
