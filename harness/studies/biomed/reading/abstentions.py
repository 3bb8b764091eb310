"""Whether a text says that it does not know, by a versioned table of phrases (OURS).

Phrases match as whole words. Texts and phrases are folded first: lower case, without contractions and filler words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path

from harness.errors import InputError
from harness.kit import csv_rows
from harness.studies.biomed.reading.plain import Plain, Span, clauses

FILE = "abstentions@1.csv"
VERSION = "abstentions-1"
UNKNOWN, ELSEWHERE = "unknown", "elsewhere"  # says that it does not know; only says where to look
_FILLERS = re.compile(
    r"\b(?:a|an|the|any|my|currently|current|specific|specifically|direct|directly|readily|detailed|exact|exactly"
    r"|precise|"
    r"precisely|sufficient|enough|real-time|up-to-date|definitive|definitively|reliable|reliably|verified|accurate"
    r"|accurately|"
    r"actually|really|simply|immediate|immediately|comprehensive|complete|personal|also|always|yet|further|more"
    r"|this|that|"
    r"unfortunately|confidently|concrete|additional|explicit|explicitly|particular|relevant|genetic|clinical"
    r"|pharmacological|pharmacologic|regulatory|genomic|statistical|numerical|trustworthy|usable"
    r"|structured|published)\b"
)
_SHORT: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\bcannot\b|\bcan't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bi'm\b", "i am"),
        (r"\bi've\b", "i have"),
        (r"\bi'd\b", "i would"),
        (r"\bit's\b", "it is"),
        (r"\bthere's\b", "there is"),
        (r"recognise", "recognize"),
        (r"characteris", "characteriz"),
    )
)


_NOT_AWARE = re.compile(
    r"\b(?:I am|I'm|we are|we're)\s(?:currently\s)?(?:not aware|unaware)\s(?:of|that)\s(?:any\s)?"
    r"(?=[^.;\n]{0,80}?\b(?:boxed|black-?box|warnings?|being|having|ha[sd]|is|was|associat\w+|approv\w+"
    r"|licen[sc]ed|signal|link|carr\w+))"
    r"(?![^.;\n]{0,40}?\b(?:stud(?:y|ies)|data|datasets?|information|details|research|reports?|literature|publications?"
    r"|records?|names?d?|called|sources?)\b)",
    re.IGNORECASE,
)

# Ways to say that one does not know, by what they are made of; the table has whole phrases.
_KNOW = (
    r"(?:know|tell|say|recall|remember|confirm|provide|give|find|locate|verify|determine|answer|access|retrieve"
    r"|identify|see"
    r"|supply|name|state|cite|quote|vouch|commit|guarantee|comment|judge|decide|establish|pin(?:point)?|pull up|look up"
    r"|stand behind|speak to|make out|work out|fill in|offer|resolve|derive|place|put \\w+|come up with|produce)"
)
_SOURCE = (
    r"(?:records?|notes?|data|database|knowledge|memory|mind|training|sources?|files?|documents?|context"
    r"|information|material"
    r"|tables?|corpus|references?|literature|results?|output)"
)
_LACKS = re.compile(
    rf"\b(?:i|we) (?:\w+ )?(?:can|could|would|will|shall|should|may|am able to|do|did|have"
    rf"|had)(?: \w+)? ?not (?:\w+ ){{0,3}}?{_KNOW}\b"
    rf"|\b(?:i|we) (?:\w+ )?not (?:\w+ ){{0,2}}?{_KNOW}\b"
    rf"|\b(?:unable|not able|at a loss|powerless|impossible for me|in no position"
    rf"|not in position) to (?:\w+ )?{_KNOW}\b"
    r"|\b(?:rings? no|not ring) ?(?:a )?bells?\b|\bnot (?:spring|come|leap|pop) (?:\w+ )?to (?:my )?mind\b"
    r"|\b(?:no|none|nothing|never)\b[^.;]{0,40}\b(?:comes?|came|springs?|sprang) to"
    r" (?:my )?mind\b|\b(?:slip\w*|escape\w*|elude\w*|evade\w*) (?:me|memory|mind|through)\b"
    r"|(?<!smr )(?<!gwas )(?<!analysis )(?<!it )\b(?:draw\w*"
    r"|drew) (?:complete )?blank\b"
    rf"|^\W*(?:do|can|could|would) not (?:\w+ )?{_KNOW}\b"
    r"|\b(?:no|not|none|nothing|neither|never)\b[^.;]{0,80}\b(?:anything|everything|what|sources?|data|tables?|records?"
    r"|notes?|material|files?|of) (?:that |which |of what )?(?:i|we) (?:have|hold|know|recall|remember|possess|was"
    r"|were|can"
    r"|could|got|saw)\b"
    r"|\b(?:no|not|none|nothing|neither)\b[^.;]{0,80}\b(?:available|accessible|known|at hand|to hand|given|visible"
    r"|familiar) to (?:me|us)\b"
    r"|(?<!smr )(?<!gwas )(?<!analysis )(?<!it )\bcom(?:e|es|ing) up (?:empty|blank|short)\b|\b(?:out of|beyond"
    r"|outside|past) (?:me\b|(?:reach|depth|ken"
    r"|grasp|knowledge|competence|scope|recall|memory))|\bstump(?:s|ed)\b|\bneither yes nor no\b|\bclosed book\b"
    r"|\bbeyond what (?:i|we)\b|\bi am (?:stumped|ignorant|clueless|lost|blank|in dark)\b"
    r"|\b(?:no|not (?:a )?|without|have no|not have|not got|nothing like) (?:clue|inkling|idea|recollection"
    r"|memory|foggiest|faintest|notion|insight"
    r"|way to (?:know|tell|check)|means of (?:knowing|telling|checking))\b|\bnot (?:foggiest|faintest"
    r"|slightest)\b|\byour guess is as good\b"
    r"|\b(?:leave|leaves|left|leaving|keep|kept) (?:it |this |that |me |one |us )?(?:\w+ ){0,3}?(?:unsaid"
    r"|unstated|open|blank|unanswered|out"
    r"|unresolved|in dark)\b|\bstop (?:here|there)\b|\bunanswer(?:ed|able)\b|\b(?:i|we|that) (?:would|will|should"
    r"|must|might)(?: \w+)? be"
    r" (?:\w+ )?(?:invent|guess|mak|fabricat|speculat|bluff|ly|making|lying)(?:ing|e|ation)?\b"
    r"|\bwould be (?:invention|guesswork|fabrication|fiction)\b"
    r"|\b(?:decline|refuse|hesitate|reluctant|unwilling|refrain|abstain|loath|pass on|have to pass|must pass"
    r"|will pass)\b(?!\w)"
    r"|\bnot (?:want|wish|like|dare|care|going|willing|prepared|about) to (?:\w+ )?(?:guess|claim|assert|pretend"
    r"|venture|invent|mislead"
    r"|speculate|fabricate|make|bluff"
    r"|hazard|answer|commit)\b|\bnot (?:guess|speculate|hazard|bluff|invent|fabricate)\b|\brefrain(?:s|ing)? from\b"
    r"|\b(?:confidence|certainty|trust)\b[^.;]{0,60}\b(?:nil|zero|none|nonexistent|low|little|minimal)\b"
    r"|\bno confidence in\b"
    r"|\bwithout (?:seeing|having|access|looking|checking|consulting) (?:to |at |up )?(?:\w+ ){0,3}"
    rf"|\b{_SOURCE}\b[^.,;]{{0,40}}\b(?:not|no longer|never|fail(?:s|ed)? to) (?:\w+ )?(?:contain|include|cover"
    rf"|list|mention|hold|have"
    r"|say|tell|show|extend|reach|reveal|give|spring|come|go|address|report|available to me|present)\b"
    rf"|\b(?:no|not have|lack\w*|missing|absent from|not in|nothing in|beyond) (?:\w+ ){{0,2}}?(?:our|available"
    rf"|supplied|training) {_SOURCE}\b"
    r"|\b(?:would|will|must|need(?:s|ed)?) (?:\w+ )?(?:have |need )?to be (?:supplied|provided|consulted|checked"
    r"|looked up|queried|seen)\b"
    r"|\b(?:not (?:been )?(?:given|supplied|provided|shown|shared)|nothing was (?:given|supplied"
    r"|provided))(?: \w+)? to (?:me|us)\b"
    r"|\b(?:irresponsible|dishonest|misleading|unwise|reckless|foolish|improper|premature)\b[^.;]{0,40}\b(?:guess|say|claim"
    r"|state|answer|name|speculate|assert|of me|on my part)\b|\b(?:pure|sheer|mere) (?:guess\w*|speculation"
    r"|invention)\b"
    r"|\bno basis\b|\b(?:insufficient|too little|not enough) (?:\w+ )?(?:basis|evidence to (?:say|answer|decide)"
    r"|grounds|context|detail)\b"
    r"|\b(?:idk|dunno|no comment|pass|n/a|unsure|undetermined|don't know)\W*$|^\W*(?:unknown|unclear|not known"
    r"|not sure|no answer"
    r"|not available|no data|nothing found|not found|unsure|uncertain|undetermined|pass|skip|n/?a|idk|\?+)\W*$"
    r"|\bcan not (?:be )?(?:\w+ )?(?:derived|said|told|stated|known|named|inferred|established|recalled|verified"
    r"|confirmed)\b"
    r"|\bi (?:\w+ )?(?:forget|forgot|have forgotten|lost track|blanked|am blanking|am drawing)\b|\bno(?:body"
    r"| one) (?:has )?told me\b"
    r"|\b(?:better|best|rather|prefer)(?: to)? (?:to )?(?:leave|say nothing|not\b(?! than)|remain silent|abstain"
    r"|skip)\b"
    r"|\b(?:i|we) (?:have|hold|got|possess|own)(?: got)? (?:none|nothing|no (?:[\w-]+ ){0,3}?(?:answer|reply"
    r"|response|figures?|statistics|results?|summary|tables?"
    r"|values?|numbers?|data|information|entry|entries|records?|basis|list|names?|idea|opinion|position))\b"
    r"|\b(?:none|nothing|no (?:answer|reply|response|comment)) (?:\w+ )?to (?:give|offer|share|report|add|provide)\b"
)
_HAZY = re.compile(  # says so only where nothing else is stated
    r"\b(?:sorry|blur|blurry|hazy|foggy|vague|unknown|unclear|unsure|uncertain|undisclosed|elusive|blank"
    r"|not (?:\w+ )?(?:available|known|found"
    r"|given|provided|supplied|documented|included|shown|at hand|disclosed)|nowhere (?:to be )?found"
    r"|would (?:have|need) to be|need(?:s|ed)? to"
    r" be|(?:hard|difficult|impossible|tricky|tough) to (?:say|tell|answer|pin|judge)|anyone's guess|who knows"
    r"|mystery|up in (?:the )?air"
    r"|remains? (?:to be seen|open)|depends on (?:what|which)|no \w+(?: \w+)? (?:is |are )?at hand)\b"
    r"|\b(?:i|me|mine|we|us)\b[^.]{0,120}\b(?:no|not|none|nothing|never|neither|nor|without|beyond|lack\w*"
    r"|fail\w*|guess\w*|invent\w*"
    r"|mislead\w*|hard|difficult|wish|need|unable|only|dark|blind|book)\b"
    r"|\b(?:no|not|none|nothing|never|neither|without|beyond|fail\w*|lost|blind|dark)\b[^.]{0,60}\b(?:i|me|mine"
    r"|we|us|notes|records|memory"
    r"|training|knowledge|sources?)\b|\b(?:notes|records|memory|training|knowledge|sources?|files?|data"
    r"|tables?)\b[^.]{0,60}\b(?:no|not|none"
    r"|nothing|silent|empty|lacks?|without|beyond)\b"
)
_FIRST_PERSON = re.compile(
    r"\bI\b(?!\.)|(?i:\b(?:me|my|mine)\b|^\W*(?:can't|cannot|can not|never|unable|could not|couldn't)\b)"
)
_COURTESY = re.compile(
    r"\b(?:I hope (?:that )?(?:this|it)|hope (?:this|it)|let me know|feel free|I(?:'m| am) (?:happy|glad) to"
    r"|please let me)[^.!?\n]{0,80}",
    re.IGNORECASE,
)
_BOOST = re.compile(
    r"\bno doubt\b|\bwithout (?:doubt|question|exception)\b|\bdo not (?:find|see|detect"
    r"|observe) (?:\w+ ){0,3}?(?:snps?|variants?|signals?|hits?|associations?|significan\w+"
    r"|links?|boxed|black)\b|\bnot (?:only|just|find (?:\w+ ){0,2}evidence"
    r"|see (?:\w+ ){0,2}(?:signal|evidence))\b"
)
_PART = re.compile(r",\s|\s-\s|\s(?=\()|:\s")
_CONCEDES = re.compile(r"^\W*(?:while|although|though|even though|even if|whereas|despite|notwithstanding)\b")
_STATES = re.compile(
    r"^\W*(?:yes|no|not)\b|\b(?:is|are|was|were|has|have|had|does|do|did|lies?|targets?|acts?|carries|reach\w*|comes?|came"
    r"|belongs?|sits?|dates?|shows?)\b|n't\b|\d"
)
_IDENTIFIER = re.compile(r"(?<!rs)(?<!\d)\d{5,}|\bCHEMBL\d")
_GOES_ON = re.compile(  # goes on with what is not known, or with what one might do instead
    r"^\W*(?:(?:and|or|nor|so|but|as|since|because|if|whether|which|what|when|where|how|who|that|such|including|e\.g"
    r"|for example|like|namely|let alone|much less|please|it would|i would|i'd|i)\b)"
)
_EMPTY = re.compile(r"\W*(?:n\s?/\s?a|\?+|-+|none given|unknown|tbd|tba)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The folded phrases of the table, as patterns."""

    unknown: re.Pattern[str]
    elsewhere: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Knowing:
    """What a text says about its knowledge: that it does not know, or only where to look; and its other clauses."""

    first: bool
    anywhere: bool
    elsewhere: bool
    rest: Plain  # the text without the clauses that say so


