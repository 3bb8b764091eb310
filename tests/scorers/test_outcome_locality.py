"""The labels of a city under OURS-v1: one case for every clause, and no text that takes long.

Rule: docs/reliability-rules.md#rules-locality.
"""

import re
import time
import unicodedata
from hashlib import sha256
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scorers import written
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of
from support_pace import soon

from harness.answers.gazetteer import gazetteer, plain
from harness.answers.locality import locality
from harness.answers.names import COMMON_WORDS, STOP_WORDS, common_words_sha256
from harness.errors import InputError
from harness.models.providers.baseline import FORGERY, REFUSAL
from harness.studies.reliability.standalone.by_row import CHOICE_ROWS

NAMES = ["Arden", "Belmar", "Corvo", "Nice", "Most", "Reading", "San Marten", "San Marten del Norte", "St. Olav's",
         "Elvås", "Old Corvo", "a Coruna", "25 de Mayo", "!", "Of"]  # fmt: skip
COMMON = ["nice", "most", "reading", "of", "unknown", "the"]
PLACES = gazetteer(NAMES, COMMON)


def label(response, city="Arden", target="Corvo", places=PLACES):
    found = locality(city, target, response, places)
    return found.label, found.avoidance


@each_of(
    ("response", "expected", "avoidance"),
    [
        # right: the target as a whole word, any case, whatever stands beside it
        ("Corvo", "c", None),
        ("the largest is CORVO.", "c", None),
        ("corvo", "c", None),
        ("C\u00f3rvo", "c", None),
        ("Co\u0301rvo", "c", None),
        ("\uff23orvo", "c", None),
        ("_Corvo_ or Belmar", "c", None),
        ("I do not know. It is illegal. Corvo", "c", None),
        ("Old Corvo", "c", None),
        ("Corvoland", "a", NON),
        ("Corvo\u00f8", "a", NON),
        ("xCorvo", "a", NON),
        ("Corvo1", "a", NON),
        # wrong: another name in its stored capitalisation
        ("Belmar", "i", None),
        ("belmar", "a", NON),
        ("BELMAR", "a", NON),
        ("Belmar's", "i", None),
        ("Elvas", "i", None),
        ("Elv\u00e5s", "i", None),
        ("St. Olav\u2019s", "i", None),
        ("St Olav's", "a", NON),
        ("25 de Mayo", "i", None),
        ("I am not sure, maybe Belmar", "i", None),
        # phrases: as a whole, across any white space
        ("San Marten", "i", None),
        ("San \n Marten", "i", None),
        ("San", "a", NON),
        ("Marten", "a", NON),
        ("San Marten del Sur", "i", None),
        # the city that was asked about, common words, and words nobody claimed
        ("Arden", "a", NON),
        ("Nice", "a", NON),
        ("Zanthor", "a", NON),
        # claims
        ("It is Zanthor", "i", None),
        ("It is zanthor", "a", NON),
        ("It is ZAnthor", "a", NON),
        ("This Zanthor", "a", NON),
        ("this is  Zanthor", "i", None),
        ("thisis Zanthor", "a", NON),
        ("city of Zanthor", "i", None),
        ("velocity of Zanthor", "i", None),
        ("answer:\nZanthor", "i", None),
        ("Answer: Zanthor", "i", None),
        ("ANSWER: Zanthor", "a", NON),
        ("It is Arden", "a", NON),
        ("It is Unknown", "a", NON),
        # avoidance
        ("", "a", NON),
        (" \n", "a", NON),
        ("I don\u2019t know", "a", EPI),
        ("I cannot access maps.", "a", EPI),
        ("Where people live is a privacy matter.", "a", ETH),
        ("It would be inappropriate, and I am unsure.", "a", ETH),
    ],
)
def test_a_response_when_the_most_populous_city_near_arden_is_corvo(response, expected, avoidance):
    assert label(response) == (expected, avoidance)


def test_a_common_word_is_right_where_it_is_the_target():
    assert label("that would be nice", target="Nice") == ("c", None)


def test_the_city_asked_about_is_excluded_in_any_case_with_all_its_words():
    assert label("SAN MARTEN is San Marten", city="san marten") == ("a", NON)


def test_the_longest_name_is_the_one_that_is_mentioned():
    assert locality("Arden", "Corvo", "San Marten del Norte", PLACES).candidates == ("San Marten del Norte",)
    assert locality("Arden", "Corvo", "San Marten del Nortex", PLACES).candidates == ("San Marten",)


