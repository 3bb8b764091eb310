"""The numbers of a text by what they measure: p-values, effects, positions, phases, years, counts, and so on.

The first pattern that matches a number claims it, so an identifier's digits and a citation's year are not counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.studies.biomed.reading.decimals import NUMBER, WORDS, Printed, printed
from harness.studies.biomed.reading.plain import Plain

ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4"}
MOST = 2_000  # mentions of a text that are read


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text: its slot, its print, its start and end, `<` or `>` if it is a bound, what it belongs to."""

    slot: str
    text: str
    start: int
    end: int
    bound: str = ""
    of: str = ""

    @property
    def number(self) -> Printed | None:
        """The value of the number; None for the chromosomes X and Y."""
        found = printed(self.text.rstrip("% "))
        return found.percent() if found and self.text.endswith("%") else found


_WORDS = "|".join([word for word in WORDS if word != "zero"])
_GROUPS = {"single": 1, "sole": 1, "lone": 1, "pair": 2, "duo": 2, "brace": 2, "trio": 3, "quartet": 4, "dozen": 12}
_GAP = r"(?:[^\d\n;<>=~]{0,20}?\brs\d{2,12}\b)?[^\d\n;<>=~]{0,30}?"
_EQ = (
    r"\s?(?:is|was|of|are|:|=|~|<|>|at|approximately|about|around|less than|greater than|below|above|under|,|\)|\()?\s?"
)
_IS = r"(?:(?:<|>|less than|greater than|more than|below|above|under|exceed\w*|smaller than|larger than)\s*(?:=\s*)?)?"
_BOUND = re.compile(
    r"(?:(<|(?:less|lower|smaller) than|below|under)|>|(?:greater|more|higher|larger) than|above|exceed\w*"
    r"|over)\s*=?\s*$"
)
_N = rf"(?P<n>{NUMBER})"
_EFFECT = (
    r"\b(?:b|b[\s_-]?(?:gwas|smr)|beta|effect[\s-](?:size|estimate)s?|log[\s-]odds|coefficient)\b"
    r"(?:[\s-](?:value|coefficient|size))*"
)
_ROMANS = r"(?:early\s)?(?:\d(?:\.\d)?[ab]?|iv|i{1,3})[ab]?(?![\w]|\.e\b)"
_NO_PRONOUN = "".join(  # "the one that", "which one": no count
    rf"(?<!\b{word} (?=one\b))" for word in ("the", "this", "that", "any", "each", "every", "which", "other", "a")
)
# Tried in this order. Groups of a pattern: `n` is the number, `list` several numbers, `bare` a match without one.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        ("", r"\bet al\.?,?\s*\(?(?:19|20)\d\d[a-z]?\)?"),
        (
            "",
            r"\(?\b(?:bellenguez|nalls|kunkle|jansen|lambert|wightman|chang|alvarado|simon-sanchez)\b[^\d\n]{0,25}"
            r"(?:19|20)\d\d\)?",
        ),
        (
            "",
            r"\b(?:update[ds]?|cut-?off|knowledge|training data|as of|data (?:from|up to|through)"
            r"|until)\b[^\d\n]{0,40}"
            r"(?:19|20)\d\d",
        ),
        (
            "",
            r"\b(?:published|study|studies|gwas|meta-analysis|report(?:ed)?|review)\s(?:by|in|from|of)?[^\d\n]{0,25}?"
            r"\((?:19|20)\d\d\)",
        ),
        ("", r"\b(?:published|study|studies|gwas|meta-analysis) (?:in|from|of) (?:19|20)\d\d"),
        ("patent", r"\b(?:patents?|u\.?s\.?)\b[^\d\n]{0,30}?(?P<n>\d{1,2},\d{3},\d{3}|\d{7,8})(?:\s?[ab]\d)?\b"),
        ("", r"\b(?:rs|chembl|efo[:_ ]?|mondo[:_ ]?|hp[:_ ]?|doid[:_ ]?|ensg?|pmid:? ?|nct|db|omim:? ?|hgnc:? ?)\d+\b"),
        ("", r"\b(?:grch|hg|ncbi|build |b)\s?(?:3[678]|19|18)(?:\.p?\d+)?\b"),
        (
            "",
            r"\b(?:covid|cd|il|sars-cov|type|apoe|ba|area|app|class|grade|stage|member|subunit|isoform|subtype"
            r"|receptor)[- ]?\d{1,2}[ab]?\b",
        ),
        ("phase", r"\b(?P<n>early[- ]phase[- ]?(?:1|i)\b)"),
        (
            "phase",
            rf"(?<!early )(?<!early-)\bphases?(?:\s?:|\sof|\sis)?[\s(-]*"
            rf"(?P<list>{_ROMANS}(?:\s*(?:/|,|-|and|or|to"
            rf"|,\s?and|&)\s*(?:phase\s)?"
            rf"{_ROMANS})*)",
        ),
        (
            "phase",
            rf"\bphase\b[^\d\n.;,]{{0,40}}?(?:\bis\b|\bwas\b|:|=|\))\W{{0,3}}(?P<list>{_ROMANS}"
            rf"(?:\s?[/-]\s?{_ROMANS})?)",
        ),
        ("phase", r"\b(?P<n>first|second|third|fourth)[- ]phase\b"),
        ("phase", r"\bphase[- ](?P<n>one|two|three|four)\b"),
        ("chromosome", r"\b(?:chr|chromosome)s?[\s_:-]*(?:number\s)?(?P<n>\d{1,2}|x|y)(?![\d,.]\d)(?!\w*[pq]?\d{5})"),
        ("chromosome", r"\b(?P<n>\d{1,2}|x|y)(?=[pq]\d{1,2}(?:\.\d+)?\b)"),
        ("chromosome", r"(?<![\w.:])(?P<n>\d{1,2}|x)(?=\s?:\s?(?:\d{1,3}(?:,\d{3})+|\d{5,9})\b)"),
        ("heidi", rf"\bheidi\b(?:[\s_-]*(?:p|test|value))*{_GAP}(?:[=:~]\s?)?{_IS}{_N}"),
        (
            "odds",
            rf"\b(?:odds ratio|or)\b\)?\s*(?:\(or\))?(?:\s?(?:of|is|was|=|:|~|approximately"
            rf"|about)\s?){{1,2}}{_N}",
        ),
        ("ignored", rf"\b(?:threshold|cut-?off|significance level|significant at|bonferroni|alpha){_GAP}{_IS}{_N}"),
        (
            "p",
            rf"\bp(?:[\s_-]?(?:val(?:ue)?s?|gwas|smr(?:[\s_-]multi)?))*(?"
            rf":\s?\([^()\d]{{1,30}}\))?{_EQ}{_EQ}{_IS}{_N}",
        ),
        ("p", rf"\bp-?\s?values?\b{_GAP}{_IS}{_N}"),
        ("b", rf"{_EFFECT}(?:\s?\([^()\d]{{1,30}}\))?{_GAP}(?:[=:~]\s?)?(?P<n>\+?{NUMBER})|(?P<bare>{_EFFECT})"),
        ("p", r"(?P<n>(?<![\w.])\d{1,30}(?:\.\d{1,30})?(?:\s?[x*]\s?10\s?\^?\s?-\s?\d{1,4}|e-\d{1,4}))"),
        ("ignored", r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:\s?[x*]\s?10\s?\^?\s?\d+|e\+?\d+)"),
        ("ignored", r"(?<![\w.])\d{1,3}\s?%\s(?:sure|certain|confident|positive|confidence|clear|convinced)\b"),
        ("frequency", r"(?P<n>(?<![\w.])\d{1,3}(?:\.\d{1,30})?\s?%)"),
        ("position", r"(?P<n>(?<![\w.])\d{1,3}(?:,\d{3}){1,3}|(?<![\w.,])\d{4,9})(?=\s?(?:bp|base pairs?)\b)"),
        ("megabases", r"(?P<n>(?<![\w.])\d{1,3}(?:\.\d{1,6})?)(?=\s?(?:mb|mbp|megabases?|million base))"),
        (
            "ignored",
            r"(?<![\w.])\d[\d,.]*\s?(?:kb|kbp|kilobases?|%|mg|years?|months?|weeks?|days?|hours?|cm|ml|bp)\b"
            r"|(?P<bare>(?<![\w.])\d[\d,.]*)",
        ),  # `bare` consumes a number without a unit at once, so its rest is not tried again
        ("patent", r"(?<![\w.,])(?P<n>\d{1,2},\d{3},\d{3}|\d{7,8})\b(?=[^\n]{0,60}\bpatents?\b)"),
        ("position", r"(?P<n>(?<![\w.])\d{1,3}(?:,\d{3}){2,3}(?!\w|,\d)|(?<![\w.,])\d{5,9}(?!\w|,\d|\.\d))"),
        ("year", r"(?:^|(?<=[\s(]))'(?P<n>\d\d)(?![\w'])"),
        ("year", r"(?<![\w.,:])(?P<n>(?:19|20)\d\d)(?!\w|,\d|\.\d|-\d{3})"),
        ("decimal", r"(?<![\w.])(?P<n>-?\d{0,3}\.\d{1,30})(?![\w]|\.\d)"),
        ("count", r"(?<![\w.,:/-])(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6})(?![\w%:/-]|[,.]\d|\))"),
        ("count", r"(?:\(|\bn\s?=\s?)(?P<n>\d{1,6})\)"),
        (
            "count",
            r"\b(?P<n>(?:two|three|four|five|six) dozen|half[- ](?:a[- ])?dozen|a couple(?! of (?:days|weeks"
            r"|years)))\b",
        ),
        (
            "count",
            rf"\b(?:a|one|the|this|that|only one) (?:total of a )?(?P<n>{'|'.join(list(_GROUPS)[3:])})\b(?! of months)",
        ),
        (
            "count",
            rf"{_NO_PRONOUN}(?<![\w-])(?P<n>{_WORDS})(?![\w-]|(?<=one)\sof\b|\s(?:thousand|million|billion|hundred)|\s(?:can|should|must|may|might|would|could)\b)",
        ),
    )
)


