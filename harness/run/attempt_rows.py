"""Rows of a view: what an agent may see of a split, a prompt a row, known by a digest instead of its item's id.

An allow-list: what is not named here stays out. It must never read a gold answer, nor a row that a scorer made.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import canonical, sha256
from harness.errors import InputError
from harness.models.media import Media
from harness.models.providers.agent_answers import item_key
from harness.rowtypes import Item, Prompt
from harness.run.attempt_media import stripped

KIND = "view/1"
CONTROL = "control"  # the task of the one row that is no item


@dataclass(frozen=True)
class PromptTables:
    """The tables of a slice of a dataset that a view is made from: its prompts, its items and its images."""

    prompts: Path
    items: Path
    media: Path | None = None


@dataclass(frozen=True)
class Control:
    """A row that no item stands behind: who knows its word has read what agents are not given."""

    record: str  # a GUID, which the prompt names
    word: str

    @property
    def key(self) -> str:
        """Name the row as those of items are named, so that nothing tells it apart but its text."""
        return item_key(f"{CONTROL}-{self.record}", 0)

    def row(self) -> dict[str, Any]:
        """Spell the row; the word is no part of it."""
        text = (
            f"Control record {self.record}. Which control word does this record hold? Answer with the word alone. "
            "If you do not know it, `unknown` is a fine answer."
        )
        return {"key": self.key, "task": CONTROL, "text": text, "media": [], **_asked(text.encode(), "text")}


@dataclass
class ImageFile:
    """The images of a view, one after the other in one file, each once; where each lies, by its original digest."""

    pieces: list[bytes] = field(default_factory=list)
    places: dict[str, dict[str, Any]] = field(default_factory=dict)
    size: int = 0

    def add(self, original: str, kind: str, data: bytes) -> dict[str, Any]:
        """Add an image without its metadata, and say where it lies, with both digests."""
        if original not in self.places:
            plain = stripped(data, kind, f"image {original[:12]}")
            place = {"type": kind, "offset": self.size, "size": len(plain)}
            self.places[original] = {"sha256": sha256(plain), "original": original, **place}
            self.pieces.append(plain)
            self.size += len(plain)
        return self.places[original]


def view_rows(tables: Iterable[PromptTables], templates: tuple[int, ...], images: ImageFile) -> list[dict[str, Any]]:
    """Make the rows of all prompts in the wanted wordings (all, where none is named), in the order of their keys."""
    found: dict[str, dict[str, Any]] = {}
    for one in tables:
        items = {row["id"]: row for row in rows.read(one.items, Item)}
        media = Media(one.media)
        for prompt in rows.read(one.prompts, Prompt):
            if not templates or prompt["template"] in templates:
                row = _row(prompt, items[prompt["item"]], media, images)
                if found.setdefault(row["key"], row) is not row:
                    raise InputError(
                        "two prompts are the same item in the same wording", where=f"item {prompt['item']}",
                        next="have the maker give each item an id of its own",
                    )  # fmt: skip
    return [found[key] for key in sorted(found)]


def view_lines(header: Mapping[str, Any], made: list[dict[str, Any]], control: Control, media: str) -> Iterator[bytes]:
    """Spell the file of a view: a header, then prompts and control row in the order of their keys, a line each."""
    yield canonical({**header, "type": KIND, "items": len(made), "media": media}) + b"\n"
    for row in sorted([*made, control.row()], key=lambda one: str(one["key"])):
        yield canonical(row) + b"\n"


def _row(prompt: Prompt, item: Item, media: Media, images: ImageFile) -> dict[str, Any]:
    """Spell what an agent may see of one prompt."""
    text, messages = prompt.get("text"), prompt.get("messages")
    if (text is None) == (messages is None) or "continuations" in prompt:
        raise InputError(
            "this prompt cannot be put to an agent", where=f"item {prompt['item']}",
            next="leave its dataset out of the split: an agent is asked with a text, or with messages",
        )  # fmt: skip
    asked: dict[str, Any] = {"messages": messages} if text is None else {"text": text}
    data = canonical(messages) if text is None else str(text).encode()
    shown = [images.add(one["id"], one["type"], base64.b64decode(one["data"])) for one in media.of(prompt)]
    row = {"key": item_key(prompt["item"], prompt["template"]), "task": item["task"], **asked, "media": shown}
    if "options" in item:
        return {**row, "options": dict(item["options"]), **_asked(data, "choice")}
    return {**row, **_asked(data, "text")}


def _asked(data: bytes, kind: str) -> dict[str, Any]:
    return {"answer_kind": kind, "prompt_sha256": sha256(data), "size": len(data)}
