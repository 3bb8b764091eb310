"""What a number in a text belongs to: a position to a build, a frequency to an allele, a p-value to an SNP."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise

from harness.studies.biomed.reading.decimals import same_number
from harness.studies.biomed.reading.mentions import Mention, mentions
from harness.studies.biomed.reading.pairing import paired
from harness.studies.biomed.reading.plain import Plain

MINOR, MAJOR = "minor", "major"
_ITS_YEAR = re.compile(r"\s(?:fda\s|us\s)?(?:approval|launch|authori[sz]ation|licen[cs]e)\b")
USAN, APPROVAL, ELSE = "usan", "approval", "else"  # what happened in a year
_BUILD = re.compile(r"\b(?:grch|hg|build |ncbi|b)\s?(3[678]|19|18)\b")
_BUILDS = {"19": "37", "18": "36"}
_SNP = re.compile(r"\brs\d{2,12}\b")
_LETTERS = r"[ACGT]{1,40}"
_ALLELE = re.compile(
    rf"(?<![\w-])(?:[Aa]llele\s*[:=]?\s*[(\['\"]*\s*({_LETTERS})(?![\w'])|({_LETTERS})['\"]?[\s-]\)?\s?[Aa]llele|"
    rf"\(\s*['\"]?({_LETTERS})['\"]?\s*\)|({_LETTERS})['\"]?\s?(?:[:=]|\()|(?:(?<=[:,;(-]\s)|(?<=\n)"
    rf"|^)({_LETTERS})\s(?=\d|$)"
    rf"|(?<![\w'-])({_LETTERS})(?=,? (?:which |that )?(?:is |being |as )?the (?:\w+ )?(?:one|allele|effect|other"
    rf"|reference|minor"
    rf"|major|more|less|rarer|commoner)\b)"
    rf"|(?<![\w'-])({_LETTERS})\s(?=(?:occurs?|has|at|is (?:at|present|found)|appears|accounts)\b)"
    rf"|(?:for|of|is|the)\s['\"]?({_LETTERS})(?![\w']))"
)
_ROLE = re.compile(
    r"\b(?:(minor|effect|alternat(?:e|ive)|risk|coded|alt|a1)|(major|reference|non-?\s?effect|other|ref|a2|wild-type))"
    r"(?:\s\(\w+\))?\s+alleles?\b|\b(?:(maf|minor allele frequency|eaf|raf)\b|(ancestral)\s)"
)
LETTER = re.compile(  # an allele by itself; A is no article here
    rf"(?<![\w'/>-])(?:(?!A\b){_LETTERS}|A(?!\s(?!is|at|has|had|occurs?|was|with|makes?|shows?|appears?|accounts?"
    rf"|carr|allele"
    r"|about|around|and|the other)[a-z]{2,}))(?![\w'/>-])(?!\.\d)"
)
_SLASHED = re.compile(rf"(?<![\w-]){_LETTERS}(?=\s?/\s?[ACGT])|(?<=[ACGT]/){_LETTERS}(?![\w-])")  # of "A/C"
_CELL = re.compile(rf"\|\s*\(?({_LETTERS})\)?\s*(?=\||\()")  # a cell of a table
_ITEM = re.compile(rf"- ({_LETTERS}) \(")  # a row of a table, written as a list item
_BEHIND = re.compile(rf"\)?\s*(?:\(?(?:for|of|to)\s(?:the\s)?(?:[\w-]+\sallele,?\s)?|\()['\"(]*({_LETTERS})(?![\w'])")
_FOREIGN = re.compile(
    r"\b(?:east asian|south asian|asians?|asia|africa|african?s?|afr|eas|sas|amr|latin[oa]s?|hispanics?|chinese"
    r"|japanese|korean|"
    r"american?s?|global(?:ly)?|worldwide|all populations|overall population|indian)\b"
)
_EUROPEAN = re.compile(r"\b(?:european?s?|eur|nfe|finnish|caucasian|white|ceu)\b")
_DIRECT = re.compile(
    r"\)?\s*(?:\([^()]{0,20}\)\s*)?(?:\(|in|among|for)\s(?:the\s)?(?:[\w-]+\s){0,2}?"
    rf"(?:{_FOREIGN.pattern}|{_EUROPEAN.pattern})"
)
_EVENT = re.compile(
    r"\b(?:(?P<usan>usan|adopted name|assigned name)|(?P<approval>approv\w+|licen[sc]\w+|authori[sz]\w+"
    r"|clear(?:ed|ance)"
    r"|green[- ]?li\w+|market\w*|launch\w*|go-ahead|introduced|on sale|nod)|(?P<other>discover\w*|synthesi[sz]\w*"
    r"|invent\w*"
    r"|patent\w*|isolat\w*|describ\w*|develop\w*|trial\w*|stud(?:y|ies|ied)|tested|began|begun|started|founded"
    r"|identified"
    r"|withdr[ae]w\w*|discontinu\w*|publish\w*|updat\w*|generic\b|entered (?:clinical|phase)|phase|acquired))"
)
_FILING = (  # what happens on the way to an approval
    r"(?:re-?)?(?:submi(?:ssion|tted)|fil(?:ing|ed)|application|applied|review(?:ed)?|accept(?:ance|ed)|designat\w+"
    r"|orphan(?: drug)?(?: status)?|fast[- ]track|breakthrough|priority|advisory(?: committee)?|committee|vote"
    r"|recommend\w+|n\.?d\.?a|b\.?l\.?a|i\.?n\.?d|pdufa|first[- ]in[- ]human|dosing|enrol\w+|preclinical|phase \w+"
    r"|trials?|discover\w*|synthesi\w+|patent\w*|invent\w+|withdraw\w+|generic\w*)"
)
_STEP_BEHIND = re.compile(
    rf"\s(?:the |its |an? )(?:new |fda )?(?:\w+ )?{_FILING}\b(?![^;,.\n]*approv)|"
    rf"\s(?:was|is|marks?|saw|brought) (?:only |just |merely )?(?:the )?(?:year|date)?(?: of| when)?\s?(?:the |its "
    rf"|an? )?(?:\w+ )?"
    rf"{_FILING}\b(?![^);,.\n]*(?:approv|\d{{4}}))|\s?(?:\(|-\s|:\s|,?\s?for (?:the |its )?)(?:an? |the |its |new "
    rf"|fda )*(?:\w+ )?"
    rf"{_FILING}\b(?![^);,.\n]*(?:approv|\d{{4}}))"
)
_STEP_BEFORE = re.compile(
    rf"\b{_FILING}(?: (?:to|by|with) (?:the )?fda)?\W{{1,3}}"
    r"(?:(?:was|were|came|in|of|on|dates?|dated|from|year)\W{1,2}){0,4}\(?$"
)
_APPROVES = re.compile(r"\b(?:approv|licen[sc]|authori[sz]|clear(?:ed|ance)|launch|market)")
_AROUND = 1_000  # letters before and behind a number that are searched for what it belongs to
_LEAST = Decimal("1e-5")  # a smaller number is not the frequency of a common variant
_EFFECT = re.compile(r"\b(?:beta|effect|log[- ]odds|coefficient|b)\b")
_PART = re.compile(r"[;\n]|,?\s(?:while|whereas|and the|but)\s")
_LOWERS = re.compile(  # the sign of an effect in words
    r"\b(?:(?P<down>lower\w*|reduc\w+|decreas\w+|negative|minus|protect\w+|drops?|falls?|fell|declin\w+|diminish\w*|down)|rais\w+|rises?|rose|increas\w+"
    r"|positive|plus|up)\b"
)
_FREQUENCY = re.compile(r"\b(?:frequenc\w*|maf|eaf|alleles?|af)\b")
_P = re.compile(r"\bp[- ]?val|\bp\b")


def bound_mentions(text: Plain) -> list[Mention]:
    """Return the numbers of a text with what they belong to in `of`; frequencies outside Europe are left out."""
    found, starts = mentions(text), text.starts
    near = lru_cache(maxsize=1)(lambda start, end: _Sentence(text.lower[start:end]))  # mentions are in text order
    bound = [one for each in found if (one := _bound(text, starts, near, each)) is not None]
    return _in_order(text, starts, bound)


def signed(lower: str, one: Mention, start: int = 0) -> Mention:
    """Return an effect with the sign that words before it give it, such as minus or lowers."""
    if one.number is None or one.number.value <= 0 or not one.text[0].isdigit():
        return one
    clause = re.split(r"[.;]\s", lower[max(start, one.start - 60) : one.start])[-1]
    signs = list(_LOWERS.finditer(clause))
    return replace(one, text=f"-{one.text}") if signs and signs[-1]["down"] else one


def _in_order(text: Plain, starts: Sequence[int], found: list[Mention]) -> list[Mention]:
    """Return the numbers, with alleles and SNPs by the order of a sentence where this tells what belongs to what."""
    owners: dict[int, str] = {}
    for slot, pattern in (
        ("frequency", LETTER),
        ("position", _BUILD),
        ("p", _SNP),
        ("heidi", _SNP),
        ("b", _SNP),
    ):
        groups: dict[int, list[Mention]] = {}
        for one in found:
            if one.slot == slot and not one.bound:
                groups.setdefault(bisect_right(starts, one.start) - 1, []).append(one)
        for number, group in groups.items():
            start = starts[max(number, 0)] if starts else 0
            end = starts[number + 1] if number + 1 < len(starts) else len(text.text)
            if slot != "frequency" and (len(group) < 2 or end - start > _AROUND):
                continue
            searched = text.text if slot == "frequency" else text.lower
            keys = [m for m in pattern.finditer(searched, start, min(end, start + 2 * _AROUND)) if m[0].strip()]
            if slot == "frequency" and not keys:
                keys = list(_SLASHED.finditer(searched, start, min(end, start + 2 * _AROUND)))
            names = {m.start(): m[0] for m in keys}
            values = [one.start for one in _once(group)]
            pairs = _pairs(text.lower, names, values) if len(set(names.values())) == len(names) else {}
            if slot in ("p", "heidi", "b") and not (pairs and min(values) < min(names)):
                continue
            owners |= {
                value: _build_of(names[key]) if slot == "position" else names[key] for value, key in pairs.items()
            }
    return [replace(one, of=owners.get(one.start, one.of)) for one in found]


def _build_of(name: str) -> str:
    found = _BUILD.search(name)
    return _BUILDS.get(found[1], found[1]) if found else ""


def _pairs(lower: str, names: Mapping[int, str], values: list[int]) -> dict[int, int]:
    """Return for each number the name that it belongs to, by the parts of its sentence, or else by the whole."""
    if len(names) != len(values) or not names:
        return {}
    first, last = min(*names, values[0]), max(*names, values[-1])
    cuts = [first, *(m.start() for m in _PART.finditer(lower, first, last)), last + 1]
    out: dict[int, int] = {}
    keys = sorted(names)
    for start, end in pairwise(cuts):
        own = keys[bisect_left(keys, start) : bisect_left(keys, end)]
        said = values[bisect_left(values, start) : bisect_left(values, end)]
        out |= paired(own, said)
    return out if len(out) == len(values) else paired(keys, values)


def _once(group: Sequence[Mention]) -> list[Mention]:
    """Return numbers without those that repeat the number before them in brackets, such as 0.03 (3 %)."""
    out: list[Mention] = []
    for one in group[:200]:
        again = out and one.number and out[-1].number and same_number(out[-1].number, one.number)
        if not (again and one.start - out[-1].end < 12):
            out.append(one)
    return out


class _Sentence:
    """What a sentence says besides its numbers; each part is searched once, however many numbers there are."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def effect(self) -> bool:
        return bool(_EFFECT.search(self.text)) and not re.search(
            r"effect allele|frequenc|[(|]\s?effect\s?[)|]|\beffect\W{1,3}[acgt]\b|\b[acgt]\W{1,3}effect\b", self.text
        )

    @cached_property
    def frequency(self) -> bool:
        return bool(_FREQUENCY.search(self.text))

    @cached_property
    def p(self) -> bool:
        return bool(_P.search(self.text))

    @cached_property
    def populations(self) -> tuple[list[int], list[int]]:
        """Where the names of populations end: those of populations outside Europe, and those of European ones."""
        foreign, european = ([m.end() for m in pattern.finditer(self.text)] for pattern in (_FOREIGN, _EUROPEAN))
        return foreign, european


