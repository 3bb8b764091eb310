"""Completions, the output of models, and completion requests, the input of models that run in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import rowtypes
from harness.errors import InputError
from harness.rowtypes import Prompt


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A completion request: one prompt for one sample, with everything that may change the answer, except the gold."""

    item: str
    template: int
    sample: int
    text: str
    seed: int
    generation: Mapping[str, Any]
    messages: Sequence[Mapping[str, Any]] | None = None  # chat turns instead of a text


def require_text(prompt: Prompt) -> None:
    """Raise InputError for a prompt with attachments, or without text and messages, since the model reads text only."""
    if prompt.get("attachments") or not ("messages" in prompt or isinstance(prompt.get("text"), str)):
        raise InputError(
            "this prompt is more than a text, which this model is not asked",
            where=f"item {prompt['item']}",
            next="use a set of plain prompts, or have the study leave such items out for it (`How.fits`)",
        )


def plain_text(prompt: Prompt) -> str:
    """Return a prompt as plain text, for a model without chat turns: its text, or the texts of all turns in order."""
    if "text" in prompt:
        return prompt["text"]
    said = (turn.get("content") for turn in prompt.get("messages", ()))
    return "\n\n".join(each for each in said if isinstance(each, str))


BENCHMARK = "benchmark"  # in place of a number for `max_tokens`: each prompt's own limit


def with_token_limit(generation: Mapping[str, Any], prompt: Prompt) -> Mapping[str, Any]:
    """Return the generation settings with `max_tokens: benchmark` replaced by the prompt's own token limit.

    Settings with any other `max_tokens` are returned unchanged. Raises InputError for a prompt without a needed limit.
    """
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
class Completion:
    """One answer of a model, or the error in its place; an error is not an empty answer."""

    item: str
    template: int
    model: str
    sample: int
    text: str
    finish: str
    usage: Mapping[str, int] | None = None
    error: str | None = None
    logprobs: Sequence[Mapping[str, Any]] | None = None  # one per token: {token, logprob, top: [[token, logprob], …]}
    reasoning: str | None = None  # a model's reasoning text, which is kept and never scored

    def row(self) -> rowtypes.Response:
        """Return the row that is stored; a field without a value is left out."""
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
