"""Labelling rules for multiple-choice answers: correct, avoidant or incorrect, rule set OURS-v2.

The module includes letters that an answer gives for different cases, and options whose words it takes back. A label
depends only on the response, the options and the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text
from harness.answers.v2.choice import Offer, choose, leaves_open
from harness.answers.v2.claims import CHANGE, Span, avoidance, changed, cut_off, reading
from harness.answers.v2.claims import declines as _declines
from harness.answers.v2.numbers import digits_for_words
from harness.answers.v2.science_letters import MARKED, OPEN, STATED, LetterClaim, letters
from harness.answers.v2.science_options import (
    OptionMention,
    bare_number,
    by_kind,
    closest,
    mentions,
    nearest,
    numeric,
    table,
    unnegated,
    unsure,
    whole,
)
from harness.answers.v2.standing import label_standing
from harness.answers.v2.text import RULE_SET, cut_next_question

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
    r"\W*(?i:both |answers? )?[A-D](?:(?:, | & | or | ?/ ?| ?\+ ?|,? and (?:also )?| as well as | plus "
    r"| along with )[A-D]){1,2}"
    r"(?: together| combined| both)?\W*"
)
# Words after an option's text that propose it.
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
LONE_LETTER = re.compile(r"(?<![\w'.])(?:[B-D]|A(?! [a-z]{2,}\b(?<!though)(?<!because)(?<!since)(?<!but)))(?![\w'])")
SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|\n")
CONCLUDES = re.compile(
    r"\b(?:so|thus|hence|therefore|consequently|accordingly|finally|in conclusion|overall|all in all|in short"
    r"|in sum|because|since"
    r"|as a result|which makes|that makes|this makes|that means|this means|it follows|to conclude|then)\b",
    re.IGNORECASE,
)
IS_THE_ONE = re.compile(
    r"[\"')]{0,2} (?:is|are|was|were|must be|would be|has to be|makes?) (?:therefore |thus |then |clearly "
    r"|indeed )?(?:the\b|what\b|where\b|it\b|called|our\b|my\b|right|correct)",
    re.IGNORECASE,
)
# A last sentence that turns to another thing: `But it's the pollen that they need.`
TURNS_TO = re.compile(
    r"(?:\A|[.!?;,\n] ?|- )(?:but|no|actually|however|rather|instead|yet)\b,?[^.!?;\n]{0,60}?\b(?:it's|it is|it was"
    r"|that's"
    r"|that is) (?:really |actually |rather |only )?(?:the |an? )?([^\W\d_]{3,})(?: [^\W\d_]{3,})? (?:that|which|who)\b"
    r"[^.!?;\n]*[.!]?\s*\Z",
    re.IGNORECASE,
)
VERBS = re.compile(
    r"\b(?:is|are|was|were|be|answer|question|option|correct|following|can|could|has|have|do|does)\b", re.IGNORECASE
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
WEIGHED = re.compile(
    r"\b(?i:torn|undecided|waver\w*|hesitat\w*|toss-?up|split"
    r"|choice) between [\"'(]?(?:option )?([A-D])\b"
    r"[\"')]? (?:and|or) [\"'(]?(?:option )?([A-D])\b(?![\"')]?,? (?:but|yet|though)\b)"
)
IS_SOMETHING = re.compile(r"(?i:the) [^.\n]{2,60} (?:is|are) (?:the |an? )?(\w+)(?: \w+)?[.!]?")
# The text after an option's text if a list continues; other words after a comma only describe the option.
GOES_ON = re.compile(r"[\"')]*(?:,(?! (?:a|an|the|which|because|since|not|as|for|it|that)\b)|,? and|,? or) ")


_CASE = (
    r"(?:in|on|at|for|by|if|when|during|under|with|without|near)\b(?! (?:this|that|these|fact|short|my|here|case"
    r"|the (?:que"
    r"stion|end|options|list|other hand|answer)|conclusion|general)\b)"
)
_BEING = (
    r"(?:[,:]? ?(?:then |you (?:get|have) |it'?s |it is |it would be |it'?d be |it will be |would be |that is "
    r"|the answer "
    r"is |answer |choose |pick |take |is |= ?|option ){0,2})"
)
_LETTER = r"[\"'(]?\b([A-D])\b[\"')]?(?!')"
# Different letters for different cases, when nothing says which case the question is about.
_FIRST_CASES = re.compile(
    rf"(?i:\b{_CASE}) [^.;,:\n]{{1,40}}?{_BEING}{_LETTER}[^.;,\n]{{0,25}}(?:[,;.\n] ?| (?=and|but|whereas|while))"
    rf"(?:(?i:and|but|or|whereas|while) )?(?i:{_CASE}) [^.;,:\n]{{1,40}}?{_BEING}{_LETTER}"
)
_FIRST_LETTERS = re.compile(
    rf"{_LETTER}(?: is right| is correct| is the answer| holds)? (?i:{_CASE}) [^.;,\n]{{1,40}}[,;.] ?(?:(?:and|but"
    rf"|or) )?"
    rf"(?:otherwise,?|else|if not,?|{_LETTER}(?: is right| is correct| holds)? (?i:{_CASE}))(?: {_BEING}{_LETTER})?"
)
_DEPENDING = re.compile(rf"(?i:\bdepending on\b)[^.\n]{{0,60}}?{_LETTER} or {_LETTER}")
# Two letters of which the text accepts either.
_EITHER_DOES = re.compile(
    rf"{_LETTER} or {_LETTER}[^.\n]{{0,15}}(?i:\b(?:both|either)\b[^.\n]{{0,20}}\b(?:do|works?|fine|fits?|right|correct"
    r"|possible|okay|ok|acceptable)\b)"
)
_PARTLY = re.compile(
    rf"(?i:\b(?:some|part)(?: of \w+)?(?: \w+)? (?:is|are)) {_LETTER}[^.\n]{{0,20}}(?i:\b(?:some|others?|part"
    rf"|the rest)\b"
    rf"(?: of \w+)?(?: \w+)? (?:is|are)) {_LETTER}"
)
_SETTLES = re.compile(
    r"\b(?:here|this (?:case|question|one)|the question|as asked|so|thus|therefore|hence|overall|final|finally"
    r"|i(?:'d|'ll| would| will| choose| pick))\b",
    re.IGNORECASE,
)

_NAME = r"((?:[A-Z][a-z]{1,12}|(?:student|person|speaker|pupil|friend)(?= \d))(?: \d)?)"
_SAYS = re.compile(
    rf"\b{_NAME} (?:says?|said|thinks|thought|picks|picked|chose|chooses|answers|answered|claims|suggests) (?:it is "
    rf"|it's "
    r"|option )?[\"'(]?([A-D])\b"
)
_SIDES = re.compile(
    rf"\b(?:(?i:agree with|side with|go with|believe|trust) {_NAME}|{_NAME} (?:is|was|has|gets|got) (?:it )?(?:right"
    rf"|correct))\b",
)


_RANKED = re.compile(
    r"(?:\b(?i:ranking|ranked|order of (?:likelihood|probability))[^A-D\n]{0,30}[\"'(]?([A-D])[\"')]?(?:,| ?>| then)"
    r"|\A[\"'(]?([A-D])[\"')]? ?> ?[A-D]\b|\b(?i:most likely) ([A-D]),? (?:and )?(?:then|followed by|second) )"
)


def ranked_first(text: str) -> tuple[str, Span] | None:
    """Return the letter that a text ranks before the others, with its span, or None."""
    found = _RANKED.search(text)
    at = found.lastindex if found else None
    return (found.group(at), found.span(at)) if found and at else None


def by_case(text: str) -> tuple[frozenset[str], Span] | None:
    """Return different letters for different cases, if the text does not choose between the cases, or None."""
    for form in (_FIRST_CASES, _FIRST_LETTERS, _DEPENDING, _EITHER_DOES, _PARTLY):
        for found in form.finditer(text):
            named = frozenset(each for each in found.groups() if each)
            if len(named) > 1 and not _SETTLES.search(text, found.start()):
                return named, found.span()
    return None


def sided_with(text: str) -> tuple[str, Span] | None:
    """Return the letter chosen by a person in the text whom the text calls right, or None."""
    said = {found.group(1).lower(): found for found in _SAYS.finditer(text)}
    for found in _SIDES.finditer(text):
        who = (found.group(1) or found.group(2)).lower()
        if who in said:
            return said[who].group(2), said[who].span(2)
    return None


_JOINED = re.compile(
    r"(?: \([^()\n]{0,40}\))?[\"')]{0,2}(?:,? (?:and|or|nor) (?:also )?|, ?| ?/ ?)(?:not |the |an? |it's |it is |in "
    r"|by ){0,2}[\"'(]{0,2}"
)
_LINKS = re.compile(r"\b(?:and|or|nor|not)\b")
_OUT = re.compile(
    r"[\"')]{0,2},? (?:(?:is|are|was|were|would be|can be|could be|must be) (?:(?:all|both|also|clearly|obviously"
    r"|surely"
    r"|plainly|therefore|simply) ){0,2}(?:out\b|wrong|incorrect|excluded|eliminated|ruled out|not\b|false|impossible)"
    r"|(?:makes?|made) no sense|do(?:es)?(?:n't| not)|can(?:not|'t)|(?:has|have) (?:none|no)\b|(?:is|are)n't)"
    r"|[\"')]{0,2}\? No\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"[\"')]{0,2} (?:has|have) none[.!]?\s*\Z", re.IGNORECASE)  # not a rejection of the option
_REJECTS = re.compile(
    r"\b(?:not|nor|neither|rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|discard(?:ed|ing)?"
    r"|cross(?:ed|ing)? (?:out|off)|cannot be|nothing to do with|(?:can|is|was|are|could|does|do)n't(?: be)?)"
    r" (?:(?:the|an?|of|by|in|it's|it is|be|both|either|also) ){0,2}[\"'(]{0,2}\Z",
    re.IGNORECASE,
)


def denied(text: str, said: Sequence[OptionMention]) -> list[bool]:
    """Return for each mention whether the text takes it back; a list with `and` or `nor` is taken back as a whole."""
    found: list[bool] = []
    for run in _runs(text, said):
        starts, ends = [_before(text, each) for each in run], [_behind(text, each) for each in run]
        if len(run) > 1 and (starts[0] or ends[-1]) and _LINKS.search(text, run[-2].span[1], run[-1].span[0]):
            found += [True] * len(run)
        else:
            found += [start or end for start, end in zip(starts, ends, strict=True)]
    return found


def _runs(text: str, said: Sequence[OptionMention]) -> Iterator[list[OptionMention]]:
    """Yield the mentions of each list: those with only commas, `and`, `or` and `nor` between them."""
    run: list[OptionMention] = []
    for mention in said:
        if run and not _JOINED.fullmatch(text, run[-1].span[1], mention.span[0]):
            yield run
            run = []
        run.append(mention)
    if run:
        yield run


def _before(text: str, mention: OptionMention) -> bool:
    start = mention.span[0]
    return _REJECTS.search(text[max(0, start - 40) : start]) is not None


def _behind(text: str, mention: OptionMention) -> bool:
    end = mention.span[1]
    if DENIED.match(text[end : end + 40]) is not None:
        return True
    return _OUT.match(text, end) is not None and _NONE.match(text, end) is None


LETTERS = "ABCD"
# The rules that decide a label, as `rule` in the result's `more`; None if nothing was proposed.
BY_LETTER, BY_MARK, BY_TEXT, BY_PART, BY_ELIMINATION, BY_OTHER = 1, 2, 3, 4, 5, 6

MOST_WORDS = 40  # most words of a text that paraphrases an option

OTHER, SEVERAL = "other", "several"  # in place of a letter: an answer that is no option; several options
_VAGUE_WORDS = """
not unclear unknown below above given that this it there no yes in on to as found one here obvious clear follows listed
simple based very important important available explained shown what which because
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
_LISTED_WORDS = "first second third fourth last former latter option answer letter other same"
_OF_LIST = frozenset(_LISTED_WORDS.split())
_IDLE_WORDS = """
skip pass null nil void blank undefined unanswered abstain error later ask consult see try check google
yes no ok okay sure thanks thank hello hi please well the a i you good see let to of in and explain nobody
"""
_IDLE_REPLIES = frozenset(_IDLE_WORDS.split())


