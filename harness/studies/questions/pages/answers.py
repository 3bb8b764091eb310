"""The table of a page with items and answers: question, right answer and what each model answered, wrong ones first.

Reads the run's tables row by row and keeps the rows that are shown. Items that say they are gated are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import rows
from harness.kit import graded
from harness.kit.meaning import Meaning
from harness.kit.pages import NONE, Html, el, folded, join, named, word_table
from harness.kit.score_lines import number
from harness.kit.sides import is_right
from harness.rowtypes import Gold, Item, Response, Score
from harness.studies.questions.meaning import of_rows

TABLES = ("items", "gold", "scores", "responses")
PAGE = 50  # items in a part; the first one is open
MOST = 500  # items that are shown
MODELS = 6  # models that are shown
LONGEST = 300  # characters of a text that are shown
Place = tuple[str, str]  # item and model
Answer = tuple[str, int, str, int]  # item, wording, model, sample


@dataclass
class Scored:
    """The answers of one model to one item: how many, how many are wrong, and the first of these or of all."""

    answers: dict[Answer, bool] = field(default_factory=dict)  # whether each is wrong by any scorer
    scores: dict[Answer, list[str]] = field(default_factory=dict)
    read: dict[Answer, str] = field(default_factory=dict)  # what a scorer read, which is shown if there is no response

    @property
    def wrong(self) -> int:
        """The number of answers that failed, or are wrong by a scorer."""
        return sum(1 for wrong in self.answers.values() if wrong)

    @property
    def shown(self) -> Answer:
        """The answer that is shown: the first wrong one, or else the first."""
        order = sorted(self.answers, key=lambda one: (one[1], one[3]))
        return next((one for one in order if self.answers[one]), order[0])


@dataclass(frozen=True)
class AnswerRows:
    """The items that are shown, in their order, with everything about them, and how many there are in all."""

    items: Sequence[Item]
    gold: Mapping[str, Mapping[str, Any]]
    scored: Mapping[Place, Scored]
    responses: Mapping[Answer, str]
    total: int
    gated: int = 0


def read_answers(inputs: Mapping[str, Path], models: Sequence[str], scorers: Mapping[str, str]) -> AnswerRows | None:
    """Read the items that are shown, those that most models got wrong first; None if the step has no such tables."""
    if not {"items", "gold", "scores"} <= inputs.keys():
        return None
    meanings = of_rows(scorers)
    wrong: set[Place] = set()
    for row in rows.read(inputs["scores"], Score):
        if row["model"] in models and _is_wrong(row, meanings):
            wrong.add((row["item"], row["model"]))
    missed = Counter(item for item, _ in wrong)
    names, gated = [], 0
    for item in rows.read(inputs["items"], Item):
        if item["meta"].get("gated"):
            gated += 1
        else:
            names.append(item["id"])
    kept = sorted(names, key=lambda name: -missed[name])[:MOST]  # of equal ones, the order of the data stays
    order = {name: place for place, name in enumerate(kept)}
    found = (row for row in rows.read(inputs["items"], Item) if row["id"] in order)
    items = sorted(found, key=lambda one: order[one["id"]])
    scored: dict[Place, Scored] = {}
    for row in rows.read(inputs["scores"], Score):
        if row["item"] in order and row["model"] in models:
            _add(scored.setdefault((row["item"], row["model"]), Scored()), row, meanings)
    shown = {scored[name, model].shown for name in kept for model in models if (name, model) in scored}
    responses = {}
    for response in rows.read(inputs["responses"], Response) if "responses" in inputs else ():
        answer = (response["item"], response["template"], response["model"], response["sample"])
        if answer in shown:
            responses[answer] = f"(error: {response['error']})" if "error" in response else response["text"]
    gold = {row["id"]: row["gold"] for row in rows.read(inputs["gold"], Gold) if row["id"] in order}
    return AnswerRows(items, gold, scored, responses, len(names), gated)


def _is_wrong(row: Score, meanings: Mapping[str, Meaning]) -> bool:
    """Whether an answer failed, or has a value in the worse half of its scorer's scale."""
    value = number(row["value"])
    right = None if value is None else is_right(value, meanings.get(row["scorer"]))
    return right is False or graded.state(row) in graded.UNSCORED


def _add(one: Scored, row: Score, meanings: Mapping[str, Meaning]) -> None:
    answer = (row["item"], row["template"], row["model"], row["sample"])
    value = number(row["value"])
    one.answers[answer] = one.answers.get(answer, False) or _is_wrong(row, meanings)
    failed = graded.state(row) in graded.UNSCORED
    shown = "failed" if failed else "no value" if value is None else f"{value:.3g}"
    one.scores.setdefault(answer, []).append(f"{row['scorer']} {shown}")
    if isinstance(read := row["detail"].get("answer"), str):
        one.read.setdefault(answer, read)


def answers(found: AnswerRows | None, models: Sequence[str]) -> list[Html]:
    """Return the tables of items and answers, a part of the items each; nothing if there are no items to show."""
    if found is None or not found.items:
        return []
    return list(_parts(found, models))


def _parts(found: AnswerRows, models: Sequence[str]) -> Iterator[Html]:
    columns = models[:MODELS]
    yield el("p", _about(found, len(models)), class_="soft")
    for start in range(0, len(found.items), PAGE):
        part = found.items[start : start + PAGE]
        title = f"Items {start + 1} to {start + len(part)} of {found.total:,}"
        shown = word_table(
            title, ["Item", "Question", "Right answer", *map(named, columns)], _rows(found, part, columns)
        )
        yield folded(title, shown) if start else shown


def _about(found: AnswerRows, models: int) -> str:
    told = "Items that most models got wrong come first. Of several answers to an item, the first wrong one is shown."
    if len(found.items) < found.total:
        told += f" Shown are {len(found.items):,} of {found.total:,} items; harness show RUN --items pages through all."
    if models > MODELS:
        told += f" Shown are the answers of the first {MODELS} of {models} models."
    return told + (f" {found.gated:,} gated items are not shown." if found.gated else "")


def _rows(found: AnswerRows, items: Sequence[Item], models: Sequence[str]) -> Iterator[list[Html]]:
    for item in items:
        gold = found.gold.get(item["id"], {})
        yield [
            named(item["id"]),
            join([_question(item)]),
            join([cut(str(gold.get("target", ""))) or NONE]),
            *(_answer(found, found.scored.get((item["id"], model))) for model in models),
        ]


def _question(item: Item) -> str:
    values = list(item["input"].items())
    told = str(values[0][1]) if len(values) == 1 else ", ".join(f"{name}: {value}" for name, value in values)
    options = "; ".join(f"{letter}. {text}" for letter, text in item.get("options", {}).items())
    return cut(told) + (f" ({cut(options)})" if options else "")


def _answer(found: AnswerRows, scored: Scored | None) -> Html:
    if scored is None:
        return join([NONE])
    answer = scored.shown
    text = found.responses.get(answer, scored.read.get(answer, ""))
    told = ", ".join(scored.scores[answer])
    if (many := len(scored.answers)) > 1:
        told += f"; {scored.wrong} of {many} answers wrong"
    mark = el("strong", "wrong: ") if scored.answers[answer] else None
    return join([mark, cut(text) or NONE, el("span", told, class_="why")])


def cut(text: str) -> str:
    """Cut a text to the length that a cell shows."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
