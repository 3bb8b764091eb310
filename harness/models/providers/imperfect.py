"""Answers that are right in other words, right but for a number, or half an answer, to try graders of free text.

Each is made of the right answer's text alone and the same one every time. It must never know a benchmark or a grader.
"""

from __future__ import annotations

import re

# A number that stands alone: no part of a word, an identifier or a list's marker.
_NUMBER = re.compile(r"(?<![\w.,:/-])\d(?:[\d.,]*\d)?(?:[eE][-+]?\d+)?(?![\w/-])")
_BULLET = re.compile(r"^[ \t]*[\u2022*-][ \t]+", re.MULTILINE)
BEGINNING = "Here is what I can tell you. "
ENDING = " I hope that this helps."


def paraphrased(text: str) -> str:
    """Give an answer in another dress: a polite frame around it, numbers in bold, list items behind semicolons."""
    flat = " ".join(_BULLET.sub("; ", text).split()).replace(" ;", ";").replace(":;", ":")
    return f"{BEGINNING}{_NUMBER.sub(lambda found: f'**{found[0]}**', flat)}{ENDING}"


def one_wrong_number(text: str) -> str:
    """Give an answer with another last number; without a number of its own, with another digit in its last word of any.

    A text without a digit stays as it is.
    """
    if alone := list(_NUMBER.finditer(text)):
        return _changed(text, alone[-1].start(), alone[-1].end())
    digits = list(re.finditer(r"\d+", text))
    return _changed(text, digits[-1].start(), digits[-1].end()) if digits else text


def _changed(text: str, start: int, end: int) -> str:
    """Change the first digit of a number that is no zero, or its first one, into another one that is no zero."""
    number = text[start:end]
    place = next((at for at, char in enumerate(number) if char in "123456789"), 0)
    digit = str(int(number[place]) % 9 + 1) if number[place] != "0" else "7"
    return text[:start] + number[:place] + digit + number[place + 1 :] + text[end:]


def first_half(text: str) -> str:
    """Give the first half of an answer's words, the odd one included."""
    words = text.split()
    return " ".join(words[: (len(words) + 1) // 2])
