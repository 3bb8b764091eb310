"""Labels of answers: those that a person gave in `view --label`, and files of labels by others than a grader's makers.

The labels of a grader are its own grades, those of any other scorer `right` and `wrong`. A grader is handed the same
fields here and by `certify --others`, so both measure the same thing. The rows that are exported (`--labels`) have what
the labeller saw, and neither model nor score.

A file of labels says who labelled, what they saw, and where the rows are. The rows stay as their labellers left them;
the description says which of their fields the scorer takes, and where the label is. The sealed rows are named by their
digest, which is written before a rule is touched, and are read only to measure a grader. Nothing here grades.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from harness.digest import canonical_json, sha256
from harness.errors import DamageError, InputError
from harness.files import translating_os_errors
from harness.kit import graded, score_lines
from harness.kit.certificate import KINDS, PARTS, LabellerRow
from harness.kit.grading import Graded, figures
from harness.kit.meaning import MAIN
from harness.kit.sides import is_right
from harness.rowtypes import Score
from harness.run.scores.table import RunTables, ShownAnswer, closed_datasets, describe_answers
from harness.store.blobs import is_digest
from harness.store.notes import Labels, RowPlace, answer_id, list_labels
from harness.store.store import Store
from harness.texts import reject_duplicates
from harness.verbs.measuring import find_scorer_tool, score_each_row
from harness.verbs.project import Project, Result
from harness.verbs.requests import ExportLabelsRequest

__all__ = ["ExportLabelsResult", "ExportedLabels", "export_labels"]


LONGEST = 80  # letters of a label, of an id and of a labeller's name
EXAMPLE = '{"by": "blind", "labellers": [{"kind": "person", "name": "A. Reader"}], "saw": "question and paper", …}'
NEXT = f"write it as docs/architecture.md says of certificates: {EXAMPLE}"

Row = Mapping[str, Any]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST, pattern=r"^[ -~]*[!-~][ -~]*$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=400)]
Pointer = Annotated[str, StringConstraints(pattern=r"^(/[^/]+)+$", max_length=200)]  # of a field inside a row


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Labeller(_Closed):
    """One who labelled: a person, a model or a paper, by name, and where their own label is, if two labelled."""

    kind: Literal["person", "model", "paper"]
    name: Name
    label: Pointer | None = None
    classes: Mapping[str, str] = Field(default={}, alias="as")  # what they wrote -> the label that it means


class LabelledFile(_Closed):
    """A file of labelled rows beside the description, named by the digest of its bytes."""

    file: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.jsonl$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    rows: Annotated[int, Field(gt=0)]


class Description(_Closed):
    """The description of a set of labels: who labelled, what they saw, and the files with the labelled rows."""

    by: Literal["blind", "published"]
    labellers: Annotated[Sequence[Labeller], Field(min_length=1, max_length=2)]
    saw: Text  # while they labelled; for published labels, where they are published
    label: Pointer = "/label"
    id: Pointer = "/id"
    instance: Pointer | None = None  # rows that belong together have the same one
    fields: Mapping[str, Pointer] = Field(default={})  # of the scorer; default: all fields of a row but its labels
    open: LabelledFile | None = None
    sealed: LabelledFile | None = None

    @model_validator(mode="after")
    def _whole(self) -> Description:
        if not (self.open or self.sealed):
            raise PydanticCustomError("rows", "it names no rows: give `open`, `sealed` or both")
        if wrong := [one.kind for one in self.labellers if one.kind not in KINDS[self.by]]:
            needed = " or ".join(KINDS[self.by])
            raise PydanticCustomError("kind", f"labels that are {self.by} are by a {needed}, and not by a {wrong[0]}")
        own = {self.label, *(one.label for one in self.labellers)}
        if seen := [name for name, pointer in self.fields.items() if pointer in own]:
            raise PydanticCustomError("seen", f"the scorer would see a label in its field {seen[0]}")
        if len(self.labellers) == 2 and not all(one.label for one in self.labellers):
            raise PydanticCustomError("two", "of two labellers each needs `label`, the field with the label they gave")
        return self


@dataclass(frozen=True)
class LabelledRow:
    """A row as it is measured: its label, what its two labellers said, and the fields that the scorer gets."""

    id: str
    instance: str
    label: str
    said: tuple[str, ...]
    given: Row


@dataclass(frozen=True)
class LabelSet:
    """A description of labels by others, and its own digest and folder."""

    path: Path
    sha256: str
    told: Description

    @property
    def labellers(self) -> list[LabellerRow]:
        """Who labelled, kind and name of each, in the form that a certificate has."""
        return [{"kind": one.kind, "name": one.name} for one in self.told.labellers]

    def _named(self, part: str) -> LabelledFile | None:
        return dict(zip(PARTS, (self.told.open, self.told.sealed), strict=True))[part]

    def is_here(self, part: str) -> bool:
        """Whether the rows of a part can be read here, if the description names any."""
        named = self._named(part)
        return named is None or (self.path.parent / named.file).is_file()

    def rows(self, part: str) -> list[LabelledRow]:
        """Read the rows of a part, `develop` (open) or `frozen` (sealed); raises InputError if they are others."""
        named = self._named(part)
        if named is None:
            return []
        path = self.path.parent / named.file
        with translating_os_errors(path):
            data = path.read_bytes()
        if sha256(data) != named.sha256:
            what = "the sealed rows are not" if part == "frozen" else "the rows are not"
            raise InputError(
                f"{what} those that the description names: it says SHA-256 {named.sha256[:12]}…, and they have "
                f"{sha256(data)[:12]}…",
                where=str(path),
                next="restore the rows; sealed rows never change, and other rows need a description of their own",
            )
        rows = list(self._read(data, path))
        if len(rows) != named.rows:
            what = f"the description says {named.rows} rows, and there are {len(rows)}"
            raise InputError(what, where=str(path), next="write how many rows the file has")
        if len({row.id for row in rows}) != len(rows):
            what = f"two rows have the same `{self.told.id}`"
            raise InputError(what, where=str(path), next="name in `id` the field that tells rows apart")
        return rows

    def _read(self, data: bytes, path: Path) -> Iterator[LabelledRow]:
        for number, line in enumerate(data.splitlines(), 1):
            if line.strip():
                yield self._row(object_of_line(line, f"{path}:{number}"), f"{path.name}:{number}", number)

    def _row(self, row: Row, where: str, number: int) -> LabelledRow:
        told = self.told
        name, instance = value_at_pointer(row, told.id), value_at_pointer(row, told.instance) if told.instance else None
        said = [_label(row, one.label, one.classes, where) for one in told.labellers if one.label]
        return LabelledRow(
            id=_short(str(number) if name is None else name, "id", where),
            instance=_key(name if instance is None else instance, number),
            label=_short(value_at_pointer(row, told.label), told.label, where),
            said=tuple(said) if len(told.labellers) == 2 else (),
            given=self._given(row),
        )

    def _given(self, row: Row) -> Row:
        """Return the fields that the scorer gets: never a label of any labeller."""
        if self.told.fields:
            found = ((name, value_at_pointer(row, pointer)) for name, pointer in self.told.fields.items())
            return {name: value for name, value in found if value is not None}
        told = [self.told.label, *(one.label for one in self.told.labellers if one.label)]
        hidden = {*(pointer.split("/")[1] for pointer in told), "label", "part", "instance"}
        return {name: value for name, value in row.items() if name not in hidden}


def read_label_set(path: Path) -> LabelSet:
    """Read the description of labels by others; raises InputError if it does not say who labelled what."""
    with translating_os_errors(path):
        data = path.read_bytes()
    try:
        told = Description.model_validate(object_of_line(data, str(path)))
    except ValidationError as bad:
        raise _explained(bad, path) from None
    return LabelSet(path, sha256(data), told)


def _explained(bad: ValidationError, path: Path) -> InputError:
    first = bad.errors(include_url=False)[0]
    place = "/".join(map(str, first["loc"]))
    if place.startswith("labellers"):
        what = f"it does not say who labelled: `{place}`: {first['msg'].lower()}"
    elif place == "by":
        what = "`by` is neither `blind` nor `published`"
    else:
        what = f"`{place}`: {first['msg'].lower()}" if place else first["msg"]
    return InputError(f"these labels are not described: {what}", where=str(path), next=NEXT)


def object_of_line(line: bytes, where: str) -> Row:
    """Parse a line that holds one JSON object; raise InputError for anything else, and for duplicate names."""
    try:
        row = json.loads(line, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is not JSON: {bad}", where=where, next="give one JSON object") from bad
    if not isinstance(row, dict):
        raise InputError("a JSON object is needed", where=where, next="give {name: value, …}")
    return row


def value_at_pointer(row: Row, pointer: str) -> Any:
    """Return the value at a pointer in a row; None if there is none."""
    value: Any = row
    for name in pointer.split("/")[1:]:
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _label(row: Row, pointer: str, classes: Mapping[str, str], where: str) -> str:
    """Return the label that a labeller gave, by the classes of what they wrote, if there are any."""
    value = value_at_pointer(row, pointer)
    written = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else value
    if classes and written not in classes:
        what = f"`{pointer}` is none of {', '.join(classes)}"
        raise InputError(what, where=where, next="name in `as` the label that it means")
    return _short(classes[str(written)] if classes else written, pointer, where)


def _short(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str) or not value.isascii() or not 0 < len(value) <= LONGEST:
        what = f"`{name}` is missing, or no ASCII text of at most {LONGEST} letters"
        raise InputError(what, where=where, next="a certificate names rows by it")
    return value


def _key(value: Any, number: int) -> str:
    """Return the text that names an instance: a text itself, or the digest of another value."""
    return value if isinstance(value, str) else str(number) if value is None else sha256(canonical_json(value))


def require_one_each(sets: Sequence[LabelSet]) -> None:
    """Raise InputError if two descriptions are of the same kind of labeller: a certificate has one set of each."""
    kinds = [one.told.by for one in sets]
    if twice := [kind for kind in kinds if kinds.count(kind) > 1]:
        what = f"two files describe labels that are {twice[0]}"
        raise InputError(what, where="--others", next="describe all their rows in one file")


SIDES = ("right", "wrong")
SAW = "the prompt, the answer and the right answer, in a drawn order; neither the model nor what a scorer said"
TEXT = {"question": "/input/question", "answer": "/gold/target", "facts": "/gold/facts", "response": "/response"}
FIELDS: Mapping[str, Mapping[str, Pointer]] = {  # of a grader of answers: where in a labelled row each of its fields is
    "biomed.bioscore_rule": TEXT,
    "reliability.outcome": {
        "benchmark": "/task",
        "response": "/response",
        "a": "/input/a",
        "b": "/input/b",
        "anagram": "/input/anagram",
        "city": "/input/city",
        "input": "/input/text",
        "options": "/options",
        "target": "/gold/target",
        "key": "/gold/target",
        "expected_output": "/gold/target",
        "accepted": "/gold/accepted",
        "answer_shape": "/gold/answer_shape",
    },
}
GRADERS = {"bioscore-rule": "biomed.bioscore_rule"}  # of a run's scorer, where it has another name


def scorer_grader(scorer: str) -> str:
    """Return the grader that scores as a run's scorer does, by its name for `certify`; empty if there is none."""
    name = GRADERS.get(scorer, scorer)
    return name if name in FIELDS else ""


