"""The n-th time that the same is asked in a gateway's life: the repeat of a client that does not count itself."""

from __future__ import annotations


class Turns:
    """Counts from 0 for each request; a turn that got no answer is given to the next who asks."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._free: dict[str, set[int]] = {}

    def take(self, digest: str, again: bool) -> int:
        """Take a turn; who asks again, having lost the answer, gets the last one that was taken."""
        taken, free = self._next.get(digest, 0), self._free.get(digest)
        if again and taken and not (free and taken - 1 in free):
            return taken - 1
        if free:
            turn = min(free)
            free.remove(turn)
            if not free:
                del self._free[digest]
            return turn
        self._next[digest] = taken + 1
        return taken

    def give_back(self, digest: str, turn: int) -> None:
        """Give a turn back that got no answer."""
        self._free.setdefault(digest, set()).add(turn)
