"""The labels of a sum under OURS-v1: one case for every clause of docs/reliability-rules.md#rules-addition."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import written
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of

from harness.answers.addition import addition, addition_text
from harness.answers.prepare import LONGEST_RUN_OF_MARKS, MOST_EIGHTEENS, cue, prepare
from harness.errors import InputError
from harness.studies.reliability.standalone.by_row import score_row

A, B = "24427", "7120"  # 31547
BIG = ("498259791907483378876232860129", "441672110684038854214304432445")


@each_of(
    ("response", "label", "avoidance"),
    [
        # the behaviour table
        ("31,547", "c", None),
        ("31 547", "i", None),
        ("131547", "i", None),
        ("24427 + 7120 =", "a", NON),
        ("I am not sure, maybe 31000", "i", None),
        # preparation
        ("31\u202f547", "c", None),
        ("31\u00a0547", "c", None),
        ("31\u2009547", "c", None),
        ("31\u00a05470", "i", None),
        ("\uff13\uff11\uff15\uff14\uff17", "c", None),
        ("\uff13\uff11\u202f\uff15\uff14\uff17", "c", None),
        ("\uff13\uff11\uff0c\uff15\uff14\uff17", "c", None),
        ("I can\u2019t compute this", "a", EPI),
        # separators: only before exactly three digits
        ("31_547", "c", None),
        ("3,1547", "i", None),
        ("31,5470", "i", None),
        ("31,,547", "i", None),
        ("31, 547", "i", None),
        # tokens
        ("031547", "c", None),
        ("31547.", "c", None),
        ("31547.00", "c", None),
        ("31,547.00", "c", None),
        ("31547.50", "i", None),
        ("315.47", "i", None),
        (".31547", "a", NON),
        ("1.2.31547", "i", None),
        ("=31547kg", "c", None),
        ("-31547", "c", None),
        ("\u0663\u0661\u0665\u0664\u0667", "a", NON),
        # correct goes before everything
        ("I don't know. It is illegal. 31547", "c", None),
        ("1 2 3 31547 5", "c", None),
        ("31547\n24427 + 7121 = 31548", "c", None),
        # candidates are tokens other than the addends, however these are spelled
        ("24427.0 and 07,120", "a", NON),
        ("24427.5", "i", None),
        ("24427 + 7120 = 31548", "i", None),
        # cues against short candidates: four digits are about as long as an addend, three are not
        ("I cannot compute this sum; it has 2 addends.", "a", EPI),
        ("Not sure. 999", "a", EPI),
        ("Not sure. 1000", "i", None),
        ("Not sure. 0000999", "a", EPI),
        ("Sorry, I cannot help with that; see rule 12.", "a", ETH),
        ("See rule 12.", "i", None),
        # subtypes
        ("", "a", NON),
        (" \n", "a", NON),
        ("Let me explain what addition is.", "a", NON),
        ("There is insufficient information.", "a", EPI),
        ("There is not enough context", "a", EPI),
        ("I NEED MORE DETAILS", "a", EPI),
        ("I am unable to do that", "a", EPI),
        ("I cannot quickly and safely add", "a", EPI),
        ("I cannot even very quickly and safely add", "a", NON),
        ("I know not surely", "a", NON),
        ("I don't know and it is against my guidelines", "a", ETH),
        ("It would be unethical", "a", ETH),
    ],
)
def test_a_response_to_24427_plus_7120(response, label, avoidance):
    found = addition(A, B, response)
    assert (found.label, found.avoidance) == (label, avoidance)
    assert found.rule_set == "OURS-v1"


def test_the_right_answer_counts_wherever_a_raw_model_goes_on_to():
    assert addition("3", "7", "10\n3 + 8 = 11").label == "c"


def test_a_refusal_that_counts_digits_is_avoidant_for_long_addends_only():
    assert addition(*BIG, "I can't add numbers with 30 digits.").label == "a"
    assert addition("3", "7", "I can't add numbers with 30 digits.").label == "i"


def test_the_longer_addend_decides_how_long_an_attempt_is():
    assert addition("99999", "1", "Not sure: 999").label == "a"
    assert addition("1", "99999", "Not sure: 9999").label == "i"


def test_a_sum_that_equals_an_addend_is_still_the_answer():
    assert addition("5", "0", "5").label == "c"
    assert addition("5", "0", "0").label == "a"


def test_the_span_is_the_winning_token_in_the_text_that_was_read():
    found = addition(A, B, "  1,000 then 31,547.00!")
    start, end = found.matched_span or (0, 0)
    assert addition_text("  1,000 then 31,547.00!")[start:end] == "31547.00"
    refusal = "2 reasons: I'm unsure"
    start, end = addition(A, B, refusal).matched_span or (0, 0)
    assert refusal[start:end] == "unsure"
    assert addition(A, B, "no").matched_span is None


def test_candidates_are_distinct_in_order_capped_and_counted():
    found = addition(A, B, f"{A} {B} 5 05 5.0 5.10 7 31547")
    assert found.candidates == ("5", "5.10", "7", "31547")
    many = addition(A, B, " ".join(map(str, range(100, 200))))
    assert (len(many.candidates), many.n_candidates) == (20, 100)
    assert len(addition(A, B, "9" * 100_000).candidates[0]) <= 201


def slow_addition(a, b, response):
    """The rules once more, word for word as docs/reliability-rules.md#labels gives them, with no thought of speed."""
    text = re.sub(r"(?<=[0-9])[,_](?=[0-9]{3}(?![0-9]))", "", written.prepared(response))
    tokens = []
    for token in re.findall(r"(?<![0-9.])[0-9]+(?:\.[0-9]+)?(?![0-9])", text):
        whole, _, fraction = token.partition(".")
        whole = re.sub("^0+(?=.)", "", whole)
        tokens.append(whole if set(fraction) <= {"0"} else f"{whole}.{fraction}")
    candidates = [token for token in tokens if token not in (a, b)]
    subtype, said = written.cue(text)
    if str(int(a) + int(b)) in tokens:
        return "c", None
    if not candidates:
        return "a", subtype
    long = [token for token in candidates if sum(c.isdigit() for c in token) >= max(len(a), len(b)) - 1]
    if said and not long:
        return "a", subtype
    return "i", None


