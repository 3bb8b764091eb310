"""Names in a text that their form shows: SNPs, identifiers, patents, gene symbols; and the items of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from harness.studies.biomed.reading.known_names import ACTIONS, MOLECULES, TISSUES
from harness.studies.biomed.reading.not_genes import NO_GENES
from harness.studies.biomed.reading.plain import Plain
from harness.studies.biomed.reading.searching import SearchedWords

Named = list[tuple[str, int]]  # a name and where it begins
MOST = 2_000
_GENE = re.compile(
    r"(?<![\w:.-])(?:C\d{1,2}orf\d{1,3}|[A-Z][A-Z0-9]{1,11}(?:-[A-Z0-9]{1,10}){0,2}(?:\.\d)?)(?![\w])(?!-[a-z])"
)
_RANGE = re.compile(
    r"\b([A-Z][A-Z0-9]{1,8}?)(\d{1,2})\s?-\s?(\d{1,2})\b|\b([A-Z][A-Z0-9]{2,8}\d{1,2})((?:/-?\d{1,2}){1,9})\b"
)
_PATTERNS = {
    "snp": re.compile(r"\brs\d{2,12}\b", re.IGNORECASE),
    "chembl": re.compile(r"\bchembl\s?\d{1,12}\b", re.IGNORECASE),
    "efo": re.compile(r"\b(?:efo|mondo|hp|orphanet|doid)[:_ ]\d{3,9}\b", re.IGNORECASE),
    "mesh": re.compile(r"\b[DC]\d{6,9}\b"),
    "patent": re.compile(r"(?<![\w.])(?:US\s?)?(\d{1,2},\d{3},\d{3}|\d{7,8})(?:\s?[AB]\d)?(?![\w.]\d)"),
    "allele": re.compile(r"\b[ACGT]{1,40}\b"),
}
_ACTION_WORD = re.compile(
    r"\b(?:partial |inverse |positive allosteric |negative allosteric |positive |negative |allosteric )?"
    r"(?:agonist|antagonist|inhibitor|blocker|opener|activator|modulator|degrader)s?\b"
)
_BULLET = re.compile(r"^\s*(?:[-*•+]|\(?\d{1,3}[.)])\s+(?P<item>[^\n]{2,300})$|^\s+", re.MULTILINE)
_HEAD = re.compile(
    r"\s*(?::|\s-\s|\(|,? (?:which|is|was|are|approved|has|used|an?|in|for|reached|targets?)\b|\.\s|\.$)"
)
_CUE = re.compile(
    r"(?:\bare\b|\bincludes?\b|\bincluding\b|\bsuch as\b|\bfollows?\b|\bfollowing\b|\bas\b|:|\bis\b|\btargets?\b"
    r"|\bnames?\b|\btreat\b|"
    r"\btreatment of\b|\bnamely\b|\bby\b|\bfor\b|\blike\b|\bin\b|;|\bgenes?\b|\bdrugs?\b|\bsynonyms?\b"
    r"|\balphabetical order\b|^)\s*:?\s*"
)
_STOP = re.compile(r"\.(?:\s|$)|\n|$|;|:")
_SPLIT = re.compile(
    r"\s*(?:,\s*(?:and|or|as well as)\s|,(?!\s?(?:type|stage|grade|class|subtype|form) \w{1,4}\b)|;|\band\b"
    r"|\bor\b|\bas well as\b|\s&\s)\s*"
)


def named(kind: str, text: Plain) -> Named:
    """Return the names of a kind in text order: snp, gene, action, molecule, tissue, allele or an identifier."""
    if kind == "gene":
        return _genes(text)
    if kind == "action":
        return _vocabulary(ACTIONS, text)
    if kind == "molecule":
        return _vocabulary(MOLECULES, text)
    if kind == "tissue":
        return _vocabulary(TISSUES, text)
    out = []
    for found in _PATTERNS[kind].finditer(text.text):
        out.append(((found[1] if kind == "patent" else found[0]), found.start()))
        if len(out) == MOST:
            break
    return out


def kind_of(name: str) -> str:
    """Return the kind that a name's form shows; empty if it shows none."""
    for kind in ("snp", "chembl", "efo", "mesh", "patent"):
        if (found := _PATTERNS[kind].fullmatch(name)) and found:
            return kind
    if name.lower() in ACTIONS or _ACTION_WORD.fullmatch(name.lower()):
        return "action"
    if name.lower() in MOLECULES:
        return "molecule"
    return "gene" if len(name) > 1 and _GENE.fullmatch(name) and name not in NO_GENES else ""


