"""What the rules of all benchmarks share, word for word, however slowly (docs/reliability-rules.md#preparation)."""

from __future__ import annotations

import re
import unicodedata

from harness.answers.prepare import EPISTEMIC, ETHICAL

NON, EPI, ETH = "non_conforming", "epistemic", "ethical"


def prepared(response: str) -> str:
    """Prepare a response of few signs: no run of marks in it is so long that it is cut."""
    for curly, straight in (("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"')):
        response = response.replace(curly, straight)
    response = re.sub("(?<=\\d)[\u00a0\u202f\u2009](?=\\d{3}(?!\\d))", "", response)
    return unicodedata.normalize("NFKC", response).strip()


def cue(text: str) -> tuple[str, tuple[int, int] | None]:
    """Name the kind of avoidance that a prepared text shows, and where."""
    for name, pattern in ((ETH, ETHICAL), (EPI, EPISTEMIC)):
        if found := re.search(pattern, text, re.IGNORECASE):
            return name, found.span()
    return NON, None
