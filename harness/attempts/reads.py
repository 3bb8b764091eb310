"""Results of list_items and get_item, computed from state, view and arguments alone, so that a replay returns the same.

A view is read from open files on demand: rows of prompts, and the bytes of images. It contains no gold answers. A
transcript of an earlier release has reads of one item each, whose results had other fields: they are kept here, so that
such a transcript can be replayed, too.
"""

from __future__ import annotations

import json
import os
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypedDict, cast

from harness.attempts.codes import (
    ANSWERS,
    IMAGE_BYTES,
    PART_BYTES,
    PART_ESCAPED,
    PREVIEW,
    READ_BYTES,
    AttemptError,
    printable_text,
)
from harness.attempts.shapes import FormerGetItemArgs, GetItemArgs, ListItemsArgs
from harness.attempts.transcript import AttemptState, item_id, make_cursor, read_cursor
from harness.digest import canonical_json, sha256, sha256_stream
from harness.errors import DamageError

KIND = "view/1"


class ViewImage(TypedDict):
    """An image of a prompt: its place in the view's file of images, its digest, and that of the original."""

    type: str
    offset: int
    size: int
    sha256: str
    original: str


class ViewRow(TypedDict, total=False):
    """A prompt as a view shows it: `text` or `messages`, and what an answer may be."""

    key: str
    task: str
    text: str
    messages: Sequence[Mapping[str, Any]]
    media: Sequence[ViewImage]
    answer_kind: str
    answer_schema: Mapping[str, Any]
    options: Mapping[str, str]
    prompt_sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The position of a row in its file, and the fields that a list of items shows."""

    at: int
    length: int
    task: str
    size: int
    preview: str


class ViewReader:
    """Reader of a view, the file of prompts that an agent is asked, from open files of its items and images.

    It keeps the position of each row, not the rows, since long documents are read on demand. It owns the descriptors.
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
                row = cast(ViewRow, _parsed(line))
                size = len(prompt_text(row).encode())
                self.places[row["key"]] = RowPlace(at, len(line), row["task"], size, _preview(prompt_asked(row)))
                at += len(line)

    def row(self, key: str) -> ViewRow:
        """Read the row of one prompt from the view, by the prompt's key."""
        place = self.places[key]
        return cast(ViewRow, _parsed(os.pread(self._items, place.length, place.at)))

    def image(self, ref: ViewImage) -> bytes:
        """Read an image of a row; raises DamageError if its bytes do not match its digest."""
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


def prompt_text(row: ViewRow) -> str:
    """Return the whole prompt as text: its own text, or its turns as canonical JSON."""
    return str(row["text"]) if "text" in row else canonical_json(row["messages"]).decode()


def prompt_form(row: ViewRow) -> str:
    """Return whether the text of a prompt is the prompt, or JSON of its turns."""
    return "text" if "text" in row else "messages"


def prompt_asked(row: ViewRow) -> str:
    """Return the text that distinguishes a prompt from others: its text, or that of its last turn."""
    last = row["messages"][-1]["content"] if "messages" in row else row["text"]
    return last if isinstance(last, str) else canonical_json(last).decode()


def _preview(text: str) -> str:
    """Return the first words of a text in one line, with only printable characters."""
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
    """An image that is sent with a reply: its MIME type and its bytes."""

    type: str
    data: bytes


