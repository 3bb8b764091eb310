"""The document `deductions`: how often a model that grades takes points off for irrelevant text, and what that moves.

The rubric takes off 0.5 for harmless and 1 for distracting text. Where the grader replies with one number, only halves
show that 0.5 was taken off. Where it states both (OURS), each answer has what it is worth and what was taken off. The
first repeat of a grader counts. Whether a deduction is just is not judged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.rowtypes import Score
from harness.studies.biomed.judging.deducted import DISTRACTING, NOTHING_OFF, OFF, TAKEN_OFF, WORTH, DeductedGrade
from harness.studies.biomed.judging.grade_text import GRADES
from harness.studies.biomed.terms import ANSWERED, FULL, GOOD, VERSION

NONE_STATED = "the grader replies with one number"
NOTHING_ANSWERED = "no answer was graded"
ABOUT = {
    "halves": "answers whose grade is no whole number: by the rubric 0.5 was taken off; of 1 a grade shows nothing",
    "before": "by what the answers are worth without what was taken off",
    "good_before_alone": "answers worth 2 or more whose grade is below 2: they are good but for irrelevant text",
    "held_at_0": "answers whose points off exceed their worth: one number would be -0.5, which is no grade, or -1, "
    "which is that of not knowing",
}


class GradedAnswer(NamedTuple):
    """An answer's grade and, if the grader states them, the grade without deduction and the deduction."""

    grade: float
    parts: DeductedGrade | None


def deductions(scores: Iterable[Score], grader: str, models: Sequence[str]) -> dict[str, Any]:
    """Return by model the grades that a grader gave, and how much it took off for irrelevant text.

    Only answers in the state answered count; abstentions and answers without a grade have nothing taken off.
    """
    found: dict[str, list[GradedAnswer]] = {name: [] for name in models}
    for row in scores:
        if row["scorer"] == grader and row["model"] in found and row.get("outcome") == ANSWERED:
            found[row["model"]].append(_answer(row["detail"]))
    return {
        "version": VERSION,
        "grader": grader,
        "about": ABOUT,
        "models": {name: _model(answers) for name, answers in found.items()},
    }


def _answer(detail: Mapping[str, Any]) -> GradedAnswer:
    worth, off = ((detail.get(name) or [None])[0] for name in (WORTH, TAKEN_OFF))
    parts = None if worth is None or off is None else DeductedGrade(str(worth), str(off))
    return GradedAnswer(float(detail["grade"]), parts)


def _model(answers: Sequence[GradedAnswer]) -> dict[str, Any]:
    grades = Counter(f"{one.grade:.1f}" for one in answers)
    whole: dict[str, Any] = {
        "n": len(answers),
        "grades": {grade: grades[grade] for grade in reversed(GRADES)},
        "halves": sum(one.grade % 1 != 0 for one in answers),
        "BioScore": _bioscore([one.grade for one in answers]),
    }
    stated = [one.parts for one in answers if one.parts is not None]
    if not stated:
        return {**whole, "stated": {"missing": NONE_STATED if answers else NOTHING_ANSWERED}}
    off = Counter(one.off for one in stated)
    worths = [float(one.worth) for one in stated]
    kept = [float(one.grade) for one in stated]
    return {
        **whole,
        "stated": {
            "n": len(stated),
            "off": {name: off[name] for name in OFF},
            "share_with_any": (len(stated) - off[NOTHING_OFF]) / len(stated),
            "mean_off": math.fsum(float(one.off) for one in stated) / len(stated),
            "before": {"BioScore": _bioscore(worths), "good": sum(worth >= GOOD for worth in worths)},
            "after": {"BioScore": _bioscore(kept), "good": sum(grade >= GOOD for grade in kept)},
            "good_before_alone": sum(w >= GOOD > g for w, g in zip(worths, kept, strict=True)),
            "held_at_0": sum(float(one.off) > float(one.worth) for one in stated),
            "held_at_0_by_1": sum(float(one.off) > float(one.worth) and one.off == DISTRACTING for one in stated),
        },
    }


def _bioscore(grades: Sequence[float]) -> float | dict[str, str]:
    """Return the mean score of answers."""
    return math.fsum(grades) / FULL / len(grades) if grades else {"missing": NOTHING_ANSWERED}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `deductions`, how much a grader took off for irrelevant text, from the input `scores`."""
    found = deductions(rows.read(inputs["scores"], Score), params["grader"], params["models"])
    rows.write_one(out / "deductions", found)
