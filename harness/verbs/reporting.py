"""The verb `report`: a run as one HTML file that needs nothing else, the same bytes whenever it is made.

Scores and figures are whole. Of the answers, the wrong ones are shown up to a number, then a seeded draw of the others;
all are counted. Items of gated, private and hidden data are counted and not shown, nor are figures of a run with such.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from harness import seeds
from harness.digest import sha256
from harness.errors import HarnessError, InputError
from harness.files import translating_os_errors, write_atomic
from harness.kit import pages
from harness.kit.hostile_texts import short, visible
from harness.kit.pages import Html, el, join
from harness.kit.report import MOST, figure, titled
from harness.rowtypes import Prompt
from harness.run.scores.report import ScoreReport, score_report
from harness.run.scores.table import (
    PROMPTS,
    SCORES,
    Answer,
    RunTables,
    ShownAnswer,
    closed_datasets,
    describe_answers,
    is_wrong_answer,
    scored_answers,
)
from harness.store.store import Store, require_listed
from harness.verbs.project import Project, Result
from harness.verbs.requests import ReportRequest

__all__ = [
    "ReportResult",
    "report",
]

SUFFIX = ".html"
INDEX = "index.html"
TEXT = 3000  # letters of a prompt, an answer or a detail
DRAW = "report"  # the purpose of the draw


class ReportResult(Result):
    """Result of `report`: the file, its digest and size, and how many answers are shown of how many."""

    run: str
    file: str
    sha256: str
    size: int
    answers: int
    wrong: int
    wrong_shown: int
    others_shown: int
    not_shown: dict[str, int] = Field(default_factory=dict, description="Answers to data that is kept, by dataset.")


@dataclass
class _Chosen:
    """The answers of a run: how many there are, and those that are shown."""

    wrong: list[Answer] = field(default_factory=list)
    others: list[Answer] = field(default_factory=list)
    counted: int = 0
    counted_wrong: int = 0
    closed: Counter[str] = field(default_factory=Counter)


def report(project: Project, asked: ReportRequest) -> ReportResult:
    """Write a report of a run that ended; InputError if the file exists."""
    store, run = project.run(asked.run)
    target = project.path(asked.to or f"{run}{SUFFIX}")
    if os.path.lexists(target) or target.suffix != SUFFIX:
        what = "this file is there already" if os.path.lexists(target) else f"a report is a file *{SUFFIX}"
        raise InputError(what, where=str(target), next=f"name a new file, such as -o {run}{SUFFIX}")
    data, chosen = _made(store, run, asked)
    with translating_os_errors(target):
        write_atomic(target, data)
    more: dict[str, Any] = {"not_shown": dict(chosen.closed)} if chosen.closed else {}
    return ReportResult(
        run=run,
        file=str(target),
        sha256=sha256(data),
        size=len(data),
        answers=chosen.counted,
        wrong=chosen.counted_wrong,
        wrong_shown=len(chosen.wrong),
        others_shown=len(chosen.others),
        **more,
    )


def _made(store: Store, run: str, asked: ReportRequest) -> tuple[bytes, _Chosen]:
    tables = RunTables.of(store, run)
    chosen = _choose(tables, asked)
    return pages.document(f"{tables.manifest_name}, run {run}", *_sections(tables, chosen, asked)), chosen


class ReportFolder:
    """A folder with reports of the runs of a reproduction, and a page `index.html` that leads to them.

    Reports of earlier reproductions are replaced, so that the page leads to nothing old.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[tuple[Html, Html, str]] = []
        if folder.is_dir() and any(folder.iterdir()) and not (folder / INDEX).is_file():
            what = f"this folder has other files than reports: there is no {INDEX} in it"
            raise InputError(what, where=str(folder), next="name a new folder, or an empty one")

    def add(self, store: Store, run: str, name: str, verdict: str) -> None:
        """Write the report of one run; if it cannot be made, the index page says why."""
        file, made, why = f"{name}{SUFFIX}", b"", ""
        try:
            made, _ = _made(store, run, ReportRequest(run=run))
        except HarnessError as bad:
            why = bad.what
        if made:
            self._write(file, made)
        shown = el("a", name, href=file) if made else Html(join([el("span", name), f": no report: {why}"]))
        self._lines.append((shown, el("span", verdict), run))

    def end(self, left_out: Mapping[str, str]) -> str:
        """Write the index page, which links to all reports, and return its path."""
        head = ("manifest", "verdict", "run")
        about = el("p", "Each name leads to the report of a run: its scores, figures, outputs and answers.")
        parts = [el("h1", "What was reproduced"), about, pages.word_table("Reports", head, self._lines)]
        if left_out:
            parts.append(
                pages.word_table("Left out", ("manifest", "what this machine lacks"), sorted(left_out.items()))
            )
        self._write(INDEX, pages.document("What was reproduced", *parts))
        return str(self._folder / INDEX)

    def _write(self, name: str, data: bytes) -> None:
        path = self._folder / name
        with translating_os_errors(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)


