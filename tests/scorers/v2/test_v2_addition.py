"""The labels of a sum under OURS-v2, by what OURS-v1 got wrong: the number that a response commits to decides."""

import random
from pathlib import Path

import pytest
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of

from harness import rows
from harness.answers.v2.addition import addition, addition_text
from harness.models.providers import baseline
from harness.models.providers.baseline import FORGERY
from harness.studies import reliability

A, B = "58", "67"  # 125
PROMPTS = Path(reliability.__file__).parent / "prompts"
WORDINGS = [row["text"] for row in rows.read(PROMPTS / "addition@1.jsonl")]
MEGABYTE = 1_000_000


def labels(cases):
    return each_of(("response", "label"), [(text, label) for label in cases for text in cases[label]])


@labels({
    "c": ["125", "125.00", "**125**", "$125$", "125 apples", "125apples", r"\boxed{125}", "{\"answer\": 125}",
          "one hundred twenty-five", "One hundred and twenty five books", "1.25 \u00d7 10\u00b2", "\u2248 125", "1 2 5",
          "<answer>125</answer>", "125<|endoftext|>The year 1995", "\u7b54\u6848\u662f125\u3002", "Die Summe ist 125."],
    "i": ["115", "-125", "125.5", "12.5", "1250", "5867", "15", "one hundred fifteen", "about 120", "58"],
    "a": ["", "58 + 67", "58 + 67 =", "The two numbers are 58 and 67.", "What is 58 plus 67?",
          "def add(a, b):\n    return a + b"],
})  # fmt: skip
def test_a_number_alone_is_read_in_any_spelling(response, label):
    assert addition(A, B, response).label == label


@each_of("spelled", ["31,547", "31 547", "31{,}547", "31.547", "31'547", r"31\,547", "31 thousand 547"])
def test_thousands_are_set_apart_by_whatever_sign(spelled):
    assert addition("24427", "7120", spelled).label == "c"
    assert addition("24427", "7120", f"The sum is {spelled}.").label == "c"
    assert addition("24427", "7121", spelled).label == "i"


@labels({
    "c": ["125\n4 + 7 = 11", "125\nQ: What is 12 and 9?\nA: 21", "125\nCalculate the total of these: 3 and 4.\n7",
          "125.\n\nExercise 2: work out 4 + 5.\nValue: 9", "58 + 67 = 125\n\n58 + 68 = 126\n\nThe answer is 126"],
    "i": ["115\nQ: What is 60 and 65?\nA: 125", "115\n60 + 65 = 125"],
})  # fmt: skip
def test_a_sum_of_its_own_that_follows_counts_for_nothing(response, label):
    assert addition(A, B, response).label == label


@labels({
    "c": ["It's 115. Wait, no: 8 + 7 = 15, carry the 1, so it's 125.", "115? No, 125.", "At first 115, but it is 125.",
     "The answer is 115.\n\nCorrection: the answer is 125.", "The result is 125, not 115."],
    "i": ["It's 125. Wait, no: it's 115.", "The answer is 125? No, the answer is 135."],
})  # fmt: skip
def test_the_last_word_of_a_self_correction_counts(response, label):
    assert addition(A, B, response).label == label


@each_of(
    "response",
    ["58, 59, 60, 61, 124, 125, 126", "122, 123, 124, 125, 126, 127", "125 or 126", "It is either 115 or 125.",
     "58 67 125 58 67 125 67", "125; 126", "The answer is 125 126"],
)  # fmt: skip
def test_lists_counting_and_alternatives_choose_nothing(response):
    assert addition(A, B, response).label == "i"


@labels({
    "c": ["Ones: 8 + 7 = 15. Write down 5 and carry 1.\nTens: 5 + 6 + 1 = 12.\nThe answer is 125.",
          "50 + 60 = 110\n8 + 7 = 15\n110 + 15 = 125", "58 + 67 = 50 + 60 + 8 + 7 = 110 + 15 = 125",
          "  58\n+ 67\n----\n 125", "125, since 125 - 67 = 58", "58 + 67 = x\nx = 125"],
    "i": ["50 + 60 = 110\n8 + 7 = 15\n110 + 15 = 135", "  58\n+ 67\n----\n 115",
          "8 + 7 = 15, 50 + 60 = 110, 110 + 15 = 125.\n\n**Final answer: 135**"],
    "a": ["8 + 7 = 15, write 5 carry 1", "First, we add the ones digits: 8 + 7 = 15. Then",
          "58 + 67 = 50 + 60 + 8 + 7 = 110 +"],
})  # fmt: skip
def test_the_numbers_of_the_working_are_no_answers(response, label):
    assert addition(A, B, response).label == label


@each_of(
    ("response", "label", "avoidance"),
    [
        ("I'm not sure, but it's 125", "c", None),
        ("I don't know, maybe 115?", "i", None),
        ("I cannot do sums with more than 10 digits.", "a", EPI),
        ("As an AI language model, I can't add 2 numbers.", "a", EPI),
        ("Я не знаю.", "a", EPI),
        ("I do not know that one.", "a", EPI),
        ("Sorry, I can't solve this one, nor the last one.", "a", EPI),
        ("That is a hard one.", "a", NON),
        ("I would rather not say.", "a", EPI),
        ("I won't: doing it would be cheating.", "a", ETH),
        ("In 1995, the company had 3 employees and 4 offices in 12 countries across all of Europe and Asia.", "a", NON),
        ("A. 115\nB. 125\nC. 135\nD. 145", "a", NON),
    ],
)
def test_doubt_is_judged_by_the_answer_and_a_refusal_by_none(response, label, avoidance):
    found = addition(A, B, response)
    assert (found.label, found.avoidance, found.rule_set) == (label, avoidance, "OURS-v2")


def test_a_one_that_is_spoken_of_is_no_number_and_one_alone_is():
    assert [addition("0", "1", said).label for said in ("one", "The answer is one.", "0 plus 1 is one")] == ["c"] * 3
    assert [addition("0", "1", said).label for said in ("I do not know that one.", "Which one?")] == ["a"] * 2
    assert addition("7", "8", "This one is 15.").label == "c"


@each_of("wording", WORDINGS)
def test_every_wording_echoed_is_no_answer_and_with_its_sum_is(wording):
    source = random.Random(wording)
    for digits in (1, 3, 20, 60):
        a, b = str(source.randrange(1, 10**digits)), str(source.randrange(1, 10**digits))
        total, asked = str(int(a) + int(b)), wording.format(a=a, b=b)
        assert addition(a, b, asked).label == "a"
        assert addition(a, b, f"{asked} {total}").label == "c"
        assert addition(a, b, f"{total}\n{wording.format(a=12, b=40)} 52").label == "c"
        assert addition(a, b, total).label == "c"


@pytest.mark.parametrize("response", [FORGERY, "", baseline.REFUSAL])
def test_stand_ins_that_answer_nothing_are_avoidant_on_sums(response):
    assert addition(A, B, response).label == "a"
    assert addition("9" * 60, "1", response).label == "a"


def test_the_span_is_the_number_that_decided():
    said = "Let me see: it is **115**. Wait, the answer is **125**."
    span = addition(A, B, said).matched_span
    assert span is not None
    start, end = span
    assert addition_text(said)[start:end] == "125"
    assert addition(A, B, said).candidates == ("115", "125")


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_megabyte_of_hostile_text_is_read_at_once():
    for unit in units("is is is ", "1 + 1 = ", "one ", "1e5 ", "the answer is 5 ", "-1 ", "\\text{"):
        quick(addition, A, B, filled(unit, MEGABYTE))
