"""The verb `show --items`: answers of a run with their items, right answers and scores, a page at a time."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.evidence.record import spell_healed
from harness.rowtypes import Score
from harness.run.scores.items import AnswerFilter, ShownAnswer, require_showable, selected, shown
from harness.run.scores.table import SCORES, RunTables
from harness.studies.score_lines import number
from harness.verbs.project import Project, Request, Result
from harness.verbs.scoring import RUN

PAGE = 10  # answers


class ShowItemsRequest(Request):
    """Request of `show --items`: which run, which of its answers, and which page of them."""

    run: str = Field(description=RUN)
    model: str = Field(default="", description="Only answers of this model.")
    dataset: str = Field(default="", description="Only items of this dataset.")
    scorer: str = Field(default="", description="Only scores by this scorer.")
    item: str = Field(default="", description="Only this item.")
    wrong: bool = Field(default=False, description="Only answers that failed, or are wrong by a scorer shown.")
    page: int = Field(default=1, ge=1, description=f"Which page, of {PAGE} answers.")


class ShownScore(Result):
    """One scorer's score of an answer: its value, or why there is none, and what the scorer wrote beside it."""

    scorer: str
    value: float | str | None
    missing: str = ""
    outcome: str = ""
    detail: dict[str, Any]


class ShownAnswerData(Result):
    """One answer with its item, the right answer, and its scores."""

    item: str
    dataset: str
    model: str
    template: int
    sample: int
    input: dict[str, Any]
    options: dict[str, str] = Field(default_factory=dict)
    gold: dict[str, Any]
    answer: str | None = None  # none where nothing was answered, as where likelihoods are measured
    finish: str = ""
    error: str = ""
    scores: list[ShownScore]


class ShowItemsResult(Result):
    """Result of `show --items`: one page of answers, and how many there are."""

    run: str
    manifest: str
    page: int
    pages: int
    total: int  # answers that were asked for
    answers: list[ShownAnswerData]
    healed: dict[str, int] = Field(default_factory=dict)  # damage of the store that the run met and made anew
    limit: int = 0  # items of each dataset that the run was limited to; 0: it was not

    @property
    def healed_text(self) -> str:
        """What damage of its store the run met and made anew; empty where it met none."""
        return spell_healed(self.healed)


def show_items(project: Project, asked: ShowItemsRequest) -> ShowItemsResult:
    """Show answers of a run beside their items and gold; refused for gated and private data, and hidden splits."""
    tables = RunTables.of(*project.run(asked.run))
    if not tables.has(SCORES):
        raise InputError("this run has no scores", where=tables.run, next="name a run that scored answers")
    require_showable(tables, asked.dataset or _dataset(tables, asked.item))
    wanted = AnswerFilter(asked.model, asked.dataset, asked.scorer, asked.item, asked.wrong)
    found = selected(tables, wanted)
    pages = max(1, -(-len(found) // PAGE))
    if asked.page > pages:
        raise InputError(f"there is no page {asked.page}", where="--page", next=f"the last one is {pages}")
    page = shown(tables, found[(asked.page - 1) * PAGE : asked.page * PAGE], asked.scorer)
    return ShowItemsResult(
        run=tables.run, manifest=tables.manifest_name, page=asked.page, pages=pages, total=len(found),
        answers=[_answer(one) for one in page], **_remarks(tables),
    )  # fmt: skip


def _remarks(tables: RunTables) -> dict[str, Any]:
    found: dict[str, Any] = {"limit": tables.limit} if tables.limit else {}
    return found | ({"healed": dict(tables.record.body["healed"])} if "healed" in tables.record.body else {})


def _dataset(tables: RunTables, item: str) -> str:
    return tables.places[item].dataset if item in tables.places else ""


def _answer(one: ShownAnswer) -> ShownAnswerData:
    item, template, model, sample = one.asked
    fields: dict[str, Any] = {"options": dict(one.item["options"])} if "options" in one.item else {}
    if one.response:
        failed = {"error": one.response["error"]} if "error" in one.response else {"answer": one.response["text"]}
        fields |= {"finish": one.response["finish"], **failed}
    return ShownAnswerData(
        item=item, dataset=one.dataset, model=model, template=template, sample=sample, input=dict(one.item["input"]),
        gold=dict(one.gold), scores=[_score(score) for score in one.scores], **fields,
    )  # fmt: skip


def _score(score: Score) -> ShownScore:
    said = score["value"]
    fields = {"missing": str(said["missing"])} if isinstance(said, dict) else {}
    value = None if isinstance(said, dict) else said if number(said) is None else number(said)
    if "outcome" in score:
        fields["outcome"] = score["outcome"]
    return ShownScore(scorer=score["scorer"], value=value, detail=dict(score["detail"]), **fields)
