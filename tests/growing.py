"""Texts that an answer may be made of to make a grader slow, of any size, and what a grader's time grows by with them.

A family gives a text of so many letters. Beside those that are written here, each pattern has families of its own: what
it repeats, written without end and broken off, alone and behind what it begins with.
"""

from __future__ import annotations

import contextlib
import io
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NoReturn

import pytest
from patterns import Pattern, example, written_part
from readers import Door, Told

Family = Callable[[int], str]
FIRST, LAST = 10_000, 640_000  # letters
READABLE = 0.08  # seconds of the processor from which on a time is told from the clock's steps
MOST = 2.3  # by which a time grows where the text is twice as long
SLOW, LEAST = 8 * READABLE, 200  # seconds, and letters: from which on a text is made shorter, and down to what
ENOUGH = 60  # seconds of the processor: who takes so long for one text is not waited for
ROUNDS = 3
TRIES = 4  # a busy machine adds to a time and never takes from it: the least of so many counts
LARGE = 30  # a pattern that repeats a part so often, at most, takes the square of it for a constant

UNITS = (
    "1234567890", "1", "12 ", "1.", "1,", "1,234,", "2,49", "'-", ",01", "1-", "1e5 ", "5% ", "5 kg ", "10^",
    "1.2 x 10^-8, ", "(", ")", "[", "{", "()", '"', "'", "`", "```json\n", "\\", "a", "A", "Aa ", "ab c", "ABC1 ",
    "rs123 ", " ", "\t", "\n", " \n", "\r\n", "a\n", "\u00e9", "e\u0301", "\U0001f600", "\u6f22\u5b57", "\u2212",
    "\u00a0", '{"a": ', '{"a"', "[1, ", "ACDEFGHIKLMNPQRSTVWY", ">A\nACD\n", "The answer is A. ",
    "answer: 31547, or 31548; ", "not ", "no, ", "and or ", "I do not know. ", "I'm sorry, but ", "listen ",
    "Rome, ", "New York City and ", "-", "*", "**a** ", "#", "_", "| a ", ".", ". ", ",", ":", "1/", "a=", "$",
    "\\boxed{", "\\frac{1}{", "<think>", "p-value of 1.2e-8 ", "LRRK2 and ", "LRRK2, GBA1, ", "2:05 pm ",
    "03/05/2021 ", "A allele ", "Yes. ", "7: 79990", "coefficient-", "heidi ", "-p-value", "between 1 and ",
    "def f():\n", "```python\n", "(1", "phase 1, ", "[[1], ", "w\u0301x ",
)  # fmt: skip
BETWEEN = {"blanks": " ", "lines": "\n", "tabs": "\t", "underscores": "_", "quotes": '"', "hyphens": "-"}


def repeated(unit: str, size: int) -> str:
    """Repeat a text up to a size."""
    return (unit * (size // len(unit) + 1))[:size]


def _between(sign: str, size: int) -> str:
    return f"a{sign * (size - 2)}b"


def _broken_off(before: str, unit: str, behind: str, size: int) -> str:
    return before + repeated(unit, size) + behind


def _nested(opens: str, closes: str, size: int) -> str:
    times = size // (len(opens) + len(closes))
    return opens * times + closes * times


def _words(size: int) -> str:
    return " ".join(f"w{number}" for number in range(size // 4))[:size]


def _objects(size: int) -> str:
    return "[" + ", ".join(['{"a": 1}'] * (size // 10)) + "]"


def families() -> dict[str, Family]:
    """Give the families by name."""
    found: dict[str, Family] = {repr(unit): partial(repeated, unit) for unit in UNITS}
    found["blanks behind a capital"] = partial(_broken_off, "A", " ", "x")
    found["blanks behind a fence"] = partial(_broken_off, "````", " ", "x")
    found |= {f"{name} between letters": partial(_between, sign) for name, sign in BETWEEN.items()}
    found |= {"nested lists": partial(_nested, "[", "]"), "nested objects": partial(_nested, '{"a":', "}")}
    return {**found, "brackets": partial(_nested, "(", ")"), "other words": _words, "objects": _objects}


def aimed(pattern: Pattern, random: Random) -> Iterator[Family]:
    """Give families that aim at what a pattern repeats."""
    for before, body in _repeats(parser.parse(pattern.text, pattern.flags), "", random):
        yield partial(_broken_off, before, body, "\x01")
        yield partial(_broken_off, "\n", body, "b")
        yield partial(repeated, before[-60:] + body)
    for _ in range(2):
        if len(text := example(pattern, random)[:500]) > 1:
            yield partial(repeated, text[:-1])


def _repeats(parsed: Any, before: str, random: Random) -> Iterator[tuple[str, str]]:
    """Give what a pattern repeats, each with a text that leads there."""
    for sign, value in parsed:
        if sign in (signs.MAX_REPEAT, signs.MIN_REPEAT):
            if value[1] >= LARGE and (body := written_part(value[2], random)):
                yield before, body
            yield from _repeats(value[2], before, random)
        elif sign in (signs.SUBPATTERN, signs.ASSERT):
            yield from _repeats(value[-1], before, random)
        elif sign is signs.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, before, random)
        before += written_part([(sign, value)], random)


def spent(door: Door, family: Family, size: int, tries: int = 1, asked: tuple[str, str] = ("", "")) -> float:
    """Measure the processor's time that a reader takes for a text, the least of some tries."""
    text = family(size)
    return min(_once(door, Told(text, *asked)) for _ in range(tries))


def _once(door: Door, told: Told) -> float:
    begun = time.process_time()
    before = signal.signal(signal.SIGVTALRM, _end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, ENOUGH)
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            door(told)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - begun


def _end(number: int, frame: object) -> NoReturn:
    pytest.fail(f"one text took more than {ENOUGH} s of the processor")  # no Exception, which readers may catch


def growth(door: Door, family: Family, asked: tuple[str, str], last: int = LAST) -> float:
    """Tell by what a reader's time grows where a text is twice as long, at the first size whose time can be told.

    1 where none can up to `last`, and where every longer text is refused or not read to its end.
    """
    size = FIRST
    now = spent(door, family, size, asked=asked)
    while now > SLOW and size > LEAST:  # a slow one shows at fewer letters, and would take minutes at more
        size //= 2
        now = spent(door, family, size, asked=asked)
    while now < READABLE:
        size *= 2
        if size >= last:
            return 1.0
        now = spent(door, family, size, asked=asked)
    later = spent(door, family, 2 * size, asked=asked)
    for _ in range(TRIES):
        if later <= MOST * now:
            break
        now = min(now, spent(door, family, size, asked=asked))
        later = min(later, spent(door, family, 2 * size, asked=asked))
    if later <= MOST * now:
        return later / now
    # The least of each may have been met in different states of a machine: both sizes are measured anew, a few times.
    found = min(later / now, *(_anew(door, family, size, asked) for _ in range(ROUNDS)))
    if found <= MOST or 2 * size > last:
        return found
    return min(found, _anew(door, family, 2 * size, asked))  # a text leaves a cache once, and the square goes on


def _anew(door: Door, family: Family, size: int, asked: tuple[str, str]) -> float:
    now = spent(door, family, size, TRIES, asked)
    return spent(door, family, 2 * size, TRIES, asked) / now
