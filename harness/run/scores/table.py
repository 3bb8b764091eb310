"""Table of a recorded run's scores, its items beside their answers, and the words of answers, each by its digest.

What is read is checked against the run's record and the entries of its steps. Items of gated, private and hidden data
are refused, and left out where words are shown beside those of another run or model. The run's lock, and items that say
they are gated, tell what may be shown: one closes its dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypedDict, TypeVar

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.evidence.record import FINISHED, Record, entry_of_event, read_record
from harness.kit import graded
from harness.kit.meaning import MAIN, Meaning, MeaningRow
from harness.kit.score_lines import ScoredAnswer, ScoreLine, ScoreLineRow, number, score_lines
from harness.kit.sides import is_right
from harness.kit.study import Study
from harness.manifest.datasets import PRIVATE
from harness.manifest.lockfile import Lock, read_lock
from harness.rowtypes import Gold, Item, Prompt, Response, Score
from harness.run.locking.hub import GATED
from harness.run.planning.plan import said_settings
from harness.run.sealed import WHY, named, sealed_datasets
from harness.steps import maker_step_name
from harness.store.journal import Event
from harness.store.store import Entry, Store, follow_journal, require_listed
from harness.studies.registry import find

ITEMS, GOLD, RESPONSES, SCORES = "items", "gold", "responses", "scores"
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class ItemPlace:
    """Where an item belongs: its dataset and, if items come in clusters, its cluster."""

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
        """Open the tables of a run; InputError if it has not ended, DamageError if it was changed."""
        record = read_record(store, run)
        return cls(store, run, record, read_lock(store.blobs.read(str(record.body["lock"])), "lock"))

    @cached_property
    def study(self) -> Study:
        """The study that the run was of."""
        return find(str(self.lock.intent["study"]))

    @cached_property
    def meanings(self) -> Mapping[str, Meaning]:
        """What the study says of the metrics of this run, by `SCORER[/METRIC]`."""
        return self.study.meanings_of(said_settings(self.lock.intent))

    @property
    def manifest_name(self) -> str:
        """The name of the manifest that was run."""
        return str(self.lock.intent["name"])

    @property
    def limit(self) -> int:
        """The number of items of each dataset that the run was limited to; 0 if it was not."""
        return int(self.record.body.get("limit", 0))

    def has(self, output: str) -> bool:
        """Whether the run has an output of this name."""
        return output in self.record.outputs

    def rows(self, output: str, kind: type[Kind]) -> Iterator[Kind]:
        """Yield the rows of an output, its bytes checked; nothing if the run has no output of this name."""
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
            made = self.entry(event).outputs.get(table) if step == maker_step_name(dataset) else None
            for row in rows.read(self.store.blobs.deliver(made.sha256), kind) if made else ():
                yield dataset, row

    @cached_property
    def places(self) -> dict[str, ItemPlace]:
        """The dataset and the cluster of each item, by the item's id; people, who are not asked, have no `meta`."""
        return {row["id"]: ItemPlace(name, _cluster(row.get("meta"))) for name, row in self.made(ITEMS, Item)}


def _cluster(meta: Any) -> str:
    said = meta.get("cluster") if isinstance(meta, dict) else None
    return said if isinstance(said, str) else ""


UNANSWERED, NOT_ASKED = "unanswered", "not-asked"  # how the responses of an attempt end if there is no answer
Answer = tuple[str, int, str, int]  # item, wording, model and sample


