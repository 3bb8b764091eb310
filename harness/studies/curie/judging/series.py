"""An item whose fields hold several values (OURS): a list, values with labels, or a table; and one item for each value.

Independent of the property, the material and the gold. Does not decide which value is meant.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from harness.studies.curie.judging.asserted import settled
from harness.studies.curie.judging.quantities import quantity, reading, same_quantity
from harness.studies.curie.judging.substances import formulas_in

MOST = 24  # values of one field that are read
_READ = 800  # letters of a field
_NUMBER = r"[-+]?\d{1,12}(?:\.\d{1,12})?"
_UNIT = r"(?:\s?(?!(?:and|or|then|to)\b)[^\W\d_]{1,5}[\w/·^°-]{0,8}|\s?[°%ΩÅ][^\s,;\d()\[\]]{0,8})"
_MEMBER = re.compile(rf"(?<![\w.^])(?P<number>{_NUMBER})(?![\w.]*\.\d)(?P<unit>{_UNIT})?")
_JOINT = re.compile(r"\s?(?:[,;/&|\n]|,?\s?\b(?:and|or|then)\b)\s?")
_OPEN, _CLOSE = "([{", ")]}"
_WRAPPED = re.compile(r"\s*[\[{(]([^\[\](){}]*)[\]})]\s*")
_COLON = re.compile(r"\s?(?::|→|->|=>|⇒)\s?|\s?=\s?(?=[-+~≈<>]?\s?\d)")
_VALUE_FIRST = re.compile(
    rf"(?P<value>[<>≤≥~≈±]?\s?{_NUMBER}(?:\s?[x×]\s?10\^?[-+]?\d{{1,2}}|[eE][-+]?\d{{1,3}})?(?:\s?(?:±|-"
    rf"|to)\s?{_NUMBER})?)"
    rf"(?P<rest>.{{0,120}})$",
    re.DOTALL,
)
_LABEL = re.compile(
    r"^(?P<unit>[^\s(,@]{0,12}(?:\s[^\s(,@a-z][^\s(,@]{0,8}){0,2}|[^\s(,@]{1,12}(?: [^\s(,@]{1,8}){0,2})??"
    r"\s?(?:\((?P<inside>[^()]{1,100})\)|(?:@|\b(?:at|for|in|with|after|before|under|on|from|by|when)\b)\s?"
    r"(?P<after>.{1,100}))$",
    re.DOTALL,
)
_RULE = re.compile(r"[\s|:+=-]*")


@dataclass(frozen=True, slots=True)
class Value:
    """One of several values of a field, and what the text says of it: a condition or a sample."""

    text: str
    label: str = ""


def values(text: str) -> tuple[Value, ...]:
    """Return the values of a plain text that holds several, or one with a label; empty if it holds one plain value.

    `300 K: 1.42; 500 K: 0.95`, `1.42 (300 K), 0.95 (500 K)`, `[1.42, 0.95]`, and a table whose cells are set apart by
    bars. If any part is no value, the text is not read as several. A value that its label withdraws is left out.
    """
    text = text[:_READ].strip()
    if table := _table(text):
        return table
    while wrapped := _WRAPPED.fullmatch(text):
        text = wrapped[1]
    parts = [_value(part) for part in _parts(re.sub(r"['\"]", "", text))[: MOST + 1]]
    found = tuple(one for one in parts if one)
    if len(found) != len(parts) or len(found) > MOST:
        return ()
    kept = tuple(one for one in found if not one.label or settled(f"{one.text} {one.label}"))
    labelled = [bool(one.label) for one in kept]
    if len(found) == 1:
        return kept if labelled[:1] == [True] and _COLON.search(text) else ()
    return kept if all(labelled) or not any(labelled) else ()


def _parts(text: str) -> list[str]:
    """Split a text at semicolons, line feeds and commas outside brackets, but not at the commas of thousands."""
    blank = re.sub(r"\sand\s(?=[-+~≈]?\s?\d)", ", ", text)
    blank = blank.replace("/", ", ") if re.fullmatch(rf"{_NUMBER}(?:\s?/\s?{_NUMBER}){{1,{MOST}}}", blank) else blank
    thousands = not re.search(r",(?!\s|\d{3}(?!\d))", blank)
    found, depth, start = list[str](), 0, 0
    for place, sign in enumerate(blank):
        depth += (sign in _OPEN) - (sign in _CLOSE)
        apart = sign == "," and (not thousands or blank[place + 1 : place + 2].isspace())
        if depth <= 0 and (sign in ";\n" or apart):
            found.append(blank[start:place])
            start = place + 1
    return [part.strip() for part in (*found, blank[start:]) if part.strip()]


def _value(part: str) -> Value | None:
    """Read `label: value`, `value (label)`, `value unit at label` or a value with or without a unit."""
    for at in [*islice(_COLON.finditer(part), 4)][::-1]:  # `x = 0.3: 1.16` has its value after the last sign
        if _is_value(part[at.end() :]) and re.search(r"[^\W\d_]", part[: at.start()]):
            return Value(part[at.end() :].strip(), part[: at.start()].strip())
    found = _VALUE_FIRST.match(part)
    if not found:
        return None
    rest = found["rest"].strip()
    if said := _LABEL.match(rest):
        unit = (said["unit"] or "").strip()
        label = (said["inside"] or said["after"] or "").strip()
        if re.search(r"[^\W\d_]", label) and not re.search(r"\d", unit):
            return Value(f"{found['value']} {unit}".strip(), label)
    return Value(part.strip()) if _is_value(part) else None


def _is_value(text: str) -> bool:
    """Whether a text is a number or range with at most a unit after it."""
    read = reading(text)
    return bool(read) and len(read.rest if read else "") <= 16 and len((read.rest if read else "").split()) <= 3


def _table(text: str) -> tuple[Value, ...]:
    """Return the values of a table with bars: one row or column of it has the values, the others are their labels."""
    if "|" not in text:
        return ()
    lines = [line.strip().strip("|") for line in text.split("\n") if not _RULE.fullmatch(line)]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if "|" in line][: MOST + 1]
    if len(rows) < 2 or len(rows) != len(lines) or len({len(row) for row in rows}) != 1:
        return ()
    if not any(_is_value(cell) for cell in rows[0]):  # the first row has the names of columns
        rows = [list(column) for column in zip(*rows, strict=True)]
    if len(rows) < 2 or len(rows[0]) > MOST + 1 or any(_is_value(row[0]) for row in rows):
        return ()
    if not all(_is_value(cell) for cell in rows[-1][1:]):
        return ()
    return tuple(
        Value(rows[-1][place], "; ".join(_cell(row[0], row[place]) for row in rows[:-1]))
        for place in range(1, len(rows[0]))
    )


def _cell(name: str, cell: str) -> str:
    """Return a cell of a table with the unit of its row, as in `T/K` and `T (K)`, unless it has letters of its own."""
    unit = re.search(r"(?:/\s?|[\[(])([^\s()\[\]]{1,10})[)\]]?$", name)
    return f"{cell} {unit[1]}" if unit and re.fullmatch(_NUMBER, cell) else f"{name} {cell}"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration of numbers in a text, each with its unit, and the text before and after it."""

    head: str
    members: tuple[tuple[str, str], ...]
    tail: str

    def one_by_one(self) -> tuple[str, ...]:
        """Return the text once for each member: `films of 40 nm`, `films of 15 nm`, `films of 5 nm`."""
        return tuple(f"{self.head} {number} {unit} {self.tail}".strip() for number, unit in self.members)

    def as_range(self) -> str:
        """Return the text with the least and the greatest member: `films of 5-40 nm`."""
        ends = sorted(self.members, key=lambda member: float(member[0]))
        return f"{self.head} {ends[0][0]} to {ends[-1][0]} {ends[-1][1]} {self.tail}".strip()


