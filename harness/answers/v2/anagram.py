"""Labelling rules for answers to anagrams: correct, avoidant or incorrect, rule set OURS-v2.

The rules first collect the words that an answer proposes, and how strongly, by the phrases around them; then they
choose the label. A label depends only on the response, the letters and the solutions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from harness.answers.result import LabelResult, truncated
from harness.answers.text_cache import cached_by_text
from harness.answers.v2.choice import Offer, choose, leaves_open
from harness.answers.v2.claims import CHANGE, Span, avoidance, changed, reading
from harness.answers.v2.standing import label_standing
from harness.answers.v2.text import RULE_SET, cut_next_question

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_W = r"\"?'?(?<![a-z])(?<![a-z]-)([a-z]+(?:-[a-z]+)*)(?![a-z0-9]|-[a-z])"  # a whole word, not a part of one
# Letters one by one: "l-i-s-t-e-n", "l i s t e n", "l, i, s, t, e and n", "l + i + s".
SPELLED = re.compile(
    r"(?<![a-z0-9'])\"?[a-z]\"?(?:(?: ?[-+,./|_>] ?| )(?:and )?\"?[a-z]\"?(?![a-z0-9'])){2,}", re.IGNORECASE
)
_GLUE = (
    r"(?:(?:most likely|probably|likely|simply|therefore|actually|indeed|in fact|then|perhaps|definitely|"
    r"either|clearly|obviously|just|an?|the|english|correct|common|valid|final|right|word|words|answer|"
    r"indeed|of|for|called|out|as|is|would be) |[:,] ?|- |\(?[a-e]\) ?){0,6}"
)
_IS = (
    r"(?: ?[:=]| (?:is|was|are|be|being|would be|could be|might be|may be|must be|should be|has to be|"
    r"can be|seems to be|appears to be|reads)(?![a-z]))"
)
STATED_FORMS = (
    # the answer is X
    re.compile(
        rf"\b(?:answer|solution|words?|result|original|guess|response|output|verdict|unscrambled|rearranged|anagram|"
        rf"respuesta|r\u00e9ponse|antwort|risposta|wort|mot|palabra|parola|palavra|slovo|"
        rf"\u043e\u0442\u0432\u0435\u0442|\u0441\u043b\u043e\u0432\u043e|\u7b54\u6848)"
        rf"\"?[^.\n:=!?]{{0,80}}?{_IS} ?{_GLUE}{_W}"
    ),
    re.compile(rf"(?:answer|solution|word|unscrambled|result)\"? ?[:=]\s{{0,3}}{_GLUE}{_W}"),
    re.compile(
        rf"\b(?:i(?:'ll| will|'d| would) (?:answer|say|choose|pick|try)|"
        rf"go(?:ing)? with|settle (?:on|for)|choose|pick|stick with|final answer|guess(?:ing)? is|opt for)"
        rf" {_GLUE}{_W}"
    ),
    re.compile(
        rf"{_W}\"? (?:is|was|must be|would be|has to be|should be) (?:the|my|our) (?:\w+ ){{0,2}}(?:answer|"
        rf"solution|word|guess|result|one)\b"
    ),
    re.compile(
        rf"{_W}\"? (?:is|was) (?:what|all that|the only (?:word|one)(?: that)?)(?:'s| is)? "
        rf"(?:remains|left|comes out|fits|works|we (?:get|want|have))\b"
    ),
)
SHOWN_FORMS = (
    re.compile(
        rf"(?:->|=>|=|\bspells?(?: out)?|\bspelling(?: out)?|\bunscrambles?(?: to| into| as)|"
        rf"\bunscrambled(?: to| into| as| it)?|\brearranged?(?: \w+){{0,4}}?(?: to| into| as)(?: form| make|"
        rf" spell| get| give)?|\brearranges(?: to| into)|"
        rf"\b(?:to|into|can|could|i|you|we|they|it|letters|which|this|that|will|would) (?:form|make|spell|get|"
        rf"give|create|produce|find|have|see|read)s?|\bforms|\bmakes|\bgives?(?: us| me| you)?|\byields?|"
        rf"\bbecomes?|\bturns? into|\bcomes? out as|\banagram (?:of|for)|\bgot|\bgets?|\breads|"
        rf"\bdecodes? (?:to|as)|\bform(?:ing)? the word|\bturn(?:ed|ing)? (?:\w+ ){{0,3}}into|\bthen)"
        rf" ?{_GLUE}{_W}"
    ),
    re.compile(
        rf"(?:\bit's|\bit is|\bthat's|\bthis is|\bthat is|\bit was|\bit must be|\bmust be|\bi(?:'d|"
        rf" would)? (?:say|guess|think|believe|bet|suspect|propose|suggest)(?: that)?(?: it'?s?)?(?: is|"
        rf" be)?(?: spells)?|\bmaybe|\bperhaps|\bprobably|\bpossibly|\bso|\bthus|\bhence|\btherefore|\btry|"
        rf"\bhow about|\bwhat about|\bmight be|\bcould be|\bmean|\bmeant|\bmeans|\bdefinitely|\bah|\boh|\baha|"
        rf"\byes|\bbingo|\bobviously|\beasy|\bonly|\bleaves)[,:!.]{{0,3}} ?{_GLUE}{_W}"
    ),
    re.compile(
        r"(?:^|[.!?:\n] ?|, |so |- )\"?(?<![a-z])([a-z]+)\"?,? (?:is what|is an? (?:valid |real )?(?:anagram|"
        r"word|rearrangement)|it is|fits|works|uses (?:all|every|each)|comes out|seems right|looks right|"
        r"has all|can be (?:made|formed|spelled)|would be my|is my|i think|i believe|i guess|perhaps|maybe|"
        r"surely|probably|for sure|of course)"
    ),
)
SHUFFLED = re.compile(
    rf"\b(?:shuffl|jumbl|scrambl|mix|rearrang)\w+ (?:up )?(?:the )?(?:letters (?:of|in) )?{_W}\"? (?:gave|"
    rf"gives|give|yields|leads|results|produces)\b"
)
_MIXING = r"(?:shuffl|scrambl|jumbl|mix|rearrang|stirr|reorder)(?:es?|ed|ing)?(?: up)?"
# The other way round: the letters shown are what the word gives.
GIVES_LETTERS = (
    re.compile(
        rf"\b(?:from|out of|starting from) (?:the )?(?:word |letters of )?{_W}\"?,? (?:(?:you|one|we|i|they)(?: can"
        rf"| could)?"
        r" )?(?:gets?|obtains?|makes?|forms?|comes?|arrives? at|reach(?:es)?)(?: to)? \"?\Z"
    ),
    re.compile(
        rf"{_W}\"?,? (?:(?:when |once |if |after )?(?:it is )?{_MIXING},? )?(?:is|gives?|yields?|becomes?|turns into"
        r"|leads to|results in|makes|spells) \"?\Z"
    ),
    re.compile(
        rf"\b(?:(?:{_MIXING}|take|taking) (?:the )?(?:word |letters (?:of|in) )?)\"?{_W}\"?(?:,? (?:and )?{_MIXING}"
        r"(?: it| them)?(?: up)?)?,? (?:and )?(?:you (?:get|obtain|have)|out comes|to get|and get|it gives|one gets|you"
        r" arrive at) \"?\Z"
    ),
)
OF_WORD = (
    re.compile(
        rf"\"? (?:comes|came|arises|results|stems|is (?:made|formed|obtained|got|built)) (?:from|by|out of|of|when)"
        rf" (?:{_MIXING} )?(?:the )?(?:word |letters (?:of|in) )?{_W}"
    ),
    re.compile(rf"\"? ?(?:<-|\u2190|<=) ?{_W}"),
    re.compile(
        rf"\"? is (?:just |simply |nothing but |only )?(?:an? )?(?:{_MIXING}|anagram)(?: version| form)?(?: of)? {_W}"
    ),
    re.compile(rf"\"? is (?:just |simply |nothing but )?{_W}\"? (?:{_MIXING}|in disguise|in another order)"),
)
LAST = re.compile(r"[:.?!] ?\"?([a-z]{3,})\"?[.!]?$")
QUOTED = re.compile(r"(?<![a-z])[\"']([a-z]{2,}(?:-[a-z]+)*)[.,!?]?[\"'](?![a-z])")
LONE_FORM = re.compile(r"^\W*(?:\d{1,2}[.)] )?([a-z]+(?:-[a-z]+)*)\W*$", re.MULTILINE)
REJECTED_BEFORE = re.compile(
    r"(?:\bnot|n't(?: be)?|\bnor|\bneither|\brather than|\binstead of|\bexcept|\bnever|\bwithout|"
    r"\bthought of|\bfirst saw|"
    r"\brule out|\bunlike|\bno longer|\bignore|\bnot \w+,? \w+ and not|\balmost|\bnearly|\bcontains?|"
    r"\bfragment|\blooks like|"
    r"\bresembles?|\brhymes with|\bsimilar to|\btempted to say|\bclose to|\bfrom|\bwrong|\bletters (?:of|in)|"
    r"\bstarts? with|\bends? (?:with|in)|\bending|\bprefix|\bsuffix|\btried)(?: the word| simply| just|:|"
    r" an?)?[ \"']{0,3}$"
)
REJECTED_AFTER = re.compile(
    r"^[\"']?(?: \(.{0,40}\))?(?:[,;:]|\.{2,3})? ?(?:- )?(?:(?:but|which|that|it|and|though|however|yet|no,?)"
    r" ){0,2}(?:is not|isn't|is wrong|is incorrect|is (?:out|ruled out|excluded|eliminated|gone|no good)\b"
    r"|are not|aren't|was not|"
    r"wasn't|(?:would|will|does|do|did|can|could)(?: not|n't)(?! (?:hold|quote|trust|take|rely|blame|sue|bet|ask|count"
    r"|judge|be too|swear|vouch|put)\b)|cannot|is (?:too|missing|only|one letter|"
    r"short|invalid|close)|has (?:too|an extra|one|two|only|a|an|no)|"
    r"(?:needs?|lacks?|leaves?|uses? (?:an?|two|too|only|letters)|misses)\b|is in there|that leaves|"
    r"leaving|(?:has|have) (?:\w+ ){0,2}extra|nope|won't|wouldn't|\?? ?no\b(?! doubt)|fails|"
    r"i do not think)"
)
RULED_OUT = re.compile(
    rf"{_W}\"? (?:is|are|was|were)(?: also| both| then| therefore| thus)? (?:out|ruled out|excluded|eliminated"
    rf"|no good|impossible)\b"
)
ASIDE = re.compile(r"\((?:or|also|maybe|perhaps|possibly|alternatively|not)\b[^()\n]{0,120}\)")
CODE = re.compile(r"\bprint\(|\bdef \w+\(|\bimport \w+|\breturn \w|\.join\(|\bfor \w+ in ")
BARE_LIST = re.compile(r"(?:[\"']?[a-z]+[\"']?(?:,? or |,? and |, ?| ?/ ?|\n|; ?| ))+[\"']?[a-z]+[\"']?[.?!]?")
PARTED_LIST = re.compile(
    r"(?:[\"']?[a-z]+(?:-[a-z]+)*[\"']?(?: ?[,;/] ?(?:and |or )?|,? or |,? and ))+[\"']?[a-z]+(?:-[a-z]+)*[\"']?[.?!]?"
)
PAIR = re.compile(
    r"(?:^|[\n.;] ?)(?:\d+[.)] )?(?:unscramble(?: this)?|jumble|letters|anagram|scrambled|"
    r"word)?:? ?([a-z]{3,}) ?(?:->|=>|=|:| is) ?([a-z]{3,})"
)
MORE = re.compile(
    r"[.\n] ?(?:unscramble|rearrange|jumble|find an anagram|take the letters|make an english word|puzzle|"
    r"exercise)\b[^\n]{0,80}"
)
TURNS = re.compile(r"\b(?:but|however|no|not|or|final|settle|isn't)\b")
BESIDE = re.compile(r"[\"']?(?:[,;/|\s]|or|and|- |\d{1,2}[.)])*[\"']?")


_SMALL = """
a about above absolutely actually after ah all alright also although an anagram and another answer any anything are
as at be because been before being below between but by called can certain certainly clue correct could course d def
did different do does doesn don done down each either english error etc even every false final finally first
following for formed found from given gladly had happy has have he hello hence her here hi hint his hmm how however
i if impossible in into is isn it its json just known less let lets letter letters like likely ll m made may maybe
me mean meaning means might more most must my n't neither next no none nope nor not nothing now null obviously of oh
ok okay on one ones only oops or original other our out perhaps please possible print probably python quite re
really rearrange rearranged result right s said same second see shall she should since so solution solved some
something sorry spelled step still such sure surely t term than thank thanks that the their them then there
therefore these they this those thus to too true two unclear unknown unscramble unscrambled unsure up us used using
ve very wait was we welcome well were what when where which who why will with word words would wrong yes yet you
your
"""

_OF_PUZZLES = """
able added adding again against already always am among answers anyone around arrange arranged arrangement asked
back beginning belongs book came cannot careless clear combination combine come comes common complete confuse
consonant consonants contain contains continue correctly crossword describe dictionary difficult dropped during
easy ending exact exactly examination example exercise expected fill find finding form forming forms gap gave get
gives giving goes going good got great guess help hidden idea information instead itself jumble jumbled kind know
language last leading least leave leaves left length line list listed little long look looking looks lot luck make
makes making many matter meant mixed move name need needs never nine number object offer often once order over
overleaf page part people piece place printer problem proper provide put puzzle q question rainy read reads ready
reason reply request response restore return reverse rhymes scramble scrambled sense sentence set several short
shuffle shuffled shuffling similar simple single solutions somebody someone sorted sound sounds spell spelling
spells squares start starting starts stick stuck sunday take taken tell test thing things think thought three time
together total tried trying turn turns type unable under understand until use usual usually valid vocabulary vowel
vowels want watch ways while whole within without work works world write writing written
"""

# Never proposed as an answer, unless one of them is a solution and stands alone.
NO_ANSWER = frozenset(_SMALL.split())
# Also the words of explanations, refusals and puzzles; a solution among them must be stated.
ORDINARY = NO_ANSWER.union(_OF_PUZZLES.split())


STATED, SHOWN, LONE, MET = 4, 3, 2, 1  # how strongly a word is proposed


@dataclass(frozen=True, slots=True)
class WordClaim:
    """A word that is proposed: where, and how strongly; strength 0 if the text takes it back."""

    word: str
    span: Span
    strength: int


class _Claims:
    """Collects the words that a text proposes; each span keeps its greatest strength."""

    def __init__(self, text: str, letters: str, solutions: frozenset[str]) -> None:
        self.text, self.letters, self.solutions = text, letters, solutions
        self.strengths: dict[Span, int] = {}

    def word(self, span: Span) -> str:
        """Return the word at a span."""
        return _unhyphened(self.text[span[0] : span[1]], self.solutions)

    def likely(self, word: str) -> bool:
        """Whether a word solves the anagram or looks like an attempt."""
        return word in self.solutions or alike(word, self.letters)

    def add(self, span: Span, strength: int) -> None:
        """Record a proposed word, unless it is the anagram itself or a small word that is not meant as the answer."""
        word = self.word(span)
        if word in ORDINARY and word in self.solutions and not _meant(self.text, span, word):
            return
        allowed = word in self.solutions or word not in NO_ANSWER or self._quotes(span, word)
        if word != self.letters and len(word) > 1 and allowed:
            self.strengths[span] = max(strength, self.strengths.get(span, 0))

    def _quotes(self, span: Span, word: str) -> bool:
        """Whether a longer small word is quoted and looks like an attempt, as `python` does for `photon`."""
        around = self.text[max(0, span[0] - 1) : span[0]] + self.text[span[1] : span[1] + 1]
        return len(word) > 4 and around == '""' and alike(word, self.letters)


def put_forward(text: str, letters: str, solutions: frozenset[str]) -> list[WordClaim]:
    """Return the words that a text proposes, in their order; those that it takes back have strength 0."""
    claims = _Claims(text, letters, solutions)
    shuffled = {*(found.span(1) for found in SHUFFLED.finditer(text)), *_turned_round(text, letters)}
    for span in shuffled:
        claims.add(span, STATED)
    _add_said(claims)
    _add_alone(claims)
    _add_met(claims)
    found = [
        WordClaim(claims.word(span), span, strength if span in shuffled or not _rejected(text, span) else 0)
        for span, strength in sorted(claims.strengths.items())
    ]
    ruled_out = {claim.word: claim.span for claim in found if not claim.strength}
    for each in RULED_OUT.finditer(text):
        word = _unhyphened(each.group(1), solutions)
        ruled_out[word] = max(each.span(1), ruled_out.get(word, (0, 0)))
    asides = [each.span() for each in ASIDE.finditer(text)]
    return [_weighed(claim, found[0], ruled_out, asides) for claim in found]


def _turned_round(text: str, letters: str) -> Iterator[Span]:
    """Yield the words of which a text says that the letters shown come from them."""
    at = -1
    for _ in range(MOST_TURNED):
        if (at := text.find(letters, at + 1)) < 0:
            return
        end = at + len(letters)
        for form in GIVES_LETTERS:
            if found := form.search(text, max(0, at - 120), at):
                yield found.span(1)
        for form in OF_WORD:
            if found := form.match(text, end):
                yield found.span(1)


def _weighed(claim: WordClaim, first: WordClaim, ruled_out: Mapping[str, Span], asides: Sequence[Span]) -> WordClaim:
    """Return a claim with the strength that the rest of the text leaves it: none if it is ruled out later."""
    if claim.strength and claim.span < ruled_out.get(claim.word, claim.span):
        return replace(claim, strength=0)
    aside = any(start < claim.span[0] < end for start, end in asides if start >= first.span[1])
    return replace(claim, strength=min(claim.strength, MET)) if aside else claim


def _add_said(claims: _Claims) -> None:
    """Add the words that a sentence states, shows or quotes."""
    text = claims.text
    declines = avoidance(text)[1] is not None
    for pattern in STATED_FORMS:
        for found in pattern.finditer(text):
            quoted = text[found.start(1) - 1] in "\"'"
            if quoted or claims.likely(found.group(1)) or (not declines and _ends(text, found.end(1))):
                claims.add(found.span(1), STATED)
    for pattern in (*SHOWN_FORMS, QUOTED):
        for found in pattern.finditer(text):
            if claims.likely(found.group(1)):
                claims.add(found.span(1), SHOWN)


def _add_alone(claims: _Claims) -> None:
    """Add the words that are alone on a line, or end the text after a sign."""
    text = claims.text
    last = LAST.search(text)
    if last and last.group(1) not in ORDINARY and (text[last.start()] == ":" or claims.likely(last.group(1))):
        claims.add(last.span(1), LONE)
    for found in LONE_FORM.finditer(text):
        if claims.likely(found.group(1)) or found.group() == text:
            claims.add(found.span(1), LONE)


def _meant(text: str, span: Span, word: str) -> bool:
    """Whether a solution that is also a common word is meant as the answer at this span."""
    before, after = text[max(0, span[0] - 8) : span[0]], text[span[1] : span[1] + 2]
    if before[-1:] == '"' and after[:1] == '"':
        return True
    if re.match(r"[\"']?\s*(?:$|[.,!?;)\n])", text[span[1] : span[1] + 4]) is None:
        return False
    if word in NO_ANSWER:
        return re.search(r"(?:^|\n|\b(?:is|be|spells) |[:=>] ?)[\"']?$", before) is not None
    return True


def _unhyphened(word: str, solutions: frozenset[str]) -> str:
    """Return a word without hyphens if that is a solution (`wa-ter`), else the word unchanged."""
    joined = word.replace("-", "")
    return joined if joined in solutions else word


def _ends(text: str, end: int) -> bool:
    """Whether a claimed word ends a statement; a word in the middle of a sentence describes the answer."""
    return (
        re.match(r"[\"']?(?: [a-z]+)?\s*(?:$|[.,!?;:)\n]|- |because|which|since|but\b|\()", text[end : end + 20])
        is not None
    )


def _add_met(claims: _Claims) -> None:
    """Add solutions that are merely mentioned, and other arrangements of the letters; then words of a short answer."""
    words = list(WORD.finditer(claims.text))
    ordered = sorted(claims.letters)
    for place, found in enumerate(words):
        word = claims.word(found.span())
        if word in claims.solutions:
            _add_right(claims, found, place, len(words))
        elif len(word) == len(ordered) and word != claims.letters and sorted(word) == ordered:
            claims.add(found.span(), MET)
    _add_short(claims, words)


def _add_right(claims: _Claims, found: re.Match[str], place: int, count: int) -> None:
    """Add a mentioned solution; it counts more at the start of a text, and a short one counts only there."""
    word = claims.word(found.span())
    before, after = claims.text[: found.start()], claims.text[found.end() :]
    leads = place == 0 or not before.strip(" \"'0123456789.)(-")
    if word not in ORDINARY and (len(word) >= 5 or (leads and len(word) > 3)):
        claims.add(found.span(), LONE if leads else MET)
    elif leads and (count <= 3 or re.match(r"\W*(?:,| is |$|\n|\(|/| or | and |\.)", after)):
        claims.add(found.span(), LONE)


def _add_short(claims: _Claims, words: list[re.Match[str]]) -> None:
    """Add the words of an answer of a few words, and the first word of a longer one if a sign follows it."""
    text = claims.text
    content = [found for found in words if found.group() not in NO_ANSWER and found.group() != claims.letters]
    asks = text.endswith("?") and len(words) > 2
    listed = PARTED_LIST.fullmatch(text) is not None
    few = len(words) <= 5 and (len(content) <= 2 or BARE_LIST.fullmatch(text) is not None)
    any_likely = any(claims.likely(found.group()) for found in content)
    if content and few and (not asks or (listed and any_likely)) and avoidance(text)[1] is None:
        for found in content:
            said = len(words) <= 2 or claims.likely(found.group()) or (listed and any_likely)
            if len(words) == 1 or (said and found.group() not in ORDINARY):
                claims.add(found.span(), LONE)
    elif content and words[0] in content and len(words[0].group()) > 2 and alike(words[0].group(), claims.letters):
        ends = re.match(r"[\"']?(?:[.,!;\n]|$| [(-])", text[words[0].end() : words[0].end() + 3])
        if ends:
            claims.add(words[0].span(), LONE)


def alike(word: str, letters: str) -> bool:
    """Whether a word looks like an attempt: about as long, and most letters the same."""
    word = word.replace("-", "")
    if not 2 <= len(word) <= 2 * len(letters):
        return False
    shared = sum((Counter(word) & Counter(letters)).values())
    return shared >= 0.6 * max(len(word), len(letters) - 1)


def _rejected(text: str, span: Span) -> bool:
    before, after = text[max(0, span[0] - 40) : span[0]], text[span[1] : span[1] + 50]
    if REJECTED_AFTER.match(after):
        return True
    return REJECTED_BEFORE.search(before) is not None and not re.search(r"(?:if|am|'m|why) not[ \"']*$", before)


_TARGET: Mapping[str, Any] = MappingProxyType({"alternate_used": False})
_ALTERNATE: Mapping[str, Any] = MappingProxyType({"alternate_used": True})
_UNTOLD: Mapping[str, Any] = MappingProxyType({})
SHORT = 160  # characters of an answer that is no more than its last word
MOST_TURNED = 8  # places of the letters that are examined
MOST_LONE, MOST_IN_LINE = 15, 50  # most lines of one word, and most words in a line without small words


@lru_cache(maxsize=64)  # an item is asked in all its templates one after another
def _solutions(letters: str, accepted: tuple[str, ...], target: str | None) -> frozenset[str]:
    words = accepted if target is None else (*accepted, target)
    return frozenset(word.lower() for word in words) - {letters}


def anagram_text(response: str, letters: str) -> str:
    """Return the text in which an anagram's rules read: plain, lower-case, with letters spelled one by one joined."""
    return _text(response, letters.lower())


