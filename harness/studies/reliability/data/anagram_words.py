"""The word list of the anagram benchmark: its sources and the filters on them (docs/reliability-rules.md#anagram).

Works on words and their frequencies; independent of shuffles, items and prompts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.digest import sha256, sha256_file
from harness.studies.reliability.data import word_list
from harness.studies.reliability.data.anagram_offline import FILTER, likely_words

SHORTEST, LONGEST = 3, 20
NO_FILTER, DICTIONARY = "none", "dictionary"
_SPELLED = re.compile(rf"[a-z]{{{SHORTEST},{LONGEST}}}")

# OURS: the answer must not be a common word of prompts and refusals. Otherwise repeating the prompt, or saying
# that one does not know, would be right. Words with the same letters are left out too; the counts say how many.
_SAID = """
able about above accepted access add added again against agreed all altogether anagram and another answer any
apologize are ask asked assist assume back been before being believe belongs below beyond boxed but calculate came
can cannot careless certain certainly claims clear clearly clue compare complete compute confident confirmed
context correct correctly could course crossword data details determine dictionary did different does down dropped
english enough every everything exactly exam examination exercise expected fail false figure final find first
following for form found from full gave get give gives goes got grader guess had harmful has have hello help here
hidden him his how idea identify illegal impossible inappropriate information instance instructions insufficient
into invalid item its json jumble jumbled key know label language last latter left less let letter letters like
line list lot made make many marks matched may mean meant mixed model more need none not nothing now offensive
once one only order original other our out outcome over own page part pass perhaps please policy possible
precisely print printer privacy programming proper provide put puzzle question rainy reads rearrange rearranged
red response restore right sad same say says score scrambled sensible sentence set she should shuffle shuffled
shuffling solution solve some somebody sorry sort sorted span spell spelled spelling squares standing stands state
still stuck sufficient sunday sure system take target task tell than thank thanks that the their them then there
these they thing think this those thought too true try type unable unclear understand unethical unknown unscramble
unsure use used using value verdict vocabulary want was were what when which who will with word words would write
written wrong yes yet you your
"""
SAID = frozenset(_SAID.split())


@dataclass(frozen=True, slots=True)
class Words:
    """The words to draw from with their frequencies, their provenance, and the number of words after each filter."""

    counts: Mapping[str, int]
    filter: str
    source: str
    licence: str
    lists: Mapping[str, Any]
    tally: Mapping[str, int]


def load(inputs: Mapping[str, Path]) -> Words:
    """Load the words that have an anagram: from the word list `words` if given, else from the package wordfreq.

    The filter is the list `dictionary` if it is given; otherwise, for wordfreq's list only, `likely_words`. Words made
    of one letter, and words whose letters also spell a word of the prompts, are left out.
    """
    if "words" in inputs:
        listed: dict[str, int] = {}
        for word, count in word_list.counts(inputs["words"]):
            listed.setdefault(word, count)  # a word that is listed twice has its first, larger count
        about = {"source": "file", "sha256": sha256_file(inputs["words"])[0]}
        source, licence = f"word list {about['sha256'][:16]}", "as the word list that was given"
    else:
        listed, about = packaged()
        source, licence = about["source"], "CC-BY-SA-4.0 (word frequencies of the package wordfreq)"
    lists: dict[str, Any] = {"words": about}
    spelled = {word: count for word, count in listed.items() if _SPELLED.fullmatch(word)}
    kind = NO_FILTER
    filtered = spelled
    if "dictionary" in inputs:
        kind = DICTIONARY
        known = {line.strip() for _, line in word_list.lines(inputs["dictionary"], "dictionary")}
        filtered = {word: count for word, count in spelled.items() if word in known}
        lists["dictionary"] = {"source": "file", "sha256": sha256_file(inputs["dictionary"])[0]}
    elif "words" not in inputs:
        kind = FILTER
        filtered = {word: spelled[word] for word in likely_words(spelled)}
    said = {letters(word) for word in SAID}
    mixed = {word: count for word, count in filtered.items() if len(set(word)) > 1}
    left = {word: count for word, count in mixed.items() if letters(word) not in said}
    tally = {
        "listed": len(listed),
        "spelled": len(spelled),
        "filtered": len(filtered),
        "all_letters_equal": len(filtered) - len(mixed),
        "said_in_prompts": len(mixed) - len(left),
        "left": len(left),
    }
    return Words(left, kind, source, licence, lists, tally)


def letters(word: str) -> str:
    """Return the letters of a word in alphabetical order, which all its anagrams share."""
    return "".join(sorted(word))


def packaged() -> tuple[dict[str, int], dict[str, Any]]:
    """Return wordfreq's large list of English words with counts per thousand million words, its name and digest."""
    from importlib import metadata  # noqa: PLC0415 - slow to load, and needed only here

    wordfreq = word_list.wordfreq("anagram")
    found = wordfreq.get_frequency_dict("en", wordlist="large")
    counts = {word: round(1e9 * share) for word, share in found.items()}
    text = "".join(f"{word}\t{counts[word]}\n" for word in sorted(counts))
    name = f"wordfreq {metadata.version('wordfreq')} large en"
    return counts, {"source": name, "sha256": sha256(text.encode())}
