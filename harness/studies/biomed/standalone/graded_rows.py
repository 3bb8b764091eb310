"""The graded rows of a caller, read for the standalone analyses of strict mode (OURS): one per question and model.

The rows are turned into counted answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.stats import is_number
from harness.studies.biomed.judging.grade_text import NO_ANSWER, strict_grade
from harness.studies.biomed.judging.states import state
from harness.studies.biomed.measures import paper_columns
from harness.studies.biomed.measures.paper_texts import column_name
from harness.studies.biomed.measures.run_answers import AskedItem, RunAnswers
from harness.studies.biomed.measures.states import CountedAnswer, grade_halves
from harness.studies.biomed.standalone.columns import BIOSCORE, keys
from harness.studies.biomed.terms import ANSWERED, NOT_KNOWN, STRICT

ONE = "x"  # the model of rows without a model, such as those of a single column of scores
GIVEN = "given"  # the grader of all rows
LONG = (
    "{uuid, template_uuid, model, grade, response, finish, error}: `grade` is a raw grade (3 to 0, or -1), a grader's "
    "reply, or null; a row without `response` is taken to hold an answer; or rows of the compiled table: uuid, "
    "template_uuid, MODEL_BioScore or MODEL_grade, MODEL_response, MODEL_finish. Without template_uuid "
    "each uuid is its own template"
)
GRADE = "grade"
HALF = 2  # grades are counted in halves of a point
_FIRST_RUN = (1, 0)


class GradedRow(NamedTuple):
    """One graded answer of a caller: which answer it is, its state, its raw grade, and twice that grade if answered."""

    uuid: str
    template: str
    model: str
    state: str
    grade: str | None
    halves: int | None


def graded_rows(rows: Sequence[Mapping[str, Any]]) -> list[GradedRow]:
    """Read graded answers from rows of one answer each, or from rows with a score column per model.

    Raise InputError, with the row's position, for a row without uuid, a uuid that is repeated for a model, a uuid with
    two templates, a template that only some rows name, a response that is not a text, and a row without any grade.
    """
    names = keys(rows)
    wide = [] if "grade" in names else _models(names)
    found: list[GradedRow] = []
    met: set[tuple[str, str]] = set()
    templates: dict[str, str] = {}
    for place, row in enumerate(rows):
        uuid = _name(row, "uuid", place)
        template = _name(row, "template_uuid", place) if "template_uuid" in names else uuid
        if templates.setdefault(uuid, template) != template:
            raise _refused("a uuid stands in two templates", place, "template_uuid", "give each question one template")
        for each in _wide(row, wide, uuid, template, place) if wide else [_long(row, uuid, template, place)]:
            if (uuid, each.model) in met:
                raise _refused("a uuid stands twice for one model", place, "uuid", "give each answer once")
            met.add((uuid, each.model))
            found.append(each)
    return found


def column_rows(columns: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Return score columns, one per model, as rows; each row counts as a template of its own."""
    longest = max(map(len, columns.values()), default=0)
    ending = column_name("", BIOSCORE)
    return [
        {"uuid": str(place), **{name + ending: own[place] for name, own in columns.items() if place < len(own)}}
        for place in range(longest)
    ]


def counted(found: Sequence[GradedRow], models: Sequence[str] = ()) -> RunAnswers:
    """Return graded rows as a run's answers in strict mode, of the models that are asked for, or of all models.

    Raise InputError for a model that no row has; otherwise a misspelled name would be a model without answers.
    """
    here = tuple(dict.fromkeys(each.model for each in found))
    if strange := [name for name in models if name not in here]:
        known = f"name some of: {', '.join(here)[:200]}" if here else "give its rows"
        raise InputError(f"no row is of the model {strange[0]!r:.80}", where="models", next=known)
    asked = tuple(dict.fromkeys(models)) or here
    items = {each.uuid: AskedItem(each.template, None, {}) for each in found}
    run = RunAnswers(STRICT, asked, (GIVEN,), items)
    for each in found:
        answer = CountedAnswer(each.uuid, each.template, _FIRST_RUN, each.state, each.state, each.halves)
        run.answers.setdefault((GIVEN, each.model), []).append(answer)
    return run


def _models(names: Sequence[str]) -> list[str]:
    """Return the models whose grades or scores have columns of their own, in the order of the columns."""
    endings = (column_name("", GRADE), column_name("", BIOSCORE))
    return list(dict.fromkeys(name.rpartition("_")[0] for name in names if name.endswith(endings)))


def _wide(row: Mapping[str, Any], models: Sequence[str], uuid: str, template: str, place: int) -> Iterator[GradedRow]:
    for model in models:
        raw, score = column_name(model, GRADE), column_name(model, BIOSCORE)
        if raw in row:
            grade = _raw_grade(row[raw], place, raw)
        elif score in row:
            grade = _score_grade(row[score], f"rows[{place}]/{score}")
        else:
            continue
        fields = {name: f"{model}_{name}" for name in ("response", "finish", "error")}
        yield _graded(row, fields, grade, (uuid, template, model), place)


def _raw_grade(given: Any, place: int, field: str) -> str | None:
    """Return the grade that strict mode reads in a number or a reply; None if there is none."""
    if given is None or (isinstance(given, float) and math.isnan(given)):
        return None
    if isinstance(given, str) or is_number(given):
        return strict_grade(str(given))
    raise _refused("a grade is no number, text or null", place, field, "give the raw grade or a grader's reply")


def _score_grade(cell: Any, where: str) -> str | None:
    """Return the raw grade of a score, which is a third of the grade, or -1; None for an empty cell."""
    [score] = paper_columns.column([cell], where)
    if math.isnan(score):
        return None
    if score == NOT_KNOWN:
        return NO_ANSWER
    try:
        return str(grade_halves("", score) / HALF)
    except InputError:
        advice = "give a grade divided by 3, -1 for one who does not know, or null where no grade was read"
        raise InputError("a score is no grade divided by 3", where=where, next=advice) from None


def _long(row: Mapping[str, Any], uuid: str, template: str, place: int) -> GradedRow:
    if "grade" not in row and "response" not in row:
        raise _refused("a row has neither `grade` nor `response`", place, "grade", "give the grade, null where none is")
    model = _name(row, "model", place) if "model" in row else ONE
    grade = _raw_grade(row.get("grade"), place, "grade")
    fields = {name: name for name in ("response", "finish", "error")}
    return _graded(row, fields, grade, (uuid, template, model), place)


def _graded(
    row: Mapping[str, Any], fields: Mapping[str, str], grade: str | None, of: tuple[str, str, str], place: int
) -> GradedRow:
    told = {name: row.get(field) for name, field in fields.items()}
    for name, text in told.items():
        if text is not None and not isinstance(text, str):
            raise _refused(f"`{fields[name]}` is no text", place, fields[name], "give a text, or null")
    held = fields["response"] not in row  # a table of grades alone has no responses; answers are assumed to exist
    answer: Any = {"text": "-" if held else told["response"] or "", "finish": told["finish"]}
    if told["error"] is not None:
        answer["error"] = told["error"]
    now = state(answer, grade)
    halves = round(float(grade) * HALF) if grade is not None and now == ANSWERED else None
    return GradedRow(*of, now, grade, halves)


def _name(row: Mapping[str, Any], field: str, place: int) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise _refused(f"a row has no `{field}`", place, field, f"give `{field}` as a text, in every row or in none")
    return value


def _refused(what: str, place: int, field: str, advice: str) -> InputError:
    return InputError(what, where=f"rows[{place}]/{field}", next=advice)
