"""The only place that talks to a terminal: data on stdout, messages and progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from harness.errors import HarnessError

Progress = Callable[[str, str, int, int], None]


def say(text: str) -> None:
    """Tell the person something; never data."""
    print(clean(text), file=sys.stderr, flush=True)


def show(data: Any, text: str, as_json: bool) -> None:
    """Give a verb's result: data for a script, text for a person."""
    sys.stdout.write((json.dumps(data, ensure_ascii=True, indent=1) if as_json else clean(text)) + "\n")
    sys.stdout.flush()


def clean(text: str) -> str:
    """Take the control characters out of text that models, data or files put there, so that none reaches a terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() or (c.isspace() and c > "\x9f") else "\ufffd" for c in text)


def fail(error: HarnessError, as_json: bool, debug: bool) -> int:
    """Show an error a user can act on; the whole story only when it was asked for."""
    if as_json:
        say(json.dumps(error.as_data(), ensure_ascii=True))
    else:
        say(clean(f"error: {error}"))
    if debug:
        import traceback

        say(clean("".join(traceback.format_exception(error))))
    return error.code


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Lay rows out in columns that are as wide as what they hold."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    if not any(row[-1] for row in cells):  # a column of remarks in which there is nothing to remark
        cells = [row[:-1] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("─" * width for width in widths), *lines[1:]])


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Show how far a run is: a bar on a terminal, a plain line a second elsewhere."""
    if not sys.stderr.isatty():
        yield _Lines(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.fields[title]}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.fields[step]}"),
    )  # fmt: skip
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", total=None, title=title, step="")

        def update(step: str, state: str, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, step=f"{step} {state}")

        yield update


class _Lines:
    """Progress where nobody watches: at most one line a second, and the last."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.last = 0.0

    def __call__(self, step: str, state: str, done: int, total: int) -> None:
        now = time.monotonic()
        if done == total or now - self.last >= 1:
            self.last = now
            say(f"{self.title}: {done}/{total} steps, {step} {state}")


def short(digest: str) -> str:
    """Cut a digest to what a person compares."""
    return digest[:12]


def level_text(level: str | Mapping[str, str]) -> str:
    """Spell a level of comparison."""
    return level if isinstance(level, str) else " ".join(f"{name} {value}" for name, value in level.items())
