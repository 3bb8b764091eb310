"""Terminal output, in one place: data on stdout, messages and progress on stderr."""

from __future__ import annotations

import codecs
import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TextIO

from harness.errors import HarnessError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from harness.verbs.project import Progress, Result, Watch

GAP, INDENT = "  ", "    "
BREAKS = {ord(each): each.encode("unicode_escape").decode() for each in "\n\t\v\f\x85\u2028\u2029"}  # of a line
ANSWERS = "answers"  # the state of what is told of models' answers; everything else is told of steps
QUIET = 15.0  # seconds after which a line is said again that says the same
NARROWEST = 8  # no column of a table is made narrower, whatever the terminal


def say(text: str) -> None:
    """Print a message to the person, on stderr; never data."""
    with _heard(sys.stderr):
        print(clean(text), file=sys.stderr, flush=True)


def limited(items: int) -> str:
    """Say that a run was limited, to stand behind its name; nothing of a whole run."""
    return f", limited to {items} item{'s' * (items != 1)} of each dataset" if items else ""


def render(result: Result, text: str, as_json: bool) -> int:
    """Print a verb's result, as JSON for a script or text for a person, and return its exit code."""
    show(result.as_data(), text, as_json)
    return result.code


def show(data: Any, text: str, as_json: bool) -> None:
    """Print data on stdout as JSON for a script, or text for a person."""
    with _heard(sys.stdout):
        print(json.dumps(data, ensure_ascii=True, indent=1) if as_json else clean(text), flush=True)


def give(pieces: Iterable[bytes]) -> None:
    """Write raw bytes to stdout, piece by piece; on a terminal control characters are removed."""
    read = codecs.getincrementaldecoder("utf-8")("replace").decode
    with _heard(sys.stdout):
        for piece in pieces:
            if sys.stdout.isatty():
                sys.stdout.write(clean(read(piece)))
            else:
                sys.stdout.buffer.write(piece)
        sys.stdout.flush()


def on_terminal() -> bool:
    """Whether stdout is a terminal, and not a file or a pipe."""
    return sys.stdout.isatty()


@contextmanager
def _heard(stream: TextIO) -> Iterator[None]:
    """Continue silently after a broken pipe: what a verb does, and its exit code, stay the same."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def clean(text: str) -> str:
    """Remove control characters from text of models, data or files, so that no escape sequence reaches a terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() or (c.isspace() and c > "\x9f") else "\ufffd" for c in text)


def flat(text: str) -> str:
    """Spell a text on one line: a name that holds line breaks must not look like lines of ours."""
    return text.translate(BREAKS)


def stand_in_text(names: Mapping[str, bool]) -> str:
    """List stand-ins, each with whether it was shown the right answers."""
    return ", ".join(f"{name} (shown the answers)" if shown else name for name, shown in sorted(names.items()))


def fail(error: HarnessError, as_json: bool, debug: bool) -> int:
    """Print an error on stderr, as JSON or as text, and return its exit code; a traceback only with `debug`."""
    if as_json:
        say(json.dumps(error.as_data(), ensure_ascii=True))
    else:
        lines = [f"error: {flat(error.what)}"]
        lines += [f"  where: {flat(error.where)}"] if error.where else []
        lines += [f"  next:  {flat(error.next)}"] if error.next else []
        say("\n".join(lines))
    if debug:
        import traceback

        say("".join(traceback.format_exception(error)))
    return error.code


def table(head: Sequence[str], rows: Sequence[Sequence[object]], notes: Sequence[str] = ()) -> str:
    """Format rows in columns, on a terminal no wider than it is; the note of a row stands below it."""
    cells = [[flat(str(cell)) for cell in row] for row in [head, *rows]]
    if not any(row[-1] for row in cells):  # a column of remarks in which there is nothing to remark
        cells = [row[:-1] for row in cells]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0  # what is piped has one line a row
    remarks = ["", *(_below(note, room, GAP) for note in map(flat, notes or [""] * len(rows)))]
    widths = _widths(cells)
    if room and _total(widths) > room and len(widths) > 2 and not notes:  # the last column goes below its row
        remarks = ["", *(_below(row[-1], room, INDENT) for row in cells[1:])]
        cells = [row[:-1] for row in cells]
        widths = _widths(cells)
    while room and _total(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    lines = [_row(row, widths) + (f"\n{remark}" if remark else "") for row, remark in zip(cells, remarks, strict=True)]
    return "\n".join([lines[0], GAP.join("─" * width for width in widths), *lines[1:]])


def _below(text: str, room: int, indent: str) -> str:
    """Format the note under a row."""
    if not room:
        return text and indent + text
    return textwrap.fill(text, room, initial_indent=indent, subsequent_indent=INDENT)


def _widths(cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*cells, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Format one row, on as many lines as its longest cell needs."""
    parts = [
        [cell] if len(cell) <= width else textwrap.wrap(cell, width) for cell, width in zip(cells, widths, strict=True)
    ]
    lines = zip_longest(*parts, fillvalue="")
    return "\n".join(GAP.join(map(str.ljust, line, widths)).rstrip() for line in lines)


@contextmanager
def watching() -> Iterator[Watch]:
    """Show progress of a verb: a bar on a terminal, at most one plain line a second elsewhere."""
    from harness.verbs.project import Watch

    shown: _Lines | _Bars = _Bars() if sys.stderr.isatty() else _Lines()
    try:
        yield Watch(shown.update, shown.say)
    finally:
        shown.end()


class _Bars:
    """Progress bar on a terminal for the current task, removed before anything else is printed."""

    def __init__(self) -> None:
        self.task = ""
        self.bar: Bar | None = None

    def update(self, told: Progress) -> None:
        """Update the bar of a task."""
        if told.task != self.task:
            self.end()
            self.task, self.bar = told.task, _bar(told.task)
            self.bar.start()
        assert self.bar
        if told.state == ANSWERS:  # the bar counts steps
            self.bar.update(self.bar.task_ids[0], step=flat(told.step))
            return
        step = flat(f"{told.step} {told.state}")
        self.bar.update(self.bar.task_ids[0], completed=told.done, total=told.total, step=step)

    def say(self, text: str) -> None:
        """Print a message above the bar."""
        self.end()
        say(text)

    def end(self) -> None:
        """Remove the bar."""
        if self.bar:
            self.bar.stop()
        self.task, self.bar = "", None


def _bar(title: str) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.fields[title]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[step]}"),
    )
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("run", total=None, title=title, step="")
    return bar


class _Lines:
    """Progress without a terminal: at most one line a second, and the last of each task."""

    def __init__(self) -> None:
        self.last, self.text = 0.0, ""

    def update(self, told: Progress) -> None:
        """Print how far a task is, if a second has passed or it is done, and there is something new to say."""
        now = time.monotonic()
        if told.done == told.total or now - self.last >= 1:
            steps = f"{told.done}/{told.total} steps, {told.step} {told.state}"
            text = f"{told.task}: {told.step if told.state == ANSWERS else steps}"
            if text != self.text or now - self.last >= QUIET:  # what has not changed is not said each second
                self.last, self.text = now, text
                say(flat(text))

    def say(self, text: str) -> None:
        """Print a message between two progress lines."""
        say(text)

    def end(self) -> None:
        """Do nothing: no bar is open here."""


def short(digest: str) -> str:
    """Shorten a digest to the letters that a person compares."""
    return digest[:12]


def level_text(level: str | Mapping[str, str]) -> str:
    """Format a comparison level as text, such as `exact` or `within 0.01`."""
    return level if isinstance(level, str) else " ".join(f"{name} {value}" for name, value in level.items())
