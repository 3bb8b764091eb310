"""ROUGE: the values of the package it is counted after, and of the table that the bits stand for."""

import random
import subprocess
import sys
from importlib.util import find_spec

import pytest

from harness.errors import InputError, MissingError
from harness.scorers.overlap import ngrams
from harness.scorers.overlap.ngrams import NONE
from harness.scorers.overlap.rouge import KINDS, package_tokenizer, rouge
from harness.scorers.rouge import SCORERS

needs_package = pytest.mark.skipif(not find_spec("rouge_score"), reason="rouge-score is not installed here")
PIECES = ("a", "b", "c", "The", "Running", "ran", "happily", "é", "β-2", " . ", ", ", "\n", "\n\n", "3.5")
HOSTILE = (  # signs whose lower case is another's or two, digits of other scripts, ends of lines that are none, halves
    "", " ", "\n", "_", "\0", "a\0b", "\u0130stanbul ISTANBUL \u0131stanbul", "\u212aelvin \u212b \u017ftop ß \ufb01ne",
    "٣ \uff13 ² ½ 3",
    "co\u00adop re\u0301sume\u0301", "a\rb\r\nc\x0bd\x0ce\x85f\u2028g\u2029h", "\ud800x \udfff", "😀a😀 😀", "$ ^a$ ^",
    "dying dies died DIES ties", "news skies sky gas y a", "x" * 3000,
    "aaa\n" * 40, "agreed\n\n \n-\nfeed ee", "'s don't",
)  # fmt: skip


def table(reference, other):
    """The usual table, a cell at a time."""
    found = [[0] * (len(other) + 1) for _ in range(len(reference) + 1)]
    for i, word in enumerate(reference, 1):
        for j, its in enumerate(other, 1):
            found[i][j] = found[i - 1][j - 1] + 1 if word == its else max(found[i - 1][j], found[i][j - 1])
    return found


