"""Compute a grade on the rubric's scale from the statuses of the facts (OURS): the table of docs/biomed-grading.md.

| what a response does | grade |
| --- | --- |
| a yes/no question: the wrong answer, both answers, or no answer and nothing else right | 0 |
| the right answer and nothing else, although gold says more | 2 |
| the right answer, and a wrong number, phase, year or name that gold also has | 1 |
| the right answer and the names that are asked for, and a wrong p-value, effect or tissue that was not asked for | 2 |
| the right answer, and some or most of the rest | 2.5 or 3 |
| the right answer, and nothing of what else the question asks for | 1 |
| the right answer, and a phase that is half of two in one, such as 1/2 | 2 |
| no plain answer, but the rest right | 1 |
| other questions: the mean over the facts that are asked for; if any of them is wrong | at most 1 |
| other questions: a name or a list that is asked for is missing | at most 1.5 |
| all facts that are asked for wrong, denied, or said together with others that exclude them | 0 |
| a list: by the share of its names that are said and the share of wrong ones among all | 0 to 3 |
| a wrong fact that was not asked for (an effect's allele: 2 less) | 1 less |
| all right, but long, or with an aside about another gene, SNP, drug or the like | 0.5 less |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from harness.studies.biomed.facts import INTEGER, NAME, NAMES, NUMBER, VERDICT
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, NEAR, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.verdicts import YES

_BAD = (WRONG, MIXED, DENIED)
_SHOWN = ((1.0, 3.0), (0.85, 2.0), (0.75, 1.5), (0.3, 1.0), (0.1, 0.5))  # for a list that shows only the first names
_LONG = 2_500  # a response with more letters than this, and than six times the gold answer, is long


def graded(
    fared: Sequence[Fared], *, wh: bool, letters: int, gold_letters: int, builds: int = 2, aside: bool = False
) -> float:
    """Return the grade of a response, 0 to 3 in halves; `wh` says that the question asks for more than yes or no."""
    verdicts = [one for one in fared if one.fact["kind"] == VERDICT]
    grade = _by_verdict(verdicts[0], fared) if verdicts and not wh else _by_facts(fared, builds)
    if grade == 3 and (aside or letters > max(_LONG, 6 * gold_letters)):
        grade = 2.5
    return max(0.0, min(3.0, int(grade * 2 + 1e-9) / 2))


def text_of(grade: float) -> str:
    """Format a grade as the rubric does, with one decimal."""
    return str(Decimal(str(grade)).quantize(Decimal("0.1")))


def _by_verdict(verdict: Fared, fared: Sequence[Fared]) -> float:  # noqa: PLR0911 (one return a row)
    others = [one for one in fared if one is not verdict and one.fact["slot"] != "verdict"]
    if verdict.status in (WRONG, MIXED, DENIED):
        return 0.0
    worths = [_worth(one) for one in others]
    bad = [one for one in others if one.status in _BAD and not _partial(one)]
    if verdict.status == ABSENT and not (verdict.fact["value"] == YES and not bad and any(map(_names_it, others))):
        return 1.0 if others and not bad and math.fsum(worths) >= 2 * len(worths) else 0.0
    if bad:
        named = [one for one in others if one.fact["kind"] != NUMBER]
        few = len(bad) <= 0.15 * len(named) and all(
            one.fact["of"][:2] == "rs" and one.fact["kind"] != NUMBER for one in bad
        )
        return 2.0 if few or _figures_alone(bad, others) else 1.0
    more = [one for one in others if one.fact["asked"]]
    if more and all(one.status == ABSENT for one in more):
        return 1.0
    lists = [
        _worth(one)
        for one in more
        if one.fact["kind"] == NAMES and one.fact["slot"] not in ("words", "tissue", "tissues")
    ]
    if lists and max(lists) <= 1.5:
        return 1.5
    if verdict.status == NEAR:
        return 2.0 if verdict.fact["value"] == "no" else 1.5
    if not others:
        return 3.0
    if any(map(_in_one, more)):
        return 2.0
    share = math.fsum(worths) / (3 * len(worths))
    return 3.0 if share >= 0.7 else 2.5 if share >= 0.3 else 2.0


def _names_it(one: Fared) -> bool:
    """Whether a name, count or year of the gold answer is said, which answers "is there one" with yes."""
    slot = one.fact["slot"].lower()
    if one.fact["kind"] == INTEGER and ((slot == "year" and one.fact["asked"]) or slot.startswith("number of")):
        return one.status == RIGHT and str(one.fact["value"]) != "0"
    plain = slot in ("snp", "snps", "gene", "genes", "drug", "drugs", "approved drugs", "targets")
    return plain and one.fact["kind"] in (NAME, NAMES) and _worth(one) >= 2


def _figures_alone(bad: Sequence[Fared], others: Sequence[Fared]) -> bool:
    """Whether everything wrong is a measured value or a tissue that was not asked for, while asked names are right."""
    named = [one for one in others if one.fact["kind"] in (NAME, NAMES) and one.fact["asked"]]
    return (
        len(bad) <= max(1, len(others) // 4)
        and all(not one.fact["asked"] and (_measures(one) or "tissue" in one.fact["slot"]) for one in bad)
        and all(_worth(one) >= 2 for one in named)
    )


def _measures(one: Fared) -> bool:
    """Whether a fact is a p-value of the right significance, an effect or the like; a phase has another weight."""
    return one.fact["kind"] == NUMBER and "phase" not in one.fact["slot"] and not one.extra


def _by_facts(fared: Sequence[Fared], builds: int) -> float:
    main = [one for one in fared if one.fact["asked"] or _where_none(one)] or list(fared)
    beside = [one for one in fared if one not in main]
    if not main:
        return 0.0
    placed = builds < 2 and any(one.fact["slot"] == "position" and one.status in (RIGHT, NEAR) for one in main)
    weights = [
        2.0 if one.fact["slot"] == "position" and len(main) > 1 and not (placed and one.status == ABSENT) else 1.0
        for one in main
    ]
    worths = [_worth(one) for one in main]
    if any(_partial(one) and one.share == 1 for one in main):  # its length, if missing, is one item beside all names
        weights = [3.0 if _partial(one) else weight for one, weight in zip(main, weights, strict=True)]
    grade = math.fsum(w * x for w, x in zip(worths, weights, strict=True)) / math.fsum(weights)
    bad = [one for one in main if one.status in _BAD]
    if _lacks(main, worths, builds):
        grade = min(1.5, grade)
    if bad:
        both = any(one.status == MIXED and one.fact["slot"] == "position" for one in bad)  # of a right chromosome
        fit = [one for one in main if one.status in (RIGHT, NEAR) and not (both and "chromosome" in one.fact["slot"])]
        few = len(main) >= 4 * len(bad) and all(one.fact["kind"] == NUMBER for one in bad)
        grade = min(2.0 if few else 1.0, grade) if fit else 0.0
        if all(one.status in _BAD for one in main):
            grade = 0.0
    if grade >= 1.0 and any(one.status in _BAD and not _partial(one) for one in beside):
        # another effect allele states the opposite
        turned = any(one.fact["slot"] == "effect allele" for one in beside if one.status in _BAD)
        grade = max(1.0 if grade >= 2 else 0.0, grade - (2.0 if turned else 1.0))
    return grade


def _where_none(one: Fared) -> bool:
    """Whether something is named of which the gold answer says that there is none."""
    return one.fact["kind"] == INTEGER and str(one.fact["value"]) == "0" and one.status in _BAD


def _lacks(main: Sequence[Fared], worths: Sequence[float], builds: int) -> bool:
    """Whether at most half of what is asked for is there: a list, or one of several positions."""
    places = [one.status for one in main if one.fact["slot"] == "position"]
    if len(main) > 1 and any(map(_lacking, main)):
        return True
    least = 1.5 if len(main) < 3 else 1.0
    short = any(
        0 < w <= least and one.fact["kind"] == NAMES and (one.extra or not places)
        for one, w in zip(main, worths, strict=True)
    )
    none = bool(places) and set(places) == {ABSENT}
    lists = [one for one in main if one.fact["kind"] == NAMES and _worth(one) <= 1.5]
    half = any(one.fact["kind"] == NAMES and 0 < one.share <= 0.5 for one in main)
    return (
        (short and (len(main) <= 3 or half))
        or len(lists) > 1
        or none
        or (ABSENT in places and len(places) > 1 and builds > 1)
    )


def _lacking(one: Fared) -> bool:
    """Whether a name or a list that is asked for is not there at all; a phase tells a status too."""
    return one.status == ABSENT and one.fact["kind"] in (NAME, NAMES) and one.fact["slot"] != "status"


def _partial(one: Fared) -> bool:
    """Whether a list shows only the first of many names, so other names in a response may also be right."""
    return one.fact["kind"] == NAMES and bool(one.fact.get("of_all"))


def _worth(one: Fared) -> float:
    if one.fact["kind"] == NAMES and one.fact["slot"] != "words":
        return _of_list(one)
    if _in_one(one):
        return 1.0
    return {RIGHT: 3.0, NEAR: 2.0}.get(one.status, 0.0)


def _in_one(one: Fared) -> bool:
    """Whether a number is half of two that are said as one, such as phase 1/2."""
    return one.status == NEAR and one.extra > 0 and one.fact["kind"] not in (NAME, NAMES)


def _of_list(one: Fared) -> float:
    """Return the worth of a list: by the share of right names, reduced by wrong ones."""
    if one.status in _BAD:
        return 0.0
    share, extra = one.share, one.extra
    if _partial(one):
        return max(
            0.0, next((worth for least, worth in _SHOWN if share >= least), 0.0) - (0.5 if extra > 0.15 else 0.0)
        )
    if share == 1:
        steps: tuple[tuple[float, float], ...] = ((0.0, 3.0), (0.1, 2.5), (0.13, 2.0), (0.7, 1.0))
    elif share >= 0.85:
        steps = ((0.15, 2.0), (0.6, 1.0))
    elif share >= 0.74:
        steps = ((0.0, 1.5), (0.6, 1.0))
    elif share >= 0.3:
        steps = ((0.5, 1.0), (0.6, 0.5))
    else:
        steps = ((0.5, 0.5),) if share else ()
    return next((worth for most, worth in steps if extra <= most), 0.0)
