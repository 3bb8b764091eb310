"""The standalone scorer `biomed.nlp_metrics`: BLEU, ROUGE-2 and ROUGE-L of an answer against its reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from harness.scorers.given import AbsentValue, FieldCheck, Row, ToolOutput
from harness.scorers.tool import Tool
from harness.studies.biomed.grading.text_metrics import every_rouge, stored, text_metrics

NO_TEXT = FieldCheck(
    lambda value: value is None or isinstance(value, str), "text or null", {"type": ["string", "null"]}
)
OptionalText = Annotated[str | None, NO_TEXT]
ONE = "0 to 1; 0 where the published code raises, such as for a text that is missing"


class AnswerAndReference(Row):
    """Input: an answer and its reference."""

    answer: OptionalText = Field(description="the gold answer; null as an empty cell is read back")
    response: OptionalText = Field(description="what a model said; null as an empty cell is read back")


class NlpMetrics(ToolOutput):
    """Output: the text metrics of an answer (BLEU, ROUGE), and their parts."""

    BLEU: float | AbsentValue = Field(description=ONE)
    ROUGE2: float | AbsentValue = Field(description=ONE)
    ROUGEL: float | AbsentValue = Field(description=ONE)
    bleu_detail: dict[str, Any] | None = Field(description="what BLEU is made of; null where a text is missing")
    rouge_all: dict[str, float] | None = Field(description="all kinds of ROUGE; null where a text is missing")


def _run(row: AnswerAndReference) -> dict[str, Any]:
    if row.answer is None or row.response is None:
        return {"BLEU": 0.0, "ROUGE2": 0.0, "ROUGEL": 0.0, "bleu_detail": None, "rouge_all": None}
    found = text_metrics(row.response, row.answer)
    if found is None:
        return {**stored(found), "bleu_detail": None, "rouge_all": None}
    parts = found.bleu
    detail = {
        "bleu": parts.bleu,
        "precisions": list(parts.precisions),
        "brevity_penalty": parts.brevity_penalty,
        "length_ratio": parts.length_ratio,
        "translation_length": parts.response_tokens,
        "reference_length": parts.reference_tokens,
    }
    rouge = {kind: shared.fmeasure for kind, shared in every_rouge(row.response, row.answer).items()}
    return {**stored(found), "bleu_detail": detail, "rouge_all": rouge}


SCORERS: Mapping[str, Tool] = {
    "biomed.nlp_metrics": Tool(
        about="Counts BLEU, ROUGE-2 and ROUGE-L of an answer as the published code of CARDBiomedBench stores them.",
        takes=AnswerAndReference,
        gives=NlpMetrics,
        run=_run,
    ),
}
