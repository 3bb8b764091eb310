"""The index of one run's answers, what is asked of it, and comparisons kept beside it.

An index is a SQLite file with full-text search, made from the run's tables, and never the truth. It holds names,
numbers, the beginnings of answers, and where in which blob each row stands. What a reader is shown is read from the
blobs. Items of gated, private and hidden data, and all that was answered about them, are left out. An index names the
digest of the record that it was made from, and that of what the store hid then; with other digests, or in another form,
it is made anew. So is one that this user's viewer did not make here, such as one that came with a store: a mark in the
user's cache tells them apart.

A page of answers is asked by filter, word and order, with the counts beside it. Pages are cut by key: a page begins
after the last row of the one before, however many there are. A comparison of two runs or two models by item is kept by
the digests of both records.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from harness.digest import sha256
from harness.errors import HarnessError, InputError
from harness.files import make_folder, translating_os_errors, write_atomic
from harness.store.attempts import FOLDER as HIDDEN
from harness.store.store import Store
from harness.store.sweep import INDEXES

FORM = "answers/2"  # of an index; another one is made anew
FOLDER = INDEXES  # in a store
OWNER = 0o600


def index_path(store: Store, run: str) -> Path:
    """Return the path of a run's index: in the store, or in the user's cache if the store is read-only."""
    own = store.root / FOLDER
    if not own.is_symlink() and os.access(own if own.is_dir() else store.root, os.W_OK):  # no link is followed
        return own / f"{run}.sqlite"
    return _cache(store) / f"{run}.sqlite"


def _cache(store: Store) -> Path:
    """Return the folder of the user's cache that belongs to a store."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "repro-harness"
    return cache / FOLDER / sha256(os.fsencode(store.root.resolve()))[:16]


def hidden_state(store: Store) -> str:
    """Return a digest of which data a store hides from agents; an index made under another one is not used."""
    return sha256("\n".join(sorted(store.tree.list_names(HIDDEN))).encode())


def mark_made(store: Store, path: Path) -> None:
    """Note in the user's cache that this very file was made here, by the viewer of this user."""
    mark = _cache(store) / f"{path.name}.made"
    with translating_os_errors(mark):
        make_folder(mark.parent)
        write_atomic(mark, _facts(path).encode())


def was_made_here(store: Store, path: Path) -> bool:
    """Whether the viewer of this user made this very file here, and nothing wrote to it since."""
    try:
        return not path.is_symlink() and (_cache(store) / f"{path.name}.made").read_bytes() == _facts(path).encode()
    except OSError:
        return False


def _facts(path: Path) -> str:
    """Return facts of a file that no other file has, whatever was copied or unpacked into its place."""
    found = os.lstat(path)
    return f"{found.st_ino} {found.st_size} {found.st_ctime_ns}\n"


def is_fresh(store: Store, run: str, record: str) -> bool:
    """Whether a run's index was made here, in the present form, from the record with this digest and what is hidden."""
    path = index_path(store, run)
    if not was_made_here(store, path):
        return False
    try:
        with contextlib.closing(open_index(path)) as index:
            found = dict(index.execute("SELECT name, value FROM meta WHERE name IN ('form', 'record', 'hidden')"))
    except sqlite3.DatabaseError:
        return False
    return found == {"form": FORM, "record": record, "hidden": hidden_state(store)}


def open_index(path: Path) -> sqlite3.Connection:
    """Open an index for reading alone; nothing in the file is run."""
    found = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    found.execute("PRAGMA trusted_schema = OFF")
    found.execute("PRAGMA query_only = ON")
    found.execute("PRAGMA cache_size = -4000")
    return found


