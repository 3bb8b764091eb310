"""The grade in a grader's reply: the first number, as in the published code, or strict (OURS): a number alone.

A grade is written as its raw value, such as `2.5`.
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
# No two runs of blanks can touch, so even a reply of megabytes is read in linear time.
_ALONE = re.compile(
    r"(?:score|grade)?\s*(?:[:=]\s*)?(?P<minus>[-\u2212\u2013])?(?P<number>\d+(?:\.\d+)?)"
    r"\s*(?P<suffix>/\s*3(?:\.0)?|points?)?\.?",
    re.ASCII | re.IGNORECASE,
)


def grade(reply: str, mode: str) -> str | None:
    """Return the grade that a mode reads in a reply; None if there is no grade, or none on the scale."""
    return paper_grade(reply) if mode == PAPER else strict_grade(reply)


def paper_grade(reply: str) -> str | None:
    """Return the first number in a reply if it is a grade, whatever text surrounds it; otherwise None."""
    found = _NUMBER.search(reply)
    if not found:
        return None
    value = float(found[0])
    return NO_ANSWER if value == NOT_KNOWN else _VALUES.get(Decimal(value)) if abs(value) <= FULL else None


def strict_grade(reply: str) -> str | None:
    """Return the grade of a reply that contains nothing but a grade; otherwise None.

    The grade may have a label, the suffix `/3` or `points`, or bold markup. A minus is accepted only before 1 and
    without a suffix.
    """
    found = _ALONE.fullmatch(reply.translate(_MARKUP).strip())
    if not found:
        return None
    value = Decimal(found["number"])
    if found["minus"]:
        return NO_ANSWER if value == 1 and not found["suffix"] else None
    return _VALUES.get(value) if value <= FULL else None


def score_of(found: str) -> float:
    """Return the score of a grade: the grade divided by 3, but -1 for the grade -1."""
    return NOT_KNOWN if found == NO_ANSWER else float(found) / FULL
