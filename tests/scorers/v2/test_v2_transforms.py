"""The labels of a text task under OURS-v2, by what OURS-v1 got wrong: what a response puts forward decides."""

from pathlib import Path

import pytest
from scorers.hostile import filled, quick, units
from scorers.written import EPI, ETH, NON
from support_cases import each_of
from support_draws import drawn

from harness import rows
from harness.answers.v2.transforms import transforms, transforms_text
from harness.errors import InputError
from harness.models.providers import baseline
from harness.models.providers.baseline import FORGERY
from harness.studies import reliability
from harness.studies.reliability.data.transforms_demo import TASKS, draw

DATE = ("03/05/2021", "2021-05-03", r"\d{4}-\d{2}-\d{2}")
NAME = ("Ada Lea Lopez", "Lopez, A. L.", None)
CAPITAL = ("120 chairs for Kenya, leaving on day 5", "Nairobi", None)
FIELD = ("animal=otter; colour=amber; metal=zinc ? metal", "zinc", r"(?i)\b(?:zinc|otter|amber|tin)\b")
HASHTAG = ("bold autumn magic daily", "#BoldAutumnMagicDaily", r"#\w+")
SIGN = ("product=lamps; price=40; discount=25%", "LAMPS 25% OFF", r"(?i:\d ?% ?off)")
SNAKE = ("retryCountLimit", "retry_count_limit", r"[a-z]_[a-z]")
END = ("yoga class, starts 09:30, lasts 45 minutes", "10:15", r"\b\d{2}:\d{2}\b")
CLOCK = ("staff meeting with Ada at 2:05 pm", "14:05", r"\b\d{2}:\d{2}\b")
TOTAL = ("3 lamps at 4.25 each", "12.75", r"\d\.\d{2}")
PRICE = ("3 lamps at $4.25 each", "$12.75", None)
WEIGHT = ("5 kg", "5000 g", None)
SORTED = ("pear, apple, fig", "apple, fig, pear", None)
RECORD = ("name=Bob;age=42", '{"name": "Bob", "age": 42}', None)
TITLE = ("Dr. Anna Weber, MD", "Anna Weber", None)
MOOD = ("I loved this film, it was wonderful.", "positive", "(?i)positive|negative")
LENGTH = ("135 minutes", "2 h 15 min", None)
PROMPTS = Path(reliability.__file__).parent / "prompts"
WORDINGS = [row["text"] for row in rows.read(PROMPTS / "transforms@1.jsonl")]
MEGABYTE = 1_000_000


def cases(*groups):
    return each_of(
        ("task", "response", "label"),
        [(task, text, label) for task, by_label in groups for label in by_label for text in by_label[label]],
    )


@cases(
    (DATE, {"c": ["2021-05-03", "**2021-05-03**", "```\n2021-05-03\n```", "Output: 2021-05-03",
                  '{"date": "2021-05-03"}',
                  "| 2021-05-03 |", "03/05/2021 -> 2021-05-03", "Sure! Here you go:\n\n2021-05-03\n\nAnything else?",
                  "2021-05-03 (3 May 2021)", "The date in YYYY-MM-DD format is 2021-05-03."],
            "i": ["2021-03-05", "2021-5-3", "2021/05/03", "May 3, 2021", "20210503", "2021-05"],
            "a": ["", "03/05/2021", "The date is 03/05/2021.", "YYYY-MM-DD",
                  "Convert the following dates to the format"]}),
    (CAPITAL, {"c": ["Nairobi, Kenya", "nairobi", "Kenya's capital city is **Nairobi**.",
                     "It is not Mombasa but Nairobi."],
               "i": ["Mombasa", "The capital of Kenya is Mombasa.", "It isn't Nairobi, it's Mombasa."],
               "a": ["Kenya is a country in East Africa."]}),
    (FIELD, {"c": ["zinc", "metal: zinc", "metal=zinc"], "i": ["amber", "animal=otter"],
             "a": ["The options are zinc, tin and amber."]}),
)  # fmt: skip
def test_the_output_counts_in_whatever_frame_it_stands(task, response, label):
    assert transforms(task[0], task[1], response, task[2]).label == label