class ScoreTableRow(TypedDict):
    """A `ScoreTable` as plain data: the run, its study, its lines, and the meanings of its metrics."""

    run: str
    study: str
    scores: list[ScoreLineRow]
    meanings: dict[str, MeaningRow]  # of the metrics that have a line, by `SCORER[/METRIC]`


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one run, a line for each `SCORER[/METRIC]`, and how the study describes each metric."""

    run: str
    study: str
    lines: tuple[ScoreLine, ...]
    meanings: Mapping[str, Meaning]

    def told(self) -> tuple[ScoreLine, ...]:
        """Return the lines that a reader is shown first: main metrics, and those that the study explains."""
        return tuple(line for line in self.lines if not line.metric or line.measure in self.meanings)

    def document(self) -> ScoreTableRow:
        """Return the whole table as plain data at full precision."""
        used = {line.measure for line in self.lines}
        return {
            "run": self.run,
            "study": self.study,
            "scores": [line.document() for line in self.lines],
            "meanings": {name: said.document() for name, said in sorted(self.meanings.items()) if name in used},
        }


def score_table(store: Store, run: str) -> ScoreTable:
    """Return the table of scores of a run that ended; a run without scores, such as one of a lock, has no lines.

    Items that the run's attempt did not ask are left out. Raises InputError for a run that has not ended, and
    DamageError if its record or outputs are not what it made.
    """
    return make_score_table(RunTables.of(store, run))


def make_score_table(tables: RunTables) -> ScoreTable:
    """Return the table of scores of a run whose tables were read: the mean of each metric, with its interval."""
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
    """Return the responses that an agent did not give or was not asked for, and which of the two it was.

    Only imported answers, such as those of an attempt, can be missing in this way.
    """
    if not tables.record.body.get("imported"):
        return {}
    return {
        (row["item"], row["template"], row["model"], row["sample"]): row["finish"]
        for row in tables.rows(RESPONSES, Response)
        if row["finish"] in (UNANSWERED, NOT_ASKED)
    }


def require_showable(tables: RunTables, dataset: str = "") -> None:
    """Raise InputError if items of a run, or of one of its datasets, are gated, private or hidden."""
    held = closed_datasets(tables)
    asked = {dataset} if dataset else {place.dataset for place in tables.places.values()}
    for name in sorted(asked & held.keys()):
        others = sorted({place.dataset for place in tables.places.values()} - held.keys())
        raise InputError(
            f"items of dataset {name!r} are not shown: {held[name]}",
            where=tables.run,
            next=f"--dataset NAME shows those of: {', '.join(others)}" if others else "`harness scores RUN` has means",
        )


def closed_datasets(tables: RunTables) -> dict[str, str]:
    """Return the datasets whose items are not shown, with the reason: also those that the store hides from agents."""
    said: Mapping[str, Mapping[str, Any]] = tables.lock.intent["datasets"]
    private = {name for name, one in said.items() if str(one.get("fetch", "")).startswith(PRIVATE)}
    found = dict.fromkeys(sealed_datasets(tables.lock, tables.store), WHY)
    for name, one in said.items():
        if own := named(one) & private | {name} & private:
            found[name] = f"it is made from the private file {min(own)!r}, which nobody publishes"
    for split, one in ((tables.lock.intent.get("agents") or {}).get("splits") or {}).items():
        if one.get("hidden"):
            hides = one.get("datasets") or [name for name, made in said.items() if "fetch" not in made]
            found |= dict.fromkeys(hides, f"the split {split!r} is hidden from agents, who may read a terminal")
    gated = [name for name, pin in tables.lock.of("files").items() if pin.get(GATED)]
    gated += [name for name, item in tables.made(ITEMS, Item) if item.get("meta", {}).get(GATED)]
    for name in gated:
        found.setdefault(name, "it is gated: who uses it promised not to show its items")
    return found


@dataclass(frozen=True)
class AnswerFilter:
    """A filter of answers by model, dataset, scorer and item; `wrong` keeps those that failed or are wrong."""

    model: str = ""
    dataset: str = ""
    scorer: str = ""
    item: str = ""
    wrong: bool = False

    def takes(self, answer: ScoredAnswer) -> bool:
        """Whether a score is of a wanted answer and by a wanted scorer."""
        row = answer.row
        asked = ((self.model, row["model"]), (self.scorer, row["scorer"]), (self.item, row["item"]))
        return answer.dataset == (self.dataset or answer.dataset) and all(not one or one == own for one, own in asked)


@dataclass
class ShownAnswer:
    """One answer with everything that is known about it."""

    dataset: str
    item: Item
    gold: Mapping[str, Any]
    asked: Answer
    response: Response | None = None  # None if likelihoods were measured and nothing was answered
    scores: list[Score] = field(default_factory=list)


def select_answers(tables: RunTables, wanted: AnswerFilter) -> list[Answer]:
    """List the answers that are wanted, in the order of the items; InputError if a name fits none."""
    seen: dict[str, set[str]] = {"model": set(), "dataset": set(), "scorer": set()}
    found: dict[Answer, bool] = {}
    for answer in scored_answers(tables):
        row = answer.row
        for name, value in (("model", row["model"]), ("dataset", answer.dataset), ("scorer", row["scorer"])):
            seen[name].add(value)
        if wanted.takes(answer):
            asked = (row["item"], row["template"], row["model"], row["sample"])
            found[asked] = found.get(asked, False) or is_wrong_answer(tables, answer)
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


def is_wrong_answer(tables: RunTables, answer: ScoredAnswer) -> bool:
    """Whether an answer failed, was not given, or scored in the worse half of its metric's scale."""
    if answer.unanswered or graded.state(answer.row) in graded.UNSCORED:
        return True
    value = number(answer.metrics.get(MAIN))
    return value is not None and is_right(value, tables.meanings.get(answer.row["scorer"])) is False


def describe_answers(tables: RunTables, page: Sequence[Answer], scorer: str = "") -> list[ShownAnswer]:
    """Return some answers of a run, each with its item, right answer, response and scores, in the order given."""
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


PROMPTS = "prompts"


