"""The report on the scores of a recorded run: its table, what the answers took, and how far its graders can be trusted.

It must never know how any of it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from harness.evidence.run_documents import closure_files
from harness.run.certificates import GraderStanding, recorded_standing
from harness.run.run_tables import SCORES, RunTables
from harness.run.score_costs import AnswerCosts, AskedPlace, answer_costs
from harness.run.score_table import ScoreTable, table_of
from harness.store.store import Store
from harness.studies.score_lines import ScoreLine

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
        """Give lines of the table as plain data, each with its certificate and with what its answers took."""
        return [self._document(line) for line in lines]

    def _document(self, line: ScoreLine) -> dict[str, Any]:
        found, costs = line.document(), self.costs.get((line.model, line.dataset))
        if standing := self.standings.get(line.scorer):
            found |= {"certificate": standing.state, "certificate_text": standing.text}
        return {**found, **(costs.document() if costs else {})}

    def first(self) -> tuple[ScoreLine, ...]:
        """Give the lines that are told at the end of a run: of few all that are told first, of many main metrics."""
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
    """Give the code of a run, file by file, from one step of each sort: shards of one are made by the same code."""
    sorts = {str(event["step"]).rpartition("/")[0]: event for event in tables.finished}
    whole = {str(event["step"]): event for event in tables.finished if "/" not in str(event["step"])}
    digests = {str(tables.entry(event).preimage["code"]) for event in [*sorts.values(), *whole.values()]}
    return {
        name: digest
        for code in sorted(digests)
        for name, digest in closure_files(tables.store.blobs.read(code), f"blob {code[:12]}").items()
    }
