"""Data: the science questions of our own, eighty of the demo and those written later, in the same five grades.

Of each grade there are equally many. `own-GRADE-NN` are those of the demo, `more-GRADE-NN` the later ones; a record's
name never changes, so that a drawn set keeps its questions.
"""

from __future__ import annotations

from harness.studies.reliability.data import science_demo, science_own_easy, science_own_hard
from harness.studies.reliability.data.questions import MultipleChoice


def _more() -> tuple[MultipleChoice, ...]:
    found = []
    for grade, lines in (science_own_easy.BY_GRADE | science_own_hard.BY_GRADE).items():
        for number, line in enumerate(lines.split("\n")[1:-1], 1):
            text, a, b, c, d = line.split("|")
            found.append(MultipleChoice(f"more-{grade}-{number:02d}", text, (a, b, c, d), 0, grade / 100))
    return tuple(found)


QUESTIONS = science_demo.QUESTIONS + _more()