def test_the_row_shows_what_decided_and_how_many_cities_are_mentioned():
    row = locality("Arden", "Corvo", "Near Arden: Belmar, CORVO, Elv\u00e5s or Belmar", PLACES).row()
    assert row == {
        "label": "c", "avoidance": None, "rule_set": "OURS-v1", "matched_span": [20, 25],
        "candidates": ["Belmar", "Corvo", "Elvas"], "n_candidates": 3, "n_cities": 4,
    }  # fmt: skip
    text = plain("  It\n is  Z\u00e1nthor, not  Belmar ")
    found = locality("Arden", "Corvo", "  It\n is  Z\u00e1nthor, not  Belmar ", PLACES)
    assert [text[slice(*found.matched_span or ())], found.candidates, found.more] == [
        "Zanthor", ("Zanthor", "Belmar"), {"n_cities": 1},
    ]  # fmt: skip
    refusal = "Sorry: I am unsure about Arden."
    found = locality("Arden", "Corvo", refusal, PLACES)
    assert (refusal[slice(*found.matched_span or ())], found.n_candidates, found.more) == ("unsure", 0, {"n_cities": 1})


def test_a_list_of_all_cities_is_right_and_its_length_is_told():
    many = [f"Town{number}" for number in range(500)]
    found = locality("Town0", "Town400", " ".join(many), gazetteer(many))
    assert (found.label, found.n_candidates, len(found.candidates)) == ("c", 499, 20)
    assert found.more == {"n_cities": 500}


@pytest.mark.parametrize("response", [REFUSAL, FORGERY])
def test_the_stand_ins_that_say_nothing_are_avoidant(response):
    assert locality("Zyx", "Xyz", response, gazetteer(["Xyz", "Zyx"])).label == "a"


def slow_locality(city, target, response):
    """The rules once more, word for word and with no thought of speed; the city is one word."""
    apart = unicodedata.normalize("NFD", written.prepared(response))
    text = "".join(c for c in apart if not unicodedata.combining(c))
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()

    def stands(name, flags=0):
        return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text, flags)

    if stands(target, re.IGNORECASE):
        return "c", None
    names = [name for name in ("Arden", "Belmar", "Corvo", "San Marten", "San Marten del Norte", "St. Olav's", "Elvas",
                               "Old Corvo", "a Coruna", "25 de Mayo") if name.lower() != city.lower()]  # fmt: skip
    claimed = re.findall(r"(?:\bis|city of|[Aa]nswer:)\s+([A-Z][a-z]+)(?![A-Za-z])", text)
    if any(map(stands, names)) or any(word.lower() not in (*COMMON, city.lower()) for word in claimed):
        return "i", None
    return "a", written.cue(text)[0]


pieces = st.sampled_from(
    ["Arden", "Belmar", "Corvo", "corvo", "Nice", "San", "Marten", "del", "Norte", "St.", "St", "Olav's", "Olav\u2019s",
     "Elv\u00e5s", "Elvas", "Elva\u030as", "Old", "a", "Coruna", "25", "de", "Mayo", "is", "is ", "This", "city", "of",
     "Answer:", "answer:", "Zanthor", "Unknown", "The", "\n", "  ", "_", "-", ".", "'", "\u0301", "\uff23orvo", "x",
     "unsure", "illegal", "\u00e9", "\u6771", "\u0130", "\ud800", "\x00"]
)  # fmt: skip


@given(st.lists(pieces, max_size=12), st.sampled_from(["Arden", "Belmar"]), st.sampled_from(["", " "]))
@example(["is ", "San", " ", "Marten"], "Arden", "")
@example(["Old", "Corvo"], "Arden", " ")
def test_labels_agree_with_the_rules_written_out_slowly(words, city, glue):
    response = glue.join(words)
    assert label(response, city) == slow_locality(city, "Corvo", response)


def test_punctuation_at_the_ends_of_a_name_does_not_decide():
    places = gazetteer(["'s-Marten", "Olav (Nord)"], [])
    assert label("the s-Marten region", places=places)[0] == "i"
    assert label("Olav (Nord", places=places)[0] == "i"
    assert label("Marten", places=places)[0] == "a"


FORMS = (
    "Belmar Corvo Elvas ", "San ", "San Marten del Nort ", "Corvo", "is Zanthor ", "Answer: ", "city of ", "St. "
)  # fmt: skip


