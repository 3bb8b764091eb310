"""Labelling rules for answers that name a city: correct, avoidant or incorrect, rule set OURS-v2.

The module includes the phrases by which a city is proposed or set aside. A label depends only on the response, the item
and the gazetteer.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from harness.answers.gazetteer import Gazetteer, Span, plain
from harness.answers.names import COMMON_WORDS, STOP_WORDS
from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text
from harness.answers.v2.choice import Offer, choose, leaves_open
from harness.answers.v2.claims import CHANGE, avoidance, cut_off, reading
from harness.answers.v2.exonyms import all_names, other_names
from harness.answers.v2.places import REGIONS, CityMention, SoughtNames, bare, mentions, sought
from harness.answers.v2.standing import label_standing
from harness.answers.v2.text import RULE_SET, cut_next_question

_FILL = (
    r"(?:the |a |an |city |town |capital |metropolis |municipality |nearby |of |called |named |probably |"
    r"likely |most likely |definitely |clearly |certainly |actually |indeed |simply |still |therefore |"
    r"then |rather |either |is |just |in fact |perhaps |maybe |obviously |great |big |large |good |old |"
    r"port |most populous |largest |biggest |by far |also |surely |without doubt |of course |my |answer |"
    r"[:,\"'(-] ?){0,8}"
)
_MOST = (
    r"(?:most populous|most populated|largest|biggest|highest population|most people|most inhabitants|"
    r"greatest|more people|(?:more|most) (?:inhabitants|residents|citizens|souls)|more populous|"
    r"(?:larger|higher|bigger|greater) population|bigger|larger|population|number one|first|top|winner|answer|city|"
    r"correct|right|"
    r"one|choice|guess|bet|place|metropolis|neighbou?r|where most people live|name|we (?:mean|look for)|"
    r"respuesta|ciudad|ville|stadt|citt\u00e0|antwort)"
)
SAYS = re.compile(
    rf"(?:\b{_MOST}\b[^.!?\n;]{{0,110}}?(?:\b(?:is|was|would be|must be|should be|has to be|will be|"
    rf"could be|might be|may be|seems to be|appears to be|remains|es|est|ist|\u00e8|goes to|are|be)\b|[:=])"
    rf"|"
    r"\b(?:answer|city|result|largest|name|target|guess|output)\"? ?[:=]|"
    r"\b(?:it's|it is|it must be|it should be|it would be|it could be|it might be|could it be|might it be"
    r"|would it be|that's|that is|"
    r"that would be|this is|this would be|so|thus|hence|therefore|must be|has to be|choose|pick|select|"
    r"visit|go with|going with|say|guess|think|think of|believe|suggest|settle on|settle for|namely|"
    r"called|named|mean|meant|conclude|live in|lives in|living in|found in|leaves|leaving|we mean|but|"
    r"instead|rather|correction|actually|wait|no|yes|means|final answer|try|recommend|->|=>|i'd say|"
    r"bet on|then|only|make that|make it|but rather|sorry|probably|maybe|perhaps|definitely|go to|goes to|"
    r"opt for|opting for|remains|surely)\b)[,:.]? ?"
    rf"{_FILL}$",
    re.IGNORECASE,
)
EXCEPTED = re.compile(r"[\"')]*,? (?:except|apart|besides|but|save|other|aside|excluding|unless)\b", re.IGNORECASE)
# No other city is as large as the one that follows.
NONE_BEATS = re.compile(
    r"\b(?:(?:no|none|nothing|not one|nowhere|nobody|no one)\b[^.!?\n]{0,60}?\b(?:rivals?|matches|match|exceeds?"
    r"|surpass(?:es)?"
    r"|beats?|outranks?|tops?|comes? (?:close|near)(?: to)?|(?:is|are|has|have) (?:\w+ ){0,3}?(?:than|as))"
    r"|(?:loses?|lost|second) (?:out )?(?:only )?to|(?:beaten|dwarfed|outranked|surpassed|exceeded|topped|overshadowed)"
    r"(?: only)? by|pales? (?:next to|beside|before))"
    r" (?:the |that of |those of |those in )?[\"'(]*$",
    re.IGNORECASE,
)
IS_MOST = re.compile(
    rf"^[\"')]*(?: [Cc]ity\b)?(?: ?\([^()]{{0,80}}\))?(?:, [^,.;]{{0,60}},)? ?(?:it is\b|it's\b|is my|gets my|I think|"
    rf"I believe|I guess|I suppose|it must be|wins|tops|takes|comes (?:out )?(?:on top|first|top|ahead)|leads\b|"
    rf"(?:heads|leads) the|stands out|prevails|dominates|(?:sounds|seems|looks|feels) (?:right|likely|best|correct)|"
    rf",? (?:perhaps|maybe|probably|possibly|presumably|surely|most likely)[.!]?$|(?:ranks|places) (?:first|highest)|"
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
    r"comes in|is (?:bigger|larger) but|(?:, (?-i:[A-Z])[\w ]{1,30})?\? no\b|, no\b|- no\b|falls? (?:just )?outside|"
    r"too far|"
    r"lies outside|"
    r"is (?:\w+ ){0,3}(?:km|kilomet\w+|miles) (?:away|off|from)|, (?:though|although) (?:bigger|larger|"
    r"close|near)|- too|\((?:too|outside|out of)|is (?:bigger|larger|more populous)[^.;\n]{0,40}\bbut)",
    re.IGNORECASE,
)
# After `would be the largest, but`: words about the writer, which set no city aside.
OWN_DOUBT = re.compile(
    r",? (?:i|my|i'm|i've|please|do not|don't|double|that's (?:just|only)|take|this is (?:just|only)"
    r"|you (?:should|may|might))\b",
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
# Data of the question: a text that goes on with them repeats the question.
ONE_OF = re.compile(
    r"\bone of (?:the cities )?(?:of )?\Z|\b(?:torn|undecided|toss-?up|waver\w*|vacillat\w*|caught|hover\w*|split"
    r"|wobbl\w*"
    r"|back and forth|dither\w*) between [^.!?\n]{0,50}\Z",
    re.IGNORECASE,
)
RESTATES = re.compile(r"\b(?:distance|radius|within|country|latitude|population)\b ?[:=]", re.IGNORECASE)
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
    r"probably |definitely |likely |most likely )?\"?([A-Z](?:[\w'-]+(?![\w])(?: [A-Z][\w'-]+)?|(?=[.\"]?\Z)))"
)
NAMED_MOST = re.compile(
    r"(?:\A|[.!?\n] ?)\"?([A-Z][\w'-]+(?: [A-Z][\w'-]+){0,3})\"?,? (?:(?:that|it|which|this) )?(?:is|has|must be"
    r"|would be) (?:by far |surely |probably )?the (?:largest|biggest|most populous|most people|most inhabitants)\b"
)
JOINED = re.compile(r"[\"')]*,? (?:and|or|nor) (?:the )?[\"'(]*")
ALONE = re.compile(r"[\"')]*(?:\s?\([^()]{0,80}\)|,[^\n.;!?]{0,60})?(?:[.!\n]|\Z)")
BULLETED = re.compile(r"\s*(?:[^\n]{0,120}:\s*)?- [\"']?")
LAID_OUT = re.compile(r"[ \t]*[|{\[]")  # the beginning of a line of a table or of a record
# A text that denies what it says elsewhere.
NOT_THE_ANSWER = re.compile(
    r"[^.!?\n]{0,60}?\b(?:is not|isn't|cannot be|can't be) (?:the |my |our )?(?:right |correct |largest )?"
    r"(?:answer|it|city|one)\b",
    re.IGNORECASE,
)
IS_NOT = re.compile(r"\b(?:it is|it's|answer is|that is|city is) (?:definitely |certainly )?not \Z", re.IGNORECASE)
TURNS = re.compile(r"\b(?:but|however|yet|though|although|if|might|would|could|some|many|people|thought|think)\b", re.I)
# An answer that is stated and names no city: coordinates or a number.
COORDINATES = re.compile(
    r"\b\d{1,3}(?:[.,]\d{1,8})? ?\u00b0[^A-Za-z\n]{0,12}[NSEW]?\b|\b(?:answer|result|city)(?: is|:) ?\d[\d.,]*\W*\Z"
)
# An answer that describes a place and does not name it.
DESCRIBED = re.compile(
    r"\W*(?:(?:it|that|this)(?:'s| is| would be| must be) |probably |surely |maybe |perhaps |i'd say "
    r"|i would say )?the "
    r"(?:(?!most |largest|biggest|nearest|closest)[\w'-]+ ){0,3}?(?:capital|metropolis|port|seaport|seat|city|town"
    r"|harbou?r)"
    r"(?: city)? (?:of|at|on|in|by|that|which|where|with|near)\b"
    r"(?! (?:the )?(?:most|largest|biggest|highest|a radius|this|that|your|question))[^?\n:]{3,120}[.!\"')]*\Z",
    re.IGNORECASE,
)
NOT_DESCRIBED = re.compile(
    r"\b(?:populous|populated|population|largest|biggest|radius|within|km|distance|question|answer|depends?|not|n't)\b",
    re.IGNORECASE,
)
LIVES_IN = re.compile(
    r"\b(?:lives?|living|found|i would say|i'd say|i say) (?:in |it is |it's |that )?\"?$", re.IGNORECASE
)


STATED, HEAD, MET = 3, 2, 1  # how strongly a city is proposed
MOST_WORDS = 7  # most words of a name
REACH = 160  # characters around a city that are examined


@dataclass(frozen=True, slots=True)
class _Claim:
    """A city that a text names, and how strongly the text proposes it; 0 if it sets the city aside."""

    mention: CityMention
    strength: int


@cached_by_text(256)
def locality_text(response: str) -> str:
    """Return the text in which a city's names are searched: plain, and up to the model's own next question."""
    return plain_lines(cut_next_question(reading(response)))


def plain_lines(text: str) -> str:
    """Normalise each line of a text as names are normalised; line breaks are kept."""
    return text if text.isascii() else "\n".join(map(plain, text.split("\n")))


def locality(city: str, target: str, accepted: Collection[str], response: str, gazetteer: Gazetteer) -> LabelResult:
    """Label an answer to which city is the most populous near `city`; `accepted` are other names of `target`.

    `c` if the city that it commits to is the target, `i` if that is another one or several are given without a choice,
    else `a`; `n_cities` in the result's `more` counts the named cities.
    """
    right, own = sought((target, *accepted, *other_names(target))), sought((city,))
    text = _up_to_own_next(locality_text(response), city)
    return label_standing(text, lambda standing: _label(standing, right, own, gazetteer))


def _label(text: str, right: SoughtNames, own: SoughtNames, gazetteer: Gazetteer) -> LabelResult:
    named = mentions(text, right, own, gazetteer, sought(all_names())) if text else []
    claims = _claims(text, named)
    names = list(dict.fromkeys(mention.name for mention in named if mention.kind != "own"))
    more = {"n_cities": len({_key(mention) for mention in named})}
    chosen = _picked(text, named, claims) or _chosen(text, claims)
    if chosen is not None and (denied := _denied(text, named, chosen)):
        return LabelResult("i", None, RULE_SET, denied, truncated(names), len(names), more)
    if chosen is None and (other := _unnamed(text, named, gazetteer)):
        return LabelResult("i", None, RULE_SET, other, truncated([text[slice(*other)]]), 1, more)
    if chosen is None:
        kind, span = avoidance(text)
        return LabelResult("a", kind, RULE_SET, span, truncated(names), len(names), more)
    names = names or [chosen.name]
    return LabelResult(
        "c" if chosen.kind == "right" else "i", None, RULE_SET, chosen.span, truncated(names), len(names), more
    )


def _denied(text: str, named: list[CityMention], chosen: CityMention) -> Span | None:
    """Return where a text denies its own answer without a change of mind, or None."""
    for mention in named:
        if mention.span == chosen.span or _key(mention) != _key(chosen):
            continue
        start, end = mention.span
        if not (NOT_THE_ANSWER.match(text[end : end + REACH]) or IS_NOT.search(text[max(0, start - 40) : start])):
            continue
        first, last = sorted((mention.span, chosen.span))
        if not CHANGE.search(text[first[1] : last[0]]) and not TURNS.search(text[first[1] : last[0]]):
            return mention.span
    return None


def _picked(text: str, named: list[CityMention], claims: list[_Claim]) -> CityMention | None:
    """Return the city that a text chooses in so many words, or None."""
    offers = [Offer(mention.span, _key(mention)) for mention in named if mention.kind != "own"]
    if (choice := choose(text, offers)) is None:
        live = [
            claim.mention for claim in claims if claim.strength or ONE_OF.search(text[: claim.mention.span[0]][-80:])
        ]
        weighed = [mention for mention in live if mention.kind != "own"]
        if leaves_open(text, [Offer(mention.span, _key(mention)) for mention in weighed]):
            return next((mention for mention in weighed if mention.kind == "other"), None)
        return None
    same = [mention for mention in named if _key(mention) == choice.value]
    return next((mention for mention in same if mention.span == choice.span), same[-1])


def _up_to_own_next(text: str, city: str) -> str:
    """Cut a text where, after its first sentence, it turns to another city's most populous neighbour."""
    asked = bare(plain(city))
    for found in OWN_NEXT.finditer(text):
        of = re.search(r"\b(?:of|from|around|near|to) [A-Z]", found.group())
        if of and asked not in bare(found.group()) and re.search(r"[A-Z]", text[: found.start()]):
            return text[: found.start()].rstrip()
    return text