def read_phrases(path: Path) -> Phrases:
    """Read a table of phrases; raise InputError for a malformed file."""
    where = f"the table {FILE}"
    rows = csv_rows.read(path, lambda row: f"{where}, row {row}", "take the table as it is", columns=("kind", "phrase"))
    return _phrases([(row["kind"], row["phrase"]) for _, row in rows])


@lru_cache(maxsize=1)
def packaged() -> Phrases:
    """Return the phrases of the packaged table."""
    with resources.as_file(resources.files("harness.studies.biomed") / "tables" / FILE) as path:
        return read_phrases(path)


def knowing(text: Plain, phrases: Phrases) -> Knowing:
    """Return what a text says about its own knowledge."""
    first = anywhere = elsewhere = False
    kept: list[str] = []
    for number, sentence in enumerate(text.sentences):
        parts: list[Span] = []
        for clause in clauses(sentence):
            folded = _folded(clause.text)
            unknown = bool(phrases.unknown.search(folded)) or lacks(folded)
            if unknown:
                first, anywhere = first or number == 0, True
            elif phrases.elsewhere.search(folded):
                elsewhere = True
                if _IDENTIFIER.search(clause.text):  # "look it up as CHEMBL99"
                    parts.append(clause)
                    continue
            else:
                parts.append(clause)
                continue
            parts += _telling(clause, phrases)
        if parts:
            kept.append(" ".join(part.text for part in parts))
    return Knowing(first, anywhere, elsewhere, Plain("\n".join(kept)) if anywhere or elsewhere else text)


