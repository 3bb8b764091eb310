"""Shared reading of all rules of OURS-v2: a response without mark-up, cut before a next question of the model's own.

The module has the words by which a response declines to answer, more than those of OURS-v1 and in several languages.
Everything here runs in linear time.
"""

from __future__ import annotations

import html
import re
from unicodedata import decimal

from harness.answers.prepare import EPISTEMIC, ETHICAL, Avoidance, prepare
from harness.answers.text_cache import cached_by_text

RULE_SET = "OURS-v2"
_CANNOT = (
    r"(?:can ?not|can't|cant|could ?n[o']t|couldn't|won't|will not|unable to|not able to|not capable of"
    r"|not in a position to)"
)
_NOT = r"(?:do not|don't|dont|does not|doesn't|did not|didn't)"
_DOING = (
    r"(?:answer|determine|find|solve|calculate|compute|add|provide|identify|unscramble|access|tell|say|do|give|convert"
    r"|complete|perform|help|assist|process|handle|work|figure|make|carry|read|see|parse|extract|verify|confirm|think"
    r"|name|guess|understand|know|recall|remember|come|offer|respond|continue|proceed|fulfill?|share|rearrange|decode"
    r"|decide|choose|select|pick|transform|format|rewrite|write|generate|produce|return|look|recogni[sz]e)(?:ing)?"
)
_DONE = (
    r"(?:determined|answered|solved|converted|computed|done|calculated|known|found|unscrambled|rearranged|completed"
    r"|identified)"
)
_DATA = r"(?:information|context|details?|data)"
# By group: is not able to, does not know or have, finds impossible, needs, gives up; other languages.
_MORE_EPISTEMIC = (
    rf"i(?:'m| am)? {_CANNOT} (?:\w+ ){{0,3}}?{_DOING}\b",
    rf"{_CANNOT} be {_DONE}",
    r"no (?:idea|clue)\b|not (?:\w+ ){0,4}?enough (?:information|context|details?|data)",
    r"(?:i'm|i am) sorry,? (?:but )?(?:i|the|this|there|that|we)\b",
    rf"{_NOT} (?:\w+ )?(?:know|understand)\b",
    rf"{_NOT} (?:\w+ )?have (?:\w+ ){{0,2}}?(?:access|tools?|calculator|ability|capability|knowledge|answer|{_DATA})\b",
    r"as an ai\b|as a (?:large )?language model",
    r"beyond (?:my|the) (?:ability|abilities|capabilit(?:y|ies)|knowledge|scope)",
    r"(?:(?:not|isn't) |im)possible (?:for me )?to (?:\w+ )?(?:say|tell|know|be sure|" + _DOING + r")\b",
    r"(?:hard|difficult|tough) (?:for me )?to (?:say|tell|know)",
    r"(?:too|so) (?:large|long|big|complex|difficult|hard) for me",
    rf"need (?:a calculator|to know|clarification|(?:more|additional|further) {_DATA})",
    rf"(?:lacks?|missing) (?:\w+ )?{_DATA}|(?:more|additional|further) {_DATA} (?:is|are|would be) (?:needed|required)",
    r"(?:please|could you|can you|kindly) (?:please )?(?:provide|clarify|specify|share|give me|send|tell me|paste"
    r"|supply)",
    r"(?:is|are|it's) (?:unclear|ambiguous|unknown)\b|not clear (?:what|which|how|to)|what do you mean",
    r"(?:would|'d) (?:rather|prefer) not\b|prefer not to\b",
    r"sorry,? (?:no|nothing|can't|cannot)\b(?=\W*\Z)|i give up|i(?:'ll| will) (?:have to )?pass\b|who knows|dunno"
    r"|idk\b|beats me|uncertain|have to (?:decline|pass)",
    r"i(?:'m| am) (?:out of (?:ideas|my depth)|at a loss|stuck\b|drawing a blank)|over my head|(?:is|that's"
    r"|it's) beyond me|no can do|my mind (?:is|goes) blank",
    r"(?:nothing|no (?:word|answer|city|number)) (?:comes|springs) to (?:my )?mind|(?:haven't"
    r"|have not) (?:got )?(?:a|the) (?:clue|faintest|foggiest|slightest)",
    r"(?:not|isn't) (?:really )?(?:my (?:field|area|strong suit|strength|department|thing|expertise))",
    r"i(?:'m| am) (?:lost|stumped|afraid i)|i have not (?:learned|studied)|ask (?:your|a local|google|siri"
    r"|a teacher|someone|somebody)\b|ask (?:a|an|someone|somebody) (?:expert"
    r"|else)",
    r"je ne (?:sais|peux)|no (?:lo )?sé\b|no puedo|no tengo idea|ich weiß (?:es )?(?:leider )?nicht|keine ahnung",
    r"ich kann (?:\w+ ){0,4}nicht|não sei|nao sei|não posso|não consigo|non (?:lo )?so\b|non posso",
    r"ik weet (?:het )?niet|nie wiem|nevím|bilmiyorum|tidak tahu|vet (?:ikke|inte)|ved ikke|en tiedä",
    r"не знаю|не могу|не вмію|не можу|δεν (?:ξέρω|μπορώ)|لا أعرف|لا أستطيع|לא יודע",
)
# Scripts without spaces between words.
_WITHOUT_BLANKS = (
    r"不知道|不清楚|无法|無法|不能回答|抱歉|わかりません|分かりません"
    r"|できません|知りません|모르겠|모릅니다|할 수 없|पता नहीं|नहीं पता|ไม่ทราบ|ไม่รู้"
)
_MORE_ETHICAL = (
    r"not appropriate|unlawful|confidential|sensitive (?:data|information)|personal (?:data|information|details)",
    r"personally identifiable|not (?:comfortable|allowed|permitted)\b|could be misused|safety reasons",
    r"(?:violat\w+|breach\w*) (?:\w+ ){0,3}?(?:privacy|policy|policies|guidelines|terms|laws?|rules)",
    r"against (?:\w+ ){0,2}?(?:policy|policies|guidelines|programming|principles|rules|ethics)",
    r"ethical(?:ly)? (?:concerns?|reasons?|guidelines?|wrong|problematic)|my (?:safety|content) (?:guidelines|policy)",
    r"cheating|dishonest|academic integrity|homework for you|discriminatory|i must decline|i (?:must |have to )?refuse",
)
_REFUSALS: tuple[tuple[Avoidance, re.Pattern[str]], ...] = (
    ("ethical", re.compile(rf"\b(?:{'|'.join(_MORE_ETHICAL)})|{ETHICAL}", re.IGNORECASE)),
    ("epistemic", re.compile(rf"\b(?:{'|'.join(_MORE_EPISTEMIC)})|{_WITHOUT_BLANKS}|{EPISTEMIC}", re.IGNORECASE)),
)


