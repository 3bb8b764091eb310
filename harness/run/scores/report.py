"""What is reported of scores: a run's table with the costs of its answers, and the comparison of two runs.

Costs are in tokens, seconds and dollars. Tokens are those that responses state. Seconds are those of the steps that
this run executed. Dollars are computed from the prices in the manifest. Two runs are compared on the items that they
have in common, and what else differs is said. An item is the same if its id is, and all that a model can be shown of
it. Its position in a file may differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from harness import stats
from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.evidence.trail import closure_files
from harness.kit.further import FurtherLine, SummedUp
from harness.kit.meaning import MAIN, Direction, Meaning
from harness.kit.paired import Pair, PairedColumn, PairedDifference, paired_differences
from harness.kit.score_intervals import ScoreInterval
from harness.kit.score_lines import ScoreLine, ScoreLineRow, measure, number
from harness.kit.sides import is_right
from harness.models.gateway.limits import FOR_GOOD
from harness.rowtypes import Gold, Item, Likelihood, Response
from harness.run.locking.certificates import GraderStanding, recorded_standing
from harness.run.scores.table import (
    GOLD,
    ITEMS,
    RESPONSES,
    SCORES,
    RunTables,
    ScoreTable,
    make_score_table,
    scored_answers,
)
from harness.store.store import Store

LIKELIHOODS = "likelihoods"
ASKING = (RESPONSES, LIKELIHOODS)  # in the name of a step in which a model is asked
FILTERED = ("content_filter", "refusal")  # how an answer ends that a provider refused
REFUSED = re.compile(rf"HTTP ({'|'.join(map(str, sorted(FOR_GOOD)))}) ")
MILLION = Decimal(1_000_000)
AskedPlace = tuple[str, str]  # model and dataset


class CostRow(TypedDict, total=False):
    """`AnswerCosts` as plain data: tokens, dollars and seconds of one model's answers to one dataset."""

    refused: int
    tokens: dict[str, int]  # prompt, completion
    dollars: str
    seconds: float
    stored: bool


class ReportedLineRow(ScoreLineRow, CostRow):
    """A line of a table as plain data, with the costs of its answers and, of a grader, its certificate."""

    certificate: NotRequired[str]
    certificate_text: NotRequired[str]


@dataclass
class AnswerCosts:
    """The costs of one model's answers to one dataset; None if a number was not counted."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    refused: int = 0  # by the provider
    executed: int = 0  # steps that this run executed
    stored: int = 0  # steps that were in the store
    milliseconds: int = 0  # of those executed
    prices: Mapping[str, str] | None = None

    def use(self, prompt: int | None, completion: int | None) -> None:
        """Add the token counts of one answer, as far as they were counted."""
        if prompt is not None:
            self.prompt_tokens = (self.prompt_tokens or 0) + prompt
        if completion is not None:
            self.completion_tokens = (self.completion_tokens or 0) + completion

    @property
    def dollars(self) -> str:
        """The cost of the tokens at the manifest's prices, as a decimal; "" without prices or tokens."""
        if self.prices is None or self.prompt_tokens is None or self.completion_tokens is None:
            return ""
        prices = {name: Decimal(str(self.prices[name])) for name in ("input", "output")}
        whole = prices["input"] * self.prompt_tokens + prices["output"] * self.completion_tokens
        return f"{(whole / MILLION).normalize():f}"

    def document(self) -> CostRow:
        """Return the costs as plain data; what was not counted is left out."""
        tokens = {"prompt": self.prompt_tokens, "completion": self.completion_tokens}
        found: CostRow = {"refused": self.refused} if self.refused else {}
        if counted := {name: count for name, count in tokens.items() if count is not None}:
            found["tokens"] = counted
        if self.dollars:
            found["dollars"] = self.dollars
        if self.executed:
            found["seconds"] = self.milliseconds / 1000
        if self.stored and not self.executed:
            found["stored"] = True
        return found


def answer_costs(tables: RunTables) -> dict[AskedPlace, AnswerCosts]:
    """Return the costs of a run's answers, by model and dataset."""
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
    """Return dataset, table and model of a step that asks a model and is named DATASET/…/TABLE/MODEL/PART."""
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
    """Yield the tokens of continuations that models were asked about; their prompts' tokens are not counted."""
    for row in tables.rows(LIKELIHOODS, Likelihood):
        if row["item"] in tables.places:
            place = (row["model"], tables.places[row["item"]].dataset)
            yield place, None, sum(int(each.get("tokens", 0)) for each in row["continuations"]), False


