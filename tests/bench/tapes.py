"""What a tape costs: to open one of a million exchanges, and to replay from it in process."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.measure import Failed, spend, spend_here
from bench.peers import environment
from bench.table import Row

from harness.models.tape.line import PreparedExchange, prepare_exchange
from harness.models.tape.tape import Recorder, Tape, request_digest

REPLAYED = 20_000
OPEN = """
import sys, time
from pathlib import Path
from harness.models.tape.tape import Tape
begun = time.perf_counter()
tape = Tape.open(Path(sys.argv[1]))
seconds = time.perf_counter() - begun
for digest in sys.argv[2:]:
    assert tape.find(digest, 0)
[peak] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(seconds, int(peak) / 1024)  # not getrusage, which counts what the process that started this one holds
"""


def tape_rows(work: Path, size: Size) -> list[Row]:
    """Record a tape, open it in processes of its own, and replay random answers from it in this one."""
    count = 1_000_000 if size is FULL else 20_000
    folder = work / "tape"
    with Recorder(folder) as recorder:
        recorded = spend_here(lambda: recorder.extend(_exchanges(count)))
    opened, memory = [], []
    some = [request_digest("openai", _body(number)) for number in range(0, count, count // 100)]
    for _ in range(1 + 2 * size.repeats):
        cost = spend([sys.executable, "-c", OPEN, folder, *some], environment(work), work)
        seconds, peak = map(float, cost.output.split())
        opened.append(seconds)
        memory.append(peak)
    replay = [_replay(folder, count, number) for number in range(1 + 2 * size.repeats)]
    cpu, wall, asked = zip(*replay, strict=True)
    return [
        Row("tape", f"wall of opening a tape of {count:,} exchanges", tuple(opened), 1, "s"),
        Row("tape", f"memory of a process that opens it and replays {len(some)}", tuple(memory), 200, "MiB"),
        Row("tape", "CPU of one replayed response: found, checked, parsed (50 µs are 20,000 a second)", cpu, 50, "µs"),
        Row("tape", "replayed responses a second of wall", wall, unit="a second"),
        Row("tape", "CPU of one replayed response, the digest of its request computed too", asked, unit="µs"),
        Row("tape", "CPU of recording one exchange of many", (1e6 * recorded.cpu / count,), unit="µs"),
    ]


def _replay(folder: Path, count: int, seed: int) -> tuple[float, float, float]:
    draw = random.Random(seed)
    numbers = [draw.randrange(count) for _ in range(REPLAYED)]
    digests = [request_digest("openai", _body(number)) for number in numbers]
    with Tape.open(folder) as tape:

        def answer(digest: str, number: int) -> None:
            taped = tape.find(digest, 0)
            if taped is None or json.loads(taped.response)["id"] != f"chatcmpl-{number}":
                raise Failed("the tape gave a wrong answer")

        def replay() -> None:
            for digest, number in zip(digests, numbers, strict=True):
                answer(digest, number)

        def asking() -> None:
            for number in numbers:
                answer(request_digest("openai", _body(number)), number)

        known, asked = spend_here(replay), spend_here(asking)
    return 1e6 * known.cpu / REPLAYED, REPLAYED / known.wall, 1e6 * asked.cpu / REPLAYED


def _exchanges(count: int) -> Iterator[PreparedExchange]:
    for number in range(count):
        yield prepare_exchange("openai", _body(number), 0, 200, _answer(number))


def _body(number: int) -> dict[str, Any]:
    text = f"What is {number} + {number % 977}? Answer with the number alone."
    return {"model": "gpt-4-0613", "messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 256}


def _answer(number: int) -> bytes:
    message = {"role": "assistant", "content": f"The sum is {number + number % 977}."}
    usage = {"prompt_tokens": 21, "completion_tokens": 8, "total_tokens": 29}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1_700_000_000, "model": "gpt-4-0613"}
    return json.dumps({**head, "choices": [choice], "usage": usage}).encode()