def _key(mention: CityMention) -> str:
    return mention.name.lower() if mention.kind == "other" else mention.kind


def _claims(text: str, named: list[CityMention]) -> list[_Claim]:
    """Weigh each city; one that follows a set-aside city and `and` or `or` is set aside with it."""
    claims: list[_Claim] = []
    for mention in named:
        weight = strength(text, mention, named)
        before = text[max(0, mention.span[0] - REACH) : mention.span[0]]
        if weight == MET and NONE_BEATS.search(before) and not EXCEPTED.match(text, mention.span[1]):
            weight = STATED
        if claims and weight == MET and not claims[-1].strength:
            first, last = claims[-1].mention.span
            joined = JOINED.fullmatch(text, last, mention.span[0])
            if joined and ASIDE_TOO.search(text[max(0, first - 40) : first]):
                weight = 0
        claims.append(_Claim(mention, weight))
    return claims


def strength(text: str, mention: CityMention, named: list[CityMention]) -> int:
    """Return how strongly a text proposes a city: stated, at the beginning, mentioned in passing; 0 if set aside."""
    start, end = mention.span
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    if (mention.kind == "other" and _beside(text, mention, named)) or _set_aside(before, after):
        return 0
    says = SAYS.search(before) is not None
    if mention.kind == "own":
        return _own(text, mention, says)
    if says or IS_MOST.match(after) or CITY_OF.search(before):
        return STATED
    if NOTHING.fullmatch(text, 0, start):  # noqa: SIM108 - a certificate pins the code of this function
        heads = HEADS.match(after)
    else:
        heads = LINE.search(before) and LINE_END.match(after)
    return HEAD if heads else MET


