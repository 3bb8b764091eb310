"""Letters of options that a text proposes, takes back or leaves open, and options named by their place in the list.

The functions do not see which option is right.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.answers.v2.claims import Span, avoidance
from harness.answers.v2.science_options import OptionMention, has_number

# A letter that is not part of a word; a lower-case letter, or the article A, only before a sign or an end.
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
STATED_FORMS = (
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
    re.compile(  # a doubtful word after the letter
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
MARKED_FORMS = (
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
ASIDE = re.compile(  # letters that name something else, or that are only hypothetical
    r"(?i:\b(?:student|vitamins?|hepatitis|points?|groups?|class|type|if|unless|player|from|thing as|"
    r"person|team|figure|step|"
    r"part|plan|blood type|grade|process|sample|box|line|object|ball|car|beaker|plate|solution|"
    r"select (?:one of )?\w+ following:?)) ([A-D])\b()"
)
WRONG = re.compile(
    r"[\"'(\[]?\b([A-D])\b[\"')\]]?" + f"({_MORE}{{0,3}})"
    r"(?:[):.]{0,2} ?(?! ?[A-D]\b)(?:\([^()]{0,60}\) )?(?:(?! [B-D]\b| A (?:and"
    r"|or)\b)[^.\n;:,?]){0,40}?\??)(?i:(?:,? ?(?:-|:)? ?)(?:can(?:not|'t) be|"
    r"(?:is|are|was|were|seems?|looks?|would be)? ?(?:both |all |also |clearly |simply |obviously |"
    r"definitely |just )?(?:wrong|incorrect|(?<!, )not\b(?! (?:option )?[\"'(]?[A-D]\b)(?! (?:\w+ ){0,2}?(?:sure"
    r"|certain|confident|positive)\b)|false|out\b|ruled out"
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
# All options are excluded except this one.
EXCEPT = re.compile(
    r"(?i:\b(?:everything|anything|nothing|all|none|any)\b(?: of (?:them|these|those|the (?:options|others"
    r"|rest)))? (?:except"
    r"(?: for)?|but|besides|other than)(?: (?:for|option|choice|answer)){0,2}) [\"'(]?([A-D])\b(?! (?:is"
    r"|are) (?:right|correct"
    r"|true))"
)


_PLACES = (
    ("first", "1st", "1", "i", "one"),
    ("second", "2nd", "2", "ii", "two"),
    ("third", "3rd", "3", "iii", "three", "penultimate"),
    ("fourth", "4th", "4", "iv", "four", "last", "final"),
)
_LETTERS = {word: letter for letter, words in zip("ABCD", _PLACES, strict=True) for word in words}
_NTH = r"(first|second|third|fourth|1st|2nd|3rd|4th|last|final|penultimate)"
_LISTED = (
    r"(?:(?=of )|option|choice|one|answer|alternative|item|entry|possibility|candidate|response|suggestion)"
    r"(?:(?: |(?<= ))(?:on|in|of) (?:the|this|that|your) (?:list|options|choices|four)\b| listed| given| offered"
    r"| here)?"
)
# Nouns that follow an ordinal in a text about something else.
_ELSE = (
    r"(?:two|three|half|few|thing|points?|steps?|stages?|laws?|time|part|place|questions?|line|day|week|month|year"
    r"|phase"
    r"|century|attempt|try|hint|clue|reason|case|example|quarter|period|group|row|column|person|power|order|most|law's)"
)
_COMMITS = (
    r"(?:\banswer|\bis|\b(?:it|that)'s|\bbe|\bchoos(?:e|ing)|\bpick(?:ing)?|\bselect|\bgo(?:ing)? (?:with|for)|\bsay"
    r"|\bguess|\bthink|\bcorrect|\bleaves(?: us with| only)?|\bleft with|\btake|\bmeans|\bso|\bthus|\btherefore"
    r"|\bopt for|\bhence)"
)
_END = r"(?=\s*(?:[.,;:!)\n]|$|that\b|which\b|because\b|since\b|as\b|is what\b|for\b|on\b|in the list|in this list))"
_FORMS = (
    # the option's number: option 2, number three
    re.compile(
        r"(?:\b(?:option|choice|answer|number)(?: is)?:? (?:#|no\. ?|number )?|^#|^no\. ?)(1|2|3|4|i|ii|iii|iv|one"
        r"|two|three"
        r"|four)"
        r"\b(?!\.?\d)",
        re.IGNORECASE,
    ),
    # the whole text
    re.compile(
        rf"\A\W*(?:the )?{_NTH}(?: {_LISTED}| (?!{_ELSE}\b)[a-z]{{3,14}})?(?:\W*\Z|,? (?:because|since) )",
        re.IGNORECASE,
    ),
    # the place, then the words of what stands there: the second option, the skull
    re.compile(rf"\A\W*(?:the )?{_NTH} {_LISTED}(?:,|:| -) (?=[^.;\n]{{1,80}}[.!]?\Z)", re.IGNORECASE),
    # a commitment, then the place: I would pick the last option; it is the third animal
    re.compile(
        rf"{_COMMITS}\W{{0,2}}(?: ?(?:the|definitely|probably|clearly|be|obviously)){{0,2}} {_NTH}"
        rf"(?: {_LISTED}| (?!{_ELSE}\b)[a-z]{{3,14}})?{_END}",
        re.IGNORECASE,
    ),
    # the place as a subject: the third option is what we want
    re.compile(
        rf"\bthe {_NTH} {_LISTED} (?:is|must be|fits(?: best)?|has to be|would be|seems|makes|looks)(?! (?:not|wrong"
        rf"|incorrect|out"
        r"|false|excluded|clearly (?:not|wrong)|just|impossible|too|about|a|an)\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\bthe {_NTH} (?:is the (?:only|best|right|correct|answer)|fits)\b", re.IGNORECASE),
    re.compile(r"\b(?:one|item|option) in (first|second|third|fourth|last) (?:place|position)\b", re.IGNORECASE),
)
_LEADS = re.compile(r"(?:answer|is|be|choose|pick|would be|correct|say|go with|so|:)\W*(?:the )?$", re.IGNORECASE)
_NUMBERED_SUBJECT = re.compile(r"\s*(?:[.,;:!)]|is |because |since |as |on the list|in the list|$)")
_TAKEN_BACK = re.compile(r"(?:\bnot|n't|\bnor|\bneither|\brather than|\bwhether)(?: \w+){0,2}\W*$", re.IGNORECASE)


def ordinals(text: str, has_numbers: bool) -> Iterator[tuple[str, Span]]:
    """Yield the options proposed by their place in the list: letter and span.

    If the options have numbers, a number in the text is one of these, unless the word option precedes it.
    """
    number, *others = _FORMS
    for found in number.finditer(text):
        before = text[max(0, found.start() - 40) : found.start()]
        if has_numbers and not found.group().lower().startswith("option"):
            continue
        lone = len(text) - len(found.group()) <= 12
        begins = not before.strip(" \"'(-") and _NUMBERED_SUBJECT.match(text, found.end())
        if (lone or begins or _LEADS.search(before)) and not _TAKEN_BACK.search(before):
            yield _LETTERS[found.group(1).lower()], found.span()
    for form in others:
        for found in form.finditer(text):
            if not _TAKEN_BACK.search(text[max(0, found.start() - 30) : found.start(1)]):
                yield _LETTERS[found.group(1).lower()], found.span(1)


STATED, MARKED = 2, 1


@dataclass(frozen=True, slots=True)
class LetterClaim:
    """Letters proposed at one place, several if they are side by side, and how strongly."""

    letters: tuple[str, ...]
    span: Span
    strength: int


def letters(
    options: Mapping[str, str], text: str, said: list[OptionMention]
) -> tuple[list[LetterClaim], frozenset[str], bool]:
    """Return the letters proposed, in order, the letters taken back, and whether the text leaves the choice open."""
    listed = _listed(options, text, said)
    rejected_at, rejected = _rejected(text)
    all_four = [found.span() for found in ALL_FOUR.finditer(text)][:20]
    claims: dict[int, LetterClaim] = {}
    for strength, forms in ((MARKED, MARKED_FORMS), (STATED, STATED_FORMS)):
        for pattern in forms:
            for found in pattern.finditer(text):
                at = next(
                    start for start in (found.start(group) for group in range(1, pattern.groups + 1)) if start >= 0
                )
                if (
                    at in rejected_at
                    or any(start <= at < end for start, end in all_four)
                    or (strength == MARKED and at in listed)
                    or _article(text, at, said)
                ):
                    continue
                claims[at] = LetterClaim(_together(text, at), (at, at + 1), strength)
    excepted = {found.start(1) for found in EXCEPT.finditer(text)}
    rejected -= {text[at] for at in excepted}
    claims.update((at, LetterClaim((text[at],), (at, at + 1), STATED)) for at in excepted)
    for letter, span in ordinals(text, any(map(has_number, options.values()))):
        claims.setdefault(span[0], LetterClaim((letter,), span, STATED))
    if (last := EITHER.search(text)) and not avoidance(text)[1] and last.start(1) not in claims:
        claims[last.start(1)] = LetterClaim((last.group(1), last.group(2)), last.span(1), MARKED)
    ordered = [claims[at] for at in sorted(claims)]
    if _spaced(options, text, said):
        ordered.insert(0, LetterClaim((text[0].upper(),), (0, 1), MARKED))
    return ordered, rejected, _undecided(text, ordered)


def _spaced(options: Mapping[str, str], text: str, said: list[OptionMention]) -> bool:
    """Whether a text begins with a letter, a space and the text of that option."""
    begins = re.match(r"([A-Da-d]) ", text)
    if not begins or not said or said[0].span[0] > 8:
        return False
    letter = begins.group(1).upper()
    return said[0].letter == letter and not options[letter].lower().startswith(f"{letter.lower()} ")


def _article(text: str, at: int, said: list[OptionMention]) -> bool:
    """Whether a letter is an article: the text of an option, or a small word, directly follows it."""
    if text[at] not in "Aa" or not text[at + 1 : at + 2].isspace() or text[at + 1 : at + 2] == "\n":
        return False
    return any(0 < mention.span[0] - at <= 2 for mention in said) and (text[at] == "a" or text[at - 1 : at] not in "(")


def _together(text: str, at: int) -> tuple[str, ...]:
    """Return the letter at a place, and a letter that is joined to it: `A and C`."""
    found = BOTH.match(text, at)
    if found and not re.match(r"[\"')]{0,2} (?:is|are) (?:wrong|not|incorrect)", text[found.end() :]):
        return found.group(1), found.group(2)
    before = BOTH.search(text, max(0, at - 16), at + 1)
    if before and before.end(2) == at + 1:
        return before.group(1), before.group(2)
    return (text[at].upper(),)


def _listed(options: Mapping[str, str], text: str, said: list[OptionMention]) -> frozenset[int]:
    """Return the places of letters that only restate the options: each before its own text, for most of the options."""
    places: dict[str, list[int]] = {}
    for mention in said:
        found = re.search(
            r"(?:^|[\s(\"'\[])([A-Da-d])(?:[\"')\].:]{1,3} ?| - | )(?:the |an? |it |is |in |to )*\"?$",
            text[max(0, mention.span[0] - 16) : mention.span[0]],
            re.IGNORECASE,
        )
        if found and found.group(1).upper() == mention.letter:
            places.setdefault(mention.letter, []).append(max(0, mention.span[0] - 16) + found.start(1))
    if len(places) < len(options) - 1:
        return frozenset()
    if min(places) != "A" and min(each for at in places.values() for each in at) <= 2:
        return frozenset()  # it names an option, and then continues with those after it
    runs = [places[letter][0] for letter in sorted(places)]
    if runs != sorted(runs):
        return frozenset()
    return frozenset(at for each in places.values() for at in each[:1])


def _rejected(text: str) -> tuple[frozenset[int], frozenset[str]]:
    """Return the places and the letters that the text takes back."""
    places: set[int] = set()
    aside: set[int] = set()
    for found in ASIDE.finditer(text):
        aside.add(found.start(1))
    for pattern in (NOT, WRONG):
        for found in pattern.finditer(text):
            if (
                pattern is WRONG
                and text[found.start(1)] == "A"
                and re.match(r"A [a-z]", text[found.start(1) :][:3])
                and not re.match(r"A (?:is|was|can|does|isn|and|or|seems|would)\b", text[found.start(1) :][:9])
            ):
                continue
            places.add(found.start(1))
            more = found.start(2)
            places.update(more + each.start() for each in re.finditer(r"\b[A-D]\b", found.group(2)))
    return frozenset(places | aside), frozenset(text[at] for at in places)


def _undecided(text: str, claims: list[LetterClaim]) -> bool:
    """Whether a text only weighs letters against each other, and states none after that."""
    last = next(iter(deque(OPEN.finditer(text), maxlen=1)), None)
    if last is None or last.group(1) == last.group(2):
        return False
    if re.search(r"(?i:\beither(?: it is| it's)? ?\W?)$", text[: last.start(1)][-20:]) and not avoidance(text)[1]:
        return False
    later = [claim for claim in claims if claim.strength == STATED and claim.span[0] > last.end(2)]
    inside = re.search(r"(?i:not|cannot|can't|n't|neither|rule out|eliminate)[^.\n]{0,20}$", text[: last.start(1)])
    return not later and not inside
