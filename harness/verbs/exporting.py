"""The verb `export_tables`: a run's items, answers, judgements, scores and figures' rows as files for data frames.

A row is flat: what is nested is JSON in its cell. Texts are as they were, so a spreadsheet may take one for a formula.
Rows about gated, private and hidden data are left out and counted.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from harness.errors import InputError, MissingError
from harness.evidence.compare import json_leaves
from harness.files import translating_os_errors
from harness.kit.further import SummedUp
from harness.kit.score_lines import number
from harness.rowtypes import Gold, Item, Judgement, Prompt, Response, Score
from harness.run.scores.report import score_report
from harness.run.scores.table import GOLD, ITEMS, PROMPTS, RESPONSES, SCORES, RunTables, closed_datasets
from harness.verbs.project import Project, Result
from harness.verbs.requests import ExportTablesRequest

__all__ = [
    "ExportTablesResult",
    "ExportedTable",
    "export_tables",
]

JUDGEMENTS = "judgements"
OWN = (ITEMS, GOLD, PROMPTS, RESPONSES, SCORES, JUDGEMENTS)  # outputs that have a table of their own
DRAWN = (".svg", ".png", ".html", ".npy", ".npz")
MOST = 1 << 26  # bytes of a document whose values are listed
ANSWER = {"item": str, "template": int, "model": str, "sample": int}
COLUMNS: Mapping[str, Mapping[str, type]] = {
    "items": {"item": str, "dataset": str, "task": str, "input": str, "options": str, "gold": str, "meta": str},
    "prompts": {"item": str, "template": int, "prompt": str},
    "answers": {**ANSWER, "answer": str, "finish": str, "error": str, "reasoning": str, "prompt_tokens": int,
                "completion_tokens": int},
    "judgements": {**ANSWER, "judge": str, "repeat": int, "round": int, "text": str, "parsed": str, "error": str},
    "scores": {**ANSWER, "dataset": str, "scorer": str, "value": float, "missing": str, "outcome": str, "detail": str},
    "means": {"model": str, "dataset": str, "scorer": str, "metric": str, "n": int, "items": int, "value": float,
              "low": float, "high": float, "errors": int, "unanswered": int, "missing": int, "certificate": str},
    "outputs": {"output": str, "pointer": str, "value": str, "number": float},
}  # fmt: skip
Row = Mapping[str, Any]


class ExportedTable(Result):
    """One table: its file, and its number of rows."""

    file: str
    rows: int


class ExportTablesResult(Result):
    """Result of `export_tables`: the folder, its tables, and how many rows were left out, by dataset."""

    run: str
    folder: str
    tables: list[ExportedTable]
    left_out: dict[str, int] = Field(default_factory=dict)


def export_tables(project: Project, asked: ExportTablesRequest) -> ExportTablesResult:
    """Write a run's tables into a new folder, in one form; InputError if the folder exists."""
    named = {name: folder for name in WRITERS if (folder := getattr(asked, name))}
    if len(named) != 1:
        raise InputError("one form is written at a time", next="give one of --csv DIR, --parquet DIR, --jsonl DIR")
    [(form, folder)] = named.items()
    store, run = project.run(asked.run)
    target = project.path(folder)
    if os.path.lexists(target):
        raise InputError("this is there already", where=str(target), next="name a new folder")
    if form == "parquet":
        _require_polars()
    source = _Source(RunTables.of(store, run))
    made: list[ExportedTable] = []
    with translating_os_errors(target):
        target.mkdir(parents=True)
        try:
            for name, of in source.tables().items():
                path = target / f"{name}.{form}"
                count = WRITERS[form](path, COLUMNS[name], of())
                if count:
                    made.append(ExportedTable(file=path.name, rows=count))
                else:
                    path.unlink()
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
    more: dict[str, Any] = {"left_out": dict(source.left_out)} if source.left_out else {}
    return ExportTablesResult(run=run, folder=str(target), tables=made, **more)