def enumerated(text: str, size: int) -> Enumeration | None:
    """Return the first enumeration of `size` numbers in a text, as in `films of 40, 15 and 5 nm`; None without one."""
    text = text[:_READ]
    found = list(islice(_MEMBER.finditer(text), 4 * MOST))
    place = 0
    while place < len(found):
        end = place
        while end + 1 < len(found) and _JOINT.fullmatch(text[found[end].end() : found[end + 1].start()]):
            end += 1
        if end - place + 1 == size > 1:
            units = [(one["unit"] or "").strip() for one in found[place : end + 1]]
            members = ((one["number"], unit or units[-1]) for one, unit in zip(found[place:], units, strict=False))
            head, tail = text[: found[place].start()], text[found[end].end() :]
            return Enumeration(head.rstrip("[( "), tuple(members), tail.lstrip("])"))
        place = end + 1
    return None


def listed(text: str, size: int) -> tuple[str, ...]:
    """Return the `size` parts of a text that semicolons, line feeds or the signs of a list set apart; else nothing."""
    text = text[:_READ].strip()
    bare = _WRAPPED.fullmatch(text)
    parts = [one.strip(" '\"") for one in re.split(r"[;\n,]" if bare else r"[;\n]", bare[1] if bare else text)]
    return tuple(parts) if len(parts) == size > 1 and all(parts) else ()


