"""The labels of a multiple choice under OURS-v2, by what OURS-v1 got wrong: the option committed to decides."""

from pathlib import Path

import pytest
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of
from support_draws import drawn

from harness import rows
from harness.answers.v2.science import science, science_text
from harness.models.providers import baseline
from harness.models.providers.baseline import FORGERY, shotgun
from harness.studies import reliability

OPTIONS = {"A": "a thermometer", "B": "a barometer", "C": "a ruler", "D": "a scale"}  # B
FORCES = {"A": "4.0 N", "B": "8.0 N", "C": "16 N", "D": "32 N"}
CHANGES = {"A": "evaporation", "B": "condensation", "C": "freezing", "D": "melting"}
SHOWN = "\n".join(f"{letter}. {text}" for letter, text in OPTIONS.items())
PROMPTS = Path(reliability.__file__).parent / "prompts"
WORDINGS = [row["text"] for row in rows.read(PROMPTS / "science@1.jsonl")]
MEGABYTE = 1_000_000


def labels(cases):
    return each_of(("response", "label"), [(text, label) for label in cases for text in cases[label]])


@labels({
    "c": ["B", "b", "(b)", "b)", "answer: b", "**B**", "\\boxed{B}", "\\[\\boxed{\\text{(B)}}\\]", "<answer>B</answer>",
          '{"answer": "B"}', "[B]", "Option (B)", "Letter B.", "B it is", "Obviously B.", "option 2",
          "The second option.",
          "La respuesta correcta es la B", "Die richtige Antwort ist B.", "\u7b54\u6848\uff1aB", "B a barometer"],
    "i": ["A", "c", "answer: d", "I would choose (A).", "Option C: a ruler", "E) a clock", "None of the above",
          "A and B", "Both B and C are right.", "It is either A or D."],
})  # fmt: skip
def test_a_letter_is_read_in_any_dress(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["B\n\nQuestion: Which one measures mass?\nA. a clock\nB. a rope\nC. a bell\nD. a scale\nAnswer: D",
          "The answer is (B).\n\nQ: What is the largest planet?\n(A) Mars (B) Earth\nA: (A)", "B\nB\nB",
          "B. Yes.\n\nC"],
    "i": ["A\n\nQuestion: Which one measures air pressure?\nA. a clock\nB. a barometer\nAnswer: B"],
})  # fmt: skip
def test_a_question_of_its_own_that_follows_counts_for_nothing(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": [f"{SHOWN}\n\nAnswer: B", f"{SHOWN}\nThe answer is B) a barometer", "B. a barometer\nC. a ruler\nD. a scale",
          "The correct answer is **B) a barometer**.\n\nWhy not the others:\n* **A) a thermometer** is for heat.\n"
          "* **C) a ruler** is for length.\n* **D) a scale** is for mass."],
    "i": [f"{SHOWN}\n\nCorrect answer: A"],
    "a": [SHOWN, "A\nB\nC\nD", "A B C D"],
})  # fmt: skip
def test_options_restated_are_no_answer(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["It cannot be A or D. C is wrong as well.", "A is wrong. The answer must be B.",
          "Not A, not C, not D: a barometer.",
          "A: wrong. B: right. C: wrong. D: wrong.", "A? No. B? Yes.",
          "I was going to say C, but that is for length; B it is.",
          "The answer is A. Wait, no. The answer is B.", "A or B? I will go with B.",
          "The answer is B. A, C and D are not."],
    "i": ["B is wrong. The answer must be A.", "B is tempting. The correct choice, however, is C.",
          "A or B, I would take A"],
    "a": ["It could be A or B, I'm not sure.", "I'd eliminate C and D.", "Vitamin C, vitamin D and vitamin A? Read on!",
          "Student A says it is one of them. Discuss."],
})  # fmt: skip
def test_what_is_taken_back_or_left_open_is_no_answer(response, label):
    assert science(OPTIONS, "B", response).label == label


