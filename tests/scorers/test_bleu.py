"""BLEU: worked out by hand, its rules for what has no match, and the values of another implementation."""

import math
import random
from collections import Counter
from importlib.util import find_spec

import pytest

from harness.scorers.bleu import SCORERS
from harness.scorers.overlap import ngrams
from harness.scorers.overlap.ngrams import bleu, tokenise_mteval


def test_tokens_are_those_of_13a():
    assert tokenise_mteval("10-mg dose, 3.5 mg/ml.") == ["10", "-", "mg", "dose", ",", "3.5", "mg", "/", "ml", "."]
    assert tokenise_mteval("x &amp; y &lt; &quot;z&quot;") == ["x", "&", "y", "<", '"', "z", '"']
    assert tokenise_mteval("hyphen-\nated <skipped>in 1987.") == ["hyphenated", "in", "1987", "."]
    assert tokenise_mteval(" \n ") == []


def test_a_value_worked_out_by_hand():
    found = bleu("a b c d e", "a b c d x y")
    assert found.precisions == (4 / 5, 3 / 4, 2 / 3, 1 / 2)
    assert found.brevity_penalty == math.exp(1 - 6 / 5) and found.length_ratio == 5 / 6
    assert found.bleu == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 / 2) ** 0.25 * math.exp(-0.2), abs=1e-15)


def test_a_word_counts_as_often_as_the_reference_has_it():
    assert bleu("dog dog dog dog", "dog cat").precisions[0] == 0.25


@pytest.mark.parametrize("size", [1, 2, 4])
def test_shared_ngrams_are_those_of_both_whichever_side_is_longer(size):
    draw = random.Random(size)
    for _ in range(100):
        ours, theirs = (draw.choices("ab", k=draw.randrange(12)) for _ in range(2))
        counts = [
            Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1)) for words in (ours, theirs)
        ]
        assert (
            ngrams.count_shared_ngrams(ours, theirs, size)
            == ngrams.count_shared_ngrams(theirs, ours, size)
            == (counts[0] & counts[1]).total()
        )
        assert [ngrams.count_ngrams(words, size) for words in (ours, theirs)] == [each.total() for each in counts]


def test_blanks_beside_signs_make_no_token():
    assert tokenise_mteval("a  . , b") == ["a", ".", ",", "b"]
    assert tokenise_mteval("( 1 ) 2 - 3") == ["(", "1", ")", "2", "-", "3"]


@pytest.mark.parametrize(
    ("response", "reference"), [("a b c", "a b c"), ("Yes", "Yes"), ("", "a b c d"), ("a b c d", ""), ("", "")]
)
def test_without_a_match_of_four_words_or_without_words_it_is_nothing(response, reference):
    found = SCORERS["bleu"].run({"response": response, "reference": reference})
    assert found["bleu"] == 0.0
    assert (found["length_ratio"] is None) == (not reference)


@pytest.mark.skipif(not find_spec("nltk"), reason="nltk is not installed here")
def test_values_are_those_of_another_implementation_over_the_same_tokens():
    from nltk.translate.bleu_score import sentence_bleu

    draw, compared = random.Random(7), 0
    for _ in range(300):
        response, reference = (" ".join(draw.choices("abc", k=draw.randrange(5, 40))) for _ in range(2))
        found = bleu(response, reference)
        if found.bleu:
            compared += 1
            assert found.bleu == pytest.approx(
                sentence_bleu([tokenise_mteval(reference)], tokenise_mteval(response)), abs=1e-12
            )
    assert compared > 200


def test_logarithms_are_added_exactly_and_so_alike_on_every_python():
    found = bleu("a c a c d c c b c a b a", "a c a c d a c c c a b a")  # a ninth's fourth root
    assert found.bleu == 0.5773502691896257  # added one by one they make it end in 8
