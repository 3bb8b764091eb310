"""What a response says about the question's subject, apart from background and asides about other subjects.

An aside names another gene, SNP, chromosome, disease, population or agency than the question does. Background is what
a long response says before it comes to the subject, and what it says in general.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from harness.studies.biomed.reading.entities import named
from harness.studies.biomed.reading.known_names import other_names
from harness.studies.biomed.reading.not_genes import NO_GENES
from harness.studies.biomed.reading.plain import Plain, Span
from harness.studies.biomed.reading.questions import Question
from harness.studies.biomed.reading.revisions import announced
from harness.studies.biomed.reading.subjects import NO_DRUGS, abroad, subjects
from harness.studies.biomed.reading.subjects import says as says_disease
from harness.studies.biomed.reading.verdicts import lead

_LONG = 280  # letters of a response that may hold background
_FEW = 3  # sentences of a response that has none
_SNP = re.compile(r"\brs\d{2,12}\b")
_CHROMOSOME = re.compile(r"\b(?:chr|chromosome)s?\.?\s?(\d{1,2}|x|y)\b")
_DISEASES = (
    ("alzheimer", re.compile(r"\balzheimer\w*|\bAD\b")),
    ("parkinson", re.compile(r"\bparkinson\w*|\bPD\b")),
    ("als", re.compile(r"\bamyotrophic\b|\bALS\b")),
    ("lbd", re.compile(r"\blewy\b|\bLBD\b|\bDLB\b")),
    ("ftd", re.compile(r"\bfrontotemporal\b|\bFTD\b|\bFTLD\b")),
    ("psp", re.compile(r"\bsupranuclear\b|\bPSP\b")),
)
_POPULATION = re.compile(
    r"\b(?:(?:east|south|central|north|west)(?:ern)?[\s-])?(?:asians?|asia|africa|africans?|latin[oa]s?"
    r"|hispanics?|chinese|japanese"
    r"|koreans?|indians?|finns|finnish|ashkenazi\w*|african[\s-]americans?|mexicans?|yoruba\w*|middle eastern\w*)\b"
    r"|\b(?:EAS|AFR|SAS|AMR|JPT|CHB|YRI)\b|\bgnomad\b|\btopmed\b|\b1000 genomes\b|\bglobal(?:ly)?\b|\bworldwide\b"
)
_OWN_POPULATION = re.compile(r"\beuropean?s?\b|\bEUR\b|\bNFE\b|\bnalls\b|\bbellenguez\b|\bcaucasians?\b")
_USE = re.compile(
    r"\b(?:[Ff]or|[Ii]n|[Aa]gainst) (?:[A-Z][\w'-]+ ){1,3}(?:syndrome|disease|dystrophy|neuropathy|anaemia|anemia"
    r"|disorder|cancer)\b"
)
_SHARE = re.compile(r"\d\s?%|\.\d|\bhigher\b|\blower\b|\bdiffer|\brarer\b|\bcommoner\b|\bmore common\b")
_SAYS = re.compile(
    r"\d|(?<![^\W_])(?!(?:yes|no|indeed|correct|true|false)\b)\w{4,}", re.IGNORECASE
)  # more than yes or no
_CUE = re.compile(
    r"^\W*(?:by the way|btw|incidentally|for (?:comparison|context|reference|the others?|the record)|as an aside"
    r"|aside\b"
    r"|in (?:contrast|comparison|passing|other)|by (?:contrast|comparison)|also of note|note\b|fyi|unlike\b"
    r"|whereas\b|while\b"
    r"|(?:some |the |its )?(?:others?|another|neighbou?r\w*|related|similar)\b)|\balso\b|\btoo\b|\bas well\b|\bother\b"
    r"|\banother\b|\bneighbou?rs?\b|\bdifferent\b|\bnot what you asked\b|(?:,\s|\s)though\W*$|\bunrelated\b"
    r"|\belsewhere\b"
)
_OTHERS = re.compile(
    r"(?<!\bno )(?<!\bany )(?<!\bnot )\b(?:others?|another|similar|related|different"
    r"|neighbou?ring) (?:\w+ ){0,2}?(?:brands?|drugs?|genes?|snps?|variants?"
    r"|compounds?|populations?|diseases?|chromosomes?|tissues?|datasets?|medicines?|products?|agents?)\b[^.;]{0,60}?"
    r"\b(?:are|is|include|includes|such as|like|with|have|has|e\.g)\b|\b(?:runner-up|second[- ](?:best|place"
    r"|rank\w*)|close second"
    r"|next (?:best|in line|comes?|nearest|closest|one)|(?:second|third|next)[- ](?:nearest|closest)|(?:of"
    r"|in) the same (?:class|family)|sister (?:compound|drug|gene)"
    r"|further (?:genes|drugs|snps|targets|variants)|further away"
    r"|(?:its|the) (?:\w+ )?(?:salt|parent|metabolite|prodrug|free base|enantiomer|racemate))\b"
    r"|\bnot what you asked\b|\bbut that(?:'s| is) (?:another"
    r"|a different|for)\b"
)
_OF_ANOTHER = re.compile(
    r"\b(?:belongs?|goes|go|is|are|was|were|comes?) (?:\w+ )?(?:to|of|for|with|from) (?:an?other|a different"
    r"|some other)"
    r" (?:drug|gene|snp|variant|compound|product|disease|tissue|medicine|build)\b"
)
_TYPE = re.compile(r"\btype (\d{1,2}[a-z]?|i{1,3}v?)\b")
_FAILS = re.compile(  # of another SNP, that it is none of those asked for
    r"\b(?:comes? close|(?:just|narrowly|barely) (?:miss|fail)\w*|falls? (?:just )?short|borderline|only suggestive"
    r"|suggestive only|(?:does|do)(?:n't| not) make (?:it|the cut)|near-miss)\b"
)
_FOR_COMPARISON = re.compile(  # says of itself that it is not part of the answer
    r"\b(?:listed|shown|given|included|added|mentioned|provided|cited|noted|quoted|here|only|just|purely|merely|solely)"
    r" (?:(?:here|only|just|purely|merely|solely|also) ){0,2}(?:for|as an?|by way of) (?:\w+ )?(?:comparison|contrast"
    r"|context|reference|background|illustration|orientation|completeness|control|comparator)\b"
    r"|\b(?:not|no) (?:a )?(?:part of|relevant to|related to|belonging to) (?:the |this |your )?(?:answer|question)\b"
    r"|\b(?:comparator|reference|control) only\b|\b(?:irrelevant|unrelated) (?:here|to (?:the|this|your) question)\b"
)
_ROW = re.compile(r"- (?P<first>[^()\n]{1,80}) \((?P<head>[^()\n]{1,40})\):")  # as tables are written out
_BELIEF = re.compile(  # reports what others take for true
    r"\b(?:many|most|some|several|lots of|a lot of|plenty of|other|certain) (?:\w+ ){0,2}?(?:assume|believe|think|say"
    r"|claim|suppose|expect|imagine|suspect|report|state|suggest|assert|hold|list|cite|quote)\b"
    r"|\b(?:often|widely|commonly|popularly|frequently|sometimes|mistakenly|wrongly|erroneously|falsely|generally"
    r"|usually|occasionally) (?:assumed|believed|thought|said|claimed|supposed|reported|stated|suggested|asserted"
    r"|rumou?red|held|listed|cited|quoted|mistaken)\b"
    r"|\b(?:one|you|people|readers|everyone|everybody) (?:might|may|could|would|often|usually|will|sometimes)? ?"
    r"(?:think|assume|expect|believe|suppose|guess|imagine|say)\b"
    r"|\b(?:rumou?rs?|myths?|misconceptions?|legend|folklore|hearsay|popular belief|conventional wisdom)\b"
    r"|\bit (?:may|might|would|could) (?:seem|appear|look)\b"
)
_REBUTS = re.compile(
    r"^\W*(?:but|however|yet|actually|in (?:fact|reality|truth|actuality)|not so|no\b|wrong|false|untrue"
    r"|on the contrary|the (?:truth|fact|reality)|(?:it|that|this|they|those|these|there|which)"
    r"(?: (?:really|simply|just|actually))? (?:(?:is|are|was|were|has|have|does|do|did)(?:n't| not| never)\b"
    r"|is (?:wrong|false|incorrect|untrue|mistaken"
    r"|a myth|a mistake|a misconception)|are (?:wrong|false|incorrect|mistaken))"
    r"|(?:they|those people) are (?:wrong|mistaken))"
)
_GENERAL = re.compile(
    r"^\W*(?:in general|generally|typically|usually|as a rule|by definition|it goes without saying|one (?:can"
    r"|could|should"
    r"|would|may|might|must|has)|you (?:can|could|may|might|should)|if you|if in doubt|mind you|(?:do )?(?:bear"
    r"|keep) in mind"
    r"|be careful|of course|phase \w+ (?:studies|trials|assess|test|gives?|compare|refers?)|larger|more|future"
    r"|further)\b"
    r"|\b(?:an?|any|some|most|many|such|other|these|all) (?:\w+ ){0,2}?(?:drugs?|genes?|variants?|snps?"
    r"|compounds?|loci|locus"
    r"|databases?|trials?|studies|alleles?|targets?|tissues?|agonists?|inhibitors?|antagonists?|pams?|identifiers?)\b"
    r"[^.;]{0,80}\b(?:can|could|may|might|often|usually|typically|generally|would|tend|are)\b"
    r"|^\W*an? (?:\w[\w-]* ){1,3}(?:can|could|may|might|is a|is an|usually|often|refers)\b"
)


_OF_DRUG = re.compile(r"\b(?:drug|sold as|is|does|was) [A-Z][\w-]{3,}")  # asks about a drug that it names
_HEADED = re.compile(  # "Supaluzoine, by contrast, targets", "(Relagipestat is an enzyme"
    r"^\W*(?i:(?:and|while|whereas|but|though|although|for (?:comparison|contrast|reference|context|what it is worth)"
    r"|by (?:contrast|comparison)|in (?:contrast|comparison)|on the other hand|similarly|likewise|also|incidentally"
    r"|by the way|(?:its|the|a|another|some) (?:(?:related|similar|other|sister|newer|older) )?"
    r"(?:drug|compound|agent|molecule|relative|analogue|sibling)),?\s)*(?i:the drug )?"
    r"(?P<name>[A-Z][a-z][\w-]{2,40})(?: [A-Z][\w-]{2,40})?(?:,? \([^()]{1,60}\))?"
    r"(?:,? (?:by contrast|in contrast|by comparison|in turn|however|instead|for (?:its part|comparison|one))"
    r"|, [^,;]{1,60}(?=,))?,?"
    r"\s(?:(?:also|too|only|itself|instead|merely|mainly|likewise|has) )*"
    r"(?:is|are|was|were|has|have|had|does|do|did|targets?|hits?|acts?|inhibits?|blocks?|binds?|carries|carry|reach\w*"
    r"|lowers?|belongs?|went|goes|got|gets|received|won|works?|comes?|stands?|sits?|act)\b"
)


@dataclass(frozen=True, slots=True)
class Focused:
    """What a response says without its asides, what of this is about the subject, and whether there were asides."""

    text: Plain
    core: Plain | None  # None where the response has no background
    aside: bool


def focused(text: Plain, asked: Question, known: Collection[str] = ()) -> Focused:
    """Return a response without asides, and its part about the question's subject; `known` are names of the answer."""
    kept, aside, rebutted = _without_asides(text, asked, known)
    own = Plain("\n".join(span.text for span in kept)) if aside or rebutted else text
    return Focused(own, _core(own, asked), aside)


