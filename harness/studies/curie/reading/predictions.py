"""Predictions as the paper's notebook reads them: a list of objects in an answer, or in a model's repair of it.

Keeps the notebook's defects (spec 2.5): no prose around the list, no `None`, an object for a list. One bound is OURS:
an answer of more than 400,000 characters is unreadable. Sees no gold.
"""

from __future__ import annotations

import re
from typing import Any

from harness.studies.curie.reading.loose_json import LONGEST_ANSWER, Unreadable, check_size, loads

_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w|\s)")  # of a genitive, but also the closing quote of a word before a blank
_NEXT_OBJECT = re.compile(r",\s*\{")
_FENCES = ("```json", "```", "`")  # each is removed once at the start and once at the end, in this order


def predictions_mpv(text: str) -> Any:
    """Return the JSON5 value of an answer to MPV, usually a list; raises Unreadable if there is none."""
    plain = text.replace("\n", "")
    return _parsed(plain.removeprefix(" ").removesuffix(" "))


def predictions_dft(text: str, repair: str | None = None) -> Any:
    """Return the value of an answer to DFT-S or DFT-P, else that of a repair model's reply, else an empty list.

    Raises Unreadable if the answer needs a repair and there is no reply.
    """
    try:
        return _parsed(text.replace("\n", ""))
    except Unreadable:
        if repair is None:
            raise Unreadable("the answer cannot be read, and no model repaired it") from None
    try:
        return _parsed(repair.replace("\n", ""))
    except Unreadable:
        return []


def _parsed(text: str) -> Any:
    check_size(text, LONGEST_ANSWER)
    for fence in _FENCES:
        text = text.removeprefix(fence).removesuffix(fence)
    try:
        return loads(_APOSTROPHE.sub(r"\\'", text) or "{}")
    except Unreadable:
        return loads(up_to_last_object(text))


def up_to_last_object(text: str) -> str:
    """Return a list without its last element, which may be cut short; raises Unreadable if it has no two objects."""
    last = -1
    for found in _NEXT_OBJECT.finditer(text):
        last = found.start()
    if last < 0:
        raise Unreadable("neither JSON5 nor a list of objects cut short")
    return text[:last] + "]"
