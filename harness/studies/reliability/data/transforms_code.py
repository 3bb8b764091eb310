"""Kinds of text task of our own, in the area coding; every answer is computed."""

from __future__ import annotations

from harness import seeds
from harness.studies.reliability.data import transforms_words as words
from harness.studies.reliability.data.transforms_demo import TaskType
from harness.studies.reliability.data.transforms_picks import NUMBER_SHAPE, Drawn, between, one

_OPERATORS = ("+", "-", "*")
_KEYS = ("price", "weight", "height", "width", "stock")


def _camel(source: seeds.Stream) -> Drawn:
    parts = seeds.draw_sample(source, words.PARTS, between(source, 3, 5))
    return "_".join(parts), parts[0] + "".join(part.capitalize() for part in parts[1:])


def _slug(source: seeds.Stream) -> Drawn:
    parts = [one(source, choices) for choices in (words.SLOGAN_FIRST, words.SLOGAN_SECOND, words.SLOGAN_THIRD)]
    year = between(source, 1990, 2029)
    return f"{' '.join(parts)} ({year})", "-".join((*parts, str(year))).lower()


def _binary(source: seeds.Stream) -> Drawn:
    number = between(source, 17, 255)
    return f"{one(source, words.PARTS)} flags = {number}", f"{number:b}"


def _hex(source: seeds.Stream) -> Drawn:
    parts = [between(source, 16, 254) for _ in range(3)]
    return f"rgb({', '.join(map(str, parts))})", "#" + "".join(f"{part:02x}" for part in parts)


def _from_hex(source: seeds.Stream) -> Drawn:
    number = between(source, 170, 4_000)
    return f"offset = 0x{number:x}", str(number)


def _stem(source: seeds.Stream) -> Drawn:
    parts = seeds.draw_sample(source, words.PARTS, between(source, 3, 5))
    name = f"{parts[-2]}_{parts[-1]}"
    return "/".join((*parts[:-2], f"{name}.{one(source, ('csv', 'txt', 'json', 'xml'))}")), name


def _evaluated(source: seeds.Stream) -> Drawn:
    a, b = between(source, 20, 99), between(source, 3, 9)
    c, d = between(source, 11, 19), between(source, 2, 9)
    text, value = (
        (f"{a} // {b} + {c} * {d}", a // b + c * d),
        (f"({a} + {c}) * {b} - {d}", (a + c) * b - d),
        (f"{a} % {b} + {c} * ({d} + {b})", a % b + c * (d + b)),
        (f"{a} + {c} * {b} - {a} // {d}", a + c * b - a // d),
    )[seeds.draw_below(source, 4)]
    return text, str(value)


def _range(source: seeds.Stream) -> Drawn:
    start, step, count = between(source, 2, 60), between(source, 2, 9), between(source, 3, 8)
    stop = start + step * (count - 1) + between(source, 1, step)
    return f"range({start}, {stop}, {step})", str(list(range(start, stop, step)))


def _traced(source: seeds.Stream) -> Drawn:
    a, lines = between(source, 3, 19), []
    value = {"a": a, "b": 0}
    lines.append(f"a = {a}")
    for number in range(between(source, 2, 4)):
        into, other = ("b", "a") if number % 2 == 0 else ("a", "b")
        sign, constant = one(source, _OPERATORS), between(source, 2, 9)
        of = value[other]
        value[into] = of + constant if sign == "+" else of - constant if sign == "-" else of * constant
        lines.append(f"{into} = {other} {sign} {constant}")
    if value["b"] < 2:
        return _traced(source)
    return "; ".join(lines), str(value["b"])


def _sql(source: seeds.Stream) -> Drawn:
    column, table = one(source, words.FIELDS), one(source, words.GOODS)
    key, number = one(source, _KEYS), between(source, 11, 999)
    query = f"SELECT {column} FROM {table} WHERE {key} = {number}"  # noqa: S608 - a text to be written, never run
    return f"column {column}, table {table}, {key} is {number}", query


def _query(source: seeds.Stream) -> Drawn:
    names = seeds.draw_sample(source, words.PARTS, between(source, 2, 3))
    values = [str(between(source, 2, 99)) if seeds.draw_below(source, 2) else one(source, words.PARTS) for _ in names]
    pairs = list(zip(names, values, strict=True))
    return ", ".join(f"{name}: {value}" for name, value in pairs), "?" + "&".join(f"{a}={b}" for a, b in pairs)


TASKS: tuple[TaskType, ...] = (
    TaskType(
        "camel-case", "coding", "Rename the variable from snake case to camel case.", r"\b[a-z]+[A-Z][a-z]", _camel
    ),
    TaskType(
        "slug",
        "coding",
        "Make a slug: words and year in small letters, with hyphens between and without brackets.",
        r"\w-\w+-\w",
        _slug,
    ),
    TaskType("binary", "coding", "Write the decimal number in binary digits.", r"\b[01]{5,8}\b", _binary),
    TaskType(
        "hex",
        "coding",
        "Write the colour as # and two hexadecimal digits each for red, green and blue, in small letters.",
        r"#[0-9A-Fa-f]{6}\b",
        _hex,
    ),
    TaskType("from-hex", "coding", "Write the hexadecimal number in decimal digits.", NUMBER_SHAPE, _from_hex),
    TaskType("stem", "coding", "Copy the file's name without folders and without its ending.", r"[a-z]_[a-z]", _stem),
    TaskType("evaluated", "coding", "Evaluate the Python expression.", NUMBER_SHAPE, _evaluated),
    TaskType(
        "range",
        "coding",
        "Write out all numbers of the Python range as a list in square brackets.",
        r"\[\d+, \d",
        _range,
    ),
    TaskType("traced", "coding", "Say which value b has at the end of the Python program.", NUMBER_SHAPE, _traced),
    TaskType(
        "sql",
        "coding",
        "Write the query in SQL as SELECT column FROM table WHERE condition, with one equals sign.",
        r"SELECT \w+ FROM \w+ WHERE \w+ = \d",
        _sql,
    ),
    TaskType(
        "query",
        "coding",
        "Write the parameters in their order as the query of a web address, from the question mark on.",
        r"\?\w+=\w",
        _query,
    ),
)
