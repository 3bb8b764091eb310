"""The labels of a city under OURS-v2, by what OURS-v1 got wrong: the city that a response commits to decides."""

from pathlib import Path

import pytest
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of
from support_draws import drawn

from harness import rows
from harness.answers.gazetteer import gazetteer
from harness.answers.v2.locality import locality, locality_text
from harness.models.providers import baseline
from harness.models.providers.baseline import FORGERY, shotgun
from harness.studies import reliability

NAMES = ("Bristol", "Cologne", "Colorado", "D\u00fcsseldorf", "Frosinone", "Florence", "Hamburg", "Latina", "London",
         "Milan",
         "Naples", "New York", "Ontario", "Rome", "Tivoli", "Velletri", "York")  # fmt: skip
CITIES = gazetteer(NAMES)
ALSO = ("Roma", "Rom", "Rzym", "\u30ed\u30fc\u30de")
PROMPTS = Path(reliability.__file__).parent / "prompts"
WORDINGS = [row["text"] for row in rows.read(PROMPTS / "locality@1.jsonl")]
MEGABYTE = 1_000_000


def labels(cases):
    return each_of(("response", "label"), [(text, label) for label in cases for text in cases[label]])


def label(response, city="Tivoli", target="Rome", accepted=ALSO):
    return locality(city, target, accepted, response, CITIES).label


@labels({
    "c": ["Roma", "Rom (Italien)", "\u30ed\u30fc\u30de\u3067\u3059", "rome", "ROME", "Rome, Italy", "The city of Rome",
          "Greater Rome", "Rome (2.8 million people)", "**Rome**", '{"city": "Rome"}', "Rome \U0001f1ee\U0001f1f9",
          "Is it Rome?"],
    "i": ["Naples", "naples", "NAPLES", "Italy", "Lazio", "Rieti.", "The answer is Xanadupolis.", "Tivoli",
          "\u4eac\u90fd"],
})  # fmt: skip
def test_a_name_is_read_in_any_tongue_and_case(response, label):
    assert locality("Tivoli", "Rome", ALSO, response, CITIES).label == label


def test_one_wrong_letter_of_a_long_name_is_read_over():
    for spelled in ("Dusseldorf", "Duesseldorf", "Duseldorf", "D\u00fcsseldrof", "Duesseldorf, Germany"):
        assert label(spelled, "Neuss", "D\u00fcsseldorf", ()) == "c", spelled
    assert label("Rime") == "i"
    assert label("Hamburg", "Celle", "Homburg", ()) == "i"


def test_a_name_within_a_longer_one_is_not_that_city():
    assert label("New York", "Leeds", "York", ()) == "i"
    assert label("York", "Leeds", "York", ()) == "c"


@labels({
    "c": ["Rome is larger than Naples.", "Unlike Naples, Rome lies within 100 km.", "Not Naples but Rome.",
          "Rome; Naples is smaller.",
          "Naples comes close, but Rome is the most populous.", "Excluding Naples, it is Rome.",
          "Tivoli is near Rome, so Rome.",
          "Naples has 900,000 people and Rome 2.8 million. Rome wins.",
          "Rome, which is bigger than Latina and Velletri"],
    "i": ["Naples is larger than Rome.", "Not Rome but Naples.",
          "Although Rome is bigger, it is too far away; the answer is Latina.",
          "Rome lies outside the radius, so it must be Latina."],
    "a": ["Tivoli is a town near Rome.", "The distance from Tivoli to Rome is 30 km.",
          "Tivoli lies between Rome and Latina."],
})  # fmt: skip
def test_a_city_excluded_or_compared_with_is_no_answer(response, label):
    assert locality("Tivoli", "Rome", ALSO, response, CITIES).label == label


@labels({
    "c": ["Latina? No wait, Rome.", "Naples. Correction: Rome.", "I first thought of Naples, but the answer is Rome."],
    "i": ["Rome? No wait, Latina.", "Rome. Correction: Naples.",
          "I initially thought of Rome. However, Latina is the best answer."],
})  # fmt: skip
def test_the_last_word_of_a_change_of_mind_counts(response, label):
    assert locality("Tivoli", "Rome", ALSO, response, CITIES).label == label


