"""Adaptive concurrency: how many requests to one model are under way at once.

The number grows while answers come as fast as before, and is halved when a provider is overloaded. It knows nothing of
rates, money or retries.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque

FIRST = 32  # requests at once before anything is known of a model
SLOWER = 2.0  # times the lowest smoothed latency: beyond it, more at once is no gain
SMOOTHED = 16  # answers over which a latency is smoothed


class ConcurrencyLimit:
    """A bound on the requests of one model under way at once; waiting requests are served first come, first served.

    It never exceeds `most`. While all of it is used and the smoothed latency is within a factor of the lowest so far,
    it grows: by 1 for each answer until something stopped that once, then by 1 for as many answers as it allows at
    once.
    """

    def __init__(self, most: int, first: int = FIRST) -> None:
        self.most, self.limit, self.running = most, float(min(first, most)), 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._latency, self._lowest, self._answers = 0.0, math.inf, 0
        self._quick = True  # whether it still grows with each answer
        self._shrunk = -math.inf  # when it was last halved
        self._open = False

    async def __aenter__(self) -> None:
        """Wait until a request may begin."""
        if not self._waiting and self._has_room():
            self.running += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it had its turn, which it passes on
                self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        """Let the next request begin."""
        self._leave()

    def record_answer(self, seconds: float) -> None:
        """Note an answer and the seconds that it took; grow if answers are as fast as before."""
        self._answers += 1
        self._latency += (seconds - self._latency) / min(self._answers, SMOOTHED)
        if self._answers < SMOOTHED:
            return
        self._lowest = min(self._lowest, self._latency)
        if self._latency > SLOWER * self._lowest:
            self._quick = False
        elif self._waiting or self.running >= self.limit - 1:
            self.limit = min(self.most, self.limit + (1.0 if self._quick else 1.0 / self.limit))
            self._wake()

    def record_overload(self, began: float) -> None:
        """Halve the limit, once for all requests that were under way; `began` is when this one began."""
        if began >= self._shrunk:
            self.limit, self._shrunk, self._quick = max(1.0, self.limit / 2), time.monotonic(), False
            self._lowest, self._answers = math.inf, 0

    def let_all_pass(self) -> None:
        """Let every waiting request begin, and every later one: none of them will be sent."""
        self._open = True
        self._wake()

    def _has_room(self) -> bool:
        return self._open or self.running < int(self.limit)

    def _leave(self) -> None:
        self.running -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            if not turn.done():
                self.running += 1
                turn.set_result(None)
