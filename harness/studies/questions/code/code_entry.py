"""Tries the code of an answer inside a trial: runs it, makes the calls of its tests, and tells what each gave.

It imports the standard library alone; its text, with a last line that calls `main`, is the program of a trial
(`programs.py`), and the engine's walls are what contains it. What it needs comes by stdin, and what the code prints
goes nowhere, so that the one line on the real output is this script's. What a call must give is not here: code that
looks for it finds nothing.
"""

from __future__ import annotations

import json
import os
import sys
from numbers import Integral, Real
from typing import Any

LONGEST = 100_000  # characters of a value that is told


def main() -> None:
    """Run what stdin says, and end the process behind one line of JSON: {"values": […]}, {"passed": mark} or neither.

    A value that cannot be had is an error's name instead: {"raised": what}.
    """
    told = json.loads(sys.stdin.buffer.read())
    process, out = os.getpid(), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 0)
    mark, said, names = told["mark"], dict[str, Any](), {"__name__": "answer"}
    try:
        exec(compile(told["code"], "answer.py", "exec", dont_inherit=True), names)  # noqa: S102 - in a trial
        exec(compile(told["setup"], "setup.py", "exec", dont_inherit=True), names)  # noqa: S102 - in a trial
        if told["rest"]:
            exec(compile(told["rest"], "tests.py", "exec", dont_inherit=True), names)  # noqa: S102 - in a trial
            said["passed"] = mark
        else:
            said["values"] = [_called(call, names) for call in told["calls"]]
    except BaseException as bad:  # whatever foreign code raises is its outcome
        said = {"raised": f"{type(bad).__name__}: {bad}"[:200]}
    if os.getpid() != process:  # a child that the code forked
        os._exit(0)
    line = json.dumps(said).encode("ascii") + b"\n"
    while line:
        line = line[os.write(out, line) :]
    os._exit(0)


def _called(call: str, names: dict[str, Any]) -> Any:
    try:
        text = spelled(eval(compile(call, "call.py", "eval", dont_inherit=True), names))  # noqa: S307 - in a trial
        return text if len(text) <= LONGEST else {"raised": "a value too large to be told"}
    except BaseException as bad:  # the next call may give a value all the same
        return {"raised": f"{type(bad).__name__}: {bad}"[:200]}


def spelled(value: Any) -> str:
    """Spell a value so that two are spelled alike where Python says that they are equal; an object is its type."""
    if value is None or isinstance(value, str | bytes | complex):
        return repr(value)
    if isinstance(value, Integral | Real):
        return _number(value)
    if isinstance(value, list | tuple | set | frozenset | dict):
        return _collection(value)
    return spelled(value.tolist()) if hasattr(value, "tolist") else f"<{type(value).__name__}>"


def _number(value: Any) -> str:
    if isinstance(value, Integral):
        return str(int(value))
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _collection(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{spelled(key)}:{spelled(one)}" for key, one in value.items())) + "}"
    if isinstance(value, set | frozenset):
        return "set{" + ",".join(sorted(map(spelled, value))) + "}"
    inside = ",".join(map(spelled, value))
    return f"[{inside}]" if isinstance(value, list) else f"({inside},)"