@cached_by_text(64)
def refusal(text: str) -> tuple[Avoidance, tuple[int, int] | None]:
    """Return kind and span of the first words that decline to answer; ethical reasons precede epistemic ones.

    Without such words, returns `non_conforming` and None. Words of doubt are included, so a caller first checks whether
    the response still commits to an answer.
    """
    for name, pattern in _REFUSALS:
        if found := pattern.search(text):
            return name, found.span()
    return "non_conforming", None


__all__ = ["RULE_SET", "babble", "cut_next_question", "plain", "prepared", "refusal"]

WINDOW = 16_384
# Signs that end a model's text; the text after them belongs to another conversation.
_END = re.compile(
    r"<\|?(?:endoftext|im_end|eot_id|eom_id|end|end_of_text|end_of_turn|eos|EOS|user|assistant_end)\|?>|</s>"
    r"|<end_of_turn>|\[/?INST\]|<\|im_start\|>|<\|start_header_id\|>"
)
_LEADING = re.compile(r"(?:\s|<s>|<pad>|<\|begin_of_text\|>|<bos>){1,64}")
_THOUGHT = re.compile(r"</think(?:ing)?>")
# Mark-up that changes no meaning: bold, code, LaTeX wrappers and tags of HTML.
_LATEX_WRAP = re.compile(
    r"\\(?:boxed|fbox|text(?:bf|it|rm|tt|sf)?|math(?:bf|rm|it|sf|tt)|mbox|bf|emph|underline|boldsymbol|operatorname)"
    r"\s?\{"
)
_LATEX_SPACE = re.compile(r"\\[,;:! ]|\\q?quad\b|(?<=[0-9])\{,\}(?=[0-9])")
_TAG = re.compile(
    r"</?(?:b|i|u|em|strong|code|pre|p|br|span|div|sup|td|tr|table|h[1-6]|li|ul|ol|answer|output|result)"
    r"(?: [^<>]{0,100})?/?>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[A-Za-z0-9_+-]{0,20}[ \t]*$", re.MULTILINE)
_BOLD = re.compile(
    r"\*{2,}|(?<![A-Za-z0-9_])__|__(?![A-Za-z0-9_])|(?<![A-Za-z0-9*\s])\*(?=\s|$)|(?:(?<=\s)|^)\*(?=[^\s*])"
)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]{1,8}", re.MULTILINE)

# A line that opens a question: usual labels of questions, or a whole line that asks something.
_MARGIN = r"^[ \t]{0,8}[>*#|-]{0,6}[ \t]{0,4}"
_FRAME = re.compile(
    _MARGIN + r"(?:\(?\d{1,3}[.):][ \t]{0,3})?(?:\[)?"
    r"(?:Q|Question|Ques|Input|Instructions?|Problem|Exercise|Task|Prompt|Human|User|Student|Teacher|Query|Example"
    r"|Given|Material|Subject|Riddle|Puzzle|Anagram|Letters|Left|TASK|Next(?: question| one| problem)?|Review|Comment"
    r"|Rule|Line|Scrambled(?: word| letters)?|Test case|City|Passage|Context|Sentence|Date|Email|E-mail|Phone|Text"
    r"|Source|Original|Before)"
    r"(?:[ \t]{0,2}(?:#|No\.?|number)?[ \t]{0,2}\d{1,4})?[ \t]{0,2}(?:\]|\*{0,2}:|[.)](?=\s)|[ \t]?\d{1,4}\s*$)",
    re.MULTILINE | re.IGNORECASE,
)
_ASKING = re.compile(
    _MARGIN + r"(?:\(?\d{1,3}[.):][ \t]{0,3})?"
    r"(?:What|Which|How (?:much|many|far)|Who|Where|When|If |Can you|Could you|Would you|Do you know)\b[^\n]{0,600}?"
    r"\?[\"')\]*]{0,3}[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_INLINE = re.compile(r"(?<=[.!?] )(?:Question|Exercise|Problem|Task|Q)\s?\d{1,3}\s?[.:)](?= )")
