"""Views as a desk reads them: rows of prompts and the bytes of images, each from an open file when it is asked for.

It must never know a gold answer, a path, or the store that made the view.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.attempts.limits import PREVIEW
from harness.digest import canonical, sha256, sha256_stream
from harness.errors import DamageError

KIND = "view/1"


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row lies, and what a list of items shows of it."""

    at: int
    length: int
    task: str
    size: int
    preview: str


class ViewReader:
    """The view behind two descriptors, of its items and its media. DamageError for a file that is no view.

    It keeps where each row lies, not the rows: long documents are read when they are asked for. It owns the
    descriptors.
    """

    def __init__(self, items: int, media: int | None = None) -> None:
        self._items, self._media = items, media
        self.places: dict[str, RowPlace] = {}
        with open(os.dup(items), "rb", buffering=0) as raw:
            raw.seek(0)
            self.sha256 = sha256_stream(raw)[0]
        with open(os.dup(items), "rb") as lines:
            lines.seek(0)
            at = len(header := lines.readline())
            self.header = _parsed(header)
            if self.header.get("type") != KIND:
                raise _damaged("its first line is not that of a view")
            for line in lines:
                row = _parsed(line)
                size = len(prompt_text(row).encode())
                self.places[row["key"]] = RowPlace(at, len(line), row["task"], size, _preview(_asked(row)))
                at += len(line)

    def row(self, key: str) -> Mapping[str, Any]:
        """Read the row of a prompt."""
        place = self.places[key]
        return _parsed(os.pread(self._items, place.length, place.at))

    def image(self, ref: Mapping[str, Any]) -> bytes:
        """Read an image of a row; DamageError for bytes that do not have their digest."""
        data = os.pread(self._media, ref["size"], ref["offset"]) if self._media is not None else b""
        if sha256(data) != ref["sha256"]:
            raise _damaged("an image does not have its digest")
        return data

    def close(self) -> None:
        """Close the descriptors."""
        for handle in (self._items, self._media):
            if handle is not None:
                os.close(handle)
        self._items, self._media = -1, None


def prompt_text(row: Mapping[str, Any]) -> str:
    """Give the whole prompt as text: its own, or its turns as canonical JSON."""
    return str(row["text"]) if "text" in row else canonical(row["messages"]).decode()


def prompt_form(row: Mapping[str, Any]) -> str:
    """Say whether the text of a prompt is the prompt, or JSON of its turns."""
    return "text" if "text" in row else "messages"


def _asked(row: Mapping[str, Any]) -> str:
    """Give what tells a prompt from its neighbours: its text, or that of its last turn."""
    last = row["messages"][-1]["content"] if "messages" in row else row["text"]
    return last if isinstance(last, str) else canonical(last).decode()


def _preview(text: str) -> str:
    """Give the first words of a text in one line, without what a terminal or a reader could take for more."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * PREVIEW])
    return " ".join(plain.split())[:PREVIEW]


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise _damaged("a line is not a row")
    return row


def _damaged(what: str) -> DamageError:
    return DamageError(f"this view is damaged: {what}", next="open the attempt again; its operator restores the view")
