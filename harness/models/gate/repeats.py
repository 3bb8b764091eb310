"""Repeat counter: numbers equal requests of clients that send no repeat header, 0, 1, 2 …, by request digest."""

from __future__ import annotations


class RepeatCounter:
    """A repeat counter for each request digest; a number that got no answer is given to the next equal request."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._free: dict[str, set[int]] = {}

    def take(self, digest: str, again: bool) -> int:
        """Take a repeat number for a request: the lowest one given back, else the next.

        A client that retries (`again`) gets the last number taken, unless that was given back.
        """
        taken, free = self._next.get(digest, 0), self._free.get(digest)
        if again and taken and not (free and taken - 1 in free):
            return taken - 1
        if free:
            repeat = min(free)
            free.remove(repeat)
            if not free:
                del self._free[digest]
            return repeat
        self._next[digest] = taken + 1
        return taken

    def give_back(self, digest: str, repeat: int) -> None:
        """Give back a repeat number that got no answer; the next equal request takes it."""
        self._free.setdefault(digest, set()).add(repeat)
