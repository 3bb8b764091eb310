"""Normal form of the texts of papers: decodes entities, markup, sub- and superscripts and signs; splits lines (OURS).

Independent of what a text is about.
"""

# ruff: noqa: RUF001 - typographic signs and Greek letters that look like Latin ones are intended

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import unescape
from itertools import islice
from math import isnan
from typing import Any
from unicodedata import normalize

MOST = 2000  # letters of a text that are read: a field holds a name, a value or a sentence
LEAVES = 60  # texts of a nested value that are read
DEPTH = 4
FIELDS = 200  # fields of an item that are read
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SIGNS = str.maketrans(
    {**dict.fromkeys("‐‑‒–—−﹣－", "-"), **dict.fromkeys("˚º", "°"), **dict.fromkeys("✕⨯✖", "×"), "⋅": "·", "∙": "·"}
)
_UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ud800-\udfff]")
_COMMANDS = {
    r"\times": "×",
    r"\cdot": "·",
    r"\pm": "±",
    r"\sim": "~",
    r"\approx": "~",
    r"\circ": "°",
    r"\AA": "Å",
    r"\angstrom": "Å",
    r"\Omega": "Ω",
    r"\omega": "ω",
    r"\mu": "μ",
    r"\alpha": "α",
    r"\beta": "β",
    r"\gamma": "γ",
    r"\Gamma": "Γ",
    r"\delta": "δ",
    r"\Delta": "Δ",
    r"\epsilon": "ε",
    r"\varepsilon": "ε",
    r"\eta": "η",
    r"\theta": "θ",
    r"\kappa": "κ",
    r"\lambda": "λ",
    r"\nu": "ν",
    r"\pi": "π",
    r"\rho": "ρ",
    r"\sigma": "σ",
    r"\tau": "τ",
    r"\phi": "φ",
    r"\chi": "χ",
    r"\psi": "ψ",
    r"\le": "<",
    r"\leq": "<",
    r"\ge": ">",
    r"\geq": ">",
    r"\bar": "-",
    r"\overline": "-",
}
_TAG = re.compile(
    r"</?(?:sub|sup|inf|ital|italic|i|b|bold|em|strong|u|span|p|small|font|math|mi|mn|mo|mrow|msub|msup)"
    r"(?:\s[^<>\n]{0,60})?/?\s?>",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"nan|none|null|unknown|undefined|n/a|n\.a\.?|-+|\?+|not (?:specified|mentioned|given|available|applicable|provided"
    r"|reported|stated|known)|\[[\s,]*\]|\{\s*\}"
)


@lru_cache(4096)
def plain(text: str) -> str:
    """Return a text without markup: entities decoded, subscripts inline, superscripts after `^`, one kind of dash.

    Only the first 2,000 letters are read. Line feeds are kept, since they separate the names of a list.
    """
    found = _without_tex(normalize("NFKC", decoded(text[:MOST]).translate(_SIGNS)).translate(_SIGNS))
    found = _UNSEEN.sub(" ", found.replace("\t", " ").replace("\r", "\n"))
    return re.sub(r"[^\S\n]+", " ", found).strip()


def decoded(text: str) -> str:
    """Return a text of any length without HTML: entities decoded, tags removed, superscripts after `^`."""
    found = unescape(unescape(text)) if "&" in text else text
    if "<" in found:
        found = re.sub(r"<br\s?/?>", "\n", found)
        found = re.sub(r"<sup\s?>", "^", found)
        found = _TAG.sub("", found)
    return re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda at: "^" + at[0].translate(_SUPERSCRIPTS), found)


def _without_tex(text: str) -> str:
    """Remove the LaTeX of names and values: commands, dollars, braces, sub- and superscripts."""
    if "\\" in text:
        text = text.replace(r"\r{A}", "Å").replace(r"\mathring{A}", "Å").replace(r"\%", "%")
        text = re.sub(r"\\(?:math|text|operatorname|rm|bf|it|ce)[a-z]*\s?", "", text)
        text = re.sub(r"\\[A-Za-z]+", lambda at: _COMMANDS.get(at[0], " "), text)
        text = re.sub(r"\\(.)", " ", text)
    if "$" in text or "{" in text:
        text = re.sub(r"[${}]", "", re.sub(r"_\{([^{}\n]{0,40})\}", r"\1", text))
    if "_" in text:
        text = re.sub(r"_(?=\d)|(?<![A-Za-z]{3})_(?=[xyzδ]|[A-Za-z](?![A-Za-z\d_]))", "", text).replace("_", " ")
    return text.replace("^°", "°")


