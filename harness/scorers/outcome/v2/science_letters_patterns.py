"""Patterns of the rules OURS-v2 for options: forms in which a letter is put forward, taken back or left open.

It knows forms of words; it must never know an item, or what a match means for a label.
"""

from __future__ import annotations

import re

# A letter that is no part of a word; a small one, or the article A, only before a sign or an end.
_L = (
    r"[\"'(\[{ ]{0,3}(?:([A-D])(?![A-Za-z0-9'^/]| (?!over |rather |because |since |but |instead|here\b|than |before "
    r"|on th|unless |to me)[a-z]{2,})|([B-D])(?![A-Za-z0-9'^/])|([a-d])"
    r"(?=[\"')\]}]{0,2}\s*(?:[.,;:!)\]}\n]|$)))[\"')\]}]{0,2}"
)
_KIND = (
    r"(?:(?:option|choice|letter|answer|number|alternative|statement|definitely|probably|clearly|"
    r"most likely|likely|indeed|simply|therefore|actually|still|either|the|opci\u00f3n|la|die|l'option|is|"
    r":|-|,) ?){0,4}"
)
_BE = (
    r"(?: ?[:=\uff1a]| is| are| was| be| would be| should be| must be| has to be| could be| might be|"
    r" may be| es| est| ist| \u00e8| \u00e9| seems to be|\u662f)"
)
STATED = (
    re.compile(
        rf"(?i:\b(?:answers?|choice|option|solution|letter|alternative|selection|response|guess|respuesta|"
        rf"opci\u00f3n|r\u00e9ponse|antwort|risposta|resposta|right one|correct one|best one|ans|key|verdict|"
        rf"\u043e\u0442\u0432\u0435\u0442|correct|\u7b54\u6848)\"?(?! [a-d] )[^.\n:=?!;]{{0,60}}?{_BE} ?{_KIND}){_L}"
    ),
    re.compile(
        rf"(?i:\b(?:choose|chose|pick|take|select|go with|going with|opt for|settle (?:on|for)|say|mark|circle|"
        rf"tick|likely|vote (?:is |goes )?(?:for|to)|choosing|picking|selecting|lean(?:s|ing)?(?: toward[s]?| to)?"
        rf"|stick with|write|"
        rf"bets? (?:is |are )?on|money (?:is )?on|go(?:ing)? for|inclined to(?:ward[s]?)?|prefer|like|wager|vote"
        rf"|i(?:'d|'ll| will| would) go|went with"
        rf"|opted for|picked|(?:case|example|instance) of|believe|suspect|reckon|suppose|"
        rf"it'?d be|would be|'d be|"
        rf"think|guess|conclude|it'?s|it is|that'?s|must be|has to be|leaves?(?: us with| only)?|leaving|"
        rf"left with|only|answer|ans|which is|points? to|corresponds? to|matches|gives|favou?rs?|means|"
        rf"supports|that is|meant|mean|i\.e\.|rather|to|as|is)"
        rf" ?{_KIND}){_L}(?=[\"')\]}}]{{0,2}}\s*(?:[.,;:!\n)(]|$|- |because|since|as |but |and not|for |"
        rf"on (?:the|this|that) |unless |than |before |to me\b|here\b|over |rather than |instead)"
        rf"|[\"')\]}}]{{0,2}}\?\s*$)"
    ),
    re.compile(
        rf"(?i:(?:\bso|\bthus|\bhence|\btherefore|\bthen|->|=>|=|\bconclusion|\byes|\bok|\bokay|\bno|\bwait|"
        rf"\bactually|\bcorrection|\bsorry|\bprobably|\bmaybe|\bdefinitely|\bclearly|\bfinally|\binstead|"
        rf"\brather)[,:.]? ?{_KIND}){_L}(?=[\"')\]}}]{{0,2}}\s*(?:[.,;:!\n)]|$|- |because|since|and not|and [A-D]\b))"
    ),
    re.compile(
        r"[\"'(\[]{0,2}\b([A-D])\b[\"')\]]{0,2},? (?:(?:is|are|was|were|would be|must be|seems|looks|"
        r"has to be|sounds|appears|should be|feels|strikes me as|:|-) ?)+(?:to be |therefore |clearly |indeed |"
        r"obviously |definitely |also |probably |more |most |the |my |our |only |one |that is |still |thus |like "
        r"|about |just |pretty |very |quite |both |all |each |final |first |preferred )*"
        r"(?:correct|right|better|likeliest|strongest|safest|obvious|plausible|probable|bet|"
        r"best|true|answer|accurate|likely|option|choice|solution|guess|pick|fit|winner|one left|left|one)\b"
    ),
    re.compile(
        r"[\"'(\[]{0,2}\b([A-D])\b[\"')\]]{0,2} (?:it is|fits|works|remains|for sure|matches|is left|"
        r"(?:both |all )?(?:fit|work|match|apply|qualify)\b|"
        r"makes (?:the most |more |perfect )?sense|wins)\b"
    ),
    re.compile(r"(?:^|[\n.;,] ?)(?:- )?[\"'(\[]{0,2}([A-D])[\"')\].:]{1,3} [^\n]{0,120}[\u2713\u2714\u2705]"),
    re.compile(
        r"(?:^|[\n.;,?!] ?)(?:- )?[\"'(\[]{0,2}([A-D])[\"')\].:?]{1,3} (?:[^.\n;]{0,60}? ?(?:- |: |\()"
        r")?(?i:right|correct|true|yes|\u2713|\u2714|\u2705)(?![a-z])"
    ),
    re.compile(r"\b(?i:only) [\"'(]?([A-D])\b[\"')]?(?: [a-z]|\.?$)(?!(?:s|re|as) (?:not|wrong|out|false|left out))"),
    re.compile(r"[\"'(]?\b([A-D])\b[\"')]? alone (?:can|will|would|[a-z]{1,10}s)\b"),
    re.compile(  # a doubtful word behind the letter
        r"[\"'(\[]{0,2}\b([A-D])\b[\"')\]]{0,2},? (?i:i(?:'d)? (?:guess|think|suppose|believe|reckon|suspect|say)|"
        r"maybe|perhaps|probably|presumably|possibly)\b(?! [\"'(]?[A-D]\b)"
    ),
    re.compile(
        r"(?i:\b(?:maybe|perhaps|possibly|probably|is it|could (?:it )?be"
        r"|might (?:it )?be)) [\"'(]?([A-D])\b[\"')]?\?"
    ),
    re.compile(  # the other half of `not this but that`
        r"(?i:(?:\bnot\b|n't\b)[^.\n]{0,80}?\bbut (?:(?:rather|actually|really|instead|in fact|it'?s|it is|definitely"
        r"|simply|option|choice|with|for|to),? ){0,3})[\"'(]?([A-D])\b[\"')]?(?=\s*(?:[.,;:!\n)(]|$|because|since))"
    ),
    re.compile(
        r"(?i:\b(?:but|yet) (?:now |rather |then |it'?s |it is |with |for )?)[\"'(]?([A-D])[\"')]?(?=[.!]|\n|$)"
    ),
    re.compile(r"(?i:\b(?:combination|mix|mixture|blend) of (?:both )?)[\"'(]?([A-D])\b(?= and | & )"),
    re.compile(r"(?i:\b(?:but|yet|however,?|while|whereas) (?:really |actually |in fact )?)([A-D]) is(?=[.!]|$)"),
    re.compile(r"(?i:\b(?:option|choice|letter|answer)) ([a-d])\b(?= (?:is|would|must|fits|seems|because|since))"),
)
MARKED = (
    re.compile(r"^[\"'(]?([A-D])[\"')]?\?(?= |$)"),
    re.compile(r"(?<![A-D],)(?:[.!,:]) [\"'(]?([A-D])[\"')]?\?$"),
    re.compile(r"^[\"'(]{0,2}([A-D])\b[\"')]{0,2} (?:rather than|instead of|over|with|at|because|since|is what|\()"),
    re.compile(
        r"^[\"'(\[{ ]{0,3}(?:(?i:answer|option|choice|ans|a)[:.]? ?)?[\"'(\[{]{0,2}(?:([A-D])"
        r"(?:[\"')\]}.:,;!\n]|$| ?- )|([a-d])(?:[)\].:]|$|\n))"
    ),
    re.compile(r"^(?:[A-Z][a-z]{1,12}(?: \d)?: )?[\"'(\[{ ]{0,3}([A-Da-d])[\"')\]}.]{0,3}$", re.MULTILINE),
    re.compile(r"[(\[{<]([A-D])[)\]}>]"),
    re.compile(r"^(?:[A-Za-z]{2,},? ){1,3}[\"'(]{0,2}([A-D])\W*$"),
    re.compile(r"^Both (?:options |of )?[\"'(]?([A-D])\b(?=[\"')]? and )"),
    re.compile(r"(?:[.!?:;] |, |\n)[\"'(\[]{0,2}([A-D])[\"')\]]{0,2}[.!]?$"),
    re.compile(r"\b(?i:option|choice|answer|letter)s? [\"'(\[]{0,2}([A-D])\b(?!')"),
    re.compile(r"^(?:- )?([A-D])[).:] (?=\S)", re.MULTILINE),
)
_MORE = r"(?:,? ?(?:and|or|nor|&|/|,) ?(?:option |choice |not )?[\"'(\[]?[A-D]\b[\"')\]]?(?!'))"
NOT = re.compile(
    r"(?i:n't (?:think|believe|say|suppose|expect|choose|pick|go with)(?: that)?|\bnot(?: be)?|n't(?: be)?"
    r"|\bcannot be|\bneither|\bnor|\brul(?:e|ed|ing) out|\beliminat(?:e|es|"
    r"ed|ing)|\bexclud(?:e|ed|ing)|\bdiscard(?:ed|ing)?|\bdrop|\bcross(?:ed|ing)? out|\brather than|"
    r"\binstead of|\bexcept|\bunlike|\bthan|\bgoing to say|\bfirst thought(?: of| it was)?|"
    r"\btempted (?:by|to say|to choose)|\bmight (?:say|think|choose|pick|seem)|\bwhether|"
    r"\b(?:people|some|many|most|they|others|students|you|one|would|may|could|not) (?:\w+ )?say|"
    r"\beveryone (?:says|said|picks)|\bcould have been|\bused to think)"
    r"(?i: it'?s?)?(?i: (?:be|is|was|options?|choices?|answers?|either|for|letters?|the)"
    r")* ?[\"'(\[]?([A-D])\b[\"')\]]?(?!')" + f"({_MORE}{{0,3}})"
)
ASIDE = re.compile(  # letters that name something else, or that are only supposed
    r"(?i:\b(?:student|vitamins?|hepatitis|points?|groups?|class|type|if|unless|player|from|thing as|"
    r"person|team|figure|step|"
    r"part|plan|blood type|grade|process|sample|box|line|object|ball|car|beaker|plate|solution|"
    r"select (?:one of )?\w+ following:?)) ([A-D])\b()"
)
WRONG = re.compile(
    r"[\"'(\[]?\b([A-D])\b[\"')\]]?" + f"({_MORE}{{0,3}})"
    r"(?:[):.]{0,2} ?(?! ?[A-D]\b)(?:\([^()]{0,60}\) )?[^.\n;:,?]{0,40}?\??)(?i:(?:,? ?(?:-|:)? ?)(?:can(?:not|'t) be|"
    r"(?:is|are|was|were|seems?|looks?|would be)? ?(?:both |all |also |clearly |simply |obviously |"
    r"definitely |just )?(?:wrong|incorrect|(?<!, )not\b(?! (?:option )?[\"'(]?[A-D]\b)|false|out\b|ruled out"
    r"|eliminated|tempting|too|excluded|"
    r"unlikely|no\b|nonsense|impossible|irrelevant|distractors?|isn't|aren't|wasn't|is for|describe|refer)"
    r"|does(?:n't| not)|do(?:n't| not)|isn't|aren't|\u2717|\u2718|\u274c))"
)
OPEN = re.compile(
    r"\b([A-D])\b[\"')?]{0,3}(?:,? (?:or|oder|ou|o|maybe|perhaps) (?:maybe |perhaps |possibly |even |"
    r"it is |option )?|\? )[\"'(\[]?([A-D])\b"
)
ALL_FOUR = re.compile(r"\bA(?: to | - |-| through |, ?B, ?C,? ?(?:and |or |& )?)D\b")
EITHER = re.compile(r"(?i:\beither (?:it is |it's |option )?)\W?([A-D])\b\W? or \W?([A-D])\b")
BOTH = re.compile(
    r"(?:\b([A-D])\b\)?(?:,? and (?:also )?| & |, ?| ?\+ ?| as well as | plus | along with )\(?([A-D])\b)"
)
# All the others are out but this one.
EXCEPT = re.compile(
    r"(?i:\b(?:everything|anything|nothing|all|none|any)\b(?: of (?:them|these|those|the (?:options|others"
    r"|rest)))? (?:except"
    r"(?: for)?|but|besides|other than)(?: (?:for|option|choice|answer)){0,2}) [\"'(]?([A-D])\b(?! (?:is"
    r"|are) (?:right|correct"
    r"|true))"
)