def possible_labels(scorer: str) -> Sequence[str]:
    """Return the labels that a scorer can give an answer, in the scorer's own words."""
    tool = find_scorer_tool(name) if (name := scorer_grader(scorer)) else None
    if tool is None or tool.grader is None:
        return SIDES
    return [str(one) for one in get_args(tool.gives.model_fields[tool.grader.field].annotation)]


@dataclass(frozen=True)
class LabelledAnswer:
    """An answer with a label: its name in what is exported, its row there, and what the scorer says, if it says any."""

    id: str
    label: str
    row: Mapping[str, Any]
    verdict: str


def labelled_answers(store: Store, labels: Labels) -> list[LabelledAnswer]:
    """Return the labelled answers of a run, in the order of their labels, with what the scorer says of each."""
    first = labels.first
    run, scorer = first["run"], first["scorer"]
    tables = RunTables.of(store, run)
    try:
        asked = {place: _answer_at(store, place) for place in labels.given}
        found = {one.asked: one for one in describe_answers(tables, list(asked.values()), scorer)}
    except (ValueError, LookupError, TypeError) as bad:
        what = "these labels name something that is no answer of their run"
        raise DamageError(what, where=str(labels.path), next="move the file away, and label anew") from bad
    closed = closed_datasets(tables)
    rows = [(place, found[asked[place]], label) for place, label in labels.given.items()]
    rows = [(place, one, label) for place, one, label in rows if one.dataset not in closed]
    made = [_row(one) for _, one, _ in rows]
    said = _graded(scorer_grader(scorer), made) or [_side(tables, one.scores) for _, one, _ in rows]
    return [
        LabelledAnswer(answer_id(place), label, row, verdict)
        for (place, _, label), row, verdict in zip(rows, made, said, strict=True)
    ]