def _core(text: Plain, asked: Question) -> Plain | None:
    spans = text.sentences
    if len(spans) <= _FEW or len(text.text) < _LONG:
        return None
    names = subjects(asked) or tuple(word.lower() for word in _names(asked))
    says = [any(name in span.text.lower() for name in names) or (asked.yes_no and bool(lead(span))) for span in spans]
    if not any(says):
        return None
    first = says.index(True)
    kept = [
        span.text
        for span, own in zip(spans[first:], says[first:], strict=True)
        if own or not _GENERAL.search(span.text[:400].lower())
    ]
    return Plain("\n".join(kept)) if len(kept) < len(spans) else None


def _names(asked: Question) -> list[str]:
    """Return the words of a question that are names: with a capital letter, and not the first of a sentence."""
    found = re.findall(r"(?<![.?!]\s)(?<!^)\b[A-Z][\w-]{3,40}\b", asked.text)
    return [word for word in found if word.upper() not in NO_GENES]


def _without_asides(text: Plain, asked: Question, known: Collection[str]) -> tuple[list[Span], bool, bool]:
    """Return the sentences of a text, without sentences, or parts between brackets or semicolons, about others.

    Say also whether there were any, and whether a sentence went that reports a belief which the next one rebuts.
    """
    kept: list[Span] = []
    aside = rebutted = begun = False  # begun: more than a yes or no has been said
    owns = _Own(asked, known)
    named_it = any(name in text.lower for name in subjects(asked))
    spans = text.sentences[:400]
    rows = _Rows(spans, asked)
    for number, span in enumerate(spans):
        rebuts = number + 1 < len(spans) and _REBUTS.match(spans[number + 1].text[:400].lower())
        if rebuts and _BELIEF.search(span.text[:400].lower()):
            begun, rebutted = True, True
            continue
        if rows.is_other(span.text) or (span.text.startswith("- ") and owns.for_comparison(span.text.lower())):
            aside = True
            continue
        rest = parts = _parts(span.text, first=not (begun or owns.frequency))
        if owns.is_other(span.text) or (len(parts) > 1 and any(map(owns.goes_elsewhere, parts))):
            other = [owns.is_other(part) for part in parts]
            if not (
                begun or named_it or (kept and _cued(span.text.lower()))
            ):  # it may be about another thing from here
                marked = [
                    owns.goes_elsewhere(part) or _cued(part.lower()) or (owns.frequency and _of_others(part.lower()))
                    for part in parts
                ]
                other = [False, *(away and cue for away, cue in zip(other[1:], marked[1:], strict=True))]
            rest = _kept(parts, other)
        if len(rest) == len(parts):
            kept.append(span)
        elif rest:
            kept.append(Span(span.start, " ".join(rest)))
        aside = aside or len(rest) < len(parts)
        begun = begun or bool(_SAYS.search(span.text))
    return kept, aside, rebutted


