"""What list_items and get_item return, computed from state, view and arguments, so that a replay returns the same.

A view is read from open files when it is asked for: rows of prompts, and the bytes of images. No gold answer, path or
store is known here.
"""

from __future__ import annotations

import json
import os
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from harness.attempts.codes import IMAGE_BYTES, PART_BYTES, PART_ESCAPED, PREVIEW, AttemptError
from harness.attempts.transcript import AttemptState, item_id, make_cursor, read_cursor
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
    """Return the whole prompt as text: its own, or its turns as canonical JSON."""
    return str(row["text"]) if "text" in row else canonical(row["messages"]).decode()


def prompt_form(row: Mapping[str, Any]) -> str:
    """Say whether the text of a prompt is the prompt, or JSON of its turns."""
    return "text" if "text" in row else "messages"


def _asked(row: Mapping[str, Any]) -> str:
    """Return what tells a prompt from its neighbours: its text, or that of its last turn."""
    last = row["messages"][-1]["content"] if "messages" in row else row["text"]
    return last if isinstance(last, str) else canonical(last).decode()


def _preview(text: str) -> str:
    """Return the first words of a text in one line, without what a terminal or a reader could take for more."""
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


Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReplyImage:
    """An image that goes along with a result."""

    type: str
    data: bytes


class Listing:
    """The items of an attempt: a view's prompts under the attempt's own ids, in the order of these."""

    def __init__(self, state: AttemptState, view: ViewReader) -> None:
        self.view = view
        self.keys = dict(sorted((item_id(state.secret, key), key) for key in view.places))
        self._names = list(self.keys)

    def page(self, state: AttemptState, args: Mapping[str, Any]) -> Data:
        """Return what list_items gives; AttemptError for a cursor that is not of this attempt and query."""
        query = {"limit": args["limit"], "status": args["status"]}
        last = read_cursor(state.secret, query, args["cursor"]) if "cursor" in args else ""
        follow = islice(self._names, bisect(self._names, last), None)
        wanted = (name for name in follow if args["status"] in ("all", _status(state, name)))
        names = list(islice(wanted, args["limit"] + 1))
        page = names[: args["limit"]]
        data: Data = {
            "items": [self._listed(state, name) for name in page],
            "remaining": state.remaining,
            "calls_left": max(0, state.calls_left - 1),
            "content_is_untrusted": True,
            "next": "Call get_item with an item_id." if page else "Call finish_attempt.",
        }
        if len(names) > len(page):
            data["next_cursor"] = make_cursor(state.secret, query, page[-1])
        return data

    def _listed(self, state: AttemptState, name: str) -> Data:
        place = self.view.places[self.keys[name]]
        return {
            "item_id": name,
            "task": place.task,
            "preview": place.preview,
            "size": place.size,
            "status": _status(state, name),
        }

    def item(self, state: AttemptState, args: Mapping[str, Any]) -> tuple[Data, tuple[ReplyImage, ...]]:
        """Return what get_item gives; AttemptError for an item or a part that is not there."""
        name, number = args["item_id"], args["part"]
        row = self.row(name)
        texts = parts(prompt_text(row))
        groups = list(_grouped(row.get("media", [])))
        count = max(len(texts), len(groups))
        if number > count:
            raise AttemptError("E_PART", f"this item has {count} part{'s' * (count > 1)}")
        more = number < count
        data: Data = {
            "item_id": name,
            "task": row["task"],
            "prompt": texts[number - 1] if number <= len(texts) else "",
            "prompt_form": prompt_form(row),
            "part": number,
            "parts": count,
            "prompt_sha256": row["prompt_sha256"],
            "answer_kind": row["answer_kind"],
            **{field: row[field] for field in ("answer_schema", "options") if row.get(field) is not None},
            "status": _status(state, name),
            "content_is_untrusted": True,
            "next": f"Call get_item with part {number + 1}." if more else "Call submit_answers with your answer.",
        }
        if row.get("media"):
            data["images"] = list(_told(row["media"], groups))
        here = groups[number - 1] if number <= len(groups) else []
        return data, tuple(ReplyImage(each["type"], self.view.image(each)) for each in here)

    def row(self, name: str) -> Mapping[str, Any]:
        """Return the row of an item; AttemptError for an id that is none."""
        if name not in self.keys:
            raise AttemptError("E_UNKNOWN_ITEM", "this attempt has no item of that item_id")
        return self.view.row(self.keys[name])


def _status(state: AttemptState, name: str) -> str:
    return "answered" if name in state.answers else "open"


def parts(text: str) -> list[str]:
    """Cut a text into parts of at most 12 KiB in UTF-8, never within a character; joined they are the text.

    A part of many characters that JSON escapes is shorter, so that its reply keeps within bounds, too.
    """
    data, found, begin = text.encode(), list[str](), 0
    while begin < len(data) or not found:
        length = PART_BYTES
        while len(json.dumps(part := _piece(data, begin, length), ensure_ascii=False).encode()) > PART_ESCAPED:
            length //= 2
        found.append(part)
        begin += len(part.encode())
    return found


def _piece(data: bytes, begin: int, length: int) -> str:
    """Return the whole characters among so many bytes of a text in UTF-8."""
    end = min(begin + length, len(data))
    while end < len(data) and data[end] & 0xC0 == 0x80:  # inside of a character
        end -= 1
    return data[begin:end].decode()


def _grouped(media: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Deal images out to parts, in their order, at most 1 MiB a part; one that is larger goes with none."""
    group: list[Mapping[str, Any]] = []
    for each in media:
        if each["size"] > IMAGE_BYTES:
            continue
        if group and sum(int(one["size"]) for one in group) + each["size"] > IMAGE_BYTES:
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _told(media: Sequence[Mapping[str, Any]], groups: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[Data]:
    """Say of each image what it is and with which part it comes."""
    with_part = {each["offset"]: number for number, group in enumerate(groups, 1) for each in group}
    for each in media:
        told = {"type": each["type"], "size": each["size"], "sha256": each["sha256"]}
        yield {**told, "part": with_part[each["offset"]]} if each["offset"] in with_part else told
