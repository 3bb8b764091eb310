"""The scorer `number`: a number in the answer equals the target's within a tolerance, in decimals and without rounding.

Thousands separators, a minus of any shape and digits of any script are read. Superscript and subscript digits, as in m²
and CO₂, are not numbers. A number followed by such digits, as 10², counts as a number that cannot be read. Independent
of the model that answered.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from harness.answers.prepare import prepare
from harness.kit import graded
from harness.rowtypes import Found
from harness.studies.questions.compared import finding, targets, without

LONGEST = 400  # characters of a number; a longer one is not read
NO_NUMBER = "the target is no number"
_EXACT = Context(prec=2 * LONGEST, traps=[])
_OFF_LINE = re.compile(r"[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u2080-\u2089]+")  # raised, lowered
_MARK = "\ue000"  # replaces such digits
_MINUS = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d", "-"))
_SIGN = r"(?:(?<![0-9A-Za-z)\]%\ue000])[-+])?[$€£¥]?"
_EXPONENT = r"(?:[eE][-+]?[0-9]{1,6}(?![0-9]))?"


def _shape(group: str, mark: str) -> re.Pattern[str]:
    whole = rf"[0-9]{{1,3}}(?:[{group}'_][0-9]{{3}})+(?![0-9])|[0-9]+"
    return re.compile(rf"{_SIGN}(?:(?:{whole})(?:{mark}[0-9]+)?|(?<![0-9]){mark}[0-9]+){_EXPONENT}")


_SHAPES = {"point": _shape(",", r"\."), "comma": _shape(".", ",")}
_MARKS: Mapping[str, Mapping[int, Any]] = {
    "point": str.maketrans("", "", ",'_$€£¥"),
    "comma": str.maketrans({",": ".", **dict.fromkeys(".'_$€£¥")}),
}


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response: 1 if its number is the target's, 0 if it is not or there is none."""
    graded.write(
        params, inputs, out, params["name"], lambda seen: number(seen.response["text"], seen.gold["gold"], params)
    )


def number(response: str, gold: Mapping[str, Any], params: Mapping[str, Any]) -> Found:
    """Score one answer: 1 if its number is within `tolerance` or `relative` of the target's; none without a target."""
    mark = str(params["decimal"])
    wanted = [value for target in targets(gold) if (value := the_number(target, mark)) is not None]
    if not wanted:
        return without(NO_NUMBER)
    said = _taken(response, mark, str(params["take"]))
    if said is None:
        return finding(0, None)
    widths = Decimal(params["tolerance"]), Decimal(params["relative"])
    return finding(int(any(_near(said, value, *widths) for value in wanted)), _spelled(said))


def the_number(text: str, mark: str = "point") -> Decimal | None:
    """Return the only number in a text; None if the text holds none or several."""
    found = list(islice(numbers(text, mark), 2))
    return found[0] if len(found) == 1 else None


def numbers(text: str, mark: str = "point") -> Iterator[Decimal | None]:
    """Yield the numbers of a text; None for one that is too long or followed by superscript or subscript digits."""
    if not text.isascii():
        text = _OFF_LINE.sub(_MARK, text.replace(_MARK, " "))
    text = prepare(text).translate(_MINUS)
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
    for found in _SHAPES[mark].finditer(text):
        spelled = found.group().translate(_MARKS[mark])
        readable = len(spelled) <= LONGEST and not text.startswith(_MARK, found.end())
        yield Decimal(spelled) if readable else None


def _taken(text: str, mark: str, take: str) -> Decimal | None:
    if take == "only":
        return the_number(text, mark)
    found = numbers(text, mark)
    return next(found if take == "first" else iter(deque(found, maxlen=1)), None)


def _spelled(value: Decimal) -> str:
    """Return a text for a number that is the same for equal numbers."""
    plain = value.normalize(_EXACT)
    return f"{plain:f}" if abs(plain.adjusted()) <= LONGEST and plain else str(plain) if plain else "0"


def _near(said: Decimal, target: Decimal, tolerance: Decimal, relative: Decimal) -> bool:
    off = _EXACT.abs(_EXACT.subtract(said, target))
    return off <= _EXACT.max(tolerance, _EXACT.multiply(relative, _EXACT.abs(target)))
