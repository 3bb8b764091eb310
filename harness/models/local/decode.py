"""The decoding loop of a causal language model: tokens in, tokens out, for one request or a batch.

It handles the KV cache, padding, stop strings, token limits and log-probabilities. Finished requests leave the batch.
It never knows an item, a file or a manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.models.local.load import LoadedModel
from harness.models.local.sampling import SamplingRule, draw_token, log_probabilities, top_tokens, uniform


@dataclass(frozen=True, slots=True)
class DecodeRequest:
    """A decoding request: prompt tokens, token limit, seed, sampling rule, stop strings and `logprobs` wanted."""

    tokens: Sequence[int]
    limit: int  # at most so many new tokens
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
    spent: int = 0  # tokens the model made, the end-of-sequence token among them
    logprobs: list[dict[str, Any]] = field(default_factory=list)


def decode(loaded: LoadedModel, asks: Sequence[DecodeRequest]) -> list[Decoded]:
    """Decode requests as one batch, shorter prompts padded on the left; returns their answers in the order given."""
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
        """Run the model on the new tokens; returns the logits of each row's next token."""
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
            rows = torch.tensor(going)  # on the CPU: the layers' memories may lie on several devices
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
        token = best[row] if ask.rule.greedy else draw_token(wide, ask.rule, uniform(ask.seed, answer.spent))
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
    """Append a token to an answer; returns whether the answer has ended."""
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
    """Cut a text before its first stop string; None where it contains none."""
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return text[: min(places)] if places else None


def decoded_text(loaded: LoadedModel, tokens: Sequence[int]) -> str:
    """Convert tokens to text, without special tokens."""
    return str(loaded.tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))
