"""What a response leaves to be understood, said out: bare values, digits of an identifier, the heads of a table (OURS).

It must never know a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.studies.biomed.reading.plain import Plain
from harness.studies.biomed.reading.questions import Question

_BARE = re.compile(
    r"[^\w-]{0,4}(?:(?:the )?(?:answer|it|value|result)(?: is)?:?\s|approximately |about |highest:? |maximum:? )?"
    r"(?P<value>-?\d[\d.,]{0,15}(?:\s?/\s?\d)?|i{1,3}|iv|i\s?/\s?ii|ii\s?/\s?iii|x|y)\W{0,3}",
    re.IGNORECASE,
)
_PREFIXES = ("phase", "chromosome", "b")  # slots whose numbers are known by the word before them
_REGISTER = re.compile(
    r"\b(?P<of>chembl|efo|mondo)\b(?:\s(?:compound|molecule|drug))?\s(?:ids?|identifier|number|no\.?|accession|code|entry)"
    r"\b(?:(?:\s(?:for|of)\s[^\n.:;(),]{1,60}?)?(?:\s(?:is|was)\b|\s?[:=]))?\W{0,3}(?P<n>\d{2,12})\b",
    re.IGNORECASE,
)
_SPACED = re.compile(r"\brs\s(?=\d{4,12}\b)", re.IGNORECASE)
_ODDS = re.compile(r"\bOR\b(?=\s?(?:[=:~(]|of\s|is\s|about\s){1,2}\s?\d)")
_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")  # the line under the heads of a table
_RANK = re.compile(r"\W*(?:#|no|nr|rank|number|s/?n|index)\W*", re.IGNORECASE)
_PROPERTY = re.compile(
    r"\W*(?:property|properties|field|attribute|item|parameter|feature|category|aspect|characteristic|question)\W*",
    re.IGNORECASE,
)
_MOST_CELLS = 40


def completed(text: Plain, asked: Question) -> Plain:
    """Give a text with what it leaves to be understood said out: a phase for a bare number, heads beside cells."""
    bare = _BARE.fullmatch(text.text) if len(text.text) < 60 and not asked.yes_no else None
    if bare:
        value = bare["value"].rstrip(".,")
        if asked.wants == "chembl" and value.isdigit():
            return Plain(f"CHEMBL{value}")
        word = next((word for word in _PREFIXES if word in asked.slots), "")
        return Plain(f"{word} {value}") if word else text
    said = _SPACED.sub("rs", _REGISTER.sub(r"\g<of>\g<n>", text.text))
    said = _ODDS.sub("odds ratio", said)
    if "|" in said:
        said = "\n".join(_without_tables(said.split("\n")))
    return Plain(said) if said != text.text else text


def _without_tables(lines: list[str]) -> Iterator[str]:
    """Yield lines, the rows of a table as items of a list: the first cell, then each other cell behind its head."""
    heads: list[str] = []
    for number, line in enumerate(lines):
        follows = lines[number + 1] if number + 1 < len(lines) else ""
        if "|" not in line:
            heads = []
            yield line
        elif "|" in follows and _RULE.fullmatch(follows):
            heads = _cells(line)
        elif not heads:
            yield line
        elif not _RULE.fullmatch(line):
            yield _row(heads, _cells(line))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")][:_MOST_CELLS]


def _row(heads: list[str], cells: list[str]) -> str:
    pairs = [(head, cell) for head, cell in zip(heads, cells, strict=False) if cell]
    if len(pairs) > 1 and (_RANK.fullmatch(pairs[0][0]) or pairs[0][0] == "#"):
        pairs = pairs[1:]
    if not pairs:
        return ""
    (head, first), rest = pairs[0], pairs[1:]
    if _PROPERTY.fullmatch(head) or (not head and len(rest) == 1):
        return f"- {first}: " + "; ".join(cell for _, cell in rest)
    if not head:
        return f"- {first}: " + "; ".join(f"{name} {cell}" for name, cell in rest)
    return f"- {first} ({head}): " + "; ".join(f"{name} {cell}" for name, cell in rest)