def _set_aside(before: str, after: str) -> bool:
    """Whether the words around a city exclude it or only compare with it."""
    aside = SET_ASIDE_AFTER.match(after)
    if aside and not (IS_MOST.match(after) and OWN_DOUBT.match(after, aside.end())):
        return True
    clause = before[max(before.rfind(end) for end in (". ", "\n", "? ", "! ")) + 1 :]
    led = SET_ASIDE_BEFORE.search(clause) and not CITY_OF.search(before)
    unbeaten = NONE_BEATS.search(clause) and not EXCEPTED.match(after)
    return bool(led) and LIVES_IN.search(before) is None and not unbeaten


def _beside(text: str, mention: CityMention, named: list[CityMention]) -> bool:
    """Whether a name is not a city here: a region, the place that contains a city, or a short foreign word."""
    start, end = mention.span
    alone = len(text) <= end + 20
    if mention.name.lower() in REGIONS and (start or not alone):
        return True
    return _contained(text, mention, named) or (len(mention.name) <= 3 and not alone and not _is_stated(text, mention))


def _is_stated(text: str, mention: CityMention) -> bool:
    start, end = mention.span
    before = text[max(0, start - REACH) : start]
    return any((SAYS.search(before), CITY_OF.search(before), IS_MOST.match(text[end:])))


