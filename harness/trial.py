"""Trials: untrusted code, such as a model wrote, run as jobs of their own; a crash or timeout is an outcome, no error.

Here is what a program is, what a trial may use, what its outcome says, and the table that comes of it: plain values,
without a place to run in. It must never know an engine, a store, a study or what a program is for.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import rows, trial_entry
from harness.digest import sha256
from harness.errors import InputError
from harness.rowtypes import Program, Trial, Tried

# How a trial can end: `done` (exit 0), `failed` (another exit code), `killed` (a signal), or it went past a limit.
DONE, FAILED, KILLED, TIME, CPU, MEMORY, OUTPUT = "done", "failed", "killed", "time", "cpu", "memory", "output"
OUTCOMES = (DONE, FAILED, KILLED, TIME, CPU, MEMORY, OUTPUT)
SCRIPT = "code/trial_entry.py"  # in a trial's folder: what leads its streams to files, and runs it
PROGRAMS, TRIALS = "programs", "trials"  # what a trial step reads, and what it makes
MOST_PROGRAM = 8 << 20  # bytes of a program, and of what it reads
LAST_WORDS = 4000  # characters of stderr that are kept: the end of it says what went wrong


@dataclass(frozen=True)
class TrialLimits:
    """Resource limits of one trial; part of the key, since another limit can give another outcome."""

    seconds: int = 10  # of wall time, its start included
    cpu_seconds: int = 10  # of each process
    memory: int = 512 << 20  # bytes
    output: int = 1 << 20  # bytes of all that it writes

    def __post_init__(self) -> None:
        """Refuse limits that are not positive."""
        odd = [name for name, value in self.as_params().items() if type(value) is not int or value < 1]
        if odd:
            raise InputError(f"a trial's limit `{odd[0]}` is no count from 1 up", where="trial")

    def as_params(self) -> dict[str, int]:
        """Encode the limits as parameters of a step."""
        return {
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "memory": self.memory,
            "output": self.output,
        }


@dataclass(frozen=True)
class TrialEnd:
    """Raw end of a trial as the engine reports it: exit, signal, limits that were hit, output."""

    exit: int
    signal: int
    timed_out: bool
    oom: bool
    over: bool  # it wrote more than it may
    stdout: bytes
    stderr: bytes


def programs(path: Path) -> Iterator[Program]:
    """Read the programs of a table, each with its Python text and its stdin; InputError where one is over 8 MiB."""
    for row in rows.read(path, Program):
        for name in ("program", "stdin"):
            text: Any = row.get(name, "")
            if not isinstance(text, str):
                raise InputError(f"the program for item {row.get('item')!r} has no text in `{name}`", where=PROGRAMS)
            if len(_bytes(text)) > MOST_PROGRAM:
                raise InputError(
                    f"`{name}` for item {row['item']!r} is larger than {MOST_PROGRAM >> 20} MiB", where=PROGRAMS
                )
        yield row


def identity(program: Program, limits: TrialLimits) -> dict[str, Any]:
    """Give as a JSON object what decides a trial's outcome besides where it runs: equal programs are run once."""
    return {
        "program": sha256(_bytes(program["program"])),
        "stdin": sha256(_bytes(program.get("stdin", ""))),
        "limits": limits.as_params(),
    }


def files(program: Program, limits: TrialLimits) -> dict[str, bytes]:
    """Give the files of a trial's folder by path: the program, its stdin, its entry point and that one's settings."""
    return {
        "in/program.py": _bytes(program["program"]),
        "in/stdin": _bytes(program.get("stdin", "")),
        "trial.json": b'{"cpu_seconds":%d}' % limits.cpu_seconds,
        SCRIPT: Path(trial_entry.__file__).read_bytes(),
    }


def outcome(ended: TrialEnd) -> Tried:
    """Classify how a trial ended (`done`, `failed`, `killed`, `time` …) and what it printed."""
    said: Tried = {"outcome": _outcome(ended), "stdout": _text(ended.stdout)}
    if said["outcome"] == FAILED:
        said["exit"] = ended.exit
    if said["outcome"] == KILLED:
        said["signal"] = ended.signal
    words = _text(ended.stderr)[-LAST_WORDS:]
    if words and said["outcome"] != OUTPUT:  # whether it still says why depends on how soon it is ended
        said["stderr"] = words
    return said


def _outcome(ended: TrialEnd) -> str:
    if ended.timed_out:
        return TIME
    if ended.over:
        return OUTPUT
    if ended.oom or (ended.exit and b"MemoryError" in ended.stderr[-LAST_WORDS:]):
        return MEMORY
    if ended.signal:
        return CPU if ended.signal == signal.SIGXCPU else KILLED
    return FAILED if ended.exit else DONE


def table(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path, tried: Callable[[Program], Tried]) -> None:
    """Step that writes `trials`: for each answer with a program, in the order of the programs, how it ended.

    The runner itself computes a step of this kind, and calls it with `tried`, which gives what came of each program.
    """

    def told() -> Iterator[Trial]:
        for program in programs(inputs[PROGRAMS]):
            yield {
                "item": program["item"],
                "template": program["template"],
                "model": program["model"],
                "sample": program["sample"],
                "trial": str(params["trial"]),
                "program": sha256(_bytes(program["program"])),
                **tried(program),
            }

    rows.write(out / TRIALS, told())


def _bytes(text: str) -> bytes:
    """Encode a text that a model wrote, whatever is in it: lone surrogates become question marks."""
    return text.encode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
