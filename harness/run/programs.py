"""One foreign program run on an engine, in a private folder of its own: what a trial is, and what `score` runs.

It must never know what a program is for, nor show it any answer.
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from harness import trial
from harness.engines.engine import Engine, EngineOptions, Job, Kind, Limits, LoadableImage, Outcome
from harness.errors import HarnessError, Interrupted, MissingError
from harness.files import open_plain, remove_tree, translating_os_errors
from harness.rowtypes import Program, Tried
from harness.run.engines import ENGINES
from harness.run.environment import step_environment
from harness.run.execute import READABLE, make_folders
from harness.run.preconditions import require_containment

BLOCKS = 64 << 10  # bytes of a file's name and first block that the count of a disk may add


def run_program(
    engine: Engine, program: Program, limits: trial.TrialLimits, folder: Path, cancel: threading.Event
) -> Tried:
    """Run one program in an empty private folder, and give how it ended; Interrupted if `cancel` is set meanwhile."""
    _lay(program, limits, folder)
    env = step_environment(engine.inside(folder))
    allowed = Limits(limits.seconds, limits.memory, limits.output + BLOCKS, files=1000, processes=64, cpus=1.0)
    job = Job(engine.command(trial.SCRIPT), folder, env, allowed)
    outcome = engine.run(job, lambda _: None, cancel)
    if outcome.cancelled:
        raise Interrupted("the run was stopped", where="a trial", next="run again: what was finished is kept")
    return trial.outcome(_ended(outcome, folder, limits, str(engine.inside(folder))))


class ProgramRunner:
    """Runs single programs in this machine's best isolation, outside of any run; it is looked for on first use."""

    def __init__(self) -> None:
        self._engine: Engine | None = None

    def run(self, program: Program, limits: trial.TrialLimits) -> Tried:
        """Run a program in a folder that is deleted afterwards; MissingError where nothing here would contain it."""
        if self._engine is None:
            kind: Kind = ENGINES.find("local")
            engine = kind.open(EngineOptions("", 0, _no_image))
            require_containment(engine, "a program in a row")
            self._engine = engine
        folder = Path(tempfile.mkdtemp(prefix="program-"))
        try:
            return run_program(self._engine, program, limits, folder, threading.Event())
        finally:
            remove_tree(folder)


def _no_image() -> LoadableImage:
    raise MissingError("a program in a row runs in no image", where="score")


def _lay(program: Program, limits: trial.TrialLimits, folder: Path) -> None:
    """Lay out what a program may see: itself, what it reads, and its entry point."""
    with translating_os_errors(folder):
        make_folders(folder)
        for name, data in trial.files(program, limits).items():
            path = folder / name
            path.write_bytes(data)
            path.chmod(READABLE)


def _ended(outcome: Outcome, folder: Path, limits: trial.TrialLimits, place: str) -> trial.TrialEnd:
    """Say how a program ended, and what it printed; what is no plain file there is not read."""
    said = [_printed(folder / "out" / name, limits.output, place) for name in ("stdout", "stderr")]
    over = bool(outcome.over) or sum(map(len, said)) > limits.output
    return trial.TrialEnd(
        outcome.exit, outcome.signal, outcome.timed_out, outcome.oom, over,
        said[0][: limits.output], said[1] or outcome.log,
    )  # fmt: skip


def _printed(path: Path, most: int, place: str) -> bytes:
    """Read a stream that a program wrote: no link, no pipe, and without the name of its private folder."""
    try:
        with open_plain(path) as stream:
            return stream.read(most + 1).replace(place.encode(), b"")
    except (HarnessError, OSError):
        return b""