@labels({
    "c": ["A barometer is used to measure air pressure.", "Barometers measure it.", "BAROMETER", "It's a barometer.",
          "You can measure it with a barometer, not with a thermometer.", "A barometer, not a ruler."],
    "i": ["A thermometer", "A ruler, because it is straight.", "The answer is a clock.", "Hygrometer"],
    "a": ["A good question! People have measured things for ages.", "the weather. It has been watched for ages, and",
          "First we look at the options. Option A, a thermometer, tells how warm it is in a room or outside, so",
          "Yes."],
})  # fmt: skip
def test_the_words_of_an_option_count_in_any_inflection(response, label):
    assert science(OPTIONS, "B", response).label == label


def test_an_article_is_no_letter_and_a_letter_goes_before_words():
    assert science(OPTIONS, "B", "A barometer").label == "c"
    assert science(OPTIONS, "A", "A barometer").label == "i"
    assert science(OPTIONS, "A", "A solid answer is A.").label == "c"
    assert science(OPTIONS, "B", "C. a barometer").label == "i"
    assert science(CHANGES, "B", "It condenses.").label == "c"


@labels({
    "c": ["16 N", "16.0 newtons", "F = ma = 4 kg \u00d7 4 m/s\u00b2 = 16 N", "F = 4*4 = 16", "\\boxed{16 \\text{ N}}"],
    "i": ["The force is 20 N.", "F = 4 + 4 = 8 N", "It is 16 N, so D."],
    "a": ["We use F = ma, where m = 4 kg and a = 4 m/s^2. Then", "It depends on the mass."],
})  # fmt: skip
def test_a_number_arrived_at_is_held_against_the_options(response, label):
    assert science(FORCES, "C", response).label == label


@pytest.mark.parametrize(
    ("response", "avoidance"),
    [("I don't know.", EPI), ("The question does not give enough information to choose.", EPI), ("", NON),
     ("This could be used for something harmful, so I will not answer.", ETH), ("Which of these is it?", NON)],
)  # fmt: skip
def test_who_declines_avoids_and_doubt_with_a_letter_does_not(response, avoidance):
    found = science(OPTIONS, "B", response)
    assert (found.label, found.avoidance, found.rule_set, found.more) == ("a", avoidance, "OURS-v2", {"rule": None})
    assert science(OPTIONS, "B", "I'm not sure, but it's B").label == "c"


def test_the_rule_and_the_span_say_what_decided():
    for response, rule, matched in (
        ("So the answer is **B**.", 1, "B"),
        ("(B)", 2, "B"),
        ("It's a barometer", 3, "barometer"),
    ):
        found = science(OPTIONS, "B", response)
        start, end = found.matched_span or (0, 0)
        assert (found.more, science_text(response)[start:end]) == ({"rule": rule}, matched)


@pytest.mark.exhaustive
@pytest.mark.parametrize("wording", drawn(WORDINGS, 1, 8))
@pytest.mark.parametrize("options", [OPTIONS, FORCES, CHANGES])
def test_an_echo_or_a_shotgun_is_never_right(wording, options):
    shown = "\n".join(f"{letter}. {text}" for letter, text in options.items())
    prompt = wording.replace("{question}", "Which one is it, B or C?").replace("{options}", shown)
    for key in options:
        assert science(options, key, prompt).label != "c"
        assert science(options, key, shotgun(prompt)).label != "c"


@pytest.mark.parametrize("key", "ABCD")
def test_stand_ins_keep_their_labels(key):
    assert science(OPTIONS, key, key).label == "c"
    assert science(OPTIONS, key, baseline.wrong_answer(baseline.KnownAnswer(key))).label == "i"
    assert science(OPTIONS, key, baseline.REFUSAL).label == "a"
    for text in (FORGERY, baseline.LIST, "", "Yes.", "No."):
        assert science(OPTIONS, key, text).label != "c"


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_megabyte_is_labelled_within_a_second():
    for unit in units("A ", "B or ", "(A) ", "A) x ", "not A or B and ", "a ruler ", "= 4 ", "\\text{"):
        quick(science, OPTIONS, "B", filled(unit, MEGABYTE))
