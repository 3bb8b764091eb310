"""The science benchmark: two published forms read and checked, the set of our own, orders of options, and scores."""

import random
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from studies.reliability.data.scoring import response, scores
from support_cases import each_of
from support_draws import drawn
from support_questions import GPQA, SECRET, hub, json_lines, nested, record, table

from harness import rows
from harness.answers.science import science
from harness.answers.v2.science import science as science_v2
from harness.errors import InputError
from harness.kit.prompts import render
from harness.models.providers.baseline import BEHAVIOURS, respond
from harness.studies.reliability.data import questions
from harness.studies.reliability.data.science import (
    make_gpqa,
    make_openbookqa,
    make_science_demo,
    make_science_own,
    order,
)
from harness.studies.reliability.data.science_demo import QUESTIONS
from harness.studies.reliability.data.science_own import QUESTIONS as OWN
from harness.studies.reliability.scoring.science import score

TEMPLATES = Path(questions.__file__).parents[1] / "prompts" / "science@1.jsonl"
MADE = ("items", "gold", "budgets", "counts")


def read(folder):
    items, gold, budgets, [counts] = (list(rows.read(folder / name)) for name in MADE)
    return items, gold, budgets, counts


@pytest.fixture
def obqa(tmp_path):
    def make(given, count, seed=1, **files):
        inputs = {"questions": json_lines(tmp_path / "q", given)} | files
        make_openbookqa({"seed": seed, "count": count}, inputs, tmp_path)
        return read(tmp_path)

    return make


@pytest.fixture
def gpqa(tmp_path):
    def make(given, seed=1, columns=GPQA):
        make_gpqa({"seed": seed}, {"questions": table(tmp_path / "q", given, columns)}, tmp_path)
        return read(tmp_path)

    return make


def test_openbookqa_keeps_its_own_letters_and_says_what_people_scored(obqa):
    items, gold, budgets, counts = obqa([hub(number) for number in range(40)], 30)
    assert counts == {"obqa": {"read": 40, "drawn": 30, "kept": 30, "removed": 0}}
    assert [item["id"] for item in items] == [f"obqa-{n:05d}" for n in range(30)]
    for item, row, budget in zip(items, gold, budgets, strict=True):
        number = int(item["meta"]["record"][2:])
        assert set(item) == {"id", "task", "input", "options", "difficulty", "meta"}
        assert item["input"] == {"question": f"{SECRET} {number}", "subset": "obqa"}
        assert item["options"] == {"A": f"first {number}", "B": "second", "C": "third", "D": "fourth"}
        assert item["difficulty"] == pytest.approx(100 * (1 - number % 5 / 4))
        assert row == {"id": item["id"], "gold": {"target": "ABCD"[number % 4], "accepted": [], "order": [0, 1, 2, 3]}}
        assert budget == {"id": item["id"], "max_tokens": 72}
        assert item["meta"]["licence"] == "unknown" and item["meta"]["gated"] is False
        assert "fact1" not in str(item) and item["meta"]["calibrated"] is False
    assert len({item["meta"]["record"] for item in items}) == 30