def _own(text: str, mention: CityMention, says: bool) -> int:
    """Return the strength of the city asked about, which is meant only if the answer is nothing else or states it."""
    start, end = mention.span
    if NOTHING.fullmatch(text, 0, start) and re.match(
        r"[\"')]*(?:,? \(?[A-Z][^\W\d_]+){0,3}\)?(?:[.!\n]|$)", text[end:]
    ):
        return 0 if RESTATES.search(text, end) else HEAD
    most = IS_THE_MOST.match(text[end : end + 60]) and len(text) < 80
    stated = says and re.match(r"[\"')]*(?: itself)?(?:[.,!\n]|$)", text[end:])
    return STATED if most or stated else 0


def _contained(text: str, mention: CityMention, named: list[CityMention]) -> bool:
    """Whether a name only says where the city before it is: `Perth, Ontario`."""
    place = named.index(mention)
    if not place:
        return False
    last = named[place - 1]
    if not CONTAINER.match(text[last.span[1] : mention.span[0]]):
        return False
    if not re.match(r"[\"')]*\s*(?:$|[,.;:)(\n-])", text[mention.span[1] :]):
        return False
    following = named[place + 1] if place + 1 < len(named) else None
    listed = following and BETWEEN_LISTED.fullmatch(text, mention.span[1], following.span[0])
    earlier = place > 1 and BETWEEN_LISTED.fullmatch(text, named[place - 2].span[1], last.span[0])
    return not listed and not earlier


