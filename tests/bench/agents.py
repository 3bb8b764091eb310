"""What the server of agents' tools costs: calls, memory and start, beside a bare echo server of the same SDK.

Both are spoken to over stdio by the same client, in turns.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Protocol

from bench.agents_wire import Call, Wire
from bench.costs import FULL, Size
from bench.measure import ratio, spend
from bench.peers import environment
from bench.project import HARNESS
from bench.table import Row

IN_FLIGHT = 16
CALLS = {True: 1_000, False: 200}  # of each kind and turn: full, quick
LONG = {True: 20_000, False: 2_000}  # calls over which memory may not grow
EARLY = 1_000  # calls after which memory is first looked at
MANIFEST = """\
harness: 1
study: reliability
name: bench
about: Additions for agents, to be timed.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  addition: {make: reliability.addition, seed: 7, count: 2000}
prompts: {set: reliability/addition@1}
agents:
  splits:
    dev: {public: true, templates: [1, 6]}
  budget: {calls: 1000000, seconds: 86400}
"""
ENGINE = "local"
ECHO = Path(__file__).with_name("agents_echo.py")


class CallsTools(Protocol):
    """A client of a server of tools."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool, and give its data."""


class Attempt:
    """An attempt on the bench project, and the calls that can be made of it."""

    def __init__(self, wire: CallsTools, name: str) -> None:
        begun = wire.call("start_attempt", {"study": "bench", "split": "dev", "idempotency_key": name})
        self.attempt, self.wire = begun["attempt_id"], wire
        self.items: list[str] = []
        more: dict[str, str] = {}
        while True:
            page = wire.call("list_items", {"attempt_id": self.attempt, "limit": 50, **more})
            self.items += [one["item_id"] for one in page["items"]]
            if "next_cursor" not in page:
                break
            more = {"cursor": page["next_cursor"]}
        self.open = iter(self.items)

    def lists(self, count: int) -> list[Call]:
        """Give so many calls for the first page."""
        return [("list_items", {"attempt_id": self.attempt})] * count

    def gets(self, count: int) -> list[Call]:
        """Give so many calls for an item each."""
        items = itertools.islice(itertools.cycle(self.items), count)
        return [("get_item", {"attempt_id": self.attempt, "item_ids": [item]}) for item in items]

    def submits(self, count: int) -> list[Call]:
        """Give so many calls that answer an item each, which no call before has answered."""
        found = list(itertools.islice(self.open, count))
        assert len(found) == count, "the project has too few items"
        answers = [[{"item_id": item, "answer": f"The sum is {place}."}] for place, item in enumerate(found)]
        return [("submit_answers", {"attempt_id": self.attempt, "answers": each}) for each in answers]


def echoes(count: int) -> list[Call]:
    """Give so many calls of the echo, as long as an answer's."""
    return [("echo", {"text": f"The sum is {place}." * 5}) for place in range(count)]


def _lay_out(work: Path) -> Path:
    root = work / "agents"
    for name in ("manifests", "lockfiles"):
        (root / name).mkdir(parents=True)
    (root / "manifests" / "bench.yaml").write_text(MANIFEST)
    spend([HARNESS, "lock", "manifests/bench.yaml"], environment(root), root)
    return root


def _start(words: Sequence[str], cwd: Path, first: Callable[[Wire], object]) -> float:
    wire = Wire(words, cwd)
    first(wire)
    seconds = time.perf_counter() - wire.begun
    wire.close()
    return seconds


def _listed(wire: Wire) -> int:
    """Give the bytes of a list of tools, as it goes over the wire."""
    return len(json.dumps(wire.ask("tools/list", {}), ensure_ascii=False, separators=(",", ":")).encode())


