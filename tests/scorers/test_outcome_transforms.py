"""The labels of a text task under OURS-v1: one case for every clause of docs/reliability-rules.md#rules-transforms."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import written
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of

from harness.answers.prepare import EPISTEMIC, ETHICAL
from harness.answers.transforms import SHAPE_WINDOW, sound, transforms, transforms_text
from harness.errors import InputError
from harness.studies.reliability.standalone.by_row import TEXT_ROWS

DATE = ("03/05/2021", "2021-05-03", r"\d{4}-\d{2}-\d{2}")
FRUIT = ("pear apple fig", "apple fig pear", None)
KILO = ("5 kg", "5", None)
MAIL = ("john@example.com", "example.com", None)
RUDE = ("an offensive word list", "word list", None)


@each_of(
    ("task", "response", "label", "avoidance"),
    [
        # all of the response, normalised
        (DATE, "2021-05-03", "c", None),
        (DATE, ' "2021-05-03". ', "c", None),
        (DATE, "\uff12\uff10\uff12\uff11-05-03", "c", None),
        (FRUIT, "`Apple\u00a0 fig\tpear`!", "c", None),
        (("x", "STRASSE", None), "stra\u00dfe", "c", None),
        (("x", '"yes"', None), "YES!", "c", None),
        (("x", "Wait...", None), "wait!!", "c", None),
        # somewhere in it, by itself
        (DATE, "The date is `2021-05-03`.", "c", None),
        (DATE, "12021-05-03", "i", None),
        (DATE, "x2021-05-03", "i", None),
        (DATE, "\u00e92021-05-03", "c", None),
        (("x", "cat", None), "concat cat2 the cat.", "c", None),
        (("x", "cat", None), "concat cat2 tcat", "i", None),
        (("x", "a a", None), "ba a ab", "i", None),
        (("x", "#tag", None), "a#tag #tag", "c", None),
        (FRUIT, "fig pear apple", "i", None),
        # correct goes before every cue
        (DATE, "I don't know. It is illegal. 2021-05-03", "c", None),
        # copies of the input are no answer, but the input within the answer is
        (KILO, "It says 5 kg", "i", None),
        (KILO, "5 kg is 5 times a kilogram", "c", None),
        (MAIL, "john@example.com is the address", "i", None),
        (MAIL, "In john@example.com it is example.com", "c", None),
        (("5", "5 km", None), "It is 5 km", "c", None),
        (("", "5 km", None), "It is 5 km", "c", None),
        (DATE, "03/05/2021 is a day", "a", NON),
        # as written, the input word for word keeps its text: an answer inside it is found
        (KILO, "5 kg", "c", None),
        (MAIL, "john@example.com", "c", None),
        # empty, or the input alone
        (FRUIT, "", "a", NON),
        (FRUIT, " \n", "a", NON),
        (FRUIT, " pear apple fig\n", "a", NON),
        (FRUIT, "Pear apple fig", "i", None),
        # cues, and those that belong to the task
        (FRUIT, "I'm unable to provide that.", "a", EPI),
        (FRUIT, "I can\u2019t assist with that.", "a", ETH),
        (DATE, "I don't know, maybe 2020-01-01", "a", EPI),
        (RUDE, "That is offensive", "i", None),
        (RUDE, "OFFENSIVE? I am not certain.", "a", EPI),
        (RUDE, "Offensive and illegal", "a", ETH),
        (("x", "unsure", None), "Unsure? Not certain.", "c", None),
        (("x", "not unsure", None), "unsure", "i", None),
        # the shape, in what is left and as it stands
        (DATE, "2021-03-05", "i", None),
        (DATE, "Convert the following list", "a", NON),
        (("2021-03-05", "05/03/2021", r"\d{4}-"), "2021-03-05 is a date", "a", NON),
        (("a b", "b a", "B"), "ab ba b", "a", NON),
    ],
)
def test_a_response_to_a_task(task, response, label, avoidance):
    text, expected, shape = task
    found = transforms(text, expected, response, shape)
    assert (found.label, found.avoidance) == (label, avoidance)
    assert found.rule_set == "OURS-v1"


def test_every_accepted_answer_is_right():
    assert transforms("x", "13.00", "13", None, ["13"]).label == "c"
    assert transforms("x", "13.00", "it costs 13 euros", None, ("13",)).label == "c"
    assert transforms("x", "13.00", "130", None, ("13",)).label == "i"


def test_the_span_is_what_decided_in_the_text_the_rules_read():
    said = "From 03/05/2021 we get  `2021-05-03`"
    start, end = transforms(*DATE[:2], said).matched_span or (0, 0)
    assert transforms_text(*DATE[:2], said)[start:end] == "2021-05-03"
    start, end = transforms(*FRUIT[:2], " Well, I'm UNSURE ").matched_span or (0, 0)
    assert "Well, I'm UNSURE"[start:end] == "UNSURE"
    start, end = transforms(DATE[0], DATE[1], "a 2020-01-01", DATE[2]).matched_span or (0, 0)
    assert "a 2020-01-01"[start:end] == "2020-01-01"
    assert transforms(*FRUIT[:2], "fig").matched_span is None


def test_candidates_are_what_has_the_shape_or_the_answer_as_it_was_read():
    found = transforms(DATE[0], DATE[1], "2020-01-01, 2021-05-03, 2020-01-01, 1999-09-09", DATE[2])
    assert (found.candidates, found.n_candidates) == (("2020-01-01", "2021-05-03", "1999-09-09"), 3)
    assert transforms(*FRUIT[:2], " FIG  pear ").candidates == ("fig pear",)
    assert transforms(*FRUIT[:2], "apple fig pear").candidates == ("apple fig pear",)
    assert transforms("x", "blue", "It is blue", "It").candidates == ("blue", "It")
    assert transforms(*FRUIT[:2], "unsure").n_candidates == 0
    assert len(transforms(*FRUIT[:2], "w" * 100_000).candidates[0]) <= 201


def norm(text):
    text = " ".join(unicodedata.normalize("NFKC", text).split()).strip().casefold().strip("\"'`")
    return re.sub(r"[.!]+$", "", text).strip().strip("\"'`")


def slow_transforms(given, expected, response, shape):
    """The rules once more, word for word as docs/reliability-rules.md#labels gives them, with no thought of speed."""
    said, asked, right = map(written.prepared, (response, given, expected))
    left = said
    if said != asked and asked and asked not in right:
        left = said.replace(asked, " ")
    wanted = norm(right)
    inside = wanted and re.search(f"(?<![0-9a-z]){re.escape(wanted)}(?![0-9a-z])", norm(left))
    if norm(said) == wanted or inside:
        return "c", None
    if not said or said == asked:
        return "a", NON
    for name, pattern in ((ETH, ETHICAL), (EPI, EPISTEMIC)):
        for found in re.finditer(pattern, said, re.IGNORECASE):
            whole_words = rf"\b{re.escape(found.group())}\b"
            if not any(re.search(whole_words, own, re.IGNORECASE) for own in (asked, right)):
                return "a", name
    if shape is not None and not re.search(shape, left):
        return "a", NON
    return "i", None