def stated(value: Any) -> bool:
    """Whether a field states anything: NaN, `None`, `UNKNOWN`, `not specified`, blanks and empty lists do not."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return False
    if isinstance(value, str):
        short = value.strip()
        return bool(short) and not (len(short) < 24 and _ABSENT.fullmatch(short.casefold()))
    if isinstance(value, Mapping | list | tuple):
        return any(True for _ in leaves(value))
    return True


def leaves(value: Any, depth: int = 0) -> list[Any]:
    """Return the stated leaves of a nested value in order: the first 60 leaves, four levels deep."""
    if not isinstance(value, Mapping | list | tuple):
        return [value] if stated(value) else []
    found: list[Any] = []
    for one in list(value.values() if isinstance(value, Mapping) else value)[:LEAVES] if depth < DEPTH else ():
        found += leaves(one, depth + 1)
        if len(found) >= LEAVES:
            break
    return found[:LEAVES]


def written(value: Any) -> str:
    """Return a field's value as plain text, one leaf per line; empty if it states nothing."""
    return plain("\n".join(_spelt(leaf) for leaf in leaves(value)))


def fields(item: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return what an item states, as plain texts by field; `names` maps names of fields, others stay unchanged.

    If several fields get the same name, the one that already has it comes first, and each has its own lines. Only the
    first 200 fields are read.
    """
    found: dict[str, str] = {}
    given = list(islice(item.items(), FIELDS))
    for own in (True, False):
        for name, value in given:
            field = names.get(name, name)
            if (field == name) is own and stated(value) and (text := written(value)):
                found[field] = f"{found[field]}\n{text}" if field in found else text
    return found


def _spelt(leaf: Any) -> str:
    if isinstance(leaf, int) and not isinstance(leaf, bool):
        return str(leaf) if -(10**40) < leaf < 10**40 else ""  # longer: not a value, and slow
    return leaf[:MOST] if isinstance(leaf, str) else str(leaf)


def lines(text: str) -> list[str]:
    """Return the lines of a plain text that are not blank: a list of names, or the parts of a description."""
    return [line for line in (one.strip() for one in text.split("\n")) if line]


@lru_cache(4096)
def words(text: str) -> tuple[str, ...]:
    """Return the words of a plain text in lower case, American spelling and the singular; hyphens separate words.

    A word whose last letter is a capital, such as ZnS or CZTS, has no plural.
    """
    return tuple(
        american(word.casefold()) if word[-1] == "S" and len(word) < 7 else singular(american(word.casefold()))
        for word in re.findall(r"[^\W_]+", text)
    )


_BRITISH = (
    ("sulph", "sulf"),
    ("aluminium", "aluminum"),
    ("caesium", "cesium"),
    ("vapour", "vapor"),
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("fibre", "fiber"),
    ("centred", "centered"),
    ("centre", "center"),
    ("metre", "meter"),
    ("mould", "mold"),
    ("grey", "gray"),
    ("catalys", "catalyz"),
    ("modelling", "modeling"),
    ("labelled", "labeled"),
    ("tunnelling", "tunneling"),
    ("travelling", "traveling"),
    ("levelling", "leveling"),
    ("ageing", "aging"),
)
_ISED = re.compile(r"(?<=[a-z]{4})is(?=(?:ed|ing|ation|ations|able|er)$)")
_KEPT = frozenset(["raised", "promised", "precised", "advised", "revised", "exercised", "comprised", "surprised"])


def american(word: str) -> str:
    """Return a word in lower case in its American spelling: `polarised fibre` is `polarized fiber`."""
    for british, ours in _BRITISH:
        if british in word and not (british == "catalys" and word.endswith(("is", "t", "ts"))):
            word = word.replace(british, ours)
    return word if word in _KEPT else _ISED.sub("iz", word)


def singular(word: str) -> str:
    """Return the singular of an English word in lower case, judged by its ending."""
    if word.endswith("indices"):
        return word.replace("indices", "index")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as")) else word