def storable_text(text: str) -> str:
    """Return a text that UTF-8 can hold: half of a surrogate pair becomes a replacement character."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def prompt_words(row: Mapping[str, Any]) -> str:
    """Return the text of a prompt; of a chat, each turn after its role."""
    if "text" in row:
        return str(row["text"])
    return "\n\n".join(f"{turn.get('role')}: {_content(turn.get('content'))}" for turn in row.get("messages", ()))


def _content(said: Any) -> str:
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def read_row(store: Store, digest: str, at: int, size: int) -> Any:
    """Read one row from a blob whose bytes are checked once while its file stays unchanged."""
    with open(store.blobs.deliver(digest), "rb") as file:
        file.seek(at)
        line = file.read(size)
    try:
        return json.loads(line)
    except ValueError as bad:
        raise HarnessError("the index does not fit this blob", where=digest, next="remove it; it is made anew") from bad


COMPARISON_FORM = "comparison/2"
COMPARISON_PAGE = 50


def comparison_path(store: Store, runs: Sequence[str], records: Sequence[str], models: Sequence[str]) -> Path:
    """Return the path of the file with the comparison of two runs, or of two models of them.

    It is another one once the store hides other data.
    """
    name = sha256("\n".join((COMPARISON_FORM, *runs, *records, *models, hidden_state(store))).encode())[:32]
    return index_path(store, runs[0]).with_name(f"compare-{name}.sqlite")


@dataclass(frozen=True)
class MovedRow:
    """An item in one wording whose scores differ between the two sides, with both values."""

    id: int
    left: str
    right: str
    dataset: str
    scorer: str
    item: str
    template: int
    left_value: float
    right_value: float
    changed: bool


@dataclass(frozen=True)
class Comparison:
    """A comparison that was read back: what it found, and one page of the items whose scores moved."""

    told: dict[str, Any]
    rows: tuple[MovedRow, ...]
    next: int


def read_comparison(path: Path, after: int = 0) -> Comparison:
    """Read a comparison from its file, with the page of moved items that follows the one numbered `after`."""
    with contextlib.closing(open_index(path)) as kept:
        [told] = kept.execute("SELECT value FROM meta WHERE name = 'told'").fetchone()
        found = kept.execute(
            "SELECT * FROM moved WHERE id > ? ORDER BY id LIMIT ?", (after, COMPARISON_PAGE + 1)
        ).fetchall()
    rows = [MovedRow(*one) for one in found]
    return Comparison(
        json.loads(told),
        tuple(rows[:COMPARISON_PAGE]),
        rows[COMPARISON_PAGE - 1].id if len(rows) > COMPARISON_PAGE else 0,
    )


PAGE = 50
NUMBERS = ("a.id", "s.answer", "said.rowid")  # columns that are an answer's number
NOT_GIVEN = ("unanswered", "not-asked")  # how an answer ended that was never given
COUNTED = 1_000  # rows of a search that are counted; beyond, it is said that there are more
MANY = 20_000  # answers with the words of a search from which on they are not sorted
STEP, LOOK = 0.5, 75  # microseconds, of an index in memory
BEGINNING_OF = '"*'  # in words as FTS5 reads them: how a word begins
NAMED = ("dataset", "grp", "model", "outcome")  # filters on a name
FACETS = ("dataset", "grp", "model", "template", "scorer", "outcome")
ORDERS = {"item": ("a.id", ""), "low": ("s.value", ""), "high": ("s.value", "DESC"), "long": ("a.tokens", "DESC")}
SIDES = {"wrong": "s.side = 0", "right": "s.side = 1"}


@dataclass(frozen=True)
class AnswerQuery:
    """A query for answers, from the parameters of a URL: filters, words, order; an empty text filters nothing."""

    dataset: str = ""
    group: str = ""
    model: str = ""
    template: str = ""
    scorer: str = ""
    outcome: str = ""
    side: str = ""  # wrong | right
    error: str = ""  # "1": only those that failed
    item: str = ""
    q: str = ""  # words
    within: str = "answers"  # where the words are searched: answers | prompts
    sort: str = "item"
    after: str = ""  # the key of the last row of the page before

    @classmethod
    def read(cls, given: Mapping[str, str]) -> AnswerQuery:
        """Parse a query from the parameters of a URL; raise InputError for a value that no page has."""
        found = cls(**{one.name: given[one.name][:400] for one in fields(cls) if one.name in given})
        for value, known in ((found.sort, ORDERS), (found.within, ("answers", "prompts")), (found.side, ("", *SIDES))):
            if value not in known:
                raise InputError(f"there is no {value[:40]!r} here", next=f"choose of: {', '.join(known)}")
        if found.template:
            number_in_address(found.template)
        return found

    def address(self, **changed: str) -> str:
        """Return the URL parameters of this query with changed fields; of its first page, unless `after` is given."""
        asked = replace(self, **{"after": "", **changed})
        default = AnswerQuery()
        told = {name: value for name, value in vars(asked).items() if value != getattr(default, name)}
        return f"?{urlencode(told)}"


@dataclass(frozen=True)
class ListedAnswer:
    """One answer as a row of the list of answers: item, model, first words, score and outcome."""

    id: int
    item: str
    dataset: str
    model: str
    template: int
    sample: int
    beginning: str
    size: int
    failed: bool
    finish: str
    value: float | None
    side: int | None
    outcome: str


@dataclass(frozen=True)
class AnswerPage:
    """A page of the list of answers: its rows, where the next page begins, and how many answers match."""

    rows: tuple[ListedAnswer, ...]
    next: str
    total: int
    more: bool


@dataclass(frozen=True)
class RowOrigin:
    """Where a row is stored: its blob and bytes, and the step that wrote it, with the step's key."""

    sha256: str
    at: int
    size: int
    step: str
    key: str