def _telling(clause: Span, phrases: Phrases) -> list[Span]:
    """Return the parts of a clause, between commas, dashes and brackets, that state something all the same.

    What stands before the words of not knowing does, and behind them what has a verb of its own; behind a concession
    ("While I cannot verify it, ...") the rest.
    """
    lower = clause.text.lower()
    if re.match(r"\W*(?:whether|which|what|how|where|when|if)\b", lower):
        return []  # what is not known
    parts = [part for part in _PART.split(clause.text) if part.strip(" .,;:()-")]
    silent = [_silent(part, phrases) for part in parts]
    if not any(silent):
        return []
    last = len(silent) - 1 - silent[::-1].index(True)
    conceded = bool(_CONCEDES.match(lower))
    kept = [] if conceded else [part for part, quiet in zip(parts[:last], silent, strict=False) if not quiet]
    behind = parts[last + 1 :]
    told = [part for part in behind if not _GOES_ON.match(part.lower())]
    kept += told if conceded else [part for part in told if _STATES.search(part.lower())]
    return [Span(clause.start, ", ".join(kept))] if kept else []


def _silent(part: str, phrases: Phrases) -> bool:
    folded = _folded(part)
    return bool(phrases.unknown.search(folded) or phrases.elsewhere.search(folded)) or lacks(folded)


