"""Batch execution for an audit: several steps of the same code in one process, which pays start and imports once.

What one step leaves in that process can reach the next, and each can overwrite what the one before made. So an output
with the recorded digest confirms a step, and any other output proves nothing: that step must be executed alone.
A false confirmation is no likelier than alone: what runs is the installed code, which reads the rows of a run and
never executes them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from harness.digest import canonical, sha256_file
from harness.engines.engine import Job
from harness.errors import StepError
from harness.files import translating_os_errors
from harness.run.closure import code_root
from harness.run.environment import step_environment
from harness.run.execute import (
    READABLE,
    StepRuntime,
    StepTask,
    check_outputs,
    lay_code,
    lay_inputs,
    make_folders,
    step_description,
)
from harness.store.store import Store

SCRIPT = "harness/run/step_batch.py"


def execute_batch(
    tasks: Sequence[StepTask], store: Store, runtime: StepRuntime, folder: Path
) -> dict[str, dict[str, str]]:
    """Execute steps of one closure in one process, in `folder`; return the output digests of those that succeeded.

    None are returned where the process ran out of memory or disk. Nothing is put into the store.
    """
    engine = runtime.engine
    _prepare(tasks, store, folder, linked=engine.seals_inputs)
    env = step_environment(engine.inside(folder), runtime.numerics)
    job = Job(engine.command(f"code/{SCRIPT}"), folder, env, runtime.limits)
    outcome = engine.run(job, runtime.on_log, runtime.cancel)
    if outcome.oom or outcome.over:
        return {}  # memory and disk are shared: which of them took too much, nobody can tell
    digests = ((task.step.name, _digests(task, folder / "out" / str(number))) for number, task in enumerate(tasks))
    return {name: outputs for name, outputs in digests if outputs}


def _prepare(tasks: Sequence[StepTask], store: Store, folder: Path, *, linked: bool) -> None:
    with translating_os_errors(folder):
        make_folders(folder)
        (folder / "steps.json").write_bytes(canonical([step_description(task) for task in tasks]))
        (folder / "steps.json").chmod(READABLE)
        lay_code(tasks[0], store, folder, linked=linked)
        shutil.copyfile(code_root() / SCRIPT, folder / "code" / SCRIPT)
        (folder / "code" / SCRIPT).chmod(READABLE)
        for number, task in enumerate(tasks):
            lay_inputs(task, store, folder / "in" / str(number), linked=linked)


def _digests(task: StepTask, out: Path) -> dict[str, str]:
    """Name what a step made; nothing where it came to no good end, or left anything but plain files of its own."""
    try:
        check_outputs(task.step, out)
        return {name: sha256_file(out / name)[0] for name in task.step.outputs}
    except (StepError, OSError):
        return {}  # it is made again alone, which says what is wrong