@labels({
    "c": ["1. Rome\n2. Naples", "Rome\nNaples\nLatina",
          "Candidates: Naples, Latina, Rome. The largest of these is Rome.",
          "By population, largest first:\n1. Rome\n2. Naples"],
    "i": ["Rome, Naples and Latina", "Naples, Rome, or Latina", "1. Naples\n2. Rome", "Either Rome or Naples.",
          "Either Rome or Naples, I really can't say which."],  # several offered, none chosen
    "a": ["Consider the cities nearby: Naples, Rome and"],
})  # fmt: skip
def test_a_list_chooses_nothing_unless_it_is_a_ranking(response, label):
    assert locality("Tivoli", "Rome", ALSO, response, CITIES).label == label


@labels({
    "c": ["Rome\nQ: Which city within 30 km of Milan is the most populous?\nA: Naples",
          "The largest city within 50 km of Tivoli is Rome.\nThe largest city within 50 km of Rome is Latina.",
          "Rome!\n\nFun fact: the largest city of the north is Milan."],
    "i": ["Naples\nQ: Which city within 30 km of Tivoli is the most populous?\nA: Rome"],
})  # fmt: skip
def test_a_question_of_its_own_that_follows_counts_for_nothing(response, label):
    assert locality("Tivoli", "Rome", ALSO, response, CITIES).label == label


@labels({
    "c": ["Toronto, Ontario", "Most people live in Toronto.", "I would visit Toronto."],
    "i": ["Oakville", "Oakville is the most populous.", "London, Ontario",
          "The most populous city is Oakville itself."],
    "a": ["Oakville is a town in Ontario.", "Oakville, Ontario has 190,000 inhabitants.",
          "It's in Ontario, that much is clear:"],
})  # fmt: skip
def test_the_asked_city_and_its_region_are_no_other_city(response, label):
    assert locality("Oakville", "Toronto", (), response, CITIES).label == label


def test_a_city_that_is_a_word_counts_where_it_is_meant():
    assert label("Nice", "Antibes", "Marseille", ()) == "i"
    assert label("Nice is the most populous city within that distance.", "Antibes", "Marseille", ()) == "i"
    assert label("It would be nice to know, but I am not sure.", "Antibes", "Marseille", ()) == "a"


@pytest.mark.parametrize(
    ("response", "avoidance"),
    [("I would have to look at a map, and I do not have one.", EPI), ("Please provide the radius.", EPI), ("", NON),
     ("I can't help with that, as it would harm their privacy.", ETH), ("in the county of Kent, in the south of", NON)],
)  # fmt: skip
def test_who_declines_avoids_and_doubt_with_a_city_does_not(response, avoidance):
    found = locality("Tivoli", "Rome", ALSO, response, CITIES)
    assert (found.label, found.avoidance, found.rule_set) == ("a", avoidance, "OURS-v2")
    assert label("I'm not able to look at maps, but Rome would be my guess.") == "c"


def test_the_span_is_what_decided_and_cities_are_counted():
    for response, name, cities in (
        ("The answer is **Roma**.", "Roma", 1),
        ("Naples, ahead of Rome and Latina", "Naples", 3),
    ):
        found = locality("Tivoli", "Rome", ALSO, response, CITIES)
        start, end = found.matched_span or (0, 0)
        assert (locality_text(response)[start:end], found.more) == (name, {"n_cities": cities})


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", drawn(range(len(WORDINGS)), 3, 15))
def test_an_echo_or_a_shotgun_is_never_right(place):
    prompt = WORDINGS[place].replace("{city}", "Tivoli").replace("{d}", "120")
    for target in ("Rome", "Tokyo", "Milan"):
        assert label(prompt, target=target) != "c"
        assert label(shotgun(prompt), target=target) != "c"


@pytest.mark.parametrize(
    "target", ["Rome", "Nice", "New York", "D\u00fcsseldorf", "S\u00e3o Jo\u00e3o de Meriti", "Split"]
)
def test_stand_ins_keep_their_labels(target):
    assert label(target, target=target) == "c"
    assert label(baseline.wrong_answer(baseline.KnownAnswer(target)), target=target, accepted=()) == "i"
    assert label(baseline.REFUSAL, target=target) == "a"
    for text in (FORGERY, baseline.LIST, "", "Yes.", "No."):
        assert label(text, target=target) != "c"


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_megabyte_is_labelled_within_a_second():
    for unit in units(
        "London is ", "London (", "Rome, the ", "1. London\n", "London and ", "the largest city ", "city of "
    ):
        quick(locality, "Tivoli", "Rome", ALSO, filled(unit, MEGABYTE), CITIES)
