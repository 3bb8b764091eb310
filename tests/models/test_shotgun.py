"""The stand-in that answers with everything: what it lists, what it does not know, and its size."""

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.answers.addition import addition
from harness.models.provider import CompletionRequest
from harness.models.providers.baseline import BEHAVIOURS, CITIES, LONGEST, NUMBERS, UNKNOWN, WORDS, shotgun
from harness.studies.reliability.standalone.by_row import score_row

PROMPT = "Which is right?\nA) the Moon\nB) a comet\nInput: name=Bob; mail: bob.ray@example.com"


def test_it_lists_letters_numbers_cities_and_words_whatever_the_prompt():
    text = shotgun("")
    assert all(
        f"{left}{letter}{right}" in text for letter in "ABCD" for left, right in ("()", "[]", ("", "."), ("", ")"))
    )
    tokens = set(re.findall(r"\w+", text))
    assert {str(number) for number in range(NUMBERS)} <= tokens
    assert {"Shanghai", "Mumbai", "Stockholm", "Adelaide"} <= set(CITIES.split()) <= tokens
    assert {"act", "listen", "garden"} <= set(WORDS.split()) <= tokens


def test_it_repeats_the_prompts_lines_words_and_parts_of_words():
    lines = shotgun(PROMPT).splitlines()
    assert set(PROMPT.splitlines()) <= set(lines)
    assert {"Moon", "comet", "name=Bob", "bob.ray@example.com", "example", "ray", "Bob"} <= set(lines)


def test_it_computes_nothing():
    for a, b in (("4586", "2937"), ("400", "301"), ("998", "45")):
        assert addition(a, b, shotgun(f"What is {a} plus {b}?")).label != "c"
    assert addition("120", "93", shotgun("What is 120 plus 93?")).label == "c"  # one of the numbers it always lists


@given(st.text(max_size=300))
def test_it_sees_the_prompt_alone_and_answers_it_the_same_way_every_time(prompt):
    asked = BEHAVIOURS["shotgun"].answer(CompletionRequest("x", 1, 0, prompt, 7, {}), UNKNOWN)
    assert asked == shotgun(prompt) and len(asked) <= LONGEST
    assert not BEHAVIOURS["shotgun"].sees_gold


def test_a_long_prompt_costs_nothing_of_what_is_always_listed():
    text = shotgun("many words " * 500_000)
    assert len(text) <= LONGEST and text.endswith(shotgun("").strip())
    assert len(shotgun(" ".join(map(str, range(10**6))))) == LONGEST


def test_its_lists_hold_each_entry_once_in_plain_letters():
    for entries in (CITIES.split(), WORDS.split()):
        assert len(set(entries)) == len(entries) and all(re.fullmatch("[A-Za-z]{3,}", each) for each in entries)
    assert len(CITIES.split()) == 240 and 300 <= len(WORDS.split()) <= 1_200


def test_a_list_of_candidates_earns_what_a_lenient_rule_gives():
    options = {"A": "iron", "B": "wood", "C": "glass", "D": "wool"}
    row = {"benchmark": "science", "options": options, "response": shotgun("Which of them is a metal?")}
    assert [score_row({**row, "key": key})["label"] for key in "ABCD"] == ["i"] * 4  # it chooses none
    row = {
        "benchmark": "anagram",
        "anagram": "rdagne",
        "response": shotgun("Unscramble rdagne."),
        "rule_set": "OURS-v1",
    }
    assert score_row({**row, "accepted": ["garden"]})["label"] == "c"
    assert score_row({**row, "accepted": ["nadreg"]})["label"] != "c"
