"""The state of an answer: blocked by a filter, an error, or something to grade.

Read from the row of a response by the strict rules (OURS).
"""

from __future__ import annotations

from harness.rowtypes import Response
from harness.studies.biomed.judging.grade_text import NO_ANSWER
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, BLOCKED, DANGEROUS, ERROR, FAILED, FILTERED, UNGRADED


def without_answer(row: Response) -> str:
    """Return the state of a response that holds no answer, `blocked` or `error`; empty if it holds an answer.

    A response is blocked if a filter ended it, or if its error's text names dangerous content. It is an error if it
    failed, is blank, or is the text by which the published code reports a failure.
    """
    failed = failure(row)
    if row.get("finish") == FILTERED or (failed and DANGEROUS in failed):
        return BLOCKED
    return ERROR if failed or not row["text"].strip() else ""


def failure(row: Response) -> str:
    """Return the text of a response's error, its own or that of the published code; empty if there is no error."""
    if row.get("error") is not None:
        return f"{row['error']} {row['text']}".strip() or ERROR
    return row["text"] if row["text"].startswith(FAILED) else ""


def state(row: Response, grade: str | None) -> str:
    """Return the first state that matches a graded response: blocked, error, ungraded, abstained, answered."""
    found = without_answer(row)
    if found:
        return found
    if grade is None:
        return UNGRADED
    return ABSTAINED if grade == NO_ANSWER else ANSWERED