def _chosen(text: str, claims: list[_Claim]) -> CityMention | None:
    """Return the city that a text commits to, or None."""
    live = [claim for claim in claims if claim.strength]
    if not live or (cut_off(text) and text.endswith((" and", ",", " or"))) or (len(live) > 2 and LETTERED.search(text)):
        return None
    groups = _groups(text, live)
    stated = [claim for claim in live if claim.strength == STATED]
    head = next((claim for claim in live if claim.strength == HEAD), None)
    if head and (not stated or _stands_alone(text, head, stated, live)):
        stated = [head] if not stated else [head, *[each for each in stated if _changes(text, head, each)]]
    if stated:
        last = stated[-1]
        later = [
            each
            for each in live
            if each.mention.span > last.mention.span and _changes(text, last, each) and each.strength == MET
        ]
        return _of_group(text, later[-1] if later and _final(text, last, later[-1]) else last, groups)
    kinds = {_key(claim.mention) for claim in live}
    if avoidance(text)[1] is not None:
        return None
    if len(kinds) == 1 and not text.endswith("?"):
        return live[-1].mention
    if all(LAID_OUT.match(text, text.rfind("\n", 0, claim.mention.span[0]) + 1) for claim in live):
        return next((claim.mention for claim in live if claim.mention.kind != "right"), None)
    return None


def _stands_alone(text: str, head: _Claim, stated: list[_Claim], live: list[_Claim]) -> bool:
    """Whether the beginning of a text is an answer by itself, so that later sentences only add to it."""
    end = head.mention.span[1]
    sentence = ALONE.match(text, end)
    if sentence is None:
        return False
    others = [each for each in live if each.mention.span[0] >= end]
    if BULLETED.fullmatch(text, 0, head.mention.span[0]):
        return False
    if any(each.mention.span[0] < sentence.end() and _key(each.mention) != _key(head.mention) for each in others):
        return False  # the first of several
    return stated[0].mention.span > head.mention.span


def _changes(text: str, first: _Claim, later: _Claim) -> bool:
    between = text[first.mention.span[1] : later.mention.span[0]]
    return re.search(r"\b(?:but|however|yet)\b", between) is not None or CHANGE.search(between) is not None


def _final(text: str, last: _Claim, later: _Claim) -> bool:
    """Whether a city named after a change of mind replaces the one stated before."""
    between = text[last.mention.span[1] : later.mention.span[0]]
    return (
        CHANGE.search(between) is not None
        and re.match(r"[\"')]*\s*(?:[.!]|$|\n)", text[later.mention.span[1] :]) is not None
    )


def _groups(text: str, live: list[_Claim]) -> list[list[_Claim]]:
    """Group the cities that are side by side in one enumeration."""
    groups: list[list[_Claim]] = []
    for claim in live:
        if groups and _goes_on(text, groups[-1], claim):
            groups[-1].append(claim)
        else:
            groups.append([claim])
    return groups


