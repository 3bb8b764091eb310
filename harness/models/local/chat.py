"""Input text of a local model for a prompt: plain text, or chat turns formatted by the model's own chat template.

It knows a tokenizer; it never knows a file, a step or an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.models.local.load import LoadedModel

Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ModelInput:
    """The text that the tokenizer gets, and whether a chat template has written it."""

    text: str
    templated: bool  # a template has written the special tokens, which the tokenizer would add once more

    def tokens(self, loaded: LoadedModel, more: str = "") -> list[int]:
        """Tokenize the text, or the text and a continuation (`more`) as one."""
        special = {"add_special_tokens": False} if self.templated else {}
        return list(loaded.tokenizer(self.text + more, verbose=False, **special)["input_ids"])


def model_input(loaded: LoadedModel, text: str, messages: Turns | None, chat: bool, item: str = "") -> ModelInput:
    """Format a prompt for a model: turns by its chat template, and a text too where the manifest says `chat`.

    Refuses turns that the template refuses or that are more than texts, and a model without a single chat template.
    """
    if messages is None and not chat:
        return ModelInput(text, templated=False)
    tokenizer = loaded.tokenizer
    if not isinstance(tokenizer.chat_template, str):
        turns = messages is not None
        raise InputError(
            "the model has no single chat template" + (", and this prompt is turns" if turns else ""),
            where=f"item {item}" if turns else "chat",
            next=("use a set of plain prompts" if turns else "leave `chat` out")
            + ", or give the model's own chat_template.jinja",
        )
    given = [{"role": "user", "content": text}] if messages is None else _plain(messages, item)
    from jinja2 import TemplateError  # noqa: PLC0415 - where transformers is, it is

    try:
        spelled = tokenizer.apply_chat_template(given, add_generation_prompt=True, tokenize=False)
    except (TemplateError, TypeError) as bad:
        raise InputError(
            f"the model's chat template refuses these turns: {str(bad).splitlines()[0]:.200}"
            if str(bad)
            else "the model's chat template refuses these turns",
            where=f"item {item}",
            next="give turns that it takes: many take no system turn, and user and assistant must take turns",
        ) from bad
    return ModelInput(str(spelled), templated=True)


def _plain(messages: Turns, item: str) -> list[dict[str, str]]:
    """Validate turns as {role, content} texts; local models take no images or other parts."""
    for turn in messages:
        if set(turn) != {"role", "content"} or not all(isinstance(part, str) for part in turn.values()):
            raise InputError(
                "a turn of this prompt is more than a text, which no model on this machine takes",
                where=f"item {item}",
                next="give turns of {role, content}, both texts",
            )
    if not messages:
        raise InputError("this prompt has no turns", where=f"item {item}", next="give one at least")
    return [dict(turn) for turn in messages]
