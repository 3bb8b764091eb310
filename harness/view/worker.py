"""The process beside the server in which indexes and comparisons are made, so that the server stays small and answers.

It prints a line of JSON for each piece of progress, and a last one that names what it made or what went wrong. For an
index every table of the run is read once. A comparison is made from what `compare` and `diff` say; items that are not
shown are left out of the list and counted, and of such data no line of `diff` is kept either.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.files import make_folder, translating_os_errors
from harness.kit import graded
from harness.kit.meaning import MAIN
from harness.kit.score_lines import number
from harness.kit.sides import is_right
from harness.run.scores.report import score_report
from harness.run.scores.table import NOT_ASKED, UNANSWERED, RunTables, closed_datasets
from harness.steps import maker_step_name
from harness.store.store import Store, require_listed
from harness.verbs.project import Project
from harness.verbs.requests import CompareRequest, DiffRequest
from harness.verbs.review import diff
from harness.verbs.scoring import compare
from harness.view.index import (
    FORM,
    OWNER,
    comparison_path,
    hidden_state,
    index_path,
    mark_made,
    prompt_words,
    storable_text,
)

COMPARISON_SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE moved(id INTEGER PRIMARY KEY, left TEXT, right TEXT, dataset TEXT, scorer TEXT, item TEXT, template INT,
  left_value REAL, right_value REAL, changed INT);
"""