class AskedAnswer(NamedTuple):
    """A choice of answers: those to one item and, unless None, in one wording, of one model, in one sample."""

    item: str
    template: int | None = None
    model: str | None = None
    sample: int | None = None


@dataclass(frozen=True)
class AnswerWords:
    """The words of one answer: wording, prompt and answer; a text that the run does not have is empty."""

    model: str
    template: int | None
    sample: int | None = None
    wording: str = ""
    prompt: str = ""
    answer: str = ""


@dataclass(frozen=True)
class WordsOfRun:
    """Lookup of the wordings, prompts and answers of a run by item, wording and model."""

    tables: RunTables

    @cached_property
    def _wordings(self) -> Sequence[Mapping[str, Any]]:
        """The wordings of the run as rows `{id, text | turns}`, from its lock and the files that it pins."""
        said: Mapping[str, Any] = self.tables.lock.intent.get("prompts") or {}
        found: list[Mapping[str, Any]] = [{"id": place, "text": text} for place, text in enumerate(_written(said))]
        found += [{"id": 0, "turns": said["turns"]}] if "turns" in said else []
        blobs = self.tables.store.blobs
        for pin in self.tables.lock.of("prompts").values():
            if "sha256" in pin and blobs.state(pin["sha256"]) == "sound":
                found += rows.read(blobs.deliver(pin["sha256"]))
        return found

    @cached_property
    def closed(self) -> Mapping[str, str]:
        """The datasets whose items are not shown, with the reason."""
        return closed_datasets(self.tables)

    def of(self, wanted: Collection[AskedAnswer]) -> dict[AskedAnswer, list[AnswerWords]]:
        """Return, for each choice of answers, the words that the run has and may show.

        If nothing was answered, the prompt alone.
        """
        names = {one.item for one in wanted if self._shows(one.item)}
        answers = self._answers(names)
        prompts = {
            (row["item"], row["template"]): row for row in self.tables.rows(PROMPTS, Prompt) if row["item"] in names
        }
        found: dict[AskedAnswer, list[AnswerWords]] = {}
        for one in wanted:
            places = [place for place in answers if _fits(one, place)]
            asked = [place[1] for place in places] or [place[1] for place in prompts if place[0] == one.item]
            template = asked[0] if asked else None
            prompt = None if template is None else prompts.get((one.item, template))
            words = (self._wording(template, prompt), _spelled(prompt))
            if places:
                same = [place for place in places if place[1:3] == places[0][1:3]]
                found[one] = [AnswerWords(place[2], place[1], place[3], *words, answers[place]) for place in same]
            elif prompt is not None:
                found[one] = [AnswerWords(one.model or "", template, None, *words)]
        return found

    def _shows(self, item: str) -> bool:
        place = self.tables.places.get(item)
        return place is not None and place.dataset not in self.closed

    def _answers(self, names: Collection[str]) -> dict[tuple[str, int, str, int], str]:
        """Return what was answered about some items, in order; without responses, what scorers read of likelihoods."""
        found = {}
        for row in self.tables.rows(RESPONSES, Response):
            if row["item"] in names:
                text = f"(error: {row['error']})" if "error" in row else row["text"]
                found[row["item"], row["template"], row["model"], row["sample"]] = text
        for score in self.tables.rows(SCORES, Score) if self.tables.has(SCORES) else ():
            place = (score["item"], score["template"], score["model"], score["sample"])
            read = score["detail"].get("answer")
            if score["item"] in names and place not in found and isinstance(read, str):
                found[place] = read
        return dict(sorted(found.items(), key=lambda one: one[0][1:]))

    def _wording(self, template: int | None, prompt: Prompt | None) -> str:
        """Return a wording as it was written; of several sets, the one that the prompt says it was made of."""
        fits = [row for row in self._wordings if row.get("id") == template]
        made_of = prompt.get("meta", {}).get("template_sha256") if prompt else None
        same = [row for row in fits if "text" in row and sha256(str(row["text"]).encode()) == made_of]
        for row in same or fits:
            turns = [part for turn in row.get("turns", ()) for part in turn.items()]
            return str(row["text"]) if "text" in row else _turns(turns)
        return ""


def _written(said: Mapping[str, Any]) -> Sequence[str]:
    return [said["text"]] if "text" in said else said.get("texts") or []


def _fits(one: AskedAnswer, place: tuple[str, int, str, int]) -> bool:
    return one.item == place[0] and all(
        wanted is None or wanted == own for wanted, own in zip(one[1:], place[1:], strict=True)
    )


def _spelled(prompt: Prompt | None) -> str:
    if prompt is None:
        return ""
    if "text" in prompt:
        return prompt["text"]
    return _turns([(str(turn.get("role")), turn.get("content")) for turn in prompt.get("messages", ())])


def _turns(turns: Sequence[tuple[str, Any]]) -> str:
    return "\n".join(f"{role}: {content}" for role, content in turns)