def _choose(tables: RunTables, asked: ReportRequest) -> _Chosen:
    """Choose the answers that are shown: the first wrong ones, and of the others those that the seed draws."""
    closed, found = closed_datasets(tables), dict[Answer, bool]()
    kept: set[Answer] = set()
    chosen = _Chosen()
    for answer in scored_answers(tables) if tables.has(SCORES) else ():
        row = answer.row
        key = (row["item"], row["template"], row["model"], row["sample"])
        if answer.dataset in closed:
            if key not in kept:
                kept.add(key)
                chosen.closed[answer.dataset] += 1
            continue
        found[key] = found.get(key, False) or is_wrong_answer(tables, answer)
    wrong = [key for key, is_so in found.items() if is_so]
    chosen.counted, chosen.counted_wrong, chosen.wrong = len(found), len(wrong), wrong[: asked.wrong]
    others = sorted(set(found).difference(chosen.wrong))
    drawn = (
        seeds.draw_sample(seeds.random_stream(seeds.derive_seed(asked.seed, DRAW)), range(len(others)), asked.sample)
        if others
        else []
    )
    chosen.others = [others[place] for place in sorted(drawn)]
    return chosen


def _sections(tables: RunTables, chosen: _Chosen, asked: ReportRequest) -> Iterator[Html]:
    scores = score_report(tables.store, tables.run)
    yield el("h1", f"{tables.manifest_name}")
    yield _head(tables)
    if tables.limit:
        yield el("p", f"A limited run: only the first {tables.limit} items of each dataset were asked.", class_="note")
    yield pages.section("Scores", "scores", *_scores(scores))
    if figures := list(_figures(tables, closed_datasets(tables))):
        yield pages.section("Figures", "figures", *figures)
    outputs = [
        (name, made["sha256"], f"{made['size']:,}", made["step"])
        for name, made in sorted(tables.record.outputs.items())
    ]
    yield pages.section(
        "Outputs", "outputs", pages.word_table("Outputs", ("output", "sha256", "bytes", "step"), outputs)
    )
    yield from _answers(tables, chosen, asked)


def _head(tables: RunTables) -> Html:
    body = tables.record.body
    told = {
        "run": tables.run,
        "study": str(tables.lock.intent["study"]),
        "status": body["status"],
        "engine": f"{body['engine']}, isolation {body['isolation']}",
        "began": body["started"],
        "models": _models(tables.lock.intent),
        "manifest": body["manifest"],
        "lock": body["lock"],
        "record": require_listed(tables.store, tables.run).record,
        "shown the right answers": f"{len(body['sees_gold'])} steps of stand-ins" if body["sees_gold"] else "",
        "check it": f"harness audit {tables.run}",
    }
    return pages.word_table("The run", ("What", "Which"), [(name, said) for name, said in told.items() if said])


def _models(intent: Mapping[str, Any]) -> str:
    names = list(intent.get("models", ()))
    return ", ".join([*names[:MOST], *([f"{len(names) - MOST} more"] if len(names) > MOST else [])])


def _scores(scores: ScoreReport) -> Iterator[Html]:
    if not scores.table.lines:
        yield el("p", "This run scored no answers.")
        return
    body = []
    for one in scores.documents(scores.table.lines):
        measure = f"{one['scorer']}/{one['metric']}" if one["metric"] else one["scorer"]
        ends = one.get("interval")
        said = f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else one.get("no_interval", "")
        value = pages.NONE if one.get("value") is None else f"{one['value']:.4g}"
        counts = (f"{one['n']:,}", f"{one['errors']:,}", f"{one['missing']:,}")
        body.append((one["model"], one["dataset"], measure, value, said, *counts, one.get("certificate", "")))
    head = ("model", "dataset", "score", "value", "95 % interval", "n", "errors", "missing", "certificate")
    yield pages.word_table("Means of scores", head, body)
    further = [line.document() for line in scores.further]
    if further:
        rows_of = [_further(one) for one in further]
        names = ("model", "dataset", "scorer", "metric", "group", "value", "95 % interval", "n")
        yield pages.word_table("Several answers to a prompt, and groups", names, rows_of)


