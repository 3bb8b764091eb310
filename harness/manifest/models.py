"""Models and prompts in a manifest: settings of a provider, generation settings, and wordings.

A model's settings are validated by the settings class of the provider that it names. Each provider says which
generation settings it takes. Settings that are not sent (`unset`, or anything that version 2 leaves out) appear in no
intent and in no step's parameters. Wordings are a study's published sets or the user's own, which are written out or in
a file. A step renders them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from harness import texts
from harness.digest import canonical_json
from harness.errors import InputError
from harness.manifest.documents import WordingRow
from harness.parts import PartRegistry, import_part

UNSET = "unset"
AT_FIRST = ("temperature", "max_tokens", "top_p", "stop")  # version 1 always sends these, even if they are not written
EXTRA = ("generation", "extra")  # place in a manifest that holds plain JSON


def _absent(value: Any) -> bool:
    return value is None


def _said(value: Any) -> Any:
    if value is None:
        raise ValueError(f"write a value, or `{UNSET}`, which is not sent")
    return None if value == UNSET else value


def _spelled(value: Any) -> str:
    """Encode plain JSON as canonical text: identity documents hold no floats, but text sent to a provider may."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError("write a map of names to plain JSON")
    for name in value:
        if name in Generation.model_fields:
            raise ValueError(f"`{name}` has a line of its own: write it beside `extra`")
    try:
        return canonical_json(dict(value)).decode()
    except InputError as bad:
        raise ValueError(bad.what) from None


Sent = BeforeValidator(_said)
Decimals = Annotated[str, AfterValidator(texts.validate_decimal)]
Stop = Annotated[str, AfterValidator(texts.validate_whole_text)]
Name = Annotated[str, AfterValidator(texts.name)]
Tokens = Annotated[int, Field(ge=1, le=1_000_000)]


class _ModelsPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Thinking(_ModelsPart):
    """Reasoning settings: whether a model thinks before it answers, how much, and whether that is shown."""

    type: Literal["enabled", "adaptive", "disabled"]
    budget_tokens: Tokens | None = Field(default=None, exclude_if=_absent)
    display: Literal["summarized", "omitted"] | None = Field(default=None, exclude_if=_absent)


class Generation(_ModelsPart):
    """Generation settings; a field that is None is not sent."""

    temperature: Annotated[Decimals | None, Sent] = Field(default="0", exclude_if=_absent)
    max_tokens: Annotated[Tokens | Literal["benchmark"] | None, Sent] = Field(default=256, exclude_if=_absent)
    top_p: Annotated[Decimals | None, Sent] = Field(default="1", exclude_if=_absent)
    stop: Annotated[tuple[Stop, ...] | None, Sent] = Field(default=(), exclude_if=_absent)
    # Fields that were added later stay out of the intent unless they are set, so that older locks stay valid.
    max_completion_tokens: Annotated[Tokens | None, Sent] = Field(default=None, exclude_if=_absent)
    reasoning_effort: Annotated[Name | None, Sent] = Field(default=None, exclude_if=_absent)
    thinking: Annotated[Thinking | None, Sent] = Field(default=None, exclude_if=_absent)
    seed: Annotated[Annotated[int, Field(ge=0, lt=2**53)] | None, Sent] = Field(default=None, exclude_if=_absent)
    top_k: Annotated[Tokens | None, Sent] = Field(default=None, exclude_if=_absent)
    extra: Annotated[str | None, BeforeValidator(_spelled)] = Field(default=None, exclude_if=_absent)

    @model_validator(mode="after")
    def _one_bound(self) -> Generation:
        if self.max_completion_tokens and self.max_tokens:
            raise ValueError(f"`max_completion_tokens` takes the place of `max_tokens`: add `max_tokens: {UNSET}`")
        return self

    def asked(self) -> dict[str, Any]:
        """Return the settings as intents and step parameters hold them, without those that are unset."""
        return self.model_dump(mode="json")


def complete_generation(value: Any, version: Any) -> Any:
    """Complete a block of generation settings with the defaults of the manifest's version, before validation.

    Version 1 always sends four settings, and strips the space around a stop text. This must not change, because tapes
    and locks depend on it. Later versions send what is written, as it is written.
    """
    given = dict(value) if isinstance(value, Mapping) else {} if isinstance(value, Generation) else value
    if not isinstance(given, dict):
        return value
    if version != "1":
        return {**dict.fromkeys(AT_FIRST, UNSET), **given}
    if isinstance(stops := given.get("stop"), list):
        given["stop"] = [stop.strip() or stop if isinstance(stop, str) else stop for stop in stops]
    return given


SERVER_SETTINGS = "harness.models.server_settings:with_server_settings"  # by its name: no manifest imports models


class ProviderRegistry(PartRegistry):
    """The providers by name; a remote one has, beside its own settings, those of all remote ones (address, key)."""

    def get(self, name: object) -> Any:
        """Return a provider's settings class by its name; None if there is no such provider."""
        found = super().get(name)
        return found if found is None else import_part(SERVER_SETTINGS)(found)


PROVIDERS = ProviderRegistry("provider", "harness.models.providers", "PROVIDER")
NO_PROVIDER = "no_provider"  # the type of error for which load.py writes the message


@cache
def _reader(provider: str) -> TypeAdapter[Any]:
    return TypeAdapter(PROVIDERS.find(provider))


@dataclass(frozen=True)
class TypedByValue:
    """Annotation of a field whose type depends on its value; `forms` returns the possible types, to suggest keys."""

    forms: Callable[[Any], tuple[Any, ...]]


