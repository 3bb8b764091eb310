"""Which taped request is most like one that is not taped: the fewest fields that differ, then the fewest signs in them.

It must never know how a request came to be missed; it only helps a person to see why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.digest import canonical, differences, walk
from harness.files import translating_os_errors
from harness.models.tape.line import LIMIT, Taped, asked, parse, read
from harness.models.tape.segments import SEGMENT, segment_path

SAMPLE = 20_000  # requests that are looked at
_SEGMENTS, _HITS, _TEXTS = 16, 200, 3


class Nearest:
    """The best of the requests that were looked at."""

    def __init__(self, provider: str, body: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> None:
        self._wanted = parse(canonical(asked(provider, body, more)).decode())  # as a tape spells it: 0.0 is 0
        self._best: tuple[tuple[int, int, str, int], Taped, list[str]] | None = None

    def look(self, taped: Taped) -> None:
        """Hold one more request against the best so far."""
        have = asked(taped.provider, taped.body, taped.more)
        fields = []
        for field in differences(self._wanted, have):
            fields.append(field)
            if self._best and len(fields) > self._best[0][0]:
                return
        measure = (len(fields), sum(_apart(self._wanted, have, field) for field in fields), taped.at, taped.repeat)
        if self._best is None or measure < self._best[0]:
            self._best = measure, taped, fields

    def found(self) -> tuple[Taped, list[str]] | None:
        """Give the nearest, and where it differs."""
        return self._best[1:] if self._best else None


def _apart(left: Any, right: Any, pointer: str) -> int:
    """Count the signs in which two requests differ at one field, less what both begin and end with."""
    ours, theirs = spelled(left, pointer), spelled(right, pointer)
    start = _common(ours, theirs)
    end = _common(ours[: start - 1 : -1] if start else ours[::-1], theirs[: start - 1 : -1] if start else theirs[::-1])
    return len(ours) + len(theirs) - 2 * (start + end)


def _common(left: bytes, right: bytes) -> int:
    """Count the signs that two texts begin with, in few comparisons of many signs."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle - 1)
    return low


def spelled(value: Any, pointer: str) -> bytes:
    """Spell what stands at a JSON Pointer; nothing where the way ends before."""
    for word in pointer.split("/")[1:]:
        name = word.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            if name not in value:
                return b""
            value = value[name]
        else:
            value = value[int(name)]
    return canonical(value)


def longest(body: Mapping[str, Any]) -> list[str]:
    """Give the longest texts of a request: what another one that means the same is likely to hold too."""
    texts = {item for _, item in walk(body) if isinstance(item, str) and len(item) >= 8}
    return sorted(texts, key=lambda text: (-len(text), text))[:_TEXTS]


def alike(folder: Path, ends: list[int], text: str) -> Iterator[Taped]:
    """Give the first requests that hold a text, from the newest segments on."""
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
            yield read(data[begin:end], str(path)).taped