@cached_by_text(32)
def _text(response: str, letters: str) -> str:
    text = cut_next_question(reading(response), letters)
    return _own_pair(SPELLED.sub(lambda found: _joined(found, letters), text).lower(), letters)


def _joined(found: re.Match[str], letters: str) -> str:
    """Join letters given one by one; the anagram's own letters in order, or a mere listing of them, are not a word."""
    word = "".join(re.findall(r"(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])", found.group())).lower()
    if word == letters or len(word) < 3 or letters.startswith(word):
        return " "
    if " and " in found.group() or word == "".join(sorted(word)):
        return " "
    return f" {word} " if found.group()[0] != '"' or found.group()[-1] != '"' else f'"{word}"'


def _own_pair(text: str, letters: str) -> str:
    """Cut a text where it continues with an anagram of its own: other letters and the word that they spell."""
    for found in PAIR.finditer(text):
        shown, word = found.groups()
        spells = shown != word and sorted(shown) == sorted(word) != sorted(letters)
        if found.start() and spells:
            return text[: found.start()]
    for found in MORE.finditer(text):
        asks = re.search(r"\b(?:this|letters|word|of)\b", found.group())
        if asks and letters not in found.group() and WORD.search(text[: found.start()]):
            return text[: found.start()]
    return text


def anagram(letters: str, accepted: Collection[str], response: str, target: str | None = None) -> LabelResult:
    """Label an answer to the anagram `letters`; with `target`, record whether only another accepted word was found.

    `c` if the word that the response commits to solves it, `i` if that is another word or several are given without a
    choice, else `a`. `matched_span` is a span in `anagram_text`.
    """
    letters = letters.lower()
    solutions = _solutions(letters, tuple(accepted), target)
    return label_standing(_text(response, letters), lambda standing: _label(standing, letters, solutions, target))