def science_text(response: str) -> str:
    """Return the text in which an answer's rules read: plain, and up to the model's own next question."""
    return _text(response)


@cached_by_text(64)
def _text(response: str) -> str:
    return digits_for_words(cut_next_question(reading(response)))


def science(options: Mapping[str, str], key: str, response: str) -> LabelResult:
    """Label an answer to a question with four options: `c` if it commits to `key`, `i` if to another one, else `a`.

    A letter counts more than the words of an option. In the result's `more`, `rule` is the number of the rule that
    decided (1 a letter stated, 2 a letter that marks, 3 an option's text, 4 a part of it, 5 elimination, 6 another
    answer proposed), or None.
    """
    text = _text(response)
    result = label_standing(text, lambda standing: _label(options, key, standing))
    if result.label == "a" and len(text) < len(whole_text := reading(response)):
        rest = whole_text[len(text) :]
        if len({each.letter for each in mentions(options, rest)}) == len(options):  # it restated the question
            return label_standing(whole_text, lambda standing: _label(options, key, standing))
    return result


def _label(options: Mapping[str, str], key: str, text: str) -> LabelResult:
    found = _decided(options, text)
    if found is None:
        kind, span = avoidance(text)
        return LabelResult("a", kind, RULE_SET, span, (), 0, {"rule": None})
    letter, span, rule, seen = found
    return LabelResult("c" if letter == key else "i", None, RULE_SET, span, truncated(seen), len(seen), {"rule": rule})


