"""The entry point of a process that is kept: it loads a model once, and executes steps one by one, each in a fork.

A step's module names in `WARM` what loads the model. Each step begins from the memory as it was after that, as a step
in a process of its own does, so nothing that a step leaves in memory reaches the next; its processes end with it, and
its files in memory are removed. The harness lays each step into the same private folder, says over one pipe that it
lies there, and hears over another that it was executed. A step that fails ends this process in the way that the step
ended. No key names this file.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import marshal
import os
import re
import resource
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

COLLECT_EVERY = 100_000  # as `run/step.py` has it
SET_DUMPABLE, SET_SUBREAPER = 4, 36  # arguments of prctl
SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - the isolation's own
THREADS_END = 2.0  # seconds: a library's pool that is shut down without waiting for it, on a busy machine
_OCTAL = re.compile(r"\\([0-7]{3})")  # how a blank in a mount point is spelled


def main(site: str, folder: Path, go: int, done: int) -> None:
    """Execute steps in forks until `go` is closed; return in a fork after its step, whose files are in `folder/out`.

    A process that cannot be forked, because loading left threads in it, executes the first step itself and returns.
    """
    gc.set_threshold(COLLECT_EVERY)
    sys.path.insert(0, str(folder / "code"))
    sys.path.append(site)  # after the standard library: no package may stand in for a part of it
    from harness.run import step  # noqa: PLC0415 - it is in `code/`, which is on the path only now

    if (folder / step.COMPILED).exists():
        made = marshal.loads((folder / step.COMPILED).read_bytes())  # noqa: S302 - by whoever laid the code beside it
        step._use(made, str(folder / "code"))
    if keyed := os.environ.get("HARNESS_PROCESSOR"):
        step._require_processor(keyed)
    call, task = ctypes.CDLL(None, use_errno=True).prctl, _task(folder)
    module = importlib.import_module(task["kind"].partition(":")[0])
    if load := getattr(module, "WARM", None):
        try:
            load(task["params"], step._inputs(task["inputs"], folder / "in"))
        except Exception:
            sys.stderr.write("the model could not be loaded ahead; the step tries again\n")
    call(SET_DUMPABLE, 0, 0, 0, 0)  # no step may look into this process, nor write to it
    call(SET_SUBREAPER, 1, 0, 0, 0)
    gc.freeze()
    _serve(go, done)
    call(SET_DUMPABLE, 1, 0, 0, 0)
    task = _task(folder)
    function = getattr(module, task["kind"].partition(":")[2])
    function(task["params"], step._inputs(task["inputs"], folder / "in"), folder / "out")
    if strangers := step.outside_modules(folder / "code"):
        raise SystemExit(f"loaded from outside the step's own code: {', '.join(strangers)}")


def _task(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "step.json").read_bytes())
    return found


def _serve(go: int, done: int) -> None:
    """Fork for each step that is announced, and say when it was executed; return in the fork.

    Also returns in this process if it has more threads than one, which no fork would have.
    """
    spent, mounts = 0, _mounts()
    while os.read(go, 1):
        if not _one_thread_left():
            return
        child = os.fork()
        if not child:
            os.close(go)
            os.close(done)
            return
        _, status, used = os.wait4(child, 0)
        _end_others()
        if code := os.waitstatus_to_exitcode(status):
            _end_as(code)
        now = _milliseconds(resource.RUSAGE_SELF) + _milliseconds(resource.RUSAGE_CHILDREN)
        if not all(_emptied(Path(place), mounts) for place in SCRATCH):
            os._exit(0)  # the step was executed, and the next begins in a new process
        os.write(done, b"%d %d\n" % (now - spent, used.ru_maxrss))
        spent = now
    os._exit(0)


def _one_thread_left() -> bool:
    """Whether this process has one thread, once those had time to end that loading has asked to end."""
    until = time.monotonic() + THREADS_END
    while len(os.listdir("/proc/self/task")) > 1:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def _milliseconds(who: int) -> int:
    """Return the time of a processor that this process has used, or those that it waited for."""
    used = resource.getrusage(who)
    return round(1000 * (used.ru_utime + used.ru_stime))


def _end_others() -> None:
    """Kill every process that a step left, all in this namespace but its first and this one, and wait for their end."""
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.wait()
    except (ProcessLookupError, ChildProcessError):
        return


def _end_as(code: int) -> None:
    """End this process in the way that a step ended: by the same signal, or with the same code."""
    if code < 0:
        if code != -signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _mounts() -> frozenset[Path]:
    """Return the places where something is mounted, as the kernel spells them."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return frozenset(Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split()[4])) for line in lines)


def _emptied(place: Path, mounts: frozenset[Path]) -> bool:
    """Remove all that lies in a folder but what is mounted there, such as a step's own; False if anything stays."""
    for one in place.iterdir():
        above = any(one in (mount, *mount.parents) for mount in mounts)
        if above and one not in mounts:
            if not _emptied(one, mounts):
                return False
        elif not above and one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
            if one.exists():
                return False
        elif not above:
            one.unlink(missing_ok=True)
    return True


if __name__ == "__main__":
    if os.readlink("/proc/self/ns/pid") == sys.argv[4]:  # what ends a step's leftovers would end everybody's there
        sys.exit("a process is kept in a namespace of processes of its own alone")
    try:
        main(sys.argv[1], Path.cwd(), int(sys.argv[2]), int(sys.argv[3]))
    except Exception as bad:
        import traceback  # only a step that failed pays for it

        traceback.print_exc()
        what = f"{type(bad).__name__}: {' '.join(str(bad).split())}"
        sys.exit(what[:2000])  # the last line is what a person is shown
