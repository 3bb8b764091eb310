"""The words by which a clause answers a question of yes or no, denies, hedges, closes or takes back (OURS).

Patterns alone. It must never know a question or an answer.
"""

from __future__ import annotations

import re

from harness.studies.biomed.reading.questions import APPROVAL, DATA, DRUGGABLE, LINK, RISK, SIGNIFICANCE, WARNING

NEGATION = (
    r"\bnot?\b|n't\b|\bnever\b|\bneither\b|\bnor\b|\bwithout\b|\black(?:s|ing)?\b|\bfail(?:s|ed)?\b|\babsence\b|"
    r"\byet to be\b|\bnon-?(?:significant|approved)|\binsignificant|\bunapproved|\bunlikely\b|\bnone\b|\bcannot\b|"
    r"(?<!non-)\bzero\b|\bnothing\b|"
    r"\bfar (?:away )?(?:above|from|exceeds)|\bnowhere (?:near|close)|\bmiss(?:es|ed)\b|\bshort of\b|\bwell above\b|"
    r"\b(?:does|do|did) nothing to\b|\bdenied\b|\brefused\b|\bdoes(?: not|n't) (?:reach|meet|pass)|\binsufficient\b"
)
DENIAL = re.compile(NEGATION)
KEPT = re.compile(
    r"\bnot only\b|\bno doubt\b|\bno longer in trials\b|\bnot just\b|\bno later\b|\bnot uncommon|\bnot limited to"
    r"|\bno (?:other|further|additional)\b"
)
CONCEDED = re.compile(r"^\W*(?:while|although|though|even though|whereas|despite|notwithstanding)\b[^,\n]{1,160},\s")
NEITHER = re.compile(r"\b(neither|not?|never)\b([^,;.\n]{1,120}?)\bnor\b")
PARTED = re.compile(r",\s|\s-\s|[()]|\s(?:and|so|nor)\s")  # what is denied in one part is not denied twice
LEAD = re.compile(
    r"^\W*(?:(?:in )?(?:short|summary|brief|conclusion)(?: answer)?\W+|(?:the )?(?:final |short |direct )?answer"
    r"(?: to (?:this|your) question)?(?: is)?\W+|based on [^,\n]{1,80},\s|according to [^,\n]{1,120},\s|"
    r"[^,.:\n]{0,60}\b(?:significan\w+|approv\w+|warning|druggab\w+|associat\w+|available)[^,.:\n]{0,40}:\W*|"
    r"as of [^,\n]{1,60},\s|therefore\W+|so\W+|to answer [^,\n]{1,40},\s|\(?[a-d][.)]\s){0,3}"
    r"(?P<said>yes|none(?=\W*(?:$|\())|no|correct|incorrect|true|false|indeed|absolutely|certainly|definitely|affirmative|negative|nope"
    r"|yep)\b"
    r"(?P<more>(?:,?\s(?:and|or|but)\s(?:yes|no)\b)?)(?!\s(?:\w+\s)?(?:information|data|evidence|specific|known"
    r"|record|significant|"
    r"association|direct|approved|drugs?|snps?|variants?|alleles?|such|one\b|doubt|longer|fda|other|reports?|studies|"
    r"consistent|relationship|link|signals?|gene|mutations?))"
)
SHORT = re.compile(  # "It is not.", "Probably not,"
    r"^\W*(?:it|they)\s(?:is|are|was|were|does|do|did|has|have)(?P<no>n't|\snot)?\s?"
    r"(?:[.;(]|$|,\s(?:with|at|and|as|since|because)\b)"
    r"|^\W*(?:(?:probably|likely|apparently|certainly|definitely|generally|currently)\s)?(?P<not>not)"
    r"(?:\s(?:currently|yet|at present|to my knowledge|that i know of|as far as i know))?\s?[,.;:]"
)
ANSWER_IS = re.compile(
    r"\b(?:the|my|this|an?) (?:short |final |overall |best |likely )?answer(?: to (?:this|your|the) question)?"
    r"(?: is| would be| has to be| must be| remains)?\W{1,3}(?:therefore,? |thus,? |then,? |a |an |clearly )?"
    r"(?P<said>yes|no)\b(?!\s(?:and no|or no|longer|doubt|data|evidence|information|specific|known|record))"
    r"|^[^,.;:\n]{3,60},\s(?:then,?\s)?(?P<last>yes|no)\W*$"
)
ANSWERED = re.compile(r"^\W*(?:(?:the )?answer(?: is)?\W+)?(?:yes|no|correct|incorrect|false|true)\s*[,.:;-]")
NO_LEAD = frozenset({"no", "none", "incorrect", "false", "negative", "nope"})
FALSE = re.compile(
    r"^\W*(?:it(?:'s| is| would be)\s(?:is\s)?(?:false|not true|untrue|incorrect|wrong|not correct|not the case"
    r"|inaccurate)\s"
    r"(?:to (?:say|state|claim)\s)?that|(?:the following|this|the statement below)[^.\n]{0,40}\b(?:is|are)\s"
    r"(?:false|untrue|incorrect|wrong|not true)|contrary to|i (?:deny|dispute|do not believe|don't believe) that)\b"
)
TAKEN_BACK = re.compile(
    r"^\W*(?:(?:however|but|actually|in fact)\W+)?(?:this|that|the above|all of (?:this|the above)|none of (?:this"
    r"|the above)|"
    r"(?:this|the|my) (?:statement|answer|claim)s?(?: above)?|everything above)\s(?:is|are|was|were)\s"
    r"(?:all\s|completely\s|entirely\s)?(?:false|untrue|incorrect|wrong|not true|not correct)\W*$|^\W*none of "
    r"(?:this|the above) is true\W*$"
)
CUES: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {
    APPROVAL: (
        re.compile(r"\bapprov(?:ed|al|es)\b|\blicen[sc]ed\b|\bauthori[sz]ed\b|\bindicated for\b|\bfda-approved\b"),
        re.compile(
            r"\boff-label\b|\binvestigational\b|\bunder (?:investigation|evaluation|study)\b|\bbeing "
            r"(?:evaluated|"
            r"studied|investigated|tested|explored)\b|\bexperimental\b|\bremains? in\b.*\btrials?\b"
            r"|\b(?:still|currently)"
            r" in\b.*\btrials?\b|\bwithdrawn\b|\bnot (?:\w+ ){0,2}(?:used|recommended|a (?:standard"
            r"|recogni[sz]ed|common) treatment)\b|"
            r"\bno indication\b|\bnot (?:yet )?for\b"
        ),
    ),
    WARNING: (re.compile(r"\b(?:black[- ]?box(?:ed)?|boxed)\b"), None),
    DRUGGABLE: (
        re.compile(r"\bdruggab\w+|\bapproved drugs?\b|\btarget(?:ed|s)? (?:by|of) (?:\w+ ){0,3}drugs?\b"),
        re.compile(r"\bundruggable\b"),
    ),
    RISK: (
        re.compile(
            r"\b(?:increas\w*|elevat\w*|higher|raise[sd]?|great(?:er|est)|major|strong\w*|significant"
            r"|genetic|"
            r"well-(?:known|established))\b[^.]{0,60}\b(?:risk|susceptib\w*)|\brisk (?:factors?|alleles?"
            r"|genes?|"
            r"variants?|loc(?:us|i))|\bassociated with|\brisk-increasing"
        ),
        None,
    ),
    DATA: (re.compile(r"\b(?:data|results?)\b[^.]{0,60}\b(?:available|for|exists?)\b"), None),
    SIGNIFICANCE: (re.compile(r"\bsignifican(?:t|ce)\b"), re.compile(r"\b(?:in|non-?)significant\b")),
    LINK: (
        re.compile(
            r"\bsignifican\w+|\bassociat\w+|\brelationship\b|\blinked\b|\bimplicated\b|\bsignals?\b"
            r"|\brisk (?:factor|"
            r"gene|loc(?:us|i)|variant)s?\b|\brole in\b|\bnotable\b|\brecogni[sz]ed\b|\bevidence\b"
            r"|\b(?:reach|pass|meet|cross|clear|surpass|exceed)(?:es|ed|ing)?\b[^.]{0,50}\b(?:threshold|cut-?off)"
            r"|\bcorrelat\w+|"
            r"\bknown (?:\w+ )?(?:locus|variant|snp)"
        ),
        re.compile(r"\b(?:in|non-?)significant\b"),
    ),
}
GENERAL = re.compile(
    r"\b(?:if|whether|would|should|could be|typically|generally|usually|conventional\w*|threshold|considered"
    r"|defined|in order to|"
    r"to determine|depends?|check|consult|may|might|possibly|potential\w*|ongoing research|studies have "
    r"(?:identified|shown|"
    r"found) (?:several|many|numerous)|can be|commonly used|\w*(?:not|n't) (?:mean|imply|rule out|exclude|preclude"
    r"|prove)|means that|refers to)\b"
)
CLOSES = re.compile(
    r"^\W*(?:therefore|thus|so|hence|in conclusion|in summary|overall|to summari[sz]e|in short|actually|correction"
    r"|final answer|"
    r"conclusion|and therefore|, therefore)\b"
)
MAYBE = re.compile(
    r"\byes and no\b|\b(?:may|might|could|can) or (?:may|might|could|can)(?:not| not)\b|\bboth yes and no\b|"
    r"\beither (?:yes or no|approved or not|significant or not)\b|\byes or no\b|\bsome sources say\b|\bit depends\b"
)
