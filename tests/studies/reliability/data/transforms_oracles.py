"""The answers to the later kinds of text task once more, from an instance's text alone and in another way.

Each function is named after its kind. None uses the code that made the instance, and where there is a library that
knows the format (dates, tables, JSON, XML, web addresses, Python), it is used.
"""

from __future__ import annotations

import ast
import calendar
import contextlib
import csv
import io
import json
import re
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from urllib.parse import urlencode, urlsplit
from xml.etree import ElementTree

# Written by atomic number, apart from the generators' table.
ATOMIC = {
    "sodium": "Na", "magnesium": "Mg", "aluminium": "Al", "calcium": "Ca", "titanium": "Ti", "chromium": "Cr",
    "manganese": "Mn", "iron": "Fe", "nickel": "Ni", "copper": "Cu", "zinc": "Zn", "silver": "Ag", "tin": "Sn",
    "platinum": "Pt", "gold": "Au", "mercury": "Hg", "lead": "Pb",
}  # fmt: skip


def _pairs(text, between="; ", sign=": "):
    return [tuple(part.split(sign)) for part in text.split(between)]


def _dates(text):
    return [date.fromisoformat(found) for found in re.findall(r"\d{4}-\d\d-\d\d", text)]


def _times(text):
    return [datetime.strptime(found, "%H:%M") for found in re.findall(r"\d\d:\d\d", text)]


def _minutes(span):
    return str(int(span.total_seconds()) // 60)


def _money(value):
    return str(Decimal(value).quantize(Decimal("0.01")))


def long_date(text):
    day = datetime.strptime(text, "%m/%d/%Y")
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def phone(text):
    return re.sub("^00", "+", text).replace(" ", "-")


def sorted_words(text):
    left, found = text.split("; "), []
    while left:
        found.append(left.pop(left.index(min(left))))
    return ", ".join(found)


def sorted_numbers(text):
    return " ".join(map(str, sorted(json.loads(text))))


def swapped(text):
    row = next(csv.reader([text], delimiter=";"))
    row[0], row[-1] = row[-1], row[0]
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="").writerow(row)
    return out.getvalue()


def as_json(text):
    return "{" + ", ".join(f'"{name}": "{value}"' for name, value in _pairs(text)) + "}"


def xml(text):
    elements = []
    for name, value in _pairs(text):
        element = ElementTree.Element(name)
        element.text = value
        elements.append(ElementTree.tostring(element, encoding="unicode"))
    return "".join(elements)


def rounded(text):
    return str(Decimal(text).quantize(Decimal("0.01"), ROUND_HALF_UP))


def roman(text):
    number = int(re.search(r"\d+", text).group())
    units = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    places = ("IVX", "XLC", "CDM", "M__")
    digits = reversed(str(number))
    return "".join(
        reversed([units[int(d)].translate(str.maketrans("IVX", to)) for d, to in zip(digits, places, strict=False)])
    )


def e_mail(text):
    name, house = text.split(", ")
    return ".".join(name.lower().split()) + "@" + house


def centimetres(text):
    return f"{Decimal(re.search(r'[0-9.]+(?= m )', text).group()).scaleb(2):f} cm"


def initials(text):
    return "".join(re.findall(r"\b[a-z]", text)).upper()


def now(text):
    price, percent = re.search(r"([0-9.]+), (\d+)%", text).groups()
    return "NOW " + _money(Decimal(price) - Decimal(price) * int(percent) / 100)


def coupon(text):
    percent, goods = re.match(r"(\d+)% off all (\w+)", text).groups()
    return re.match("...", goods.upper()).group() + percent


def letters(text):
    return str(sum(char.isalpha() for char in text))


def country(text, capitals):
    return capitals[text.split(" to be sent to ")[1]]


def symbol(text):
    return ATOMIC[re.search(r"kg of (\w+)", text).group(1)]


def plural(text):
    noun = text.split(",")[0]
    irregular = {
        "child": "children", "goose": "geese", "mouse": "mice", "ox": "oxen", "tooth": "teeth", "foot": "feet",
        "woman": "women",
    }  # fmt: skip
    for ending, many in (("fe", "ves"), ("f", "ves"), ("y", "ies"), ("x", "xes"), ("ch", "ches"), ("o", "oes")):
        if noun not in irregular and noun.endswith(ending):
            return noun.removesuffix(ending) + many
    return irregular[noun]


def month_days(text):
    month, year = text.split()[-2:]
    first = datetime.strptime(f"1 {month} {year}", "%d %B %Y")
    return str((first + timedelta(days=31) - timedelta(days=(first + timedelta(days=31)).day)).day)


def mail(text):
    return next(word.strip("(),.") for word in text.split() if "@" in word)


def occurrences(text):
    listed, wanted = text.split(" ? ")
    return str(Counter(listed.split(", "))[wanted])


def above(text):
    listed, limit = text.split(" ? ")
    return ", ".join(name for name, count in _pairs(listed, sign=" ") if int(count) > int(limit))


def cell(text):
    table, wanted = text.split(" ? ")
    header, *lines = table.split("; ")
    row, column = wanted.split(", ")
    columns = header.removeprefix("columns: ").split(", ")
    rows = {name: dict(zip(columns, values.split(", "), strict=True)) for name, values in map(_halves, lines)}
    return rows[row][column]


def _halves(line):
    return line.split(": ")


def missing(text):
    first, second = (set(part.split(": ")[1].split(", ")) for part in text.split("; "))
    assert second < first
    [found] = first - second
    return found


