"""Command line of the verb `compare`: two models or runs side by side, as a table or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.csv_text import csv_text
from harness.cli.items import one_line
from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import limited, render, table

if TYPE_CHECKING:
    from harness.verbs.comparing import ComparedLineData, CompareResult, MovedItemData

HEAD = ("models", "dataset", "scorer", "n", "left", "right", "right - left", "95 % interval", "p", "p (Holm)", "better")
FIELDS = (
    "left_run", "right_run", "left", "right", "dataset", "scorer", "metric", "n", "units", "unpaired", "left_value",
    "right_value", "difference", "low", "high", "p", "p_holm", "test", "left_better", "right_better",
    "left_limit", "right_limit",
)  # fmt: skip
MOVED = ("models", "item", "wording", "dataset", "scorer", "left", "right", "sides")


def register(app: typer.Typer) -> None:
    """Add this verb to the command line."""
    app.command()(compare)


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN [RUN]", help="One run or two: ids, `last`, or manifests.")],
    models: Annotated[
        tuple[str, str] | None,
        typer.Option("--models", metavar="A B", help="Two models: of the first run, and of the second or the same."),
    ] = None,
    items: Annotated[
        int, typer.Option("--items", min=0, help="How many of the items that moved are listed; 0: all.")
    ] = 10,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV on stdout instead of a table.")] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Compare two models or runs: paired differences of scores."""
    from harness.errors import InputError
    from harness.verbs.comparing import CompareRequest
    from harness.verbs.comparing import compare as verb

    if len(runs) > 2:
        raise InputError("at most two runs are compared", where=runs[2], next="name one run or two")
    done = verb(project(store), CompareRequest(runs=runs, models=models or (), items=items))
    return render(done, _csv(done) if as_csv and not json else _text(done), json)


def _text(done: CompareResult) -> str:
    sides = sorted({(line.left, line.right) for line in done.lines})
    models = [f", model {name}" if len(sides) == 1 else "" for name in sides[0]]
    left, right = (limited(limit) for limit in (done.left_limit, done.right_limit))
    lines = [f"left: run {done.left_run}{models[0]}{left}", f"right: run {done.right_run}{models[1]}{right}"]
    lines += [*done.remarks, ""]
    first = 1 if len(sides) == 1 else 0  # the column of models, which the two lines above have said
    lines.append(_table(HEAD[first:], [_row(line)[first:] for line in done.lines]))
    lines.append("n: pairs, an item in a wording each; p (Holm): corrected over the lines shown; better: left, right")
    if done.items:
        lines += ["", _table(MOVED[first:], [_moved(one)[first:] for one in done.items])]
    more = done.moved - len(done.items)
    tail = f"; {more} more: --items 0 lists all" if more else ""
    return "\n".join([*lines, f"{done.moved} moved, {done.changed} of them changed sides{tail}"])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format rows whose last column stays in its row on a narrow terminal, too."""
    return table(head, rows, notes=[""] * len(rows))


def _models(left: str, right: str) -> str:
    return left if left == right else f"{left} → {right}"


def _row(line: ComparedLineData) -> list[str]:
    ends = f"{line.interval[0]:+.3g} to {line.interval[1]:+.3g}" if line.interval else line.no_interval
    better = "-" if line.left_better is None else f"{line.left_better}, {line.right_better}"
    return [
        _models(line.left, line.right), line.dataset, line.measure, str(line.n), _number(line.left_value),
        _number(line.right_value), "-" if line.difference is None else f"{line.difference:+.3g}", ends,
        _chance(line.p), _chance(line.p_holm), better,
    ]  # fmt: skip


def _moved(one: MovedItemData) -> list[str]:
    return [
        _models(one.left, one.right), one_line(one.item), str(one.template), one.dataset, one.scorer,
        _number(one.left_value), _number(one.right_value), "changed" if one.changed else "",
    ]  # fmt: skip


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _chance(p: float | None) -> str:
    return "< 0.0001" if p is not None and p < 0.0001 else _number(p)


def _csv(done: CompareResult) -> str:
    rows = []
    for line in done.lines:
        low, high = line.interval or (None, None)
        rows.append((
            done.left_run, done.right_run, line.left, line.right, line.dataset, line.scorer, line.metric, line.n,
            line.units, line.unpaired, line.left_value, line.right_value, line.difference, low, high, line.p,
            line.p_holm, line.test, line.left_better, line.right_better, done.left_limit or None,
            done.right_limit or None,
        ))  # fmt: skip
    return csv_text(FIELDS, rows)
