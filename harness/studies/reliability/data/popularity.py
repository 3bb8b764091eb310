"""The popularity of a city for f_pop: the frequency of its name in English text (docs/reliability-rules.md#difficulty).

Works on words and counts; independent of positions and populations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.studies.reliability.data import word_list

Popularity = Callable[[str], int]


def popularity(inputs: Mapping[str, Path]) -> Popularity:
    """Return the function name -> 1 + its frequency in English text, from the word list `words` if given.

    Otherwise the count is that in a thousand million words by the package wordfreq; raises MissingError if it is not
    installed.
    """
    if "words" in inputs:
        counts = {word.lower(): count for word, count in word_list.counts(inputs["words"])}
        return lambda name: 1 + counts.get(name.lower(), 0)
    package = word_list.wordfreq("locality")
    return lambda name: 1 + round(1e9 * package.word_frequency(name.lower(), "en"))


def f_pop(city: int, target: int) -> float:
    """Return a locality question's raw difficulty: -log10 of the geometric mean of both names' word frequencies."""
    return -math.log10(math.sqrt(city * target))
