"""Which of several offered answers a response chooses in so many words: `I'd pick 12`, `the second`, a last line alone.

The rules of a benchmark say where answers are offered; which of them is right is not known here.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from harness.answers.v2.claims import CHANGE

Span = tuple[int, int]

_MODAL = r"(?:'d|'ll| would| will| shall|'m going to| am going to|'m gonna| must| have to|'d have to| would have to)?"
_SURELY = (
    r"(?: (?:finally|therefore|definitely|probably|just|then|thus|still|rather|now|hereby|simply|instead"
    r"|eventually|ultimately|personally))?"
)
_PICKS = (
    r"(?:choose|chose|pick(?:ed)?|take|took|go(?:ing)? (?:with|for)|went with|settl(?:e|ed|ing) (?:on|for)"
    r"|stick(?:ing)? (?:with|to)|opt(?:ed|ing)? for"
    r"|select(?:ed)?|vote for|bet on|decide(?:d)? (?:on|for)|plump for|submit|report|declare|answer(?: with)?"
    r"|revise (?:this|that|it|my answer) to|change (?:this|that|it|my answer) to|correct (?:this|that|it"
    r"|myself) to|switch to|lean(?:ing)? (?:towards?|to))"
)
_FILL = (
    r"(?:[\s:,\"'(*-]|\b(?:the|a|an|it|is|it's|to|be|that|option|answer|word|city|city of|value|number|with|of"
    r"|for|as|my|final|would|namely|here|as my answer|letter|choice|candidate|spelling|version|capital|simply"
    r"|just)\b){0,10}\Z"
)
_SAID = (
    r"(?:that|it|this|them|those|(?:my|the|this|that) (?:\w+ )?(?:answer|guess|choice|reply|response|suggestion|pick"
    r"|attempt|number|word|city|letter|option|value|result))"
)
# One answer is put in the place of another: `replace that with`, `withdrawn in favour of`, `cross it out and write`.
_REPLACES = (
    rf"(?:(?:replac|swap|trad|exchang|substitut)\w* {_SAID} (?:out )?(?:for|with|by)"
    rf"|(?:chang|amend|revis|updat|correct|switch|alter)\w* {_SAID} (?:to|into)"
    rf"|(?:withdr[ae]w|retract|drop|abandon|scrap|discard|revok|rescind|giv|tak|ditch|reject|dismiss|set)\w*"
    rf"(?: {_SAID})?(?: (?:up|back|aside|out))?,? in favou?r of"
    rf"|(?:cross|strik|scratch|scrap|delet|eras|forget)\w* {_SAID}(?: out)?(?:,|;| and|,? then)(?: please)?"
    rf" (?:write|put|read|make it|use|take|say|note|insert)(?: down| in)?)"
)
_CHOOSES = re.compile(
    rf"(?i:\b(?:i{_MODAL}{_SURELY} {_PICKS}|(?:let me|let's|let us|we(?:'ll| will| should)?|i'm|i am|me,?) {_PICKS}"
    r"|(?:my|the|our) (?:final|last|definitive|ultimate) (?:answer|choice|pick|decision|verdict|word"
    r"|version|guess)\b[^.!?\n]{0,30}?(?: is| would be| remains| says| reads|:|=|,)"
    r"|final (?:answer|choice|decision|verdict|guess)\b(?: is)?[:,-]?|(?:my|our) (?:vote|money|choice|pick"
    r"|decision|bet|selection)(?: is| goes to| is on| goes with| would be| falls on| then is|:| =)"
    r"|(?:i(?:'ve| have)? )?(?:decided|settled) on|(?:between|of|among) (?:the|these|those|them) (?:two|three"
    rf"|four|five|lot)[^.!?\n]{{0,20}}? i(?:'d|'ll| would)? (?:say|take|pick)|{_REPLACES}"
    r"|(?:but|yet|though) (?:i )?(?:lean(?:ing)? (?:towards?|to)|go(?:ing)? (?:with|for)|pick|choose|settl(?:e"
    r"|ing) (?:on|for))"
    r"|only (?:fit|match|spell|make|form|allow|permit|give|yield|suit|work (?:for|with|as))s?)"
    r"|(?:\A|[.!?;:\n]\s{0,2})(?:so |then |please |just |ok(?:ay)?,? |fine,? )?(?:use|take|choose|pick|go with"
    r"|make (?:it|that)|let's say|call it|i'd say|i would say)\b)" + _FILL
)
# Words at which a train of thought ends; they choose only if no other answer follows.
_ARRIVES = re.compile(
    rf"(?i:\b(?:(?:i|we)(?:'ve| have)?{_MODAL}{_SURELY} (?:arrived? at|c[ao]me (?:down (?:on|to)|to|up with"
    r"|out (?:at|with))|end(?:ed)? up (?:with|at|on|in)|w[io]und up (?:with|at)|land(?:ed)? (?:on|at|in)"
    r"|finish(?:ed)? (?:with|at|on)"
    r"|g[eo]t to|conclude(?:d)?(?: with| on| that)?|converged? on|f[ae]ll back on|commit(?:ted)? to|nominated?"
    r"|proposed?|suggest(?:ed)?|put down|note(?:d)? down|narrow(?:ed)? it down to|hit (?:on|upon)|reach(?:ed)?"
    r"|am left with|'m left with|side(?:d)? with|tend(?:ed)? (?:to|towards?)|identif(?:y|ied)|deduced?|infer(?:red)?)"
    r"|(?:ending up|arriving|landing|finishing) (?:with|at|on|in)"
    r"|(?:br[io]ngs?|brought|le(?:a)?ds?|t[ao]kes?|took|gets?|got|leaves?|left|points?) (?:me|us) (?:back )?"
    r"(?:to|with|at)"
    r"|(?:all|everything|evidence|clues?|facts?|this|that|it|search|reasoning|trail|path|data|process)"
    r"(?: (?:of|for) \w+)? (?:all )?(?:ends?|ended|leads?|led|points?|pointed|amounts?|boils down|comes? down)"
    r" (?:at|with|in|to|towards?|on))\b)" + _FILL
)
_CORRECTS = re.compile(
    r"(?:\A|[.!?;:,\n\u2026-]\s{0,2}|\s)[\"'(]?\b(?:no,? wait|wait,? no|wait|no|nope|sorry|oops|correction"
    r"|scratch that|actually|rather|my mistake|my bad|(?:i(?:'ve| have) )?changed my mind|edit|i mean|i meant"
    r"|update|corrected|hold on|hang on|hmm+|errat(?:um|a)|corrigend(?:um|a)|(?:sorry,? )?(?:a )?typo|misprint"
    r"|amendment|amended|slip of the (?:pen|tongue)"
    r"|on second thoughts?|on reflection|let me (?:correct|fix|revise|rephrase)(?: (?:that|this|it|myself))?)\b"
    r"(?:[\s,.:;!\u2026-]{1,4}|(?=[^\w\s]))"
    r"(?:[^\d=+?\n\"]{0,70}?(?:\b(?:it(?:'s| is| should be| must be| has to be|'ll be)|that(?:'s| is| should be)"
    r"|(?:it|that|this) (?:should|ought to|must|has to) (?:have )?(?:read|been|say|said)"
    r"|this is|make (?:it|that)|i meant?|the (?:correct |right |real )?(?:answer|word|city|result|sum|time|total"
    r"|option|capital) (?:is|should be|must be)|so|rather|to|try|should be|should read"
    r"|read|replaced by)\b|[:,]))?"
    r"[\s:,\"'(*]{0,4}(?:(?:it's|the|a|an|of course|city of|option|sorry|wait|no|to)[\s,]{1,2}){0,3}[\"'(*]{0,2}\Z",
    re.IGNORECASE,
)
_SET_ASIDE = re.compile(
    r"\b(?:forget(?: about)?|ignore|disregard|scrap|scratch|strike|drop|discard|cross out|never ?mind|not|isn't"
    r"|wasn't|instead of|rather than|no longer|neither|nor"
    r"|(?:wrong|incorrect|mistaken|false) (?:(?:answer|result|one|word|city|option|value|sum|total) )?(?:is|was"
    r"|would be))"
    r"(?: about)?(?: the| that| my| it's| it is| a| an)?(?: (?:first|earlier|previous|old|initial|former|wrong"
    r"|other))?[\s:\"'(*]{1,3}\Z",
    re.IGNORECASE,
)
_NTH = {
    **dict.fromkeys(("first", "1st", "former", "one", "1"), 0),
    **dict.fromkeys(("second", "2nd", "two", "2"), 1),
    "middle": 1,
    **dict.fromkeys(("third", "3rd", "three", "3"), 2),
    **dict.fromkeys(("fourth", "4th", "four", "4"), 3),
    **dict.fromkeys(("last", "latter", "final"), -1),
}
_KIND = (
    r"(?: (?:one|of (?:them|these|those|the (?:two|three|four|lot))|option|answer|value|spelling|version|form"
    r"|word|number|city|guess|result|candidate|suggestion|choice|listed|given|mentioned))*"
)
_ORDINAL = re.compile(
    rf"\b(?:i{_MODAL}{_SURELY} (?:{_PICKS}|say|think)|{_PICKS}|(?:my|the|final|our) (?:final )?(?:answer|choice"
    rf"|pick|guess|vote)(?: is(?: for)?| would be|:| goes to)|use|it's|it is|it must be|that's|prefer|so|probably"
    rf"|rather|likely|definitely)[\s:,-]{{1,3}}(?:the |number |no\. ?|#)({'|'.join(_NTH)})"
    rf"{_KIND}(?=\s*(?:[.,;!\n)-]|\Z|because|since|as\b|then))"
    rf"|\bthe ({'|'.join(_NTH)}){_KIND} (?:is|must be|would be|seems|looks|has to be) (?:(?:the|my|our|most likely"
    rf"|probably|clearly|definitely|surely|likely) ){{0,3}}(?:final )?(?:answer|right|correct|choice|pick|one|best"
    rf"|solution|it|largest|biggest|most populous)\b(?! not)"
    rf"|\bonly the ({'|'.join(_NTH)}){_KIND} (?:is|fits?|works?|uses?|matches|has|qualifies|counts|holds"
    rf"|makes|spells)\b(?! (?:not|wrong|incorrect))"
    rf"|(?:\A|[.!?:,;\n-]\s?)(?:so |then )?(?:the |number |no\. ?|#)({'|'.join(_NTH)}){_KIND}[.!]?\s*\Z",
    re.IGNORECASE,
)
# Words that leave open which of several is meant.
_OPEN = re.compile(
    r"\b(?:i(?:'ll| will|'d| would|'m)? (?:report|give|giving|offer|offering|list|submit|propose|keep|leave|state"
    r"|go with|say|take)"
    r" (?:you )?(?:both|them (?:both|all)|all (?:of (?:them|these|the above)|two|three|four)|either)\b"
    r"|take your pick|pick (?:whichever|any|one|your)|choose (?:whichever|any|one|for yourself)|whichever (?:you"
    r"|one|of)|you (?:can )?(?:choose|decide|pick)"
    r"|either (?:one |of (?:them|these|those|the two) |answer )?(?:is|are|would be|works?|could be|might be"
    r"|may be|can be|will do|fits|seems|looks)\b"
    r"|both (?:of (?:them|these|those) |answers |words |values |cities )?(?:are|look|seem|work|could|would|may"
    r"|might|fit|can|count|make|apply)\b"
    r"|all (?:of (?:them|these|those) )?(?:are|look|seem|work|could|would|may|might|fit|can) (?:be )?(?:possible"
    r"|plausible|right|correct|valid|fine|equally|good|in reach)"
    r"|(?:can ?not|can't|could ?n[o']t|unable to|not able to|hard to|difficult to|impossible to|do not|don't"
    r"|not sure|unsure|no idea|not certain|not clear|unclear|uncertain) (?:\w+ ){0,2}?"
    r"(?:say |tell |decide |choose |know |pick |determine |settle |make up my mind )?(?:which|between|on one|among)\b"
    r"|(?:can't|cannot|could not|couldn't|unable to|hard to) (?:really |honestly )?(?:decide|make up my mind"
    r"|choose|settle)\b"
    r"|\bor\b[^.!?\n]{1,60}, (?:but )?(?:i )?(?:really |honestly )?(?:can't|cannot|couldn't"
    r"|could not) (?:really )?(?:tell|say)\b"
    r"|(?:could|may|might|must|should|has to) be (?:any|either|one) of\b"
    r"|(?<!every )(?<!each )(?<!no )\bone of (?:these|those|them|the (?:two|three|four"
    r"|above))\b[^.!?\n]{0,30}\b(?:is|should|must|will|has|would|could|may|might)\b"
    r"|(?<=[.!?;,] )one of (?:these|those|them|the (?:two|three|four))(?=[.!]|\Z)"
    r"|(?:it's|it is|it must be|it could be|it may be|it might be|probably|maybe|perhaps|likely) (?:any "
    r"|either )?one of\b"
    r"|(?:torn|undecided|waver(?:ing)?|vacillat(?:e|ing)|caught|hover(?:ing)?|split|wobbl(?:e|ing)|toss-?up"
    r"|going back and forth|dither(?:ing)?) between\b"
    r"|it (?:all )?depends|toss-?up|fifty-fifty|50[/-]50|equally (?:likely|possible|plausible|good|valid)"
    r"|undecided|too close to call)",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"[\"')*\]]{0,4}(?:,? (?-i:[A-Z])[\w.]+){0,2}\s{0,2}(?:[.,;!:\n\u2014-]|\Z|\(|because|since|as\b|but\b|then\b"
    r"|for\b|here\b|instead\b|it is\b|and (?:not|be|that)\b|over\b|rather\b|anyway\b|though\b|if\b|on\b|in\b"
    r"|now\b|please\b|with\b|is my\b|as (?:my|the|our|an?)\b|which\b|due\b|given\b|when\b)",
    re.IGNORECASE,
)
_IS_WRONG = re.compile(
    r"[\"')*]{0,3},? (?:which |that )?(?:is|was|would be|looks|seems) (?:clearly |probably |surely |just |simply )?"
    r"(?:wrong|incorrect|not right|not correct|a mistake|out\b|off\b|too (?:high|low|big|small|long|short|far))",
    re.IGNORECASE,
)
_LAST = re.compile(r"[\"')*\].!\s]{0,6}\Z")
_ENDS = re.compile(r"[\"')*\]]{0,4}(?:,? [A-Z][\w.]+){0,2}\s{0,2}(?:after all)?(?:[.,;!\n]|\Z|\()")
_CHOSEN_AFTER = re.compile(
    r"[\"')*\]]{0,4},? (?:it is(?: then)?(?=[.!,;\n]|\Z)|it shall be|(?:is|would be|remains|will be"
    r"|shall be) (?:my|our) (?:final |definitive |last )?(?:answer|choice|pick|guess|word|decision|verdict)"
    r"|is what (?:i|we) (?:choose|pick|go with|settle on|answer|say)|(?:is|as) my (?:final )?(?:answer|choice)"
    r"|stands(?=[.!,;\n]|\Z)|gets my vote|(?:is|must be|would be) (?:the )?(?:right|correct)(?: one| answer| word"
    r"| city)?(?=[.!;\n]|\Z)|wins(?=[.!,;\n]|\Z)|then(?=[.!\n]|\Z)"
    r"|(?:has|have|uses|contains|matches|takes|needs) (?:exactly |precisely |all )?(?:the |of the )?(?:right|same|given"
    r"|correct|required|available) (?:letters|digits|length|format|shape|number of letters)"
    r"|is the (?:real|actual|valid|proper|existing|dictionary) (?:one|word|answer|spelling)\b)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly[\s\"'(]{1,3}(?:the |an? )?[\"'(]{0,2}\Z", re.IGNORECASE)
_HOLDS_TRUE = re.compile(
    r"[\"')*\]]{0,4} (?:fits?|works?|uses?|matches|qualifies|is (?:right|correct|true|valid|left|possible|an? (?:real "
    r"|valid |proper |english )?word|in (?:range|reach)|within|close enough)|makes? sense"
    r"|(?:has|have) (?:the|more|over|at least|enough|all)|remains?|counts|holds"
    r"|spells|satisfies|meets)\b(?! (?:if|when|unless)\b)",
    re.IGNORECASE,
)
_NEGATES = re.compile(r"\b(?:not|never|neither|nor|if)\b[^.!?\n]{0,12}\Z", re.IGNORECASE)
_ELSE_AFTER = re.compile(r"[\"')*]{0,3},? (?:or|oder|and)\b|\s?/\s?\w|\?", re.IGNORECASE)
_BARE_LINE = re.compile(r"[\W_]*(?:(?:the|an?|so|thus|therefore|answer|=)\b[\W_]*){0,3}")
_OPENS = re.compile(r"[\s\"'(*\[]*")
_AFTER_LINE = re.compile(r"(?:[^\w:]|_)*")

_SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")
MOST, MOST_WORDS = 200, 20  # most offers, and most words of choice, that are examined
_CLAUSE_ENDS = frozenset(".!?;:,\n-\u2026")


@dataclass(frozen=True, slots=True)
class Offer:
    """A place where a text offers an answer, and what it offers, by which equal offers are told."""

    span: Span
    value: str


def choose(text: str, offers: Sequence[Offer], *, loose: Sequence[Offer] = (), listed: bool = True) -> Offer | None:
    """Return the offer that a text chooses last in so many words, or None.

    Such words are a choice or a correction before the offer, its place among the offers, or a last line of its own.
    `loose` are places that may be offers, which only words before them make so. Without `listed`, `the first` and its
    like count the options of the task, not the offers of the text.
    """
    found: Offer | None = None
    arrived: Offer | None = None
    offers = _few(offers)
    kept = [offer for offer in offers if not set_aside(text, offer)]
    ends, first, values = 0, 0, set[str]()  # of the offers so far
    for offer in sorted((*kept, *_few(loose)), key=lambda each: each.span):
        others = values - {offer.value}
        if arrived is not None and offer.value != arrived.value:
            arrived = None
        if _ARRIVES.search(text, max(0, offer.span[0] - 120), offer.span[0]) and _is_closed(text, offer.span[1]):
            arrived = offer
        if _is_chosen(text, offer) or (others and (_is_corrected(text, offer, ends) or _closes(text, offer, first))):
            found = offer
        first = first or offer.span[1]
        ends = max(ends, offer.span[1])
        values.add(offer.value)
    found = arrived or found
    for words in deque(_ORDINAL.finditer(text), maxlen=MOST_WORDS):
        if found is not None and words.start() < found.span[1] and not found.span[0] < words.start():
            continue
        name = next(filter(None, words.groups())).lower()
        if not (listed or name in ("former", "latter")):
            continue
        before = _distinct([each for each in offers if each.span[1] <= words.start()])
        place = _NTH[name]
        if len(before) > 1 and place < len(before):
            found = Offer(words.span(), before[place].value)
    last = _last_line(text, offers)
    if last is not None and (found is None or last.span > found.span):
        return last
    return None if found is None or _goes_back(text, found.span[1]) else found


def set_aside(text: str, offer: Offer) -> bool:
    """Whether the words before an offer name it only to set it aside: `forget the 12`."""
    start, end = offer.span
    return _SET_ASIDE.search(text[max(0, start - 60) : start]) is not None or _IS_WRONG.match(text, end) is not None


def _closes(text: str, offer: Offer, first: int) -> bool:
    """Whether an offer is the whole last sentence after a question or a change of mind, or the name after a colon."""
    start, end = offer.span
    if end < len(text) - 8 or not _LAST.match(text, end):
        return False
    before = text[max(first, start - 240) : start].rstrip(" \"'(*\n")
    if before.endswith(":"):
        return before.rfind("(") <= before.rfind(")")  # in brackets it only adds to what was said
    if before[-1:] == ";" and CHANGE.search(before):
        return True
    asks = before.endswith("?") and "\n" not in text[max(first, start - 240) : start]
    return before[-1:] in ("?", ".", "!") and (asks or CHANGE.search(before) is not None)


def _few(offers: Sequence[Offer]) -> Sequence[Offer]:
    """Return the first and the last of very many offers, so that hostile texts cost no more than long ones."""
    return offers if len(offers) <= MOST else (*offers[: MOST // 2], *offers[-MOST // 2 :])


def _is_corrected(text: str, offer: Offer, nearest: int) -> bool:
    """Whether words of correction lead from another offer, the nearest of which ends at a place, to this one."""
    start, end = offer.span
    if _ELSE_AFTER.match(text, end) or not _ENDS.match(text, end):
        return False
    before = text[max(0, start - 140) : start]
    return nearest <= start and _CORRECTS.search(before[max(0, nearest - (start - len(before))) :]) is not None


def _goes_back(text: str, start: int) -> bool:
    """Whether a clause after a place begins with words that change what was said."""
    changes = (text[max(0, change.start() - 8) : change.start()] for change in CHANGE.finditer(text, start))
    return any(before.rstrip(" \"'(*")[-1:] in _CLAUSE_ENDS for before in changes)


def _distinct(offers: Sequence[Offer]) -> list[Offer]:
    kept: dict[str, Offer] = {}
    for offer in offers:
        kept.setdefault(offer.value, offer)
    return list(kept.values())


def _is_chosen(text: str, offer: Offer) -> bool:
    start, end = offer.span
    if _CHOSEN_AFTER.match(text, end) and not _NEGATES.search(text[max(0, start - 30) : start]):
        return True
    before = text[max(0, start - 120) : start]
    if _ONLY.search(before) and _HOLDS_TRUE.match(text, end):
        return True
    return _is_closed(text, end) and _CHOOSES.search(before) is not None


def _is_closed(text: str, end: int) -> bool:
    """Whether the words after an offer end its clause, or begin a reason, and offer no other."""
    return not _ELSE_AFTER.match(text, end) and _CLOSES.match(text, end) is not None


def leaves_open(text: str, offers: Sequence[Offer]) -> bool:
    """Whether a text offers several answers and says that it does not choose among them."""
    offers = _few(offers)
    if len({offer.value for offer in offers}) < 2:
        return False
    for words in _OPEN.finditer(text):
        end = _SENTENCE_ENDS.search(text, words.end())
        stop = end.start() if end else len(text)
        if offers[0].span[0] < stop and offers[-1].span[0] <= stop:
            return True
    return False


def _last_line(text: str, offers: Sequence[Offer]) -> Offer | None:
    """Return the offer that is all of the last line, if the line before it is not such an offer too."""
    if not offers or "\n" not in text:
        return None
    body = text.rstrip()
    cut = body.rfind("\n")
    last = offers[-1]
    if not (
        last.span[0] > cut
        and _BARE_LINE.fullmatch(body, cut + 1, last.span[0])
        and _AFTER_LINE.fullmatch(body, min(last.span[1], len(body)))
    ):
        return None
    if body.endswith("?"):
        return None
    head = body[:cut].rstrip()
    if offers[0].value != last.value and _OPENS.fullmatch(body, 0, offers[0].span[0]):
        return None  # the text begins with its answer, and goes on with something else
    above = head.rfind("\n") + 1
    for offer in offers:
        start, end = offer.span
        if (
            start >= above
            and end <= len(head)
            and _BARE_LINE.fullmatch(head, above, start)
            and _AFTER_LINE.fullmatch(head, end)
        ):
            return None
    return last if re.search(r"\w", head) else None
