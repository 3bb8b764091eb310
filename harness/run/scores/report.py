"""Report of a run's scores: its table, and what its answers took: tokens, seconds, dollars at the manifest's prices.

Tokens are those that responses say; seconds are those of the steps that this run executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from harness.evidence.trail import closure_files
from harness.kit.score_lines import ScoreLine
from harness.models.gateway.limits import FOR_GOOD
from harness.rowtypes import Likelihood, Response
from harness.run.locking.certificates import GraderStanding, recorded_standing
from harness.run.scores.table import RESPONSES, SCORES, RunTables, ScoreTable, table_of
from harness.store.store import Store

LIKELIHOODS = "likelihoods"
ASKING = (RESPONSES, LIKELIHOODS)  # in the name of a step in which a model is asked
FILTERED = ("content_filter", "refusal")  # how an answer ends that a provider would not give
REFUSED = re.compile(rf"HTTP ({'|'.join(map(str, sorted(FOR_GOOD)))}) ")
MILLION = Decimal(1_000_000)
AskedPlace = tuple[str, str]  # model and dataset


@dataclass
class AnswerCosts:
    """What the answers of one model to one dataset took; None where nobody counted."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    refused: int = 0  # by the provider
    executed: int = 0  # steps that this run executed
    stored: int = 0  # steps that were in the store
    milliseconds: int = 0  # of those executed
    prices: Mapping[str, str] | None = None

    def use(self, prompt: int | None, completion: int | None) -> None:
        """Add the tokens of one answer."""
        if prompt is not None:
            self.prompt_tokens = (self.prompt_tokens or 0) + prompt
        if completion is not None:
            self.completion_tokens = (self.completion_tokens or 0) + completion

    @property
    def dollars(self) -> str:
        """What the tokens cost at the manifest's prices, as a decimal; "" without prices or tokens."""
        if self.prices is None or self.prompt_tokens is None or self.completion_tokens is None:
            return ""
        prices = {name: Decimal(str(self.prices[name])) for name in ("input", "output")}
        whole = prices["input"] * self.prompt_tokens + prices["output"] * self.completion_tokens
        return f"{(whole / MILLION).normalize():f}"

    def document(self) -> dict[str, Any]:
        """Return the costs as plain data; what nobody counted is left out."""
        tokens = {"prompt": self.prompt_tokens, "completion": self.completion_tokens}
        found: dict[str, Any] = {"refused": self.refused} if self.refused else {}
        if counted := {name: count for name, count in tokens.items() if count is not None}:
            found["tokens"] = counted
        if self.dollars:
            found["dollars"] = self.dollars
        if self.executed:
            found["seconds"] = self.milliseconds / 1000
        return found | ({"stored": True} if self.stored and not self.executed else {})


def answer_costs(tables: RunTables) -> dict[AskedPlace, AnswerCosts]:
    """Add up what the answers of a run took, by model and dataset."""
    found: dict[AskedPlace, AnswerCosts] = {}
    for place, prompt, completion, refused in [*_responses(tables), *_likelihoods(tables)]:
        costs = found.setdefault(place, AnswerCosts())
        costs.use(prompt, completion)
        costs.refused += refused
    for event in tables.finished:
        dataset, kind, model = _asked(str(event["step"]))
        if kind in ASKING and (model, dataset) in found:
            costs = found[model, dataset]
            if event["event"] == "step.done":
                costs.executed += 1
                costs.milliseconds += int(event["usage"].get("wall_ms", 0))
            else:
                costs.stored += 1
    models: Mapping[str, Mapping[str, Any]] = tables.lock.intent["models"]
    for (model, _), costs in found.items():
        costs.prices = models.get(model, {}).get("prices")
    return found


def _asked(step: str) -> tuple[str, str, str]:
    """Return dataset, table and model of a step in which a model is asked; its name is DATASET/…/TABLE/MODEL/PART."""
    parts = step.split("/")
    return (parts[0], parts[-3], parts[-2]) if len(parts) > 3 else ("", "", "")


Used = tuple[AskedPlace, int | None, int | None, bool]  # tokens of the prompt and of the answer, whether refused


def _responses(tables: RunTables) -> Iterator[Used]:
    for row in tables.rows(RESPONSES, Response):
        if row["item"] in tables.places:
            used = row.get("usage", {})
            refused = row["finish"] in FILTERED or bool(REFUSED.match(row.get("error", "")))
            place = (row["model"], tables.places[row["item"]].dataset)
            yield place, used.get("prompt_tokens"), used.get("completion_tokens"), refused


