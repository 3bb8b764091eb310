"""Labels that a person gave to a run's answers in `view --label`: by which words, how a scorer agrees, and `--labels`.

The labels of a grader are its own grades, those of any other scorer `right` and `wrong`. A grader is handed the same
fields here and by `certify --others`, so both measure the same thing. The rows that are exported have what the labeller
saw, and neither model nor score.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import Field

from harness.digest import sha256
from harness.errors import DamageError, InputError
from harness.files import translating_os_errors
from harness.kit import graded
from harness.kit.grading import Graded, figures
from harness.kit.meaning import MAIN
from harness.kit.score_lines import number
from harness.kit.sides import is_right
from harness.rowtypes import Score
from harness.run.scores.table import RunTables, ShownAnswer, closed_datasets, describe_answers
from harness.store.blobs import is_digest
from harness.store.notes import Labels, RowPlace, answer_id, list_labels
from harness.store.store import Store
from harness.verbs.label_sets import Pointer, value_at_pointer
from harness.verbs.measuring import find_scorer_tool, score_each_row
from harness.verbs.project import Project, Result
from harness.verbs.requests import ExportLabelsRequest

__all__ = [
    "ExportLabelsResult",
    "ExportedLabels",
    "export_labels",
]

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
        value = number(tables.study.read_score(row).get(MAIN))
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
