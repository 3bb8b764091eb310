"""The status of an allele in a response: whether its letter is the SNP's effect or risk allele there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.judging.rule_either import other_name
from harness.studies.biomed.judging.rule_reading import ReadResponse
from harness.studies.biomed.judging.rule_status import ABSENT, DENIED, MIXED, RIGHT, WRONG, Fared
from harness.studies.biomed.reading.binding import LETTER
from harness.studies.biomed.reading.pairing import paired

_SNP = re.compile(r"\brs\d{2,12}\b", re.IGNORECASE)
_LETTERS = r"(?P<{}>[ACGT]{{1,40}})"
_ROLE = r"(?:effect|risk|risk-increasing|increasing|minor|alternat\w+|alt|coded|susceptibility)"
_OTHER = re.compile(
    r"(?:other|reference|ref|major|non-?\s?effect|non-?\s?risk|protective|decreasing)\W{1,3}(?:alleles?\W{0,3})?$"
)
_LETTER = re.compile(
    rf"(?:\ballele\s?\W{{0,4}}(?:is|of|was)?\s?\W{{0,3}}{_LETTERS.format('a')}(?![\w'])"
    rf"|(?<![\w-]){_LETTERS.format('b')}\W{{0,2}}[\s-]alleles?\b|^\W{{0,3}}{_LETTERS.format('c')}(?![\w'])"
    rf"|\ballele\b[^.;\n]{{0,40}}?\bis\s{_LETTERS.format('e')}(?![\w'])"
    rf"|[(|,:]\s?{_LETTERS.format('d')}(?=\s?[)|,;]|$|\s-))",
    re.MULTILINE,
)
_ROLED = re.compile(
    rf"\b(?<!non-)(?<!non )(?i:{_ROLE}\s(?:\w+\s)?allele)\W{{0,3}}(?:is|of|was|:)?\s?\W{{0,3}}([ACGT]{{1,40}})(?![\w'])"
)
_AS = re.compile(
    rf"(?<![\w-])({_LETTERS.format('g')})['\"]?\s(?:allele\s)?(?:as|is|being|was)\sthe\s{_ROLE}\s(?:\w+\s)?allele\b"
)
_ALIAS = re.compile(  # "A (the effect allele)", "A, which is the coded allele", "A = effect allele"
    rf"(?<![\w-]){_LETTERS.format('h')}['\"]?(?:\s?[(=:,-]\s?|\s-\s)(?:which |that )?(?:is |being |as )?"
    r"(?:the |an? |its )?"
    r"(?:(?:effect|risk|risk-increasing|increasing|coded)(?:\s?\)|\s(?:\w+\s)?(?:alleles?|one)\b))"
)
_BEFORE = re.compile(r"\b([ACGT]{1,40})\W{0,2}[\s-](?:risk\s|effect\s)?allele\s(?:of|at|in|for)\s(?:the\s)?(?:\w+\s)?$")
_BEHIND = re.compile(r"\s(?:is|was)\s['\"]?([ACGT]{1,40})(?![\w'])")
_ROLE_OF = re.compile(rf"\b(?<!non-)(?<!non ){_ROLE}\s(?:\w+\s)?alleles?\s(?:of|at|for|in)\s(?:the\s)?(?:snp\s)?$")
_JOINED = re.compile(r"[-_:]\(?([ACGT]{1,40})(?![\w'])")  # "rs99-T"
_PER = re.compile(
    r"\b(?:for|per|of) (?:the |each |every )?(?:(?:extra |additional )?copy of )?([ACGT]{1,40})(?![\w'-])"
)
_ALONE = re.compile(r"[ACGT]{1,40}")
_WINDOW = 160  # letters behind an SNP in which its allele is looked for


def allele(one: Fact, response: ReadResponse) -> Fared:
    """Return the status of an allele by the first letter said of its SNP; letters with the allele's role come first."""
    value = str(one["value"]).upper()
    said = list(_said(one["of"], response))
    if not said:
        return Fared(one, ABSENT)
    letter, place = said[0]
    alone = _ALONE.fullmatch(value) and re.search(rf"(?<![\w-]){value}(?![\w'])", response.text.text)
    if not one["asked"] and letter != value and alone and not _called(response, place):
        return Fared(one, ABSENT)  # both alleles are listed, and neither is called the effect allele
    if response.denied(place):
        return Fared(one, DENIED if letter == value else ABSENT)
    if other := other_name(response.text.text, place, len(letter), lambda name: not _ALONE.fullmatch(name)):
        return Fared(one, MIXED if value in (letter, other) else WRONG, why=f"{letter} or {other}")
    return Fared(one, RIGHT if letter == value else WRONG, why="" if letter == value else f"{letter} for {value}")


