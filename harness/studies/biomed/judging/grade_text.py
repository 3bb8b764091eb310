"""The grade in a grader's reply: as the published code finds a number in it, or strict (OURS): the number alone.

A grade is written as its raw value, such as `2.5`. It must never know a question, an answer, nor who graded.
"""

from __future__ import annotations

import re
from decimal import Decimal

from harness.studies.biomed.terms import FULL, NOT_KNOWN, PAPER

GRADES = ("0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0")
NO_ANSWER = "-1.0"  # the grade of an answer that says it does not know
UNREADABLE = "no grade can be read in the reply"
_VALUES = {Decimal(grade): grade for grade in GRADES}
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+")
_MARKUP = str.maketrans("", "", "*`")
# No run of blanks meets another, so that a reply of megabytes is read in linear time.
_ALONE = re.compile(
    r"(?:score|grade)?\s*(?:[:=]\s*)?(?P<minus>[-\u2212\u2013])?(?P<number>\d+(?:\.\d+)?)"
    r"\s*(?P<suffix>/\s*3(?:\.0)?|points?)?\.?",
    re.ASCII | re.IGNORECASE,
)


def grade(reply: str, mode: str) -> str | None:
    """Give the grade that a mode reads in a reply; None where there is none, or none of the scale."""
    return paper_grade(reply) if mode == PAPER else strict_grade(reply)


def paper_grade(reply: str) -> str | None:
    """Give the first number in a reply where that is a grade, whatever stands around it; else None."""
    found = _NUMBER.search(reply)
    if not found:
        return None
    value = float(found[0])
    return NO_ANSWER if value == NOT_KNOWN else _VALUES.get(Decimal(value)) if abs(value) <= FULL else None


def strict_grade(reply: str) -> str | None:
    """Give the grade of a reply that holds a grade alone, perhaps named, of 3, in points or in bold; else None.

    A minus stands before 1 alone, and never before a suffix.
    """
    found = _ALONE.fullmatch(reply.translate(_MARKUP).strip())
    if not found:
        return None
    value = Decimal(found["number"])
    if found["minus"]:
        return NO_ANSWER if value == 1 and not found["suffix"] else None
    return _VALUES.get(value) if value <= FULL else None


def score_of(found: str) -> float:
    """Give the score of a grade: a third of it, but -1 of the grade -1."""
    return NOT_KNOWN if found == NO_ANSWER else float(found) / FULL
