"""What it costs that others execute the steps: beside bare submits to Dask, beside two busy workers, and at a resume.

Two workers of this machine execute real steps without isolation. For the resume no step is executed: a placement in
this process says at once what each would have made, so that ten thousand are finished in seconds.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.costs import Size
from bench.measure import Cost, Missing, spend_here
from bench.table import Row
from evidence.bare import MAKE, Bare, bare
from support import journals

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.errors import MissingError
from harness.manifest.schema import Resources
from harness.run.engines import read_placement
from harness.run.executing.exchange import (
    StepAnswer,
    encode_answer,
    encode_request,
    input_digests,
    pack_message,
    parse_request,
    read_request,
)
from harness.run.executing.runner import Runner
from harness.run.executing.workshop import Workshop
from harness.run.placement.cluster import DaskPlacement, PlacementTerms
from harness.run.placement.worker import answer_message
from harness.steps import GATHER, Pinned, Plan, Step
from harness.store.store import Output

WORKERS = 2
FINISHED = 10_000  # shards of the run that is resumed
ITEMS = 12_000  # that one made dataset has: about a second
STEPS = {5: 2_000, 1: 100}  # trivial ones, by the number of repetitions


def scale_rows(work: Path, size: Size) -> list[Row]:
    """Measure a run over Dask beside bare submits, how busy it keeps two workers, and a resume."""
    made = bare(work / "scale")
    count = STEPS.get(size.repeats, 100)
    try:
        with placed(made) as (workshop, placement):
            ours = run_cost(made, workshop, placement, trivial(made, count, "ours"))
            bares = bare_cost(placement, workshop, trivial(made, count, "bare"))
            idle = idle_share(made, workshop, placement, 30 if size.repeats > 1 else 8)
    except MissingError as lack:
        raise Missing(lack.what) from lack
    each = 1000 / count
    what = f"{count:,} trivial steps on {WORKERS} workers"
    over = f"a run over bare submits to Dask, each of {what}"
    resumed = resume_cost(made, FINISHED)
    return [
        Row("scale", f"CPU here of {over}", ((ours.cpu - bares.cpu) * each,), 10.0, "ms"),
        Row("scale", f"wall of {over}", ((ours.wall - bares.wall) * each,), unit="ms"),
        Row("scale", f"wall of a run, each of {what}", (ours.wall * each,), unit="ms"),
        Row("scale", f"share of the time that {WORKERS} workers are idle, steps of about 1 s", (idle,), 0.1),
        Row("scale", f"CPU of a resumed run of {FINISHED:,} finished shards", (resumed.cpu,), 4.0, "s"),
        Row("scale", f"wall of a resumed run of {FINISHED:,} finished shards", (resumed.wall,), unit="s"),
    ]  # fmt: skip


@contextmanager
def placed(made: Bare) -> Iterator[tuple[Workshop, DaskPlacement]]:
    """Context manager that yields a workshop, and a placement of its steps whose workers have proved themselves."""
    workshop = Workshop(made.store, LocalEngine("process"), Limits())
    terms = PlacementTerms("process", Resources(), 0, "portable")
    choice = read_placement(f"dask=local:{WORKERS}", made.loaded.root)
    with DaskPlacement(choice, workshop, terms).open() as placement:
        while sum(1 for one in placement.workers.values() if one.device) < WORKERS:
            time.sleep(0.05)
        yield workshop, placement


def trivial(made: Bare, count: int, name: str) -> Plan:
    """Give a plan of so many steps that copy one small file, each under a key of its own."""
    digest = made.store.blobs.put(b'{"id":"x"}\n')
    parts = {"parts": (Pinned(digest),)}
    return Plan(
        tuple(
            Step(f"{name}-{n}", GATHER, "responses", {"name": "rows", "n": f"{name}-{n}"}, parts, ("rows",))
            for n in range(count)
        ),
        {},
    )


def run_cost(made: Bare, workshop: Workshop, placement: Any, planned: Plan) -> Cost:
    """Give what a run of a plan costs here."""
    runner = Runner(made.loaded, made.lock, planned, workshop, limit=1)
    runner.placement = placement
    return spend_here(lambda: runner.run(lambda *_: None))


def bare_cost(placement: DaskPlacement, workshop: Workshop, planned: Plan) -> Cost:
    """Give what it costs here to have the same requests executed by bare submits to Dask."""
    messages = []
    for step in planned.steps:
        asked = parse_request(encode_request(step, workshop.preimage(step, {})))
        fields = {**asked, "setting": placement._setting(), "run": placement._token}
        [digest] = input_digests(asked["parts"])
        messages.append(pack_message(fields, [workshop.store.blobs.read(digest)]))
    executor = placement.client.get_executor(pure=False, retries=0)
    return spend_here(lambda: wait([executor.submit(answer_message, one) for one in messages]))


def idle_share(made: Bare, workshop: Workshop, placement: DaskPlacement, count: int) -> float:
    """Give the share of two workers' time in which they executed no step, while a run had steps for them."""
    [make] = [step for step in made.plan.steps if step.name == MAKE]
    steps = tuple(
        replace(make, name=f"make-{n}", params={**make.params, "seed": n, "count": ITEMS}) for n in range(count)
    )
    cost = run_cost(made, workshop, placement, Plan(steps, {}))
    last = list(journals(made.store.root))[-1]
    busy = sum(line["usage"]["wall_ms"] for line in last if line["event"] == "step.done") / 1000
    return float(1 - busy / (WORKERS * cost.wall))


class SaidAtOnce:
    """A placement that executes nothing, and answers with what a step is to have made."""

    jobs = 8

    def __init__(self, made: Bare) -> None:
        self.store = made.store

    def spoken(self) -> dict[str, str]:
        """Give what a record says of it."""
        return {"name": "said"}

    def begin(self, _note: object) -> None:
        """Pass on nothing."""

    def end(self) -> None:
        """Pass on nothing."""

    def takes(self, _step: Step) -> bool:
        """Take every step."""
        return True

    def perform(self, request: bytes) -> bytes:
        """Put one blob for each output and answer."""
        _, parts = read_request(parse_request(request))
        data = str(parts["params"]).encode()
        outputs: Mapping[str, Output] = {
            name: Output(self.store.blobs.put(data), len(data)) for name in parts["outputs"]
        }
        return encode_answer(parts, StepAnswer(outputs, {}))


def resume_cost(made: Bare, count: int) -> Cost:
    """Give what a run costs that finds so many shards finished."""
    planned = trivial(made, count, "finished")
    run_cost(made, Workshop(made.store, LocalEngine("process"), Limits()), SaidAtOnce(made), planned)
    gc.collect()
    return run_cost(made, Workshop(made.store, LocalEngine("process"), Limits()), None, planned)
