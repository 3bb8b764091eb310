"""What a question asks: yes or no, which slots, which class of names; and what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.studies.biomed.reading.known_names import other_names
from harness.studies.biomed.reading.plain import plain

_YES_NO = re.compile(
    r"^(?:is|are|was|were|does|do|did|has|have|had)\b|\b(?:and|,)\s(?:is|does|are|has) (?:it|they)\b[^?]*\?",
    re.IGNORECASE,
)
_SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slot, re.compile(pattern))
    for slot, pattern in (
        ("frequency", r"frequenc|how frequent|\bmaf\b"),
        ("position", r"genomic location|\bposition|where .*(?:located|lies?\b|situated|genome)|\bbp\b|coordinates?"),
        ("chromosome", r"genomic location|which chromosome|what chromosome|where .*(?:located|lies?\b|situated)"),
        ("phase", r"\bphase|status in clinical|clinical trials? (?:status|stage)"),
        ("year", r"\bwhen (?:was|were|did|is|has)|\byear\b|since when|\bwhen\?"),
        ("count", r"\bhow many\b|number of|\btheir number\b"),
        ("p", r"(?<!least )(?<!lowest )(?<!smallest )(?<!by )p[- ]value(?!s? (?:below|less|under))"),
        ("b", r"effect size|\bbeta\b"),
    )
)
# The class of names that a question asks for; the first one that fits.
_CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("patent", r"patent"),
        ("chembl", r"chembl"),
        ("id", r"experimental factor|\befo\b|\bmesh\b"),
        ("disease", r"^(?:for )?(?:which|what) (?:diseases?|conditions?|indications?) (?:is|has|was|are)\b"),
        ("name", r"synonym|other names|trade names?|brand names?|known as|called|generic name|molecular forms"),
        ("action", r"mechanism type|action types?|types? of action|mechanism of action|mechanisms? of action"),
        ("snp", r"\b(?:what|which)\s(?:\w+\s){0,2}snps?\b|\btop[- ](?:associated )?snp|\bvariants within|lead snp"),
        (
            "drug",
            r"\b(?:what|which|any)\s(?:(?!does\b|do\b)[\w-]+\s){0,4}?(?:drugs?|therap(?:y|ies)|medications?"
            r"|medicines?|antibodies)\b"
            r"(?!s? (?:does|do|is)\b)|salt drug|targeted by (?:multiple|any|several)",
        ),
        (
            "gene",
            r"\bgenes?\b[^?]{0,60}\b(?:target|nearest|located|near|closest)|genetic targets?|\btargets?\b"
            r"|nearest gene|"
            r"what genes?|which genes?",
        ),
        ("disease", r"\buses\b|indicat|what (?:is|are) .*used (?:for|to)|(?:which|what) (?:conditions?|diseases?)"),
        ("tissue", r"tissues?"),
        ("molecule", r"type of (?:molecule|drug)|molecule type"),
    )
)
_APPROVED = re.compile(
    r"^(?:is|was|has|are)\s+(?:the\s+)?(?:drug\s+)?(?P<drug>[^?]{2,120}?)\s+(?:been\s+|currently\s+)?(?:fda[- "
    r"])?approved\b"
    r"(?:[^?]*?\b(?:to treat|for(?: the)?(?: treatment of)?|as a treatment for|in "
    r"treating)\s+(?P<disease>[^?]{2,300}?))?\??$",
    re.IGNORECASE,
)
_DISEASE = re.compile(r"\b(?:alzheimer'?s?(?: disease)?|parkinson'?s?(?: disease)?|ad|pd|als|lbd|ftd|ftld|psp)\b")
APPROVAL, WARNING, DRUGGABLE, RISK, LINK, OTHER = "approval", "warning", "druggable", "risk", "link", "other"
DATA, SIGNIFICANCE = "data", "significance"


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks, and what it is about."""

    text: str
    lower: str
    yes_no: bool
    slots: frozenset[str]
    wants: str  # the class of names; empty if no names are asked for
    topic: str  # the topic of a yes/no question
    disease: tuple[str, ...]  # names of the disease that it is about, in lower case
    build: str  # 38 if the question names this build of the genome alone; else empty
    builds: int  # how many builds it names
    drug: str  # the drug that it asks about, if it is recognized; else empty

    def says(self, name: str) -> bool:
        """Whether the question itself says a name, which then cannot be an answer."""
        return bool(re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", self.lower))


def question(text: str) -> Question:
    """Read a question; a question unlike those of the templates has no slots and no class of names."""
    whole = plain(text).text[:2000].strip()
    lower = whole.lower()
    builds = set(re.findall(r"(?:grch|hg)(38|37|19)", lower))
    wants = next((name for name, pattern in _CLASSES if pattern.search(lower)), "")
    yes_no = bool(_YES_NO.search(whole))
    return Question(
        whole,
        lower,
        yes_no,
        frozenset(slot for slot, pattern in _SLOTS if pattern.search(lower)),
        wants,
        _topic(lower),
        _diseases(whole, lower),
        "38" if "38" in builds and len(builds) == 1 else "",
        len({build.replace("19", "37") for build in builds}),
        _drug(whole),
    )


def _topic(lower: str) -> str:
    for topic, pattern in (
        (WARNING, r"black[- ]?box|boxed warning"),
        (DRUGGABLE, r"druggable|druggability"),
        (APPROVAL, r"approv|licen[sc]ed"),
        (DATA, r"\bdata available"),
        (SIGNIFICANCE, r"functionally significant"),
        (RISK, r"risk|susceptib|increase"),
        (LINK, r"significan|associat|relationship|linked|signals?\b|relevan|effect on|relation"),
    ):
        if re.search(pattern, lower):
            return topic
    return OTHER


def _drug(whole: str) -> str:
    found = _APPROVED.match(whole)
    if found and not re.match(r"(?:there|any|fda)\b", found["drug"].lower()):
        return re.split(r",?\s(?:been|currently|fda|approved)\b", found["drug"], flags=re.IGNORECASE)[0]
    called = re.search(r"\bdrug ([A-Z][\w-]{2,60})", whole)
    return called[1] if called else ""


def _diseases(whole: str, lower: str) -> tuple[str, ...]:
    found = _APPROVED.match(whole)
    named = found["disease"] if found and found["disease"] else ""
    if not named and (known := _DISEASE.search(lower)):
        named = known[0]
    named = re.split(r",?\s(?:and|or)\sif\b", named.lower())[0].strip(" .,")
    if not named or re.match(r"(?:any|use|a )\b", named):
        return ()
    named = re.sub(r"\s*\(.*?\)", "", named)
    return (named, *(other.lower() for other in other_names(named)))
