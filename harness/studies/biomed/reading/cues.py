"""Patterns of the words by which a clause answers yes or no, denies, hedges, concludes or retracts (OURS)."""

from __future__ import annotations

import re

from harness.studies.biomed.reading.questions import APPROVAL, DATA, DRUGGABLE, LINK, RISK, SIGNIFICANCE, WARNING

NEGATION = (
    r"\bnot?\b(?! (?:only|just|merely|alone)\b)|n't\b|\bnever\b|\bneither\b|\bnor\b|\bwithout\b|\black(?:s|ing)?\b"
    r"|\bfail(?:s|ed)?\b|\babsence\b|"
    r"\byet to be\b|\bnon-?(?:significant|approved)|\binsignificant|\bunapproved|\bunlikely\b|\bnone\b|\bcannot\b|"
    r"(?<!non-)\bzero\b|\bnothing\b|"
    r"\bfar (?:away )?(?:above|from|exceeds)|\bnowhere (?:near|close)|\bmiss(?:es|ed)\b|\bshort of\b|\bwell above\b|"
    r"\b(?:does|do|did) nothing to\b|\bdenied\b|\brefused\b|\bhas yet to\b|\bpending\b|\bawaiting\b|\bfree of\b"
    r"|\bnon-?existent\b|\blacking\b|\bdevoid of\b|\bwithh(?:eld|olds?)\b|\b(?:missing|absent) from\b|\bnull\b"
    r"|\bnil\b|\bdoes(?: not|n't) (?:reach|meet|pass)|\binsufficient\b"
)
DENIAL = re.compile(NEGATION)
KEPT = re.compile(
    r"\bnot only\b|\bno doubt\b|\bno longer in trials\b|\bnot just\b|\bno later\b|\bnot uncommon|\bnot limited to"
    r"|\bno (?:other|further|additional)\b"
)
CONCEDED = re.compile(r"^\W*(?:while|although|though|even though|whereas|despite|notwithstanding)\b[^,\n]{1,160},\s")
CONCEDES = re.compile(r"^\W*(?:while|although|though|even though|whereas|despite|notwithstanding)\b")
NEITHER = re.compile(r"\b(neither|not?|never)\b([^,;.\n]{1,120}?)\bnor\b")
PARTED = re.compile(r",\s|\s-\s|[()]|\s(?:and|so|nor)\s")  # denials are counted in each part of a clause
_HEDGED = (
    r"(?:(?:most |very |quite )?(?:likely|probably|presumably|apparently|possibly|perhaps|maybe)|i(?:'d"
    r"| would)? (?:think|"
    r"believe|say|guess|suppose|assume|suspect|lean towards?|go (?:for|with)|answer)(?: (?:that|the answer is"
    r"|it is|it's|so))?|as far as i (?:know"
    r"|can tell|recall|remember|am aware)|i(?:'m| am) (?:inclined|tempted|leaning) to(?:wards)?(?: say(?:ing)?)?"
    r"|to (?:the best of )?my (?:best )?knowledge|afaik|if memory serves|well|hmm|ok(?:ay)?"
    r"|sure|honestly|frankly|sorry|overall|ultimately|fine|thus|hence|then|for [\w' -]{2,30}"
    r"|(?:rather )?clearly|it(?:'s| is) an?|an?|that(?:'s| is|'d be| would be) an?|still|only|just"
    r"|almost certainly|in fact)\W+"
)
LEAD = re.compile(
    rf"^\W*(?:{_HEDGED}|(?:in )?(?:short|summary|brief|conclusion)(?: answer)?\W+|(?:the )?(?:final |short "
    rf"|direct )?answer"
    r"(?: to (?:this|your) question)?(?: is)?\W+|based on [^,\n]{1,80},\s|according to [^,\n]{1,120},\s|"
    r"[^,.:\n]{0,60}\b(?:significan\w+|approv\w+|warning|druggab\w+|associat\w+|available|risk|gws|signals?"
    r"|links?|boxed"
    r"|market\w*|licen\w+|answer|verdict|relevan\w+|reach\w*)[^,.:\n]{0,40}(?::|->|=>|\u2192|=)\W*|"
    r"as of [^,\n]{1,60},\s|therefore\W+|so\W+|to answer [^,\n]{1,40},\s|\(?[a-d][.)]\s){0,3}"
    r"(?P<said>yes|none(?=\W*(?:$|\()|,\s(?:i'm|i am|sorry|unfortunately|at least|so far|as far|that))|no|correct"
    r"|incorrect|true|false|indeed|absolutely|certainly|definitely"
    r"|affirmative|negative|nope|nah|doubtful"
    r"|yep)\b"
    r"(?P<more>(?:,?\s(?:and|or|but)\s(?:yes|no)\b)?)(?!\s(?:\w+\s)?(?:information|data|evidence|specific|known"
    r"|record|significant|"
    r"association|direct|approved|drugs?|snps?|variants?|alleles?|such|one\b|doubt|longer|fda|other|reports?|studies|"
    r"consistent|relationship|link|signals?|gene|mutations?|p-values?|p\b|figures?|numbers?|values?|idea|clue"
    r"|way\b|answer|entry|results?"
    r"|tissues?|targets?|boxed|black|warning|patents?|trials?|phase|marketed|medicine))"
)
_AGAIN = r"(?:(?:then again|and yet|but|yet|still|actually|however|on the other hand|that said|mind you),?\s)?"
SHORT = re.compile(  # "It is not.", "Probably not,"
    rf"^\W*{_AGAIN}(?:it|they)\s(?:is|are|was|were|does|do|did|has|have)(?P<no_more>n't|\snot),\s(?!however|though|as\b)"
    r"|^\W*(?:i (?:would |do |should |rather )?(?:think|believe|guess|suppose|fear|imagine|reckon)|i'd say"
    r"|presumably|perhaps"
    r"|possibly|apparently|definitely|certainly|probably) (?P<think>not)\b\W*$"
    r"|^[^,.;:\n]{2,60},\s(?:it|they|that|there)\s(?:is|are|was|were|does|do|did|has|have)(?P<intro>n't|\snot)?\W*$"
    r"|^\W*(?P<far>far from it|anything but|by no means|not at all|not so)\b"
    r"|^\W*(?P<un>not |un-?)?(?:approved|licen[cs]ed|significant|druggable|associated)\s?(?:[,.;:(]|$)"
    rf"|^\W*{_AGAIN}(?:it|they)\s(?:is|are|was|were|does|do|did|has|have)(?P<no>n't|\snot)?\s?"
    r"(?:[.;:(]|$|,\s(?:with|at|in|for|since|first|from|and|as|since|because|p|its|given|though|although|but|the|by|considering)\b)"
    r"|^\W*(?:(?:probably|likely|apparently|(?:almost )?certainly|definitely|generally|currently)\s)?(?P<not>not)"
    r"(?:\s(?:currently|yet|at present|as of (?:today|now|(?:19|20)\d\d)|so far|at the moment|until now|any ?more"
    r"|to my knowledge|that i know of|as far as i know))?\s?[,.;:]"
    r"|^\W*(?:it|they|i|that)\s(?P<so_no>does(?:n't| not)|do(?:n't| not)|would(?:n't| not)) (?:seem|appear|look"
    r"|think|believe|say"
    r"|suppose)(?: (?:so|that way|to be so|like it)\b|\W*$)"
    r"|^\W*(?:it |that )?(?:i (?:would |do )?(?:think|believe|suppose|guess|'d say)|i would say|seems?|appears?"
    r"|looks?) (?:so|that way|like it)\b"
    r"|^\W*(?P<not_on>not)\s(?:(?:on|for|in|with|by|at)\s(?!(?:my|our|hand|front|a position)\b)|approved"
    r"|significant\w*|druggable|associated|linked|to treat)\b"
)
ANSWER_IS = re.compile(
    r"\b(?:the|my|this|an?) (?:short |final |overall |best |likely )?answer(?: to (?:this|your|the) question)?"
    r"(?:'s| is| would be| has to be| must be| remains)?\W{1,3}(?:therefore,? |thus,? |then,? |a |an |clearly )?"
    r"(?P<said>yes|no)\b(?!\s(?:and no|or no|longer|doubt|data|evidence|information|specific|known|record))"
    r"|^[^,.;:\n]{3,60}(?:[,;:]|\s-)\s(?:then,?\s)?(?P<last>yes|no)\W*$|^[^,.;:\n]{3,40}\s(?P<said_last>yes|no)\W*$"
    r"|\b(?:so|thus|hence|therefore|which means|meaning|that makes it|which makes it)[,:]?\s(?:an?\s)?(?:clear\s"
    r"|cautious\s"
    r"|definite\s)?(?P<so>yes|no)(?=\W*$|,)|[:;]\s(?P<colon>yes|no),\s"
)
ANSWERED = re.compile(r"^\W*(?:(?:the )?answer(?: is)?\W+)?(?:yes|no|correct|incorrect|false|true)\s*[,.:;-]")
NO_LEAD = frozenset({"no", "none", "incorrect", "false", "negative", "nope", "nah", "doubtful"})
SO = re.compile(  # "so it does not", "there probably is one", "two of them do"
    r"\b(?:so|hence|thus|therefore|and|but|there|that),? (?:it |they |there |that )?(?:probably |likely "
    r"|possibly |apparently |clearly |in fact )?"
    r"(?:does|do|is|are|has|have|did)(?P<no>n't| not)?(?: probably| likely)?(?: (?:any|one|some))?\W*$|^\W*(?:one"
    r"|two|three|four|five|some|several|a few"
    r"|many|(?!none|neither)\w+ of (?:them|these|those))\s(?:does|do|is|are|has|have)\b(?P<not>n't| not)?(?=\W*$|:)"
    r"|^[^\n]{2,60}?(?::|\s-)\s(?:(?P<absent>absent|not present|missing|nil|lacking)|present|positive)\W*$"
    r"|^\W*(?:still |currently |as yet |so far )?(?P<un>unapproved|unlicen[sc]ed|undruggable|insignificant"
    r"|non-significant)\W*$"
    r"|\b(?:approved|approval|significant|druggable|warning|licen[cs]ed)\s?(?::|->|=)\s?(?:(?P<row>no|none|nil)|yes)\b"
    r"|^\W*(?:(?:only|just) )?rs\d+(?:(?:, | and |, and )rs\d+){0,9}\s(?:does|do|is|are|has|have)(?P<fails>n't"
    r"| not)?\W*$"
    r"|(?<!not )(?<!n't )\b(?:does|do|did)(?P<lacks>n't| not)? (?:indeed |in fact )?(?:carry|have|bear|show|exist"
    r"|so)(?: (?:one|any"
    r"|some))?\W*$"
    r"|\b(?:sure|certain|confident|believe|think|say) (?:that )?(?:it|they|there) (?:does|do|is|are|has"
    r"|have)(?P<isnt>n't| not)?"
    r"(?=\W*$|, | given| because| since| with )"
)
FALSE = re.compile(
    r"^\W*(?:it(?:'s| is| would be)\s(?:is\s)?(?:false|not true|untrue|incorrect|wrong|not correct|not the case"
    r"|inaccurate)\s"
    r"(?:to (?:say|state|claim)\s)?that|(?:the following|this|the statement below)[^.\n]{0,40}\b(?:is|are)\s"
    r"(?:false|untrue|incorrect|wrong|not true)|contrary to(?![^,.\n]{0,120},)|i (?:deny|dispute|do not believe"
    r"|don't believe) that)\b"
)
TAKEN_BACK = re.compile(
    r"^\W*(?:(?:however|but|actually|in fact)\W+)?(?:this|that|the above|all of (?:this|the above)|none of (?:this"
    r"|the above)|"
    r"(?:this|the|my) (?:statement|answer|claim)s?(?: above)?|everything above)\s(?:is|are|was|were)\s"
    r"(?:all\s|completely\s|entirely\s)?(?:false|untrue|incorrect|wrong|not true|not correct)\W*$|^\W*none of "
    r"(?:this|the above) is true\W*$"
)
_MISSES = (
    r"\brules? (?:it|that|this) out\b|\bout of the question\b|(?:\bnot|n't) (?:\w+ ){0,2}?(?:anywhere "
    r"|even )?(?:near|close)\b|\b(?:list|set|result|table)s? (?:is|was|remains|stays|are|were) empty\b"
    r"|\bdraws? (?:a )?blank\b|\bcomes? up (?:empty"
    r"|blank)\b|"
    r"\bmiss(?:es|ed)(?: (?:out|it|this|that|by)\b|\W*$)|\bfalls? (?:well |far |just )?short\b|\bnowhere near\b"
    r"|\b(?:is|lies?|stays?|remains?|sits?|well|far) (?:\w+ )?(?:above|over|higher than|larger than"
    r"|greater than) (?:the )?"
    r"(?:5\.?0* ?(?:e|x)|2\.95|0?\.000000)"
)
CUES: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {
    APPROVAL: (
        re.compile(
            r"\bapprov(?:ed|al|es)\b|\blicen[sc](?:ed|e|ure)\b|\bauthori[sz](?:ed|ation)\b|\bindicated for\b"
            r"|\bfda-approved\b"
            r"|\bcleared\b|\bclearance\b|\bgreen[- ]?lights?\b|\bgreen-?lit\b|\bgo-ahead\b|\bthe nod\b"
            r"|\b(?:on|to|reach\w*|enter\w*|hit|onto) the (?:\w+ ){0,2}market\b|\bmarketed\b|\blaunched\b|\bblessing\b"
            r"|\bcommerciali[sz]ed\b|\bcommercially available\b|\bsold (?:in|for|as)\b|\bprescribable\b|\bon sale\b"
            r"|\bregistered (?:for|as|in|by)\b|\bon[- ](?:(?:its|the) )?label\b|\blabel(?:led|ed) (?:for|indication)"
        ),
        re.compile(
            r"\boff-label\b|\binvestigational\b|\bunder (?:investigation|evaluation|study)\b|\bbeing "
            r"(?:evaluated|"
            r"studied|investigated|tested|explored)\b|\bexperimental\b|\bremains? in\b.*\btrials?\b"
            r"|\b(?:still|currently)"
            r" in\b.*\btrials?\b|\bwithdrawn\b|\bnot (?:\w+ ){0,2}(?:used|recommended|a (?:standard"
            r"|recogni[sz]ed|common) treatment)\b|"
            r"\bno indication\b|\bnot (?:yet )?for\b|\bnot (?:by|in|with) (?:the )?(?:fda|u\.?s|united states)\b"
            r"|\bunlicen[sc]ed\b|\bunapproved\b|\b(?:still|only|remains?|stuck|languish\w*|merely|just) (?:in"
            r"|at) (?:the )?(?:early |late )?"
            r"(?:phase|clinical|trial|preclinical|the pipeline)|\bin the pipeline\b|\bdevelopment (?:was "
            r"|has been |has )?"
            r"(?:stopped|halted|ended|ceased|discontinued|abandoned)\b|\bnever made it\b|\brejected\b|\bturned down\b"
            r"|\b(?:awaiting|pending) (?:\w+ ){0,2}(?:approval|decision|review)\b"
        ),
    ),
    WARNING: (
        re.compile(
            r"\b(?:black[- ]?box(?:ed)?|boxed)\b|\bbox warnings?\b|\b(?:such an?|that|this) warning\b|\bbbw\b"
            r"|\bstrongest (?:fda )?warning"
        ),
        re.compile(r"\ball[- ]clear\b|\b(?:free|devoid|clear) of (?:an?y? )?(?:such|black|boxed)"),
    ),
    DRUGGABLE: (
        re.compile(
            r"\bdruggab\w+|\b(?:approved|marketed|licen[sc]ed|authori[sz]ed) (?:drugs?|medicines?|compounds?"
            r"|agents?|products?)\b"
            r"|\btarget(?:ed|s)? (?:by|of) (?:\w+ ){0,3}drugs?\b|\b(?:drugs?|medicines?|compounds?"
            r"|nothing) (?:\w+ )?on the market\b"
            r"|\btractable\b|\b(?:drugs?|medicines?) (?:\w+ ){0,3}(?:are|is|have been|has been) (?:\w+ )?approved\b"
            r"|\bqualif(?:y|ies)\b"
        ),
        re.compile(r"\bundruggable\b|\bintractable\b|\bundrugged\b"),
    ),
    RISK: (
        re.compile(
            r"\b(?:increas\w*|elevat\w*|higher|raise[sd]?|great(?:er|est)|major|strong\w*|significant"
            r"|genetic|"
            r"well-(?:known|established))\b[^.]{0,60}\b(?:risks?|susceptib\w*|odds|likelihood|chances?|probability|liability"
            r"|hazards?|incidence|predisposition)\b|\bpredispos\w+"
            r"|\b(?:chang|alter|affect|influenc|modif|impact|shift)\w*\b[^.]{0,40}\b(?:risk|susceptibility|odds|likelihood)\b"
            r"|\bmore (?:likely|prone|vulnerable|susceptible)\b"
            r"|\b(?:linked|tied|connected|related) (?:to|with)\b|\brisk (?:factors?|alleles?"
            r"|genes?|"
            r"variants?|loc(?:us|i))|\bassociated with|\brisk-increasing"
        ),
        None,
    ),
    DATA: (re.compile(r"\b(?:data|results?)\b[^.]{0,60}\b(?:available|for|exists?)\b"), None),
    SIGNIFICANCE: (re.compile(r"\bsignifican(?:t|ce)\b"), re.compile(rf"\b(?:in|non-?)significant\b|{_MISSES}")),
    LINK: (
        re.compile(
            r"\b(?:pass(?:es)?|qualif(?:y|ies)|makes? (?:it|the (?:cut|grade|list)))\b(?! (?:heidi|the heidi))"
            r"|\b(?:is|lies?|are|gets?|falls?) (?:\w+ )?(?:below|under|less than|smaller than"
            r"|<) ?(?:the )?(?:5\.?0* ?(?:e|x)|2\.95)|"
            r"\b(?:snps?|variants?|hits?|signals?|any|one) (?:with|at|of|having) (?:an? )?p ?< ?(?:5\.?0* ?(?:e|x)"
            r"|2\.95)|\bsignifican\w+|\bassociat\w+|\brelationship\b|\blinked\b|\bimplicated\b|\bsignals?\b"
            r"|\brisk (?:factor|"
            r"gene|loc(?:us|i)|variant)s?\b|\brole in\b|\bnotable\b|\brecogni[sz]ed\b|\bevidence\b"
            r"|\b(?:reach|pass|meet|cross|clear|surpass|exceed|beat)(?:e?s|ed|ing)?\b[^.]{0,50}\b(?:threshold"
            r"|cut-?off|bar\b|5 ?e-?0?8|5 ?x ?10)"
            r"|\bflag(?:s|ged)?\b|\bhighlight(?:s|ed)?\b|\bpick(?:s|ed)? (?:\w+ )?up\b|\b(?:turns?|shows?) up\b"
            r"|\bplays? (?:a|any|no)"
            r" (?:\w+ )?(?:part|role)\b"
            r"|\b(?:gets?|falls?|goes|comes|drops?|lies?) (?:well |far |just )?(?:below|under) (?:5 ?e|5 ?x|2\.95"
            r"|that|this|it)"
            r"|\b(?:below|under|beyond|past)\b[^.;]{0,25}\b(?:threshold|cut-?off)\b|\bhits?\b"
            r"|\bcorrelat\w+|"
            r"\bknown (?:\w+ )?(?:locus|variant|snp)|\b(?:pd|ad|risk|gwas|established"
            r"|significant) (?:\w+ )?(?:loci|locus|hits?|genes?)\b"
        ),
        re.compile(
            r"\b(?:in|non-?)significant\b|\b(?:above|over|higher than|larger than|greater than|misses|missing"
            r"|short of)\b"
            r"[^.;]{0,25}\b(?:threshold|cut-?off|bar)\b|\bnull\b|\bnothing\b|"
            rf"{_MISSES}"
        ),
    ),
}
_OPEN = (
    r"if|whether|would|should|could be|in order to|to determine|depends?|check|consult|may|might|possibly|potential\w*"
    r"|ongoing research|\w*(?:not|n't) (?:mean|imply|rule out|exclude|preclude|prove)"
)
OPEN = re.compile(rf"\b(?:{_OPEN})\b")  # leaves open whether it holds
GENERAL = re.compile(  # says it of no case, or leaves it open
    rf"\b(?:{_OPEN}|typically|generally|usually|conventional\w*|threshold|considered|defined|studies have (?:identified"
    r"|shown|found) (?:several|many|numerous)|can be|commonly used|means that|refers to)\b"
)
CLOSES = re.compile(
    r"^\W*(?:therefore|thus|so|hence|in conclusion|in summary|overall|to summari[sz]e|in short|actually|correction"
    r"|final answer|"
    r"conclusion|and therefore|, therefore)\b"
)
MAYBE = re.compile(
    r"\b(?:is|are|does|do|has|have)\b[^.;,\n]{0,40}\band (?:also )?(?:is|are|does|do|has|have)(?:n't| not)\W*(?:$|\n)|"
    r"\bno\W{1,5}or (?:is it |maybe )?yes\b|\byes\W{1,5}or (?:is it |maybe )?no\b|\byes and no\b|\b(?:may|might"
    r"|could|can) or (?:may|might|could|can)(?:not| not)\b|\bboth yes and no\b|"
    r"\beither (?:yes or no|approved or not|significant or not)\b|\byes or no\b|\bsome sources say\b|\bit depends\b"
)