class _Source:
    """The rows of a run's tables that may be shown."""

    def __init__(self, tables: RunTables) -> None:
        self._tables = tables
        self._closed = closed_datasets(tables)
        self.left_out: Counter[str] = Counter()

    def tables(self) -> dict[str, Callable[[], Iterator[Row]]]:
        """Return the tables by name, each as a function that yields its rows."""
        return {
            "items": self._items,
            "prompts": self._prompts,
            "answers": self._answers,
            "judgements": self._judgements,
            "scores": self._scores,
            "means": self._means,
            "outputs": self._outputs,
        }

    def _dataset(self, item: str) -> str:
        """Return the dataset of an item; empty, and counted, if it is not shown."""
        place = self._tables.places.get(item)
        name = place.dataset if place else ""
        if name in self._closed:
            self.left_out[name] += 1
            return ""
        return name

    def _items(self) -> Iterator[Row]:
        golds = {row["id"]: row["gold"] for name, row in self._tables.made(GOLD, Gold) if name not in self._closed}
        for name, row in self._tables.made(ITEMS, Item):
            if self._dataset(row["id"]):
                yield {
                    "item": row["id"],
                    "dataset": name,
                    "task": row.get("task"),
                    "input": _json(row.get("input")),
                    "options": _json(row.get("options")),
                    "gold": _json(golds.get(row["id"])),
                    "meta": _json(row.get("meta") or None),
                }

    def _prompts(self) -> Iterator[Row]:
        for row in self._tables.rows(PROMPTS, Prompt):
            if self._dataset(row["item"]):
                text = row["text"] if "text" in row else _json(row.get("messages"))
                yield {"item": row["item"], "template": row["template"], "prompt": text}

    def _answers(self) -> Iterator[Row]:
        for row in self._tables.rows(RESPONSES, Response):
            if self._dataset(row["item"]):
                used = row.get("usage", {})
                yield {
                    **{name: row[name] for name in ANSWER},  # type: ignore[literal-required]
                    "answer": row.get("text"),
                    "finish": row.get("finish"),
                    "error": row.get("error"),
                    "reasoning": row.get("reasoning"),
                    "prompt_tokens": used.get("prompt_tokens"),
                    "completion_tokens": used.get("completion_tokens"),
                }

    def _judgements(self) -> Iterator[Row]:
        for row in self._tables.rows(JUDGEMENTS, Judgement):
            if self._dataset(row["item"]):
                yield {**row, "parsed": _json(row["parsed"])}

    def _scores(self) -> Iterator[Row]:
        for row in self._tables.rows(SCORES, Score):
            if dataset := self._dataset(row["item"]):
                said = row["value"]
                missing = said["missing"] if isinstance(said, dict) else None
                yield {
                    **row,
                    "dataset": dataset,
                    "value": number(said),
                    "missing": missing,
                    "detail": _json(row["detail"]),
                }

    def _means(self) -> Iterator[Row]:
        report = score_report(self._tables.store, self._tables.run)
        for one in report.documents(report.table.lines):
            low, high = one.get("interval") or (None, None)
            yield {**one, "low": low, "high": high}

    def _outputs(self) -> Iterator[Row]:
        """Yield each value of the outputs that are documents, such as what figures are drawn from, by its pointer."""
        study = self._tables.study
        summary = study.summary_output if isinstance(study, SummedUp) else ""
        for name, made in sorted(self._tables.record.outputs.items()):
            if name in OWN or name.endswith(DRAWN) or made["size"] > MOST or (self._closed and name != summary):
                continue
            with contextlib.suppress(InputError):  # it is no JSON, or has too many values
                found = json_leaves(self._tables.store.blobs.deliver(made["sha256"]))
                for pointer, text in found.items():
                    value = json.loads(text)
                    told = value if isinstance(value, str) else text
                    yield {"output": name, "pointer": pointer, "value": told, "number": number(value)}


def _json(said: Any) -> str | None:
    return None if said is None else json.dumps(said, ensure_ascii=False)


def _flat(columns: Mapping[str, type], row: Row) -> dict[str, Any]:
    """Return a row with exactly these columns; half of a surrogate pair becomes a replacement character."""
    return {name: _storable(row.get(name)) for name in columns}


def _storable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value


def _write_csv(path: Path, columns: Mapping[str, type], found: Iterator[Row]) -> int:
    count = 0
    with open(path, "x", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        for row in found:
            writer.writerow(_flat(columns, row))
            count += 1
    return count


def _write_jsonl(path: Path, columns: Mapping[str, type], found: Iterator[Row]) -> int:
    count = 0
    with open(path, "x", encoding="utf-8") as file:
        for row in found:
            file.write(json.dumps(_flat(columns, row), ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(path: Path, columns: Mapping[str, type], found: Iterator[Row]) -> int:
    """Write Parquet through polars, from lines beside it, so that a large table is never whole in memory."""
    import polars  # noqa: PLC0415 - heavy

    kinds = {str: polars.String, int: polars.Int64, float: polars.Float64}
    lines = path.with_suffix(".tmp")
    try:
        count = _write_jsonl(lines, columns, found)
        schema = {name: kinds[kind] for name, kind in columns.items()}
        if count:
            polars.scan_ndjson(lines, schema=schema).sink_parquet(path)
        else:
            path.touch()
    finally:
        lines.unlink(missing_ok=True)
    return count


def _require_polars() -> None:
    try:
        import polars  # noqa: F401, PLC0415
    except ModuleNotFoundError as bad:
        raise MissingError(
            "Parquet needs a package that is not installed", where="polars", next="pip install repro-harness[tables]"
        ) from bad


Writer = Callable[[Path, Mapping[str, type], Iterator[Row]], int]
WRITERS: Mapping[str, Writer] = {"csv": _write_csv, "parquet": _write_parquet, "jsonl": _write_jsonl}