_Decision = tuple[str, Span, int, tuple[str, ...]]


def _decided(options: Mapping[str, str], text: str) -> _Decision | None:
    """Return what a text commits to, and by which rule; OTHER stands for an answer that is none of the options."""
    if not text:
        return None
    said = mentions(options, text)
    claims, rejected, undecided = letters(options, text, said)
    stated = [claim for claim in claims if claim.strength == STATED]
    if (rated := table(text, said)) and all(rated.span[0] <= each.span[0] <= rated.span[1] for each in stated):
        rule = BY_MARK if rated.best[0] in text[slice(*rated.span)] else BY_TEXT
        return rated.best[0] if len(rated.best) == 1 else SEVERAL, rated.span, rule, rated.best
    seen = tuple(dict.fromkeys(claim.letters[-1] for claim in claims))
    out = denied(text, said)
    texts = _texts(text, said, out)
    if (
        found := _turns_to_another(text, said, stated)
        or _in_context(text, stated)
        or _chosen(text, claims, said, texts, seen)
    ):
        return found
    if stated and not undecided:
        return _stated(text, stated, texts, seen)
    found = None if stated else _none_of_them(options, text)
    if found is None and (stated or not undecided):
        found = _marked(text, claims, said)
    if found or undecided:
        return found
    gone = rejected | {each.letter for each, is_out in zip(said, out, strict=True) if is_out}
    left = _by_elimination(text, gone - {each.letter for each in texts}, seen)
    return (None if texts else left) or _by_text(options, text, texts, seen) or left