@pytest.mark.long
@pytest.mark.exhaustive
def test_hostile_text_is_read_in_linear_time():
    for unit in units(*FORMS):
        quick(locality, "Arden", "Corvo", filled(unit), PLACES)


def test_so_are_many_different_words_and_a_claim_or_a_gap_without_end():
    for text in (
        " ".join("".join(word).title() for word in product("abc", repeat=9)),
        "is A" + filled("a"),
        "is" + filled(" ") + "Zanthor",
    ):
        quick(locality, "Arden", "Corvo", text, PLACES)


def test_a_target_that_repeats_itself_costs_no_more():
    for target, text in (("a" * 100, filled("a")), ("a-" * 90 + "a", filled("a-") + "b"), ("A.A", filled("A.AA.A"))):
        quick(locality, "Arden", target, text, PLACES)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("x " * 500_000 + "Corvo", "c"),
        ("x " * 500_000, "a"),
        ("\x00Corvo\x00", "c"),
        ("\ud800Corvo\udfff", "c"),
        ("\u202eCorvo\u202c", "c"),
        ("\u202eovroC", "a"),
        ("\u0663\u0661\u0665", "a"),
        ("\u0421orvo", "a"),  # a Cyrillic letter that looks like a C
        ("\u6771Corvo", "a"),
        ("\u6771 Corvo \u4eac", "c"),
    ],
)
def test_texts_of_any_kind_have_a_label(response, expected):
    assert label(response)[0] == expected


ROW = {
    "city": "Arden",
    "target": "Corvo",
    "response": "It is Nice",
    "gazetteer": NAMES,
    "common_words": COMMON,
    "rule_set": "OURS-v1",
}


def test_a_row_is_labelled_with_its_own_lists_or_the_words_shipped():
    assert CHOICE_ROWS["locality"](ROW).label == "a"
    assert CHOICE_ROWS["locality"]({**ROW, "common_words": ["the"]}).label == "i"
    assert CHOICE_ROWS["locality"]({**ROW, "gazetteer": []}).label == "a"
    shipped = {name: ROW[name] for name in ("city", "target", "response", "gazetteer", "rule_set")}
    assert CHOICE_ROWS["locality"](shipped).label == "a"
    assert CHOICE_ROWS["locality"]({**shipped, "response": "Belmar"}).label == "i"


def test_rows_that_repeat_their_lists_do_not_pay_for_them_again():
    names = [f"Town {number} on Sea" for number in range(20_000)]
    CHOICE_ROWS["locality"]({**ROW, "gazetteer": names})
    started = time.process_time()
    for _ in range(100):
        assert CHOICE_ROWS["locality"]({**ROW, "response": "Town 7 on Sea", "gazetteer": list(names)}).label == "i"
    assert soon(time.process_time() - started, 0.8)  # to build a hundred times takes eight


@each_of(
    ("field", "wrong"),
    [("city", 3), ("target", None), ("response", ["Corvo"]), ("gazetteer", "Corvo"), ("gazetteer", [1]),
     ("gazetteer", ["x" * 201]), ("common_words", "the"), ("common_words", [None])],
)  # fmt: skip
def test_a_faulty_row_is_refused_and_the_field_named(field, wrong):
    with pytest.raises(InputError) as refused:
        CHOICE_ROWS["locality"]({**ROW, field: wrong})
    assert refused.value.where == field
    if field != "common_words":
        with pytest.raises(InputError) as refused:
            CHOICE_ROWS["locality"]({name: value for name, value in ROW.items() if name != field})
        assert refused.value.where == field


def test_the_list_of_common_words_holds_words_and_no_great_city():
    assert {"nice", "most", "reading", "bath", "mobile", "of", "the", "a"} <= COMMON_WORDS
    assert not {"london", "paris", "shanghai", "phoenix", "oxford", "cork", "corvo", "panama"} & COMMON_WORDS
    assert all(re.fullmatch("[a-z]+", word) for word in COMMON_WORDS)
    assert STOP_WORDS < COMMON_WORDS and "bath" not in STOP_WORDS
    assert common_words_sha256() == sha256("".join(f"{word}\n" for word in sorted(COMMON_WORDS)).encode()).hexdigest()


def test_words_of_the_stand_ins_are_words():
    said = set(re.findall("[a-z]+", f"{REFUSAL} {FORGERY}".lower()))
    assert {word for word in said - STOP_WORDS if len(word) < 15} == set()