def _cued(lower: str) -> bool:
    return bool(_CUE.search(lower) or _OTHERS.search(lower) or _FOR_COMPARISON.search(lower))


def _parts(sentence: str, *, first: bool) -> list[str]:
    """Return the parts of a sentence that can be about different subjects; brackets in a first sentence are not."""
    if first:
        return [part for part in re.split(r"(?<=;)\s|,\s(?=while|whereas|but)|\s-\s", sentence) if part.strip()]
    return [
        part
        for part in re.split(
            r"(?<=;)\s|(?=\()|(?<=\))|,\s(?=while|whereas|but|and an? |and (?:its|another|some|other) )|\s-\s", sentence
        )
        if part.strip()
    ]


def _kept(parts: list[str], other: list[bool]) -> list[str]:
    """Return the parts about the subject; what stands in brackets behind an aside belongs to the aside."""
    kept, dropped = [], False
    for part, away in zip(parts, other, strict=True):
        if away and (mark := announced(part)):
            kept.append(mark)  # "Erratum: I looked at chromosome 12; it is ..." still corrects what stands before
        dropped = away or (dropped and (part.startswith("(") or not re.search(r"\w", part)))
        if not dropped:
            kept.append(part)
    return kept


class _Rows:
    """The rows of a table whose first column tells subjects apart, one of which is the question's."""

    def __init__(self, spans: Sequence[Span], asked: Question) -> None:
        self._names = (*subjects(asked), *asked.disease)
        rows = [found for span in spans if (found := _ROW.match(span.text[:200].lower()))]
        self._heads = {found["head"] for found in rows if self._own(found["first"])}

    def _own(self, first: str) -> bool:
        return any(name in first for name in self._names)

    def is_other(self, text: str) -> bool:
        """Whether a stretch of text is a row about another subject."""
        found = _ROW.match(text[:200].lower()) if self._heads else None
        return bool(found and found["head"] in self._heads and not self._own(found["first"]))