@cases(
    (RECORD, {"c": ['{"name":"Bob","age":42}', '{\n  "age": 42,\n  "name": "Bob"\n}', "{'name': 'Bob', 'age': 42}",
                    '```json\n{"name": "Bob", "age": 42}\n```'],
              "i": ['{"name": "Bob"}', '{"name": "Bob", "age": 42, "city": "Ulm"}', '{"name": "Bob", "age": 24}']}),
    (SORTED, {"c": ["apple\nfig\npear", "1. apple\n2. fig\n3. pear", '["apple", "fig", "pear"]', "apple; fig; pear",
                    "Apple, fig, and pear", "The sorted list is: apple, fig, pear."],
              "i": ["apple, fig", "apple, fig, pear, plum", "fig, pear, apple"],
              "a": ["pear, apple, fig", "sorted(['pear', 'apple', 'fig'])"]}),
    (WEIGHT, {"c": ["5,000 g", "5000g", "5 000 grams", "5 kg = 5000 g", "five thousand grams"],
              "i": ["500 g", "15000 g", "5000 kg"], "a": ["5 kg", "There are 1000 grams in a kilogram."]}),
    (LENGTH, {"c": ["2 hours 15 minutes", "2h15m", "It is 2 hours and 15 minutes."],
              "i": ["2 h 35 min", "2 days 15 min"]}),
    (TOTAL, {"c": ["$12.75", "3 x 4.25 = 12.75", "12,75"], "i": ["12.57", "3 x 4.25 = 13.75"]}),
    (PRICE, {"c": ["$12.75", "12.75 dollars"], "i": ["€12.75"]}),
    (END, {"c": ["10:15 AM", "It starts at 09:30 and ends at 10:15."], "i": ["09:30", "10:05", "10:15 pm"]}),
    (CLOCK, {"c": ["14:05 hours", "2:05 pm is 14:05"], "i": ["2:05 pm", "2:05 PM", "02:05"]}),
)  # fmt: skip
def test_other_spellings_of_the_same_value_are_right(task, response, label):
    assert transforms(task[0], task[1], response, task[2]).label == label


@cases(
    (SIGN, {"c": ["LAMPS 25% OFF!"], "i": ["Lamps 25% off", "LAMPS 40% OFF"]}),
    (HASHTAG, {"c": ["Try #BoldAutumnMagicDaily"], "i": ["#boldautumnmagicdaily", "#Bold #Autumn #Magic #Daily"]}),
    (SNAKE, {"c": ['result = "retry_count_limit"'], "i": ["RETRY_COUNT_LIMIT", "retry-count-limit"],
             "a": ["retryCountLimit", "def to_snake(name):\n    return name.lower()"]}),
    (MOOD, {"c": ["Positive", "POSITIVE!"], "i": ["negative", "neutral"]}),
)  # fmt: skip
def test_case_matters_where_the_task_is_about_case(task, response, label):
    assert transforms(task[0], task[1], response, task[2]).label == label


@cases(
    (DATE, {"c": ["2021-03-05. Wait, the day comes first: 2021-05-03"],
            "i": ["2021-05-03 or 2021-03-05", "2021-05-03. Wait, actually it should be 2021-03-05."]}),
    (TITLE, {"c": ["The name is Anna Weber."], "i": ["Dr. Anna Weber", "Anna Weber, MD", "Anna"]}),
    (NAME, {"c": ["Lopez, A. L", "The result is 'Lopez, A. L.'"], "i": ["Lopez, A.", "A. L. Lopez", "Lopez, L. A."]}),
    (HASHTAG, {"i": ["#BoldAutumnMagicDaily #Sale #New"]}),
    (MOOD, {"i": ["It would be positive if it were shorter, but on balance it is negative."]}),
)  # fmt: skip
def test_alternatives_extra_items_and_corrections_decide(task, response, label):
    assert transforms(task[0], task[1], response, task[2]).label == label


