"""Whether a text or a clause of it is about what a question asks: its SNP, gene, drug, disease or chromosome."""

from __future__ import annotations

import re
from collections.abc import Collection

from harness.studies.biomed.reading.entities import named
from harness.studies.biomed.reading.known_names import other_names
from harness.studies.biomed.reading.plain import Plain
from harness.studies.biomed.reading.questions import APPROVAL, DRUGGABLE, LINK, RISK, SIGNIFICANCE, Question

_CHROMOSOME = re.compile(r"\b(?:chr|chromosome)\s?(\d{1,2}|x|y)\b")
_SNP = re.compile(r"\brs\d{2,12}\b")
_PURPOSE = re.compile(
    r"\b(?:approv\w+|indicated|licen[sc]ed|authori[sz]ed)\b(?:\s\w+){0,6}?\s(?:for|to treat|as an?(?= (?:treatment"
    r"|therapy))|in(?= (?:treating|patients|adults|the treatment)))\s(?P<what>[^.;:]{3,160})"
)
_SUBJECT = re.compile(
    r"^(?:(?:Yes|No)[,.]\s)?(?:[Tt]he drug\s)?([A-Z][\w-]{4,40})(?:\s[A-Z][\w-]{2,40})?\s"
    r"(?:is|was|has|acts|carries|targets|received|does)\b|\b(?:drug|that|approved?|carries|of)\s([A-Z][a-z]{4,40})\b"
)
NO_DRUGS = frozenset(
    [
        "this",
        "that",
        "there",
        "these",
        "those",
        "which",
        "while",
        "currently",
        "drug",
        "medication",
        "both",
        "neither",
        "alzheimer",
        "parkinson",
        "european",
        "american",
        "united",
        "food",
        "phase",
        "clinical",
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "lewy",
        "approval",
        "health",
        "research",
        "crohn",
        "hodgkin",
        "huntington",
        "medicine",
        "based",
        "according",
        "although",
        "since",
        "genes",
        "targets",
        *[
            "nothing",
            "none",
            "everything",
            "only",
            "just",
            "neither",
            "also",
            "another",
            "other",
            "others",
            "such",
            "some",
            "many",
            "most",
            "all",
            "each",
            "every",
            "one",
            "two",
        ],
        *[
            "three",
            "trials",
            "trial",
            "study",
            "studies",
            "development",
            "marketing",
            "label",
            "warning",
            "boxed",
            "black",
            "none",
            "what",
            "where",
            "when",
            "who",
            "why",
        ],
        *[
            "first",
            "last",
            "early",
            "late",
            "further",
            "more",
            "several",
            "various",
            "no",
            "yes",
            "not",
            "here",
            "now",
            "then",
            "thus",
            "hence",
            "therefore",
            "however",
        ],
        *[
            "approvals",
            "status",
            "indication",
            "indications",
            "disease",
            "diseases",
            "patients",
            "clinical",
            "safety",
            "efficacy",
            "data",
            "evidence",
        ],
        *[
            "europe",
            "japan",
            "canada",
            "agency",
            "regulator",
            "regulators",
            "market",
            "markets",
            "licence",
            "license",
            "authorisation",
        ],
        *[
            "nobody",
            "something",
            "anything",
            "regulatory",
            "access",
            "answer",
            "action",
            "actions",
            "mechanism",
            "type",
            "drugs",
            "databases",
        ],
    ]
)
_THIS = re.compile(
    r"^(?:the\s)?(?:(?:treatment|treating|use|management)\s(?:of|in|for)\s)?(?:the\s)?(?:this|that|it|these|its|a "
    r"treatment|any|"
    r"use(?:\s|$)|medical use|(?:19|20)\d\d|the u|human use|marketing|treatment$|clinical)"
)
_AGENCY = re.compile(
    r"\b(?:health canada|canad(?:a|ian)|ema\b|european (?:medicines agency|union|commission)|europe\b|the eu\b"
    r"|uk\b|mhra\b"
    r"|brit(?:ain|ish)|japan\w*|pmda\b|china\b|nmpa\b|australia\w*|tga\b|swiss\w*|switzerland|india\b|germany|france"
    r"|brazil\w*|russia\w*|korea\w*)"
)
_OWN_AGENCY = re.compile(r"\bfda\b|\bu\.?s\.?a?\b|\bunited states\b|\bamerican?\b")


def abroad(lower: str) -> bool:
    """Whether a stretch of text, in lower case, names an agency or a country other than the FDA and its own."""
    return bool(_AGENCY.search(lower)) and not _OWN_AGENCY.search(lower)


def foreign(text: Plain, asked: Question, answer: Collection[str] = ()) -> bool:
    """Whether a text is about something else than the question: another SNP, chromosome, gene, drug or disease.

    `answer` are words, in lower case, of names in the right answer, which are none of another drug.
    """
    own, said = set(_SNP.findall(asked.lower)), set(_SNP.findall(text.lower))
    if (own and said and not own & said) or _other_place(text, asked) or _other_gene(text, asked):
        return True
    if (
        asked.drug
        and asked.wants not in ("name", "drug")
        and asked.drug.lower().split()[0] not in text.lower
        and (subject := _SUBJECT.search(text.text))
    ):
        name = (subject[1] or subject[2]).lower()
        known = name in answer or name in asked.lower or name in NO_DRUGS or bool(other_names(name))
        behind = re.split(r"[.;]\s|\n", text.lower[subject.end() : subject.end() + 80])[0]
        if not known and not re.search(r"\bits?\b", behind):
            return True
    if (
        asked.topic != APPROVAL
        or not asked.yes_no
        or not asked.disease
        or any(says(text.lower, name) for name in asked.disease)
    ):
        return False
    purposes = [_purpose(found) for found in _PURPOSE.finditer(text.lower)]
    if re.search(r"\b(?:for|in) (?:this|that) one\b", text.lower):
        return False
    return any(purposes) and not any(_THIS.match(purpose) for purpose in purposes if purpose)