MOST = 12  # most lines at the end of a run


@dataclass(frozen=True)
class ScoreReport:
    """The scores of one run with costs by model and dataset, and the certificates of graders by scorer."""

    manifest: str
    table: ScoreTable
    costs: Mapping[AskedPlace, AnswerCosts]
    standings: Mapping[str, GraderStanding]
    limit: int  # items of each dataset that the run was limited to; 0: it was not
    spent: Mapping[str, str]  # dollars that this run spent, by model, if any
    stand_ins: Mapping[str, bool] = field(default_factory=dict)  # by stand-in: was it shown the right answers?
    further: tuple[FurtherLine, ...] = ()  # of several answers to a prompt and of groups, if the study has any

    def documents(self, lines: Iterable[ScoreLine]) -> list[ReportedLineRow]:
        """Return lines of the table as plain data, each with its certificate and the costs of its answers."""
        return [self._document(line) for line in lines]

    def _document(self, line: ScoreLine) -> ReportedLineRow:
        costs = self.costs.get((line.model, line.dataset))
        found = cast(ReportedLineRow, {**line.document(), **(costs.document() if costs else {})})
        if standing := self.standings.get(line.scorer):
            found["certificate"], found["certificate_text"] = standing.verdict, standing.text
        return found

    def first(self) -> tuple[ScoreLine, ...]:
        """Return the lines to show at the end of a run: those told first, or main metrics only if those are many."""
        told = self.table.told()
        return told if len(told) <= MOST else tuple(line for line in told if not line.metric)[:MOST]


def _stand_ins(tables: RunTables) -> dict[str, bool]:
    """Return the models that are stand-ins, whatever they are called, and whether each was shown the right answers."""
    shown = tables.record.body["sees_gold"]
    models: Mapping[str, Mapping[str, Any]] = tables.lock.intent["models"]
    names = [name for name, model in models.items() if model.get("provider") == "baseline"]
    return {name: any(f"/{name}/" in step for step in shown) for name in names}


def score_report(store: Store, run: str) -> ScoreReport:
    """Return the report on the scores of a run that ended; raises the same errors as `score_table`."""
    tables = RunTables.of(store, run)
    if not tables.has(SCORES):
        return ScoreReport(tables.manifest_name, make_score_table(tables), {}, {}, tables.limit, {})
    table = make_score_table(tables)
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
        further_lines(tables),
    )


def further_lines(tables: RunTables) -> tuple[FurtherLine, ...]:
    """Return the lines that a run's summary adds to its table of scores: of several answers to a prompt, of groups."""
    study = tables.study
    if not isinstance(study, SummedUp):
        return ()
    return tuple(line for row in tables.rows(study.summary_output, dict) for line in study.further_lines(row))


def _standings(tables: RunTables, table: ScoreTable) -> dict[str, GraderStanding]:
    """Return the certificate of each scorer of a table that is a grader of its study, by the scorer's name in rows."""
    named = {_grader(table.study, line.scorer): line.scorer for line in table.lines}
    graders = [grader for grader in tables.study.graders if grader in named]
    if not graders:
        return {}
    code = _code(tables)
    return {named[one]: recorded_standing(one, tables.lock, tables.store.blobs, code) for one in graders}


def _grader(study: str, scorer: str) -> str:
    """Return the name of a scorer as the tool of its study is called."""
    return scorer if scorer.startswith(f"{study}.") else f"{study}.{scorer.replace('-', '_')}"


def _code(tables: RunTables) -> dict[str, str]:
    """Return the code of a run by file, from one step of each kind: shards of a step are made by the same code."""
    sorts = {str(event["step"]).rpartition("/")[0]: event for event in tables.finished}
    whole = {str(event["step"]): event for event in tables.finished if "/" not in str(event["step"])}
    digests = {str(tables.entry(event).preimage["code"]) for event in [*sorts.values(), *whole.values()]}
    return {
        name: digest
        for code in sorted(digests)
        for name, digest in closure_files(tables.store.blobs.read(code), f"blob {code[:12]}").items()
    }


SHOWN = ("task", "input", "options", "attachments")  # fields of an item that a model can be shown
ASKED = ("prompts", "generation", "seeds", "settings", "instruments")  # parts of an intent that change what is compared


@dataclass(frozen=True)
class CommonItems:
    """Which items two runs share, and remarks on what they do not share."""

    items: frozenset[str]
    remarks: tuple[str, ...] = ()


