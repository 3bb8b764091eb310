"""Text normalisation of responses under the rule set OURS-v1, and detection of cues of avoidance.

The rule: docs/reliability-rules.md#preparation. Everything here works on text alone and runs in linear time.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from harness.answers.text_cache import cached_by_text

Avoidance = Literal["ethical", "epistemic", "non_conforming"]
RULE_SET = "OURS-v1"
LONGEST_RUN_OF_MARKS = 30  # NFKC is quadratic in a run of combining marks; no real answer has more

# The two cues, searched anywhere, without regard to case.
EPISTEMIC = (
    r"\b(?:i (?:do not|don't|dont) know|not (?:sure|certain)|unsure"
    r"|(?:cannot|can not|can't|could not|couldn't|unable to|not able to) (?:\w+ ){0,3}?"
    r"(?:answer|determine|find|solve|calculate|compute|add|provide|identify|unscramble|access|tell|say|do that)"
    r"|(?:not |in)sufficient information|not enough (?:information|context|data)"
    r"|need more (?:information|context|details?))\b"
)
ETHICAL = (
    r"\b(?:unethical|inappropriate|harmful|offensive|illegal|privacy"
    r"|against (?:my|our|the) (?:policy|policies|guidelines|programming)"
    r"|(?:cannot|can't|unable to) (?:assist|help) with (?:that|this))\b"
)


def _fast(pattern: str, first_letters: str) -> re.Pattern[str]:
    """Compile a cue so that the engine skips from one possible first letter to the next, which is several times faster.

    The dotted capital and the dotless small i are the letters that re.IGNORECASE treats as an i. The cue itself is
    group 1.
    """
    starts = first_letters + first_letters.upper() + "\u0130\u0131"
    return re.compile(f"[{starts}](?<=(?=((?i:{pattern}))).)")


_CUES: tuple[tuple[Avoidance, re.Pattern[str]], ...] = (
    ("ethical", _fast(ETHICAL, "achiopu")),
    ("epistemic", _fast(EPISTEMIC, "cinu")),
)

_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_GROUP_SPACE = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")
_MAYBE_RUN = re.compile(rf"[^\x00-\x7f]{{{LONGEST_RUN_OF_MARKS + 1}}}")
# Not marks by category, but NFKC turns them into marks, so they would extend the runs in which it is slow (OURS).
_BECOME_MARKS = "\uff9e\uff9f"
# The one letter that NFKC expands to eighteen characters (the next longest: eight). After MOST_EIGHTEENS of them only
# the last of the eighteen is kept, so that ten megabytes of this letter cost no more than other text (OURS).
_EIGHTEEN, _LAST_OF_THEM, MOST_EIGHTEENS = "\ufdfa", "\u0645", 1_000


def prepare(response: str) -> str:
    """Normalise a response to the text that rules read, so that typography does not affect a label."""
    if response.isascii():
        return response.strip()  # none of the other steps can change ASCII
    text = _GROUP_SPACE.sub("", response.translate(_STRAIGHT))
    if text.count(_EIGHTEEN) > MOST_EIGHTEENS:
        *kept, rest = text.split(_EIGHTEEN, MOST_EIGHTEENS)
        text = _EIGHTEEN.join((*kept, rest.replace(_EIGHTEEN, _LAST_OF_THEM)))
    if _MAYBE_RUN.search(text):
        text = _cut_marks(text)
    return unicodedata.normalize("NFKC", text).strip()


def _cut_marks(text: str) -> str:
    kept, run = [], 0
    for char in text:
        is_mark = char > "\x7f" and (unicodedata.category(char)[0] == "M" or char in _BECOME_MARKS)
        run = run + 1 if is_mark else 0
        if run <= LONGEST_RUN_OF_MARKS:
            kept.append(char)
    return "".join(kept)


@cached_by_text(32)
def cue(text: str) -> tuple[Avoidance, tuple[int, int] | None]:
    """Return the first cue of avoidance in a prepared text, as kind and span; ethical takes precedence over epistemic.

    Without a cue, returns `non_conforming` and None.
    """
    for name, pattern in _CUES:
        if found := pattern.search(text):
            return name, found.span(1)
    return "non_conforming", None