def _chosen(
    text: str,
    claims: list[LetterClaim],
    said: list[OptionMention],
    texts: list[OptionMention],
    seen: tuple[str, ...],
) -> _Decision | None:
    """Decide by an option that a text chooses in so many words, or by several that it expressly leaves open."""
    offers = [Offer(each.span, each.letters[0]) for each in claims] + [Offer(each.span, each.letter) for each in texts]
    offers.sort(key=lambda each: each.span)
    loose = [Offer(found.span(), found.group()) for found in LONE_LETTER.finditer(text)]
    choice = choose(text, offers, loose=loose, listed=False)
    if choice is not None:
        both = [each for each in claims if each.span == choice.span and len(set(each.letters)) > 1]
        rule = BY_LETTER if choice.span[1] - choice.span[0] == 1 else BY_TEXT
        return SEVERAL if both else choice.value, choice.span, rule, seen
    if side := SIDE_BY_SIDE.fullmatch(text):
        return SEVERAL, side.span(), BY_MARK, seen
    offers = [*offers, *(Offer(each.span, each.letter) for each in said)]
    if pair := OPEN.search(text) or WEIGHED.search(text):
        offers += [Offer(pair.span(group), pair.group(group)) for group in (1, 2)]
    offers.sort(key=lambda each: each.span)
    if leaves_open(text, offers):
        return SEVERAL, (offers[0].span[0], offers[-1].span[1]), BY_MARK, seen
    return None