@dataclass(frozen=True)
class AnswerPlaces:
    """Where the rows of one answer are stored: item, right answer, prompt, response, scores, judgements."""

    listed: ListedAnswer
    item: RowOrigin | None
    gold: RowOrigin | None
    prompt: RowOrigin | None
    response: RowOrigin | None
    scores: Mapping[str, RowOrigin] = field(default_factory=dict)
    judgements: tuple[RowOrigin, ...] = ()
    others: tuple[ListedAnswer, ...] = ()  # other answers to the same item


class AnswerIndex:
    """Reader of a run's index, by which pages find, filter and count answers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._index = open_index(path)
        self._matches: dict[tuple[str | int, ...], int] = {}  # how many answers have words, by these and the span

    def close(self) -> None:
        """Close the index's file."""
        self._index.close()

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: Path) -> Iterator[AnswerIndex]:
        """Context manager that opens an index and yields its reader."""
        with contextlib.closing(cls(path)) as found:
            yield found

    @cached_property
    def meta(self) -> Mapping[str, str]:
        """The facts that the index holds of its run, by name."""
        return dict(self._index.execute("SELECT name, value FROM meta"))

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The names of datasets, models and scorers in the index, by their numbers."""
        return dict(self._index.execute("SELECT id, name FROM names"))

    def of_kind(self, kind: str) -> list[str]:
        """Return the names of one kind in the index, such as all models, sorted."""
        return [one for (one,) in self._index.execute("SELECT name FROM names WHERE kind = ? ORDER BY 1", (kind,))]

    def document(self, name: str) -> Any:
        """Return one of the facts in `meta` that is JSON, parsed."""
        return json.loads(self.meta[name])

    def _number(self, kind: str, name: str) -> int:
        found = self._index.execute("SELECT id FROM names WHERE kind = ? AND name = ?", (kind, name)).fetchone()
        if found is None:
            raise InputError(f"this run has no {kind} {name[:60]!r}", next="choose one of the list")
        return int(found[0])

    def scorer(self, asked: AnswerQuery) -> int | None:
        """Return the number of the scorer whose scores are shown: the one that is asked for, else the first."""
        known = self.of_kind("scorer")
        return self._number("scorer", asked.scorer or known[0]) if asked.scorer or known else None

    def _where(self, asked: AnswerQuery, without: str = "") -> tuple[list[str], list[Any]]:
        """Return the conditions of what is asked, and their values; `without` leaves one field out."""
        found: list[str] = []
        values: list[Any] = []
        for column, kind, value in (
            ("a.dataset", "dataset", asked.dataset),
            ("a.grp", "group", asked.group),
            ("a.model", "model", asked.model),
            ("s.outcome", "outcome", asked.outcome),
        ):
            if value and without != kind:
                found.append(f"{column} = ?")
                values.append(self._number(kind, value))
        if asked.template and without != "template":
            found.append("a.template = ?")
            values.append(int(asked.template))
        if asked.side:
            found.append(SIDES[asked.side])
        if asked.error:
            found.append("a.failed = 1")
        return found, values

    def page(self, asked: AnswerQuery, size: int = PAGE) -> AnswerPage:
        """Return a page of the answers that match a query, at most `size` of them."""
        total, more = self._total(asked)
        column, way = ORDERS[asked.sort]
        source, walk, where, values = self._walk(asked)
        column = walk if column == "a.id" else column
        by_number = column in NUMBERS
        if asked.after:
            condition, key = _after(asked, column, walk, way)
            where.append(condition)
            values += key
        elif not by_number:
            where.append(f"{column} IS NOT NULL")
        order = column if by_number else f"{column} {way}, {walk} {way}"
        told = f"WHERE {' AND '.join(where)}" if where else ""
        rows = self._listed(f"FROM {source} {told} ORDER BY {order} LIMIT {size + 1}", values) if total else []
        following = ""
        if len(rows) > size:
            last = rows[size - 1]
            following = str(last.id) if by_number else f"{self._key(last, column)!r}~{last.id}"
        return AnswerPage(tuple(rows[:size]), following, total, more)

    def _walk(self, asked: AnswerQuery) -> tuple[str, str, list[str], list[Any]]:
        """Return how the answers are walked through: tables, the column that counts them, conditions, and values."""
        scorer = self.scorer(asked) or 0
        in_order = asked.sort == "long" and (asked.side or asked.outcome)  # by tokens, and not by side or outcome first
        scored = f"{'CROSS' if in_order else 'LEFT'} JOIN scores s ON s.answer = a.id AND s.scorer = {scorer}"
        where, values = self._where(asked)
        source, walk, words = f"answers a {scored}", "a.id", spelled_query(asked.q)
        span = self._span(asked)
        if asked.item:
            where.append("a.item IN (SELECT id FROM items WHERE name = ?)")
            values.append(asked.item)
        if words and asked.within == "prompts":
            where.append("a.prompt IN (SELECT rowid FROM asked WHERE asked MATCH ?)")
            values.append(words)
        elif words and self._words_lead(asked, words, span):  # found in their order by the words
            source, walk = f"said CROSS JOIN answers a ON a.id = said.rowid {scored}", "said.rowid"
            where.insert(0, "said MATCH ?")
            values.insert(0, words)
        elif BEGINNING_OF in words:
            # All that begin so are found once: each look at an answer would find them all.
            where.append(f"+a.id IN (SELECT rowid FROM said WHERE {_matching(span)})")  # noqa: S608 - values are apart
            values += [words, *span]
        elif words:
            where.append("EXISTS (SELECT 1 FROM said WHERE said MATCH ? AND said.rowid = a.id)")
            values.append(words)
        by_score = asked.side or asked.outcome if asked.sort == "item" else asked.sort in ("low", "high")
        if by_score and walk == "a.id" and not asked.item:  # found in their order by the scores
            source, walk = "scores s CROSS JOIN answers a ON a.id = s.answer", "s.answer"
            where.insert(0, f"s.scorer = {scorer}")
        if span:  # where its answers are, so that the others are not walked through
            where.append(f"{walk} BETWEEN ? AND ?")
            values += span
        return source, walk, where, values

    def _words_lead(self, asked: AnswerQuery, words: str, span: Sequence[int]) -> bool:
        """Whether answers are looked for by their words first, and not by filters and order.

        A walk through the answers with the words costs `STEP` each, a look whether an answer has them `LOOK`. Which of
        both ends first is told by how many answers have the words, and how many pass the filters.
        """
        with_words = self._with_words(words, span)
        passing, every = self._counted(asked), self._counted(AnswerQuery(model=asked.model, dataset=asked.dataset))
        if with_words < MANY and asked.sort != "item":
            return True  # few enough to be sorted
        wanted = PAGE if asked.sort != "item" else COUNTED
        walked = min(with_words, wanted * every / passing) if passing else 0
        looked = min(passing, wanted * every / with_words) if with_words else passing
        return asked.sort == "item" and walked * STEP <= looked * LOOK

    def _with_words(self, words: str, span: Sequence[int]) -> int:
        """Return how many answers have the words, and are where a model and a dataset have theirs; at most `MANY`."""
        key: tuple[str | int, ...] = (words, *span)
        if key not in self._matches:
            query = f"SELECT count(*) FROM (SELECT 1 FROM said WHERE {_matching(span)} LIMIT {MANY})"  # noqa: S608
            self._matches[key] = self._searched(query, list(key))
        return self._matches[key]

    def _searched(self, query: str, values: list[Any]) -> int:
        try:
            return int(self._index.execute(query, values).fetchone()[0])
        except sqlite3.OperationalError as bad:
            raise InputError(f"these words cannot be searched: {bad}", next="search for plain words") from bad

    def _counted(self, asked: AnswerQuery) -> int:
        """Return how many answers pass the filters, whatever their words and item."""
        said, told = self._where(asked)
        text = " AND ".join([*said, *self._of_scorer(asked)]).replace("a.", "").replace("s.", "")
        [found] = self._index.execute(f"SELECT coalesce(sum(n), 0) FROM counts WHERE {text or 1}", told).fetchone()  # noqa: S608
        return int(found)

    def _span(self, asked: AnswerQuery) -> list[int]:
        """Return the first and the last answer that a model and a dataset have in common; empty if none is asked for.

        One pair, since FTS5 reads on from the first answer of one pair alone, whatever a second one says.
        """
        named = [
            self._number(kind, name) for kind, name in (("model", asked.model), ("dataset", asked.dataset)) if name
        ]
        query = "SELECT first, last FROM spans WHERE name = ?"
        found = [self._index.execute(query, (one,)).fetchone() or (0, 0) for one in named]
        return [max(first for first, _ in found), min(last for _, last in found)] if found else []

    def _key(self, row: ListedAnswer, column: str) -> float:
        if column == "s.value":
            return float(row.value or 0)
        [found] = self._index.execute("SELECT tokens FROM answers WHERE id = ?", (row.id,)).fetchone()
        return float(found)

    def _total(self, asked: AnswerQuery) -> tuple[int, bool]:
        """Return how many answers are asked for, and whether there are more than were counted."""
        passing = self._counted(asked)
        if not passing or not (spelled_query(asked.q) or asked.item):
            return passing, False
        source, _, where, values = self._walk(replace(asked, sort="item"))
        query = f"SELECT count(*) FROM (SELECT 1 FROM {source} WHERE {' AND '.join(where)} LIMIT {COUNTED + 1})"  # noqa: S608
        found = self._searched(query, values)
        return min(found, COUNTED), found > COUNTED

    def _of_scorer(self, asked: AnswerQuery) -> list[str]:
        scorer = self.scorer(asked)
        return [f"(s.scorer = {scorer} OR s.scorer IS NULL)"] if scorer else []

    def _listed(self, rest: str, values: list[Any]) -> list[ListedAnswer]:
        query = f"""SELECT a.id, (SELECT name FROM items WHERE id = a.item), a.dataset, a.model, a.template, a.sample,
            a.beginning, a.size, a.failed, a.finish, s.value, s.side, s.outcome {rest}"""  # noqa: S608 - values are apart
        try:
            return [self._row(*one) for one in self._index.execute(query, values)]
        except sqlite3.OperationalError as bad:
            raise InputError(f"these words cannot be searched: {bad}", next="search for plain words") from bad

    def _row(self, number: int, item: str, dataset: int, model: int, *rest: Any) -> ListedAnswer:
        template, sample, beginning, size, failed, finish, value, side, outcome = rest
        names = self.names
        return ListedAnswer(
            *(number, item, names[dataset], names[model], template, sample, beginning, size, bool(failed)),
            *(names.get(finish, ""), value, side, names.get(outcome, "")),
        )

    def facet(self, asked: AnswerQuery, kind: str) -> list[tuple[str, int]]:
        """Return the values of one filter, each with the number of answers that match all other filters of a query."""
        column = {"group": "grp"}.get(kind, kind)
        said, told = self._where(asked, without=kind)
        said += [] if kind == "scorer" else self._of_scorer(asked)
        text = " AND ".join(said).replace("a.", "").replace("s.", "")
        query = f"SELECT {column}, sum(n) FROM counts WHERE {column} IS NOT NULL AND {text or 1} GROUP BY 1"  # noqa: S608
        rows = self._index.execute(query, told).fetchall()
        if kind == "template":
            return [(str(one), count) for one, count in sorted(rows)]
        return sorted((self.names[one], count) for one, count in rows)

    def answer(self, number: int, scorer: str = "") -> AnswerPlaces:
        """Return where the rows of an answer are stored; raise InputError if no answer has this number."""
        first = self.scorer(AnswerQuery(scorer=scorer)) or 0
        source = f"FROM answers a LEFT JOIN scores s ON s.answer = a.id AND s.scorer = {first}"
        rows = self._listed(f"{source} WHERE a.id = ?", [number])
        if not rows:
            raise InputError(f"this run shows no answer {number}", next="choose one of the list")
        told = self._index.execute(
            """SELECT a.item, a.blob, a.at, a.size, i.blob, i.at, i.size, i.gold_blob, i.gold_at, i.gold_size,
            p.blob, p.at, p.size FROM answers a JOIN items i ON i.id = a.item LEFT JOIN prompts p ON p.id = a.prompt
            WHERE a.id = ?""",
            (number,),
        ).fetchone()
        response, item, gold, prompt = (self._place(*told[at : at + 3]) for at in (1, 4, 7, 10))
        scores = self._index.execute("SELECT scorer, blob, at, size FROM scores WHERE answer = ?", (number,)).fetchall()
        judged = self._index.execute("SELECT blob, at, size FROM judgements WHERE answer = ?", (number,)).fetchall()
        others = self._listed(f"{source} WHERE a.item = ? AND a.id <> ? ORDER BY a.id LIMIT {PAGE}", [told[0], number])
        return AnswerPlaces(
            rows[0],
            item,
            gold,
            prompt,
            response,
            {self.names[one]: place for one, *rest in scores if (place := self._place(*rest))},
            tuple(place for one in judged if (place := self._place(*one))),
            tuple(others),
        )

    def _place(self, blob: int | None, at: int, size: int) -> RowOrigin | None:
        if blob is None:
            return None
        sha256, step, key = self._index.execute("SELECT sha256, step, key FROM blobs WHERE id = ?", (blob,)).fetchone()
        return RowOrigin(sha256, at, size, step, key)

    def scored_rows(self, scorer: str) -> list[tuple[str, int, int, str]]:
        """Return the answers that have a value by a scorer: blob, first byte there, number, and dataset."""
        rows = self._index.execute(
            """SELECT b.sha256, a.at, a.id, a.dataset, a.finish FROM scores s JOIN answers a ON a.id = s.answer
            JOIN blobs b ON b.id = a.blob WHERE s.scorer = ? AND s.value IS NOT NULL AND a.failed = 0 ORDER BY a.id""",
            (self._number("scorer", scorer),),
        )
        names = self.names
        return [(*told, names[dataset]) for *told, dataset, finish in rows if names.get(finish) not in NOT_GIVEN]

    def find(self, item: str, template: int, model: str, sample: int | None = None) -> int | None:
        """Return the number of an answer by its key, of the first sample unless one is named; None if none is shown."""
        values = (item, template, model, *(() if sample is None else (sample,)))
        query = """SELECT a.id FROM answers a JOIN items i ON i.id = a.item JOIN names n ON n.id = a.model
            WHERE i.name = ? AND a.template = ? AND n.kind = 'model' AND n.name = ?"""
        query += "" if sample is None else " AND a.sample = ?"
        found = self._index.execute(f"{query} ORDER BY a.sample LIMIT 1", values).fetchone()
        return int(found[0]) if found else None

    def beginning(self, number: int) -> str:
        """Return the first words of an answer, for a list of answers."""
        [said] = self._index.execute("SELECT beginning FROM answers WHERE id = ?", (number,)).fetchone()
        return str(said)


def _matching(span: Sequence[int]) -> str:
    """Return the condition on `said` that answers have words and are within a span, if there is one."""
    return "said MATCH ?" + (" AND rowid BETWEEN ? AND ?" if span else "")


def number_in_address(said: str) -> int:
    """Return the whole number that a URL names; raise InputError for anything else."""
    if not re.fullmatch(r"[0-9]{1,18}", said):  # SQLite holds whole numbers below 2^63
        raise InputError(f"{said[:40]!r} is no number of this page", next="choose one of its list")
    return int(said)


def _after(asked: AnswerQuery, column: str, walk: str, way: str) -> tuple[str, list[Any]]:
    """Return the condition that a row follows the key of a page's last one."""
    try:
        if column in NUMBERS:
            return f"{column} > ?", [number_in_address(asked.after)]
        value, _, number = asked.after.partition("~")
        return f"({column}, {walk}) {'<' if way else '>'} (?, ?)", [float(value), number_in_address(number)]
    except ValueError:
        raise InputError("this page does not begin anywhere", next="begin at the first page") from None


WORD = re.compile(r'"([^"]+)"|(\S+)')


def spelled_query(said: str) -> str:
    """Return words as FTS5 reads them: all of them are wanted; "a phrase" in a row, and wor* for how one begins."""
    found = []
    for phrase, word in WORD.findall(said):
        begins = word.endswith("*") and len(word) > 1
        text = phrase or word.rstrip("*")
        if re.search(r"\w", text):
            found.append('"' + text.replace('"', '""') + '"' + ("*" if begins else ""))
    return " ".join(found)
