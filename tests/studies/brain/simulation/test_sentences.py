"""Simulated texts: their lengths, and what can be found in them."""

from __future__ import annotations

from itertools import combinations

import pytest
from support_cases import each_of

from harness.errors import InputError
from harness.seeds import random_stream
from harness.studies.brain.simulation.places import places
from harness.studies.brain.simulation.sentences import sentence, texts
from harness.studies.brain.simulation.vocabulary import KINDS, NOUNS, PLACED, VERBS
from harness.studies.brain.structure.others import TRS, blank, fedorenko
from harness.studies.brain.structure.pereira import pereira

EXP1 = pereira("384")
LENGTHS = [5 + row % 15 for row in range(384)]


def nouns_in(text: str) -> set[str]:
    every = {noun for topic in NOUNS for noun in topic}
    return {word.strip(".").lower() for word in text.split()} & every


def overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


@each_of("length", range(5, 31))
def test_a_sentence_has_exactly_so_many_words(length: int) -> None:
    words = sentence(random_stream(length), NOUNS[0][:6], length)
    assert len(words) == length
    assert words[0] == "The"
    assert words[-1].endswith(".")
    assert words[-1].strip(".") in NOUNS[0]
    assert not any("." in word or word != word.lower() for word in words[1:-1])


def test_a_sentence_of_fewer_than_five_words_is_refused() -> None:
    with pytest.raises(InputError, match="4 words"):
        sentence(random_stream(1), NOUNS[0], 4)


def test_no_noun_is_of_two_topics_or_another_kind_of_word() -> None:
    assert len(NOUNS) == 24
    assert {len({*topic}) for topic in NOUNS} == {12}
    assert all(not {*one} & {*other} for one, other in combinations(NOUNS, 2))
    assert not {noun for topic in NOUNS for noun in topic} & {*VERBS, *PLACED, *KINDS, "the", "and"}


def test_nouns_tell_the_category_and_the_passage() -> None:
    found = texts("pereira", places(EXP1), LENGTHS, 1)
    said = [set().union(*map(nouns_in, found[row : row + 4])) for row in range(0, 384, 4)]
    for at, one in enumerate(said):
        assert one <= {*NOUNS[at // 4]}
        assert len(one) <= 6
    inside = [overlap(said[at], said[at + step]) for at in range(0, 96, 4) for step in (1, 2, 3)]
    assert 0.2 < sum(inside) / len(inside) < 0.5  # passages of a category differ


def test_texts_depend_on_the_seed_and_on_nothing_else() -> None:
    at = places(EXP1)
    assert texts("pereira", at, LENGTHS, 1) == texts("pereira", at, LENGTHS, 1)
    assert texts("pereira", at, LENGTHS, 1) != texts("pereira", at, LENGTHS, 2)


def test_fedorenko_has_a_word_a_row_and_eight_make_a_sentence() -> None:
    found = texts("fedorenko", places(fedorenko()), [7] * 416, 1)
    assert all(len(text.split()) == 1 for text in found)
    for row in range(0, 416, 8):
        assert found[row] == "The"
        assert [text.endswith(".") for text in found[row : row + 8]] == [False] * 7 + [True]
    assert nouns_in(" ".join(found[:8])) <= {*NOUNS[0]}


def test_blank_has_runs_of_words_that_join_into_stories() -> None:
    layout, lengths = blank(), [2 + row % 10 for row in range(1317)]
    found = texts("blank", places(layout), lengths, 1)
    assert [len(text.split()) for text in found] == lengths
    begun = 0
    for count in TRS.values():
        story = " ".join(found[begun : begun + count])
        assert story.startswith("The ")
        assert all(part.strip()[:1] in {"T", ""} for part in story.split("."))
        begun += count
