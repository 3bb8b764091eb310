"""Runs the program of an answer inside a trial: calls its function with a PDB text, and tells what came of it.

It imports the standard library alone, and nobody calls it here: its text, with a last line that calls `main`, is the
program of a trial (`pdb_programs.py`), and the engine's walls are what contains it. What the answer's program prints
goes to a file, so the one line on the real output is this script's, unless that program looks for the output and writes
there itself: that is then its answer, as anything that it returns would be.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

PRINTED = "printed"  # the file, in the trial's own folder
MOST = 1 << 22  # bytes of what was printed that are read


def main(mode: str, code: str, name: str) -> None:
    """Run `code` with the PDB text on stdin as its argument, and end the process behind one line of JSON.

    Of {"answer": text}, or {"raised": what} where there is none. `name` is the function that paper mode calls.
    """
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    process, out = os.getpid(), os.dup(1)
    file = os.open(PRINTED, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    try:
        answer = _paper(code, name, text) if mode == "paper" else _strict(code, text, file)
        said = {"answer": answer} if isinstance(answer, str) else {"raised": f"no text but {type(answer).__name__}"}
    except BaseException as bad:  # whatever foreign code raises is its outcome
        said = {"raised": f"{type(bad).__name__}: {bad}"[:200]}
    if os.getpid() != process:  # a child that the program forked
        os._exit(0)
    line = json.dumps(said).encode("ascii") + b"\n"
    while line:
        line = line[os.write(out, line) :]
    os._exit(0)


def _paper(code: str, name: str, text: str) -> Any:
    """Do as the published notebook does: what the code defines is kept apart from what its functions see."""
    own: dict[str, Any] = {}
    try:
        exec(compile(code, "answer.py", "exec", dont_inherit=True), {}, own)  # noqa: S102 - in a trial
        return own[name](text) if name in own else ""
    except SyntaxError:
        return ""


def _strict(code: str, text: str, printed: int) -> Any:
    """Give what the last function of one argument returns; where that is no text, or there is none, what was printed.

    Without such a function the code runs as a script does.
    """
    names = [each.name for each in _functions(ast.parse(code).body) if _takes_one(each)]
    own: dict[str, Any] = {"__name__": "answer" if names else "__main__"}
    answer = None
    try:
        exec(compile(code, "answer.py", "exec", dont_inherit=True), own)  # noqa: S102 - in a trial
        called = next((own[name] for name in reversed(names) if callable(own.get(name))), None)
        answer = called(text) if called else None
    except SystemExit as bad:
        if bad.code:
            raise
    if isinstance(answer, str):
        return answer
    sys.stdout.flush()
    return os.pread(printed, MOST, 0).decode("utf-8", "replace")


def _functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """Give the functions that stand on the outermost level, under a condition too, in their order."""
    for each in body:
        if isinstance(each, ast.FunctionDef):
            yield each
        elif not isinstance(each, ast.ClassDef | ast.AsyncFunctionDef):
            for inner in ("body", "handlers", "orelse", "finalbody"):
                yield from _functions(getattr(each, inner, []))


def _takes_one(function: ast.FunctionDef) -> bool:
    """Whether a function can be called with one argument and with none less: others have defaults."""
    given = function.args
    needed = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return needed == 1 and None not in given.kw_defaults
