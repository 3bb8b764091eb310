"""The labels of an anagram under OURS-v2, by what OURS-v1 got wrong: the word that a response commits to decides."""

import re
from pathlib import Path

import pytest
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of
from support_draws import drawn

from harness import rows
from harness.answers.v2.anagram import anagram, anagram_text
from harness.models.providers import baseline
from harness.models.providers.baseline import FORGERY, shotgun
from harness.studies import reliability

SHOWN, ACCEPTED = "nietls", ("enlist", "inlets", "listen", "silent", "tinsel")
PROMPTS = Path(reliability.__file__).parent / "prompts"
WORDINGS = [row["text"] for row in rows.read(PROMPTS / "anagram@1.jsonl")]
MEGABYTE = 1_000_000


def labels(cases):
    return each_of(("response", "label"), [(text, label) for label in cases for text in cases[label]])


def label(response, shown=SHOWN, accepted=ACCEPTED):
    return anagram(shown, accepted, response).label


@labels({
    "c": ["L-I-S-T-E-N", "l i s t e n", "S.I.L.E.N.T.", "lis-ten", "LISTEN!", "**L**isten", "\\boxed{\\text{listen}}"],
    "i": ["L-I-S-T-E-R", "l e n t i s"],
    "a": ["n i e t l s", "N-I-E-T-L-S", "The letters are n, i, e, t, l, s.", "E, I, L, N, S, T"],
})  # fmt: skip
def test_letters_one_by_one_spell_a_word(response, label):
    assert anagram(SHOWN, ACCEPTED, response).label == label


@labels({
    "i": ["client", "inlet is what you get", "The word is intels.", "nietls -> intels", "It spells inlet.", "listens",
          "The answer is 'steln'.", '{"answer": "tiles"}', "<answer>tiles</answer>", "The word is back pain.",
          "The correct answer is: (C) client", "\u5b89\u9759"],
    "a": ["nietls", "", "It has six letters.", "Solution: see page 14", "print(''.join(sorted('nietls')))",
          "The cat sat on the mat.", "Is it something you do?"],
})  # fmt: skip
def test_a_wrong_word_needs_no_quotes_and_a_sentence_is_none(response, label):
    assert anagram(SHOWN, ACCEPTED, response).label == label


@labels({
    "c": ["Listen, silent, enlist", "listen or silent", 'Either "listen" or "silent" works.', "1. listen\n2. tile"],
    "i": ["inlet, listen, tiles", "tiles\nstile\nlisten", "It could be inlet or listen", "inlet / listen"],
})  # fmt: skip
def test_a_list_chooses_nothing_unless_all_of_it_is_right(response, label):
    assert anagram(SHOWN, ACCEPTED, response).label == label


@labels({
    "c": ["It's client. Wait, no: it's listen!", 'Not "client" and not "inlet": the six letters give silent.',
          "At first I thought inlet, but there is an s, so silent.",
          "inlet leaves an s over. Tinsel uses all of them."],
    "i": ["It could be listen, hmm, but actually I'll answer client.",
          'It isn\'t "listen". The right word is "client".',
          "At first I'd say listen, but on reflection I settle on \"listens\"."],
})  # fmt: skip
def test_the_last_word_of_a_change_of_mind_counts(response, label):
    assert anagram(SHOWN, ACCEPTED, response).label == label


@labels({
    "c": ["silent\n\nUnscramble this: oushe\nhouse", "silent\noushe -> house", "Silent.\n\nQ: And retteb?\nA: better"],
    "i": ["client\n\nUnscramble this: tlneis\nlisten", "inlet\noushe -> house"],
})  # fmt: skip
def test_an_anagram_of_its_own_that_follows_counts_for_nothing(response, label):
    assert anagram(SHOWN, ACCEPTED, response).label == label


@each_of(
    ("response", "avoidance"),
    [("I don't know.", EPI), ("I would rather not say.", EPI), ("I prefer not to guess.", EPI),
     ("The letters do not form a valid English word.", EPI), ("You've stumped me!", EPI),
     ("I cannot help with puzzles whose solutions may be offensive.", ETH), ("nietls", NON), ("", NON)],
)  # fmt: skip
def test_who_declines_avoids_and_doubt_with_a_word_does_not(response, avoidance):
    found = anagram(SHOWN, ACCEPTED, response)
    assert (found.label, found.avoidance, found.rule_set) == ("a", avoidance, "OURS-v2")
    assert label(f"{response} Maybe it is listen.") == "c"


def test_a_small_word_is_right_where_it_is_meant():
    assert [label(text, "owt", ("tow", "two")) for text in ("two", "The word is two.", 'It spells "two".')] == ["c"] * 3
    assert label("There are two ways to solve this.", "owt", ("tow", "two")) == "a"


def test_the_shown_string_is_no_answer_and_an_alternate_is_told():
    assert label("listen", "listen", ("listen", "silent")) == "a"
    used = [anagram(SHOWN, ACCEPTED, text, "listen").more for text in ("silent", "listen", "client")]
    assert used == [{"alternate_used": True}, {"alternate_used": False}, {"alternate_used": False}]
    assert anagram(SHOWN, ACCEPTED, "silent").more == {}


def test_the_span_is_what_decided_in_the_text_that_was_read():
    for response, word in (("Is it L-I-S-T-E-N?", "listen"), ("The word is **Client**.", "client")):
        start, end = anagram(SHOWN, ACCEPTED, response).matched_span or (0, 0)
        assert anagram_text(response, SHOWN)[start:end] == word


@pytest.mark.parametrize("wording", drawn(WORDINGS, 3, len(WORDINGS)))
def test_an_echo_or_a_shotgun_is_never_right(wording):
    words = set(re.findall("[a-z]{3,}", wording.replace("{anagram}", "").lower()))
    for word in {*words, "listen", "orchestra", "two"}:
        shown = word[::-1] if word != word[::-1] else "".join(sorted(word))
        prompt = wording.replace("{anagram}", shown)
        assert label(prompt, shown, (word,)) != "c", word
        assert label(shotgun(prompt), shown, (word,)) != "c", word


@pytest.mark.parametrize("word", ["listen", "two", "letters", "unsure", "internationalization"])
def test_stand_ins_keep_their_labels(word):
    shown, known = word[::-1], baseline.KnownAnswer(word)
    assert label(word, shown, (word,)) == "c"
    assert label(baseline.wrong_answer(known), shown, (word,)) == "i"
    assert label(baseline.REFUSAL, shown, (word,)) == "a"
    for text in (FORGERY, baseline.LIST, "", "Yes.", "No."):
        assert label(text, shown, (word,)) != "c"


FORMS = (
    "l-i-s-", "a-", "answer is a-", "a-b is ", "=> a-", "listen ", "listen, ", "not listen ", "nietls -> ", "\n,",
    "is is ", "**", "listen\n",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_megabyte_is_labelled_within_a_second():
    for unit in units(*FORMS):
        quick(anagram, SHOWN, ACCEPTED, filled(unit, MEGABYTE))
