"""Terminal output, in one place: data on stdout, messages and progress on stderr.

The words that `diff` and `compare` show of two sides stand in two columns within the terminal's width. What models and
data say is put on lines of its own column, so that it cannot imitate other output; control characters are replaced.
Only a verdict at the beginning of a line and the word `error` have a colour, and only on a terminal without NO_COLOR.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import shutil
import sys
import textwrap
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TextIO

from harness.errors import HarnessError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from harness.verbs.project import Progress, Result, Watch
    from harness.verbs.scoring import DifferingWords, SideWords


GAP, INDENT = "  ", "    "
BREAKS = {ord(each): each.encode("unicode_escape").decode() for each in "\n\t\v\f\x85\u2028\u2029"}  # escaped
ANSWERS = "answers"  # the state of progress on models' answers; any other state is that of a step
QUIET = 15.0  # seconds after which an unchanged line is printed again
COLOURS = {"agreed": 32, "disagreed": 31, "incomplete": 33, "unconfirmed": 33, "error": 31}
COLOURED = re.compile(rf"^((?:[\w.-]+: )?)({'|'.join(COLOURS)})(?=[:,; ]|$)", re.MULTILINE)
NARROWEST = 8  # no column of a table is made narrower, whatever the terminal


def print_message(text: str) -> None:
    """Print a message for the user on stderr; data is never printed here."""
    with _heard(sys.stderr):
        print(colour_verdicts(replace_controls(text), sys.stderr), file=sys.stderr, flush=True)


def limit_suffix(items: int) -> str:
    """Return a suffix for the name of a run that was limited; empty for a whole run."""
    return f", limited to {items} item{'s' * (items != 1)} of each dataset" if items else ""


def print_result(result: Result, text: str, as_json: bool) -> int:
    """Print a verb's result, as JSON for a script or text for a person, and return its exit code."""
    print_data(result.as_data(), text, as_json)
    return result.code


def print_data(data: Any, text: str, as_json: bool) -> None:
    """Print data on stdout as JSON for a script, or text for a person."""
    with _heard(sys.stdout):
        print(
            json.dumps(data, ensure_ascii=True, indent=1)
            if as_json
            else colour_verdicts(replace_controls(text), sys.stdout),
            flush=True,
        )


def write_bytes(pieces: Iterable[bytes]) -> None:
    """Write raw bytes to stdout, piece by piece; on a terminal, control characters are replaced."""
    read = codecs.getincrementaldecoder("utf-8")("replace").decode
    with _heard(sys.stdout):
        for piece in pieces:
            if sys.stdout.isatty():
                sys.stdout.write(replace_controls(read(piece)))
            else:
                sys.stdout.buffer.write(piece)
        sys.stdout.flush()


def on_terminal() -> bool:
    """Return whether stdout is a terminal, and not a file or a pipe."""
    return sys.stdout.isatty()


@contextmanager
def _heard(stream: TextIO) -> Iterator[None]:
    """Context manager that ignores a broken pipe, so that a verb goes on and its exit code stays the same."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def replace_controls(text: str) -> str:
    """Replace control characters in text of models, data or files, so that no escape sequence reaches a terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() or (c.isspace() and c > "\x9f") else "\ufffd" for c in text)


