"""What a model is to the rest of the house: requests in, responses out, in the same order.

It must never know a benchmark, an answer, a file or a provider; those stand in the modules beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from harness import rowtypes
from harness.errors import InputError
from harness.rowtypes import Prompt


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt for one sample: everything that may change the answer."""

    item: str
    template: int
    sample: int
    text: str
    seed: int
    generation: Mapping[str, Any]
    messages: Sequence[Mapping[str, Any]] | None = None  # turns instead of a text


def require_text(prompt: Prompt) -> None:
    """Refuse a prompt with more than words, for a model that reads nothing else."""
    if prompt.get("attachments") or not ("messages" in prompt or isinstance(prompt.get("text"), str)):
        raise InputError(
            "this prompt is more than a text, which this model is not asked",
            where=f"item {prompt['item']}",
            next="use a set of plain prompts, or have the study leave such items out for it (`How.fits`)",
        )


def words(prompt: Prompt) -> str:
    """Give the words of a prompt, for who reads no turns: those of all turns, one after the other."""
    if "text" in prompt:
        return prompt["text"]
    said = (turn.get("content") for turn in prompt.get("messages", ()))
    return "\n\n".join(each for each in said if isinstance(each, str))


BENCHMARK = "benchmark"  # instead of a number of tokens: the budget that each prompt brings along


def limited(generation: Mapping[str, Any], prompt: Prompt) -> Mapping[str, Any]:
    """Give the settings for one prompt: its own budget of tokens, where the settings leave that to the benchmark."""
    if generation.get("max_tokens") != BENCHMARK:
        return generation
    if not isinstance(prompt.get("max_tokens"), int):
        raise InputError(
            "this prompt brings no budget of tokens along",
            where=f"item {prompt.get('item')}",
            next="write a number for `max_tokens`: not every dataset has budgets of its own",
        )
    return {**generation, "max_tokens": prompt["max_tokens"]}


@dataclass(frozen=True, slots=True)
class Response:
    """One answer, or the reason why there is none: an error is never an empty answer."""

    item: str
    template: int
    model: str
    sample: int
    text: str
    finish: str
    usage: Mapping[str, int] | None = None
    error: str | None = None
    logprobs: Sequence[Mapping[str, Any]] | None = None  # one a token: {token, logprob, top: [[token, logprob], …]}
    reasoning: str | None = None  # what a model says that it thought; it is kept, and never scored

    def row(self) -> rowtypes.Response:
        """Give the row that is stored; a field that has nothing to say is left out."""
        row: rowtypes.Response = {
            "item": self.item,
            "template": self.template,
            "model": self.model,
            "sample": self.sample,
            "text": self.text,
            "finish": self.finish,
        }
        if self.reasoning is not None:
            row["reasoning"] = self.reasoning
        if self.logprobs is not None:
            row["logprobs"] = [dict(each) for each in self.logprobs]
        if self.usage is not None:
            row["usage"] = dict(self.usage)
        if self.error is not None:
            row["error"] = self.error
        return row


class Model(Protocol):
    """Anything that answers."""

    def complete(self, requests: Iterable[Request]) -> Iterator[Response]:
        """Answer each request once, in the order given."""
        ...
