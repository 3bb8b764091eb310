"""Prompts in a manifest: a study's published sets of wordings, or wordings of one's own, written out or in a file.

It must never fill in a wording, nor know which columns there are: the study checks that, and a step renders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from harness import texts
from harness.manifest.models import TypedByValue

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
    """Refuse an order of turns that no model is asked in: a system turn first at most, and the user last."""
    roles = [role for turn in turns for role in turn]
    if "system" in roles[1:]:
        raise ValueError("the system turn stands first, and there is one at most")
    spoken = [role for role in roles if role != "system"]
    if not spoken or any(role != ROLES[1 + place % 2] for place, role in enumerate(spoken)) or len(spoken) % 2 == 0:
        raise ValueError("user and assistant take turns, and the user has the first and the last word")
    return turns


Wording = Annotated[str, AfterValidator(_wording)]
Turn = Annotated[dict[Literal["system", "user", "assistant"], Wording], AfterValidator(_turn)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the study's prompt sets, of which wordings of one's own are none."""
        return ()


class Prompts(_Part):
    """Prompt sets of the study, versioned: one, or one for each benchmark."""

    set: SetName | Annotated[tuple[SetName, ...], Field(min_length=1)]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the prompt sets, in a tuple also where there is only one."""
        return (self.set,) if isinstance(self.set, str) else self.set


class OneWording(_Part):
    """One wording, written out, with `{column}` where a cell stands; `shot` is how an example is written."""

    text: Wording
    shot: Wording | None = None


class SeveralWordings(_Part):
    """Several wordings of one question, numbered from 0 in the order in which they stand."""

    texts: Annotated[tuple[Wording, ...], Field(min_length=1, max_length=1000)]
    shot: Wording | None = None


class ChatWording(_Part):
    """One wording in turns, as a chat is held: `system` first if at all, `user` last."""

    turns: Annotated[tuple[Turn, ...], Field(min_length=1, max_length=100), AfterValidator(_conversation)]
    shot: Wording | None = None


class WordingsFile(_Part):
    """Wordings in a file of the project: JSON Lines of `{id, text | turns, shot?}`, pinned by its digest."""

    file: Annotated[str, AfterValidator(texts.inside)]


_TAGS: dict[str, type[_Part]] = {
    "set": Prompts,
    "text": OneWording,
    "texts": SeveralWordings,
    "turns": ChatWording,
    "file": WordingsFile,
}


def _form(value: Any) -> str:
    """Choose a form by the key that only it has, so that an error speaks of that form only."""
    have = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    return f"({next((key for key in _TAGS if key in have), 'text')})"


def _forms(value: Any) -> tuple[Any, ...]:
    told = isinstance(value, Mapping) and any(key in value for key in _TAGS)
    return (_TAGS[_form(value)[1:-1]],) if told else tuple(_TAGS.values())


AnyPrompts = Annotated[
    Annotated[Prompts, Tag("(set)")]
    | Annotated[OneWording, Tag("(text)")]
    | Annotated[SeveralWordings, Tag("(texts)")]
    | Annotated[ChatWording, Tag("(turns)")]
    | Annotated[WordingsFile, Tag("(file)")],
    Discriminator(_form),
    TypedByValue(_forms),
]


def wordings(prompts: _Part) -> tuple[Mapping[str, Any], ...]:
    """Give wordings that a manifest writes out as the rows of a file of wordings; none where they lie elsewhere."""
    shot = getattr(prompts, "shot", None)
    more = {"shot": shot} if shot else {}
    if isinstance(prompts, OneWording):
        return ({"id": 0, "text": prompts.text, **more},)
    if isinstance(prompts, SeveralWordings):
        return tuple({"id": place, "text": text, **more} for place, text in enumerate(prompts.texts))
    if isinstance(prompts, ChatWording):
        return ({"id": 0, "turns": [dict(turn) for turn in prompts.turns], **more},)
    return ()
