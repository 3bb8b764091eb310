"""What all rules of OURS-v2 read alike: a response without mark-up, cut where it goes on to a question of its own.

It knows text; it must never know a benchmark, a model or an answer. Everything here runs in linear time.
"""

from __future__ import annotations

import html
import re

from harness.scorers.outcome.v2.refusals import RULE_SET, refusal
from harness.scorers.prepare import prepare

__all__ = ["RULE_SET", "babble", "cut_next_question", "plain", "prepared", "refusal"]

WINDOW = 16_384
# Signs by which a model's text ends, and what may follow them is of another conversation.
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

# A line that opens a question: the frames in which questions are put, and a whole line that asks something.
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
    """Give a response as every rule reads it: typography evened out, what follows the text's end cut off.

    Of a very long one only both ends are read: no budget of the study gives a real answer as many characters.
    """
    if len(response) > 2 * WINDOW:
        response = f"{response[:WINDOW]}\n{response[-WINDOW:]}"
    text = prepare(response)
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


def plain(text: str) -> str:
    """Give a prepared text without mark-up (bold, code, LaTeX, HTML), its words and lines as they were."""
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
    """Drop LaTeX's wrappers and the brace that closes each; a brace that closes nothing of theirs stays."""
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
    """Cut a text where it begins a question of its own, so that what it answers there counts for nothing.

    `own` is what was asked; a question that holds it restates the task and cuts nothing. The text's first words are
    never cut: where it begins with a question, the answer to that one is what it says.
    """
    found = sorted(
        [each.span() for each in _FRAME.finditer(text)]
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
    """Say whether a text repeats itself so much that it is no answer: the same few words over and over."""
    words = _WORD.findall(text[:20_000].lower())
    if len(words) < 12:
        return False
    return len(set(words)) * 4 <= len(words)
