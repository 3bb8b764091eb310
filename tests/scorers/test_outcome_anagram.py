"""The labels of an anagram under OURS-v1: one case for every clause of docs/reliability-rules.md#rules-anagram."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import written
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of

from harness.answers.anagram import anagram, anagram_text
from harness.errors import InputError
from harness.studies.reliability.standalone.by_row import TEXT_ROWS

SHOWN, ACCEPTED = "retsil", ("lister", "litres")


@each_of(
    ("response", "label", "avoidance"),
    [
        # a right word anywhere, in any case, as a word of its own
        ("Lister", "c", None),
        ("I don't know. It is illegal. litres", "c", None),
        ("silter, tilres, LITRES", "c", None),
        ("lister's", "c", None),
        ("\uff4c\uff49\uff53\uff54\uff45\uff52", "c", None),
        ("listers", "i", None),
        ("blisters are everywhere", "a", NON),
        ("l-i-s-t-e-r", "a", NON),
        # the only word
        ("stir", "i", None),
        ("42 stir!", "i", None),
        ("stir stir", "a", NON),
        ("retsil", "a", NON),
        ("RETSIL.", "a", NON),
        ("Impossible.", "a", NON),
        ("1234", "a", NON),
        ("", "a", NON),
        (" \n", "a", NON),
        # quotes, straight or curly
        ('perhaps "silter" fits', "i", None),
        ("perhaps \u2018silter\u2019 fits", "i", None),
        ("perhaps \u201csilter\u201d fits", "i", None),
        ('perhaps "s" fits', "a", NON),
        ('perhaps "sil ter" fits', "a", NON),
        ('it spells "retsil" here', "a", NON),
        ("I'm sure you're right", "a", NON),
        # names of an answer
        ("The answer is silter", "i", None),
        ("The answer is: silter", "i", None),
        ("Solution = silter, maybe", "i", None),
        ("the word would be 'silter, maybe", "i", None),
        ("my anagram could be\nsilter then", "i", None),
        ("the word silter fits", "a", NON),
        ("the answer isn't here", "i", None),  # `is` has no end: what follows it is taken for an answer, as written
        ("The word is not clear", "a", NON),
        ("The answer is a mystery", "a", NON),
        ("The answer is retsil, I think", "a", NON),
        # arrows
        ("retsil -> silter, say", "i", None),
        ("retsil=>silter, say", "i", None),
        ("retsil = 'silter', say", "i", None),
        ("retsil - silter, say", "a", NON),
        ("retsil ->", "a", NON),
        # unscrambles
        ("It unscrambles to silter", "i", None),
        ('they unscramble into "silter', "i", None),
        ("It unscrambled to silter", "a", NON),
        # kinds of avoidance; a cue never goes before an attempt
        ("I don't know.", "a", EPI),
        ("I can\u2019t unscramble this", "a", EPI),
        ("It would be harmful and I do not know it", "a", ETH),
        ("I am not sure, but the answer is silter", "i", None),
    ],
)
def test_a_response_to_retsil(response, label, avoidance):
    found = anagram(SHOWN, ACCEPTED, response)
    assert (found.label, found.avoidance) == (label, avoidance)
    assert found.rule_set == "OURS-v1"


def test_only_another_word_than_the_target_is_told():
    def used(response, target="lister"):
        return anagram(SHOWN, ACCEPTED, response, target).more

    assert used("litres") == {"alternate_used": True}
    assert used("lister") == used("litres or Lister") == used("silter") == used("") == {"alternate_used": False}
    assert used("litres", None) == {}
    assert anagram(SHOWN, (), "tilers", "tilers").more == {"alternate_used": False}
    assert anagram(SHOWN, ("litres",), "LITRES", "LISTER").row()["alternate_used"] is True


def test_the_span_is_what_decided_in_the_text_that_was_read():
    for response, word in (
        ("  Is it Litres or LISTER?", "litres"), ("The word IS Silter!", "silter"), ("İ \u201cSilter\u201d", "silter"),
        ("Sorry, I am Unsure of it", "unsure"),
    ):  # fmt: skip
        start, end = anagram(SHOWN, ACCEPTED, response).matched_span or (0, 0)
        assert anagram_text(response)[start:end] == word
    assert anagram(SHOWN, ACCEPTED, "no").matched_span is None


def test_candidates_are_distinct_in_order_capped_and_counted():
    found = anagram(SHOWN, ACCEPTED, '"stile" = silter, "stile", the answer is retsil, the word: not, then lister')
    assert found.candidates == ("stile", "silter", "lister")
    assert found.n_candidates == 3
    words = ["".join(chr(97 + (number // 26**place) % 26) for place in range(3)) for number in range(100)]
    many = anagram(SHOWN, ACCEPTED, " ".join(f"={word}" for word in words))
    assert (many.label, len(many.candidates), many.n_candidates) == ("i", 20, 100)
    assert len(anagram(SHOWN, ACCEPTED, "w" * 100_000).candidates[0]) <= 201


def slow_anagram(shown, accepted, response):
    """The rules once more, word for word as docs/reliability-rules.md#labels gives them, with no thought of speed."""
    text = written.prepared(response)
    low = text.lower()
    tokens = re.findall(r"[a-z]+", low)
    if any(token in accepted for token in tokens):
        return "c", None
    candidates = list(tokens) if len(tokens) == 1 else []
    candidates += re.findall(r"[\"']([a-z]{2,})[\"']", low)
    named = (
        r"(?:answer|word|solution|anagram)\s*"
        r"(?:(?:is|would be|could be)\s*(?:[:=]\s*)?|[:=]\s*)[\"']?([a-z]+)"
    )
    candidates += re.findall(named, low)
    candidates += re.findall(r"(?:->|=>|=)\s*[\"']?([a-z]+)", low)
    candidates += re.findall(r"unscrambles? (?:to|into)\s*[\"']?([a-z]+)", low)
    removed = "a|an|the|not|that|this|it|there|no|yes|unknown|unclear|impossible|i|you|we"
    if any(word != shown and not re.fullmatch(removed, word) for word in candidates):
        return "i", None
    return "a", written.cue(text)[0]


