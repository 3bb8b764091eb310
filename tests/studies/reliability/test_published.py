"""The owner's copy of the published dataset: read whatever its columns are called, and never quoted."""

import csv
import json

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.published import make
from harness.studies.reliability.published_import import normalise

SECRET = "what nobody may show"


def prompts(benchmark, instance, inputs, target, templates=(1, 2), difficulty="12.5"):
    return [
        {"benchmark": benchmark, "instance_id": instance, "template": str(number), "prompt": f"{SECRET} {number}",
         "target": target, "difficulty": difficulty, **inputs}
        for number in templates
    ]  # fmt: skip


ROWS = [
    *prompts("addition", "x2", {"a": "3", "b": "7"}, "10"),
    *prompts("addition", "x1", {"a": "24427", "b": "7120"}, "31547", difficulty="40"),
    *prompts("anagram", "w", {"anagram": "tinsle"}, "listen"),
    *prompts("science", "q", {"question": SECRET, "A": "u", "B": "v", "C": "w", "D": "x", "subset": "gpqa"}, "C"),
    *prompts("transforms", "t", {"text": "a b", "instruction": SECRET, "answer_shape": "b"}, "b a" * 40),
]


@pytest.fixture
def copy(tmp_path):
    def write(given, name="copy.jsonl"):
        path = tmp_path / name
        if name.endswith(".csv"):
            with open(path, "w", newline="") as file:
                table = csv.DictWriter(file, sorted({key for row in given for key in row}))
                table.writeheader()
                table.writerows(given)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in given))
        return path

    return write


@pytest.mark.parametrize("name", ["copy.jsonl", "copy.csv"])
def test_every_form_of_a_copy_gives_the_same_rows(copy, name):
    found, counts = normalise(copy(ROWS, name), {})
    assert found == normalise(copy(ROWS[::-1], "other.jsonl"), {})[0]
    assert counts["addition"] == {"instances": 2, "prompts": 4}
    assert counts["science"] == {"instances": 1, "prompts": 2}


def test_a_benchmark_of_it_keeps_the_published_prompts_and_difficulties(copy, tmp_path):
    rows.write(tmp_path / "rows", normalise(copy(ROWS), {})[0])

    def made(benchmark):
        out = tmp_path / benchmark
        out.mkdir()
        make({"benchmark": benchmark}, {"rows": tmp_path / "rows"}, out)
        return {name: list(rows.read(out / name)) for name in ("items", "gold", "budgets", "rendered", "counts")}

    sums = made("addition")
    assert [row["input"] for row in sums["items"]] == [{"a": "24427", "b": "7120"}, {"a": "3", "b": "7"}]
    assert [row["difficulty"] for row in sums["items"]] == [40, 12.5]
    assert {row["meta"]["calibration_id"] for row in sums["items"]} == {"published"}
    assert [row["text"] for row in sums["rendered"] if row["item"] == "addition-00001"] == [
        f"{SECRET} 1",
        f"{SECRET} 2",
    ]
    assert sums["counts"][0]["addition"]["prompts"] == 4
    [question] = made("science")["items"]
    assert (question["options"]["C"], question["input"]) == ("w", {"question": SECRET, "subset": "gpqa"})
    transforms = made("transforms")
    assert transforms["budgets"][0]["max_tokens"] == 90
    assert transforms["gold"][0]["gold"]["answer_shape"] == "b"
    with pytest.raises(InputError, match="holds no locality"):
        made("locality")


def without(name):
    return [{key: value for key, value in row.items() if key != name} for row in ROWS]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (without("target"), "`target` is missing"),
        (without("anagram"), "`anagram` is missing"),
        ([{**ROWS[0], "benchmark": "alchemy"}], "none of the five"),
        ([{**ROWS[0], "difficulty": "hard"}], "`difficulty` is not a number"),
        ([{**ROWS[0], "difficulty": "nan"}], "`difficulty` is not a number"),
        ([ROWS[0], ROWS[0]], "two rows are of instance"),
        ([], "holds no rows"),
    ],
)
def test_what_is_wrong_is_named_and_no_word_of_an_item_is(copy, given, what):
    with pytest.raises(InputError) as told:
        normalise(copy(given), {})
    whole = f"{told.value.what} {told.value.where} {told.value.next}"
    assert what in whole
    assert SECRET not in whole


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[1]\n", b"{\n", b"[" * 100_000])
def test_a_file_that_is_none_is_refused(tmp_path, data):
    (tmp_path / "copy.jsonl").write_bytes(data)
    with pytest.raises(InputError):
        normalise(tmp_path / "copy.jsonl", {})


def test_columns_may_be_called_otherwise(copy):
    renamed = [{("gold" if key == "target" else key): value for key, value in row.items()} for row in ROWS]
    assert normalise(copy(renamed), {"target": "gold"})[0] == normalise(copy(ROWS), {})[0]
