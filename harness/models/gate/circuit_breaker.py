"""Circuit breaker: stops calls to a model that has answered nothing yet and has refused a given number of requests.

Only refusals that a retry would meet again (HTTP 400, 401, 403, 404, 422) count. It never opens after a model's first
answer, and never decides whether a call is retried.
"""

from __future__ import annotations

FOR_GOOD = frozenset({400, 401, 403, 404, 422})  # HTTP statuses at which a retry of the same request is refused again


class CircuitBreaker:
    """A circuit breaker that opens after `most` final refusals before a model's first answer; 0: never.

    The first answer, from a tape too, disarms it for good, and closes it again if it was open.
    """

    def __init__(self, most: int) -> None:
        self._most, self._row, self._said = most, 0, ""

    def record_success(self) -> None:
        """Disarm the breaker for good: the model works, so that later refusals concern single requests."""
        self._most = 0

    def record_refusal(self, status: int, said: str) -> None:
        """Count a refusal if its HTTP status means that a retry is refused too (400, 401, 403, 404, 422).

        Any other status changes nothing. The first message that is not empty is kept.
        """
        if status in FOR_GOOD:
            self._row += 1
            self._said = self._said or said

    @property
    def open_reason(self) -> str:
        """The reason why calls to the model are stopped; empty while they are allowed."""
        if not self._most or self._row < self._most:
            return ""
        return f"refused all of the first {self._row} requests and answered none; it said: {self._said}"