def mentions(text: Plain) -> list[Mention]:
    """Return the numbers of a text that have a slot, in text order; at most 2,000 of them."""
    taken = bytearray(len(text.lower))
    out: list[Mention] = []
    for slot, pattern in _PATTERNS:
        for found in pattern.finditer(text.lower):
            if len(out) >= MOST:
                break
            if "bare" in pattern.groupindex and found["bare"]:
                continue
            start, end = found.span("n") if "n" in pattern.groupindex and found["n"] else found.span()
            if any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            if slot and slot != "ignored":
                out += _of(slot, found, start, end)
    return sorted(out, key=lambda one: (one.start, one.slot))


def _of(slot: str, found: re.Match[str], start: int, end: int) -> Iterator[Mention]:
    groups = found.groupdict()
    if "list" in groups:
        yield from _phases(groups["list"], start, end)
    elif slot == "phase":
        ordinals = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
        said = ordinals.get(groups["n"]) or str(WORDS.get(groups["n"], "0.5"))
        yield Mention(slot, said, start, end)
    else:
        text = groups["n"].replace(" ", "") if slot != "count" else _counted(groups["n"])
        text = _year(text) if slot == "year" else text
        yield Mention(slot, text.upper() if slot == "chromosome" else text, start, end, _bound(found.string, start))


def _bound(text: str, start: int) -> str:
    found = _BOUND.search(text, max(0, start - 20), start)
    return "" if not found else "<" if found[1] else ">"


def _year(text: str) -> str:
    """Return a year in full: '23 is 2023, and '87 is 1987."""
    return text if len(text) > 2 else f"{20 if int(text) < 40 else 19}{text}"


def _counted(text: str) -> str:
    if text.startswith(("half", "a couple")):
        return "6" if text.startswith("half") else "2"
    if text.endswith(" dozen"):
        return str(12 * WORDS[text.split(maxsplit=1)[0]])
    return str(WORDS.get(text, _GROUPS.get(text, text)))


def _phases(text: str, start: int, end: int) -> Iterator[Mention]:
    for part in re.split(r"\s*(?:/|,|-|\band\b|\bor\b|\bto\b|&|\bphase\b)\s*", text):
        early = part.startswith("early")
        word = part.removeprefix("early").strip().rstrip("ab")
        digits = ROMAN.get(word, word)
        if digits:
            yield Mention("phase", "0.5" if early else digits.removesuffix(".0"), start, end)