def _label(text: str, letters: str, solutions: frozenset[str], target: str | None) -> LabelResult:
    claims = put_forward(text, letters, solutions)
    chosen = _committed(text, claims, letters, solutions)
    if chosen is not None and chosen.word not in solutions and _no_attempt(text, chosen, letters):
        chosen = None
    words = list(dict.fromkeys(claim.word for claim in claims if claim.strength))
    if chosen is None:
        if other := _other_script(text) or _no_word(text, letters):
            return LabelResult("i", None, RULE_SET, other, truncated([text]), 1, _more(target, None))
        subtype, span = avoidance(text)
        return LabelResult("a", subtype, RULE_SET, span, truncated(words), len(words), _more(target, None))
    used = chosen.word if chosen.word in solutions else None
    return LabelResult(
        "c" if used else "i", None, RULE_SET, chosen.span, truncated(words), len(words), _more(target, used)
    )


def _no_attempt(text: str, chosen: WordClaim, letters: str) -> bool:
    """Whether a wrong word only occurs in a refusal, or in a program."""
    if CODE.search(text):
        return True
    return (
        not alike(chosen.word, letters)
        and avoidance(text)[1] is not None
        and text[chosen.span[0] - 1 : chosen.span[0]] != '"'
    )


def _more(target: str | None, used: str | None) -> Mapping[str, Any]:
    """Return whether another word was used instead of the target; empty without a target."""
    if target is None:
        return _UNTOLD
    return _ALTERNATE if used is not None and used != target.lower() else _TARGET


