"""Where a right output stands in a text, in whatever spelling, and whether it stands there as the answer.

It knows a text and a right output; it must never know a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.scorers.outcome.v2.numbers import numbers
from harness.scorers.outcome.v2.wanted import (
    Span,
    WantedOutput,
    items,
    json_values,
    same_json,
    spelling_of_time,
    times,
    unit_after,
    unit_before,
)

_ENDS = " \t\n\"'`*_.,;:!?()[]{}<>|\u201e\u00ab\u00bb\u3002"
_TIGHT = re.compile(r"\s*([,;:=(){}\[\]<>+*/|-])\s*")
_LINE = re.compile(r"[^\n]+")
_AFTER_LABEL = re.compile(r"(?:[:=]|->|\u2192|=>|\bis|\bare|\bbe)\s+(?=\S)")
_BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_SPLIT = re.compile(r"[\s,;|]+")
_COMMA = re.compile(r"\D?[0-9]+,[0-9]{1,2}\D{0,3}")
_HALF = re.compile(r"\s?[ap]\.?m\b", re.IGNORECASE)
MOST = 40  # places of one text that are looked at one by one


def same(wanted: WantedOutput, value: str) -> bool:
    """Whether a text says the right output and nothing else."""
    if wanted.kind == "json":
        values = list(json_values(value))
        return len(values) == 1 and same_json(values[0], wanted.canonical, wanted.cased)
    if _folded(wanted, value) == _folded(wanted, wanted.text):
        return True
    stripped = value.strip(_ENDS)
    if wanted.kind == "list":
        listed = [item.casefold() for item in items(stripped)]
        return wanted.canonical in (listed, stripped.casefold().split())
    if wanted.kind == "number" and _COMMA.fullmatch(stripped):
        stripped = stripped.replace(",", ".")
    words = wanted.text.split()
    if wanted.kind == "text" and len(words) > 2 and all(word.isalpha() for word in words):
        return [word for word in _SPLIT.split(_folded(wanted, stripped)) if word] == _folded(
            wanted, wanted.text
        ).split()
    return wanted.kind in ("time", "number") and any(
        not re.search(r"[^\W_]", stripped[:start] + stripped[end:]) for start, end in _by_value(wanted, stripped)
    )


def _folded(wanted: WantedOutput, value: str) -> str:
    text = " ".join(value.split()).strip(" \"'`")
    text = text.rstrip(".!").strip(" \"'`")
    if re.search(r"[(){}\[\]=<>;]", wanted.text):
        text = _TIGHT.sub(r"\1", text)
    return text if wanted.cased else text.casefold()


def places(wanted: WantedOutput, text: str) -> list[Span]:
    """List where the right output stands by itself in a text; of JSON and lists, the lines that hold it."""
    found = [each.span() for each, _ in zip(wanted.pattern.finditer(text), range(MOST), strict=False)]
    if wanted.kind == "time":
        found = [span for span in found if not _HALF.match(text, span[1])]  # 10:15 pm says another time than 10:15
    if wanted.kind in ("time", "number"):
        found += [span for span in _by_value(wanted, text) if not any(_meet(span, other) for other in found)]
        if wanted.kind == "number" and len(wanted.canonical) == 1 and wanted.canonical[0][1]:
            found = [span for span in found if not _otherwise(wanted, text, span)]
    elif wanted.kind == "list":
        found = [span for span in _parts(text) if same(wanted, text[slice(*span)])][:MOST]
    elif wanted.kind == "json":
        found = [(0, len(text))] if _only_json(wanted, text) else []
    return sorted(found)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _otherwise(wanted: WantedOutput, text: str, span: Span) -> bool:
    unit = unit_after(text, span[1])
    return bool(unit) and unit != wanted.canonical[0][1] and text[span[1] - 1].isdigit()


def _only_json(wanted: WantedOutput, text: str) -> bool:
    values = [value for value, _ in zip(json_values(text), range(MOST), strict=False)]
    return (
        bool(values)
        and same_json(values[0], wanted.canonical, wanted.cased)
        and (len(values) == 1 or all(same_json(value, wanted.canonical, wanted.cased) for value in values))
    )


def _parts(text: str) -> Iterator[Span]:
    """Give the parts of a text that may be a list: each line, what follows a label in it, each block of lines."""
    for count, line in enumerate(_LINE.finditer(text)):
        yield line.span()
        labels = [each.end() for each in _AFTER_LABEL.finditer(text, line.start(), line.end())][:8]
        for end in labels:
            yield end, line.end()
            stop = text.find(". ", end, line.end())
            if stop > 0:
                yield end, stop
        if count > 200:
            break
    for block in _BLOCK.finditer(text):
        yield block.span()
        after = text.find(":\n", block.start(), block.end())
        if after > 0:
            yield after + 1, block.end()


def _by_value(wanted: WantedOutput, text: str) -> Iterator[Span]:
    """Find the numbers or times that say the same in another spelling."""
    if wanted.kind == "time":
        for span, value, spelling in times(text):
            if value == wanted.canonical and spelling_of_time(spelling) not in wanted.given_times:
                yield span
        return
    first, unit = wanted.canonical[0]
    found = numbers(text, first if first.isdigit() else "")
    for index, number in enumerate(found):
        if number.value != first:
            continue
        named = unit_after(text, number.end) or unit_before(text, number.start)
        if unit and named and named != unit:
            continue
        end = _following(wanted, text, found[index + 1 : index + len(wanted.canonical)], number.end)
        if end:
            yield number.start, end


def _following(wanted: WantedOutput, text: str, others: list, end: int) -> int:  # type: ignore[type-arg]
    """Give the end of an amount in several units whose first number ends here; 0 where the others do not follow."""
    if len(others) < len(wanted.canonical) - 1:
        return 0
    for number, (value, unit) in zip(others, wanted.canonical[1:], strict=True):
        named = unit_after(text, number.end) or unit
        if number.value != value or number.start - end > 16 or (named != unit and (named, unit) != ("m", "min")):
            return 0
        end = number.end
    return end
