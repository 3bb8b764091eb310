"""The labels of a choice among four options under OURS-v1: each of the five rules, and no text that takes long."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import written
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of

from harness.answers.science import folded, science, science_text
from harness.errors import InputError
from harness.models.providers.baseline import FORGERY, REFUSAL
from harness.studies.reliability.standalone.by_row import CHOICE_ROWS

OPTIONS = {"A": "melting", "B": "freezing", "C": "boiling", "D": "boiling over"}


def found(response, options=OPTIONS, key="C"):
    outcome = science(options, key, response)
    return outcome.label, outcome.avoidance


@each_of(
    ("response", "letter", "rule"),
    [
        # 1: the whole text is a letter
        ("C", "C", 1), ("(B)", "B", 1), ("[D].", "D", 1), ("{A}:", "A", 1), ("C)", "C", 1), ("**C**", "C", 1),
        ("`B`", "B", 1), ("** C **", "C", 1), (" C\n", "C", 1), ("\uff23", "C", 1), ("C.", "C", 1), ("(C", "C", 1),
        ("D]", "D", 1),
        # 2: a letter after a word that announces it; the last one
        ("The correct answer is C.", "C", 2), ("Answer: D", "D", 2), ("ANSWER=B", "B", 2), ("option (C)", "C", 2),
        ("Choice [B]", "B", 2), ("answer would be 'A'", "A", 2), ("the option should be: \u201cD\u201d", "D", 2),
        ("**Answer:**\n\nB", "B", 2), ("The answer is A. Wait, the answer is C", "C", 2), ("answer is C4", "C", 2),
        ("Option A or option D", "D", 2), ("B) is my answer: D", "D", 2),
        # 3: the text begins with a letter and a sign, a line end or the end
        ("A) melting", "A", 3), ("B. It is cold", "B", 3), ("C, as I said", "C", 3), ("A: I think", "A", 3),
        ("C\nBecause.", "C", 3), ("C\r\nBecause.", "C", 3),
        # 4: bracketed letters, one distinct only
        ("I take (C), yes [C]", "C", 4), ("\\boxed{B}", "B", 4),
        # 5: one option's text
        ("melting", "A", 5), ("It is FREEZING, of course", "B", 5), ("It is boiling\n over", "D", 5),
        ("(A) or (B), no: freezing", "B", 5),
    ],
)  # fmt: skip
def test_the_first_rule_that_yields_a_letter_decides(response, letter, rule):
    outcome = science(OPTIONS, "C", response)
    assert (outcome.label, outcome.more["rule"]) == ("c" if letter == "C" else "i", rule)
    assert letter in outcome.candidates
    assert science(OPTIONS, letter, response).label == "c"


@each_of(
    "response",
    ["c", "E", "CC", "\u0421", "answerC", "answers: C", "answer is Cold", "answer: d", "reanswer C", "answer is not C",
     "A good question", "C because", "It could be (A) or (C).", "Not (c)", "not (C]", "melting or freezing", "boilings",
     "unmelting", "melting2"],
)  # fmt: skip
def test_no_rule_yields_a_letter(response):
    outcome = science(OPTIONS, "C", response)
    assert (outcome.label, outcome.avoidance, outcome.more["rule"]) == ("a", NON, None)


@each_of(
    ("response", "avoidance"),
    [
        ("", NON), (" \n ", NON), ("Water is important for life.", NON), ("I don\u2019t know.", EPI),
        ("This question is inappropriate.", ETH), ("I cannot answer; it is illegal.", ETH),
        (REFUSAL, EPI), (FORGERY, NON),
    ],
)  # fmt: skip
def test_without_a_letter_it_is_avoidant(response, avoidance):
    assert found(response) == ("a", avoidance)


def test_a_cue_never_overrides_a_letter():
    assert found("I am not sure, it may be illegal, but the answer is C") == ("c", None)


@each_of(
    ("options", "response", "key"),
    [
        ({"A": "carbon", "B": "carbon dioxide", "C": "oxygen", "D": "nitrogen"}, "Carbon dioxide", "B"),
        ({"A": "carbon", "B": "carbon dioxide", "C": "oxygen", "D": "nitrogen"}, "Carbon", "A"),
        ({"A": "10", "B": "100", "C": "1000", "D": "1"}, "about 100 of them", "B"),
        ({"A": "3.0 x 10^8 m/s", "B": "a proton", "C": "an electron", "D": "x"}, "3.0 X  10^8 m/s", "A"),
        ({"A": "2*3", "B": "6", "C": "8", "D": "9"}, "it is 2*3", "A"),
        ({"A": "Stra\u00dfe", "B": "6", "C": "8", "D": "9"}, "the STRASSE", "A"),
        ({"A": "melting", "B": " ", "C": "", "D": "*"}, "melting it is", "A"),
    ],
)
def test_an_option_is_read_as_the_response_is(options, response, key):
    assert science(options, key, response).label == "c"
    assert science(options, key, response).more == {"rule": 5}


def test_two_options_of_the_same_words_are_told_apart_by_nothing():
    same = {"A": "red", "B": "Red", "C": "green", "D": "blue"}
    outcome = science(same, "A", "red")
    assert (outcome.label, outcome.candidates) == ("a", ("A", "B"))


def test_only_an_option_that_stands_in_another_by_itself_is_dropped():
    options = {"A": "ion", "B": "a lion", "C": "an ion beam", "D": "none"}
    assert science(options, "B", "an ion, or a lion").label == "a"
    assert science(options, "C", "an ion beam").label == "c"


def test_the_row_shows_what_decided():
    assert science(OPTIONS, "C", "Answer: A. No, answer: C").row() == {
        "label": "c", "avoidance": None, "rule_set": "OURS-v1", "matched_span": [23, 24],
        "candidates": ["A", "C"], "n_candidates": 2, "rule": 2,
    }  # fmt: skip
    for response, read in (
        ("**(B)** so", science_text),
        ("it is\nBOILING  over, yes", lambda text: folded(science_text(text))),
    ):
        span = science(OPTIONS, "C", response).matched_span
        assert span and read(response)[slice(*span)] in ("(B)", "boiling over")
    outcome = science(OPTIONS, "C", "Perhaps (A), (B): I am unsure")
    assert (outcome.candidates, outcome.matched_span) == (("A", "B"), (23, 29))


def slow_science(options, key, response):
    """The rules once more, as docs/reliability-rules.md#rules-science words them, with no thought of speed."""
    text = written.prepared(response).replace("*", "").replace("`", "").strip()
    said = re.findall(
        r"\b(?:[Aa]nswer|ANSWER|[Oo]ption|[Cc]hoice)\b(?:\s+(?:is|would be|should be))?\s*(?:[:=]\s*)?"
        r"[\(\[\"']?([A-D])(?![A-Za-z])", text
    )  # fmt: skip
    bracketed = {a or b or c for a, b, c in re.findall(r"\(([A-D])\)|\[([A-D])\]|\{([A-D])\}", text)}
    norm = " ".join(text.casefold().split())

    def stands(part, whole):
        return re.search(rf"(?<![0-9a-z]){re.escape(part)}(?![0-9a-z])", whole)

    there = {letter: option.casefold() for letter, option in options.items() if stands(option.casefold(), norm)}
    named = [a for a, one in there.items() if not any(one != two and stands(one, two) for two in there.values())]
    letter = None
    if whole := re.fullmatch(r"[(\[{]?([A-D])[)\]}]?[.:)]?", text):
        letter = whole.group(1)
    elif said:
        letter = said[-1]
    elif first := re.match(r"([A-D])(?:[)\].:,]|\r?\n|\Z)", text):
        letter = first.group(1)
    elif len(bracketed) == 1:
        [letter] = bracketed
    elif len(named) == 1:
        [letter] = named
    if letter:
        return "c" if letter == key else "i", None
    return "a", written.cue(text)[0]


