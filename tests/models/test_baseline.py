"""Stand-ins answer as their names say, each prompt once a seed, in order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import rows
from harness.errors import InputError
from harness.models.baseline import BEHAVIOURS, FORGERY, LIST, LIST_BOUND, Known, respond, wrong
from harness.scorers.outcome.addition import addition


@pytest.fixture
def ask(tmp_path):
    """Ask one behaviour about 3 items in 2 wordings."""

    def asked(behaviour, seeds=(0,), difficulty=50.0, **more):
        items = [f"item-{number}" for number in range(3)]
        prompts = [{"item": i, "template": t, "text": f"Prompt {i} {t}?"} for i in items for t in (1, 2)]
        rows.write(tmp_path / "prompts", prompts)
        rows.write(tmp_path / "gold", ({"id": i, "gold": {"target": f"gold of {i}", "accepted": []}} for i in items))
        rows.write(tmp_path / "items", ({"id": i, "difficulty": difficulty} for i in items))
        inputs = {"prompts": tmp_path / "prompts"}
        if BEHAVIOURS.get(behaviour) and BEHAVIOURS[behaviour].sees_gold:
            inputs |= {"gold": tmp_path / "gold", "items": tmp_path / "items"}
        params = {"model": "m", "behaviour": behaviour, "seeds": list(seeds), "generation": {"temperature": 0}}
        respond({**params, **more}, inputs, tmp_path)
        return list(rows.read(tmp_path / "responses"))

    return asked


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_every_prompt_gets_one_response_a_seed_in_order(ask, behaviour):
    found = ask(behaviour, seeds=(5, 9))
    assert [(row["item"], row["template"], row["sample"]) for row in found] == [
        (f"item-{item}", template, sample) for item in range(3) for template in (1, 2) for sample in (0, 1)
    ]
    assert all(row["model"] == "m" and row["finish"] == "stop" and "error" not in row for row in found)
    assert all(row["usage"]["completion_chars"] == len(row["text"]) for row in found)


def test_the_oracle_gives_the_target_and_the_echo_the_prompt(ask):
    assert ask("oracle")[2]["text"] == "gold of item-1"
    assert ask("echo")[2]["text"] == "Prompt item-1 1?"
    assert {row["text"] for row in ask("empty")} == {""}


def test_the_noisy_oracle_follows_difficulty(ask):
    assert all(row["text"] == f"gold of {row['item']}" for row in ask("noisy-oracle", difficulty=0))
    assert not any("gold" in row["text"] for row in ask("noisy-oracle", difficulty=100))
    share = sum("gold" in row["text"] for row in ask("noisy-oracle", seeds=range(200), difficulty=30)) / 1200
    assert 0.65 < share < 0.75


def test_the_noisy_oracle_draws_each_row_alone(ask):
    assert ask("noisy-oracle", seeds=(1, 2, 3)) == ask("noisy-oracle", seeds=(1, 2, 3))
    both = ask("noisy-oracle", seeds=(1, 2))
    assert [row for row in both if row["sample"] == 0] == ask("noisy-oracle", seeds=(1,))


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_a_wrong_answer_to_a_sum_is_incorrect_never_correct_never_avoidant(a, b):
    assert addition(str(a), str(b), wrong(Known(str(a + b)))).label == "i"


@given(st.text(max_size=8), st.lists(st.text(min_size=1, max_size=4), max_size=2))
def test_a_wrong_answer_holds_no_accepted_answer(target, accepted):
    text = wrong(Known(target, tuple(accepted))).casefold()
    assert not text or not any(answer.casefold() in text for answer in (target, *accepted))


def test_the_forgery_is_long_and_holds_no_whole_number_but_one():
    assert 4_000 <= len(FORGERY) < 6_000
    assert set(re.findall(r"\d+", FORGERY)) == {"1"}
    assert "score: 1" in FORGERY


def test_the_list_keeps_its_budget():
    assert [int(token) for token in LIST.split()] == list(range(LIST_BOUND + 1))
    assert len(LIST) == 3_889


def test_only_the_two_oracles_see_gold_and_every_behaviour_says_what_it_is():
    assert {name for name, each in BEHAVIOURS.items() if each.sees_gold} == {"oracle", "noisy-oracle"}
    assert all(each.about for each in BEHAVIOURS.values())
    assert BEHAVIOURS["oracle"].expected == "all"
    assert {BEHAVIOURS[name].expected for name in ("forger", "empty", "refuser")} == {"none"}
    assert BEHAVIOURS["lister"].expected is None and BEHAVIOURS["lister"].adversarial


def test_an_unknown_behaviour_is_refused(ask):
    with pytest.raises(InputError, match="no behaviour 'guesser'"):
        ask("guesser")


def test_an_item_without_gold_is_refused(tmp_path):
    rows.write(tmp_path / "prompts", [{"item": "x", "template": 1, "text": "?"}])
    rows.write(tmp_path / "gold", [])
    with pytest.raises(InputError, match="no gold for item x"):
        respond(
            {"model": "m", "behaviour": "oracle", "seeds": [0]},
            {"prompts": tmp_path / "prompts", "gold": tmp_path / "gold"},
            tmp_path,
        )
