"""Facts of DFT-C (OURS, rule DFT-C): the fields of structures and parameter sets that a program states.

A fact is the name of a field and a value. Programs are parsed and never run; the order of steps and the names of
functions are not compared. Static measures of the program are reported in addition.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from harness.rowtypes import Found
from harness.studies.curie.reading.aliases import NAMES, PARAMETERS, STRUCTURES, renamed
from harness.studies.curie.reading.dft_items import PROGRAM, parameters, structures
from harness.studies.curie.reading.loose_json import Unreadable
from harness.studies.curie.reading.python_facts import Block, blocks, measures, named
from harness.studies.curie.reading.texts import norm
from harness.studies.curie.scoring.facts import MOST, Comparison, Fact, scored
from harness.studies.curie.scoring.found import missing

CLOSE = 1e-6  # relative to the larger of two numbers that count as equal
MOST_COMPARED = 2_000  # numbers, or lists of numbers, of one field that are compared within a tolerance
_NUMBER = r"[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?"
_ONE = re.compile(_NUMBER, re.ASCII)
_LIST = re.compile(rf"[\[(]\s*{_NUMBER}(?:\s*,\s*{_NUMBER}){{0,20}}\s*,?\s*[\])]", re.ASCII)
_TIMES = re.compile(r"\d{1,4}(?:\s?[x\u00d7*]\s?\d{1,4}){1,3}", re.ASCII)
_UNSAID = ("", "nan", "none", "null")


def score(response: str, truth: str) -> Found:
    """Score an answer of DFT-C against a ground-truth file by its facts, as `facts.scored` does.

    The metrics include static measures of its program: parses, n_functions, n_placeholders, placeholder_share.
    """
    read = blocks(response) if len(response) <= MOST else []

    def stated(text: str, gold: Counter[Fact]) -> Counter[Fact]:
        return _stated(read, {str(name) for name, *_ in gold})

    return scored(response, truth, facts, stated, near, _static(read))


def _static(read: Iterable[Block]) -> dict[str, Any]:
    counted = measures([tree for _, tree in read])
    functions = counted["n_functions"]
    share = counted["n_placeholders"] / functions if functions else missing("no function is defined")
    return {**counted, "placeholder_share": share}


def facts(truth: str) -> Counter[Fact]:
    """Count the facts of a ground-truth file's program: stated fields of its items (D1, D2), renamed by L7.

    Raises Unreadable if the file is not JSON or has no program.
    """
    return Counter(_items(structures(truth), parameters(truth)))


def facts_of(response: str, fields: Collection[str] = ()) -> Counter[Fact]:
    """Count the facts of an answer's program: values under names in L7's table, or under one of `fields`.

    Items written as in the ground truth count as well. Raises Unreadable if nothing in the answer is Python.
    """
    return _stated(blocks(response), fields)


def _stated(read: Iterable[Block], fields: Collection[str]) -> Counter[Fact]:
    names = {**dict.fromkeys(fields), **NAMES}
    found: Counter[Fact] = Counter()
    for block, tree in read:
        said = ((NAMES.get(name, name), value) for name, value in named(tree, names))
        found.update(_facts(said))
        wrapped = json.dumps({PROGRAM: block})
        found.update(_items(structures(wrapped), parameters(wrapped)))
    if not read:
        raise Unreadable("nothing in it is Python")
    return found


def _items(found: Iterable[Mapping[str, Any]], sets: Iterable[Mapping[str, Any]]) -> Iterator[Fact]:
    for item in found:
        yield from _facts(renamed(item, STRUCTURES))
    for item in sets:
        yield from _facts(renamed(item, PARAMETERS))


def _facts(said: Iterable[tuple[str, Any]]) -> Iterator[Fact]:
    return ((norm_field(name), *value) for name, one in said for value in _value(one))


def norm_field(name: str) -> str:
    """Return a field's name in the form that is compared: characters that UTF-8 cannot hold are replaced."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _value(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value's kind and the form in which it is compared; nothing for an unstated value."""
    if isinstance(value, bool | int | float):
        number = _number(value)
        if number is not None:
            yield "number", (number,)
    elif isinstance(value, str):
        yield from _text(value)
    elif isinstance(value, list | tuple | set | dict):
        inner = [one for each in (value.values() if isinstance(value, dict) else value) for one in _value(each)]
        if inner and all(kind == "number" for kind, _ in inner) and not isinstance(value, dict):
            yield "list", tuple(number for _, (number,) in inner)
        elif inner:
            yield "text", " ".join(str(part) for _, part in inner)


def _text(text: str) -> Iterator[tuple[str, Any]]:
    plain = text.strip()[:2000]
    if _ONE.fullmatch(plain):
        yield "number", (float(plain),)
    elif _LIST.fullmatch(plain) or _TIMES.fullmatch(plain):
        yield "list", tuple(float(one) for one in _ONE.findall(plain.replace("*", " ")))
    elif (said := norm(text)) not in _UNSAID:
        yield "text", said


def _number(value: float) -> float | None:
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def near(gold: Counter[Fact], stated: Counter[Fact]) -> Comparison:
    """Compare facts, with numbers equal within a millionth of the larger; no fact is paired twice."""
    missed, extra = gold - stated, stated - gold
    close: list[tuple[Fact, Fact]] = []
    waiting: dict[tuple[Any, ...], list[tuple[float, ...]]] = {}
    for fact in sorted((one for one in extra.elements() if one[1] != "text"), key=repr):
        waiting.setdefault((fact[0], fact[1], len(fact[2])), []).append(fact[2])
    for fact in sorted((one for one in missed.elements() if one[1] != "text"), key=repr):
        there = waiting.get((fact[0], fact[1], len(fact[2])), [])[:MOST_COMPARED]
        found = next((one for one in there if all(map(_is_close, one, fact[2]))), None)
        if found is not None:
            waiting[fact[0], fact[1], len(fact[2])].remove(found)
            close.append((fact, (fact[0], fact[1], found)))
    missed.subtract(left for left, _ in close)
    extra.subtract(right for _, right in close)
    return Comparison((gold & stated).total() + len(close), +missed, +extra)


def _is_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=CLOSE)