class _Own:
    """What a question is about: its genes, SNPs, chromosome, diseases, tissue, population and agency."""

    def __init__(self, asked: Question, known: Collection[str]) -> None:
        text = Plain(asked.text)
        self._known = {word for name in known for word in re.findall(r"[^\W_]{3,}", name.lower())}
        self._of_drug = bool(_OF_DRUG.search(asked.text)) and asked.wants not in ("drug", "name", "disease")
        self.asked = asked
        self.snps = set(_SNP.findall(asked.lower))
        self.genes = {name.lower() for name, _ in named("gene", text)} - {"fda"}
        self.chromosomes = set(_CHROMOSOME.findall(asked.lower))
        self.diseases = _diseases(asked.text)
        self.types = set(_TYPE.findall(asked.lower)) if asked.disease else set()
        self.tissues = {name for name, _ in named("tissue", text)} if "tissues" not in asked.lower else set()
        self.frequency = "frequency" in asked.slots
        self.approval = "fda" in asked.lower

    def is_other(self, text: str) -> bool:
        """Whether a stretch of text names another subject of the question's kind, and not the question's own one."""
        lower = text.lower()
        if self.for_comparison(lower):
            return True
        if self.is_of_other_drug(text) or _OF_ANOTHER.search(lower):
            return True
        mentioned = _OTHERS.search(lower)
        if mentioned and not self._names(lower) and mentioned[0] not in self.asked.lower:
            return True
        tissues = {name for name, _ in named("tissue", Plain(text))} if self.tissues else set()
        placed, ill, snps = set(_CHROMOSOME.findall(lower)), _diseases(text), set(_SNP.findall(lower))
        use = _USE.search(text)
        return (
            self._other_gene(text, lower)
            or (bool(snps) and not snps & self.snps and bool(_FAILS.search(lower)))
            or _apart(self.snps, snps)
            or _apart(self.chromosomes, placed)
            or _apart(self.diseases, ill)
            or _apart(self.tissues, tissues)
            or _apart(self.types, set(_TYPE.findall(lower)))
            or bool(
                use
                and self.asked.disease
                and use[0].partition(" ")[2].lower() not in self.asked.lower
                and not any(says_disease(lower if self.approval else use[0].lower(), one) for one in self.asked.disease)
            )
            or (self.frequency and _of_others(lower))
            or (self.approval and abroad(lower))
        )

    def for_comparison(self, lower: str) -> bool:
        """Whether a stretch of text says that it only stands for comparison, and does not name the subject."""
        return bool(_FOR_COMPARISON.search(lower)) and not self._names(lower)

    def goes_elsewhere(self, text: str) -> bool:
        """Whether a part of a sentence about the subject turns to another drug or tissue."""
        if (
            self.is_of_other_drug(text)
            or _OF_ANOTHER.search(text.lower())
            or (self.frequency and _of_others(text.lower()))
        ):
            return True
        return bool(self.tissues) and _apart(self.tissues, {name for name, _ in named("tissue", Plain(text))})

    def is_of_other_drug(self, text: str) -> bool:
        """Whether a stretch of text begins with the name of another drug, of which it says something."""
        found = _HEADED.match(text[:400]) if self._of_drug else None
        if not found:
            return False
        lower = text.lower()
        name = found["name"].lower()
        own = name in self.asked.lower or name in self._known or name in NO_DRUGS or bool(other_names(name))
        return not own and not self._names(lower) and not re.search(r"ly$|ing$", name)

    def _other_gene(self, text: str, lower: str) -> bool:
        if (
            not self.genes
            or (self.asked.wants == "gene" and not self.asked.yes_no)
            or any(gene in lower for gene in self.genes)
        ):
            return False
        genes = [name for name, _ in named("gene", Plain(text)) if len(name) > 2]
        return bool(genes) and (not _SNP.search(lower) or bool(_CUE.search(lower)))

    def _names(self, lower: str) -> bool:
        return any(name in lower for name in (*self.snps, *self.genes)) or bool(
            self.asked.drug and self.asked.drug.lower().split()[0] in lower
        )


def _apart(own: set[str], said: set[str]) -> bool:
    return bool(own and said and not own & said)


def _of_others(lower: str) -> bool:
    """Whether a stretch of text gives a frequency of a population outside Europe."""
    return bool(_SHARE.search(lower) and _POPULATION.search(lower) and not _OWN_POPULATION.search(lower))


def _diseases(text: str) -> set[str]:
    lower = text.lower()
    return {name for name, pattern in _DISEASES if pattern.search(text) or pattern.search(lower)}