def _committed(text: str, claims: list[WordClaim], letters: str, solutions: frozenset[str]) -> WordClaim | None:
    """Return the claim that a text chooses in so many words, or else the one that it commits to."""
    if heap(text):
        return _chosen(text, claims, solutions)
    words = ((_unhyphened(found.group(), solutions), found.span()) for found in WORD.finditer(text))
    offers = [
        Offer(span, word)
        for word, span in words
        if word != letters and (word in solutions or (alike(word, letters) and word not in ORDINARY))
    ]
    if (choice := choose(text, offers)) is not None:
        return WordClaim(choice.value, choice.span, STATED)
    live = [Offer(claim.span, claim.word) for claim in claims if claim.strength]
    if leaves_open(text, live) or (len(text) <= SHORT and leaves_open(text, offers)):
        said = [claim for claim in claims if claim.strength] + [WordClaim(*each, MET) for each in _pairs(offers)]
        return next((claim for claim in said if claim.word not in solutions), said[0])
    return _chosen(text, claims, solutions)


def _pairs(offers: Sequence[Offer]) -> list[tuple[str, Span]]:
    return [(offer.value, offer.span) for offer in offers]


def _chosen(text: str, claims: list[WordClaim], solutions: frozenset[str]) -> WordClaim | None:
    """Return the claim that a text commits to: the last of the strongest, unless it only adds to a right one."""
    live = [claim for claim in claims if claim.strength]
    if not live or heap(text):
        return next((claim for claim in live if claim.word not in solutions), None)
    best = _strongest(text, live, solutions)
    last, right = best[-1], [claim for claim in best if claim.word in solutions]
    if not right:
        return last
    between = text[right[-1].span[1] : last.span[0]]
    if last.word not in solutions and (CHANGE.search(between) or TURNS.search(between)):
        return last
    whole = PARTED_LIST.fullmatch(text) is not None
    return _unless_listed(right[-1], _listed(text, live), solutions, whole)


