"""The meaning of this study's numbers in a table of scores: the paper's rates, each a mean over certain answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.kit.meaning import MAIN, Meaning, plain_metrics
from harness.rowtypes import Score
from harness.studies.biomed.asking import BERTSCORE, BY_GRADER, BY_RULE, TEXT
from harness.studies.biomed.measures.rates import AR, RQR, SR
from harness.studies.biomed.measures.states import GOOD_HALVES, HALVES, read_answer
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, BLOCKED, PAPER, STRICT

NOT_OF_IT = {"missing": "this rate is not of such an answer"}
_NEVER = "always says that it does not know"
_GRADED: Mapping[str, Meaning] = {
    MAIN: Meaning("mean grade of the answers that say more than not to know: 0 to 3, divided by 3", "higher", 0, 1),
    RQR: Meaning("share of answers with a grade of at least 2", "higher", 0, 1, 0, _NEVER),
    SR: Meaning("share of those not known, of these and the answers below grade 2", "higher", 0, 1, 1, _NEVER),
    AR: Meaning("share of answers that say that they do not know", "neither", 0, 1, 1, _NEVER),
}
MEANINGS: Mapping[str, Meaning] = {
    **{f"{by}/{metric}".rstrip("/"): said for by in (BY_RULE, BY_GRADER) for metric, said in _GRADED.items()},
    TEXT: Meaning("ROUGE-L between answer and gold answer", "higher", 0, 1, 0, "answers nothing"),
    BERTSCORE: Meaning("F of BERTScore between answer and gold answer, by the encoder as it is", "higher", -1, 1),
}


def metrics(row: Score) -> dict[str, Any]:
    """Return the metrics of one score (answered, abstained, ...); their means are the rates that the paper defines.

    In strict mode errors and ungraded answers count in no rate. In paper mode each answer counts by its score.
    """
    if row["scorer"] not in (BY_RULE, BY_GRADER):
        return plain_metrics(row)
    mode = row["detail"].get("mode", STRICT)
    answer = read_answer(row, "", mode)
    graded, unknown = answer.counted == ANSWERED, answer.counted == ABSTAINED
    if not (graded or unknown or answer.counted == BLOCKED or mode == PAPER):
        return {}
    good = graded and answer.halves is not None and answer.halves >= GOOD_HALVES
    decides = unknown or (graded and not good)
    return {
        MAIN: answer.halves / HALVES if graded and answer.halves is not None else NOT_OF_IT,
        RQR: int(good),
        SR: int(unknown) if decides else NOT_OF_IT,
        AR: int(unknown),
    }
