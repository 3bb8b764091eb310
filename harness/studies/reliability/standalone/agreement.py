"""The standalone analysis of agreement: rows with two labels, or with a person's label and a response.

Works on the fields that a caller passes; independent of how a rule decides and of where rows come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import (
    MOST,
    AbsentValue,
    AnalysisInput,
    Row,
    Text,
    ToolOutput,
    UncheckedList,
    one_of_words,
    whole_number,
)
from harness.scorers.tool import Tool
from harness.studies.reliability.measures.agreement import agreement
from harness.studies.reliability.terms import LABELS, SUBTYPES

SHARED = ("gazetteer", "common_words")  # fields of locality, given once for all rows or in a row
SHARES = "locality without found: what its rows share"
MEASURED = (
    "n; matrix (person -> rules); recall and precision of each label; accuracy; "
    "kappa (Cohen's): each with its interval; degenerate"
)
Label = Annotated[str, one_of_words("one of c, a and i", *LABELS)]
Subtype = Annotated[str, one_of_words("a kind of avoidance", *SUBTYPES)]


class LabelledResponse(Row):
    """A response with a person's label, and either the rules' label or the fields that the rules need."""

    label: Label
    found: Label | None = None
    benchmark: Text = ""
    avoidance: Subtype | None = None
    found_avoidance: Subtype | None = None


class AgreementInput(AnalysisInput):
    """Input: responses with labels by a person and by the rules, or the fields that the rules need to label them."""

    rows: Annotated[list[Any], UncheckedList(list[LabelledResponse])] = Field(
        description="objects of label (a person's: c, a or i) and found (the rules'), benchmark where there are "
        "several, avoidance and found_avoidance (subtypes) where known; or, instead of found, the fields of "
        "the scorer reliability.outcome, which then labels the row"
    )
    gazetteer: Annotated[list[Any], UncheckedList(list[str])] | None = Field(default=None, description=SHARES)
    common_words: Annotated[list[Any], UncheckedList(list[str])] | None = Field(default=None, description=SHARES)
    seed: Annotated[int, whole_number(-MOST)] = Field(default=0, description="of the bootstrap; 0 where left out")


class AgreementOutput(ToolOutput):
    """Output: agreement of the person's and the rules' labels, by benchmark and overall."""

    benchmarks: dict[str, dict[str, Any]] = Field(description=MEASURED)
    together: dict[str, Any] = Field(description=MEASURED)
    avoidance: dict[str, Any] = Field(description="the same for the subtypes of what both call avoidant")
    parted: list[dict[str, Any]] = Field(
        description="the rows on which the two differ: id, benchmark, row, label, found"
    )
    rule_set: str | AbsentValue = Field(description="the rules the labels were given under")
    ci: dict[str, str] = Field(description="what the intervals are")


def agreement_of(given: AgreementInput) -> dict[str, Any]:
    """Return agreement of people's labels with the rules'; rows without the rules' label are labelled first.

    Raises InputError for a row that cannot be labelled or is malformed.
    """
    shared = {name: getattr(given, name) for name in SHARED if name in given.model_fields_set}
    return agreement(_labelled(given.rows, shared), given.seed)


def _labelled(rows: Sequence[Any], shared: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows, labelled by the rules if they were not; a row's own field overrides the shared one."""
    from harness.studies.reliability.standalone.by_row import score_row  # noqa: PLC0415 - many models, which few rows need

    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or row.get("found") is not None:
            yield row
            continue
        try:
            outcome = score_row({**shared, **row})
        except InputError as bad:
            raise InputError(bad.what, where=f"rows[{number}]: {bad.where}", next=bad.next) from bad
        kept = {name: row[name] for name in ("id", "benchmark", "label", "avoidance") if name in row}
        more = {"found": outcome["label"], "found_avoidance": outcome["avoidance"], "rule_set": outcome["rule_set"]}
        yield {**kept, **more}


ANALYSES: Mapping[str, Tool] = {
    "reliability.agreement": Tool(
        about="Measures how far a rule set's labels agree with those of a person who read the same responses.",
        takes=AgreementInput,
        gives=AgreementOutput,
        run=agreement_of,
    ),
}