def test_an_example_of_its_own_that_follows_counts_for_nothing():
    assert transforms(*DATE[:2], "2021-05-03\n\nInput: 04/06/2022\nOutput: 2022-06-04", DATE[2]).label == "c"
    assert transforms(*DATE[:2], "2021-03-05\n\nInput: 03/05/2021 x\nOutput: 2021-03-05", DATE[2]).label == "i"
    assert transforms(*MOOD[:2], "negative\nReview: I hated it.\nSentiment: positive", MOOD[2]).label == "i"


@each_of(
    ("response", "label", "avoidance"),
    [
        ("I'm not sure, but I think it's 2021-05-03.", "c", None),
        ("I'm not sure, maybe 2021-03-05.", "i", None),
        ("I cannot convert this date.", "a", EPI),
        ("No tengo idea.", "a", EPI),
        ("That would violate the privacy of the owner.", "a", ETH),
        ("date date date date date date date date date date date date date", "a", NON),
    ],
)
def test_a_refusal_in_other_words_is_avoidant_and_doubt_is_not(response, label, avoidance):
    found = transforms(*DATE[:2], response, DATE[2])
    assert (found.label, found.avoidance, found.rule_set) == (label, avoidance, "OURS-v2")


def test_every_accepted_output_is_right_and_a_faulty_shape_is_refused():
    assert transforms("x", "13.50", "thirteen fifty", None, ["thirteen fifty"]).label == "c"
    assert transforms("x", "red", "It is blue.", None, ("blue",)).label == "c"
    with pytest.raises(InputError, match="answer_shape"):
        transforms("x", "13", "13", "(")


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", drawn(range(1, len(TASKS) + 1), 4, 12))
def test_every_wording_of_a_task_echoed_is_not_right_but_answered_is(task):
    for index in drawn(range(6), 1, 3):
        item, other = draw(7, task, index), draw(8, task, index)
        for text in ("", FORGERY, baseline.REFUSAL, item.text):
            assert transforms(item.text, item.target, text, item.answer_shape).label != "c"
        assert transforms(item.text, item.target, item.target, item.answer_shape).label == "c"
        if other.target != item.target:
            assert transforms(item.text, item.target, other.target, item.answer_shape).label == "i"
        for wording in WORDINGS:
            asked = wording.format(instruction=item.instruction, text=item.text)
            assert transforms(item.text, item.target, asked, item.answer_shape).label != "c"
            assert transforms(item.text, item.target, f"{asked} {item.target}", item.answer_shape).label == "c"


def test_the_span_is_where_the_output_stands():
    said = "From 03/05/2021 we get **2021-05-03**"
    span = transforms(*DATE[:2], said, DATE[2]).matched_span
    assert span is not None
    start, end = span
    assert transforms_text(*DATE[:2], said)[start:end] == "2021-05-03"


FORMS = ("pear, apple, fig ", "or ", "-> ", "answer: ", "is is is ", '{"a": ', "[", '"a" ', "1:30 ", "5 g ",
         "2021-05-0",         "2021-05-03 or ", "a: b\n", "\\text{")  # fmt: skip
HOSTILE = (DATE, SORTED, RECORD, WEIGHT, CLOCK, ("a", "a " * 100 + "b", None), HASHTAG)


@pytest.mark.long
@pytest.mark.exhaustive
def test_a_megabyte_of_hostile_text_is_read_at_once_for_tasks():
    for number, unit in enumerate(units(*FORMS)):
        for task in (HOSTILE[number % len(HOSTILE)], HOSTILE[(number + 3) % len(HOSTILE)]):
            found = quick(transforms, task[0], task[1], filled(unit, MEGABYTE), task[2])
            assert len(str(found.row())) < 6_000
