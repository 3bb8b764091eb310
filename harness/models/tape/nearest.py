"""Nearest-request search: the recorded request with the fewest fields, then characters, that differ from a missing one.

It only explains a miss; its result is never given as an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.digest import canonical, differences, walk
from harness.files import translating_os_errors
from harness.models.tape.line import LIMIT, Taped, parse, read_line, request_identity
from harness.models.tape.segments import SEGMENT, segment_path

SAMPLE = 20_000  # requests that are compared
_SEGMENTS, _HITS, _TEXTS = 16, 200, 3


class Nearest:
    """The search state: the nearest of the requests seen so far."""

    def __init__(self, provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> None:
        identity = request_identity(provider, body, more)
        self._wanted = parse(canonical(identity).decode())  # as on a tape, where 0.0 is 0
        self._best: tuple[tuple[int, int, str, int], Taped, list[str]] | None = None

    def consider(self, taped: Taped) -> None:
        """Compare one more request with the nearest so far."""
        have = request_identity(taped.provider, taped.body, taped.more)
        fields = []
        for field in differences(self._wanted, have):
            fields.append(field)
            if self._best and len(fields) > self._best[0][0]:
                return
        measure = (len(fields), sum(_apart(self._wanted, have, field) for field in fields), taped.at, taped.repeat)
        if self._best is None or measure < self._best[0]:
            self._best = measure, taped, fields

    def nearest(self) -> tuple[Taped, list[str]] | None:
        """Return the nearest request and the fields in which it differs; None where none was considered."""
        return self._best[1:] if self._best else None


def _apart(left: Any, right: Any, pointer: str) -> int:
    """Count the characters that differ at one field, without the common prefix and suffix."""
    ours, theirs = value_at(left, pointer), value_at(right, pointer)
    start = _common(ours, theirs)
    end = _common(ours[: start - 1 : -1] if start else ours[::-1], theirs[: start - 1 : -1] if start else theirs[::-1])
    return len(ours) + len(theirs) - 2 * (start + end)


def _common(left: bytes, right: bytes) -> int:
    """Compute the length of the common prefix, by binary search."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def value_at(value: Any, pointer: str) -> bytes:
    """Encode the value at a JSON Pointer canonically; empty where there is none."""
    for word in pointer.split("/")[1:]:
        name = word.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            if name not in value:
                return b""
            value = value[name]
        else:
            value = value[int(name)]
    return canonical(value)


def longest_texts(body: Mapping[str, Any]) -> list[str]:
    """List the three longest texts of a request, of 8 characters or more, by which similar requests can be found."""
    texts = {item for _, item in walk(body) if isinstance(item, str) and len(item) >= 8}
    return sorted(texts, key=lambda text: (-len(text), text))[:_TEXTS]


def requests_containing(folder: Path, ends: list[int], text: str) -> Iterator[Taped]:
    """Search the 16 newest segments for exchanges that contain a text; stops after 200 of them."""
    needle, hits = canonical(text), 0
    for number in reversed(range(max(0, len(ends) - _SEGMENTS), len(ends))):
        path = segment_path(folder, number)
        with translating_os_errors(path), open(path, "rb") as file:
            data = file.read(min(ends[number], SEGMENT + LIMIT))
        at = data.find(needle)
        while at >= 0 and hits < _HITS:
            begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) + 1
            if not end:
                break
            hits, at = hits + 1, data.find(needle, end)
            yield read_line(data[begin:end], str(path)).taped
