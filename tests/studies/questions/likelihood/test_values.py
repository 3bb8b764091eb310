"""What log-likelihoods amount to: the likeliest option by each rule, and perplexities; worked out by hand."""

from __future__ import annotations

import math

import pytest

from harness.errors import InputError
from harness.studies.questions.likelihood.values import Candidate, likeliest, perplexities

# A is likeliest as it stands, B for each character, C for each byte and each token, D beside what it is alone.
CANDIDATES = [
    Candidate("A", "ab", -4.0, 2, -1.0),
    Candidate("B", "abcdefghij", -8.0, 4, -8.0),
    Candidate("C", "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", -6.0, 6, -7.0),
    Candidate("D", "abc", -5.0, 2, -9.5),
]


@pytest.mark.parametrize(
    ("normalise", "letter", "values"),
    [
        ("sum", "A", [-4.0, -8.0, -6.0, -5.0]),
        ("token", "C", [-2.0, -2.0, -1.0, -2.5]),
        ("character", "B", [-2.0, -0.8, -1.0, -5 / 3]),
        ("byte", "C", [-2.0, -0.8, -0.5, -5 / 3]),
        ("unconditional", "D", [-3.0, 0.0, 1.0, 4.5]),
    ],
)
def test_each_rule_compares_its_own_values(normalise: str, letter: str, values: list[float]) -> None:
    found = likeliest(CANDIDATES, normalise)
    assert found.letter == letter
    assert list(found.values) == ["A", "B", "C", "D"]
    assert list(found.values.values()) == pytest.approx(values)
    best, second = sorted(values)[:-3:-1]
    assert found.margin == pytest.approx(best - second)


def test_of_equal_options_the_first_wins_by_nothing() -> None:
    found = likeliest([Candidate(letter, "x", -2.0, 1) for letter in "ABC"])
    assert (found.letter, found.margin) == ("A", 0)


def test_an_unknown_rule_and_a_value_that_was_not_measured_are_refused() -> None:
    with pytest.raises(InputError, match="nothing is normalised by 'words'"):
        likeliest(CANDIDATES, "words")
    with pytest.raises(InputError, match="not measured without its question"):
        likeliest([Candidate("A", "a", -1, 1), Candidate("B", "b", -1, 1)], "unconditional")


def test_perplexities_divide_by_tokens_words_and_bytes() -> None:
    found = perplexities("caf\u00e9 au  lait", -24.0, 6)
    assert found["value"] == 4
    assert found["detail"] == {
        "logprob": -24.0, "tokens": 6, "words": 3, "bytes": 14,
        "metrics": {
            "token_perplexity": pytest.approx(math.e**4), "word_perplexity": pytest.approx(math.e**8),
            "byte_perplexity": pytest.approx(math.e ** (24 / 14)),
            "bits_per_byte": pytest.approx(24 / 14 * math.log2(math.e)),
        },
    }  # fmt: skip


def test_a_perplexity_beyond_every_number_is_written_as_text() -> None:
    assert perplexities("x" * 500, -2000.0, 500)["detail"]["metrics"]["word_perplexity"] == "inf"
