"""Table of a recorded run's scores, and its items beside their answers, each read by its digest.

The run's record and the entries of its steps vouch for what is read. Items of gated, private and hidden data are
refused: what may be shown is read from the run's lock, and from an item that says it is gated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from harness import rows
from harness.errors import InputError
from harness.evidence.record import FINISHED, Record, entry_of_event, read_record
from harness.kit import graded
from harness.kit.meaning import MAIN, Meaning
from harness.kit.score_lines import ScoredAnswer, ScoreLine, number, score_lines
from harness.kit.study import Study
from harness.manifest.datasets import PRIVATE
from harness.manifest.lockfile import Lock, read_lock
from harness.rowtypes import Gold, Item, Response, Score
from harness.steps import maker
from harness.store.journal import Event
from harness.store.store import Entry, Store, follow_journal, require_listed
from harness.studies.registry import find

ITEMS, GOLD, RESPONSES, SCORES = "items", "gold", "responses", "scores"
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class ItemPlace:
    """Where an item belongs: its dataset, and its cluster where items come in clusters."""

    dataset: str
    cluster: str = ""


@dataclass(frozen=True)
class RunTables:
    """The tables of a run that ended."""

    store: Store
    run: str
    record: Record
    lock: Lock

    @classmethod
    def of(cls, store: Store, run: str) -> RunTables:
        """Open the tables of a run; InputError for one that has not ended, DamageError for one that was changed."""
        record = read_record(store, run)
        return cls(store, run, record, read_lock(store.blobs.read(str(record.body["lock"])), "lock"))

    @cached_property
    def study(self) -> Study:
        """The study that the run was of."""
        return find(str(self.lock.intent["study"]))

    @cached_property
    def meanings(self) -> Mapping[str, Meaning]:
        """What the study says of the metrics of this run, by `SCORER[/METRIC]`."""
        return self.study.meanings_of(self.lock.intent.get("settings", {}))

    @property
    def manifest_name(self) -> str:
        """The name of the manifest that was run."""
        return str(self.lock.intent["name"])

    @property
    def limit(self) -> int:
        """How many items of each dataset the run was limited to; 0 where it was not."""
        return int(self.record.body.get("limit", 0))

    def has(self, output: str) -> bool:
        """Whether the run has an output of this name."""
        return output in self.record.outputs

    def rows(self, output: str, kind: type[Kind]) -> Iterator[Kind]:
        """Yield the rows of an output, its bytes checked; nothing where the run has none of this name."""
        if self.has(output):
            yield from rows.read(self.store.blobs.deliver(str(self.record.outputs[output]["sha256"])), kind)

    @cached_property
    def finished(self) -> tuple[Event, ...]:
        """The events of the steps that finished, in their order."""
        chain = follow_journal(self.store, require_listed(self.store, self.run))
        return tuple(event for event in chain.events if event["event"] in FINISHED)

    def entry(self, event: Event) -> Entry:
        """Return the entry of a step that finished."""
        return entry_of_event(self.store, event, self.run)

    def made(self, table: str, kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
        """Yield the rows of a table that the makers of datasets wrote, such as `items`, each with its dataset."""
        for event in self.finished:
            step = str(event["step"])
            dataset = step.rpartition("/")[0]
            made = self.entry(event).outputs.get(table) if step == maker(dataset) else None
            for row in rows.read(self.store.blobs.deliver(made.sha256), kind) if made else ():
                yield dataset, row

    @cached_property
    def places(self) -> dict[str, ItemPlace]:
        """The dataset and the cluster of each item, by the item's id; people, who are not asked, have no `meta`."""
        return {row["id"]: ItemPlace(name, _cluster(row.get("meta"))) for name, row in self.made(ITEMS, Item)}


def _cluster(meta: Any) -> str:
    said = meta.get("cluster") if isinstance(meta, dict) else None
    return said if isinstance(said, str) else ""


def is_right(value: float, meaning: Meaning | None) -> bool | None:
    """Whether a value lies in the better half of its scale, the middle included; None where nobody says a scale.

    A metric of which the study says nothing counts from 0 to 1 where its value lies there.
    """
    if meaning is None:
        return value >= 0.5 if 0 <= value <= 1 else None
    if meaning.floor is None or meaning.ceiling is None or meaning.direction == "neither":
        return None
    middle = (meaning.floor + meaning.ceiling) / 2
    return value >= middle if meaning.direction == "higher" else value <= middle