def read_model(value: Any) -> Any:
    """Parse a model's settings with the settings class of the provider that it names.

    Raises PydanticCustomError if there is no such provider.
    """
    name = value.get("provider") if isinstance(value, Mapping) else None
    if PROVIDERS.get(name) is None:
        raise PydanticCustomError(NO_PROVIDER, "{known}", {"known": ", ".join(PROVIDERS.names())})
    return _reader(str(name)).validate_python(value)


def settings_class(value: Any) -> Any:
    """Return the settings class of the provider that a model names, or None if it names no known provider."""
    name = value.get("provider") if isinstance(value, Mapping) else None
    return PROVIDERS.get(name)


def _models_forms(value: Any) -> tuple[Any, ...]:
    return (settings_class(value),)


Model = Annotated[
    Any, PlainValidator(read_model), PlainSerializer(lambda model: model.as_data()), TypedByValue(_models_forms)
]


def is_stand_in(said: Mapping[str, Any]) -> bool:
    """Whether a lock's pin is of a stand-in model; a model whose provider no longer exists counts as a real model."""
    try:
        return read_model(said).stand_in is not None
    except (PydanticCustomError, ValidationError, LookupError):
        return False


MOST = 100_000  # characters of a wording
ROLES = ("system", "user", "assistant")
SetName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+/[a-z0-9_-]+@[0-9]+$")]


def _wording(text: str) -> str:
    if not 0 < len(text) <= MOST or not text.strip():
        raise ValueError(f"write a text of 1 to {MOST:,} characters")
    return text


def _turn(said: Mapping[str, str]) -> Mapping[str, str]:
    if len(said) != 1:
        raise ValueError("a turn is one of `system: …`, `user: …`, `assistant: …`")
    return said


def _conversation(turns: tuple[Mapping[str, str], ...]) -> tuple[Mapping[str, str], ...]:
    """Raise ValueError unless at most one system turn stands first, and user and assistant alternate, the user last."""
    roles = [role for turn in turns for role in turn]
    if "system" in roles[1:]:
        raise ValueError("the system turn stands first, and there is one at most")
    spoken = [role for role in roles if role != "system"]
    if not spoken or any(role != ROLES[1 + place % 2] for place, role in enumerate(spoken)) or len(spoken) % 2 == 0:
        raise ValueError("user and assistant take turns, and the user has the first and the last word")
    return turns


Wording = Annotated[str, AfterValidator(_wording)]
Turn = Annotated[dict[Literal["system", "user", "assistant"], Wording], AfterValidator(_turn)]


class _PromptsPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the study's prompt sets; empty if the wordings are the user's own."""
        return ()


class Prompts(_PromptsPart):
    """Prompt sets of the study, versioned: one, or one for each benchmark."""

    set: SetName | Annotated[tuple[SetName, ...], Field(min_length=1)]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the prompt sets, as a tuple even if there is only one."""
        return (self.set,) if isinstance(self.set, str) else self.set


class OneWording(_PromptsPart):
    """One wording, written out, with `{column}` where a cell stands; `shot` is how an example is written."""

    text: Wording
    shot: Wording | None = None


class SeveralWordings(_PromptsPart):
    """Several wordings of one question, numbered from 0 in the order in which they stand."""

    texts: Annotated[tuple[Wording, ...], Field(min_length=1, max_length=1000)]
    shot: Wording | None = None


class ChatWording(_PromptsPart):
    """One wording in turns, as a chat is held: `system` first if at all, `user` last."""

    turns: Annotated[tuple[Turn, ...], Field(min_length=1, max_length=100), AfterValidator(_conversation)]
    shot: Wording | None = None


class WordingsFile(_PromptsPart):
    """Wordings in a file of the project: JSON Lines of `{id, text | turns, shot?}`, pinned by its digest."""

    file: Annotated[str, AfterValidator(texts.validate_inside_path)]


_TAGS: dict[str, type[_PromptsPart]] = {
    "set": Prompts,
    "text": OneWording,
    "texts": SeveralWordings,
    "turns": ChatWording,
    "file": WordingsFile,
}


def _form(value: Any) -> str:
    """Return the tag of a form by the key that only this form has, so that an error mentions this form only."""
    have = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    return f"({next((key for key in _TAGS if key in have), 'text')})"


def _prompts_forms(value: Any) -> tuple[Any, ...]:
    told = isinstance(value, Mapping) and any(key in value for key in _TAGS)
    return (_TAGS[_form(value)[1:-1]],) if told else tuple(_TAGS.values())


AnyPrompts = Annotated[
    Annotated[Prompts, Tag("(set)")]
    | Annotated[OneWording, Tag("(text)")]
    | Annotated[SeveralWordings, Tag("(texts)")]
    | Annotated[ChatWording, Tag("(turns)")]
    | Annotated[WordingsFile, Tag("(file)")],
    Discriminator(_form),
    TypedByValue(_prompts_forms),
]


def written_wordings(prompts: _PromptsPart) -> tuple[WordingRow, ...]:
    """Return the wordings that a manifest writes out, as rows of a wordings file; empty if they are stored apart."""
    shot = getattr(prompts, "shot", None)
    more: WordingRow = {"shot": shot} if shot else {}
    if isinstance(prompts, OneWording):
        return ({"id": 0, "text": prompts.text, **more},)
    if isinstance(prompts, SeveralWordings):
        return tuple({"id": place, "text": text, **more} for place, text in enumerate(prompts.texts))
    if isinstance(prompts, ChatWording):
        return (
            {"id": 0, "turns": [{str(role): text for role, text in turn.items()} for turn in prompts.turns], **more},
        )
    return ()