def named(text: str, size: int) -> tuple[str, ...]:
    """Return the `size` formulas of which a text is a list: `ZnO, MgO and CdO`; empty if it is none."""
    parts = [one.strip() for one in re.split(r"[,;\n]\s?|\sand\s|\s/\s", text[:_READ]) if one.strip()]
    return tuple(parts) if len(parts) == size > 1 and all(formulas_in(one) for one in parts) else ()


def each(said: Mapping[str, str]) -> tuple[dict[str, str], ...]:
    """Return one item for each value if an item holds several and says what each is of; empty otherwise.

    What tells the values apart are their labels, or an enumeration of as many members in another field.
    """
    low, high = (values(said.get(name, "")) for name in ("low_value", "high_value"))
    ends = low or high
    if not ends or (low and high and len(low) != len(high)):
        return ()
    bare = {name: text for name, text in said.items() if name not in ("low_value", "high_value")}
    found = [dict(bare) for _ in ends]
    told = any(one.label for one in ends)
    for item, first, last in zip(found, low or high, high or low, strict=True):
        item["low_value"], item["high_value"] = first.text, last.text
        if label := first.label or last.label:
            if _is_material(label):
                item["material"] = label
            elif len(label) <= 3 and label.isalpha():  # a symbol: `a = 3.19, c = 5.18`
                item["property_name"] = f"{item.get('property_name', '')} {label}".strip()
            for name in ("property_descriptor", "material_descriptor"):
                item[name] = "\n".join(filter(None, (label, bare.get(name, ""))))
    size = len(ends)
    for name in ("material", "property_name", "material_descriptor", "property_descriptor"):
        text = bare.get(name, "")
        parts = named(text, size) if name == "material" else ()
        if name.endswith("descriptor"):
            counted = enumerated(text, size)
            parts = counted.one_by_one() if counted else listed(text, size)
        elif name == "property_name":
            parts = listed(text, size)
        for item, part in zip(found, parts, strict=False):
            item[name] = part
        told = told or bool(parts)
    return tuple(found) if told else ()


def _is_material(label: str) -> bool:
    """Whether a label is nothing but a compound's formula."""
    return any(len(one.elements) > 1 for one in formulas_in(label)) and len(label.split()) == 1


def span(said: Mapping[str, str]) -> dict[str, str] | None:
    """Return an item with the range of its values and of what they are of; None if it has not several values."""
    low, high = (values(said.get(name, "")) for name in ("low_value", "high_value"))
    read = [(found.low.value, one.text) for one in (*low, *high) if (found := reading(one.text))]
    if len(read) < 2:
        return None
    sizes = [size for _, text in read if (size := quantity(text, "", said.get("value_units", "")))]
    if len(sizes) == len(read) and all(same_quantity(sizes[0], size) for size in sizes):
        return {**said, **dict.fromkeys(("low_value", "high_value"), read[0][1])}
    ends = {"low_value": min(read)[1], "high_value": max(read)[1]}
    about = {name: said.get(name, "") for name in ("material_descriptor", "property_descriptor")}
    counted = {name: enumerated(text, len(low or high)) for name, text in about.items()}
    return {**said, **ends, **{name: one.as_range() for name, one in counted.items() if one}}