def colour_verdicts(text: str, stream: TextIO) -> str:
    """Return text with its verdicts in colours, if it is for a terminal whose user wants any."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return COLOURED.sub(lambda found: f"{found[1]}\x1b[{COLOURS[found[2]]}m{found[2]}\x1b[0m", text)


def join_lines(text: str) -> str:
    """Return a text on one line, so that line breaks in a name cannot imitate lines of the harness."""
    return text.translate(BREAKS)


def flat_lines(lines: Iterable[str]) -> str:
    """Join lines whose texts are of data: none of them can begin a line of its own."""
    return "\n".join(map(join_lines, lines))


def stand_in_text(names: Mapping[str, bool]) -> str:
    """List stand-ins, each with whether it was shown the right answers."""
    return ", ".join(f"{name} (shown the answers)" if shown else name for name, shown in sorted(names.items()))


def print_error(error: HarnessError, as_json: bool, debug: bool) -> int:
    """Print an error on stderr, as JSON or as text, and return its exit code; a traceback only with `debug`."""
    if as_json:
        print_message(json.dumps(error.as_data(), ensure_ascii=True))
    else:
        lines = [f"error: {join_lines(error.what)}"]
        lines += [f"  where: {join_lines(error.where)}"] if error.where else []
        lines += [f"  next:  {join_lines(error.next)}"] if error.next else []
        print_message("\n".join(lines))
    if debug:
        import traceback

        print_message("".join(traceback.format_exception(error)))
    return error.code


def format_table(head: Sequence[str], rows: Sequence[Sequence[object]], notes: Sequence[str] = ()) -> str:
    """Format rows in columns, no wider than the terminal, if there is one; the note of a row is below the row."""
    cells = [[join_lines(str(cell)) for cell in row] for row in [head, *rows]]
    if not any(row[-1] for row in cells):  # an empty last column is left out
        cells = [row[:-1] for row in cells]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0  # what is piped has one line a row
    remarks = ["", *(_below(note, room, GAP) for note in map(join_lines, notes or [""] * len(rows)))]
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
def show_progress() -> Iterator[Watch]:
    """Context manager that shows the progress of a verb: a bar on a terminal, else at most one plain line a second."""
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
            self.bar.update(self.bar.task_ids[0], step=join_lines(told.step))
            return
        step = join_lines(f"{told.step} {told.state}")
        self.bar.update(self.bar.task_ids[0], completed=told.done, total=told.total, step=step)

    def say(self, text: str) -> None:
        """Print a message above the bar."""
        self.end()
        print_message(text)

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
        self.last, self.shown = 0.0, ""

    def update(self, told: Progress) -> None:
        """Print the progress of a task if a second has passed or the task is done, unless nothing has come since.

        Of answers that is their number: the rate beside it changes although none came.
        """
        now = time.monotonic()
        if told.done == told.total or now - self.last >= 1:
            asked = told.state == ANSWERS
            text = told.step if asked else f"{told.done}/{told.total} steps, {told.step} {told.state}"
            progress = f"{told.task}: {told.done}/{told.total} {'' if asked else text}"
            if progress != self.shown or now - self.last >= QUIET:
                self.last, self.shown = now, progress
                print_message(join_lines(f"{told.task}: {text}"))

    def say(self, text: str) -> None:
        """Print a message between two progress lines."""
        print_message(text)

    def end(self) -> None:
        """Do nothing: no bar is open here."""


def short_digest(digest: str) -> str:
    """Shorten a digest to its first 12 letters."""
    return digest[:12]


def level_text(level: str | Mapping[str, str]) -> str:
    """Format a comparison level as text, such as `exact` or `within 0.01`."""
    return level if isinstance(level, str) else " ".join(f"{name} {value}" for name, value in level.items())


PARTS = ("wording", "prompt", "answer")
NAME = 9  # letters of a part's name
BETWEEN_SIDES = "  "
NARROW, WIDE = 40, 200  # columns that are used at least and at most
LONGEST, BEFORE = 360, 60  # letters of a text that are shown, and of these before the first difference
NOTHING = "-"


def words_text(found: Sequence[DifferingWords]) -> str:
    """Format two answers that differ, left and right; a wording or prompt that both share is shown once."""
    return "\n\n".join("\n".join(_one(each)) for each in found)


def _one(found: DifferingWords) -> Iterator[str]:
    from harness.verbs.scoring import cut_to_difference

    sample = f", sample {found.sample}" if found.sample else ""
    yield f"{join_lines(found.item)}, wording {found.template}{sample}:"
    width = min(max(shutil.get_terminal_size().columns, NARROW), WIDE) - NAME - len(BETWEEN_SIDES) - 1
    half = (width - len(BETWEEN_SIDES)) // 2
    if found.left.model != found.right.model:
        yield from _columns("", join_lines(found.left.model), join_lines(found.right.model), half)
    for part in PARTS:
        left, right = (_text(side, part) for side in (found.left, found.right))
        if left == right:
            lines = wrap_text(cut_to_difference(left, right, LONGEST, BEFORE)[0] or NOTHING, width)
            yield from (_line(part if not place else "", [line]) for place, line in enumerate(lines))
        else:
            yield from _columns(part, *cut_to_difference(left, right, LONGEST, BEFORE), half)


def _text(side: SideWords, part: str) -> str:
    """Return a text in one piece; a line break is a sign, and no control character is left."""
    return replace_controls(" ⏎ ".join(str(getattr(side, part)).splitlines())).replace("\t", " ")


def _columns(name: str, left: str, right: str, half: int) -> Iterator[str]:
    lines = zip_longest(wrap_text(left or NOTHING, half), wrap_text(right or NOTHING, half), fillvalue="")
    for place, (one, other) in enumerate(lines):
        yield _line(name if not place else "", [one + " " * (half - display_width(one)), other])


def _line(name: str, cells: Sequence[str]) -> str:
    return BETWEEN_SIDES.join([f" {name:{NAME}}", *cells]).rstrip()


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal: two for wide letters, none for combining marks."""
    return sum(_wide(char) for char in text)


def _wide(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap_text(text: str, room: int) -> list[str]:
    """Break a text into lines of at most `room` columns, between words where possible."""
    lines, line = list[str](), ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if display_width(joined) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while display_width(line) > room:
            end = _fitting(line, room)
            lines.append(line[:end])
            line = line[end:]
    return [*lines, line]


def _fitting(text: str, room: int) -> int:
    """Return how many letters of a text fit into `room` columns, at least one."""
    taken = 0
    for place, char in enumerate(text):
        taken += _wide(char)
        if taken > room:
            return max(place, 1)
    return len(text)