class Listing:
    """The items of an attempt: a view's prompts under the attempt's own ids, sorted by id."""

    def __init__(self, state: AttemptState, view: ViewReader) -> None:
        self.view = view
        self.keys = dict(sorted((item_id(state.secret, key), key) for key in view.places))
        self._names = list(self.keys)

    def page(self, state: AttemptState, args: ListItemsArgs) -> Data:
        """Return one page of an attempt's items (list_items); raises AttemptError for a cursor of another query."""
        names, cursor = self._page(state, args)
        told = self._previewed if args.get("preview") else self._listed
        return {
            "items": [told(state, name, args["status"] == "all") for name in names],
            "remaining": state.unanswered,
            "calls_left": max(0, state.calls_left - 1),
            **({"content_is_untrusted": True} if args.get("preview") else {}),
            "next": READ if names else END,
            **({"next_cursor": cursor} if cursor else {}),
        }

    def _page(self, state: AttemptState, args: ListItemsArgs) -> tuple[list[str], str]:
        """Return the ids of a page's items, and the cursor of the next page; empty on the last."""
        query: dict[str, str | int] = {"limit": args["limit"], "status": args["status"]}
        last = read_cursor(state.secret, query, args["cursor"]) if "cursor" in args else ""
        follow = islice(self._names, bisect(self._names, last), None)
        wanted = (name for name in follow if args["status"] in ("all", _status(state, name)))
        names = list(islice(wanted, args["limit"] + 1))
        page = names[: args["limit"]]
        return page, make_cursor(state.secret, query, page[-1]) if len(names) > len(page) else ""

    def _listed(self, state: AttemptState, name: str, status: bool) -> Data:
        said: Data = {"item_id": name, "size": self.view.places[self.keys[name]].size}
        return {**said, "status": _status(state, name)} if status else said

    def _previewed(self, state: AttemptState, name: str, _: bool = True) -> Data:
        place = self.view.places[self.keys[name]]
        return {
            "item_id": name,
            "task": place.task,
            "preview": place.preview,
            "size": place.size,
            "status": _status(state, name),
        }

    def read(
        self, state: AttemptState, args: GetItemArgs, *, whole: bool = False
    ) -> tuple[Data, tuple[ReplyImage, ...]]:
        """Return the result of get_item: the named items, or else the next open ones, as many as a reply holds.

        What submit_answers says next is left out, unless calls run short or no item follows; with `whole` nothing is,
        as in an earlier release. Raises AttemptError for an item or a part that does not exist.
        """
        named = list(dict.fromkeys(args.get("item_ids", ())))
        if args["part"] > 1 and len(named) != 1:
            raise AttemptError("E_PART", "a part beyond the first is of one item", "Call get_item with one item_id.")
        names = named or list(islice((name for name in self._names if name not in state.answers), ANSWERS))
        items, images, size = list[Data](), list[ReplyImage](), 0
        for name in names:
            found, refs = self._item(name, args["part"])
            size += len(json.dumps(found, ensure_ascii=False).encode())
            shown_bytes = sum(len(one.data) for one in images) + sum(int(ref["size"]) for ref in refs)
            if items and (size > READ_BYTES or shown_bytes > IMAGE_BYTES):
                break
            items.append(found)
            images += [ReplyImage(ref["type"], self.view.image(ref)) for ref in refs]
        data: Data = {"items": items, "content_is_untrusted": True}
        calls, follow = max(0, state.calls_left - 1), _follows(items)
        if whole or not items:
            data["remaining"] = state.unanswered
        if whole or not items or calls < 2 * state.unanswered + SPARE:
            data["calls_left"] = calls
        if whole or follow != SUBMIT:
            data["next"] = follow
        if left := named[len(items) :]:
            data["left_out"] = left
        return data, tuple(images)

    def _item(self, name: str, number: int) -> tuple[Data, Sequence[ViewImage]]:
        """Return one part of an item's prompt, and the images that come with it."""
        row = self.row(name)
        texts, groups = split_text(prompt_text(row)), list(_grouped(row.get("media", [])))
        count = max(len(texts), len(groups))
        if number > count:
            raise AttemptError("E_PART", f"this item has {count} part{'s' * (count > 1)}")
        said: Data = {"item_id": name}
        if "messages" in row and len(texts) == 1 == number:
            said["messages"] = list(row["messages"])
        else:
            said["prompt"] = texts[number - 1] if number <= len(texts) else ""
            said |= {"prompt_form": "messages"} if "messages" in row else {}
        said |= {"part": number, "parts": count} if count > 1 else {}
        said |= {"answer_kind": row["answer_kind"]} if row["answer_kind"] != "text" else {}
        said |= {field: value for field, value in _public(row) if value is not None}
        if _shows_options(row):
            del said["options"]
        if row.get("media"):
            said["images"] = list(_told(row["media"], groups))
        return said, groups[number - 1] if number <= len(groups) else []

    def former_page(self, state: AttemptState, args: ListItemsArgs) -> Data:
        """Return one page of an attempt's items in the form that list_items had before previews were optional."""
        names, cursor = self._page(state, args)
        return {
            "items": [self._previewed(state, name) for name in names],
            "remaining": state.remaining,
            "calls_left": max(0, state.calls_left - 1),
            "content_is_untrusted": True,
            "next": "Call get_item with an item_id." if names else "Call finish_attempt.",
            **({"next_cursor": cursor} if cursor else {}),
        }

    def former_item(self, state: AttemptState, args: FormerGetItemArgs) -> Data:
        """Return one item's prompt in the form that get_item had when a call read a single item."""
        name, number = args["item_id"], args["part"]
        row = self.row(name)
        texts = split_text(prompt_text(row))
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
            **{field: value for field, value in _public(row) if value is not None},
            "status": _status(state, name),
            "content_is_untrusted": True,
            "next": f"Call get_item with part {number + 1}." if more else "Call submit_answers with your answer.",
        }
        if row.get("media"):
            data["images"] = list(_told(row["media"], groups))
        return data

    def row(self, name: str) -> ViewRow:
        """Return the row of an item; raises AttemptError for an unknown id."""
        if name not in self.keys:
            raise AttemptError("E_UNKNOWN_ITEM", f"this attempt has no item `{printable_text(name)}`")
        return self.view.row(self.keys[name])


