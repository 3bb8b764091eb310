"""Copies of the document (OURS): an answer that repeats much of the document is no answer in strict mode.

Otherwise the fact scores, which read formulas and fields anywhere in a text, would reward copying a paper. Independent
of the task; sees no ground truths.
"""

from __future__ import annotations

STRETCH = 20  # consecutive words that count as a copy
FEWEST = 10  # fewest stretches of a document for a decision
MOST = 2_000_000  # letters that are compared


def copied(document: str, response: str) -> bool:
    """Whether at least a fifth of a document's stretches of 20 words occur in a response.

    Case, layout and the escapes of JSON texts are ignored.
    """
    words = _words(document)
    stretches = [tuple(words[at : at + STRETCH]) for at in range(0, len(words) - STRETCH + 1, STRETCH)]
    if len(stretches) < FEWEST or 10 * len(response) < len(document):
        return False
    said, wanted, begins = _words(response), set(stretches), {one[0] for one in stretches}
    there = {
        one
        for at in range(len(said) - STRETCH + 1)
        if said[at] in begins and (one := tuple(said[at : at + STRETCH])) in wanted
    }
    return 5 * sum(one in there for one in stretches) >= len(stretches)


def _words(text: str) -> list[str]:
    return text[:MOST].replace("\\n", " ").replace("\\", "").lower().split()