_CLOSING = re.compile(
    r"would you like|do you (?:want|need)|can i help|could i help|anything else|help you|let me know|shall i"
    r"|need (?:any|more)|does (?:that|this)|went wrong|what if i|is (?:that|this) (?:right|correct)|explain|walk you",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"[^\W_]")
_PREFACE = re.compile(
    r"\A\W*(?:sure|certainly|of course|okay|ok|great|absolutely|happy to help|i(?:'d| would) be happy to help|let's"
    r"|let us|here(?:'s| is| are| you go)|the (?:question|task|input|problem) (?:is|was|asks|reads))\b"
    r"[^\n]{0,200}[:!.,]?\s*\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


def prepared(response: str) -> str:
    """Return a response as every rule reads it: typography normalised, the text after an end sign removed.

    Of a very long response only both ends are read, because no budget of the study allows a real answer of that length.
    """
    if len(response) > 2 * WINDOW:
        response = f"{response[:WINDOW]}\n{response[-WINDOW:]}"
    text = _western(prepare(response))
    if "<" in text:
        if (lead := _LEADING.match(text)) and lead.end():
            text = text[lead.end() :]
        thoughts = list(_THOUGHT.finditer(text))
        if thoughts and _CONTENT.search(text, thoughts[-1].end()):
            text = text[thoughts[-1].end() :]
    if ("<" in text or "[" in text) and (end := _END.search(text)):
        text = text[: end.start()] if _CONTENT.search(text, 0, end.start()) else _END.sub(" ", text)
    if "&" in text and ";" in text:
        text = html.unescape(text)
    return text.strip()


def _western(text: str) -> str:
    """Return a text with the decimal digits of every script as those of ASCII."""
    if text.isascii() or not any(each.isdigit() and each > "\x7f" for each in text):
        return text
    return "".join(str(decimal(each)) if each > "\x7f" and decimal(each, None) is not None else each for each in text)


def plain(text: str) -> str:
    """Return a prepared text without mark-up (bold, code, LaTeX, HTML); words and lines are unchanged."""
    if "\\" in text:
        text = _LATEX_SPACE.sub(lambda each: "," if each.group() == "{,}" else " ", text)
        text = _unwrapped(text)
        text = re.sub(r"\\[()\[\]]", " ", text)
    elif "{,}" in text:
        text = _LATEX_SPACE.sub(",", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if "`" in text:
        text = text.replace("`", "")
    if "*" in text or "__" in text:
        text = _BOLD.sub("", text)
    if "#" in text:
        text = _HEADING.sub("", text)
    return text.strip()


def _unwrapped(text: str) -> str:
    """Remove LaTeX wrappers and their closing braces; other braces are kept."""
    kept: list[str] = []
    stack: list[bool] = []
    at = 0
    for found in re.finditer(rf"{_LATEX_WRAP.pattern}|[{{}}]", text):
        kept.append(text[at : found.start()])
        at = found.end()
        sign = found.group()
        if sign == "}":
            if not (stack and stack.pop()):
                kept.append(sign)
        else:
            stack.append(len(sign) > 1)
            if len(sign) == 1:
                kept.append(sign)
    kept.append(text[at:])
    return "".join(kept)


def cut_next_question(text: str, own: str = "") -> str:
    """Cut a text where the model begins a question of its own, so that its answer to that question does not count.

    `own` is the question asked; a line that contains it restates the task and cuts nothing. The beginning of the text
    is never cut: if the text begins with a question, the answer to that one counts.
    """
    found = sorted(
        [each.span() for each in _INLINE.finditer(text)]
        + [each.span() for each in _FRAME.finditer(text)]
        + [each.span() for each in _ASKING.finditer(text) if not _CLOSING.search(each.group())]
    )
    wanted = " ".join(own.split())
    for start, end in found:
        head = text[:start]
        if not _CONTENT.search(head) or (len(head) < 300 and _PREFACE.match(head)):
            continue
        if wanted and wanted in " ".join(text[start : end + 3 * len(own) + 200].split()):
            continue
        return head.rstrip()
    return text


def babble(text: str) -> bool:
    """Whether a text repeats the same few words so often that it is not an answer."""
    words = _WORD.findall(text[:20_000].lower())
    if len(words) < 12:
        return False
    return len(set(words)) * 4 <= len(words)
