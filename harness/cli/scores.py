"""Command line of results: `scores`, `compare` and `show --items` as tables and CSV, and the pages of `view`, `report`.

Texts of models and data are shortened and put on one line. In CSV, a text that begins with = + - @, a tab or a line
break gets an apostrophe before it, so that no spreadsheet takes it for a formula.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import json as jsonlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import GivenOptions, with_request_options
from harness.cli.terminal import (
    format_table,
    join_lines,
    limit_suffix,
    print_message,
    stand_in_text,
    words_text,
    write_bytes,
)
from harness.errors import InputError, MissingError
from harness.verbs.requests import CompareRequest, ReportRequest, ScoresRequest, ShowItemsRequest, ViewRequest

if TYPE_CHECKING:
    from harness.verbs.scoring import (
        ComparedLineData,
        CompareResult,
        MovedItemData,
        ScoredRunData,
        ScoreLineData,
        ShowItemsResult,
        ShownAnswerData,
        ShownScore,
    )


def register_looking(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command()(view)
    app.command()(report)


@with_request_options(ViewRequest)
def view(given: GivenOptions) -> int:
    """Look at runs and answers in a browser, or label answers."""
    try:
        from harness.view.app import serve_site
    except ModuleNotFoundError as bad:
        if (bad.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingError(
            "the pages need a server that is not installed", where=str(bad.name), next="pip install repro-harness[view]"
        ) from bad
    from harness.view.site import Site

    asked = given.request(ViewRequest)
    if asked.label:
        from harness.store.notes import require_labeller

        require_labeller(asked.label)
    site = Site(given.project, labeller=asked.label)
    given.project.open()

    def ready(address: str) -> None:
        if given.json:
            write_bytes([json.dumps({"url": address}).encode() + b"\n"])
        else:
            write_bytes([f"{address}\n".encode()])
            shown = f"answers to label as {asked.label}" if asked.label else "pages over the runs and answers"
            print_message(f"{shown} of this store; ctrl-C ends them")

    with contextlib.suppress(KeyboardInterrupt):  # ctrl-C is how it ends
        serve_site(site, asked.port, ready, anyone=asked.anyone)
    return 0


@with_request_options(ReportRequest)
def report(given: GivenOptions) -> int:
    """Write a report of a run: one HTML file."""
    from harness.verbs.reporting import report as verb

    done = verb(given.project, given.request(ReportRequest))
    lines = [
        f"{done.answers:,} answers, {done.wrong:,} wrong: {done.wrong_shown} of these shown, {done.others_shown} others"
    ]
    lines += [f"not shown: {count:,} answers to {join_lines(name)}" for name, count in sorted(done.not_shown.items())]
    lines.append(f"{done.file}: {done.size} bytes, {done.sha256}")
    return given.show(done, "\n".join(lines))


AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV on stdout instead of a table.")]
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV with a header line; None becomes an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(head)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().removesuffix("\n")


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return "" if value is None else value


LONGEST = 400  # letters of a field that are shown; JSON has all
NAME = 9  # letters of a field's name


def show_items(given: GivenOptions) -> int:
    """Show one page of a run's answers, and return the exit code."""
    from harness.verbs.scoring import show_items as verb

    done = verb(given.project, given.request(ShowItemsRequest))
    return given.show(done, _items_text(done))


def _items_text(done: ShowItemsResult) -> str:
    run = f"{done.manifest}, run {done.run}{limit_suffix(done.limit)}"
    where = f"{run}: page {done.page} of {done.pages}, {done.total} answers"
    more = [f"next: --page {done.page + 1}"] if done.page < done.pages else []
    where += f"; the run {done.healed_text}" if done.healed else ""
    return "\n\n".join([join_lines(where), *map(_answer, done.answers), *more])


def _answer(one: ShownAnswerData) -> str:
    asked = f"({one.dataset}), model {one.model}, wording {one.template}, sample {one.sample}"
    lines = [f"{one_line(one.item)} {join_lines(asked)}"]
    lines += [_field("asked", _said(one.input))]
    lines += [_field("options", _said(one.options))] if one.options else []
    first = {name: one.gold[name] for name in ("target",) if name in one.gold}
    lines += [_field("gold", _said(first | one.gold))] if one.gold else []
    if one.error:
        lines.append(_field("error", one.error))
    elif one.answer is not None:
        lines.append(_field("answer", one.answer))
    return "\n".join([*lines, *(_field(score.scorer, _items_score(score)) for score in one.scores)])


def _items_score(score: ShownScore) -> str:
    value = f"{score.value:.4g}" if isinstance(score.value, float) else score.missing or str(score.value)
    parts = [value, *([score.outcome] if score.outcome else [])]
    return ", ".join(parts) + (f"  {jsonlib.dumps(score.detail, ensure_ascii=False)}" if score.detail else "")


def _said(fields: Mapping[str, Any]) -> str:
    """Format fields with their names as one text; empty fields are left out."""
    told = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)}"
        for name, value in told.items()
    )