def _called(response: ReadResponse, place: int) -> bool:
    """Whether the words around a letter give it the role of an effect allele."""
    around = response.text.text[max(0, place - 40) : place + 40].split("\n")
    return bool(re.search(rf"\b(?<!non-)(?<!non ){_ROLE}\b", " ".join(around), re.IGNORECASE))


def _said(of: str, response: ReadResponse) -> Iterator[tuple[str, int]]:
    """Yield the letters that are said of an SNP, each with its position; letters with the allele's role come first."""
    text = response.text.text
    called = _SNP.match(of)
    own = [one for one in _SNP.finditer(text) if called and one[0].lower() == called[0].lower()][:20]
    if called and not own and response.asked.says(called[0]):
        stretches = [(0, min(len(text), 1_500))]
    else:
        stretches = [(one.end(), _end(text, one.end())) for one in own]
    for one in own:
        behind = _BEHIND.match(text, one.end())
        if behind and _ROLE_OF.search(text[max(0, one.start() - 60) : one.start()].lower()):
            yield behind[1], behind.start(1)
    patterns = (_ROLED, _AS, _ALIAS, *([_PER] if "b" in response.asked.slots else []))  # an effect is one of an allele
    for start, end in stretches:
        for pattern in patterns:
            yield from ((found[1], found.start(1)) for found in pattern.finditer(text, start, end))
    joined = [found for one in own if (found := _JOINED.match(text, one.end()))]
    yield from ((found[1], found.start(1)) for found in joined)
    yield from _by_order(of, response)
    for one in own:
        if before := _BEFORE.search(text, max(0, one.start() - 60), one.start()):
            yield before[1], before.start(1)
    for start, end in stretches:
        for found in _LETTER.finditer(text, start, end):
            group = found.lastgroup or "a"
            if not _OTHER.search(text[max(start, found.start() - 16) : found.start()].lower()):
                yield found[group], found.start(group)


def _by_order(of: str, response: ReadResponse) -> Iterator[tuple[str, int]]:
    """Yield the letter that a sentence gives to an SNP by its order: "T at rs1 or G at rs2", "allele G of rs2"."""
    text = response.text.text
    for name, place in response.snps[:200]:
        if name.lower() != of.lower()[: len(name)]:
            continue
        span = response.span(place)
        if len(span) > 1_000:
            continue
        keys = [at for _, at in response.snps if at in span]
        letters = {
            found.start(): found[0]
            for found in LETTER.finditer(text, span.start, span.stop)
            if not _OTHER.search(text[max(span.start, found.start() - 22) : found.start()].lower())
        }
        pairs = {key: value for value, key in paired(keys, sorted(letters)).items()}
        if place in pairs:
            yield letters[pairs[place]], pairs[place]


def _end(text: str, start: int) -> int:
    """Return where the text about an SNP ends: at the next SNP, at the end of the line, or after 160 letters."""
    other = _SNP.search(text, start)
    line = text.find("\n", start)
    return min(start + _WINDOW, len(text), other.start() if other else len(text), line if line >= 0 else len(text))
