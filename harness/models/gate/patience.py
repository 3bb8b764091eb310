"""How long a model is asked that refuses everything: a bounded number of times, so that a mistake is soon told."""

from __future__ import annotations

FOR_GOOD = frozenset({400, 401, 403, 404, 422})  # the same request is refused again


class Patience:
    """Counts a model's refusals in a row until its first answer, from a tape too; after that it is asked for ever."""

    def __init__(self, most: int) -> None:
        self._most, self._row, self._said = most, 0, ""

    def answered(self) -> None:
        """Take an answer for what it is: what is refused beside it is refused for its own sake."""
        self._most = 0

    def refused(self, status: int, said: str) -> None:
        """Count a refusal; the first one's words are kept."""
        if status in FOR_GOOD:
            self._row += 1
            self._said = self._said or said

    @property
    def end(self) -> str:
        """Say why no more is asked; nothing where more may be."""
        if not self._most or self._row < self._most:
            return ""
        return f"refused all of the first {self._row} requests and answered none; it said: {self._said}"
