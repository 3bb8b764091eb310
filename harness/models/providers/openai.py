"""The provider `openai`: models behind OpenAI's chat or legacy completions API, through the gateway.

The gateway alone has the API key and reaches the network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.models.media import Media, chat_turns
from harness.models.provider import RemoteSettings, UnsupportedSetting, with_token_limit
from harness.models.providers import remote
from harness.models.wire import (
    EXTRA,
    FIELDS,
    ParsedAnswer,
    WireFormat,
    logprob_fields,
    token_usage,
    translate_settings,
    with_logprobs,
)
from harness.rowtypes import Medium, Prompt

_SAME = ("temperature", "top_p", "max_tokens", "stop", "seed", "frequency_penalty", "presence_penalty")
COMPLETIONS = {name: name for name in _SAME}
CHAT = {**COMPLETIONS, "max_completion_tokens": "max_completion_tokens", "reasoning_effort": "reasoning_effort"}
THOUGHTS = ("reasoning_content", "reasoning")  # fields in which servers put the text of a model's reasoning


@dataclass(frozen=True, kw_only=True)
class OpenaiSettings(RemoteSettings):
    """Settings of a model behind OpenAI's API, or another API that is compatible with it."""

    URL = "https://api.openai.com/v1"
    KEY = "OPENAI_API_KEY"
    DIALECT = "harness.models.gateway.openai:DIALECT"
    OWN = frozenset({"model", "messages", "prompt", "n", "stream", "stream_options", "user"})

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of the endpoint's generation settings, and `extra` for those of compatible servers."""
        return (*(CHAT if self.endpoint == "chat" else COMPLETIONS), EXTRA)

    def unsupported(self, generation: Mapping[str, Any]) -> UnsupportedSetting | None:
        """Return the first unsupported generation setting; None if all are supported.

        If the model's `logprobs` is set, `extra` may not ask for log-probabilities too.
        """
        for name in FIELDS if self.logprobs else ():
            if name in json.loads(generation.get(EXTRA, "{}")):
                fix = "take it out: `logprobs` of the model asks for them, and puts them into the rows"
                return UnsupportedSetting(
                    f"extra.{name}", f"`generation.extra.{name}` says again what the model's settings say", fix
                )
        return super().unsupported(generation)


PROVIDER = OpenaiSettings


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Ask the gateway for an answer to each prompt and seed, and write `responses` and their summary `inference`.

    The responses are in the order of the prompts. Raises InputError for a system prompt with the endpoint
    `completions`.
    """
    remote.respond(params, inputs["prompts"], out, wire_format(params, inputs.get("media")))


def wire_format(params: Mapping[str, Any], images: Path | None) -> WireFormat:
    """Return how a step with these parameters and images asks; InputError for what the endpoint does not take."""
    endpoint = params.get("endpoint", "chat")
    if endpoint not in ("chat", "completions"):
        raise InputError(f"there is no endpoint {endpoint!r}", where="endpoint", next="use chat or completions")
    chat = endpoint == "chat"
    fixed = {
        "model": params["id"],
        **dict(translate_settings(params.get("generation", {}), CHAT if chat else COMPLETIONS)),
        **logprob_fields(params.get("logprobs"), chat),
    }
    system = params.get("system", "")
    if system and not chat:
        raise InputError("completions have no system prompt", where="system", next="use the endpoint chat")

    media = Media(images)

    def body(row: Prompt) -> Mapping[str, Any]:
        asked = with_token_limit(fixed, row)
        return (
            {**asked, "messages": chat_messages(row, system, media)} if chat else {**asked, "prompt": plain_prompt(row)}
        )

    return WireFormat(
        path="/v1/chat/completions" if chat else "/v1/completions",
        body=body,
        read=with_logprobs(_chat if chat else _completion, params.get("logprobs"), chat),
    )


def chat_messages(row: Prompt, system: str, media: Media) -> list[Mapping[str, Any]]:
    """Convert a prompt to chat messages with its images; the system prompt comes first, if there is one."""
    said = chat_turns(row, media, _image)
    return [{"role": "system", "content": system}, *said] if system else said


def _image(one: Medium) -> Mapping[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{one['type']};base64,{one['data']}"}}


def plain_prompt(row: Prompt) -> str:
    """Return the text of a plain prompt; raises InputError for turns and attachments, which completions cannot take."""
    if row.get("attachments") or not isinstance(row.get("text"), str):
        raise InputError(
            "this prompt is more than a text, which the endpoint completions does not take",
            where=f"item {row['item']}",
            next="use a set of plain prompts, or the endpoint chat",
        )
    return str(row["text"])


def _chat(whole: Mapping[str, Any]) -> ParsedAnswer:
    choice = whole["choices"][0]
    message = choice["message"]
    thoughts = next((found for name in THOUGHTS if isinstance(found := message.get(name), str) and found), "")
    return _said(whole, choice, message.get("content") or message.get("refusal") or "", thoughts)


def _completion(whole: Mapping[str, Any]) -> ParsedAnswer:
    choice = whole["choices"][0]
    return _said(whole, choice, choice["text"] or "")


def _said(whole: Mapping[str, Any], choice: Mapping[str, Any], said: Any, thoughts: str = "") -> ParsedAnswer:
    if not isinstance(said, str):
        raise TypeError("a text is a string")
    counts = token_usage(whole.get("usage"), ("prompt_tokens",), "completion_tokens")
    finish = str(choice.get("finish_reason") or "unknown")
    model, fingerprint = str(whole.get("model") or ""), str(whole.get("system_fingerprint") or "")
    return ParsedAnswer(said, finish, counts, model, fingerprint, thoughts)
