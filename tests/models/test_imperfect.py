"""Answers that are nearly right keep what they say they keep, and change what they say they change."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.models.provider import CompletionRequest
from harness.models.providers.baseline import (
    BEHAVIOURS,
    REFUSAL,
    KnownAnswer,
    first_half,
    one_wrong_number,
    paraphrased,
)

LISTED = "Yes, GEN0001 has 2 of them:\n- rs990000001 (p 2.59e-08)\n- rs990000002 (p 1.00e-07)"


def test_a_paraphrase_keeps_every_word_and_number_in_order():
    said = paraphrased(LISTED)
    words = re.findall(r"[\w.-]+", LISTED.replace("\n- ", "\n"))
    found = iter(re.findall(r"[\w.-]+", said.replace("*", "")))
    assert all(word in found for word in words)  # each after the one before it


def test_a_paraphrase_is_one_line_with_bold_numbers():
    said = paraphrased(LISTED)
    assert "\n" not in said and "**2** of them" in said and "rs990000001" in said and "; rs990000002" in said


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("It has 47 SNPs.", "It has 57 SNPs."),
        ("an A frequency of 0.0317", "an A frequency of 0.0417"),
        ("chromosome 5 at 150415489", "chromosome 5 at 250415489"),
        ("phase 3.0, first approved in 1999.", "phase 3.0, first approved in 2999."),
        ("Its id is CHEMBL9000123.", "Its id is CHEMBL1000123."),
        ("p-value 2.59e-08", "p-value 3.59e-08"),
        ("It has 0 targets", "It has 7 targets"),
        ("No.", "No."),
    ],
)
def test_one_number_alone_is_another(text, wrong):
    assert one_wrong_number(text) == wrong


@given(st.text())
def test_an_answer_with_a_number_is_changed_in_one_sign(text):
    wrong = one_wrong_number(text)
    parts = [place for place, (one, other) in enumerate(zip(text, wrong, strict=True)) if one != other]
    assert len(parts) == (1 if re.search(r"\d", text) else 0)


def test_half_an_answer_is_the_first_half_of_its_words():
    assert first_half("It targets GEN0001 and GEN0002") == "It targets GEN0001"


def answers(behaviour, target="The year is 1999.", count=400):
    known = KnownAnswer(target)
    return [
        BEHAVIOURS[behaviour].answer(CompletionRequest(f"item-{place}", 1, 0, "What?", 0, {}), known)
        for place in range(count)
    ]


def test_a_coin_oracle_is_right_on_about_half_and_never_refuses():
    said = answers("coin-oracle")
    assert 160 < said.count("The year is 1999.") < 240 and REFUSAL not in said


def test_a_random_refuser_refuses_half_and_is_a_coin_oracle_else():
    base, said = answers("coin-oracle"), answers("random-refuser")
    assert 160 < said.count(REFUSAL) < 240
    assert all(one in (REFUSAL, other) for one, other in zip(said, base, strict=True))


def test_what_it_refuses_says_nothing_about_what_is_right():
    base, said = answers("coin-oracle", count=2000), answers("random-refuser", count=2000)
    right = [one for one, other in zip(said, base, strict=True) if other == "The year is 1999."]
    assert 0.45 < right.count(REFUSAL) / len(right) < 0.55
