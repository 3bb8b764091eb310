"""The score step of BioScore: the state of an answer, and the score for the grade that a grader gave it.

In strict mode (OURS) blocked answers, errors and ungraded answers have no score. In paper mode blocked answers and
errors have the grade that they were given, and keep their state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.kit.graded import ERROR, INSTEAD
from harness.kit.judged import JUDGE_ERROR, Key, key, missing
from harness.rowtypes import Gold, Item, Judgement, Missing, Response, Score
from harness.studies.biomed.judging.deducted import TAKEN_OFF, WORTH
from harness.studies.biomed.judging.grade_text import UNREADABLE, score_of
from harness.studies.biomed.judging.states import failure, state, without_answer
from harness.studies.biomed.terms import BLOCKED, PAPER, STRICT, UNGRADED, VERSION

WHY = {BLOCKED: "a filter stopped the answer", ERROR: "the answer failed or is blank", UNGRADED: UNREADABLE}
LONGEST = 500  # characters of an error's text that a score keeps


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one BioScore per response from its grade, by the scorer and in the mode that `params` name.

    The first repeat of the grader counts; the detail has the grades of all repeats, and where the grader states what it
    takes off for irrelevant text, that and what the answer is worth without. Raise InputError if an item or gold
    is missing, and if no grader was asked about an existing answer.
    """
    known = {row["id"] for row in rows.read(inputs["items"], Item)}
    known &= {row["id"] for row in rows.read(inputs["gold"], Gold)}
    said: dict[Key, list[Judgement]] = {}
    for judgement in rows.read(inputs["judgements"], Judgement):
        said.setdefault(key(judgement), []).append(judgement)
    rows.write(out / "scores", _scores(params, rows.read(inputs["responses"], Response), known, said))


def _scores(
    params: Mapping[str, Any], responses: Iterator[Response], known: set[str], said: Mapping[Key, Sequence[Judgement]]
) -> Iterator[Score]:
    for row in responses:
        if row["item"] not in known:
            raise InputError(f"a response to item {row['item']}, which has no item or no gold", where="responses")
        told = sorted(said.get(key(row), ()), key=lambda one: one["repeat"])
        if not told and not without_answer(row) and row.get("error") is None:
            raise InputError(f"no grader was asked about item {row['item']}", where="judgements")
        yield _score(params, row, told)


def _score(params: Mapping[str, Any], row: Response, told: Sequence[Judgement]) -> Score:
    grades = [_grade(one) for one in told]
    given = _given(params) if row.get("error") is not None else grades[0] if grades else None
    found = state(row, given)
    counts = params["mode"] == PAPER or not without_answer(row)
    value: float | Missing = {"missing": WHY.get(found, UNREADABLE)}
    if given is not None and counts:
        value = score_of(given)
    detail: dict[str, Any] = {
        "grade": given if counts else None,
        "state": found,
        "mode": params["mode"],
        "version": VERSION,
        "grades": grades,
        "finish": row.get("finish"),
        **(_parts(told) if counts else {}),
        **_beside(row, found, told),
    }
    item, template, model, sample = key(row)
    return {
        "item": item,
        "template": template,
        "model": model,
        "sample": sample,
        "scorer": params["scorer"],
        "value": value,
        "outcome": found,
        "detail": detail,
    }


def _grade(one: Judgement) -> str | None:
    return None if missing(one["parsed"]) else str(one["parsed"]["grade"])


def _parts(told: Sequence[Judgement]) -> dict[str, Any]:
    """Return what the grader states beside its grades, one text a repeat; empty if it states nothing beside them."""
    found = {
        name: [None if missing(one["parsed"]) else one["parsed"].get(name) for one in told]
        for name in (WORTH, TAKEN_OFF)
    }
    return found if any(each is not None for given in found.values() for each in given) else {}


def _given(params: Mapping[str, Any]) -> str | None:
    """Return the grade that the paper gave to the text of a failed request; None in strict mode."""
    given = None if params["mode"] == STRICT else params.get(INSTEAD, {}).get(ERROR)
    return None if given is None else f"{float(given):.1f}"


def _beside(row: Response, found: str, told: Sequence[Judgement]) -> dict[str, Any]:
    """Return further details of a score: an error's text, the error of an absent grade, or a rule's reasons."""
    beside: dict[str, Any] = {}
    if found == ERROR or (found == BLOCKED and failure(row)):
        beside[ERROR] = (failure(row) or WHY[ERROR])[:LONGEST]
    if found == UNGRADED:
        beside[JUDGE_ERROR] = str(told[0].get("error", UNREADABLE))[:LONGEST]
    elif told and not missing(told[0]["parsed"]) and "why" in told[0]["parsed"]:
        beside["why"] = told[0]["parsed"]["why"]
    return beside
