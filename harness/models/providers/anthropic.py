"""The provider `anthropic`: models behind Anthropic's Messages API, through the gateway.

The gateway alone has the API key and reaches the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.models.media import Media, chat_turns
from harness.models.provider import RemoteSettings, UnsupportedSetting, with_token_limit
from harness.models.providers import remote
from harness.models.wire import EXTRA, ParsedAnswer, WireFormat, token_usage, translate_settings
from harness.rowtypes import Medium, Prompt

_SAME = ("temperature", "top_p", "top_k", "max_tokens", "thinking")
SETTINGS = {**{name: name for name in _SAME}, "stop": "stop_sequences"}
SYSTEM = "system"
_PROMPT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True, kw_only=True)
class AnthropicSettings(RemoteSettings):
    """Settings of a model behind Anthropic's API, or another API that is compatible with it."""

    URL = "https://api.anthropic.com"
    KEY = "ANTHROPIC_API_KEY"
    DIALECT = "harness.models.gateway.anthropic:DIALECT"
    OWN = frozenset({"model", "messages", "system", "stop_sequences", "stream"})

    def __post_init__(self) -> None:
        """Raise ValueError for the completions endpoint and log-probabilities, which this API does not have."""
        super().__post_init__()
        if self.endpoint != "chat":
            raise ValueError("this provider has no completions: leave `endpoint` out")
        if self.logprobs is not None:
            raise ValueError("this provider has no log-probabilities: leave `logprobs` out, or use another provider")

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of the Messages API's generation settings that this provider takes, and `extra`."""
        return (*SETTINGS, EXTRA)

    def unsupported(self, generation: Mapping[str, Any]) -> UnsupportedSetting | None:
        """Return the first unsupported generation setting, or a missing `max_tokens`; None if nothing is wrong."""
        if "max_tokens" not in generation:
            what = "`generation.max_tokens` is missing, which the provider anthropic needs"
            return UnsupportedSetting("max_tokens", what, "add `max_tokens: …`, such as 1024")
        return super().unsupported(generation)

    def answer_params(self) -> dict[str, Any]:
        """Return what can change an answer; the endpoint is left out, since there is only one."""
        return {name: value for name, value in super().answer_params().items() if name != "endpoint"}


PROVIDER = AnthropicSettings


def respond(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Ask the gateway for an answer to each prompt and seed, and write `responses` and their summary `inference`.

    The responses are in the order of the prompts. Raises InputError for generation settings without `max_tokens`.
    """
    remote.respond(params, inputs["prompts"], out, wire_format(params, inputs.get("media")))


def wire_format(params: Mapping[str, Any], images: Path | None) -> WireFormat:
    """Return how a step with these parameters and images asks; InputError for a generation without `max_tokens`."""
    fixed = {"model": params["id"], **dict(translate_settings(params.get("generation", {}), SETTINGS))}
    if "max_tokens" not in fixed:
        raise InputError("Anthropic's models need max_tokens", where="generation", next="say how many, such as 1024")
    if isinstance(fixed.get("stop_sequences"), str):
        fixed["stop_sequences"] = [fixed["stop_sequences"]]
    media = Media(images)

    def body(row: Prompt) -> Mapping[str, Any]:
        system, said = lift_system_turns(params.get("system", ""), chat_turns(row, media, _image), row["item"])
        return {**with_token_limit(fixed, row), **({"system": system} if system else {}), "messages": said}

    return WireFormat(path="/v1/messages", body=body, read=_message)


Turns = Sequence[Mapping[str, Any]]


def lift_system_turns(system: str, said: Turns, item: str) -> tuple[str, Turns]:
    """Join `system` and the leading system turns, and return the request's `system` field and the other turns.

    Raises InputError for a later system turn, one that is more than a text, and a conversation of system turns alone.
    """
    first = next((place for place, turn in enumerate(said) if turn.get("role") != SYSTEM), len(said))
    if first == len(said) or any(turn.get("role") == SYSTEM for turn in said[first:]):
        raise InputError(
            "a conversation of system turns alone" if first == len(said) else "a system turn after another's turn",
            where=f"item {item}",
            next="put the system's turns first and a turn of the user after them: this provider takes no others",
        )
    words = [turn["content"] for turn in said[:first]]
    if not all(isinstance(each, str) for each in words):
        raise InputError("a system turn is more than a text", where=f"item {item}", next="give its text alone")
    return "\n\n".join([*([system] if system else []), *words]), said[first:]


def _image(one: Medium) -> Mapping[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": one["type"], "data": one["data"]}}


def _message(whole: Mapping[str, Any]) -> ParsedAnswer:
    said = "".join(block["text"] for block in whole["content"] if block["type"] == "text")
    thoughts = "".join(str(block.get("thinking") or "") for block in whole["content"] if block["type"] == "thinking")
    counts = token_usage(whole.get("usage"), _PROMPT, "output_tokens")
    finish, model = str(whole.get("stop_reason") or "unknown"), str(whole.get("model") or "")
    return ParsedAnswer(said, finish, counts, model, reasoning=thoughts)