def _strongest(text: str, live: list[WordClaim], solutions: frozenset[str]) -> list[WordClaim]:
    """Return the strongest claims, a right one that is meant no less, and those that a change of mind brings later."""
    strongest = max(claim.strength for claim in live)
    best = [claim for claim in live if claim.strength == strongest]
    met = [claim for claim in live if claim.word in solutions]
    if met and strongest < STATED and met[-1] not in best and not any(each.word in solutions for each in best):
        later = met[-1].span > best[-1].span
        if later or not changed(text, met[-1].span[1], best[-1].span[0]):
            best = sorted((*best, met[-1]), key=lambda claim: claim.span)
    for claim in live:
        if claim.span > best[-1].span and changed(text, best[-1].span[1], claim.span[0]):
            best.append(claim)
    return best


def heap(text: str) -> bool:
    """Whether a text is a mere mass of words: more than a real answer would try, one per line or side by side."""
    lines = text.split("\n")
    if sum(LONE_FORM.fullmatch(line) is not None for line in lines) > MOST_LONE:
        return True
    for line in lines:
        words = WORD.findall(line)
        if len(words) > MOST_IN_LINE and 8 * sum(word in NO_ANSWER for word in words) < len(words):
            return True
    return False


def _listed(text: str, live: list[WordClaim]) -> list[list[WordClaim]]:
    """Group the claims that are side by side in one enumeration."""
    groups: list[list[WordClaim]] = []
    for claim in live:
        if groups and BESIDE.fullmatch(text, groups[-1][-1].span[1], claim.span[0]):
            groups[-1].append(claim)
        else:
            groups.append([claim])
    return groups