def common_items(left: RunTables, right: RunTables) -> CommonItems:
    """Return the items that two runs share; InputError if an item's right answer differs between them."""
    if left.run == right.run:
        return CommonItems(frozenset(left.places))
    one, other = _items(left), _items(right)
    both = one.keys() & other.keys()
    same = {name for name in both if one[name] == other[name]}
    golds = [_golds(tables, same) for tables in (left, right)]
    if moved := sorted(name for name in same if golds[0].get(name) != golds[1].get(name)):
        more = f", and so have {len(moved) - 1} more" if len(moved) > 1 else ""
        raise InputError(
            f"item {moved[0][:80]!r} has another right answer in the other run{more}",
            where=f"{left.run} and {right.run}",
            next="run both manifests over the same data; `harness diff RUN RUN` shows where it parts",
        )
    counts = (
        (len(one.keys() - both), "in the first run alone"),
        (len(other.keys() - both), "in the second run alone"),
        (len(both - same), "of the same id and another content"),
    )
    lacks = [f"{count} {where}" for count, where in counts if count]
    remarks = [f"compared on the {len(same)} items that both runs have; left out: {', '.join(lacks)}"] * bool(lacks)
    return CommonItems(frozenset(same), (*remarks, *_remarks(left, right)))


def _items(tables: RunTables) -> dict[str, tuple[str, str]]:
    """Return each item's dataset and the digest of what is asked."""
    return {
        row["id"]: (name, sha256(canonical_json([row.get(field) for field in SHOWN])))
        for name, row in tables.made(ITEMS, Item)
    }


def _golds(tables: RunTables, wanted: set[str]) -> dict[str, str]:
    return {row["id"]: sha256(canonical_json(row["gold"])) for _, row in tables.made(GOLD, Gold) if row["id"] in wanted}


def _remarks(left: RunTables, right: RunTables) -> list[str]:
    intents: list[Mapping[str, Any]] = [tables.lock.intent for tables in (left, right)]
    moved = [name for name in ASKED if intents[0].get(name) != intents[1].get(name)]
    found = [f"the manifests differ in: {', '.join(moved)}"] if moved else []
    scorers = [_scorers(tables) for tables in (left, right)]
    kinds = sorted(kind for kind in scorers[0].keys() & scorers[1].keys() if scorers[0][kind] != scorers[1][kind])
    return found + [f"scored by other code: {kind}" for kind in kinds]


def _scorers(tables: RunTables) -> dict[str, frozenset[str]]:
    """Return the digests of the code of each kind of step that scores."""
    found: dict[str, set[str]] = {}
    sorts = {str(one["step"]).rpartition("/")[0]: one for one in tables.finished if one["stage"] == SCORES}
    for event in sorts.values():
        preimage = tables.entry(event).preimage
        found.setdefault(str(preimage["kind"]), set()).add(str(preimage["code"]))
    return {kind: frozenset(codes) for kind, codes in found.items()}


Asked = tuple[str, int]  # item and wording
NOTHING = PairedDifference(0, 0, None, None, ScoreInterval())


class ComparedSide(NamedTuple):
    """One side of a comparison: a model, and the tables of the run in which it answered."""

    tables: RunTables
    model: str


class Metric(NamedTuple):
    """The name of what is compared: a dataset, a scorer, and one metric of the scorer."""

    dataset: str
    scorer: str
    metric: str


@dataclass(frozen=True)
class ComparedLine:
    """One metric of two sides: how their means differ, and how often each of them is better."""

    models: tuple[str, str]
    of: Metric
    paired: PairedDifference
    unpaired: int  # items in a wording of which only one side has a value
    direction: Direction
    p_holm: float | None = None  # corrected over all lines

    @property
    def better(self) -> tuple[int, int] | None:
        """The pairs in which left, and in which right, is better; None if the metric has no better direction."""
        up, down = self.paired.greater, self.paired.less
        return {"higher": (down, up), "lower": (up, down), "neither": None}[self.direction]


@dataclass(frozen=True)
class MovedItem:
    """One item in one wording for which the two sides' scores differ."""

    models: tuple[str, str]
    of: Metric
    item: str
    template: int
    left: float
    right: float
    changed: bool  # right by one side, and wrong by the other


@dataclass(frozen=True)
class ScoreComparison:
    """The comparison of two sides: a line for each metric, the items whose scores moved, and remarks."""

    lines: tuple[ComparedLine, ...]
    moved: tuple[MovedItem, ...]
    remarks: tuple[str, ...]