def _answer_at(store: Store, place: RowPlace) -> tuple[str, int, str, int]:
    """Return the key of the answer whose row is at a place: item, wording, model and sample."""
    if not is_digest(place.blob) or place.begin < 0:
        raise ValueError(place)
    with open(store.blobs.deliver(place.blob), "rb") as file:
        file.seek(place.begin)
        row = json.loads(file.readline())
    return row["item"], row["template"], row["model"], row["sample"]


def _row(one: ShownAnswer) -> dict[str, Any]:
    """Return what a grader may be handed of an answer, and what a reader needs to understand the label."""
    item: Mapping[str, Any] = one.item
    response: Mapping[str, Any] = one.response or {}
    more = {name: item[name] for name in ("task", "input", "options") if name in item}
    return {"instance": one.item["id"], **more, "gold": dict(one.gold), "response": response.get("text", "")}


def _graded(grader: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what a grader says of rows, which it sees without their labels; nothing if there is no grader."""
    tool = find_scorer_tool(grader) if grader else None
    if tool is None or tool.grader is None:
        return []
    given = (
        {name: value for name, at in FIELDS[grader].items() if (value := value_at_pointer(row, at)) is not None}
        for row in rows
    )
    numbered = ((f"answer {place}", one) for place, one in enumerate(given, 1))
    return [str(one[tool.grader.field]) for one in score_each_row(grader, numbered, {})]


def _side(tables: RunTables, scores: Sequence[Score]) -> str:
    """Return whether a score calls an answer right or wrong; empty if it says neither."""
    for row in scores:
        value = score_lines.number(tables.study.read_score(row).get(MAIN))
        if value is not None and graded.state(row) not in graded.UNSCORED:
            right = is_right(value, tables.meanings.get(row["scorer"]))
            return "" if right is None else SIDES[not right]
    return ""


def label_agreement(answers: Sequence[LabelledAnswer], labels: Sequence[str]) -> dict[str, Any]:
    """Return how a scorer agrees with labels: counts, matrix, kappa with its interval, and the answers that differ."""
    said = [one for one in answers if one.verdict]
    rows = [Graded(str(one.row["instance"]), one.label, one.verdict, one.id) for one in said]
    differ = [{"id": one.id, "label": one.label, "verdict": one.verdict} for one in said if one.label != one.verdict]
    told = {"labelled": len(answers), "without_verdict": len(answers) - len(said), "differ": differ}
    if not rows:
        return {**told, "kappa": "none: the scorer says nothing of these answers", "equal": "", "matrix": {}}
    found = figures(rows, labels[0], 0)
    equal = sum(one.label == one.grade for one in rows)
    return {
        **told,
        "kappa": kappa_text(found["kappa"]),
        "equal": f"{equal:,} of {len(rows):,}",
        "matrix": found["matrix"],
    }


class ExportedLabels(Result):
    """The labels of one labeller: the description that `certify --others` takes, the rows, and how a scorer agrees."""

    labeller: str
    scorer: str
    file: str
    rows: int
    grader: str = Field(description="By this name `certify` measures it; empty if it is no grader.")
    kappa: str = Field(description="Agreement of the scorer with the labels, with its interval, or why there is none.")


class ExportLabelsResult(Result):
    """Result of `export --labels`: the folder, what was written, and which labels were not, with the reason."""

    run: str
    folder: str
    labels: list[ExportedLabels]
    left_out: dict[str, str] = Field(default_factory=dict)


def export_labels(project: Project, asked: ExportLabelsRequest) -> ExportLabelsResult:
    """Write the labels of a run into a new folder; InputError if it exists, or if nobody closed their labels."""
    store, run = project.run(asked.run)
    target = project.path(asked.labels or run)
    if os.path.lexists(target):
        raise InputError("this is there already", where=str(target), next="name a new folder")
    every = sorted(list_labels(store, run), key=lambda one: str(one.path))
    sound = [one for one in every if one.closed and not one.chain.broken]
    if not sound:
        raise InputError(
            "nobody has finished labelling this run",
            where=run,
            next="`harness view --label NAME`, label answers, and press `Finish` there",
        )
    left = {one.path.name: one.chain.broken or "not finished" for one in every if one not in sound}
    made = []
    with translating_os_errors(target):
        target.mkdir(parents=True)
        try:
            for place, one in enumerate(sound, 1):
                answers = labelled_answers(store, one)
                for name, data in _files(place, one, answers):
                    (target / name).write_bytes(data)
                made.append(_told(f"labels-{place}.json", one, answers))
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
    more: dict[str, Any] = {"left_out": left} if left else {}
    return ExportLabelsResult(run=run, folder=str(target), labels=made, **more)


def _files(place: int, labels: Labels, answers: Sequence[LabelledAnswer]) -> Iterator[tuple[str, bytes]]:
    """Yield the rows and their description, as `certify --others` reads them."""
    rows = [{"id": one.id, "label": one.label, **one.row} for one in answers]
    data = b"".join(json.dumps(row, sort_keys=True).encode() + b"\n" for row in rows)
    grader, name = scorer_grader(labels.first["scorer"]), f"labels-{place}.jsonl"
    told = {
        "by": "blind",
        "labellers": [{"kind": "person", "name": labels.first["labeller"]}],
        "saw": SAW,
        "instance": "/instance",
        "fields": dict(FIELDS[grader]) if grader else {},
        "open": {"file": name, "sha256": sha256(data), "rows": len(rows)},
    }
    yield name, data
    yield f"labels-{place}.json", json.dumps(told, indent=2).encode() + b"\n"


def _told(file: str, labels: Labels, answers: Sequence[LabelledAnswer]) -> ExportedLabels:
    first = labels.first
    return ExportedLabels(
        labeller=first["labeller"],
        scorer=first["scorer"],
        file=file,
        rows=len(answers),
        grader=scorer_grader(first["scorer"]),
        kappa=label_agreement(answers, first["labels"])["kappa"],
    )


def kappa_text(told: Mapping[str, Any]) -> str:
    """Return a kappa with its interval as text, or why there is none."""
    value, ends = told["value"], told["interval"]
    if not isinstance(value, str):
        return f"none: {value['missing']}"
    return f"{float(value):.2f} [{float(ends[0]):.2f}, {float(ends[1]):.2f}]" if isinstance(ends, list) else value