def _further(one: Mapping[str, Any]) -> Sequence[str]:
    ends = one.get("interval")
    group = f"{one['column']}: {one['group']}" if one.get("column") else ""
    value = pages.NONE if one.get("value") is None else f"{one['value']:.4g}"
    said = f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else str(one.get("no_interval", ""))
    return (one["model"], one["dataset"], one["scorer"], one["metric"], group, value, said, f"{one['n']:,}")


def _figures(tables: RunTables, closed: Mapping[str, str]) -> Iterator[Html]:
    """Yield the figures that the run drew, each sanitised; of a run with data that is kept, why they are not shown."""
    if closed:
        yield el("p", f"Figures of this run are not shown: {next(iter(closed.values()))}.", class_="note")
        return
    for name, made in sorted(tables.record.outputs.items()):
        if name.endswith(".svg"):
            drawn = tables.store.blobs.read(made["sha256"]).decode()
            yield figure(drawn, Path(name).stem, titled(drawn) or name)


def _answers(tables: RunTables, chosen: _Chosen, asked: ReportRequest) -> Iterator[Html]:
    if not chosen.counted and not chosen.closed:
        return
    notes = [f"{chosen.counted:,} answers, {chosen.counted_wrong:,} of them wrong or failed."]
    notes += [f"{count:,} answers to {name} are not shown." for name, count in sorted(chosen.closed.items())]
    prompts = _prompts(tables, {key[:2] for key in (*chosen.wrong, *chosen.others)})
    yield pages.section("Answers", "answers", *(el("p", one) for one in notes))
    told = f"the first {len(chosen.wrong):,} of {chosen.counted_wrong:,}"
    yield pages.section(f"Wrong answers: {told}", "wrong", *_shown(tables, chosen.wrong, prompts))
    rest = chosen.counted - len(chosen.wrong)
    told = f"{len(chosen.others):,} of {rest:,}, drawn with seed {asked.seed}"
    yield pages.section(f"Other answers: {told}", "others", *_shown(tables, chosen.others, prompts))


def _prompts(tables: RunTables, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
    found = {}
    for row in tables.rows(PROMPTS, Prompt):
        if (row["item"], row["template"]) in wanted:
            turns = (f"{one.get('role')}: {one.get('content')}" for one in row.get("messages", ()))
            found[row["item"], row["template"]] = row["text"] if "text" in row else "\n\n".join(turns)
    return found


def _shown(tables: RunTables, wanted: Sequence[Answer], prompts: Mapping[tuple[str, int], str]) -> Iterator[Html]:
    for one in describe_answers(tables, wanted) if wanted else ():
        yield _answer(one, prompts.get(one.asked[:2], ""))


def _answer(one: ShownAnswer, prompt: str) -> Html:
    item, template, model, sample = one.asked
    response: Mapping[str, Any] = one.response or {}
    failed = response.get("error")
    more = f", sample {sample}" if sample else ""
    parts = [el("summary", short(item, 80), f" · {model}, wording {template}{more} · ", _outcome(one))]
    for title, said in (
        ("asked", prompt or json.dumps(dict(one.item["input"]), ensure_ascii=False)),
        ("answered" if failed is None else "failed", str(response.get("text", "") if failed is None else failed)),
        ("right answer", _target(one.gold)),
        *(
            (f"score by {score['scorer']}", json.dumps(dict(score["detail"]), ensure_ascii=False))
            for score in one.scores
        ),
    ):
        cut = f" … {len(said) - TEXT:,} more letters" if len(said) > TEXT else ""
        parts += [el("p", title, class_="soft"), el("pre", visible(said[:TEXT]), cut)] if said else []
    return el("details", *parts)


def _target(gold: Mapping[str, Any]) -> str:
    target = gold.get("target")
    return target if isinstance(target, str) else json.dumps(dict(gold), ensure_ascii=False) if gold else ""


def _outcome(one: ShownAnswer) -> str:
    told = []
    for score in one.scores:
        value = score["value"]
        said = value.get("missing", "") if isinstance(value, Mapping) else value
        told.append(f"{score['scorer']} {score.get('outcome', '')} {said}".replace("  ", " "))
    return "; ".join(told)