def agent_rows(work: Path, size: Size) -> list[Row]:
    """Measure our server and the echo in turns: calls, submissions in flight, memory over many calls, start."""
    full = size is FULL
    count, long, repeats = CALLS[full], LONG[full], max(3, size.repeats)
    root = _lay_out(work)
    ours_words, echo_words = [str(HARNESS), "serve", "--engine", ENGINE], [sys.executable, str(ECHO)]
    with tempfile.TemporaryDirectory(prefix="bench-") as elsewhere:
        ours, echo = Wire(ours_words, root), Wire(echo_words, Path(elsewhere))
        turns = [_turn(ours, echo, f"turn {number}", count) for number in range(1 + repeats)][1:]
        memory = _memory(ours, echo, long)
        sizes = [_listed(ours)]
        ours.close()
        echo.close()
        for profile in ("operate", "audit", "run"):
            wire = Wire([*ours_words, "--profile", profile, "manifests/bench.yaml"], root)
            sizes.append(_listed(wire))
            wire.close()
        starts = [
            (
                _start(ours_words, root, lambda wire: wire.call("list_studies", {})),
                _start(echo_words, Path(elsewhere), lambda wire: wire.call("echo", {"text": "first"})),
            )
            for _ in range(repeats)
        ]
    return _rows(turns, memory, sizes, starts, count, long)


def _turn(ours: Wire, echo: Wire, name: str, count: int) -> dict[str, float]:
    """Time each kind of call in one turn, and the echo beside it."""
    attempt, found = Attempt(ours, name), dict[str, float]()
    half = count // 2
    base = echo.timed(echoes(count))
    found["echo"] = count / sum(base)
    for kind, calls in (
        ("list", attempt.lists(count)),
        ("get", attempt.gets(count)),
        ("submit", attempt.submits(half)),
    ):
        seconds = ours.timed(calls)
        found[kind] = ratio(sum(seconds) / len(seconds), sum(base) / len(base))
        if kind == "submit":
            found["later"] = 1000 * (median(seconds) - median(base))
            found["rate"] = len(seconds) / sum(seconds)
    together, beside = ours.timed(attempt.submits(half), IN_FLIGHT), echo.timed(echoes(half), IN_FLIGHT)
    found["p99"] = ratio(quantiles(together, n=100)[98], quantiles(beside, n=100)[98])
    return found


def _memory(ours: Wire, echo: Wire, long: int) -> tuple[float, float, float]:
    """Give memory against the echo's after many calls, its growth on the way, and the memory itself in MiB."""
    attempt, early = Attempt(ours, "memory"), min(EARLY, long // 2)
    ours.timed(attempt.gets(early), IN_FLIGHT)
    before = ours.memory()
    ours.timed(attempt.gets(long - early), IN_FLIGHT)
    echo.timed(echoes(long), IN_FLIGHT)
    after = ours.memory()
    return ratio(after, echo.memory()), ratio(after, before), after


def _rows(
    turns: Sequence[Mapping[str, float]], memory: tuple[float, float, float], sizes: Sequence[int],
    starts: Sequence[tuple[float, float]], count: int, long: int,
) -> list[Row]:  # fmt: skip
    def every(name: str) -> tuple[float, ...]:
        return tuple(turn[name] for turn in turns)

    beside = "against as many of a bare echo server"
    return [
        Row("agents", f"wall of {count:,} calls of list_items {beside}", every("list"), 2.0),
        Row("agents", f"wall of {count:,} calls of get_item {beside}", every("get"), 2.0),
        Row("agents", f"wall of {count // 2:,} calls of submit_answers {beside}", every("submit"), 2.0),
        Row("agents", "median submit_answers less the median echo", every("later"), 3.0, "ms"),
        Row("agents", f"p99 of submit_answers against the echo's, {IN_FLIGHT} in flight", every("p99"), 2.0),
        Row("agents", f"memory of server and supervisor after {long:,} calls against the echo's", (memory[0],), 1.5),
        Row("agents", f"memory after {long:,} calls against that after {min(EARLY, long // 2):,}", (memory[1],), 1.1),
        Row("agents", "start to the first result against the echo's", tuple(ratio(*pair) for pair in starts), 1.25),
        Row("agents", "tools/list of the largest profile", (max(sizes) / 1024,), 12.0, "KiB"),
        Row("agents", "calls of the echo, one in flight", every("echo"), unit="/s"),
        Row("agents", "submissions, one answer and one in flight, each on the disk", every("rate"), unit="/s"),
        Row("agents", "memory of server and supervisor", (memory[2],), unit="MiB"),
        Row("agents", "start to the first result", tuple(ours for ours, _ in starts), unit="s"),
    ]
