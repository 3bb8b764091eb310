"""Synthetic papers: what is told keeps its order at a seeded place, and filler tells nothing."""

from __future__ import annotations

import re

import pytest

from harness import seeds
from harness.errors import InputError
from harness.studies.curie.demo import filler
from harness.studies.curie.demo.documents import Section, draws, paper, place, shuffled, turn

SENTENCES = tuple(f"Sentence {'x' * at} says nothing." for at in range(1, 60))
SECTIONS = (
    Section("First", ("Told one.",)), Section("Second", ("Told two.", "Told three.")),
    Section("Last", ("Closed.",), filled=False),
)  # fmt: skip


def written(seed, words=200):
    return paper(seeds.random_stream(seed), "A title", SECTIONS, SENTENCES, words)


def test_what_is_told_keeps_its_order_and_its_section():
    for seed in range(20):
        told = ["A title", "First", "Told one.", "Second", "Told two.", "Told three.", "Last\n\nClosed."]
        places = [written(seed).index(each) for each in told]
        assert places == sorted(places)


def test_its_place_among_the_filler_is_drawn():
    assert len({written(seed).index("Told two.") for seed in range(20)}) > 10
    assert 0 <= place(written(0), "Told one.") < place(written(0), "Told three.") < 100


def test_a_paper_is_about_as_long_as_asked_and_says_nothing_twice():
    text = written(3)
    assert 200 <= len(text.split()) < 230
    said = re.findall(r"Sentence x+ ", text)
    assert len(said) == len(set(said)) > 30
    assert len(written(3, 10**6).split()) < 300  # the sentences ran out


def test_equal_seeds_give_equal_papers_and_others_give_others():
    assert written(5) == written(5) != written(6)


def test_a_draw_depends_on_no_other():
    few, many = ([seeds.draw_below(each.source, 10**9) for each in draws({"seed": 1, "count": n}, "p")] for n in (3, 9))
    assert few == many[:3] and len(set(many)) == 9
    assert [each.level for each in draws({"seed": 1, "count": 4}, "p")] == ["easy", "medium", "hard", "easy"]
    with pytest.raises(InputError) as refused:
        draws({"seed": 1, "count": 0}, "p")
    assert refused.value.where == "count"


def test_choices_take_turns():
    taken = [turn(4, "p", at, "abcde") for at in range(15)]
    rounds = [taken[:5], taken[5:10], taken[10:]]
    assert all(sorted(each) == list("abcde") for each in rounds) and rounds[0] != rounds[1]
    assert sorted(shuffled(seeds.random_stream(1), range(9))) == list(range(9))


@pytest.mark.parametrize("name", ["GENERAL", "MATERIALS", "CALCULATIONS", "MANY_BODY"])
def test_filler_states_no_value_and_no_formula(name):
    said = getattr(filler, name)
    assert len(said) == len(set(said)) >= 20
    for sentence in said:
        assert not re.search(r"\d|\$|\\|=", sentence)
        assert sentence.endswith(".") and sentence.isascii()