Values = dict[Metric, dict[Asked, float]]


def compare_scores(pairs: Sequence[tuple[ComparedSide, ComparedSide]]) -> ScoreComparison:
    """Compare the two sides of each pair, on the items that both runs have.

    Raises InputError if an item has another right answer in the other run.
    """
    values = _values([side for pair in pairs for side in pair])
    lines: list[ComparedLine] = []
    columns: list[PairedColumn] = []
    moved: list[MovedItem] = []
    remarks: dict[str, None] = {}
    for left, right in pairs:
        common = common_items(left.tables, right.tables)
        remarks |= dict.fromkeys(common.remarks)
        one, other = (_kept(values[side.tables.run, side.model], common.items) for side in (left, right))
        for of in sorted(one.keys() & other.keys()):
            both = {asked: (one[of][asked], other[of][asked]) for asked in sorted(one[of].keys() & other[of].keys())}
            meaning = left.tables.meanings.get(measure(of.scorer, of.metric))
            models, lacking = (left.model, right.model), len(one[of].keys() ^ other[of].keys())
            lines.append(ComparedLine(models, of, NOTHING, lacking, meaning.direction if meaning else "higher"))
            columns.append(_column(of, both, left.tables))
            moved += _moved(models, of, both, meaning) if of.metric == MAIN else []
    found = [replace(line, paired=one) for line, one in zip(lines, paired_differences(columns), strict=True)]
    return ScoreComparison(_corrected(found), tuple(sorted(moved, key=_order)), tuple(remarks))


def _values(sides: Sequence[ComparedSide]) -> dict[tuple[str, str], Values]:
    """Return the scores of each side's answers: the mean over samples, by metric, item and wording."""
    said: dict[tuple[str, str], dict[Metric, dict[Asked, list[float]]]] = {
        (side.tables.run, side.model): {} for side in sides
    }
    for run, tables in {side.tables.run: side.tables for side in sides}.items():
        for answer in scored_answers(tables):
            row = answer.row
            metrics = said.get((run, row["model"]))
            if metrics is None or answer.unanswered:
                continue
            for name, told in answer.metrics.items():
                value = number(told)
                if value is not None and (name == MAIN or measure(row["scorer"], name) in tables.meanings):
                    asked = metrics.setdefault(Metric(answer.dataset, row["scorer"], name), {})
                    asked.setdefault((row["item"], row["template"]), []).append(value)
    return {
        side: {of: {asked: math.fsum(each) / len(each) for asked, each in told.items()} for of, told in metrics.items()}
        for side, metrics in said.items()
    }


def _kept(values: Values, items: frozenset[str]) -> Values:
    """Return the values of these items, without metrics that have none."""
    kept = {of: {asked: value for asked, value in told.items() if asked[0] in items} for of, told in values.items()}
    return {of: told for of, told in kept.items() if told}


def _column(of: Metric, both: Mapping[Asked, Pair], tables: RunTables) -> PairedColumn:
    """Group pairs by what belongs together: the item, or its cluster."""
    units: dict[str, list[Pair]] = {}
    for (item, _), pair in both.items():
        units.setdefault(tables.places[item].cluster or item, []).append(pair)
    return PairedColumn(of.dataset, units)


def _moved(
    models: tuple[str, str], of: Metric, both: Mapping[Asked, Pair], meaning: Meaning | None
) -> Iterator[MovedItem]:
    for (item, template), (left, right) in both.items():
        if left != right:
            changed = {is_right(left, meaning), is_right(right, meaning)} == {True, False}
            yield MovedItem(models, of, item, template, left, right, changed)


def _order(moved: MovedItem) -> tuple[object, ...]:
    """Return the sort key of an item that moved: first those that changed sides, then those that moved most."""
    return (not moved.changed, -abs(moved.right - moved.left), moved.models, moved.of, moved.item, moved.template)


def _corrected(lines: Sequence[ComparedLine]) -> tuple[ComparedLine, ...]:
    """Correct the p-values of all lines by Holm's method."""
    tested = [(place, line.paired.p) for place, line in enumerate(lines) if line.paired.p is not None]
    adjusted = dict(zip((place for place, _ in tested), stats.holm([p for _, p in tested]), strict=True))
    return tuple(replace(line, p_holm=adjusted.get(place)) for place, line in enumerate(lines))
