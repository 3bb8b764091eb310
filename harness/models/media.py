"""Images attached to prompts: identified by SHA-256, checked for type and size, placed in the user's last turn.

A dataset's maker writes them as rows of `media`, and a prompt names them in `attachments`. A provider puts the bytes
into its request, so that equal digests give equal requests.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.rowtypes import Attachment, Medium, Prompt

LARGEST = 5 << 20  # bytes of an image; at least one provider refuses more
MOST = 20 << 20  # bytes of all images of a prompt, which keeps a request within the gateway's limit
_BEGIN = {"image/png": (b"\x89PNG\r\n\x1a\n",), "image/jpeg": (b"\xff\xd8\xff",), "image/gif": (b"GIF87a", b"GIF89a")}

Part = Callable[[Medium], Mapping[str, Any]]  # writes an image as one provider's JSON


def media_type(data: bytes) -> str | None:
    """Return the MIME type of an image by its first bytes; None for a format that no provider takes."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for name, begins in _BEGIN.items() if data.startswith(begins)), None)


def image_row(data: bytes, where: str = "media") -> Medium:
    """Return the row of an image from its bytes; raises InputError for another format or an image that is too large."""
    kind = media_type(data)
    if kind is None:
        raise InputError("this is no image that a model can be sent", where=where, next="give PNG, JPEG, GIF or WebP")
    if len(data) > LARGEST:
        raise InputError(
            f"an image of {len(data)} bytes is larger than {LARGEST}", where=where, next="give it in fewer pixels"
        )
    return {"id": sha256(data), "type": kind, "data": base64.b64encode(data).decode()}


def image_reference(one: Medium) -> Attachment:
    """Return the reference to an image that items and prompts hold: its digest and its type, without its bytes."""
    return {"sha256": one["id"], "type": one["type"]}


def write_images(path: Path, media: Iterable[Medium]) -> None:
    """Write images as rows, the output `media` of a dataset's maker: each image once, ordered by digest."""
    rows.write(path, (one for _, one in sorted({each["id"]: each for each in media}.items())))


class Media:
    """Lookup of a step's images by digest.

    The rows are scanned once for their positions. An image is read from disk when it is needed.
    """

    def __init__(self, path: Path | None) -> None:
        self._places: dict[str, tuple[Path, int]] = {}
        for part in rows.parts(path) if path else ():
            with open(part, "rb") as lines:
                at = 0
                for line in lines:
                    self._places[json.loads(line)["id"]] = (part, at)
                    at += len(line)

    def of(self, prompt: Prompt) -> list[Medium]:
        """Return the images of a prompt in its order, each checked against its digest and its type.

        Raises InputError for an image that the step was not given, and for more than 20 MiB of images in one prompt.
        """
        found = [self._read(one, f"item {prompt['item']}") for one in prompt.get("attachments", ())]
        if sum(len(one["data"]) for one in found) * 3 // 4 > MOST:
            raise InputError(
                f"the images of a prompt have more than {MOST} bytes together",
                where=f"item {prompt['item']}",
                next="attach fewer, or smaller ones",
            )
        return found

    def _read(self, named: Attachment, where: str) -> Medium:
        digest = named["sha256"]
        if digest not in self._places:
            raise InputError(
                f"no image {digest[:12]} was given to this step", where=where, next="have the maker write it to `media`"
            )
        path, at = self._places[digest]
        with open(path, "rb") as file:
            file.seek(at)
            row: Medium = json.loads(file.readline())
        try:
            data = base64.b64decode(row["data"], validate=True)
        except (binascii.Error, ValueError):
            data = b""
        if image_row(data, where) != row or row["id"] != digest or row["type"] != named["type"]:
            raise InputError(
                f"the image {digest[:12]} is not what its digest and its type say", where=where, next="make it again"
            )
        return row


def chat_turns(prompt: Prompt, media: Media, part: Part) -> list[Mapping[str, Any]]:
    """Convert a prompt to chat turns; its images, encoded by `part`, precede the text of the user's last turn.

    Raises InputError for a prompt without text and messages, and for one with images but no user turn.
    """
    text, given = prompt.get("text"), prompt.get("messages")
    if given is None and not isinstance(text, str):
        raise InputError(
            "this prompt has neither a text nor messages", where=f"item {prompt['item']}", next="give one of the two"
        )
    said: list[Mapping[str, Any]] = [{"role": "user", "content": text}] if given is None else list(given)
    if not prompt.get("attachments"):
        return said
    last = max((place for place, turn in enumerate(said) if turn.get("role") == "user"), default=None)
    if last is None:
        raise InputError(
            "an image is sent with a turn of the user, and there is none",
            where=f"item {prompt['item']}",
            next="add one",
        )
    images = [part(one) for one in media.of(prompt)]
    return [*said[:last], {**said[last], "content": [*images, *_words(said[last]["content"])]}, *said[last + 1 :]]


def _words(content: Any) -> Sequence[Mapping[str, Any]]:
    """Return the content of a turn as parts; an empty text has none, since providers refuse an empty part."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)