def _unless_listed(
    claim: WordClaim, groups: list[list[WordClaim]], solutions: frozenset[str], whole: bool
) -> WordClaim:
    """Return the claim, or a wrong word of the same enumeration, in which nothing was chosen.

    A right word that leads an enumeration is chosen, unless the enumeration is the whole text.
    """
    for group in groups:
        if claim in group and len(group) > 1:
            words = {each.word for each in group}
            wrong = [each for each in group if each.word not in solutions]
            leads = group[0].word in solutions and len(words) <= 6 and not whole
            if wrong and len(words) > 1 and not leads:
                return wrong[0]
    return claim


@lru_cache(maxsize=64)
def _given_back(letters: str) -> re.Pattern[str]:
    """Return the pattern of a text that calls the letters shown the answer."""
    shown = re.escape(letters)
    return re.compile(
        rf"\b(?:answer|solution|word|output|result|unscrambled|it)\"? ?(?:is|:|=|would be|must be|spells|reads)"
        rf"(?: simply| just| already| still)?(?: the word)? ?\"?{shown}\"?\W*\Z"
        rf"|\A\W*{shown}\"? is (?:already|itself|in itself|a)\b[^.\n]{{0,30}}\bword\b"
    )


NUMBER_SAID = re.compile(
    r"\b(?:it is|it's|that is|that's|answer is|result is|solution is|makes|equals|=) ?(?:the number |number |just )?"
    r"\d[\d.,]*\W*\Z"
)


def _no_word(text: str, letters: str) -> Span | None:
    """Return the span of an answer that is no other word: the letters as they were shown, or a number."""
    if len(text) > SHORT or avoidance(text)[1] is not None:
        return None
    found = _given_back(letters).search(text) or NUMBER_SAID.search(text)
    return found.span() if found else None


def _other_script(text: str) -> Span | None:
    """Return the span of a short answer in another script, which is proposed as a word and is not an English one."""
    bare = text.strip(" .!?\"'")
    if bare and len(bare) <= 20 and not WORD.search(bare) and bare.replace(" ", "").isalpha():
        return 0, len(text)
    return None