def _all_but_last(group: list[_Claim]) -> list[CityMention]:
    return [claim.mention for claim in group[:-1]]


def _goes_on(text: str, group: list[_Claim], claim: _Claim) -> bool:
    """Whether a city continues an enumeration; a line without a bullet ends a list with bullets."""
    between = BETWEEN_LISTED.fullmatch(text, group[-1].mention.span[1], claim.mention.span[0])
    if between is None or "\n" not in between.group():
        return between is not None
    return "\n-" in between.group() or not BULLETED.fullmatch(text, 0, group[0].mention.span[0])


def _of_group(text: str, claim: _Claim, groups: list[list[_Claim]]) -> CityMention | None:
    """Return the city, or a wrong one of the same enumeration, in which nothing was chosen.

    The first city of a numbered list is the choice, and so is a first city after which the line ends.
    """
    for group in groups:
        if claim in group and len({_key(each.mention) for each in group}) > 1:
            first = group[0].mention
            if (
                claim is group[-1]
                and claim.strength == STATED
                and _key(claim.mention) in map(_key, _all_but_last(group))
            ):
                return claim.mention  # named again after the list
            if (
                RANKED.search(text[: first.span[0]])
                or NUMBERED.match(text[: first.span[0]])
                or (
                    "\n" in text[first.span[1] : group[1].mention.span[0]]
                    and not BULLETED.fullmatch(text, 0, first.span[0])
                )
            ):
                return first
            if re.search(r"\bor\b", text[first.span[1] : group[-1].mention.span[0]]) and avoidance(text)[1]:
                return None
            wrong = [each.mention for each in group if each.mention.kind != "right"]
            return wrong[0] if wrong else claim.mention
    return claim.mention


# City names that are also words of answers; meant only if called a city, or if they are the whole answer.
_WORDS_OF_ANSWERS = "nice split reading mobile bath orange tours lens hull sale deal most cork vienna"
_WORDS_AND_CITIES = frozenset(_WORDS_OF_ANSWERS.split())


def _unnamed(text: str, named: list[CityMention], gazetteer: Gazetteer) -> Span | None:
    """Return the span of an answer that is not a known city: a word called a city, or a short text that is a name."""
    for found in (*CLAIMED.finditer(text), *NAMED_MOST.finditer(text)):
        word = bare_word(found.group(1))
        known = any(each.span[0] <= found.start(1) < each.span[1] for each in named)
        ordinary = len(word) > 1 and (word in gazetteer.common or word in COMMON_WORDS)
        if not known and (word in _WORDS_AND_CITIES or not ordinary) and not found.group().isupper():
            return found.span(1)
    if not named and len(text) <= REACH and avoidance(text)[1] is None:
        if numbered := COORDINATES.search(text):
            return numbered.span()
        if DESCRIBED.fullmatch(text) and not NOT_DESCRIBED.search(text) and not cut_off(text):
            return 0, len(text)
    if named or not _is_name(text):
        return None
    return 0, len(text)


def _is_name(text: str) -> bool:
    """Whether a whole text reads as a name: short, not a sentence, with capitals or in another script."""
    words: list[str] = re.findall(r"[^\W\d_]+", text)
    if words and bare_word(words[0]) in _WORDS_AND_CITIES:
        rest = text[text.index(words[0]) + len(words[0]) :]
        if len(words) == 1 or (words[0][0].isupper() and IS_MOST.match(rest)):
            return True
    if not 0 < len(words) <= MOST_WORDS or text.endswith("?") or avoidance(text)[1] is not None:
        return False
    if not text.isascii() and not re.search(r"[a-z]", text):
        return True
    telling = [word for word in words if word.lower() not in STOP_WORDS]
    capitals = 2 * sum(word[0].isupper() for word in telling) >= len(telling)
    if telling and words[0][0].isupper() and (len(words) <= 3 or capitals) and not re.search(r"[.!?:] |\d", text):
        return True
    return len(words) == len(telling) == 1 and len(words[0]) > 3


def bare_word(word: str) -> str:
    """Return a word in lower case, without a possessive ending."""
    return word.lower().removesuffix("'s")