def _likelihoods(tables: RunTables) -> Iterator[Used]:
    """Yield the tokens of continuations that models were asked about; of their prompts nobody counts any."""
    for row in tables.rows(LIKELIHOODS, Likelihood):
        if row["item"] in tables.places:
            place = (row["model"], tables.places[row["item"]].dataset)
            yield place, None, sum(int(each.get("tokens", 0)) for each in row["continuations"]), False


MOST = 12  # lines that are told at the end of a run


@dataclass(frozen=True)
class ScoreReport:
    """The scores of one run with costs by model and dataset, and the certificates of graders by scorer."""

    manifest: str
    table: ScoreTable
    costs: Mapping[AskedPlace, AnswerCosts]
    standings: Mapping[str, GraderStanding]
    limit: int  # items of each dataset that the run was limited to; 0: it was not
    spent: Mapping[str, str]  # dollars that this run spent, by model, where any were
    stand_ins: Mapping[str, bool] = field(default_factory=dict)  # what is no model: was it shown the right answers?

    def documents(self, lines: Iterable[ScoreLine]) -> list[dict[str, Any]]:
        """Return lines of the table as plain data, each with its certificate and with what its answers took."""
        return [self._document(line) for line in lines]

    def _document(self, line: ScoreLine) -> dict[str, Any]:
        found, costs = line.document(), self.costs.get((line.model, line.dataset))
        if standing := self.standings.get(line.scorer):
            found |= {"certificate": standing.state, "certificate_text": standing.text}
        return {**found, **(costs.document() if costs else {})}

    def first(self) -> tuple[ScoreLine, ...]:
        """Return the lines that are told at the end of a run: of few all that are told first, of many main metrics."""
        told = self.table.told()
        return told if len(told) <= MOST else tuple(line for line in told if not line.metric)[:MOST]


def _stand_ins(tables: RunTables) -> dict[str, bool]:
    """Name the models that are none, whatever the manifest calls them."""
    shown = tables.record.body["sees_gold"]
    models: Mapping[str, Mapping[str, Any]] = tables.lock.intent["models"]
    names = [name for name, model in models.items() if model.get("provider") == "baseline"]
    return {name: any(f"/{name}/" in step for step in shown) for name in names}


def score_report(store: Store, run: str) -> ScoreReport:
    """Read the report on the scores of a run that ended; errors as `score_table` has them."""
    tables = RunTables.of(store, run)
    if not tables.has(SCORES):
        return ScoreReport(tables.manifest_name, table_of(tables), {}, {}, tables.limit, {})
    table = table_of(tables)
    calls: Mapping[str, Mapping[str, Any]] = tables.record.body.get("calls", {})
    spent = {model: str(told["dollars"]) for model, told in sorted(calls.items()) if Decimal(told["dollars"])}
    return ScoreReport(
        tables.manifest_name,
        table,
        answer_costs(tables),
        _standings(tables, table),
        tables.limit,
        spent,
        _stand_ins(tables),
    )


def _standings(tables: RunTables, table: ScoreTable) -> dict[str, GraderStanding]:
    """Find the certificate of each scorer of a table that is a grader of its study, by the scorer as rows name it."""
    named = {_grader(table.study, line.scorer): line.scorer for line in table.lines}
    graders = [grader for grader in tables.study.graders if grader in named]
    if not graders:
        return {}
    code = _code(tables)
    return {named[one]: recorded_standing(one, tables.lock.pins, tables.store.blobs, code) for one in graders}


def _grader(study: str, scorer: str) -> str:
    """Spell a scorer as the tool of its study is called."""
    return scorer if scorer.startswith(f"{study}.") else f"{study}.{scorer.replace('-', '_')}"


def _code(tables: RunTables) -> dict[str, str]:
    """Return the code of a run, file by file, from one step of each sort: shards of one are made by the same code."""
    sorts = {str(event["step"]).rpartition("/")[0]: event for event in tables.finished}
    whole = {str(event["step"]): event for event in tables.finished if "/" not in str(event["step"])}
    digests = {str(tables.entry(event).preimage["code"]) for event in [*sorts.values(), *whole.values()]}
    return {
        name: digest
        for code in sorted(digests)
        for name, digest in closure_files(tables.store.blobs.read(code), f"blob {code[:12]}").items()
    }