def lacks(folded: str) -> bool:
    """Whether a folded clause says, in words that the table does not have, that its writer does not know."""
    return bool(_LACKS.search(folded[:600])) and not _BOOST.search(folded[:600])


def hazy(text: Plain) -> bool:
    """Whether a text that states nothing hints at the reason: that its writer does not know."""
    some = _COURTESY.sub(" ", text.text[:4_000])
    return bool(_FIRST_PERSON.search(some) or _HAZY.search(_folded(some)))


def empty(text: Plain) -> bool:
    """Whether a text is only a mark for a missing answer, such as n/a or ?."""
    return bool(text.text) and bool(_EMPTY.fullmatch(text.text[:40])) and len(text.text) < 40


def weak_no(text: Plain) -> Plain:
    """Return a text in which "I am not aware of any such link" becomes a hedged no: "there is possibly no" link.

    The same words about studies, data and the like are kept; they say that the text does not know.
    """
    changed = _NOT_AWARE.sub("there is possibly no ", text.text)
    return Plain(changed) if changed != text.text else text


def _phrases(rows: Iterable[tuple[str, str]]) -> Phrases:
    by_kind: dict[str, list[str]] = {UNKNOWN: [], ELSEWHERE: []}
    for kind, phrase in rows:
        if kind not in by_kind or not _folded(phrase):
            raise InputError(
                f"a phrase of the kind {kind!r}", where=f"the table {FILE}", next="take the table as it is"
            )
        by_kind[kind].append(_folded(phrase))
    return Phrases(
        *(re.compile(rf"\b(?:{'|'.join(map(re.escape, by_kind[kind]))})\b") for kind in (UNKNOWN, ELSEWHERE))
    )


def _folded(text: str) -> str:
    text = text.lower()
    for pattern, instead in _SHORT:
        text = pattern.sub(instead, text)
    return " ".join(_FILLERS.sub(" ", text).split())