UNANSWERED, NOT_ASKED = "unanswered", "not-asked"  # how the responses of an attempt end where there is no answer
Answer = tuple[str, int, str, int]  # item, wording, model and sample


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one run, line by line, and what their study says of the metrics, by `SCORER[/METRIC]`."""

    run: str
    study: str
    lines: tuple[ScoreLine, ...]
    meanings: Mapping[str, Meaning]

    def told(self) -> tuple[ScoreLine, ...]:
        """Return the lines that a reader is shown first: main metrics, and those of which the study says a meaning."""
        return tuple(line for line in self.lines if not line.metric or line.measure in self.meanings)

    def document(self) -> dict[str, Any]:
        """Return the whole table as plain data at full precision."""
        used = {line.measure for line in self.lines}
        return {
            "run": self.run,
            "study": self.study,
            "scores": [line.document() for line in self.lines],
            "meanings": {name: said.document() for name, said in sorted(self.meanings.items()) if name in used},
        }


def score_table(store: Store, run: str) -> ScoreTable:
    """Read the table of scores of a run that ended; a run without scores, as one of a lock alone, has no lines.

    What the run's attempt did not ask is no part of it. InputError for a run that has not ended, DamageError where
    its record or outputs are not what it made.
    """
    return table_of(RunTables.of(store, run))


def table_of(tables: RunTables) -> ScoreTable:
    """Make the table of scores of a run whose tables were read: the mean of each metric, with its interval."""
    study = tables.study
    return ScoreTable(tables.run, study.name, score_lines(scored_answers(tables), tables.meanings), tables.meanings)


def scored_answers(tables: RunTables) -> Iterator[ScoredAnswer]:
    """Yield each score of a run with its dataset, its metrics and whether there was an answer, in the stored order."""
    if not tables.has(SCORES):
        return
    ended, study = _without_answer(tables), tables.study
    for row in tables.rows(SCORES, Score):
        finish = ended.get((row["item"], row["template"], row["model"], row["sample"]), "")
        if finish == NOT_ASKED:
            continue
        place = tables.places.get(row["item"])
        if place is None:
            raise InputError(f"a score of item {row['item']}, which no dataset of the run has", where=tables.run)
        yield ScoredAnswer(place.dataset, row, study.read_score(row), finish == UNANSWERED, place.cluster)


def _without_answer(tables: RunTables) -> dict[Answer, str]:
    """Say of responses that an agent did not give, or was not asked for, which of the two; others are not named.

    Only answers that are imported, as those of an attempt are, can lack so.
    """
    if not tables.record.body.get("imported"):
        return {}
    return {
        (row["item"], row["template"], row["model"], row["sample"]): row["finish"]
        for row in tables.rows(RESPONSES, Response)
        if row["finish"] in (UNANSWERED, NOT_ASKED)
    }


def require_showable(tables: RunTables, dataset: str = "") -> None:
    """Refuse to show items of a run, or of one of its datasets, where one of them is gated, private or hidden."""
    held = _closed(tables)
    asked = {dataset} if dataset else {place.dataset for place in tables.places.values()}
    for name in sorted(asked & held.keys()):
        others = sorted({place.dataset for place in tables.places.values()} - held.keys())
        raise InputError(
            f"items of dataset {name!r} are not shown: {held[name]}",
            where=tables.run,
            next=f"--dataset NAME shows those of: {', '.join(others)}" if others else "`harness scores RUN` has means",
        )


def _closed(tables: RunTables) -> dict[str, str]:
    """Say of each dataset whose items are not shown why."""
    said: Mapping[str, Mapping[str, Any]] = tables.lock.intent["datasets"]
    private = {name for name, one in said.items() if str(one.get("fetch", "")).startswith(PRIVATE)}
    found: dict[str, str] = {}
    for name, one in said.items():
        if own := _named(one) & private | {name} & private:
            found[name] = f"it is made from the private file {min(own)!r}, which nobody publishes"
    for split, one in ((tables.lock.intent.get("agents") or {}).get("splits") or {}).items():
        if one.get("hidden"):
            named = one.get("datasets") or [name for name, made in said.items() if "fetch" not in made]
            found |= dict.fromkeys(named, f"the split {split!r} is hidden from agents, who may read a terminal")
    for name, item in tables.made(ITEMS, Item):
        if name not in found and item.get("meta", {}).get("gated"):
            found[name] = "it is gated: who uses it promised not to show its items"
    return found


def _named(said: Mapping[str, Any]) -> set[str]:
    """Collect the texts among what a manifest says of a dataset: the names of other datasets are among them."""
    found: set[str] = set()
    for value in said.values():
        values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        found |= {each for each in values if isinstance(each, str)}
    return found


@dataclass(frozen=True)
class AnswerFilter:
    """Which answers are wanted: empty texts want any; `wrong`, those that failed or are wrong by a scorer wanted."""

    model: str = ""
    dataset: str = ""
    scorer: str = ""
    item: str = ""
    wrong: bool = False

    def takes(self, answer: ScoredAnswer) -> bool:
        """Whether a score is of an answer and by a scorer that is wanted."""
        row = answer.row
        asked = ((self.model, row["model"]), (self.scorer, row["scorer"]), (self.item, row["item"]))
        return answer.dataset == (self.dataset or answer.dataset) and all(not one or one == own for one, own in asked)


@dataclass
class ShownAnswer:
    """One answer with everything that is known of it."""

    dataset: str
    item: Item
    gold: Mapping[str, Any]
    asked: Answer
    response: Response | None = None  # none where likelihoods were measured and nothing was answered
    scores: list[Score] = field(default_factory=list)


def selected(tables: RunTables, wanted: AnswerFilter) -> list[Answer]:
    """List the answers that are wanted, in the order of the items; InputError where a name fits none."""
    seen: dict[str, set[str]] = {"model": set(), "dataset": set(), "scorer": set()}
    found: dict[Answer, bool] = {}
    for answer in scored_answers(tables):
        row = answer.row
        for name, value in (("model", row["model"]), ("dataset", answer.dataset), ("scorer", row["scorer"])):
            seen[name].add(value)
        if wanted.takes(answer):
            asked = (row["item"], row["template"], row["model"], row["sample"])
            found[asked] = found.get(asked, False) or _is_wrong(tables, answer)
    for name, known in seen.items():
        if (given := getattr(wanted, name)) and given not in known:
            raise InputError(f"no {name} {given!r} has scores", where=f"--{name}", next=f"choose of: {_list(known)}")
    if wanted.item and wanted.item not in tables.places:
        raise InputError(f"no item {wanted.item[:80]!r}", where="--item", next="`harness show RUN --items` has the ids")
    order = {name: place for place, name in enumerate(tables.places)}
    return sorted(
        (asked for asked, wrong in found.items() if wrong or not wanted.wrong),
        key=lambda asked: (order[asked[0]], *asked[1:]),
    )


def _list(known: set[str]) -> str:
    return ", ".join(sorted(known)) or "none"


def _is_wrong(tables: RunTables, answer: ScoredAnswer) -> bool:
    if answer.unanswered or graded.state(answer.row) in graded.UNSCORED:
        return True
    value = number(answer.metrics.get(MAIN))
    return value is not None and is_right(value, tables.meanings.get(answer.row["scorer"])) is False


def shown(tables: RunTables, page: Sequence[Answer], scorer: str = "") -> list[ShownAnswer]:
    """Read everything about some answers of a run, by one scorer or by all, in the order given."""
    names = {asked[0] for asked in page}
    items = {row["id"]: (name, row) for name, row in tables.made(ITEMS, Item) if row["id"] in names}
    golds = {row["id"]: row["gold"] for _, row in tables.made(GOLD, Gold) if row["id"] in names}
    found = {asked: ShownAnswer(*items[asked[0]], golds.get(asked[0], {}), asked) for asked in page}
    for row in tables.rows(RESPONSES, Response):
        if one := found.get((row["item"], row["template"], row["model"], row["sample"])):
            one.response = row
    for answer in scored_answers(tables):
        score = answer.row
        if one := found.get((score["item"], score["template"], score["model"], score["sample"])):
            one.scores += [score] if scorer in ("", score["scorer"]) else []
    return list(found.values())