def _bound(text: Plain, starts: Sequence[int], near: Callable[[int, int], _Sentence], one: Mention) -> Mention | None:
    number = bisect_right(starts, one.start) - 1
    start = starts[max(number, 0)] if starts else 0
    end = starts[number + 1] if number + 1 < len(starts) else len(text.text)
    sentence = near(start, end)
    if one.slot == "decimal":
        one = replace(one, slot=_slot_of_decimal(sentence, one))
    if one.slot == "p" and sentence.frequency and not sentence.p:
        named = _P.search(text.lower[max(start, one.start - 60) : one.start])
        if not named and one.number is not None and one.number.value > _LEAST:
            one = replace(one, slot="frequency")
    behind = text.lower[one.end : min(end, one.end + 40)]
    if one.slot == "frequency" and _foreign(sentence, one.start - start, behind):
        return None
    one = signed(text.lower, one, start) if one.slot == "b" else one
    bind = _BINDERS.get(one.slot)
    return replace(one, of=bind(text, one, start, end, _before(starts, number))) if bind else one


def _before(starts: Sequence[int], number: int) -> int:
    return starts[max(number - 2, 0)] if starts else 0


def _slot_of_decimal(sentence: _Sentence, one: Mention) -> str:
    if sentence.effect:
        return "b"
    share = one.number is not None and 0 <= one.number.value <= 1
    if share and sentence.frequency:
        return "frequency"
    return "p" if share and sentence.p else "frequency" if share else "decimal"


