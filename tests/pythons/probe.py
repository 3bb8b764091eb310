"""What steps call of Python itself and of the system below it, as digests: one line of JSON, with no package.

`python probe.py [FILE]` prints digests by name. FILE holds code points, one a line: those alone are looked at then, or,
where there is none, all of them; `--assigned` prints those to which this Python's Unicode gives a meaning.
"""

import csv
import decimal
import hashlib
import html
import io
import json
import math
import pathlib
import platform
import random
import re
import struct
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib


def digest(parts) -> str:
    held = hashlib.sha256()
    for part in parts:
        held.update(part if isinstance(part, bytes) else repr(part).encode("utf-8", "surrogatepass"))
        held.update(b"\0")
    return held.hexdigest()[:16]


def draws() -> list[object]:
    seeded, found = random.Random(20231), list[object]()
    for _ in range(300):
        found += [
            seeded.random(),
            seeded.randrange(10**9),
            seeded.uniform(-3, 7),
            seeded.gauss(0, 1),
            seeded.getrandbits(70),
        ]
        found += [seeded.choice("abcdef"), seeded.choices(range(9), k=4), seeded.sample(range(100), 7)]
        order = list(range(20))
        seeded.shuffle(order)
        found.append(order)
    return found


def numbers(count: int = 4000) -> list[float]:
    seeded = random.Random(7)
    spread = [math.ldexp(seeded.random() + 0.5, seeded.randrange(-40, 9)) for _ in range(count)]
    return [*spread, *(-one for one in spread[: count // 2]), 0.0, 1.0, 0.5, 2.0, 1e-300, 700.0]


FUNCTIONS = ("exp", "log", "log10", "log1p", "expm1", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
             "tanh", "erf", "erfc", "gamma", "lgamma", "cbrt", "exp2", "log2")  # fmt: skip


def values(name: str):
    for one in numbers():
        try:
            yield struct.pack("<d", getattr(math, name)(one))
        except (ValueError, OverflowError) as bad:
            yield type(bad).__name__.encode()


TEXTS = [
    "", "a,b\n\"c\"", "line\r\nnext", "0.1 + 0.2", "π ≈ 3,14159", "hi\u200brn", "\x00\x1f\x7f",
    "\U0001d518\U0001d52b\U0001d526", "ﬁ ǅ ß İ \u0131 Σς", "a" * 5000,
    "<p title='x'>&amp; &#x41; &notit; &lt</p>", "1e400 NaN -Infinity 1_000 ٣ ⅷ ² ½",
]  # fmt: skip
PATTERNS = [
    r"(?<![a-z])[a-z]+(?:-[a-z]+)*", r"\b(?:not|no|never)\b(?:\s+\w+){0,3}", r"[^\W\d_]+", r"\s+",
    r"([+-]?\d+(?:[.,]\d+)*)(?:\s*[x*\xd7]\s*10\^?([+-]?\d+))?", r"(?i)\banswer\s*[:=]\s*(.+?)(?:\n|$)",
    r"(?s)```(?:json)?\s*(.*?)```", r"(?m)^\s*\(?([A-J])\)?[.):]",
]  # fmt: skip


def archive() -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
            file.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "text " * 4000, compress_type=method)
    return kept.getvalue()


def written() -> str:
    kept = io.StringIO()
    out = csv.writer(kept)
    out.writerows([[text, one] for text, one in zip(TEXTS, numbers(20), strict=False)])
    return kept.getvalue()


def parsed():
    yield [html.unescape(text) for text in TEXTS] + [html.escape(text) for text in TEXTS]
    yield ElementTree.tostring(ElementTree.fromstring("<a b='1'>x<c/>&amp;&#955;</a>"))
    for text in ("1e5", "-0", "[1, 2.50, 1e-7]", '{"a": "\\u00e9"}', "1" * 400):
        yield json.loads(text), json.dumps(json.loads(text), sort_keys=True)
    yield list(csv.reader(io.StringIO(written(), newline="")))


CHARACTERS = {
    "category": unicodedata.category, "decomposition": unicodedata.decomposition, "combining": unicodedata.combining,
    "numeric": lambda one: unicodedata.numeric(one, None), "digit": lambda one: unicodedata.digit(one, None),
    "NFC": lambda one: unicodedata.normalize("NFC", one), "NFKC": lambda one: unicodedata.normalize("NFKC", one),
    "NFKD": lambda one: unicodedata.normalize("NFKD", one), "width": unicodedata.east_asian_width,
    "lower, upper, title, casefold": lambda one: (one.lower(), one.upper(), one.title(), one.casefold()),
    "is…": lambda one: (one.isalnum(), one.isalpha(), one.isdecimal(), one.isdigit(), one.isnumeric(), one.isspace(),
                        one.isupper(), one.islower(), one.isprintable(), one.isidentifier()),
    r"\w \d \s": lambda one: [bool(re.match(kind, one)) for kind in (r"\w", r"\d", r"\s", r"(?i)[a-z]")],
}  # fmt: skip


def assigned() -> list[int]:
    return [one for one in range(sys.maxunicode + 1) if unicodedata.category(chr(one)) not in ("Cn", "Cs")]


def probe(points: list[int]) -> dict[str, str]:
    given = [chr(one) for one in points]
    found = {f"unicode: {name}": digest(map(of, given)) for name, of in CHARACTERS.items()}
    found |= {f"math: {name}": digest(values(name)) for name in FUNCTIONS if hasattr(math, name)}
    found |= {"math: fsum, hypot, pow, comb": digest(
        [math.fsum(numbers()), math.hypot(*numbers(50)), math.dist(numbers(9), numbers(9)), math.comb(90, 40)]
        + [one**0.37 for one in numbers() if one > 0] + [math.pow(abs(one), 1.7) for one in numbers() if abs(one) < 1e9]
    )}  # fmt: skip
    plain = "".join(map(repr, numbers(3000))).encode()
    found |= {f"zlib: level {level}": digest([zlib.compress(plain, level)]) for level in (0, 1, 6, 9)}
    small = [one for one in numbers() if abs(one) < 1e6]
    found |= {
        "random": digest(draws()),
        "zipfile": digest([archive()]),
        "re": digest(re.findall(pattern, text) for pattern in PATTERNS for text in TEXTS),
        "csv": digest([written()]),
        "html, json, csv, XML": digest(parsed()),
        "floats as text": digest(f"{one!r} {one:.3g} {one:,.2f} {one:e}" for one in numbers()),
        "decimal": digest(str(decimal.Decimal(one).quantize(decimal.Decimal("0.001"))) for one in small),
        "text": digest([one.split(), one.splitlines(), one.strip(), one.encode("ascii", "replace")] for one in TEXTS),
    }
    return found


if __name__ == "__main__":
    if sys.argv[1:] == ["--assigned"]:
        print("\n".join(map(str, assigned())))
    else:
        lines = pathlib.Path(sys.argv[1]).read_text().split() if sys.argv[1:] else range(sys.maxunicode + 1)
        asked = list(map(int, lines))
        system = {"Python": platform.python_version(), "Unicode": unicodedata.unidata_version,
                  "zlib": zlib.ZLIB_RUNTIME_VERSION, "C library": "-".join(platform.libc_ver())}  # fmt: skip
        print(json.dumps({"system": system, "found": probe([one for one in asked if not 0xD800 <= one < 0xE000])}))
