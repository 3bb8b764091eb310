"""Facts of HFD (OURS, rule HFD): the signed terms of the answer to each of the first five steps.

A step is an object with an `answer`, anywhere in the ground-truth file, whose other fields are not public. Its number
is in its field `Step`, or else its position.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.latex import MOST
from harness.studies.curie.reading.loose_json import LONGEST_FILE, Unreadable, loads
from harness.studies.curie.reading.strict_json import read_first
from harness.studies.curie.reading.texts import leaves
from harness.studies.curie.scoring.facts import Fact, multisets, scored
from harness.studies.curie.scoring.facts_terms import Effort, terms

STEPS = 5
ANSWER = "answer"
_DIGITS = re.compile(r"\d{1,3}", re.ASCII)
_ESCAPED = (  # LaTeX whose single backslashes JSON read as escapes, if nothing else can be meant
    (re.compile(r"\f(?=rac|orall)"), r"\\f"),
    (re.compile(r"\x08(?=eta|ar|egin|ig|oldsymbol|f|m)"), r"\\b"),
    (re.compile(r"\t(?=au|heta|imes|ext|ilde|frac)"), r"\\t"),
    (re.compile(r"\r(?=ho|angle|ight|m\b|vert)"), r"\\r"),
    (re.compile(r"\v(?=ar|ec|ert)"), r"\\v"),
    (re.compile(r"\n(?=abla|eq\b|onumber|otag)"), r"\\n"),
)


def score(response: str, truth: str) -> Found:
    """Score an answer of HFD against a ground-truth file by its terms, as `facts.scored` does."""
    return scored(response, truth, facts, lambda text, _: facts_of(text), multisets)


def facts(truth: str) -> Counter[Fact]:
    """Count the signed terms of a ground-truth file by step; steps may also be JSON in one of its texts.

    Raises Unreadable if the file is not JSON.
    """
    value = loads(truth, LONGEST_FILE)
    found = _terms(value)
    return found or sum((_terms(inner) for inner in _written(value)), Counter())


def _written(value: Any) -> Iterator[Any]:
    for text in leaves(value):
        try:
            yield read_first(text)
        except Unreadable:
            continue


def facts_of(response: str) -> Counter[Fact]:
    """Count the signed terms of an answer by step; raises Unreadable if it is not JSON (R1, R2) or has no step."""
    value = read_first(response)
    if not any(True for _ in _steps(value)):
        raise Unreadable("no step with an answer stands in it")
    return _terms(value)


def _terms(value: Any) -> Counter[Fact]:
    found: Counter[Fact] = Counter()
    left, effort = MOST, Effort()  # of all steps together: characters left, renamings left
    for step, answer in _steps(value):
        if 1 <= step <= STEPS:
            text = "\n\n".join(leaves(answer))[:left]
            left -= len(text)
            for pattern, instead in _ESCAPED:
                text = pattern.sub(instead, text)
            found.update({(step, *term): count for term, count in terms(text, effort).items()})
    return found


def _steps(value: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number and the answer of each step, in order of appearance."""
    waiting, place = [value], 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict) and ANSWER in one:
            place += 1
            yield _number(one, place), one[ANSWER]
        else:
            inner = list(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            waiting.extend(reversed(inner))


def _number(step: Mapping[str, Any], place: int) -> int:
    said = _DIGITS.search(str(step.get("Step", step.get("step", "")))[:100])
    return int(said[0]) if said else place
