"""Simulated texts: English-like sentences of given lengths whose nouns reveal the topic and the passage.

OURS. The texts depend only on the seed, the rows and their lengths, so worlds with the same seed have the same texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.errors import InputError
from harness.seeds import Stream, derive_seed, draw_below, draw_sample, random_stream
from harness.studies.brain.simulation.places import RowPlaces
from harness.studies.brain.simulation.vocabulary import KINDS, LINK, NOUNS, PLACED, THE, VERBS
from harness.studies.brain.terms import BLANK, FEDORENKO

NOUNS_A_PASSAGE = 6  # out of its topic's twelve
SHORTEST, LONGEST = 5, 19  # words of a sentence that is drawn to fill a story
PURPOSE = "brain.simulation.texts"


def texts(dataset: str, at: RowPlaces, lengths: Sequence[int], seed: int) -> list[str]:
    """Return the text of each row: a sentence, a word (Fedorenko) or a run of words of a story (Blank).

    Raises InputError for a sentence of fewer than five words.
    """
    nouns = _nouns(at, seed)
    if dataset == FEDORENKO:
        return _words_of_sentences(at, nouns, seed)
    if dataset == BLANK:
        return _runs(at, lengths, nouns, seed)
    drawn = random_stream(derive_seed(seed, PURPOSE))
    return [
        " ".join(sentence(drawn, nouns[passage], length)) for passage, length in zip(at.passages, lengths, strict=True)
    ]


def sentence(drawn: Stream, nouns: Sequence[str], length: int) -> list[str]:
    """Draw the words of one sentence of exactly `length` words, five or more, with a capital and a full stop."""
    if length < SHORTEST:
        told = f"a sentence of {length} words is asked for"
        raise InputError(told, where="length", next=f"ask for {SHORTEST} or more")
    phrases, adjectives = divmod(length - SHORTEST, 3)
    order = draw_sample(drawn, nouns, len(nouns))
    named = [order[place % len(order)] for place in range(phrases + 2)]
    words = [*_thing(drawn, named[0], adjectives > 0), _one(drawn, VERBS), *_thing(drawn, named[1], adjectives > 1)]
    for number, noun in enumerate(named[2:]):
        words += [LINK if number % 3 == 2 else _one(drawn, PLACED), THE, noun]
    return [words[0].capitalize(), *words[1:-1], f"{words[-1]}."]


def _nouns(at: RowPlaces, seed: int) -> dict[int, list[str]]:
    """Draw the nouns of each passage from those of its topic, each from its own stream."""
    topics = dict(zip(at.passages, at.categories, strict=True))
    return {
        passage: draw_sample(
            random_stream(derive_seed(seed, PURPOSE, f"passage {passage}")), NOUNS[topic % len(NOUNS)], NOUNS_A_PASSAGE
        )
        for passage, topic in topics.items()
    }


def _words_of_sentences(at: RowPlaces, nouns: dict[int, list[str]], seed: int) -> list[str]:
    drawn, sizes = random_stream(derive_seed(seed, PURPOSE)), {block: at.blocks.count(block) for block in at.blocks}
    made = {block: sentence(drawn, nouns[block], size) for block, size in sizes.items()}
    return [made[block][position] for block, position in zip(at.blocks, at.positions, strict=True)]


def _runs(at: RowPlaces, lengths: Sequence[int], nouns: dict[int, list[str]], seed: int) -> list[str]:
    """Cut each story into runs of words; a sentence belongs to the segment where it begins, and may end in the next."""
    found, told = [], -1
    left: Iterator[str] = iter(())
    drawn = random_stream(derive_seed(seed, PURPOSE))
    for block, passage, length in zip(at.blocks, at.passages, lengths, strict=True):
        if block != told:
            told, left = block, iter(())
        run: list[str] = []
        while len(run) < length:
            word = next(left, None)
            if word is None:
                left = iter(sentence(drawn, nouns[passage], SHORTEST + draw_below(drawn, LONGEST - SHORTEST + 1)))
            else:
                run.append(word)
        found.append(" ".join(run))
    return found


def _thing(drawn: Stream, noun: str, described: bool) -> list[str]:
    return [THE, *([_one(drawn, KINDS)] if described else []), noun]


def _one(drawn: Stream, words: Sequence[str]) -> str:
    return words[draw_below(drawn, len(words))]
