"""Chemical formulas as counts of elements, in any order, bracketing or spelling (OURS).

Does not resolve names of materials.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from harness.studies.curie.judging.elements import NAMES

_LONGEST = 120  # letters of a formula
_NEAR = 0.015  # relative difference allowed in an element's share: Cu0.33 is a third, 0.7 is not 0.67
Counts = tuple[tuple[str, float], ...]  # sorted by element
_GROUPS: Mapping[str, str] = {
    "MA": "CH3NH3",
    "FA": "CHN2H4",
    "Me": "CH3",
    "Et": "C2H5",
    "Ph": "C6H5",
    "Bu": "C4H9",
    "en": "C2H8N2",
    "bpy": "C10H8N2",
    "phen": "C12H8N2",
    "acac": "C5H7O2",
    "OAc": "C2H3O2",
    "cp": "C5H5",
    "Cp": "C5H5",
}
_TOKEN = re.compile(
    r"(?P<group>MA|FA|Me|Et|Ph|Bu|OAc|acac|bpy|phen|Cp)(?![a-z])|(?P<element>[A-Z][a-z]?)"
    r"|(?P<open>[(\[])|(?P<close>[)\]])"
)
_MANY = re.compile(r"\d{1,6}(?:\.\d{1,6})?|\.\d{1,6}")
_FRACTION = re.compile(r"(?<=[A-Za-z)\]])(\d)/([2-9])(?!\d)")
_CHARGE = re.compile(r"\^\d?[+-]?\d?$|[+-]{1,3}$|\(\d?[+-]\)$")
_PART = re.compile(r"[·*•:]|(?<=[A-Za-z\d)\]])[+/](?=[A-Z(\[\d])|(?<=[A-Za-z\d)\]])-(?=[A-Z(\[\d])")
_VARIABLE = re.compile(r"(?<=[A-Za-z)\]])(?<!D(?=y))\(?(?:\d(?:\.\d+)?\s?[+±-]\s?)?[xyzδ](?:[+-]\d)?(?![a-z])\)?")
_CASED = re.compile(r"(?=\D*\d)[A-Za-z\d]{2,8}")


@lru_cache(4096)
def counts(text: str) -> Counts | None:
    """Return the number of each element in a formula; None if the text is not a formula of known elements.

    Order and brackets do not matter. Hydrates (`·5H2O`) and groups such as Me are expanded, and a charge is left out.
    """
    text = _CHARGE.sub("", text.strip()).strip(" ,;.")
    text = _FRACTION.sub(lambda at: f"{int(at[1]) / int(at[2]):.4f}", text)
    if not 0 < len(text) <= _LONGEST or " " in text:
        return None
    return _counted(text) or (_recased(text) if _CASED.fullmatch(text) else None)


def _counted(text: str) -> Counts | None:
    total: dict[str, float] = {}
    for part in _PART.split(text):
        times = re.match(r"\d{1,5}(?:\.\d+)?(?=[A-Z(\[])", part)
        found = _part(part[times.end() :] if times else part, 0)
        if found is None:
            return None
        for element, many in found.items():
            total[element] = total.get(element, 0.0) + many * (float(times[0]) if times else 1.0)
    return tuple(sorted((element, many) for element, many in total.items() if many > 0)) or None


def _recased(text: str) -> Counts | None:
    """Read a short formula that lost its capitals, such as Tio2; None unless one reading has the fewest elements."""
    letters = [place for place, sign in enumerate(text) if sign.isalpha()]
    found = set[Counts]()
    for chosen in range(1 << len(letters) if len(letters) <= 6 else 0):
        signs = list(text.lower())
        for bit, place in enumerate(letters):
            if chosen >> bit & 1:
                signs[place] = signs[place].upper()
        if one := _counted("".join(signs)):
            found.add(one)
    fewest = min(map(len, found), default=0)
    best = [one for one in found if len(one) == fewest]
    return best[0] if len(best) == 1 else None


def _part(text: str, depth: int) -> dict[str, float] | None:
    """Count the elements in one part of a formula, with a stack for its brackets; None if it cannot be read."""
    stack: list[dict[str, float]] = [{}]
    last: dict[str, float] = {}
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        place = found.end()
        if found["open"]:
            stack.append({})
            last = {}
            continue
        if found["close"]:
            if len(stack) == 1:
                return None
            last = stack.pop()
        elif found["group"] and depth == 0:
            last = _part(_GROUPS[found["group"]], 1) or {}
        elif found["element"]:
            symbol, place = _symbol(found["element"], place)
            if not symbol:
                return None
            last = {symbol: 1.0}
        times = _times(text, place)
        place += len(times)
        for element, many in last.items():
            stack[-1][element] = stack[-1].get(element, 0.0) + many * float(times or 1)
        last = {}
    return stack[0] if len(stack) == 1 else None


def _symbol(letters: str, place: int) -> tuple[str, int]:
    """Return the symbol of an element, of two letters or the first one, and its end; an empty text if there is none."""
    if letters in NAMES:
        return letters, place
    return (letters[0], place - 1) if len(letters) == 2 and letters[0] in NAMES else ("", place)


def _times(text: str, place: int) -> str:
    found = _MANY.match(text, place)
    return found[0] if found else ""


@lru_cache(4096)
def elements(text: str) -> frozenset[str]:
    """Return the elements of a formula with variables, such as `HfSiOx` or `La1-xSrxMnO3`; empty if it is not one.

    The variables are dropped, so the numbers of the elements are not known.
    """
    bare = _VARIABLE.sub("", text.strip()[:_LONGEST])
    found = counts(bare) if bare != text.strip() else None
    return frozenset(element for element, _ in found) if found and len(found) > 1 else frozenset()


def with_share(text: str, share: float) -> str:
    """Replace `x` in a formula by a number, such as 0.3 in Al_xGa_(1-x)N."""
    rest = re.sub(r"(?<=[A-Za-z)\]])\(?1\s?-\s?x\)?", f"{1 - share:.6g}", text)
    rest = re.sub(r"(?<=[A-Za-z)\]])(\d)-x", lambda at: f"{int(at[1]) - share:.6g}", rest)
    return re.sub(r"(?<=[A-Za-z)\]])x(?![a-z])", f"{share:.6g}", rest)


def same_ratio(one: Counts, two: Counts) -> bool:
    """Whether two compositions have the same elements in the same ratio, as Cd8S8 and CdS do."""
    if [element for element, _ in one] != [element for element, _ in two]:
        return False
    whole = [math.fsum(many for _, many in side) for side in (one, two)]
    shares = ((a / whole[0], b / whole[1]) for (_, a), (_, b) in zip(one, two, strict=True))
    return all(abs(a - b) <= _NEAR * max(a, b) for a, b in shares)


def same_counts(one: Counts, two: Counts) -> bool:
    """Whether two formulas have the same numbers of elements, as one molecule does: H2O2 is not HO."""
    return same_ratio(one, two) and abs(math.fsum(n for _, n in one) - math.fsum(n for _, n in two)) < 0.01
