"""The state of an answer before anybody grades it: blocked by a filter, an error, or something to grade.

Facts of a response's row, by the strict rules (OURS). It must never know a gold answer or a grade.
"""

from __future__ import annotations

from harness.rowtypes import Response
from harness.studies.biomed.judging.grade_text import NO_ANSWER
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, BLOCKED, DANGEROUS, ERROR, FAILED, FILTERED, UNGRADED


def without_answer(row: Response) -> str:
    """Name the state of a response that holds no answer, `blocked` or `error`; empty where it holds one.

    Blocked is one that a filter ended, and an error's text that names dangerous content; an error is one that failed,
    is blank, or is the text by which the published code says that it failed.
    """
    failed = failure(row)
    if row.get("finish") == FILTERED or (failed and DANGEROUS in failed):
        return BLOCKED
    return ERROR if failed or not row["text"].strip() else ""


def failure(row: Response) -> str:
    """Give the text of a response's error, its own or the published code's; empty where there is none."""
    if row.get("error") is not None:
        return f"{row['error']} {row['text']}".strip() or ERROR
    return row["text"] if row["text"].startswith(FAILED) else ""


def state(row: Response, grade: str | None) -> str:
    """Give the state of a graded response, the first that matches: blocked, error, ungraded, abstained, answered."""
    found = without_answer(row)
    if found:
        return found
    if grade is None:
        return UNGRADED
    return ABSTAINED if grade == NO_ANSWER else ANSWERED
