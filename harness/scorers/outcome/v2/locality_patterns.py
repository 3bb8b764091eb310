"""Patterns of the rules OURS-v2 for cities: the forms of words in which a city is put forward or set aside.

It knows forms of words; it must never know an item, or what a match means for a label.
"""

from __future__ import annotations

import re

_FILL = (
    r"(?:the |a |an |city |town |capital |metropolis |municipality |nearby |of |called |named |probably |"
    r"likely |most likely |definitely |clearly |certainly |actually |indeed |simply |still |therefore |"
    r"then |rather |either |is |just |in fact |perhaps |maybe |obviously |great |big |large |good |old |"
    r"port |most populous |largest |biggest |by far |also |surely |without doubt |of course |my |answer |"
    r"[:,\"'(-] ?){0,8}"
)
_MOST = (
    r"(?:most populous|most populated|largest|biggest|highest population|most people|most inhabitants|"
    r"greatest|more people|bigger|larger|population|number one|first|top|winner|answer|city|correct|right|"
    r"one|choice|guess|bet|place|metropolis|neighbou?r|where most people live|name|we (?:mean|look for)|"
    r"respuesta|ciudad|ville|stadt|citt\u00e0|antwort)"
)
SAYS = re.compile(
    rf"(?:\b{_MOST}\b[^.!?\n;]{{0,110}}?(?:\b(?:is|was|would be|must be|should be|has to be|will be|"
    rf"could be|might be|may be|seems to be|appears to be|remains|es|est|ist|\u00e8|goes to|are|be)\b|[:=])"
    rf"|"
    r"\b(?:answer|city|result|largest|name|target|guess|output)\"? ?[:=]|"
    r"\b(?:it's|it is|it must be|it should be|it would be|it could be|it might be|that's|that is|"
    r"that would be|this is|this would be|so|thus|hence|therefore|must be|has to be|choose|pick|select|"
    r"visit|go with|going with|say|guess|think|think of|believe|suggest|settle on|settle for|namely|"
    r"called|named|mean|meant|conclude|live in|lives in|living in|found in|leaves|leaving|we mean|but|"
    r"instead|rather|correction|actually|wait|no|yes|means|final answer|try|recommend|->|=>|i'd say|"
    r"bet on|then|only|make that|make it|but rather|sorry|probably|maybe|perhaps|definitely|go to|goes to|"
    r"opt for|opting for|remains|surely)\b)[,:.]? ?"
    rf"{_FILL}$",
    re.IGNORECASE,
)
IS_MOST = re.compile(
    rf"^[\"')]*(?: ?\([^()]{{0,80}}\))?(?:, [^,.;]{{0,60}},)? ?(?:it is\b|it's\b|is my|gets my|I think|"
    rf"I believe|I guess|I suppose|it must be|wins|tops|takes|"
    rf"(?:,? ?which |,? ?that )?(?:is|would be|must be|should be|has to be|are|has|have|was|had|with)"
    rf"(?: (?!not|smaller|second|less|fewer|close)\w+){{0,6}}? {_MOST}\b)",
    re.IGNORECASE,
)
SET_ASIDE_BEFORE = re.compile(
    r"(?:\b(?:near|nearby|close to|closer to|next to|from|around|about|than|km of|kilomet(?:er|re)s of|"
    r"miles of|radius of|distance of|distance to|excluding|exclude|except|except for|besides|beside|"
    r"apart from|aside from|"
    r"leaving aside|other than|not|nor|neither|instead of|rather than|unlike|ahead of|beating|beats|"
    r"behind|after|followed by|followed closely by|north of|south of|east of|west of|outside|outside of|"
    r"beyond|between|"
    r"compared to|compared with|surpasses|surpassing|exceeds|overtakes|outranks|larger than|although|"
    r"though|while|whereas|despite|even though|thought of|thought|first thought|tempted to say|might say|"
    r"might think|might expect|"
    r"was going to say|rule out|rules out|ruled out|discard|ignore|ignoring|forget|without|towards|toward|"
    r"like|such as|including|includes|include|in|at|into|via|suburb of|part of|district of|capital of|"
    r"state of|province of|region of|"
    r"county of|population of|inhabitants of|people of|since|unless|if|as|because|if it were not for|"
    r"if not for|but for|against|versus|vs|opposite|across from|outside|passing|passes|over|nearby|"
    r"neighbouring|neighboring|considering|consider|compare|compared|"
    r"and unlike|excluding the city of|instead|minus|isn't|wasn't|aren't|cannot be|can't be|couldn't be|"
    r"not be|never|km away from|away from|would have said|everyone says|many say|some say|people say|"
    r"might say|whether|confused with|mistaken for|home to|twin|airport)|n't) "
    r"(?:the |city |of |town |greater |a |an |it |was |it's |is |for |in |only |just |even |largest |"
    r"bigger |[\"'(])*$",
    re.IGNORECASE,
)
SET_ASIDE_AFTER = re.compile(
    r"^[\"')]*(?:\s?\([^()]{0,80}\))?(?:, [^,.;]{0,60},)?,? ?(?:itself|proper)?,? ?(?:(?:but|which|that|"
    r"it|and|though|however) )?(?:"
    r"(?:is|are|lies|lie|was|were|would be|sits|being|seems|has|have|comes|come|had|only has|ranks|falls|"
    r"looks)(?: (?!the most|the largest|the biggest|within|inside)\w+){0,4}? (?:too far|further|farther|"
    r"far (?:away|off|from|beyond|outside)|further away|more than|outside|beyond|smaller|not|less|fewer|"
    r"second(?! (?:most|largest|biggest)|-largest)|close|closer|closest|nearby|near|nearest|out of|"
    r"excluded|only|just|tempting|third|runner-up|slightly|away|the asked|excluding|no longer|just over|"
    r"over \d|under \d|\d+ ?km|\d+ ?kilomet|\d+ ?miles)|"
    r"(?:is|was|are|has|does|do|would|could)(?:n't| not)(?! it\b)|cannot|can't|doesn't|don't|(?:would|"
    r"might|could) (?:be|have been|seem|come to mind|look)\b[^.;]{0,80}\b(?:but|if|however|were|except)\b|"
    r"(?:can|could|must) be (?:ruled|excluded|discarded)|follows|comes (?:second|close|next|to mind)|"
    r"comes in|is (?:bigger|larger) but|\? no\b|, no\b|- no\b|falls? (?:just )?outside|too far|"
    r"lies outside|"
    r"is (?:\w+ ){0,3}(?:km|kilomet\w+|miles) (?:away|off|from)|, (?:though|although) (?:bigger|larger|"
    r"close|near)|- too|\((?:too|outside|out of)|is (?:bigger|larger|more populous)[^.;\n]{0,40}\bbut)",
    re.IGNORECASE,
)
ASIDE_TOO = re.compile(
    r"\b(?:between|than|excluding|except|except for|besides|unlike|neither|not|from|near|like|such as|"
    r"including)\b[^.\n]*$",
    re.IGNORECASE,
)
IS_THE_MOST = re.compile(
    r"^[\"')]* (?:itself )?is (?:the )?(?:most populous|most populated|largest|biggest)\b", re.IGNORECASE
)
CITY_OF = re.compile(
    r"(?:city|town|metropolis|municipality|name|answer|megacity|port) of (?:the )?[\"'(]*$", re.IGNORECASE
)
CONTAINER = re.compile(r"^[\"')]*, ?\"?$")
BETWEEN_LISTED = re.compile(
    r"[\"')]*(?:\s?\([^()]{0,80}\)| ?[-:] ?[\d.,]+(?: ?[a-z]+){0,2}|"
    r", [A-Z]\w+){0,2}(?:[^\S\n]*[,;/&|]+[^\S\n]*(?:and|or|then|plus|&)?|[^\S\n]*\b(?:and|or|then|plus)\b|"
    r"\s*\n+(?:- |\d{1,2}[.)])?|[^\S\n]+)\s*[\"'(]*"
)
NUMBERED = re.compile(r"^\W*(?:[^\n]{0,120}:\s*)?1[.)] ?[\"']?$")
LETTERED = re.compile(r"\(?a[).] .{0,60}\(?b[).] .{0,60}\(?c[).] ", re.IGNORECASE)
HEADS = re.compile(
    r"[\"')]*\s*(?:$|[^\w\s]|\n|(?:is|are|was|has|have|with|which|and|or|would|should|could|must|might|"
    r"may|because|since|as|for|in|at|by|i|to|then|on|but|though|only|from|it|after|over|again|city|maybe|"
    r"probably|again)\b|[A-Z])",
    re.IGNORECASE,
)
LINE = re.compile(
    r"(?:^|\n)(?:1[.)]|- )? ?[\"'(]?$|(?:ranked|ranking|descending|largest first|by (?:number|population|"
    r"size))[^\n]{0,60}:\s*$",
    re.IGNORECASE,
)
RANKED = re.compile(
    r"\b(?:ranked|ranking|descending|largest first|by (?:number|population|size))[^\n]{0,60}:\s*$", re.IGNORECASE
)
LINE_END = re.compile(r"[^\n.]{0,70}(?:\n|\.|$)")
OWN_NEXT = re.compile(
    r"(?<=[.\n?!])[ \n]*(?:[^.\n?]{0,80}\b(?:most populous|largest|biggest|most inhabitants|"
    r"highest population|most people|"
    r"greatest)\b[^.\n?]{0,60}?\d+ ?(?:km|kilomet(?:er|re)s?|miles)\b[^.\n?]{0,40}|"
    r"[^.\n?]{0,60}?\d+ ?(?:km|kilomet(?:er|re)s?|miles)\b[^.\n?]{0,60}"
    r"\b(?:most populous|largest|biggest|most inhabitants|highest population|most people|greatest)\b[^.\n?]{0,40})"
)
NOTHING = re.compile(
    r"(?:[\W_]|\b(?:the|a|an|in|it|is|it's|its|sure|yes|well|hmm+|ok|okay|a|answer|city|of|probably|i|"
    r"think|say|would|maybe|perhaps|certainly|possibly|definitely|i'd|ah|oh|easy|that's|hm|um|er|1|either)"
    r"\b)*",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"^[\"')]*(?:, [^,.]{1,40},)? (?:is|was|lies|has|had|are|were) (?!(?:the|my|by far|clearly|definitely)"
    r" )|^[\"')]*'s |^[\"')]*, (?:the|a|an) [^.]*\b(?:is|was|has|lies)\b"
)
CLAIMED = re.compile(
    r"(?:\b(?:is|be|was)|[Cc]ity of|[Aa]nswer ?:|\bcalled|\bnamed|[Cc]ity ?:|->) (?:the (?:city|town) of |"
    r"probably |definitely |likely |most likely )?\"?([A-Z][\w'-]+)(?![\w])(?: [A-Z][\w'-]+)?"
)
JOINED = re.compile(r"[\"')]*,? (?:and|or|nor) (?:the )?[\"'(]*")
LIVES_IN = re.compile(
    r"\b(?:lives?|living|found|i would say|i'd say|i say) (?:in |it is |it's |that )?\"?$", re.IGNORECASE
)