pieces = st.sampled_from(
    ["retsil", "lister", "litres", "silter", "stile", "a", "not", "word", "answer", "solution", "anagram", "is", "sue",
     "would be", "could be", "unscramble", "unscrambles", " to", " into", " ", " ", "\n", '"', "'", "\u2019", ":", "=",
     "->", "=>", ">", ".", "I don't know", "unsure", "offensive", "\u0130", "\u212a", "\ufb01", "\u0301", "7"]
)  # fmt: skip


@given(st.lists(pieces, max_size=14).map("".join))
@example("anagram is: 'silter")
@example('"stile"silter"')
@example("word    ")
def test_the_fast_rules_are_the_written_ones(response):
    found = anagram(SHOWN, ACCEPTED, response)
    assert (found.label, found.avoidance) == slow_anagram(SHOWN, ACCEPTED, response)
    if found.label != "a":
        start, end = found.matched_span or (0, 0)
        assert anagram_text(response)[start:end] in found.candidates


@given(st.text(max_size=60))
def test_any_text_has_a_label(response):
    found = anagram(SHOWN, ACCEPTED, response)
    assert (found.label, found.avoidance) == slow_anagram(SHOWN, ACCEPTED, response)


FORMS = (
    "'ab'", '"a', "->", "-> a", "=", "= =a ", "word", "word ", "word is ", "answer:", "answer : 'x ",
    "unscrambles to ", "unscramble", "retsil ", "Rearrange the letters retsil. ",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.exhaustive
def test_hostile_text_is_read_in_linear_time():
    for unit in units(*FORMS):
        for head in ("", "the word is", "'"):
            found = quick(anagram, SHOWN, ACCEPTED, head + filled(unit), "lister")
            assert found.label in ("a", "i")
            assert len(str(found.row())) < 6000


@pytest.mark.long
def test_ten_megabytes_are_read_and_the_answer_at_their_end_is_found():
    assert anagram(SHOWN, ACCEPTED, "retsil " * 1_500_000 + "lister").label == "c"


@pytest.mark.parametrize(
    "response", ["\0lister\0", "\ud800lister\udfff", "\u200flister\u200e", "lister\u0663", "\ufefflister"]
)
def test_signs_that_are_no_letters_hide_no_answer(response):
    assert anagram(SHOWN, ACCEPTED, response).label == "c"


def test_a_row_is_scored_and_a_faulty_one_refused_by_field():
    row = {"anagram": SHOWN, "accepted": list(ACCEPTED), "response": "litres"}
    assert TEXT_ROWS["anagram"](row).row()["label"] == "c"
    assert "alternate_used" not in TEXT_ROWS["anagram"](row).row()
    assert TEXT_ROWS["anagram"]({**row, "target": "lister"}).row()["alternate_used"] is True
    for change in ({"anagram": 7}, {"accepted": "lister"}, {"accepted": [7]}, {"response": None}, {"target": 7}):
        with pytest.raises(InputError) as refused:
            TEXT_ROWS["anagram"]({**row, **change})
        assert [refused.value.where] == list(change)
    for name in row:
        with pytest.raises(InputError) as refused:
            TEXT_ROWS["anagram"]({key: value for key, value in row.items() if key != name})
        assert refused.value.where == name