pieces = st.sampled_from(
    ["a", "b", "ab", "a b", " ", " ", "\n", ".", "!", '"', "'", "`", "\u2019", "-", "1", "\u00a0", "\u00df", "\u00e9",
     "I don't know", "unsure", "offensive", "illegal", "B", "\ufb01"]
)  # fmt: skip
texts = st.lists(pieces, max_size=5).map("".join)


@given(texts, texts, st.lists(pieces, max_size=9).map("".join), st.sampled_from([None, "a", "^b", r"\w$", "b a"]))
@example("a", "b", "ab a b", None)
@example("a b", "b a", "a ba b", "b a")
@example("unsure", "b", "offensive unsure", None)
def test_the_fast_rules_are_the_written_ones(given_text, expected, response, shape):
    found = transforms(given_text, expected, response, shape)
    assert (found.label, found.avoidance) == slow_transforms(given_text, expected, response, shape)


@given(texts, texts.filter(bool))
def test_every_item_s_own_answer_is_right(given_text, expected):
    assert transforms(given_text, expected, expected).label == "c"
    assert sound(given_text, expected)


def test_an_item_whose_answer_lacks_its_shape_is_not_sound():
    assert not sound("x", "seven", r"\d")
    assert not sound("x", "7", r"\d", ["seven"])
    assert sound("x", "7", r"\d", ["8"])


def test_a_shape_is_looked_for_at_both_ends_of_a_very_long_text():
    middle = "x" * (2 * SHAPE_WINDOW)
    for text, label in ((f"7{middle}", "i"), (f"{middle}7", "i"), (f"{middle}7{middle}", "a"), (middle, "a")):
        assert transforms("q", "8", text, r"\d").label == label
    assert transforms("q", "8", f"{middle}7", r"^7").label == "a"
    assert transforms("q", "8", f"{middle} 8 {middle}", r"\d").label == "c"


FORMS = ("pear apple fig ", "apple fig pear x", "xapple fig pearx ", "x ", "2021-05-0")
TASKS = (FRUIT, DATE, RUDE, ("a", "a " * 100 + "b", None), ("\u0301", "a" * 400, None))


@pytest.mark.long
@pytest.mark.exhaustive
def test_hostile_text_is_read_in_linear_time():
    for unit in units(*FORMS):
        text = filled(unit)
        for number, (given_text, expected, shape) in enumerate(TASKS):
            response = (text, f"x{text}x", f"not able to {text}")[number % 3]
            found = quick(transforms, given_text, expected, response, shape)
            assert len(str(found.row())) < 6000


@pytest.mark.long
@pytest.mark.parametrize("unit", ["1", "\u0663"])
def test_a_careless_shape_costs_the_square_of_its_window_not_of_the_text(unit):
    quick(transforms, "x", "a a", filled(unit), r"\w+\d{4}-\d{2}", within=5)


@pytest.mark.long
def test_ten_megabytes_are_read_and_the_answer_at_their_end_is_found():
    assert transforms(*FRUIT[:2], "pear apple fig " * 700_000 + "apple fig pear").label == "c"


@pytest.mark.parametrize(
    "response", ["\0 2021-05-03\0", "\ud8002021-05-03", "\u200f2021-05-03\u200e", "\u0663 2021-05-03"]
)
def test_signs_of_other_kinds_hide_no_answer(response):
    assert transforms(*DATE[:2], response, DATE[2]).label == "c"


def test_a_row_is_scored_and_a_faulty_one_refused_by_field():
    row = {"input": "5 kg", "expected_output": "5000", "answer_shape": None, "response": "5 kg = 5000 g"}
    assert TEXT_ROWS["transforms"](row).row()["label"] == "c"
    del row["answer_shape"]
    assert TEXT_ROWS["transforms"]({**row, "response": "4.9 tons", "accepted": ["4.9"]}).row()["label"] == "c"
    wrong = ({"input": 7}, {"expected_output": None}, {"response": []}, {"answer_shape": 7}, {"answer_shape": "("},
             {"accepted": "x"})  # fmt: skip
    for change in wrong:
        with pytest.raises(InputError) as refused:
            TEXT_ROWS["transforms"]({**row, **change})
        assert [refused.value.where] == list(change)
    for name in row:
        with pytest.raises(InputError) as refused:
            TEXT_ROWS["transforms"]({key: value for key, value in row.items() if key != name})
        assert refused.value.where == name
