"""The script that runs an answer's program inside a trial: calls its function with a PDB text, reports the result.

Nothing calls this module in our own process. Its text, followed by a line that calls `main`, is the program of a trial
(`pdb_programs.py`), so it imports the standard library only. The engine's isolation contains the answer's program.

What the answer's program prints goes to a file, and this script writes one line to the real standard output. A program
that looks for the real output and writes there itself thereby sets its answer, as it could by returning a value.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

PRINTED = "printed"  # the file with the printed text, in the trial's own folder
MOST = 1 << 22  # most bytes of the printed text that are read


def main(mode: str, code: str, name: str) -> None:
    """Run the Python `code` on the PDB text from stdin, write its result as one line of JSON, and end the process.

    The line is {"answer": text}, or {"raised": reason} if there is no answer. `name` is the function that paper mode
    calls.
    """
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    process, out = os.getpid(), os.dup(1)
    file = os.open(PRINTED, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    try:
        answer = _paper(code, name, text) if mode == "paper" else _strict(code, text, file)
        said = {"answer": answer} if isinstance(answer, str) else {"raised": f"no text but {type(answer).__name__}"}
    except BaseException as bad:  # whatever the answer's code raises is its outcome
        said = {"raised": f"{type(bad).__name__}: {bad}"[:200]}
    if os.getpid() != process:  # a child process that the program forked
        os._exit(0)
    line = json.dumps(said).encode("ascii") + b"\n"
    while line:
        line = line[os.write(out, line) :]
    os._exit(0)


def _paper(code: str, name: str, text: str) -> Any:
    """Run the code as the published notebook does: its functions do not see the names that the code defines."""
    own: dict[str, Any] = {}
    try:
        exec(compile(code, "answer.py", "exec", dont_inherit=True), {}, own)  # noqa: S102 - in a trial
        return own[name](text) if name in own else ""
    except SyntaxError:
        return ""


def _strict(code: str, text: str, printed: int) -> Any:
    """Return what the last function of one argument returns, or the printed text if that result is not a text.

    If the code has no such function, it runs as a script and its printed text is returned.
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
    """Yield the functions of the outermost level in order, including those inside statements such as `if`."""
    for each in body:
        if isinstance(each, ast.FunctionDef):
            yield each
        elif not isinstance(each, ast.ClassDef | ast.AsyncFunctionDef):
            for inner in ("body", "handlers", "orelse", "finalbody"):
                yield from _functions(getattr(each, inner, []))


def _takes_one(function: ast.FunctionDef) -> bool:
    """Whether a function requires exactly one argument; all its other arguments have defaults."""
    given = function.args
    needed = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return needed == 1 and None not in given.kw_defaults
