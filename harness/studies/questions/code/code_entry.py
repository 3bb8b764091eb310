"""Script that runs the code of an answer inside a trial, makes the calls of its tests and reports their results.

Imports the standard library only. The text of this file, followed by a line that calls `main`, is the program of a
trial (`programs.py`). The engine's isolation contains it. Its input comes on stdin. Output of the tested code is
discarded, so the only line on the real stdout is this script's. The expected results of the calls are not passed in, so
tested code cannot look them up.
"""

from __future__ import annotations

import json
import os
import sys
from numbers import Integral, Real
from typing import Any

LONGEST = 100_000  # characters of a value that is reported


def main() -> None:
    """Run the Python code given on stdin, print its result as one line of JSON and end the process.

    The line is `{"values": […]}`, `{"passed": mark}` or `{"raised": error}`. A call that fails has `{"raised": error}`
    in the place of its value.
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
    except BaseException as bad:  # anything that the tested code raises is its result
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
    except BaseException as bad:  # the next call may still return a value
        return {"raised": f"{type(bad).__name__}: {bad}"[:200]}


def spelled(value: Any) -> str:
    """Return one text for all values that Python considers equal; other objects become their type's name."""
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
