"""A process that has imported the command line already: what it is told to run runs in a fork of it.

A fork is a process of its own, with arguments, environment, folder and umask of its own: it can be killed, and it ends
as the command line ends. Only the start of an interpreter and the imports are saved, which is most of a short verb.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

SPOKEN = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")  # variables that only the start of a process hears


class Warm:
    """The one that asks: one command at a time, its words kept in files."""

    def __init__(self, env: Mapping[str, str], within: Sequence[str] = ()) -> None:
        """Start it, behind the words that put it somewhere else: where a disk of a test is mounted."""
        self._heard = _heard(env)
        self._folder = tempfile.TemporaryDirectory(prefix="harness-warm-")
        self._pid = 0
        self._server = subprocess.Popen(
            [*within, sys.executable, "-P", str(Path(__file__).resolve())],
            env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self.close)

    def fits(self, env: Mapping[str, str]) -> bool:
        """Whether a command with such an environment may run here: it is free, and a start would be the same."""
        return not self._pid and _heard(env) == self._heard

    def start(self, words: Sequence[str], cwd: Path, env: Mapping[str, str], before: str = "") -> int:
        """Begin a command and give its process; `before` is a program that runs in it first."""
        task = {
            "words": list(words), "cwd": str(cwd), "env": dict(env), "umask": _umask(), "before": before,
            "out": f"{self._folder.name}/out", "err": f"{self._folder.name}/err",
        }  # fmt: skip
        assert self._server.stdin
        self._server.stdin.write(json.dumps(task).encode() + b"\n")
        self._server.stdin.flush()
        self._pid = int(self._line())
        return self._pid

    def wait(self, seconds: float) -> int | None:
        """Give the exit status of the command, or None where it has not ended by then."""
        assert self._server.stdout
        if not select.select([self._server.stdout], [], [], seconds)[0]:
            return None
        status = int(self._line())
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def kill(self) -> int:
        """End the command as a power cut would, and give its status: it may have ended just before."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        status = self.wait(60)
        assert status is not None
        return status

    def said(self) -> tuple[bytes, bytes]:
        """Give what the last command wrote on stdout and stderr."""
        return Path(self._folder.name, "out").read_bytes(), Path(self._folder.name, "err").read_bytes()

    def run(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float
    ) -> subprocess.CompletedProcess[Any]:
        """Run a command to its end."""
        self.start(words, cwd, env)
        status = self.wait(seconds)
        if status is None:
            self.kill()
            raise subprocess.TimeoutExpired(list(words), seconds, *self.said())
        return subprocess.CompletedProcess(list(words), status, *self.said())

    def close(self) -> None:
        """Let it go; it ends when its stdin does, also where nobody says so."""
        atexit.unregister(self.close)
        assert self._server.stdin and self._server.stdout
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()
        self._folder.cleanup()

    def _line(self) -> bytes:
        assert self._server.stdout
        line = bytearray()  # read byte by byte, so that nothing waits in a buffer that select does not see
        while not line.endswith(b"\n"):
            byte = os.read(self._server.stdout.fileno(), 1)
            assert byte, "the warm process has ended"
            line += byte
        return bytes(line)


def _heard(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(SPOKEN)}


def _umask() -> int:
    return int(Path("/proc/self/status").read_text().partition("Umask:")[2].split()[0], 8)


def serve() -> NoReturn:
    """Fork for every command; each child goes on in `become`."""
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)

    from harness import verbs
    from harness.cli import entry
    from harness.cli.main import GROUPS, VERBS, build_command
    from harness.errors import HarnessError
    from harness.manifest.schema import Resources
    from harness.run.engines import EngineChoice, engine_kinds, open_engine
    from harness.run.installed import checked
    from harness.run.receipt import probed_containment
    from harness.store.store import Store
    from harness.studies.registry import studies

    import_module("numpy.random"), [study.scorers for study in studies()]
    studies(), engine_kinds(), [getattr(verbs, name) for name in dir(verbs)]
    [build_command(word) for word in {*GROUPS, *(verb.split()[0] for verb in VERBS)}]
    for module in (entry, verbs.accepting, verbs.review):  # a verdict is given here: who may give one is held apart
        vars(module)["is_clean"] = lambda: True
    checked._LOOKS[True] = checked.check_once()  # as setup has read it: what is installed here no test alters
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(HarnessError):
        here = Path(folder)  # and what the usual isolation keeps from a step no test changes
        engine = open_engine(EngineChoice(images=here), here, "cpu", Resources())
        probed_containment(Store.make(here / "store"), engine, threading.Event())
    gc.collect()
    gc.freeze()
    for line in asked:
        child = os.fork()
        if not child:
            become(json.loads(line), asked, answers)
        print(child, file=answers, flush=True)
        print(os.waitpid(child, 0)[1], file=answers, flush=True)
    sys.exit()


def become(task: Mapping[str, Any], asked: IO[str], answers: IO[str]) -> NoReturn:
    """Be the command: in its folder, with its environment and its words; only the modules are the server's."""
    for one in (asked, answers):
        one.close()
    os.umask(task["umask"])
    os.chdir(task["cwd"])
    os.environ.clear()
    os.environ.update(task["env"])
    time.tzset()
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(task[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.path.insert(0, task["cwd"])
    sys.argv = ["harness", *task["words"]]
    exec(task["before"], {})
    from harness.cli.main import main

    main(task["words"])


if __name__ == "__main__":
    serve()
