"""How many requests to a model are under way at once: more while answers come as fast, half where it is overloaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from harness.models.gateway.limits import SMOOTHED, ConcurrencyLimit


class Service:
    """A service whose latency depends on how many ask it at once, on a clock of its own."""

    def __init__(self, limit: ConcurrencyLimit, latency: Callable[[int], float]) -> None:
        self.limit, self._latency = limit, latency
        self.most = 0

    async def ask(self) -> None:
        async with self.limit:
            now = self.limit.running
            self.most = max(self.most, now)
            for _ in range(3):
                await asyncio.sleep(0)
        self.limit.record_answer(self._latency(now))

    async def many(self, count: int) -> None:
        await asyncio.gather(*(self.ask() for _ in range(count)))


@pytest.mark.parametrize(
    ("latency", "low", "high"),
    [(lambda now: 0.05, 128, 128), (lambda now: 0.01 * now, 8, 40)],
    ids=["a server with room for all", "a server that answers one after the other"],
)
def test_it_grows_while_answers_come_as_fast_and_no_further(
    latency: Callable[[int], float], low: int, high: int
) -> None:
    limit = ConcurrencyLimit(128, 8)
    service = Service(limit, latency)
    asyncio.run(service.many(2000))
    assert low <= service.most <= high and low <= limit.limit <= high and limit.running == 0


def test_it_never_exceeds_its_bound_and_does_not_grow_where_little_is_asked() -> None:
    bounded, idle = ConcurrencyLimit(5), ConcurrencyLimit(64, 8)
    service = Service(bounded, lambda now: 0.1)
    asyncio.run(service.many(200))
    assert service.most == 5

    async def one_by_one() -> None:
        for _ in range(10 * SMOOTHED):
            await Service(idle, lambda now: 0.1).ask()

    asyncio.run(one_by_one())
    assert idle.limit == 8


def test_an_overload_halves_it_once_for_all_that_were_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    limit = ConcurrencyLimit(64, 32)
    for _ in range(20):
        limit.record_overload(began=9.0)
    assert limit.limit == 16
    now[0] = 12.0
    limit.record_overload(began=11.0)
    assert limit.limit == 8
    for turn in range(20):
        limit.record_overload(began=13.0 + turn)
        now[0] = 13.0 + turn
    assert limit.limit == 1, "one request is always allowed"


def test_a_waiting_request_that_is_cancelled_takes_no_place_and_all_pass_where_nothing_is_sent() -> None:
    async def scene() -> None:
        limit = ConcurrencyLimit(1)
        async with limit:
            gone, stays, more = (asyncio.create_task(_hold(limit)) for _ in range(3))
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.sleep(0)
        await stays
        await more
        assert limit.running == 0
        async with limit:
            waiting = [asyncio.create_task(_hold(limit)) for _ in range(9)]
            await asyncio.sleep(0)
            limit.let_all_pass()
            await asyncio.wait_for(asyncio.gather(*waiting), 5)

    asyncio.run(scene())


async def _hold(limit: ConcurrencyLimit) -> None:
    async with limit:
        await asyncio.sleep(0)
