"""The standalone scorer of the rule judge: whether one gold item and one predicted item are the same or different.

The rule itself is in `judging.rule`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.scorers.given import FieldCheck, Row, ToolOutput, one_of_words
from harness.scorers.tool import Grader, Tool
from harness.studies.curie.judging.rule import SAME, VERSION, same
from harness.studies.curie.scoring.llmsim import JUDGED

ITEM = FieldCheck(lambda value: isinstance(value, Mapping), "an object", {"type": "object"})
Item = Annotated[dict[str, Any], ITEM]


class ItemPair(Row):
    """Input: a gold item and a predicted one, of a task whose answers are lists of items."""

    task: Annotated[str, one_of_words("a task whose answers are lists of items", *JUDGED)] = Field(
        description="the task: dft-s, dft-p, mpv or a variant of it"
    )
    gold_item: Item = Field(description="an item of the ground truth, as it is written there")
    predicted_item: Item = Field(
        description="an item of a model's answer, under the prompt's field names or the gold's"
    )


class ItemPairOutput(ToolOutput):
    """Output: the rule's decision on the pair, and why the two differ."""

    label: Literal["same", "different"] = Field(description="same where both state the same facts")
    why: list[str] = Field(description="the first thing in which they differ; nothing where they are the same")
    rule: str = Field(description="the version of the rule and of its table of units")


def _judged(row: ItemPair) -> dict[str, Any]:
    found = same(row.task, row.gold_item, row.predicted_item)
    return {"label": found.label, "why": list(found.why), "rule": VERSION}


SCORERS: Mapping[str, Tool] = {
    "curie.llmsim_rule": Tool(
        about="Says by a rule (OURS) whether a predicted property, structure or parameter set states what gold does.",
        takes=ItemPair,
        gives=ItemPairOutput,
        run=_judged,
        grader=Grader(("harness.studies.curie.judging.rule:judge",), SAME),
    ),
}