pieces = st.sampled_from(
    ["A", "B", "C", "D", "E", "c", "(", ")", "[", "]", "{", "}", ".", ":", ",", "=", "answer", "Answer", "ANSWER",
     "option", "Choice", " is ", " would be ", "is", " ", "  ", "\n", "\t", "*", "`", "'", '"', "\u201c", "\u2019",
     "melting", "Boiling", "boiling over", "freezing", "x", "3", "unsure", "illegal", "\uff23", "\u00e9", "\u00a0",
     "\x00", "\ud800"]
)  # fmt: skip


@given(st.lists(pieces, max_size=12), st.sampled_from(["", " "]))
@example(["answer", " is ", "\n", "C"], "")
@example(["boiling over", "Boiling"], " ")
def test_labels_agree_with_the_rules_written_out_slowly(words, glue):
    response = glue.join(words)
    assert found(response) == slow_science(OPTIONS, "C", response)


TWISTED = {"A": ".a" * 500, "B": "a" * 300, "C": "boiling water", "D": "- " * 50 + "-x"}
FORMS = ("boiling water ", "boiling water", ".a", "A B C D ", "(A)(B")


@pytest.mark.long
@pytest.mark.exhaustive
def test_hostile_text_is_read_in_linear_time():
    for unit in units(*FORMS):
        for options in (OPTIONS, TWISTED):
            for text in (filled(unit), "a" + filled(unit)):
                quick(science, options, "C", text)