def _stated(text: str, stated: list[LetterClaim], texts: list[OptionMention], seen: tuple[str, ...]) -> _Decision:
    """Decide by the last letter stated, or by the text of an option that is stated after a change of mind."""
    last = stated[-1]
    for mention in reversed(texts):
        start = mention.span[0]
        if mention.span > last.span and changed(text, last.span[1], start) and _is_said(text, start, 60):
            return mention.letter, mention.span, BY_TEXT, seen
    names = {each for claim in stated for each in claim.letters}
    concludes = re.search(
        r"\b(?:so|thus|hence|therefore|finally|then|conclusion),? ?(?:it's |it is |that's |(?:the|my"
        r"|our) (?:\w+ )?(?:answer|choice|option)"
        r"(?: is| must be| would be|:) )?(?:option |letter )?\W{0,2}$",
        text[max(0, last.span[0] - 50) : last.span[0]],
        re.IGNORECASE,
    )
    several = len(names) >= 3 and not concludes and not changed(text, stated[0].span[1], last.span[0])
    letter = last.letters[0] if len(set(last.letters)) == 1 and not several else SEVERAL
    return letter, last.span, BY_LETTER, seen


def _turns_to_another(text: str, said: list[OptionMention], stated: list[LetterClaim]) -> _Decision | None:
    """Decide by a last sentence that names something else than the options, and none of them."""
    found = TURNS_TO.search(text)
    if found is None or found.group(1).lower() in _VAGUE | _OF_LIST:
        return None
    places = [*(each.span for each in said), *(each.span for each in stated)]
    if any(span[1] > found.start() for span in places):
        return None
    return OTHER, found.span(1), BY_OTHER, ()


def _in_context(text: str, stated: list[LetterClaim]) -> _Decision | None:
    """Decide by letters for different cases, or by the letter of a person who is said to be right."""
    cases = by_case(text)
    if cases and (not stated or stated[-1].span[0] <= cases[1][1]):
        return SEVERAL, cases[1], BY_LETTER, tuple(sorted(cases[0]))
    if (sided := sided_with(text) or ranked_first(text)) and not (stated and stated[-1].span > sided[1]):
        return sided[0], sided[1], BY_LETTER, (sided[0],)
    return None


def _is_said(text: str, start: int, reach: int) -> bool:
    return SAYS.search(text[max(0, start - reach) : start]) is not None


def _none_of_them(options: Mapping[str, str], text: str) -> _Decision | None:
    """Decide by words that propose all of the options, none of them, or one that was not offered."""
    if offered := by_kind(options, text):
        return offered[0], offered[1], BY_TEXT, (offered[0],)
    other = ALL_OR_NONE.search(text[:200]) or OUTSIDE.search(text)
    if other and unsure(text, other.start()):
        return None
    if other and (len(text) < 60 or other.start() < 30):
        return OTHER, other.span(), BY_OTHER, ()
    return None