def joined(text):
    people, places, person = re.fullmatch(r"owners: (.*)\. places: (.*) \? (\w+)", text).groups()
    [key] = [key for key, name in _pairs(people, sign="=") if name == person]
    return dict(_pairs(places, sign="="))[key]


def host(text):
    return urlsplit(text).hostname


def due(text):
    return str(_dates(text)[0] + timedelta(days=int(re.search(r"(\d+) days", text).group(1))))


def age(text):
    born, signed = _dates(text)
    years = 0
    while born.replace(year=born.year + years + 1) <= signed:
        years += 1
    return str(years)


def masked(text):
    return re.sub(r"\d(?=.* )", "x", text)


def check_digit(text):
    return f"{text}-{str(sum(int(char) for char in text))[-1]}"


def address(text):
    record = dict(_pairs(text, sign="="))
    return "{number} {street}, {code} {town}".format(**record)


def mean(text):
    marks = [int(mark) for mark in re.findall(r"\d+", text)]
    exact = Fraction(sum(marks), len(marks))
    assert (exact * 10).denominator == 1
    return f"{float(exact):.1f}"


def deduped(text):
    kept = []
    for name in text.split("; "):
        if name not in kept:
            kept.append(name)
    return ", ".join(kept)


def citation(text):
    record = dict(_pairs(text, sign="="))
    given, family = record["author"].split()
    return f"{family}, {given[:1]}. ({record['year']}). {record['title']}"


def citation_key(text):
    family, word, year = re.fullmatch(r"\w+ (\w+): (\w+) \w+\. \w+, (\d+)", text).groups()
    return (family + year + word).lower()


def weekday(text):
    day, days = re.search(r"from (\w+) by (\d+) days", text).groups()
    start = next(date(2024, 1, n) for n in range(1, 8) if date(2024, 1, n).strftime("%A") == day)
    return (start + timedelta(days=int(days))).strftime("%A")


def length(text):
    start, end = _times(text)
    assert start < end
    return _minutes(end - start)


def local(text):
    at, sign, hours, minutes = re.fullmatch(r"(\d\d:\d\d) UTC, zone UTC([+-])(\d\d):(\d\d)", text).groups()
    shift = timedelta(hours=int(hours), minutes=int(minutes)) * (1 if sign == "+" else -1)
    there = datetime.combine(date(2024, 5, 5), time.fromisoformat(at), UTC)
    return there.astimezone(timezone(shift)).strftime("%H:%M")


def days(text):
    first, second = _dates(text)
    return str(second.toordinal() - first.toordinal())


def day_of_year(text):
    return str(int(_dates(text)[0].strftime("%j")))


def latest(text):
    return sorted(text.split("; "))[-1]


def overlap(text):
    spans = [
        {int(h) * 60 + int(m) + n for n in range((int(k) - int(h)) * 60 + int(j) - int(m))}
        for h, m, k, j in re.findall(r"(\d\d):(\d\d)-(\d\d):(\d\d)", text)
    ]
    return str(len(spans[0] & spans[1]))


def sorted_times(text):
    return ", ".join(at.strftime("%H:%M") for at in sorted(_times(text)))


def hours(text):
    whole, rest = divmod(timedelta(minutes=int(re.search(r"(\d+) minutes", text).group(1))), timedelta(hours=1))
    return f"{whole} h {_minutes(rest)} min"


def cheapest(text):
    return min(_pairs(text, sign=" "), key=lambda pair: Decimal(pair[1]))[0]


def change(text):
    bill, paid = map(Decimal, re.findall(r"\d+\.\d\d", text))
    return _money(paid - bill)


def taxed(text):
    net, rate = re.search(r"([0-9.]+) net, tax (\d+)%", text).groups()
    exact = Decimal(net) * (1 + Decimal(rate) / 100)
    assert exact == Decimal(_money(exact))
    return _money(exact)


def reorder(text):
    return ", ".join(name for name, there, low in re.findall(r"(\w+) (\d+)/(\d+)", text) if int(there) < int(low))


def receipt(text):
    lines = re.findall(r"(\d+) \w+ at ([0-9.]+) each", text)
    return _money(sum(int(count) * Decimal(price) for count, price in lines))


def camel_case(text):
    return re.sub("_(.)", lambda found: found.group(1).upper(), text)


def slug(text):
    return "-".join(re.findall(r"\w+", text.lower()))


def binary(text):
    number, found = int(text.split(" = ")[1]), ""
    while number:
        number, bit = divmod(number, 2)
        found = str(bit) + found
    return found


def as_hex(text):
    return "#" + bytes(map(int, re.findall(r"\d+", text))).hex()


def from_hex(text):
    return str(ast.literal_eval(text.split(" = ")[1]))


def stem(text):
    return PurePosixPath(text).stem


def evaluated(text):
    return _printed(f"print({text})")


def as_range(text):
    return _printed(f"print(list({text}))")


def traced(text):
    return _printed(f"{text}; print(b)")


def _printed(program):
    assert re.fullmatch(r"[a-z0-9 =+*/%();,-]+", program)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "instance", "exec"), {})
    return out.getvalue().strip()


def sql(text):
    column, table, key, number = re.fullmatch(r"column (\w+), table (\w+), (\w+) is (\d+)", text).groups()
    return f"SELECT {column} FROM {table} WHERE {key} = {number}"


def query(text):
    return "?" + urlencode(_pairs(text, ", "))
