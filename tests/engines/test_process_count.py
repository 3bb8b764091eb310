"""A step has so many processes and no more, on every engine; the user's other ones are never counted as its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.engines.engine import Outcome
from harness.engines.isolation import counts_per_step
from harness.engines.local import available_isolations
from harness.engines.monitor import count_threads

CLOSED = [name for name in available_isolations() if name != "process"]
FORKS = """
    import signal, time
    made = 0
    try:
        while made < 600:
            if not os.fork():
                signal.pause()
            made += 1
    except OSError as bad:
        print(type(bad).__name__, made, flush=True)
    else:
        print("all", made, flush=True)
        {then}
"""
KNOWS = pytest.mark.skipif(not counts_per_step(), reason="this kernel counts no step's processes apart")


@pytest.fixture
def others() -> Iterator[None]:
    """Let the user have 300 processes beside the step."""
    code = "import os, signal, sys\nfor _ in range(299):\n    if not os.fork(): break\n" \
           "else: print('ready', flush=True)\nsignal.pause()"  # fmt: skip
    beside = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, process_group=0)
    assert beside.stdout and beside.stdout.readline() == b"ready\n"
    yield
    os.killpg(beside.pid, signal.SIGKILL)
    beside.wait()
    beside.stdout.close()


def stopped(outcome: Outcome) -> int:
    word, made = outcome.log.split()[:2]
    assert word == b"BlockingIOError", outcome.log
    return int(made)


@KNOWS
@pytest.mark.parametrize("isolation", CLOSED)
def test_the_kernel_refuses_a_steps_257th_process(run: Callable[..., Outcome], isolation: str, others: None) -> None:
    assert 250 <= stopped(run(isolation, FORKS.format(then=""))) <= 256


def test_the_engine_refuses_a_containers_257th_process(step: Callable[..., Outcome]) -> None:
    assert 250 <= stopped(step(FORKS.format(then=""))) <= 256


def test_a_bare_step_with_more_processes_is_ended_and_told(run: Callable[..., Outcome], folder: Path) -> None:
    """It is seen at a look from outside, ten times a second at most, so that it may have more for a moment."""
    outcome = run("process", FORKS.format(then="time.sleep(60)"))
    assert (outcome.exit, outcome.fine) == (1, False)
    assert outcome.log.endswith(b"more than 256 processes at once, which is all that a step may have\n")
    assert outcome.usage["wall_ms"] < 20_000


@pytest.mark.parametrize("isolation", available_isolations())
def test_a_user_with_many_other_processes_runs_steps(run: Callable[..., Outcome], isolation: str, others: None) -> None:
    code = """
        import signal
        children = []
        for _ in range(50):
            children.append(os.fork())
            if not children[-1]:
                signal.pause()
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
    """
    assert run(isolation, code).fine


def test_the_count_includes_threads_descendants_and_the_session() -> None:
    code = """
import os, signal, threading
if not os.fork():
    if not os.fork():
        os.setpgid(0, 0)  # of another group, and soon nobody's child
        signal.pause()
    os._exit(0)
os.wait()
if not os.fork():
    os.setsid()  # of another session, but below
    signal.pause()
threading.Thread(target=lambda: (print("ready", flush=True), threading.Event().wait()), daemon=True).start()
signal.pause()
"""
    beside = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert beside.stdout and beside.stdout.readline() == b"ready\n"
    try:
        assert count_threads(beside.pid) == 4
    finally:
        for pid in children_of(beside.pid):
            os.kill(pid, signal.SIGKILL)
        beside.wait()
        beside.stdout.close()


def children_of(first: int) -> list[int]:
    """Give a process with all in its session and all below, as the kernel lists them."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            _, parent, _, session = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            if first in (int(path.name), int(parent), int(session)):
                found.append(int(path.name))
    return found