def _field(name: str, text: str) -> str:
    return f"  {one_line(name):{NAME}} {one_line(text)}"


def one_line(text: str) -> str:
    """Return a text of data or of a model on one line, shortened, so that it cannot imitate other output."""
    whole = " ⏎ ".join(text[: LONGEST + 1].splitlines())
    return whole if len(text) <= LONGEST else f"{whole[:LONGEST]}… ({len(text):,} letters)"


SHOWN_FURTHER = 60  # lines on several answers and on groups that `scores` shows; CSV and JSON have all
HEAD = (
    "model",
    "dataset",
    "scorer",
    "group",
    "n",
    "value",
    "95 % interval",
    "certificate",
    "errors",
    "refused",
    "tokens in + out",
    "dollars",
    "time",
)
ALWAYS = frozenset(("model", "dataset", "scorer", "n", "value", "95 % interval"))  # columns shown even if empty
FIELDS = (
    "run",
    "manifest",
    "model",
    "dataset",
    "scorer",
    "metric",
    "n",
    "items",
    "clusters",
    "value",
    "low",
    "high",
    "by",
    "errors",
    "unanswered",
    "refused",
    "missing",
    "at_worst",
    "certificate",
    "prompt_tokens",
    "completion_tokens",
    "dollars",
    "seconds",
    "limit",
    "column",
    "group",
)


def register(app: typer.Typer) -> None:
    """Add the command `scores` to the command line."""
    app.command()(scores)


@with_request_options(ScoresRequest)
def scores(given: GivenOptions, as_csv: AsCsv = False) -> int:
    """Show the scores of runs: every line, with its interval."""
    from harness.verbs.scoring import scores as verb

    done = verb(given.project, given.request(ScoresRequest))
    if as_csv and not given.json:
        return given.show(done, csv_text(FIELDS, (row for one in done.runs for row in _cells(one))))
    return given.show(done, "\n\n".join(map(_run_text, done.runs)))


def _run_text(one: ScoredRunData) -> str:
    head, kept = f"{join_lines(one.manifest)}, run {one.run}{limit_suffix(one.limit)}", one.further[:SHOWN_FURTHER]
    more = len(one.further) - len(kept)
    told = f"\n{more} more on several answers and groups: --csv and --json have all" if more else ""
    return f"{head}\n{score_text(one.scores, kept)}{told}{_below(one)}"


def score_text(lines: Sequence[ScoreLineData], further: Sequence[ScoreLineData] = ()) -> str:
    """Format lines of a table of scores, each model's further ones on a dataset below its others.

    Empty columns besides the main ones are left out.
    """
    if not lines:
        return "no scores"
    below: dict[tuple[str, str], list[ScoreLineData]] = {}
    for line in further:
        below.setdefault((line.model, line.dataset), []).append(line)
    blocks: dict[tuple[str, str], list[ScoreLineData]] = {}
    for line in lines:
        blocks.setdefault((line.model, line.dataset), []).append(line)
    rows = []
    for here in [*blocks, *(here for here in below if here not in blocks)]:
        for place, line in enumerate([*blocks.get(here, ()), *below.get(here, ())]):
            rows.append([*_scores_score(line), *(("", "", "") if place else _took(line))])
    kept = [place for place, name in enumerate(HEAD) if name in ALWAYS or any(row[place] for row in rows)]
    cells = [[row[place] for place in kept] for row in rows]
    return format_table(
        [HEAD[place] for place in kept], cells, notes=[""] * len(rows)
    )  # the last column stays in its row


def _scores_score(line: ScoreLineData) -> list[str]:
    ends = f"{line.interval[0]:.3g} to {line.interval[1]:.3g}" if line.interval else line.no_interval
    value = "-" if line.value is None else f"{line.value:.4g}"
    lost = line.refused + line.unanswered
    counts = [str(count) if count else "" for count in (line.errors, lost)]
    group = one_line(f"{line.column}: {line.group}") if line.column else ""
    return [line.model, line.dataset, line.measure, group, str(line.n), value, ends, line.certificate, *counts]


def _took(line: ScoreLineData) -> tuple[str, str, str]:
    counted = [f"{line.tokens[name]:,}" if name in line.tokens else "?" for name in ("prompt", "completion")]
    time = "stored" if line.stored else "" if line.seconds is None else f"{line.seconds:,.1f} s"
    return " + ".join(counted) if line.tokens else "", line.dollars and f"${line.dollars}", time


def _below(run: ScoredRunData) -> str:
    """Return the lines below a table: what was spent, and which of its models are stand-ins."""
    lines = [f"spent in this run on {model}: ${dollars}" for model, dollars in run.spent.items()]
    if run.stand_ins:
        lines.append(f"stand-ins, and no models: {stand_in_text(run.stand_ins)}")
    return "".join(f"\n{join_lines(line)}" for line in lines)