def _foreign(sentence: _Sentence, place: int, behind: str) -> bool:
    """Whether a frequency is one of a population outside Europe: named last before it, or else right behind it.

    The number begins at `place` in its sentence. No name of a population holds a digit or ends within a word.
    """
    if found := _DIRECT.match(behind):
        return bool(_FOREIGN.search(found[0]))
    last = [ends[count - 1] if (count := bisect_right(ends, place)) else -1 for ends in sentence.populations]
    if max(last) >= 0:
        return last[0] > last[1]
    next_ = [min((m.start() for m in pattern.finditer(behind)), default=99) for pattern in (_FOREIGN, _EUROPEAN)]
    return next_[0] < next_[1] and not sentence.populations[1]


def _build(text: Plain, one: Mention, start: int, end: int, before: int) -> str:
    behind = re.match(r"[^\d.;\n]{0,40}", text.lower[one.end : end])
    tail = text.lower[one.end : one.end + (behind.end() if behind else 0) + 12]
    if (
        (found := _BUILD.search(tail))
        and "\n" not in tail[: found.start()]
        and re.match(
            r"\s*(?:(?:bp|mb|mbp|megabases)\s*)?(?:[(,]|in|on|for|under|of|build|based on|according to|using|by|\[)",
            tail.lstrip(),
        )
    ):
        return _BUILDS.get(found[1], found[1])
    ends, names = _builds(text.lower)
    last = bisect_right(ends, one.start) - 1
    return names[last][1] if last >= 0 and names[last][0] >= before - 200 else ""