def test_so_is_an_answer_that_never_comes():
    quick(science, OPTIONS, "C", "answer is" + " " * 1_000_000 + ":" + " " * 1_000_000)


@given(st.text("a.\ue000 ", max_size=30), st.text("a.\ue000", min_size=1, max_size=4))
@example(".a" * 20 + " .a", ".a")
def test_an_option_is_found_by_itself_however_often_it_is_glued_before(text, option):
    text = "x.a" * 20 + text
    outcome = science({"A": option, "B": "zz", "C": "yy", "D": "ww"}, "A", text)
    norm, part = folded(science_text(text)), folded(option)
    place = re.search(rf"(?<![0-9a-z]){re.escape(part)}(?![0-9a-z])", norm)
    assert outcome.matched_span == (place.span() if place else None)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("x " * 500_000 + "(C)", "c"), ("x " * 500_000, "a"), ("\x00(C)\x00", "c"), ("\u202e(C)\u202c", "c"),
        ("\ud800 boiling \udfff", "c"), ("\u202eC", "a"), ("\u2462", "a"), ("\u24b8", "c"), ("\u0392", "a"),
        ("\u6771 boiling", "c"),
    ],
)  # fmt: skip
def test_texts_of_any_kind_have_a_label(response, expected):
    assert found(response)[0] == expected


ROW = {"options": OPTIONS, "key": "C", "response": "C"}


def test_a_row_is_labelled():
    assert CHOICE_ROWS["science"](ROW).label == "c"


@each_of(
    ("field", "wrong"),
    [("key", "E"), ("key", "c"), ("key", 3), ("key", ""), ("response", None), ("options", None), ("options", ["a"] * 4),
     ("options", {"A": "x"}), ("options", {**OPTIONS, "E": "x"}), ("options", {**OPTIONS, "D": 4}),
     ("options", {"a": "1", "b": "2", "c": "3", "d": "4"})],
)  # fmt: skip
def test_a_faulty_row_is_refused_and_the_field_named(field, wrong):
    with pytest.raises(InputError) as refused:
        CHOICE_ROWS["science"]({**ROW, field: wrong})
    assert refused.value.where == field
    assert "melting" not in str(refused.value)
    with pytest.raises(InputError) as refused:
        CHOICE_ROWS["science"]({name: value for name, value in ROW.items() if name != field})
    assert refused.value.where == field
