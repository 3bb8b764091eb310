"""Steps of a recorded run, made again on other processors: the interpreter runs under an emulator, the bytes must not.

A processor is one of those that `qemu-x86_64 -cpu help` lists; "" is the one that is here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulated import emulate
from support import REPOSITORY

from harness.evidence.trail import read_trail
from harness.run.closure import Closure
from harness.run.environment import NUMERICS, step_environment
from harness.run.executing.execute import StepTask, lay_inputs
from harness.steps import Step
from harness.store.store import Store

SECONDS = 900  # of one processor
AGAIN = REPOSITORY / "tests" / "processors" / "again.py"


@dataclass(frozen=True)
class MadeStep:
    """A step that a run made: what it was made of, and the digests of what came out."""

    name: str
    kind: str
    params: Mapping[str, object]
    inputs: Mapping[str, str | list[str]]
    outputs: Mapping[str, str]


def steps_of(store: Path, run: str, wanted: Iterable[str]) -> list[MadeStep]:
    """Give the first step of a run whose name begins with each of the words."""
    trail, found = read_trail(Store(store), run), []
    for word in wanted:
        step = next((step for name, step in trail.steps.items() if name.startswith(word)), None)
        assert step, f"no step begins with {word}: {list(trail.steps)}"
        parts, made = step.entry.preimage, step.entry.outputs
        digests = {name: output.sha256 for name, output in made.items()}
        found.append(MadeStep(step.name, str(parts["kind"]), parts["params"], parts["inputs"], digests))
    return found


def make_again(store: Path, steps: Sequence[MadeStep], folder: Path, processor: str = "") -> dict[str, Any]:
    """Make steps again on a processor, all in one process; give by name the digests of outputs, or how one failed."""
    for number, step in enumerate(steps):
        own = folder / str(number)
        for name in ("in", "out", "tmp"):
            (own / name).mkdir(parents=True)
        task = StepTask(Step(step.name, step.kind, "", step.params, {}, tuple(step.outputs)), step.inputs, Closure({}))
        lay_inputs(task, Store(store), own / "in", linked=False)
    told = [{**vars(step), "inputs": list(step.inputs), "outputs": list(step.outputs)} for step in steps]
    (folder / "steps.json").write_text(json.dumps(told))
    (folder / "tmp").mkdir()
    command = [*(emulate(processor) if processor else ()), sys.executable, "-s", "-P", str(AGAIN), str(folder)]
    done = subprocess.run(
        command, env=step_environment(folder, NUMERICS), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(lines) != len(steps):
        raise AssertionError(f"exit {done.returncode} after {len(lines)} of {len(steps)} steps\n{done.stderr[-3000:]}")
    print(processor or "here", {line["step"]: line["seconds"] for line in lines})
    return {line["step"]: line.get("outputs", line.get("failed")) for line in lines}