def walked(reference, other):
    """The places that the walk back through the table takes, as the package walks."""
    cells, i, j, taken = table(reference, other), len(reference), len(other), set()
    while i and j:
        if reference[i - 1] == other[j - 1]:
            i, j = i - 1, j - 1
            taken.add(i)
        elif cells[i][j - 1] > cells[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return taken


def texts(seed, times, most=30):
    draw = random.Random(seed)
    for _ in range(times):
        yield tuple(" ".join(draw.choices(PIECES, k=draw.randrange(most))) for _ in range(2))


@pytest.mark.parametrize("words", ["ab", "abcd", "abcdefghijklmnop"])
def test_bit_rows_equal_the_tables_columns_and_walk_back_the_same_way(words):
    draw = random.Random(len(words))
    for _ in range(300):
        reference, other = (draw.choices(words, k=draw.randrange(20)) for _ in range(2))
        assert ngrams.common_length(reference, other) == table(reference, other)[-1][-1]
        bits = ngrams.common_positions(ngrams.word_positions(reference), len(reference), other)
        assert {place for place in range(len(reference)) if bits >> place & 1} == walked(reference, other)


def test_of_equally_long_subsequences_the_packages_choice_is_taken():
    """`b` stands at 1 and 3 of the reference; the walk back ends at 1, since the word after it is in neither."""
    bits = ngrams.common_positions(ngrams.word_positions(["x", "b", "y", "b"]), 4, ["b", "z"])
    assert bits == 0b10
    assert ngrams.common_positions(ngrams.word_positions(["x", "b", "y", "b"]), 4, ["z", "b"]) == 0b1000


@needs_package
def test_a_text_is_all_of_itself_and_nothing_of_another():
    whole = rouge("The band gap\nis 1.12 eV", "the BAND-gap\n is 1 12 ev!")
    assert {kind: each.fmeasure for kind, each in whole.items()} == dict.fromkeys(KINDS, 1.0)
    assert set(rouge("one two", "three four").values()) == {NONE}
    for response, reference in (("", "a b"), ("a b", ""), ("", ""), ("∑ ₂", "∑ ₂"), ("\n\n", "\n")):
        assert set(rouge(response, reference).values()) == {NONE}, (response, reference)


@needs_package
def test_lines_in_another_order_cost_the_subsequence_and_not_its_union():
    found = rouge("line three\nline two", "line two\nline three")
    assert found["rougeLsum"].fmeasure == 1.0
    assert found["rougeL"].fmeasure == 0.5


@needs_package
def test_a_line_that_comes_again_adds_nothing_and_costs_precision():
    once, twice = (rouge("a b c\n" * times, "a b c", ["rougeLsum"])["rougeLsum"] for times in (1, 4))
    assert once == (1.0, 1.0, 1.0) and twice[:2] == (0.25, 1.0)


@needs_package
def test_what_does_not_overlap_costs_no_walk_back():
    """A response of very many words, none of them the reference's, beside a reference of many lines."""
    reference = "\n".join(f"w{number} w{number + 1}" for number in range(200))
    assert rouge("x " * 200_000, reference, ["rougeLsum"])["rougeLsum"] == NONE


@needs_package
def test_stems_are_compared_where_that_is_asked_for():
    assert rouge("he was Running", "he runs", ["rouge1"])["rouge1"].recall == 0.5
    assert rouge("he was Running", "he runs", ["rouge1"], stem=True)["rouge1"].recall == 1.0


@needs_package
@pytest.mark.parametrize("stem", [False, True])
def test_every_value_is_the_package_s_own_to_the_last_bit(stem):
    from rouge_score.rouge_scorer import RougeScorer

    its = RougeScorer(list(KINDS), use_stemmer=stem)
    pairs = [*texts(1, 300), *texts(2, 3, 400), *((one, other) for one in HOSTILE for other in HOSTILE)]
    for response, reference in pairs:
        theirs = {
            kind: tuple(map(float.hex, map(float, value))) for kind, value in its.score(reference, response).items()
        }
        found = {kind: tuple(map(float.hex, value)) for kind, value in rouge(response, reference, stem=stem).items()}
        assert found == theirs, (response, reference)


@pytest.mark.long
@needs_package
@pytest.mark.parametrize("stem", [False, True])
def test_words_are_those_of_the_package_s_tokenizer_for_every_sign(stem):
    from rouge_score.tokenizers import DefaultTokenizer

    its, ours = DefaultTokenizer(stem).tokenize, package_tokenizer(stem=stem)
    signs = "".join(f"a{chr(code)}9 " for code in range(sys.maxunicode + 1))
    assert ours(signs) == its(signs)
    assert [ours(text) for text in HOSTILE] == [its(text) for text in HOSTILE]


def test_without_the_package_the_extra_that_brings_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    monkeypatch.setitem(sys.modules, "rouge_score.tokenize", None)
    monkeypatch.setitem(sys.modules, "rouge_score.tokenizers", None)
    package_tokenizer.cache_clear()
    for stem in (False, True):
        with pytest.raises(MissingError, match="ROUGE needs the package rouge-score") as met:
            rouge("a", "a", ["rouge1"], stem=stem)
        assert "repro-harness[science]" in met.value.next


@pytest.mark.long
def test_the_module_is_imported_without_the_package_and_without_nltk():
    said = "import sys, harness.scorers.rouge, harness.kit.encoded; print({'rouge_score', 'nltk'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout == "set()\n"


@needs_package
def test_the_scorer_gives_the_kinds_asked_for_and_names_an_unknown_one():
    run = SCORERS["rouge"].run
    assert run({"response": "a b", "reference": "a c", "kinds": ["rouge1"]}) == {
        "rouge1": {"precision": 0.5, "recall": 0.5, "fmeasure": 0.5}
    }
    with pytest.raises(InputError, match="`kinds` is not a list of kinds") as bad:
        run({"response": "a b", "reference": "a c", "kinds": ["rouge1", "rouge3"]})
    assert "rougeLsum" in bad.value.next