def _marked(text: str, claims: list[LetterClaim], said: list[OptionMention]) -> _Decision | None:
    """Decide by letters that mark an answer without stating it: the only one, or the decisive one of several."""
    marked = [claim for claim in claims if claim.strength == MARKED]
    names = tuple(dict.fromkeys(each for claim in marked for each in claim.letters))
    if side := SIDE_BY_SIDE.fullmatch(text):
        return SEVERAL, side.span(), BY_MARK, names
    if len(names) > 1:
        return _of_marks(text, marked, names, said)
    if not marked or (marked[0].span[0] > 12 and cut_off(text)):
        return None
    return names[0], marked[0].span, BY_MARK, names


def _of_marks(
    text: str, marked: list[LetterClaim], names: tuple[str, ...], said: list[OptionMention]
) -> _Decision | None:
    """Choose among several letters that mark: the first if the text begins with it, or the last if it ends the text."""
    first, last = marked[0], marked[-1]
    changes = changed(text, first.span[1], last.span[0])
    begins = first.span[0] <= 3 or (said and first.span[0] - said[0].span[1] <= 3 and said[0].span[0] <= 8)
    letter = None
    if len(names) == len(LETTERS) and not CHANGE.search(text):
        letter = None
    elif len(last.letters) > 1 or len(first.letters) > 1:
        letter = SEVERAL
    elif changes or len(text) - last.span[1] <= 3 < first.span[0]:
        letter = last.letters[0]
    elif begins:
        return first.letters[0], first.span, BY_MARK, names
    return (letter, last.span, BY_MARK, names) if letter else None


def _texts(text: str, said: list[OptionMention], out: list[bool]) -> list[OptionMention]:
    """Return the mentions of options' texts that the text does not take back."""
    kept = []
    for mention, is_out in zip(said, out, strict=True):
        start = mention.span[0]
        if not is_out and not DENIES.search(text[max(0, start - 40) : start]):
            kept.append(mention)
    return kept


def _by_text(
    options: Mapping[str, str], text: str, texts: list[OptionMention], seen: tuple[str, ...]
) -> _Decision | None:
    """Decide by the words of an option: those of the whole text, the resulting number, or a stated option."""
    if (letter := whole(options, text)) and not ASKS.match(text):
        return letter, (0, len(text)), BY_TEXT, seen
    claimed = [each for each in texts if _is_said(text, each.span[0], 90) or SAID_AFTER.match(text, each.span[1])]
    arrived = None if cut_off(text) else numeric(options, text)
    if arrived is not None and (not claimed or arrived[1] >= claimed[-1].span):
        letter, span = arrived
        return letter or OTHER, span, BY_TEXT if letter else BY_OTHER, seen
    if not claimed:
        return _by_mention(options, text, texts, seen)
    last = claimed[-1]
    near = [each for each in texts if 0 < each.span[0] - last.span[1] < 12 and LIST_ENDS.match(text, each.span[1])]
    beside = {each.letter for each in near} - {last.letter}
    joins = re.match(r"[\"')]*(?:,| and| (or)) ", text[last.span[1] :])
    if beside and joins and joins.group(1) and avoidance(text)[1]:
        return None
    if beside and joins:
        return SEVERAL, last.span, BY_TEXT, (*seen, last.letter, *sorted(beside))
    return last.letter, last.span, BY_TEXT, seen


def _by_mention(
    options: Mapping[str, str], text: str, texts: list[OptionMention], seen: tuple[str, ...]
) -> _Decision | None:
    """Decide by options that are named without being stated: the only one, or the one that begins the text."""
    names = tuple(dict.fromkeys(each.letter for each in texts))
    declines = _declines(text) if HEDGES.search(text) else avoidance(text)[1] is not None
    asks = text.rstrip().endswith("?")
    if len(names) == 1 and (not asks or HEDGES.search(text)):
        start = texts[0].span[0]
        weak = bare_number(options, names[0]) or (cut_off(text) and start > 12) or (declines and start >= 30)
        return None if weak else (names[0], texts[0].span, BY_TEXT, seen)
    if declines or (names and asks) or (names and bare_number(options, names[0]) and len(names) == 1):
        return None
    if not names:
        return _by_part(options, text)
    return _of_mentions(options, text, texts, names) or _concluded(text, texts, names)


