"""What it costs to try many small programs: a thousand of them on each engine, and one beside a bare bubblewrap."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from bench.containers import sandboxed
from bench.costs import FULL, Size
from bench.measure import Failed, ratio
from bench.table import Row

from harness import trial
from harness.digest import canonical_json, sha256
from harness.engines.engine import Engine
from harness.engines.local import LocalEngine
from harness.errors import MissingError
from harness.evidence.trail import ExecutionIndex
from harness.run.closure import Code
from harness.run.environment import NUMERICS
from harness.run.executing.execute import StepTask
from harness.run.executing.trials import Trials
from harness.steps import JUDGED, Pinned, Step
from harness.store.journal import Preimage
from harness.store.store import Store

KIND = "harness.trial:table"
MANY, JOBS = 1_000, 2
BARE = (
    "bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc",
    "--dev", "/dev", "--tmpfs", "/tmp", sys.executable, "-s", "-S", "-P", "-B", "-c",
)  # fmt: skip


def trial_rows(work: Path, size: Size) -> list[Row]:
    """Try programs that print a number each; an engine that is not here is left out, and a word says so."""
    many = MANY if size is FULL else MANY // 20
    rows = []
    for name, engine, most in (("bubblewrap", _local(), 60), ("containers", _docker(), 200)):
        if engine is None:
            sys.stderr.write(f"trials in {name} are left out: no such engine here\n")
            continue
        wall, cpu = _tried(work / name, engine, many)
        rows.append(
            Row("trials", f"wall of {MANY:,} programs in {name}, {JOBS} at once", (wall * MANY / many,), most, "s")
        )
        if name == "bubblewrap":
            bare = _bare(many)
            rows.append(Row("trials", "CPU of a trial against Python in a bare `bwrap`", (ratio(cpu, bare),)))
    return rows


def _local() -> Engine | None:
    try:
        return LocalEngine("bubblewrap")
    except MissingError:
        return None


def _docker() -> Engine | None:
    try:
        return sandboxed()
    except MissingError:
        return None


def _tried(work: Path, engine: Engine, many: int) -> tuple[float, float]:
    """Give the wall and the CPU of so many different programs, the store and the isolation included."""
    store = Store.make(work)
    trials = Trials(store, ExecutionIndex(store), threading.Event())
    trials.at_once(JOBS)
    programs = (
        {"item": f"i-{n:05d}", "template": 1, "model": "m", "sample": 0, "program": f"print({n})"} for n in range(many)
    )
    digest = store.blobs.put(b"".join(canonical_json(row) + b"\n" for row in programs))
    params = {"trial": "t", "limits": trial.TrialLimits().as_params()}
    step = Step("t", KIND, JUDGED, params, {"programs": Pinned(digest)}, ("trials",), trial=True)
    parts: Preimage = {"environment": sha256(b""), "numerics": NUMERICS, "code": sha256(b"code")}
    begun, cpu = time.perf_counter(), _cpu()
    with store.folder("step") as folder:
        _, counts = trials.make(StepTask(step, {"programs": digest}, Code().closure(KIND)), parts, engine, folder)
    if counts["outcomes"] != {"done": many}:
        raise Failed(f"programs that print a number ended so: {counts['outcomes']}")
    return time.perf_counter() - begun, _cpu() - cpu


def _bare(many: int) -> float:
    """Give the CPU of the same programs, each in a bare bubblewrap, and nothing kept."""
    begun = _cpu()
    for number in range(many):
        _said([*BARE, f"print({number})"])
    return _cpu() - begun


def _said(words: Sequence[str]) -> None:
    done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise Failed(f"`bwrap` exited {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-500:]}")


def _cpu() -> float:
    """Give the CPU that this process and its children have used so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