@lru_cache(maxsize=8)  # cached, because a text has many numbers
def _builds(text: str) -> tuple[list[int], list[tuple[int, str]]]:
    """Return where each name of a build ends, and for each name where it begins and its build."""
    named = list(_BUILD.finditer(text))
    return [one.end() for one in named], [(one.start(), _BUILDS.get(one[1], one[1])) for one in named]


def _allele(text: Plain, one: Mention, start: int, end: int, before: int) -> str:  # noqa: PLR0911 (one return a case)
    first = max(0, one.start - 200)
    line = text.text[max(first, text.text.rfind("\n", first, one.start) + 1) : one.start]
    if item := _ITEM.match(line):
        return str(item[1])
    if "|" in line and (cells := _CELL.findall(line)):
        return str(cells[-1])
    if found := _BEHIND.match(text.text, one.end, min(end, one.end + 60)):
        return str(found[1])
    start, end = max(start, one.start - _AROUND), min(end, one.end + _AROUND)
    for first in (start, max(before, start - _AROUND)):
        named = [(m.end(), next(filter(None, m.groups()))) for m in _ALLELE.finditer(text.text, first, one.start)]
        roles = [(m.end(), MINOR if m[1] or m[3] else MAJOR) for m in _ROLE.finditer(text.lower, first, one.start)]
        if named or roles:
            near_name, near_role = named[-1:] or [(-1, "")], roles[-1:] or [(-1, "")]
            # "the minor allele (T)" names both; the letter is more specific
            return near_name[0][1] if near_name[0][0] >= near_role[0][0] - 25 and named else near_role[0][1]
    if found := _ALLELE.search(text.text, one.end, end):
        return str(next(filter(None, found.groups())))
    if role := _ROLE.search(text.lower, one.end, end):
        return MINOR if role[1] or role[3] else MAJOR
    return ""


def _snp(text: Plain, one: Mention, start: int, end: int, before: int) -> str:
    named = list(_SNP.finditer(text.lower, max(0, one.start - 1500), one.start))
    return named[-1][0] if named else ""


def _event(text: Plain, one: Mention, start: int, end: int, before: int) -> str:
    if _ITS_YEAR.match(text.lower, one.end):
        return APPROVAL  # "its 1957 approval"
    if _STEP_BEHIND.match(text.lower, one.end, min(end, one.end + 60)):
        return ELSE
    before_it = re.split(r"[,;\n]", text.lower[max(start, one.start - 60) : one.start])[-1]
    if _STEP_BEFORE.search(before_it) and not _APPROVES.search(before_it):
        return ELSE
    start, end = max(start, one.start - _AROUND), min(end, one.end + _AROUND)
    for first, last in ((start, one.start), (one.end, end), (max(before, start - _AROUND), start)):
        named = list(_EVENT.finditer(text.lower, first, last))
        if named:
            told = [each for each in named if not each["other"]]
            if last != one.start and not told:
                continue
            found = named[-1] if last == one.start else told[0]
            return USAN if found["usan"] else APPROVAL if found["approval"] else ELSE
    return ""


_BINDERS: dict[str, Callable[[Plain, Mention, int, int, int], str]] = {
    "position": _build,
    "megabases": _build,
    "frequency": _allele,
    "p": _snp,
    "heidi": _snp,
    "b": _snp,
    "odds": _snp,
    "year": _event,
}
