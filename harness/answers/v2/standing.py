"""What of a response still stands: answers that it takes back or declines to give in the end, and those given after it.

The module knows words of taking back and of declining alone. What an answer looks like is known to the rules of a
benchmark, which label the part that stands. Everything here runs in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from harness.answers.result import LabelResult
from harness.answers.v2.claims import avoidance

Span = tuple[int, int]

_END = (
    r"(?=[\"')\]]{0,2}\s*(?:[.,;:!)\n]|-|\Z|and\b|but\b|please\b|because\b|since\b|as\b|for\b|then\b"
    r"|altogether\b|too\b|also\b|again\b|now\b|entirely\b|completely\b|from (?:the|your|my) (?:record|list|sheet)\b))"
    r"(?:,? (?:too|as well|also|again|altogether|entirely|completely|from (?:the|your|my) (?:record|list|sheet))\b)?"
)
_THING = (
    r"(?:answers?|guess(?:es)?|repl(?:y|ies)|attempts?|responses?|numbers?|words?|letters?|cit(?:y|ies)|names?"
    r"|values?|results?|choices?|options?|suggestions?|statements?|message|sentences?|lines?|sum|total|part|bit"
    r"|output|text)"
)
_OLDER = r"(?:earlier|previous|first|initial|original|former|prior|old)"
_WROTE = (
    r"(?: (?:that |which )?i(?:'ve| have|'d| had)? (?:just |already )?(?:said|wrote|written|typed|gave|given|made"
    r"|stated|put|named|offered|started|posted))"
)
# What is taken back: everything so far, or (group `older`) an earlier answer.
_OBJECT = (
    r"(?:(?:all|both|any|either|each|none|the two|the pair|the lot|the three) of"
    r" (?:that|this|it|them|these|those|the above|what i (?:said|wrote))"
    r"|i (?:ever )?(?:said|mentioned|wrote|typed|spoke|answered|brought (?:it|that|this) up)"
    r"(?: (?:that|this|it|so|anything|a word))?"
    r"|the (?:lot|two|pair|three)|that one|this one|that|this|it|both|them|these|those|everything|all"
    r"|what(?:ever)? i(?:'ve"
    r"| have)? (?:just )?"
    r"(?:said|wrote|written|typed|gave|given)(?: (?:above|before|earlier|so far))?"
    rf"|(?:the|my|that|this|these|those|any|all|both|all my|both my|all the|both the) (?:(?P<{{name}}>{_OLDER}) "
    rf"|above |last |"
    rf"half |whole |two |wrong )?(?:above|{_THING})(?: (?:above|before|so far))?{_WROTE}?)"
)
_NOT_OURS = r"(?<!can )(?<!could )(?<!may )(?<!might )(?<!we )(?<!you )(?<!to )(?<!don't )(?<!not )"
_TAKES_BACK = re.compile(
    r"(?i:"
    rf"\b{_NOT_OURS}(?:disregard|ignore|forget|scratch|strike|scrap|discard|delete|cancel|erase|undo|annul|void"
    r"|never ?mind) (?:out |about |that )?"
    + _OBJECT.format(name="older1")
    + r"|\b(?:do not|don't|please don't) (?:use|trust|count|take|rely on|accept|consider|mark|record) "
    + _OBJECT.format(name="older2")
    + r"(?: as (?:my |an |the )?(?:final )?answer)?"
    r"|\bi(?:'ll| will| must| have to| should| need to| want to|'d like to| would like to)? (?:now |hereby )?take "
    + _OBJECT.format(name="older3")
    + r" back"
    r"|\bi(?:'ll| will| must| have to| should| need to| want to|'d like to| would like to|'m|'m going to| am)? "
    r"(?:now |hereby )?(?:take back|tak(?:e|ing) back|retract(?:ing)?|withdraw(?:ing)?|rescind(?:ing)?|renounc(?:e"
    r"|ing)|disown(?:ing)?|revok(?:e|ing)"
    r"|revers(?:e|ing)) "
    + _OBJECT.format(name="older4")
    + r"|\b(?:treat|count|regard|mark|record|consider) (?:this|it|that|me|my answer|the question|this question"
    r"|this one) as "
    r"(?:unanswered|no answer|withdrawn|not answered|void|blank|skipped|undecided|a refusal|not given)"
    r"|\bconsider (?:it|that|this|my answer|the answer|that answer|this question) (?:withdrawn|retracted"
    r"|unanswered|void|unsaid)"
    r"|\b(?:answer|guess|that|it|reply|response|statement) (?:is|was|has been|should be|is hereby) (?:hereby "
    r"|now )?(?:withdrawn|retracted|taken back|void)"
    r"|\b(?:answer|guess|response) (?:withdrawn|retracted)|\bnever ?mind"
    + r"|\blet me (?:now |please |just |better )?(?:take back|withdraw|retract|rescind|revoke|cancel|undo|delete"
    r"|erase|strike"
    r"|scrap) "
    + _OBJECT.format(name="older5")
    + r"|\blet me (?:now |please |just |better )?take (?:(?:my|this|that|the) )?[\w:.,#@'\"-]{1,40} back"
    r"|(?:\A|[.!?;:,()\n\u2026\u2013\u2014-]\s{0,2})(?:so |now |no,? |and )?(?:retract|withdraw|revoke|rescind)(?:ing)?"
    r"(?: (?:that|this|it|both|them|all(?: of (?:it|that|this|them))?|my (?:answer|guess)))?"
    r"|(?:[.!?;:,()\n\u2026\u2013\u2014-]\s{0,2})(?:both |all |and |now |also |it's |that's )?(?:withdrawn|retracted"
    r"|cancelled"
    r"|canceled|revoked|rescinded)"
    rf"|\b(?:both|all|all three|either|neither|these|those|they|the two|(?:the|my) {_THING}|it|that|this|which)"
    r"(?: of (?:them|these|those))?(?:,? too,?)? (?:is|are|was|were|has been|have been|stands?|should be|shall be"
    r"|must be"
    r"|can be)"
    r" (?:both |all |hereby |now |herewith |to be )?(?:withdrawn|retracted|cancell?ed|revoked|rescinded|disregarded"
    r"|ignored"
    r"|struck(?: out| off)?|deleted|erased|discarded|scrapped|null and void|void)"
    r"|\b(?:neither|none)(?: of (?:them|these|those|the (?:two|three|above)))? (?:(?:should|shall|must|is to|are to"
    r"|can)"
    r" )?(?:be )?(?:counts?|stands?|counted|used|taken|valid|mine|to count)(?: (?:any ?more|any longer|now"
    r"|for anything))?"
    r"|\bi(?:'ve| have| had| then| now)? (?:erased|deleted|crossed out|scratched out|struck out|rubbed out|blanked out)"
    r" (?:it|that|this|them|both|my (?:answer|guess))(?: again)?"
    + r"|\bi (?:should(?:n't| not) have (?:answered|said|guessed|written|given|named)|shouldn't be (?:answering"
    r"|guessing))"
    r"(?: (?:that|this|it|anything|an answer|at all))?"
    r"|\bi (?:do not|don't|no longer) want (?:that|this|it|them|either|any of (?:that|this|it|them)"
    r"|my answer) (?:to (?:count|stand"
    r"|be (?:counted|used))|counted|used|recorded)"
    r"|\bi(?:'ll| will| must| would)? (?:now |hereby )?(?:take back|withdraw|retract"
    r"|renounce) [\"']?[\w.,'#@:-]{1,40}[\"']?(?=,? and"
    r" (?:put|give|say|write|offer|leave|name|propose)\b)"
    r"|\bi (?:no longer|do not|don't|cannot|can't|would not|wouldn't) (?:really |actually )?(?:stand (?:by|behind)"
    r"|stick (?:by|to|with)|endorse|uphold|hold (?:on )?to|maintain|defend)"
    r"(?: (?:that|this|it|what i (?:said|wrote)|(?:this|that|my) (?:answer|guess)))?"
    r"|\bin favou?r of (?:no answer|not answering|silence|a blank|leaving (?:it|this|that)(?: \w+)?)"
    r"|\bwithdraw(?:ing)? from (?:answering|this|that|the \w+)"
    rf"){_END}"
)
# What is taken back stands before the words: `12 I take back`, `12, which I withdraw`.
_TAKES_BACK_BEFORE = re.compile(
    r"(?i:\bi(?:'ll| will| must| have to| should| need to|'d like to| would like to| hereby| now| also"
    r"| therefore){0,2} "
    r"(?:take back|withdraw|retract|revoke|rescind|renounce|disown|disclaim)"
    rf"{_END})"
)
_ALL = re.compile(r"\b(?:both|all|either|each|everything|any)\b", re.IGNORECASE)
_NO_MORE = (
    r"(?! (?:with |in |on |about |for |into |to |at |of )?(?:the |any |my |a |an |further |more |all |every "
    r"|each |in )*"
    r"(?:steps?|working|work|reason\w*|why|explanations?|details?|proof|more|further|lecture|full|long|longer"
    r"|hints?|spelling|"
    r"population|figures?|other|anything else|sentence|words)\b)"
)
_GIVING = (
    rf"(?:give|answer|say|guess|commit|name|provide|state|offer|respond|submit|share|pick|choose|speculate|reply|risk|"
    rf"put|make|venture|hazard|disclose|reveal|write|stand by|repeat){_NO_MORE}"
)
_TO_CLAUSE_END = r"(?:(?! but\b| however\b)[^.!?;,:\n]){0,80}"
_DECLINES = re.compile(
    r"(?i:\b(?:"
    rf"(?:rather|prefer|better|best|choose|choosing|decided|going|willing|prepared|ready|able|wise|safer|supposed"
    rf"|allowed) not (?:to )?{_GIVING}"
    rf"|(?:i(?:'d| would)?|we) (?:won't|will not|refuse to|decline to|must decline to|shall not|shan't|would not"
    rf"|wouldn't|should not|shouldn't) (?:\w+ )?{_GIVING}"
    rf"|(?:i'm|i am) not (?:going|willing|prepared|ready|comfortable|happy) (?:to )?(?:{_GIVING}"
    rf"|(?:with )?[a-z]+ing\b|giving|answering"
    rf"|guessing|naming|saying|sharing|committing)"
    r"|(?:refrain|abstain) from (?:giving|answering|guessing|naming|saying|choosing|picking|an answer|any answer"
    r"|a guess)"
    r"|(?:abstain|i(?:'ll| will| must| have to|'d better|'d rather)? (?:decline|pass))(?=[.!,;\n]|\Z| on\b| here| this)"
    r"|i(?:'ll| will|'d better|'d rather|'m going to| would rather| have to| must|'d prefer to)? (?:leave"
    r"|skip) (?:it|this|that|the \w+|this one|that one)(?: \w+)?(?: (?:blank|open|unanswered|empty|out"
    r"|undecided))?(?=[.!,;\n]|\Z| then| and | to )"
    rf"|(?:i|but|and|yet|though) (?:i )?(?:do not|don't|did not|didn't) (?:\w+ )?"
    rf"(?:want|wish|dare) to"
    rf" (?:really |actually )?{_GIVING}"
    r"|(?:rather|prefer|better|best|choose|decided|going|sooner)(?: to)? (?:give|make|offer|venture|state|name|provide"
    r"|hazard|submit|supply|say|put (?:down|forward)) (?:no|nothing|none)\b(?! (?:less|more|fewer|but|other|else)\b)"
    r"|(?:rather|prefer|better|best)(?: to)? (?:stay|remain|keep|be) (?:silent|quiet|out of|mum)"
    r"|(?:i(?:'d| would) (?:rather|prefer) not|i(?:'ll| will|'d| would)? say nothing)(?: to)?(?=[.!,;\n]|\Z)"
    r"|(?:i(?:'d| had| should|'ll| will)) (?:better |rather )?stop (?:here|there|now)"
    r"|leaving (?:it|this|that|the \w+|this one)(?: \w+)? (?:blank|open|unanswered|empty)"
    r"|i(?:'d| would)? (?:sooner|better|much rather|rather) (?:leave|skip|drop) (?:it|this|that|the \w+|this one)"
    r"(?: \w+)?(?=[.!,;\n]|\Z)"
    r"|(?:without|no) (?:an? )?(?:final )?answer (?:from me|for you|here|then|today)"
    r"|(?:(?:then|so|therefore|hence) |(?<=[.!?] ))no answer(?=[.!\n]|\Z)"
    r"|i(?:'ll| will| must| have to| think i)? give (?:up|in)(?! the)"
    r"|(?:i|we) can(?:'t|not) (?:in good conscience )?(?:stand by|commit to|endorse|vouch for) (?:it|this|that"
    r"|any|either|an?|my|one|the)\b"
    rf"){_TO_CLAUSE_END})"
)
_ABLE = (
    r"(?:can ?not|can't|could ?n[o']t|am unable to|'m unable to|unable to|not able to|not in a position to)"
    r" (?:\w+ ){0,3}?(?:answer|determine|solve|say|tell|complete|provide|give|finish|continue|help|work (?:it"
    r"|this|that)"
    r" out|figure|do (?:this|that|it)|find|calculate|compute|unscramble|name|know|go on|identify|decide)\b"
)
_LACKS = (
    r"(?:(?:do not|don't) (?:\w+ )?know\b(?! (?:if|whether|how (?:sure|certain)))|(?:do not"
    r"|don't) (?:\w+ )?have (?:\w+ ){0,2}?(?:enough|sufficient|access|the (?:data|information)|(?:the )?means"
    r"|(?:an?|any|the) (?:answer|solution|word|city|number|result))"
    r"|no (?:idea|clue)\b|lost (?:the thread|track|count|my way)|i give up|(?:i'm|i am) (?:lost|stuck|stumped"
    r"|out of ideas|at a loss|out of my depth|drawing a blank)\b)"
)
_STRONG = rf"(?:{_ABLE}|{_LACKS})"
# An answer that is broken off, or a change of mind, and then words that decline.
_BREAKS_OFF = re.compile(
    r"(?i:(?:[\w\"')](?:\.{2,4}|\u2026| ?-{1,3}(?=[\s\"')]))|\b(?:on (?:second|further|closer) (?:thoughts?|look"
    r"|inspection)|on reflection|thinking about it|come to think of it|actually"
    r"|no,? wait|wait|hold on|hang on|hmm+|scratch that|sorry|never ?mind|no|oops|then again)\b)"
    rf"[\s,.:;!\"')-]{{0,6}}(?:(?!but\b|it's\b)[\w'-]{{1,40}}[ ,:.]{{1,2}}){{0,8}}?(?:{_STRONG}){_TO_CLAUSE_END})"
)
_RELUCTANT = re.compile(
    r"(?i:(?:\A|[.!?\u2026\n;,\"')-]\s{0,3})(?:and |but |so )?(?:okay|ok|fine|all right|alright|well|anyway"
    r"|anyhow|still|oh well|very well|nevertheless"
    r"|nonetheless|here goes|here is (?:my|an?) (?:try|attempt|guess)|if (?:you insist|pressed|forced|pushed"
    r"|you (?:really )?(?:want|need|must)[^,:.\n]{0,30}"
    r"|i (?:really |absolutely )?(?:had|have|must|am forced|were forced|was forced)(?: to)?[^,:.\n]{0,30})"
    r"|forced to (?:choose|guess|answer|pick)|(?:a|my|one) (?:wild |best |rough )?(?:attempt|guess|try)(?: anyway"
    r"| would be| is| though)?"
    r"|since you (?:insist|ask)))(?=[\s,:.\u2026-])[\s,:.\u2026-]{1,6}"
)
_NAMES = re.compile(r"[0-9#_@/:]|\b[A-Z]\w+ [A-Z]")
_PUTS = re.compile(r"\A(?:and )?(?:put|write|offer|propose|name|give)(?: down)? (?=\S)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
DEEPEST = 3  # answers that are looked for before others, each of which is taken back in its own sentence
_LEADS = " \t\n,.;:!?)-\"'\u2026"
_CONTENT = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class _Withdrawal:
    """A span with words that take back or decline.

    `older` if they take back an earlier answer alone; `before` if they take back what their own clause names.
    """

    span: Span
    older: bool
    before: bool = False


def _withdrawals(text: str) -> list[_Withdrawal]:
    found = [_Withdrawal(each.span(), any(each.groupdict().values())) for each in _TAKES_BACK.finditer(text)]
    found += [_Withdrawal(each.span(), False) for form in (_DECLINES, _BREAKS_OFF) for each in form.finditer(text)]
    found += [
        _Withdrawal(each.span(), False, not _ALL.search(_clause(text, each.start())))
        for each in _TAKES_BACK_BEFORE.finditer(text)
    ]
    return sorted(found, key=lambda each: each.span[1])


def _clause(text: str, end: int) -> str:
    """Return the sentence before a place, at most its last 200 characters."""
    return _SENTENCE.split(text[max(0, end - 200) : end])[-1]


def label_standing(
    text: str, label: Callable[[str], LabelResult], read: Callable[[str], str] = str, depth: int = 0
) -> LabelResult:
    """Label the part of a text that stands: after its last words that take back or decline, or all of it.

    `label` labels a text by a benchmark's rules, with a span in what `read` makes of the text. If nothing after such
    words is an answer, the response is avoidant.
    """
    found = _withdrawals(text)
    if not found:
        return _given_after_all(text, label, read) or label(text)
    last = found[-1]
    after = _label_from(text, last.span[1], label, read)
    if after.label == "c" or (after.label == "i" and not _is_remark(read(text), after.matched_span)):
        return after
    if last.older and (before := label(text[: last.span[0]])).n_candidates > 1:
        return before
    if last.before and depth < DEEPEST:
        start = last.span[0] - len(_clause(text, last.span[0]))
        kept = label_standing(text[:start], label, read, depth + 1) if _CONTENT.search(text, 0, start) else None
        if kept is not None and kept.label != "a":
            return kept
    kind, _ = avoidance(text)
    nothing = after if after.label == "a" else label("")
    return replace(nothing, avoidance="epistemic" if kind == "non_conforming" else kind, matched_span=last.span)


def _is_remark(text: str, span: Span | None) -> bool:
    """Whether what follows words of withdrawal is a short remark, such as `leave it`, that only looks like a name."""
    if span is None:
        return True
    said = text[slice(*span)]
    return span[1] >= len(text.rstrip()) - 1 and " " in said.strip() and said.isascii() and not _NAMES.search(said)


def _label_from(text: str, start: int, label: Callable[[str], LabelResult], read: Callable[[str], str]) -> LabelResult:
    """Label the text from a place on, with the span in the whole text."""
    rest = _PUTS.sub("", text[start:].lstrip(_LEADS))
    result = label(rest)
    if result.matched_span is None:
        return result
    offset = max(0, len(read(text)) - len(read(rest)))
    begin, end = result.matched_span
    return replace(result, matched_span=(begin + offset, end + offset))


def _given_after_all(text: str, label: Callable[[str], LabelResult], read: Callable[[str], str]) -> LabelResult | None:
    """Label the answer that a text gives after it declined, such as `fine, 12`; None if it gives none."""
    declined = avoidance(text)[1]
    if declined is None:
        return None
    found = [each for each in _RELUCTANT.finditer(text) if each.start() >= declined[0]]
    if not found or not _CONTENT.search(text, found[-1].end()):
        return None
    result = _label_from(text, found[-1].end(), label, read)
    return result if result.label != "a" else None
