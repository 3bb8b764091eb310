"""Patterns of the rules OURS-v2 for multiple choice: forms in which an option's words are put forward or taken back.

It knows forms of words; it must never know an item, or what a match means for a label.
"""

from __future__ import annotations

import re

ALL_OR_NONE = re.compile(
    r"\b(?:all|none|any|each|both) of (?:the|these|those|them|above)\b|\b(?:all|none) (?:are|is)"
    r" (?:correct|right|true)",
    re.IGNORECASE,
)
OUTSIDE = re.compile(
    r"^\W*(?:the )?(?:(?:correct )?(?:answer|option|choice)(?: is|:)? ?)?\(?([E-H])(?:[).:]|$)|\boption ([5-9])\b",
    re.IGNORECASE,
)
SAYS = re.compile(
    r"(?:= ?|-> ?|\b(?:answer|choice|option|solution|respuesta|antwort|risposta|resposta|r\u00e9ponse)"
    r"\b[^.\n:]{0,60}?(?: is| are| was| must be| should be| would be| es| ist| est| \u00e8| \u00e9| ?[:=])"
    r"|"
    r"\b(?:so|thus|hence|therefore)(?:,)?(?: it| this| that)?(?: is|'s| must be)?|\b(?:it's|it is|that's|"
    r"it must be|must be|this is|called|choose|pick|select|go with|say|believe|think|guess|leaves|"
    r"has to be|would be|rather|one:|(?:that|which) makes it|leaves? (?:us|me) with|left with|remains|we (?:get|have)|"
    r"(?:so|thus|hence|therefore|then|but),? (?:the|its|their|what|this|that|these) [^.,;:\n]{1,40}? (?:is|are"
    r"|must be)|"
    r"only|the (?:only )?one (?:that |which |with |without |left )[^.,;\n]{0,40}? is|guess is|(?:vote"
    r"|money) (?:is for|goes to|is on)|"
    r"lean(?:ing)? (?:towards?|to)|inclined to(?:wards?)?|suspect|reckon|maybe|perhaps|probably|possibly)"
    r"(?: it's| it is| that)?)"
    r"[ :,\"'(]*(?:the |an? |most likely |probably |called |option )*$",
    re.IGNORECASE,
)
DENIES = re.compile(
    r"(?:\bnot|n't(?: \w+)?|\bnor|\bneither|\brather than|\binstead of|\bexcept|\bunlike|\bwhile|"
    r"\bwhereas|\bthan|\brule out|\beliminate|\bno|\brarely|\bseldom|\bhardly|\balthough|\bthough|\bthought|"
    r"\b(?:people|some|many|most|they|others|students|you|one|would|might|may|could) (?:\w+ )?(?:think|say)|"
    r"\bnot (?:by|in|because of)) "
    r"(?:the |an? |of |by |in |because |with |from |for |to |on )*[\"'(]*$",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"^[\"')]* ?(?:\([A-D]\) )?,? ?(?:- )?(?:(?:but|which|that|it) )?(?:is|are|was|were|would be|can be|"
    r"could be|seems?)(?:n't)? ?(?:\w+ )?(?:not|wrong|incorrect|tempting|false|excluded|ruled|too|out|"
    r"different|for|unlikely)\b|"
    r"^[\"')]* ?(?:\([A-D]\) ?)?[:-] ?(?:wrong|incorrect|no|false|not)\b|^[\"')]* (?:is|are|was)n't|"
    r"^[\"')]* (?:does|do|did|can|could|will|would)(?: not|n't)|^ (?:cannot|is tempting|might seem|"
    r"was my first)",
    re.IGNORECASE,
)
SIDE_BY_SIDE = re.compile(
    r"\W*(?i:both |answers? )?[A-D](?:(?:, | & | ?\+ ?|,? and (?:also )?| as well as | plus | along with )[A-D]){1,2}"
    r"(?: together| combined| both)?\W*"
)
# Words behind an option's text that put it forward.
SAID_AFTER = re.compile(
    r"[\"')]{0,2}(?:,? (?:then )?it (?:is|was|must be)\b|\?,? yes\b|,? then[.!]?\s*\Z|,? (?:wins|fits|remains"
    r"|is left|it'll be)\b"
    r"|,? (?:is|would be|must be|seems|has to be) (?:therefore |clearly |then |probably )?(?:the |my |our )?"
    r"(?:most likely |best |right |correct |only (?:possible )?)?(?:answer|guess|pick|choice|one left|right"
    r"|correct)\b)",
    re.IGNORECASE,
)
ASKS = re.compile(r"\W*(?:what|which|who|how|why|where|when|is|are|does|do)\b[^.!\n]*\?\W*\Z", re.IGNORECASE)
LIST_ENDS = re.compile(r"[\"')]{0,2}(?:\s*\Z|[.!;\n]|,? (?:and|or) |, )")
BOTH_NAMED = re.compile(
    r"\b(?:both|(?:mix|mixture|combination|blend) of(?: both)?) (?:the |an? |by |in |with |of )?[\"']?\Z", re.IGNORECASE
)
BOTH_AFTER = re.compile(
    r"[\"')]{0,2},? both (?:do|work|fit|are (?:right|correct|fine|true|possible)|apply|match)\b",
    re.IGNORECASE,
)
HEDGES = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|guess|could (?:it )?be|might (?:it )?be|is it)\b",
    re.IGNORECASE,
)
CLAUSE = re.compile(
    r"\b(?:answer|solution|choice)\b[^.\n:]{0,40}?(?: is| would be| must be|:) ?(?:the |"
    r"an? )?\"?([^.\n]{2,80}?)\"?(?:[.!\n]|$)",
    re.IGNORECASE,
)
IS_SOMETHING = re.compile(r"(?i:the) [^.\n]{2,60} (?:is|are) (?:the |an? )?(\w+)(?: \w+)?[.!]?")
# What comes behind an option's text where a list goes on; other words behind a comma only say more of it.
GOES_ON = re.compile(r"[\"')]*(?:,(?! (?:a|an|the|which|because|since|not|as|for|it|that)\b)|,? and|,? or) ")
