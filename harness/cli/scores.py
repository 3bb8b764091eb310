"""Command line of the verb `scores`, and the table of scores that `run` ends with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.csv_text import csv_text
from harness.cli.options import Debug, Json, StoreDir, project
from harness.cli.terminal import flat, limited, render, stand_in_text, table

if TYPE_CHECKING:
    from harness.verbs.scoring import ScoredRunData, ScoreLineData

ALWAYS = 6  # columns that are shown though nothing stands in them
HEAD = (
    "model", "dataset", "scorer", "n", "value", "95 % interval", "certificate", "errors", "refused",
    "tokens in + out", "dollars", "time",
)  # fmt: skip
FIELDS = (
    "run", "manifest", "model", "dataset", "scorer", "metric", "n", "items", "clusters", "value", "low", "high", "by",
    "errors", "unanswered", "refused", "missing", "at_worst", "certificate", "prompt_tokens", "completion_tokens",
    "dollars", "seconds", "limit",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add this verb to the command line."""
    app.command()(scores)


def scores(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN…", help="Run ids, prefixes, `last`, or manifests: the newest run.")
    ],
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV on stdout instead of a table.")] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Show the scores of runs: every line, with its interval."""
    from harness.verbs.scoring import ScoresRequest
    from harness.verbs.scoring import scores as verb

    done = verb(project(store), ScoresRequest(runs=runs))
    if as_csv and not json:
        return render(done, csv_text(FIELDS, (row for one in done.runs for row in _cells(one))), json)
    parts = [
        f"{flat(one.manifest)}, run {one.run}{limited(one.limit)}\n{score_text(one.scores)}{_below(one)}"
        for one in done.runs
    ]
    return render(done, "\n\n".join(parts), json)


def score_text(lines: Sequence[ScoreLineData]) -> str:
    """Format lines of a table of scores; a column in which nothing stands is left out."""
    if not lines:
        return "no scores"
    rows, last = [], ("", "")
    for line in lines:
        here = (line.model, line.dataset)
        rows.append([*_score(line), *(_took(line) if here != last else ("", "", ""))])
        last = here
    kept = [place for place in range(len(HEAD)) if place < ALWAYS or any(row[place] for row in rows)]
    cells = [[row[place] for place in kept] for row in rows]
    return table([HEAD[place] for place in kept], cells, notes=[""] * len(rows))  # the last column stays in its row


def _score(line: ScoreLineData) -> list[str]:
    ends = f"{line.interval[0]:.3g} to {line.interval[1]:.3g}" if line.interval else line.no_interval
    value = "-" if line.value is None else f"{line.value:.4g}"
    lost = line.refused + line.unanswered
    counts = [str(count) if count else "" for count in (line.errors, lost)]
    return [line.model, line.dataset, line.measure, str(line.n), value, ends, line.certificate, *counts]


def _took(line: ScoreLineData) -> tuple[str, str, str]:
    counted = [f"{line.tokens[name]:,}" if name in line.tokens else "?" for name in ("prompt", "completion")]
    time = "stored" if line.stored else "" if line.seconds is None else f"{line.seconds:,.1f} s"
    return " + ".join(counted) if line.tokens else "", line.dollars and f"${line.dollars}", time


def _below(run: ScoredRunData) -> str:
    """Say below a table what was spent, and which of its models are none."""
    lines = [f"spent in this run on {model}: ${dollars}" for model, dollars in run.spent.items()]
    if run.stand_ins:
        lines.append(f"stand-ins, and no models: {stand_in_text(run.stand_ins)}")
    return "".join(f"\n{flat(line)}" for line in lines)


def _cells(run: ScoredRunData) -> Iterator[Sequence[object]]:
    """Give the lines of a run as cells of CSV, at full precision."""
    for line in run.scores:
        low, high = line.interval or (None, None)
        yield (
            run.run, run.manifest, line.model, line.dataset, line.scorer, line.metric, line.n, line.items,
            line.clusters or None, line.value, low, high, line.by, line.errors, line.unanswered, line.refused,
            line.missing, line.at_worst, line.certificate, line.tokens.get("prompt"), line.tokens.get("completion"),
            line.dollars, line.seconds, run.limit or None,
        )  # fmt: skip