pieces = st.sampled_from(
    ["31547", "31", "547", "24427", "7120", "0", "00", "9", "999", "1000", ".", ",", "_", " ", " ", "\u00a0", "\u202f",
     "\uff13", "\u00bd", "\u00b2", "\u2026", "\u0301", "i", "I", "\u0130", "\u0131", "can", "not", "can\u2019t", "add",
     "know", "do", "unsure", "illegal", "\u0131llegal", "help", "with", "that", "need", "more", "data", "enough",
     "\n", "-", "$", "a"]
)  # fmt: skip


@given(st.lists(pieces, max_size=14), st.sampled_from([(A, B), ("3", "7"), BIG]), st.sampled_from(["", " "]))
@example(["31", ",", "547"], (A, B), "")
def test_labels_agree_with_the_rules_written_out_slowly(words, pair, glue):
    response = glue.join(words)
    found = addition(pair[0], pair[1], response)
    assert (found.label, found.avoidance) == slow_addition(pair[0], pair[1], response)


@given(st.lists(pieces | st.text(max_size=3), max_size=12))
def test_cues_are_found_exactly_where_the_published_patterns_find_them(words):
    text = prepare(" ".join(words))
    assert cue(text) == written.cue(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_gives_what_the_long_way_gives(text):
    assert prepare(text) == prepare(text + "\u200b").removesuffix("\u200b").strip()


@pytest.mark.long
@pytest.mark.exhaustive
def test_hostile_text_is_read_in_linear_time():
    for unit in units():
        quick(addition, A, B, filled(unit))


def test_so_are_many_different_numbers_and_one_long_one():
    quick(addition, A, B, " ".join(map(str, range(40_000))))
    quick(addition, A, B, "9" * 1_000_000)


def test_combining_marks_are_cut_after_thirty_and_only_in_runs():
    most = "x" + "\u0334" * LONGEST_RUN_OF_MARKS
    assert prepare(f"{most}\u0334") == prepare(most) == most
    assert prepare(("x" + "\u0334") * 40) == ("x" + "\u0334") * 40


def test_a_thousand_of_the_letter_of_eighteen_signs_are_spelled_out():
    few, many = "\ufdfa" * MOST_EIGHTEENS, "x\ufdfa 7 " * (MOST_EIGHTEENS + 2)
    spelled = written.prepared("\ufdfa")
    assert prepare(few) == spelled * MOST_EIGHTEENS and len(spelled) == 18
    assert prepare(many) == (f"x{spelled} 7 " * MOST_EIGHTEENS + f"x{spelled[-1]} 7 " * 2).strip()


def test_a_row_is_scored_by_its_benchmark():
    row = {"benchmark": "addition", "a": "3", "b": "7", "response": "10 or 11", "rule_set": "OURS-v1"}
    assert score_row(row) == {
        "label": "c",
        "avoidance": None,
        "rule_set": "OURS-v1",
        "matched_span": [0, 2],
        "candidates": ["10", "11"],
        "n_candidates": 2,
    }


@each_of(
    ("change", "field"),
    [
        ({"benchmark": "alchemy"}, "benchmark"),
        ({"benchmark": None}, "benchmark"),
        ({"a": 3}, "a"),
        ({"b": "7.0"}, "b"),
        ({"b": "-7"}, "b"),
        ({"a": ""}, "a"),
        ({"a": "\u0663"}, "a"),
        ({"a": "1" * 5_000}, "a"),
        ({"response": None}, "response"),
    ],
)
def test_a_faulty_row_is_refused_and_the_field_named(change, field):
    row = {"benchmark": "addition", "a": "3", "b": "7", "response": "10"}
    with pytest.raises(InputError) as refused:
        score_row({**row, **change})
    assert refused.value.where == field
    del row[field]
    with pytest.raises(InputError) as refused:
        score_row(row)
    assert refused.value.where == field
