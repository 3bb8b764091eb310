"""Copies of the document (OURS): an answer that repeats much of what was shown is no answer in strict mode.

Otherwise the fact scores, which read formulas and fields wherever they stand, would reward copying a paper. It must
never know a task, nor the ground truth.
"""

from __future__ import annotations

STRETCH = 20  # words that must follow each other to be a copy
FEWEST = 10  # stretches of a document that is long enough to tell
MOST = 2_000_000  # letters that are compared


def copied(document: str, response: str) -> bool:
    """Whether at least a fifth of a document's stretches of 20 words stand in a response.

    Case, layout and the escapes of JSON texts aside.
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