def _genes(text: Plain) -> Named:
    out: Named = []
    ranges = set()
    for found in _RANGE.finditer(text.text):
        names = [(name, found.start()) for name in _expanded(found)]
        ranges |= {found.start()} if names else set()
        out += names
    for found in _GENE.finditer(text.text):
        symbol = found[0]
        if len(out) >= MOST:
            break
        if found.start() in ranges:
            continue
        if (
            symbol.upper() not in NO_GENES
            and len(symbol) > 1
            and not symbol.isdigit()
            and kind_of_identifier(symbol) is False
        ):
            out.append((symbol, found.start()))
    return sorted(out, key=lambda one: one[1])


def kind_of_identifier(symbol: str) -> bool:
    """Whether letters and digits that look like a gene symbol are an identifier of another kind, or an allele."""
    return any(_PATTERNS[kind].fullmatch(symbol) for kind in ("snp", "chembl", "mesh", "patent", "allele")) or bool(
        re.fullmatch(
            r"NCT\d+|GRCH\d+|HG\d\d|D\d{5,}|[A-Z]\d{1,2}|[IVX]+|\d+[A-Z]?|ENSG?\d+|CHR\d+|PMC\d+", symbol.upper()
        )
    )


def _expanded(found: re.Match[str]) -> Iterator[str]:
    if found[1]:
        first, last = int(found[2]), int(found[3])
        if first < last <= first + 30:
            yield from (f"{found[1]}{number}" for number in range(first, last + 1))
    else:
        stem = re.sub(r"\d+$", "", found[4])
        yield from (f"{stem}{number}" for number in re.findall(r"\d+", found[5]))


def _vocabulary(table: Mapping[str, str], text: Plain) -> Named:
    words, out = SearchedWords(text), []
    for name, others in table.items():
        for place in words.first([name, *filter(None, others.split("|"))]):
            out.append((name, place))
    longest = sorted(out, key=lambda one: (one[1], -len(one[0])))
    kept: Named = []
    for name, place in longest:  # agonist inside partial agonist is not a name of its own
        if not any(other != name and name in other and at <= place < at + len(other) + 2 for other, at in kept):
            kept.append((name, place))
    return kept


def items(text: Plain) -> Named:
    """Return the items of a text's lists: behind bullets or numbers, or one after the other in a sentence."""
    out: Named = []
    bullets = [found for found in _BULLET.finditer(text.text) if found["item"]]  # some matches have no item
    for found in bullets:
        head = _HEAD.split(found["item"] + " ", maxsplit=1)[0].strip(" \"'.,;")
        if 1 < len(head) <= 80 and len(head.split()) <= 8:
            out.append((head, found.start("item")))
    for sentence in text.sentences[:400]:
        if len(bullets) > 1 and (item := _BULLET.match(sentence.text)) and item["item"]:
            continue
        out += map(partial(_placed, sentence.start), _inline(sentence.text))
    return out[:MOST]


def _placed(start: int, one: tuple[str, int]) -> tuple[str, int]:
    return one[0], start + one[1]


def _inline(sentence: str) -> list[tuple[str, int]]:
    """Return the longest list in a sentence, or the list after its last colon.

    Of several equally long lists, return the one that begins last; it has no words before its items.
    """
    colon = sentence.rfind(": ")
    if colon >= 0 and (behind := _parts(sentence, colon + 2)):
        return behind
    best: list[tuple[str, int]] = []
    for cue in list(_CUE.finditer(sentence))[:60]:
        parts = _parts(sentence, cue.end())
        if len(parts) >= max(len(best), 1):
            best = parts
    return best


def _parts(sentence: str, start: int) -> list[tuple[str, int]]:
    """Return the items of the list that begins at a position in a sentence, each with its own position."""
    found = _STOP.search(sentence, start)
    stretch = sentence[start : found.start() if found else len(sentence)][:900]
    parts, at = [], start
    for part in _SPLIT.split(re.sub(r"\([^()]{0,120}\)", "", stretch)):
        item = re.sub(r"^(?:the|both|and|an?|drugs?|genes?|also)\s+", "", part.strip(" \"'.")).strip()
        item = re.split(r"\s(?:is|was|were|are the)\s", item, maxsplit=1)[0]
        item = re.sub(r"^.{0,80}\b(?:are|namely|including|includes?)\s+(?=[A-Z0-9])", "", item)
        item = re.sub(r"^.{0,80}\btargets?\s(?:the\s)?(?:genes?\s)?(?=\S)", "", item)
        item = re.split(r"\sare\s", item, maxsplit=1)[0]
        if 1 < len(item) <= 80 and len(item.split()) <= 9 and re.search(r"[A-Za-z]{2}", item):
            at = max(at, sentence.find(part, at))
            parts.append((item, at))
    return parts
