"""Whether a response takes back what it lists: it says that there is none, or that a name is only tried for a use."""

from __future__ import annotations

import re

from harness.studies.biomed.facts import Fact
from harness.studies.biomed.judging.rule_reading import ReadResponse

_NOT_ANY = re.compile(  # "has no approved drugs", "is not known under any other name"
    r"\b(?:has|have|had|there (?:is|are|was|were)|there's|carries|bears|with|lists?|shows?|holds?|finds?|got|gets)"
    r" (?:absolutely |simply |currently )?no (?!(?:other|further|additional|more|longer|fewer|less|doubt)\b)"
    r"(?P<what>(?:[\w'-]+ ){0,3}?(?:drugs?|medicines?|genes?|targets?|snps?|variants?|names?|synonyms?|patents?|uses?"
    r"|indications?|approvals?(?: for any (?:disease|condition|indication|use))?|diseases?|tissues?|mechanisms?"
    r"|actions?))\b"
    r"(?! (?:but|except|other than|besides|apart|beyond|outside|yet|in trials))"
    r"|(?:^|[.;:,\n]\s{0,2}|\b(?:and|but|yet)\s)(?:no|not (?:one|a single)) (?!(?:other|further|additional|more"
    r"|longer|fewer|less"
    r"|doubt)\b)(?P<none>(?:[\w'-]+ ){0,2}?(?:drugs?|medicines?|genes?|targets?|snps?|variants?|names?|synonyms?"
    r"|patents?"
    r"|indications?|mechanisms?))\b (?:\w+ )?(?:is|are|was|were|has|have|targets?|acts?|exists?|hits?|binds?"
    r"|reach\w*|pass\w*)\b"
    r"|(?:^|\n)\W{0,4}no (?P<bare>(?:fda |us |u\.s\. )?approvals?|approved (?:uses?|indications?"
    r"|drugs?))\b(?! (?:but|except|for other))"
    r"|\b(?P<approved>approved(?: drugs| uses)?\W{1,3}(?:none|nil|0)\b|none (?:of (?:them|these|those) )?(?:is|are"
    r"|has been|have been|was) (?:\w+ )?(?:approved drugs?|approved))\b"
    r"|\b(?:is|are|was|were|has|have|does|do|did)(?:n't| not) (?P<known>(?:been )?(?:known|listed|sold|marketed"
    r"|approved"
    r"|recorded|used|targeted|registered|target|act on|have|carry|hold)\b[^.;,:\n]{0,25}?\bany (?:\w+ ){0,2}?(?:drugs?"
    r"|medicines?|genes?|targets?|snps?|variants?|names?|synonyms?|patents?|uses?|indications?|diseases?|conditions?"
    r"|tissues?|mechanisms?))\b(?! (?:but|except|other than|besides|apart|beyond|outside))"
)
_NOUNS_OF = {  # the last word of a slot, and what texts call the same thing
    "drug": ("drug", "medicine"),
    "gene": ("gene",),
    "target": ("target", "gene"),
    "snp": ("snp", "variant"),
    "name": ("name", "synonym"),
    "patent": ("patent",),
    "use": ("use", "indication", "disease", "condition", "approval"),
    "disease": ("use", "indication", "disease", "condition"),
    "tissue": ("tissue",),
    "mechanism": ("mechanism",),
    "action": ("action",),
}
_TRIED = re.compile(
    r"\bin (?:clinical )?(?:trials|development)\b|\binvestigational\b|\bexperimental\b|\bphase (?:[1-3]|i{1,3})\b"
    r"|\boff-label\b|\b(?:been|being|was|is) (?:\w+ )?(?:tried|tested|investigated|explored)\b"
)
_LICENSED = re.compile(r"(?<!not )(?<!un)\b(?:approved|licen[sc]ed|indicated|on-label)\b|\bapproval\b")


def only_tried(place: int, response: ReadResponse) -> bool:
    """Whether a sentence says of a name that it is used without approval, or only tried."""
    around = response.sentence(place)
    return bool(_TRIED.search(around)) and not _LICENSED.search(around)


def denies_any(one: Fact, response: ReadResponse) -> bool:
    """Whether a text says outright that there is none of what a fact lists, besides listing it."""
    nouns = _NOUNS_OF.get(one["slot"].lower().split()[-1].rstrip("s"), ())
    approved = "approved" in one["slot"]
    for found in _NOT_ANY.finditer(response.text.lower):
        what = next(filter(None, found.groups()))
        if not found["approved"] and not any(re.search(rf"\b{noun}", what) for noun in nouns):
            continue
        if response.denied(found.start()):
            continue
        if approved == bool(re.search(r"\bapprov|\blicen[sc]", what)):
            return True
    return False