def subjects(asked: Question) -> tuple[str, ...]:
    """Return the names, in lower case, of the SNPs, genes and the drug that a question is about."""
    genes = [name.lower() for name, _ in named("gene", Plain(asked.text)) if len(name) > 2 and name.lower() != "fda"]
    drug = asked.drug.lower().split()[:1]
    return tuple(dict.fromkeys([*_SNP.findall(asked.lower), *genes, *drug]))


def of_this_use(lower: str, sentence: str, asked: Question, whole: str) -> bool:
    """Whether a clause about approval is about the disease that the question names, or names no other disease."""
    if any(says(lower, name) for name in asked.disease):
        return True
    drug = asked.drug.lower().split()[0] if asked.drug else ""
    if (
        drug
        and drug in whole
        and drug not in sentence
        and not re.search(
            r"\b(?:its?|this|the) (?:drug|medication|agent|compound)|\bit\b|^\W*(?:fda-)?"
            r"(?:not|approved|yes|no|however|therefore)|^\W{0,4}(?:[a-z/()&'.-]+ ?){1,5}:",
            sentence,
        )
    ):
        return False
    if not asked.disease:
        return True
    purpose = _PURPOSE.search(lower)
    if purpose is None and re.search(r"\b(?:for|to treat|in)(?: the (?:treatment of|following).{0,40})?\W*$", lower):
        return False  # a list of other diseases follows
    if purpose is None:
        return any(says(sentence, name) for name in asked.disease) or bool(
            re.search(
                r"\b(?:this|that) (?:one|purpose|indication|use|condition|disease|disorder|cancer|syndrome"
                r"|neuropathy|dystrophy"
                r"|an?emia)\b|\bit\b",
                lower,
            )
            or not re.search(r"\b(?:for|treat\w*)\s\w+", lower)
        )
    return bool(_THIS.match(_purpose(purpose)))


def of_this_thing(lower: str, sentence: str, asked: Question) -> bool:
    """Whether a clause about an association is about the SNP or gene, and the disease, that the question names."""
    snps = set(_SNP.findall(asked.lower))
    said = set(_SNP.findall(lower))
    if snps and said and not said & snps:
        return False
    diseases = set(
        re.findall(
            r"\b(?:alzheimer|parkinson|schizophreni|amyotrophic|diabetes|cancer|lupus)\w*|\b(?:ad|pd|als)\b", lower
        )
    )
    own = any(says(lower, name) for name in asked.disease)
    if diseases and asked.disease and not own:
        return False
    several = (
        r"\b(?:several|many|other|numerous|well-known|some|certain) (?:\w+ ){0,3}(?:genes|variants|snps|loci|genetic)"
    )
    return not (snps and not said and re.search(several, lower))


def _other_place(text: Plain, asked: Question) -> bool:
    own, said = set(_CHROMOSOME.findall(asked.lower)), set(_CHROMOSOME.findall(text.lower))
    return bool(own and said and not own & said)


def _other_gene(text: Plain, asked: Question) -> bool:
    """Whether the first gene that a text names is not the question's gene, and the text never names that one."""
    fits = asked.topic in (LINK, RISK, DRUGGABLE, SIGNIFICANCE) or asked.wants == "drug"
    if not fits or _SNP.search(asked.lower) or (asked.wants == "gene" and not asked.yes_no):
        return False
    own = [name for name, _ in named("gene", Plain(asked.text))]
    said = named("gene", text)
    if not own or not said or any(way.lower() in text.lower for name in own for way in (name, *other_names(name))):
        return False
    before = text.lower[: said[0][1]]
    if asked.wants == "drug" and not re.search(r"\b(?:gene|targets?|targeting)\s$", before):
        return False
    return len(before) < 160 and not re.search(r"such as|includ|like|known|example|\be\.g", before)


def _purpose(found: re.Match[str]) -> str:
    return re.sub(
        r"^(?:an? )?(?:treatment|therapy|drug|use) (?:for|of|in) (?!(?:this|that|it)\b)", "", found["what"].strip()
    )


def says(text: str, name: str) -> bool:
    """Whether a text in lower case says the name of a disease, or its distinctive words."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)) or (len(name) > 8 and _same_words(text, name))


def _same_words(text: str, name: str) -> bool:
    """Whether a text has the distinctive words of a disease's name; cancer, carcinoma and tumour are one word here."""
    words = [
        word for word in re.findall(r"[a-z0-9']{3,}", name) if word not in {"disease", "disorder", "syndrome", "the"}
    ]
    tumours = {"cancer", "carcinoma", "neoplasm", "tumor", "tumour", "cancers", "neoplasms", "tumors"}
    return bool(words) and all(
        word[: max(4, len(word) - 2)] in text or (word in tumours and any(one in text for one in tumours))
        for word in words
    )