@pytest.mark.long
def test_the_published_number_is_drawn_from_all_three_splits(obqa, tmp_path):
    splits = [range(4957), range(4957, 5457), range(5457, 5957)]
    parts = tmp_path / "parts"
    parts.mkdir()
    for name, split in zip(("part-00000", "part-00001", "part-00002"), splits, strict=True):
        json_lines(parts / name, [nested(number) for number in split])
    items, _, _, counts = obqa([], 1000, questions=parts)
    assert counts["obqa"] == {"read": 5957, "drawn": 1000, "kept": 1000, "removed": 0}
    assert {int(item["meta"]["record"][2:]) // 4957 for item in items} == {0, 1}
    apart = {f"questions{n}": json_lines(tmp_path / f"{n}", map(hub, split)) for n, split in enumerate(splits)}
    make_openbookqa({"seed": 1, "count": 1000}, apart, tmp_path)
    assert read(tmp_path)[0] == items


def test_both_forms_of_openbookqa_say_the_same_in_any_order_of_rows(obqa):
    one = obqa([hub(number) for number in range(20)], 8)
    assert obqa([nested(number) for number in reversed(range(20))], 8) == one
    assert obqa([hub(number) for number in range(20)], 8, seed=2)[0] != one[0]


def test_empty_lines_are_no_rows(tmp_path):
    path = json_lines(tmp_path / "q", [hub(1)])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\n \r\n")
    make_openbookqa({"seed": 1, "count": 1}, {"questions": path}, tmp_path)
    assert read(tmp_path)[3]["obqa"]["read"] == 1


def test_labels_may_stand_in_another_order(obqa):
    choices = {"text": ["w", "z", "x", "y"], "label": ["D", "C", "B", "A"]}
    items, gold, _, _ = obqa([hub(1, choices=choices, answerKey="C")], 1)
    assert items[0]["options"] == {"A": "y", "B": "x", "C": "z", "D": "w"}
    assert gold[0]["gold"]["target"] == "C"


def test_gpqa_loses_its_two_longest_and_lists_their_hashes(gpqa):
    given = [record(number) for number in range(546)]
    given[7]["Question"] += "x" * 900
    given[400]["Incorrect Answer 3"] += "x" * 901
    given[9]["Correct Answer"] += "x" * 100
    items, gold, budgets, counts = gpqa(given)
    assert counts["gpqa"] == {
        "read": 546, "drawn": 546, "kept": 544, "removed": 2,
        "removed_record_sha256": [sha256(b"rec400").hexdigest(), sha256(b"rec007").hexdigest()],
    }  # fmt: skip
    assert [item["id"] for item in items] == [f"gpqa-{n:05d}" for n in range(544)]
    assert not {"rec007", "rec400"} & {item["meta"]["record"] for item in items}
    for item, row, budget in zip(items, gold, budgets, strict=True):
        number = int(item["meta"]["record"][3:])
        assert item["input"] == {"question": f'{SECRET},\n"number" {number}', "subset": "gpqa"}
        right = f"right {number}" + "x" * 100 * (number == 9)
        assert item["options"][row["gold"]["target"]].replace("\n", "") == right
        own = [right, "wrong, one", "wrong two", "wrong three"]
        placed = [own[place] for place in row["gold"]["order"]]
        assert [item["options"][letter].replace("\n", "") for letter in "ABCD"] == placed
        assert item["difficulty"] == pytest.approx(100 * (1 - number % 4 / 3))
        assert budget["max_tokens"] == 384
        assert item["meta"]["gated"] is True and "order" not in str(item) and "canary" not in str(item)
    letters = Counter(row["gold"]["target"] for row in gold)
    assert min(letters.values()) > 100 and len(letters) == 4


def test_of_equally_long_questions_the_first_record_ids_go(gpqa):
    counts = gpqa([record(number) for number in (5, 3, 4, 8)])[3]
    assert counts["gpqa"]["removed_record_sha256"] == [sha256(f"rec00{n}".encode()).hexdigest() for n in (3, 4)]


def test_an_order_comes_from_seed_and_record_id_alone():
    """The same numbers from hashlib and random alone, so that no release moves a dataset unseen."""
    source = random.Random(int.from_bytes(sha256(b'[9,"science.options","rec001",0,0]').digest()[:8], "big"))
    rest, drawn = [0, 1, 2, 3], []
    while rest:
        while (place := source.getrandbits((len(rest) - 1).bit_length()) if len(rest) > 1 else 0) >= len(rest):
            pass
        drawn.append(rest.pop(place))
    assert order(9, "rec001") == drawn
    assert len({tuple(order(seed, "rec001")) for seed in range(200)}) == 24


def test_the_own_set_is_large_balanced_and_sound():
    assert len(QUESTIONS) >= 64
    grades = Counter(question.failed for question in QUESTIONS)
    assert sorted(grades) == [0.1, 0.3, 0.5, 0.7, 0.9] and len(set(grades.values())) == 1
    assert len({question.text for question in QUESTIONS}) == len({question.record for question in QUESTIONS}) == 80
    for question in QUESTIONS:
        assert len(set(question.options)) == 4 and all(text == text.strip() != "" for text in question.options)
        assert question.text.endswith("?") and question.right == 0
        for place, text in enumerate(question.options):
            options = dict(zip("ABCD", question.options, strict=True))
            assert science(options, "ABCD"[place], f"I think it is {text}, yes").label == "c", question.record
    longest = sum(max(question.options, key=len) == question.options[0] for question in QUESTIONS)
    assert longest < 40  # the right option does not give itself away by its length


def test_the_whole_set_is_graded_without_duplicates_and_gives_nothing_away():
    assert len(OWN) == 420 and OWN[:80] == QUESTIONS
    assert Counter(question.failed for question in OWN) == dict.fromkeys((0.1, 0.3, 0.5, 0.7, 0.9), 84)
    assert len({question.record for question in OWN}) == len({plain(question.text) for question in OWN}) == 420
    for grade in (0.1, 0.3, 0.5, 0.7, 0.9):
        longest = shortest = 0
        for question in (question for question in OWN if question.failed == grade):
            lengths = [len(option) for option in question.options]
            longest += lengths[0] > max(lengths[1:])
            shortest += lengths[0] < min(lengths[1:])
        assert longest <= 84 / 3 and shortest <= 84 / 3  # by chance a quarter, less where two are equally long
    for question in OWN:
        assert len({plain(text) for text in question.options}) == 4 and question.right == 0
        assert question.text.endswith("?") and (question.text + "".join(question.options)).isascii()
        assert all(text == text.strip() != "" for text in question.options)
        # an option that repeats a rare word of the question would be chosen by it
        said = set(re.findall(r"[a-z]{5,}", question.text.lower()))
        echoed = [bool(said & set(re.findall(r"[a-z]{5,}", text.lower()))) for text in question.options]
        assert echoed != [True, False, False, False], question.record


def plain(text):
    """Give a text without case, articles and marks: two that differ by these alone are the same."""
    return " ".join(word for word in re.findall(r"[a-z0-9+./%-]+", text.lower()) if word not in ("a", "an", "the"))


@pytest.mark.exhaustive
@each_of("question", drawn(OWN[80:], 4, 40))
def test_both_rule_sets_read_each_option_of_a_question(question):
    options = dict(zip("ABCD", question.options, strict=True))
    for letter, text in options.items():
        for rule in (science, science_v2):
            for said in (text, f"I think it is {text}, yes", f"{letter}. {text}", f"The answer is {letter}"):
                assert rule(options, letter, said).label == "c", said
            other = next(each for each in "ABCD" if each != letter)
            assert rule(options, other, text).label == "i"


def test_the_whole_set_is_drawn_with_its_letters_spread(tmp_path):
    make_science_own({"seed": 7, "count": 420}, {}, tmp_path)
    items, gold, _, counts = read(tmp_path)
    assert counts == {"own": {"read": 420, "drawn": 420, "kept": 420, "removed": 0}}
    letters = Counter(row["gold"]["target"] for row in gold)
    assert len(letters) == 4 and min(letters.values()) >= 80
    assert {(item["input"]["subset"], item["meta"]["licence"]) for item in items} == {("own", "Apache-2.0")}
    right = {question.record: question.options[0] for question in OWN}
    for item, row in zip(items, gold, strict=True):
        assert item["options"][row["gold"]["target"]] == right[item["meta"]["record"]]
        assert item["meta"]["calibrated"] is False and item["meta"]["difficulty_function"] == "judged"
    with pytest.raises(InputError):
        make_science_own({"seed": 7, "count": 421}, {}, tmp_path)


@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_the_own_set_is_drawn_by_seed_with_its_letters_spread(tmp_path, seed):
    make_science_demo({"seed": seed, "count": 80}, {}, tmp_path)
    items, gold, budgets, counts = read(tmp_path)
    assert counts == {"demo": {"read": 80, "drawn": 80, "kept": 80, "removed": 0}}
    assert min(Counter(row["gold"]["target"] for row in gold).values()) >= 10
    assert {item["input"]["subset"] for item in items} == {"demo"}
    assert {item["meta"]["licence"] for item in items} == {"Apache-2.0"}
    assert Counter(item["difficulty"] for item in items) == {10: 16, 30: 16, 50: 16, 70: 16, 90: 16}
    assert {row["max_tokens"] for row in budgets} == {72}
    by_record = {question.record: question for question in QUESTIONS}
    for item, row in zip(items, gold, strict=True):
        assert item["options"][row["gold"]["target"]] == by_record[item["meta"]["record"]].options[0]
    make_science_demo({"seed": seed, "count": 20}, {}, tmp_path)
    fewer = read(tmp_path)
    assert fewer[0] == items[:20] and fewer[1] == gold[:20]


@pytest.mark.parametrize("count", [0, -1, 81])
def test_more_questions_than_there_are_or_none_are_refused(tmp_path, count):
    with pytest.raises(InputError) as refused:
        make_science_demo({"seed": 1, "count": count}, {}, tmp_path)
    assert refused.value.where == "count"


def test_a_calibration_moves_the_scale_and_says_so(tmp_path):
    block = {"kind": "logistic2", "alpha": "0", "beta": "2", "n_items": "5", "n_ratings": "9", "data_sha256": "0" * 64}
    make_science_demo({"seed": 1, "count": 80, "calibration": block}, {}, tmp_path)
    items = read(tmp_path)[0]
    assert all(item["meta"]["calibrated"] is True for item in items)
    assert len({item["difficulty"] for item in items}) == 5 and min(item["difficulty"] for item in items) > 50


OFTEN = [pytest.param(behaviour, marks=pytest.mark.long) for behaviour in ("refuser", "empty", "echo", "forger")]


@pytest.mark.parametrize("behaviour", ["oracle", *OFTEN])
def test_the_stand_ins_get_the_labels_they_must_get_in_all_wordings(tmp_path, behaviour):
    count = 80 if behaviour == "oracle" else 20
    make_science_demo({"seed": 7, "count": count}, {}, tmp_path)
    inputs = {name: tmp_path / name for name in ("items", "gold")}
    render({}, {**inputs, "templates": TEMPLATES}, tmp_path)
    respond({"behaviour": behaviour, "model": "m", "seeds": [0]}, {**inputs, "prompts": tmp_path / "prompts"}, tmp_path)
    score({}, {**inputs, "responses": tmp_path / "responses"}, tmp_path)
    found = [row["outcome"] for row in rows.read(tmp_path / "scores")]
    assert len(found) == 15 * count
    right = BEHAVIOURS[behaviour].expected == "all"
    assert set(found) <= ({"c"} if right else {"a", "i"} if behaviour == "echo" else {"a"})  # an echo names all options


OPTIONS = dict.fromkeys("ABCD", "t")


@pytest.mark.parametrize("target", ["E", "", "AB", "a", None])
def test_gold_that_is_no_letter_of_an_option_is_refused(tmp_path, target):
    with pytest.raises(InputError, match="not the letter"):
        scores(score, tmp_path, {"options": OPTIONS}, {"target": target}, [response("A")])


@pytest.mark.parametrize(
    ("item", "gold", "where"),
    [({}, {"target": "A"}, "options of x"), ({"options": OPTIONS}, {}, "gold/target of x"),
     ({"options": OPTIONS}, None, "gold/target of x")],
)  # fmt: skip
def test_a_field_that_is_missing_is_named_with_its_row(tmp_path, item, gold, where):
    with pytest.raises(InputError, match="missing") as refused:
        scores(score, tmp_path, item, gold, [response("A")])
    assert refused.value.where == where
