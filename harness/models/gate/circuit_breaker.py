"""Circuit breaker: stops calls to a model after so many refusals in a row, before its first answer.

It never opens after an answer, and never closes again once it is open.
"""

from __future__ import annotations

FOR_GOOD = frozenset({400, 401, 403, 404, 422})  # HTTP statuses at which a retry of the same request is refused again


class CircuitBreaker:
    """A circuit breaker that counts refusals in a row; a model's first answer, from a tape too, disarms it for good."""

    def __init__(self, most: int) -> None:
        self._most, self._row, self._said = most, 0, ""

    def record_success(self) -> None:
        """Disarm the breaker: the model works, so that later refusals concern single requests."""
        self._most = 0

    def record_refusal(self, status: int, said: str) -> None:
        """Count a refusal; the message of the first is kept."""
        if status in FOR_GOOD:
            self._row += 1
            self._said = self._said or said

    @property
    def open_reason(self) -> str:
        """The reason why calls are stopped; empty while they are allowed."""
        if not self._most or self._row < self._most:
            return ""
        return f"refused all of the first {self._row} requests and answered none; it said: {self._said}"
