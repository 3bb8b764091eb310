"""A grade in two parts (OURS): what an answer is worth, and the points that the rubric takes off for irrelevant text.

The published rubric takes off 0.5 for irrelevant text that harms nobody and 1 for text that distracts, but its grader
replies with one number: 2 may be a close answer, or an exact one that distracts, and a worthless answer that distracts
would be -1, the grade of not knowing. A reply in two parts keeps these apart. Does not ask anybody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from harness.studies.biomed.judging.grade_text import NO_ANSWER, strict_grade

DEDUCTIONS, WITHIN, STATED = "deductions", "within", "stated"  # the setting, and its values: in the grade, beside it
WORTH, TAKEN_OFF = "worth", "off"  # of a judgement and of a score's detail
WORTHS = ("0.0", "1.0", "2.0", "3.0")  # no match, partial, close, exact
NOTHING_OFF, HARMLESS, DISTRACTING = "0.0", "0.5", "1.0"
OFF = (NOTHING_OFF, HARMLESS, DISTRACTING)
LEAST = Decimal(0)  # a grade after the points off; below it stands only the grade of not knowing
_MARKUP = str.maketrans("", "", "*`")
# As in `grade_text`, no two runs of blanks can touch.
_PARTS = re.compile(
    r"(?:(?:score|grade)\s*(?:[:=]\s*)?)?(?P<worth>\d+(?:\.\d+)?)\s*[-\u2212\u2013]\s*(?P<off>\d+(?:\.\d+)?)\s*\.?",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DeductedGrade:
    """What an answer is worth and what is taken off, as texts such as `2.0` and `0.5`."""

    worth: str
    off: str

    @property
    def grade(self) -> str:
        """The grade: the worth less what is taken off, at least 0."""
        return str(max(LEAST, Decimal(self.worth) - Decimal(self.off)).quantize(Decimal("0.1")))


def deducted_grade(reply: str) -> DeductedGrade | str | None:
    """Return the two parts in a reply such as `2 - 0.5`, or the grade of not knowing in a reply that is -1 alone.

    None for anything else: one number alone, a worth that is not 0, 1, 2 or 3, and points off that are not 0, 0.5 or 1.
    """
    found = _PARTS.fullmatch(reply.translate(_MARKUP).strip())
    if found is None:
        return NO_ANSWER if strict_grade(reply) == NO_ANSWER else None
    worth, off = (_listed(found[name], known) for name, known in (("worth", WORTHS), ("off", OFF)))
    return None if worth is None or off is None else DeductedGrade(worth, off)


def _listed(number: str, known: tuple[str, ...]) -> str | None:
    value = Decimal(number)
    return next((text for text in known if Decimal(text) == value), None)