READ, END = "Call get_item to read the open ones.", "Call finish_attempt."
SUBMIT = "Call submit_answers."
SPARE = 20  # calls beyond two for each open item: who has fewer is told so at every read


def _follows(items: Iterable[Data]) -> str:
    """Return what to call after a read of items: the further parts of the first that has some, or submit_answers."""
    items = list(items)
    for one in items:
        if one.get("part", 1) < one.get("parts", 1):
            return f"Call get_item with item_ids [{json.dumps(one['item_id'])}] and part {one['part'] + 1}."
    return SUBMIT if items else END


def _public(row: ViewRow) -> Iterator[tuple[str, object]]:
    """Yield what a row says of its answers for an agent to read."""
    yield "answer_schema", row.get("answer_schema")
    yield "options", row.get("options")


def _shows_options(row: ViewRow) -> bool:
    """Whether the prompt says all options of an item, so that they need not be said twice."""
    options = row.get("options")
    if options is None:
        return False
    text = prompt_text(row)
    return all(letter in text and said in text for letter, said in options.items())


def _status(state: AttemptState, name: str) -> str:
    return "answered" if name in state.answers else "open"


def split_text(text: str) -> list[str]:
    """Cut a text into parts of at most 12 KiB in UTF-8, never within a character; joined they are the text.

    A part with many characters that JSON escapes is shorter, so that its reply stays within bounds too.
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
    """Return the whole characters within `length` bytes of a text in UTF-8."""
    end = min(begin + length, len(data))
    while end < len(data) and data[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return data[begin:end].decode()


def _grouped(media: Sequence[ViewImage]) -> Iterator[list[ViewImage]]:
    """Distribute images to parts, in their order, at most 1 MiB per part; a larger image goes with none."""
    group: list[ViewImage] = []
    for each in media:
        if each["size"] > IMAGE_BYTES:
            continue
        if group and sum(int(one["size"]) for one in group) + each["size"] > IMAGE_BYTES:
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _told(media: Sequence[ViewImage], groups: Sequence[Sequence[ViewImage]]) -> Iterator[Data]:
    """Yield for each image its type, size and digest, and the part that it comes with."""
    with_part = {each["offset"]: number for number, group in enumerate(groups, 1) for each in group}
    for each in media:
        told: Data = {"type": each["type"], "size": each["size"], "sha256": each["sha256"]}
        yield {**told, "part": with_part[each["offset"]]} if each["offset"] in with_part else told