def build_comparison(store: Store, runs: tuple[str, str], models: Sequence[str]) -> Path:
    """Compare two runs, or two models, and write the result to a file that pages read; return its path."""
    path = comparison_path(store, runs, [require_listed(store, run).record for run in runs], models)
    project = Project.at(store.root, store.root)
    asked = CompareRequest(runs=list(dict.fromkeys(runs)), models=_pair(models), items=0)
    found = compare(project, asked)
    closed = {name: why for run in set(runs) for name, why in closed_datasets(RunTables.of(store, run)).items()}
    shown = [one for one in found.items if one.dataset not in closed]
    told = dict[str, Any](found.as_data()) | {"items": [], "words": [], "closed": closed}
    told["left_out"] = len(found.items) - len(shown)
    told["items_moved"] = len({(one.dataset, one.item) for one in found.items})
    told["items_changed"] = len({(one.dataset, one.item) for one in found.items if one.changed})
    if runs[0] != runs[1]:
        parted: dict[str, Any] = diff(project, DiffRequest(left=runs[0], right=runs[1])).as_data()
        told["diff"] = {name: parted[name] for name in ("level", "cause", "stages", *(() if closed else ("texts",)))}
        told["diff"]["first"] = "" if parted["first"] is None else str(parted["first"]["subject"])
    with translating_os_errors(path):
        make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER))
        try:
            with contextlib.closing(sqlite3.connect(temporary)) as kept:
                kept.executescript(COMPARISON_SCHEMA)
                kept.execute("INSERT INTO meta VALUES ('told', ?)", (json.dumps(told),))
                fields = (
                    "left",
                    "right",
                    "dataset",
                    "scorer",
                    "item",
                    "template",
                    "left_value",
                    "right_value",
                    "changed",
                )
                rows = ([None, *(getattr(one, name) for name in fields)] for one in shown)
                kept.executemany("INSERT INTO moved VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
                kept.commit()
            os.replace(temporary, path)
            mark_made(store, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    return path


def _pair(models: Sequence[str]) -> tuple[str, str] | tuple[()]:
    return (models[0], models[1]) if models else ()


GATHER = "harness.rows:gather"  # the kind of a step that joins shards, byte for byte
BEGINNING = 160  # letters of an answer that lists show
SEARCHED = 100_000  # letters of a text that are searched
SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE names(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(kind, name));
CREATE TABLE blobs(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, step TEXT NOT NULL, key TEXT NOT NULL);
CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT NOT NULL, dataset INT, grp INT, blob INT, at INT, size INT,
  gold_blob INT, gold_at INT, gold_size INT);
CREATE TABLE prompts(id INTEGER PRIMARY KEY, blob INT, at INT, size INT);
CREATE TABLE answers(id INTEGER PRIMARY KEY, item INT, dataset INT, grp INT, template INT, model INT, sample INT,
  prompt INT, blob INT, at INT, size INT, finish INT, failed INT, tokens INT, beginning TEXT);
CREATE TABLE scores(answer INT, scorer INT, value REAL, side INT, outcome INT, blob INT, at INT, size INT,
  PRIMARY KEY(answer, scorer)) WITHOUT ROWID;
CREATE TABLE judgements(answer INT, place INT, blob INT, at INT, size INT, PRIMARY KEY(answer, place)) WITHOUT ROWID;
CREATE TABLE spans(name INTEGER PRIMARY KEY, first INT, last INT);
CREATE TABLE counts(dataset INT, grp INT, template INT, model INT, failed INT, scorer INT, outcome INT, side INT,
  n INT);
CREATE VIRTUAL TABLE said USING fts5(words, content='', columnsize=0, tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE asked USING fts5(words, content='', columnsize=0, tokenize="unicode61 remove_diacritics 2");
"""
AFTERWARDS = """
CREATE INDEX items_by_name ON items(name);
CREATE INDEX answers_by_item ON answers(item);
CREATE INDEX answers_by_prompt ON answers(prompt);
CREATE INDEX answers_by_tokens ON answers(tokens, id);
CREATE INDEX scores_by_value ON scores(scorer, value, answer);
CREATE INDEX scores_by_outcome ON scores(scorer, outcome, answer);
CREATE INDEX scores_by_side ON scores(scorer, side, answer);
INSERT INTO spans SELECT model, min(id), max(id) FROM answers GROUP BY model;
INSERT INTO spans SELECT dataset, min(id), max(id) FROM answers GROUP BY dataset;
INSERT INTO counts SELECT a.dataset, a.grp, a.template, a.model, a.failed, s.scorer, s.outcome, s.side, count(*)
  FROM answers a LEFT JOIN scores s ON s.answer = a.id GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
"""
Progress = Callable[[str, int, int], None]  # what is done, how many bytes of it, of how many
AnswerKey = tuple[str, int, str, int]  # item, wording, model and sample


@dataclass(frozen=True)
class TablePart:
    """A blob with a part of a table of a run, and the step that wrote it, with the step's key."""

    sha256: str
    step: str = ""
    key: str = ""


def build_index(store: Store, run: str, progress: Progress = lambda *_: None) -> Path:
    """Build the index of a run (a SQLite file by which pages find answers) and return its path."""
    path = index_path(store, run)
    with translating_os_errors(path):
        make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER))
        try:
            tables = RunTables.of(store, run)
            with contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as index:
                _fill(index, tables, require_listed(store, run).record, progress)
            os.replace(temporary, path)
            mark_made(store, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    return path


def _fill(index: sqlite3.Connection, tables: RunTables, record: str, progress: Progress) -> None:
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -32000", "locking_mode = EXCLUSIVE"):
        index.execute(f"PRAGMA {pragma}")
    index.executescript(SCHEMA)
    index.execute("BEGIN")
    hidden, closed = hidden_state(tables.store), closed_datasets(tables)
    filling = _Filling(index, tables, closed, progress)
    filling.all()
    for statement in filter(str.strip, AFTERWARDS.split(";")):
        index.execute(statement)
    progress("scores", filling.read, filling.total)
    meta = {
        "form": FORM,
        "record": record,
        "hidden": hidden,
        "closed": json.dumps(closed),
        "left_out": json.dumps(filling.left_out),
        "report": json.dumps(_report(tables)),
    }
    index.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    index.execute("COMMIT")


def _report(tables: RunTables) -> dict[str, Any]:
    """Return the run's tables of scores as the verb `scores` does, as plain data."""
    report = score_report(tables.store, tables.run)
    return {
        "study": report.table.study,
        "lines": report.documents(report.table.lines),
        "further": [line.document() for line in report.further],
        "meanings": report.table.document()["meanings"],
        "spent": dict(report.spent),
        "stand_ins": dict(report.stand_ins),
    }


class PartsOfRun:
    """Finder of the blobs that make up a run's tables: a joined table is followed to the steps that wrote its parts.

    So each row is known by the step that made it.
    """

    def __init__(self, tables: RunTables) -> None:
        self._tables = tables
        self._makers: dict[str, tuple[str, str, bool, list[str]]] = {}  # by digest: step, key, joins, what of
        self._named: dict[str, list[str]] = {}
        for event in tables.finished:
            entry = tables.entry(event)
            joins = entry.preimage["kind"] == GATHER
            parts = entry.preimage["inputs"].get("parts", []) if joins else []
            of = [parts] if isinstance(parts, str) else list(parts)
            for name, output in entry.outputs.items():
                if joins and output.sha256 in self._makers:
                    continue  # joined of one part: the same bytes
                if not joins:
                    self._named.setdefault(name, []).append(output.sha256)
                if not joins or output.sha256 not in self._makers:
                    self._makers[output.sha256] = (str(event["step"]), entry.key, joins, of)

    def of(self, table: str) -> list[TablePart]:
        """Return the parts of a table, in their order: of the run's output, else of the steps that write such one."""
        if self._tables.has(table):
            return list(self._below(str(self._tables.record.outputs[table]["sha256"])))
        return [self._part(digest) for digest in self._named.get(table, ())]

    def made(self, dataset: str, table: str) -> list[TablePart]:
        """Return the parts of a table that the maker of a dataset wrote."""
        step = maker_step_name(dataset)
        for event in self._tables.finished:
            if event["step"] == step and (out := self._tables.entry(event).outputs.get(table)):
                return [TablePart(out.sha256, step, str(event["key"]))]
        return []

    def _below(self, digest: str) -> Iterator[TablePart]:
        _, _, joins, of = self._makers.get(digest, ("", "", False, []))
        if not joins:
            yield self._part(digest)
        for one in of:
            yield from self._below(one)

    def _part(self, digest: str) -> TablePart:
        step, key, _, _ = self._makers.get(digest, ("", "", False, []))
        return TablePart(digest, step, key)


@dataclass
class _Filling:
    """The filling of one index: names and places are numbered as they are met."""

    index: sqlite3.Connection
    tables: RunTables
    closed: Mapping[str, str]
    progress: Progress
    read: int = 0
    total: int = 0
    left_out: dict[str, int] = field(default_factory=dict)  # answers, by the dataset that is not shown
    _names: dict[tuple[str, str], int] = field(default_factory=dict)
    _items: dict[str, tuple[int, int, int | None]] = field(default_factory=dict)  # by id: number, dataset, group
    _hidden: dict[str, str] = field(default_factory=dict)  # by the id of an item that is not shown: its dataset
    _prompts: dict[tuple[int, int], int] = field(default_factory=dict)
    _answers: dict[AnswerKey, int] = field(default_factory=dict)
    _finish: dict[int, str] = field(default_factory=dict)  # of answers that an agent did not give

    def all(self) -> None:
        """Fill in every table."""
        parts = PartsOfRun(self.tables)
        datasets = list(self.tables.lock.intent["datasets"])
        made = {name: (parts.made(name, "items"), parts.made(name, "gold")) for name in datasets}
        tables = {name: parts.of(name) for name in ("prompts", "responses", "scores", "judgements")}
        every = [one for pair in made.values() for each in pair for one in each]
        every += [one for each in tables.values() for one in each]
        self.total = sum(self.tables.store.blobs.size(one.sha256) for one in every)
        for name, (items, golds) in made.items():
            self._fill_items(name, items, golds)
        self._fill_prompts(tables["prompts"])
        self._fill_answers(tables["responses"])
        self._fill_scores(tables["scores"])
        self._fill_judgements(tables["judgements"])

    def _rows(self, parts: list[TablePart], what: str) -> Iterator[tuple[int, int, int, Any]]:
        """Yield the rows of a table: the number of its blob, where it begins there, its size, and the row itself."""
        for part in parts:
            told = (part.sha256, part.step, part.key)
            blob = self.index.execute("INSERT INTO blobs(sha256, step, key) VALUES (?, ?, ?)", told).lastrowid
            assert blob
            at = 0
            with open(self.tables.store.blobs.deliver(part.sha256), "rb") as lines:
                for count, line in enumerate(lines):
                    yield blob, at, len(line), json.loads(line)
                    at += len(line)
                    if count % 2000 == 0:
                        self.progress(what, self.read + at, self.total)
            self.read += at

    def _name(self, kind: str, name: object) -> int:
        found = self._names.get((kind, str(name)))
        if found is None:
            said = (kind, storable_text(str(name)))
            self.index.execute("INSERT OR IGNORE INTO names(kind, name) VALUES (?, ?)", said)
            [found] = self.index.execute("SELECT id FROM names WHERE kind = ? AND name = ?", said).fetchone()
            self._names[kind, str(name)] = found
        return int(found)

    def _fill_items(self, dataset: str, items: list[TablePart], golds: list[TablePart]) -> None:
        shown, place = dataset not in self.closed, self._name("dataset", dataset)
        for blob, at, size, row in self._rows(items, "items"):
            if not shown:
                self._hidden[row["id"]] = dataset
                continue
            group = _group(row)
            said = self._name("group", group) if group else None
            told = (storable_text(row["id"]), place, said, blob, at, size)
            made = self.index.execute("INSERT INTO items(name,dataset,grp,blob,at,size) VALUES (?,?,?,?,?,?)", told)
            self._items[row["id"]] = (int(made.lastrowid or 0), place, said)
        if shown:
            rows = self._rows(golds, "right answers")
            told_of = (
                (b, at, size, self._items[row["id"]][0]) for b, at, size, row in rows if row["id"] in self._items
            )
            self.index.executemany("UPDATE items SET gold_blob = ?, gold_at = ?, gold_size = ? WHERE id = ?", told_of)

    def _fill_prompts(self, parts: list[TablePart]) -> None:
        for blob, at, size, row in self._rows(parts, "prompts"):
            if (item := self._items.get(row["item"])) is None:
                continue
            made = self.index.execute("INSERT INTO prompts(blob, at, size) VALUES (?, ?, ?)", (blob, at, size))
            place = self._prompts[item[0], row["template"]] = int(made.lastrowid or 0)
            self.index.execute(
                "INSERT INTO asked(rowid, words) VALUES (?, ?)", (place, storable_text(prompt_words(row)))
            )

    def _answer(self, row: Mapping[str, Any], blob: int | None, at: int, size: int) -> int | None:
        """Add an answer and return its number; None if its item is not shown."""
        item = self._items.get(row["item"])
        if item is None:
            if dataset := self._hidden.get(row["item"]):
                self.left_out[dataset] = self.left_out.get(dataset, 0) + 1
            return None
        place = len(self._answers) + 1
        self._answers[row["item"], row["template"], row["model"], row["sample"]] = place
        text, finish, failed = str(row.get("text", "")), str(row.get("finish", "")), row.get("error") is not None
        said = str(row["error"]) if failed else text
        tokens = row.get("usage", {}).get("completion_tokens")
        fields = (
            *(place, *item, row["template"], self._name("model", row["model"]), row["sample"]),
            *(self._prompts.get((item[0], row["template"])), blob, at, size, self._name("finish", finish)),
            *(failed, tokens, storable_text(" ".join(said[: 2 * BEGINNING].split())[: BEGINNING + 1])),
        )
        self.index.execute(f"INSERT INTO answers VALUES ({','.join('?' * len(fields))})", fields)  # noqa: S608
        if finish in (UNANSWERED, NOT_ASKED):
            self._finish[place] = finish
        return place

    def _fill_answers(self, parts: list[TablePart]) -> None:
        for blob, at, size, row in self._rows(parts, "answers"):
            if place := self._answer(row, blob, at, size):
                words = " ".join(str(row.get(name) or "") for name in ("text", "reasoning", "error"))[:SEARCHED]
                self.index.execute("INSERT INTO said(rowid, words) VALUES (?, ?)", (place, storable_text(words)))

    def _fill_scores(self, parts: list[TablePart]) -> None:
        study, meanings = self.tables.study, self.tables.meanings
        insert = "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        for blob, at, size, row in self._rows(parts, "scores"):
            place = self._answers.get((row["item"], row["template"], row["model"], row["sample"]))
            if place is None and row["item"] in self._items:
                place = self._answer(row, None, 0, 0)  # likelihoods were measured: nothing was answered
            if place is None or self._finish.get(place) == NOT_ASKED:
                continue
            value, state = number(study.read_score(row).get(MAIN)), graded.state(row)
            right = None if value is None else is_right(value, meanings.get(row["scorer"]))
            if self._finish.get(place) == UNANSWERED:
                state, right = UNANSWERED, False
            elif state in graded.UNSCORED:
                right = False
            told = state if state != graded.SCORED else {True: "right", False: "wrong", None: "scored"}[right]
            outcome = self._name("outcome", row["outcome"] if state == graded.SCORED and "outcome" in row else told)
            side = None if right is None else int(right)
            scorer = self._name("scorer", row["scorer"])
            self.index.execute(insert, (place, scorer, value, side, outcome, blob, at, size))

    def _fill_judgements(self, parts: list[TablePart]) -> None:
        seen: dict[int, int] = {}
        for blob, at, size, row in self._rows(parts, "judgements"):
            if place := self._answers.get((row["item"], row["template"], row["model"], row["sample"])):
                seen[place] = seen.get(place, 0) + 1
                self.index.execute("INSERT INTO judgements VALUES (?,?,?,?,?)", (place, seen[place], blob, at, size))


def _group(item: Mapping[str, Any]) -> str:
    """Return the group of an item as a person's own column says it, else its task, if datasets have several."""
    meta = item.get("meta")
    said = meta.get("groups", meta.get("group")) if isinstance(meta, Mapping) else None
    if isinstance(said, Mapping):
        return ", ".join(f"{name}: {value}" for name, value in sorted(said.items()))
    return said if isinstance(said, str) else str(item.get("task", ""))


EVERY = 0.2  # seconds between two lines of progress


def main(argv: Sequence[str]) -> int:
    """Do one task of the viewer, such as making an index, print its progress as JSON, and return the exit code.

    It is `index STORE RUN`, `compare STORE RUN RUN [MODEL MODEL]`, `tell VERB FOLDER STORE` or `agreement STORE FILE`.
    """
    os.nice(5)  # whoever looks goes first
    try:
        _print(TASKS[argv[0]](*argv[1:]))
    except HarnessError as bad:
        _print(bad.as_data())
        return bad.code
    return 0


def _index(store: str, run: str) -> dict[str, Any]:

    last = 0.0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            _print({"what": what, "done": done, "total": total})

    return {"made": str(build_index(Store.open(Path(store)), run, progress))}


def _compare(store: str, left: str, right: str, *models: str) -> dict[str, Any]:

    _print({"what": "scores are compared"})
    return {"made": str(build_comparison(Store.open(Path(store)), (left, right), models))}


def _tell(verb: str, folder: str, store: str) -> dict[str, Any]:
    """Return what a verb without a request says."""
    from harness import verbs  # noqa: PLC0415

    project = verbs.Project.at(folder, store or None)
    watch = verbs.Watch(lambda told: _print({"what": told.task, "done": told.done, "total": told.total}))
    done: verbs.Result
    if verb == "claims":
        done = verbs.claims(project, None, watch)
    else:
        done = verbs.doctor(project) if verb == "doctor" else verbs.list_attempts(project)
    return {"told": done.as_data()}


def _agreement(store: str, path: str) -> dict[str, Any]:
    """Return how a scorer agrees with the labels in a file of the store."""
    from harness.store.notes import read_labels  # noqa: PLC0415
    from harness.verbs.labelling import label_agreement, labelled_answers  # noqa: PLC0415

    opened = Store.open(Path(store))
    labels = read_labels(opened, opened.root / path)
    return {"told": label_agreement(labelled_answers(opened, labels), labels.first["labels"])}


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "index": _index,
    "compare": _compare,
    "tell": _tell,
    "agreement": _agreement,
}


def _print(said: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(said)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
