"""The six answers of the paper's Figure S7 with the paper's grades, as the rule grader sees them.

The states must be the paper's, and a grade no further than a point away: no rule knows that a wrong identifier is the
right one of a salt (1), and needless elaboration (2.5) is no flaw of an answer that is not long. The text of a failed
request, which the paper grades -1, is not read at all: its state is `blocked`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.agree import Within
from golden.case import Tally, check
from golden.files import load

from harness.studies.biomed import terms
from harness.studies.biomed.judging.states import without_answer
from harness.studies.biomed.standalone.grading_rule import SCORERS

INPUTS = ("question", "answer", "response")


def read(path: Path, tally: Tally) -> None:
    golden = load(path)
    for number, case in enumerate(golden["cases"]):
        grade = float(case["grade"])
        label = "abstain" if grade < 0 else "good" if grade >= terms.GOOD else "bad"
        laid = {"question": golden["question"], "answer": golden["golden"], "response": case["response"]}
        check(
            tally,
            f"answer {number + 1}",
            {**laid, "label": label, "grade": grade},
            _graded,
            INPUTS,
            ("label", "grade"),
            within={"grade": Within(1.0)},
        )


def _graded(row: Mapping[str, Any]) -> Mapping[str, Any]:
    state = without_answer({"text": row["response"]})  # type: ignore[typeddict-item]
    if state == terms.BLOCKED:
        return {"label": "abstain", "grade": terms.NOT_KNOWN}  # the paper's grade of it
    found = SCORERS["biomed.bioscore_rule"].run(row)
    return {"label": found["label"], "grade": float(found["grade"])}