def _cells(run: ScoredRunData) -> Iterator[Sequence[object]]:
    """Yield the lines of a run as cells of CSV, at full precision."""
    for line in (*run.scores, *run.further):
        low, high = line.interval or (None, None)
        yield (
            run.run,
            run.manifest,
            line.model,
            line.dataset,
            line.scorer,
            line.metric,
            line.n,
            line.items,
            line.clusters or None,
            line.value,
            low,
            high,
            line.by,
            line.errors,
            line.unanswered,
            line.refused,
            line.missing,
            line.at_worst,
            line.certificate,
            line.tokens.get("prompt"),
            line.tokens.get("completion"),
            line.dollars,
            line.seconds,
            run.limit or None,
            line.column or None,
            line.group or None,
        )


COMPARE_HEAD = (
    "models",
    "dataset",
    "scorer",
    "n",
    "left",
    "right",
    "right - left",
    "95 % interval",
    "p",
    "p (Holm)",
    "better",
)
COMPARE_FIELDS = (
    "left_run",
    "right_run",
    "left",
    "right",
    "dataset",
    "scorer",
    "metric",
    "n",
    "units",
    "unpaired",
    "left_value",
    "right_value",
    "difference",
    "low",
    "high",
    "p",
    "p_holm",
    "test",
    "left_better",
    "right_better",
    "left_limit",
    "right_limit",
)
MOVED = ("models", "item", "wording", "dataset", "scorer", "left", "right", "sides")


def register_compare(app: typer.Typer) -> None:
    """Add the command `compare` to the command line."""
    app.command()(compare)


@with_request_options(CompareRequest)
def compare(given: GivenOptions, as_csv: AsCsv = False) -> int:
    """Compare two models or runs: paired differences of scores."""
    from harness.verbs.scoring import compare as verb

    if len(given.runs) > 2:
        raise InputError("at most two runs are compared", where=given.runs[2], next="name one run or two")
    done = verb(given.project, given.request(CompareRequest))
    return given.show(done, _csv(done) if as_csv and not given.json else _compare_text(done))


def _compare_text(done: CompareResult) -> str:
    sides = sorted({(line.left, line.right) for line in done.lines})
    models = [f", model {name}" if len(sides) == 1 else "" for name in sides[0]]
    left, right = (limit_suffix(limit) for limit in (done.left_limit, done.right_limit))
    lines = [f"left: run {done.left_run}{models[0]}{left}", f"right: run {done.right_run}{models[1]}{right}"]
    lines += [*done.remarks, ""]
    first = 1 if len(sides) == 1 else 0  # the column of models, which the two lines above have said
    lines.append(_table(COMPARE_HEAD[first:], [_row(line)[first:] for line in done.lines]))
    lines.append("n: pairs, an item in a wording each; p (Holm): corrected over the lines shown; better: left, right")
    if done.items:
        lines += ["", _table(MOVED[first:], [_moved(one)[first:] for one in done.items])]
    if done.words:
        lines += ["", words_text(done.words), ""]
    more = done.moved - len(done.items)
    tail = f"; {more} more: --items 0 lists all" if more else ""
    return "\n".join([*lines, f"{done.moved} moved, {done.changed} of them changed sides{tail}"])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format rows so that the last column stays in its row even on a narrow terminal."""
    return format_table(head, rows, notes=[""] * len(rows))


def _models(left: str, right: str) -> str:
    return left if left == right else f"{left} → {right}"


def _row(line: ComparedLineData) -> list[str]:
    ends = f"{line.interval[0]:+.3g} to {line.interval[1]:+.3g}" if line.interval else line.no_interval
    better = "-" if line.left_better is None else f"{line.left_better}, {line.right_better}"
    return [
        _models(line.left, line.right),
        line.dataset,
        line.measure,
        str(line.n),
        _number(line.left_value),
        _number(line.right_value),
        "-" if line.difference is None else f"{line.difference:+.3g}",
        ends,
        _chance(line.p),
        _chance(line.p_holm),
        better,
    ]


def _moved(one: MovedItemData) -> list[str]:
    return [
        _models(one.left, one.right),
        one_line(one.item),
        str(one.template),
        one.dataset,
        one.scorer,
        _number(one.left_value),
        _number(one.right_value),
        "changed" if one.changed else "",
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _chance(p: float | None) -> str:
    return "< 0.0001" if p is not None and p < 0.0001 else _number(p)


def _csv(done: CompareResult) -> str:
    rows = []
    for line in done.lines:
        low, high = line.interval or (None, None)
        rows.append(
            (
                done.left_run,
                done.right_run,
                line.left,
                line.right,
                line.dataset,
                line.scorer,
                line.metric,
                line.n,
                line.units,
                line.unpaired,
                line.left_value,
                line.right_value,
                line.difference,
                low,
                high,
                line.p,
                line.p_holm,
                line.test,
                line.left_better,
                line.right_better,
                done.left_limit or None,
                done.right_limit or None,
            )
        )
    return csv_text(COMPARE_FIELDS, rows)
