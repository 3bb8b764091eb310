"""Trials: untrusted code, such as a model wrote, run as separate jobs; a crash or timeout is an outcome, not an error.

This module defines a program, the limits and the outcome of a trial, and the table of results. These are plain values;
the engine that runs a trial is elsewhere.
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
SCRIPT = "code/trial_entry.py"  # in a trial's folder: the script that runs the program
PROGRAMS, TRIALS = "programs", "trials"  # input and output of a trial step
MOST_PROGRAM = 8 << 20  # bytes of a program, and of its stdin
LAST_WORDS = 4000  # characters kept from the end of stderr, which says what went wrong


@dataclass(frozen=True)
class TrialLimits:
    """Resource limits of one trial; part of the key, because another limit can give another outcome."""

    seconds: int = 10  # of wall time, including the start
    cpu_seconds: int = 10  # of each process
    memory: int = 512 << 20  # bytes
    output: int = 1 << 20  # bytes of everything that it writes

    def __post_init__(self) -> None:
        """Raise InputError for limits that are not positive integers."""
        odd = [name for name, value in self.as_params().items() if type(value) is not int or value < 1]
        if odd:
            raise InputError(f"a trial's limit `{odd[0]}` is no count from 1 up", where="trial")

    def as_params(self) -> dict[str, int]:
        """Return the limits as parameters of a step."""
        return {
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "memory": self.memory,
            "output": self.output,
        }


@dataclass(frozen=True)
class TrialEnd:
    """How a trial ended, as the engine reports it: exit code, signal, exceeded limits, output."""

    exit: int
    signal: int
    timed_out: bool
    oom: bool
    over: bool  # it wrote more than its limit
    stdout: bytes
    stderr: bytes


def read_programs(path: Path) -> Iterator[Program]:
    """Yield the programs of a table, each with its Python text and its stdin; InputError if one is over 8 MiB."""
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


def trial_identity(program: Program, limits: TrialLimits) -> dict[str, Any]:
    """Return, as a JSON object, what decides a trial's outcome apart from the machine; equal programs are run once."""
    return {
        "program": sha256(_bytes(program["program"])),
        "stdin": sha256(_bytes(program.get("stdin", ""))),
        "limits": limits.as_params(),
    }


def trial_files(program: Program, limits: TrialLimits) -> dict[str, bytes]:
    """Return the files of a trial's folder by path: the program, its stdin, the entry script and its settings."""
    return {
        "in/program.py": _bytes(program["program"]),
        "in/stdin": _bytes(program.get("stdin", "")),
        "trial.json": b'{"cpu_seconds":%d}' % limits.cpu_seconds,
        SCRIPT: Path(trial_entry.__file__).read_bytes(),
    }


def classify_outcome(ended: TrialEnd) -> Tried:
    """Classify how a trial ended (`done`, `failed`, `killed`, `time` …) and what it printed."""
    said: Tried = {"outcome": _outcome(ended), "stdout": _text(ended.stdout)}
    if said["outcome"] == FAILED:
        said["exit"] = ended.exit
    if said["outcome"] == KILLED:
        said["signal"] = ended.signal
    words = _text(ended.stderr)[-LAST_WORDS:]
    if words and said["outcome"] != OUTPUT:  # how much of stderr there is depends on when the program was stopped
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
    """Step that writes `trials`: for each answer with a program, how the program's run ended.

    The runner itself executes a step of this kind, and passes `tried`, which returns the result of a program.
    """

    def told() -> Iterator[Trial]:
        for program in read_programs(inputs[PROGRAMS]):
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
    """Encode a text that a model wrote; lone surrogates become question marks."""
    return text.encode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
