"""Bounds of what an agent may send and is sent in one call."""

from __future__ import annotations

ANSWER_BYTES = 64 * 1024  # of one answer in UTF-8
ANSWERS = 20  # of one call
PAGE = 50  # items of one page, at most
PART_BYTES = 12 * 1024  # of one part of a prompt, in UTF-8
PART_ESCAPED = 15 * 1024  # of the same, escaped as JSON
REPLY_BYTES = 64 * 1024  # of a reply's data as JSON; images lie beside it
IMAGE_BYTES = 1 << 20  # of the images that go along with one part
PREVIEW = 160  # characters of a prompt in a list
KEPT_BYTES = 1024  # of the arguments of a call, or of an answer, that was rejected
LABEL = 80  # characters of what a client says of itself