def _concluded(text: str, texts: list[OptionMention], names: tuple[str, ...]) -> _Decision | None:
    """Decide by the only option that the last sentence of a longer text names in a conclusion."""
    if cut_off(text):
        return None
    start = max((found.end() for found in SENTENCE_ENDS.finditer(text[:-1])), default=0)
    last = [each for each in texts if each.span[0] >= start]
    if not start or len({each.letter for each in last}) != 1 or text.endswith("?"):
        return None
    concludes = CONCLUDES.search(text, start, last[0].span[0])
    if concludes or any(IS_THE_ONE.match(text, each.span[1]) for each in last):
        return last[-1].letter, last[-1].span, BY_TEXT, names
    return None


def _of_mentions(
    options: Mapping[str, str], text: str, texts: list[OptionMention], names: tuple[str, ...]
) -> _Decision | None:
    """Choose among several named options: the one that begins the text, unless the text is only a list of them."""
    start, end = texts[0].span
    lead = re.sub(r"\W*\b(?:the|a|an|it is|it's)\b|\W", "", text[:start], flags=re.IGNORECASE)
    if len(names) == len(options):
        return None
    if len(names) == 2:
        ends = len(text) - texts[1].span[1] <= 3 and BOTH_NAMED.search(text[max(0, start - 28) : start])
        if ends or BOTH_AFTER.match(text, texts[1].span[1]):
            return SEVERAL, texts[0].span, BY_TEXT, names
    if not lead and text[end : end + 1] in ('"', ".", "\n", ";", ",", "") and not GOES_ON.match(text, end):
        return names[0], texts[0].span, BY_TEXT, names
    if len(text.split()) - sum(len(text[slice(*each.span)].split()) for each in texts) <= 4:
        return SEVERAL, texts[0].span, BY_TEXT, names
    return None


def _by_part(options: Mapping[str, str], text: str) -> _Decision | None:
    """Decide by a distinctive part of an option in a statement or a short text; or by an answer that is no option."""
    if text.endswith("?"):
        return None
    for found in CLAUSE.finditer(text):
        clause = found.group(1)
        if letter := nearest(options, unnegated(clause)):
            return letter, found.span(1), BY_PART, (letter,)
        first = re.search(r"[^\W_]+", clause.lower())
        if first and first.group() not in _VAGUE and len(clause.split()) <= 8:
            return OTHER, found.span(1), BY_OTHER, ()
    words = re.findall(r"[^\W_]+", text)
    meant = unnegated(text)
    letter = nearest(options, meant) if 0 < len(words) <= 12 else None
    if letter := letter or (closest(options, meant) if len(words) <= MOST_WORDS and not cut_off(text) else None):
        return letter, (0, len(text)), BY_PART, (letter,)
    return (OTHER, (0, len(text)), BY_OTHER, ()) if _is_other(text, words) else None


def _is_other(text: str, words: list[str]) -> bool:
    """Whether a short text gives an answer that is none of the options."""
    said = IS_SOMETHING.fullmatch(text) if len(words) <= 7 else None
    if said:
        return said.group(1).lower() not in _VAGUE
    if re.match(r"\W*(?:the|an?) ", text, re.IGNORECASE) and not VERBS.search(text):
        words = words[1:]
        return 0 < len(words) <= 6 and len(words[0]) > 1
    return 0 < len(words) <= 3 and words[0].lower() not in _IDLE_REPLIES and len(text) >= 2


def _by_elimination(text: str, rejected: frozenset[str], seen: tuple[str, ...]) -> _Decision | None:
    """Decide by the one remaining option if all others are taken back."""
    left = [letter for letter in LETTERS if letter not in rejected]
    if len(left) == 1 and len(rejected) == len(LETTERS) - 1:
        return left[0], (0, len(text)), BY_ELIMINATION, (*seen, left[0])
    return None
