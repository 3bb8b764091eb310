"""The owner's copy of the published dataset: read whatever its columns are called, and never quoted."""

import csv
import json

import pytest
from support_cases import each_of
from support_cities import simplemaps

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.studies.reliability.benchmarks import BENCHMARKS
from harness.studies.reliability.data import published_locality
from harness.studies.reliability.data.published import TYPE, make, scale
from harness.studies.reliability.data.published_import import normalise
from harness.studies.reliability.scoring.addition import label

SECRET = "what nobody may show"


def prompts(benchmark, instance, inputs, target, templates=(1, 2), difficulty="12.5"):
    return [
        {"benchmark": benchmark, "instance_id": instance, "template": str(number), "prompt": f"{SECRET} {number}",
         "target": target, "difficulty": difficulty, **inputs}
        for number in templates
    ]  # fmt: skip


QUESTION = {"question": SECRET, "A": "u", "B": "v", "C": "w", "D": "x", "subset": "GPQA"}
ROWS = [
    *prompts("addition", "x2", {"a": "3", "b": "7"}, "10"),
    *prompts("addition", "x1", {"a": "24427", "b": "7120"}, "31547", difficulty="40"),
    *prompts("anagram", "w", {"anagram": "tinsle"}, "listen"),
    *prompts("science", "q", QUESTION, "C"),
    *prompts("transforms", "t", {"text": "a b", "instruction": SECRET, "answer_shape": "b"}, "b a" * 40),
]
SUM, WORD, SCIENCE, TASK = ROWS[0], ROWS[4], ROWS[6], ROWS[8]
BENCHES = ("addition", "anagram", "science", "transforms")


@pytest.fixture
def copy(tmp_path):
    def write(given, name="copy.jsonl", encoding="utf-8"):
        path = tmp_path / name
        if name.lower().endswith(".csv"):
            with open(path, "w", newline="", encoding=encoding) as file:
                table = csv.DictWriter(file, sorted({key for row in given for key in row}))
                table.writeheader()
                table.writerows(given)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding=encoding)
        return path

    return write


@pytest.fixture
def made(copy, tmp_path):
    """Import a copy, and make a benchmark of it."""

    def make_rows(benchmark, given=ROWS, maker=make, cities=(), **params):
        rows.write(tmp_path / "rows", normalise(copy(given), {})[0])
        out = tmp_path / benchmark
        out.mkdir(exist_ok=True)
        files = {"cities": simplemaps(tmp_path / "cities", cities)} if cities else {}
        maker({"benchmark": benchmark, **params}, {"rows": tmp_path / "rows", **files}, out)
        return {path.name: list(rows.read(path)) for path in out.iterdir()}

    return make_rows


def refused(call, *given):
    """Give all that an error says; no word of an item may stand in it, nor in what it was raised from."""
    with pytest.raises(InputError) as told:
        call(*given)
    whole = f"{told.value.what} {told.value.where} {told.value.next}"
    assert SECRET not in whole
    assert told.value.__cause__ is None
    return whole


@pytest.mark.parametrize("name", ["copy.jsonl", "copy.csv", "copy.CSV"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_every_form_of_a_copy_gives_the_same_rows(copy, name, encoding):
    found, counts = normalise(copy(ROWS, name, encoding), {})
    assert found == normalise(copy(ROWS[::-1], "other.jsonl"), {})[0]
    assert {row["type"] for row in found} == {TYPE}
    assert counts["addition"] == {"instances": 2, "prompts": 4}
    assert counts["science"] == {"instances": 1, "prompts": 2}


def test_empty_lines_are_skipped_and_the_others_keep_their_numbers(copy):
    plain = normalise(copy(ROWS), {})
    lines = copy([*ROWS, {**SUM, "template": "x"}]).read_text().splitlines()
    spaced = copy([], "spaced.jsonl")
    spaced.write_text("\n" + "\n  \n".join(lines[:-1]) + "\n\n")
    assert normalise(spaced, {}) == plain
    spaced.write_text(f"\n\n{lines[-1]}\n")
    assert "spaced.jsonl row 3" in refused(normalise, spaced, {})
    table = copy(ROWS, "copy.csv")
    table.write_text(table.read_text().replace("\n", "\n\n,,,\n", 2))
    assert normalise(table, {}) == plain


def test_a_benchmark_of_it_keeps_the_published_prompts(made):
    sums = made("addition")
    assert [row["input"] for row in sums["items"]] == [{"a": "24427", "b": "7120"}, {"a": "3", "b": "7"}]
    assert [row["text"] for row in sums["rendered"] if row["item"] == "addition-00001"] == [
        f"{SECRET} 1",
        f"{SECRET} 2",
    ]
    assert sums["counts"][0]["addition"]["prompts"] == 4
    science = made("science")
    [question] = science["items"]
    assert (question["options"]["C"], question["input"]) == ("w", {"question": SECRET, "subset": "gpqa"})
    assert science["budgets"][0]["max_tokens"] == 384
    transforms = made("transforms")
    assert transforms["budgets"][0]["max_tokens"] == 90
    assert transforms["gold"][0]["gold"] == {"target": "b a" * 40, "accepted": [], "answer_shape": "b"}
    with pytest.raises(InputError, match="holds no locality"):
        made("locality")


def test_places_come_with_a_gazetteer(made):
    given = prompts("locality", "p", {"city": "Lisbon", "country": "Portugal"}, "Cairo")
    cities = [("Lisbon", 38.7, -9.1, 5e5), ("Cairo", 30, 31.2, 1e7), ("S\u00e9tubal", 38.5, -8.9, "")]
    found = made("locality", given, published_locality.make, cities)
    assert found["items"][0]["input"] == {"city": "Lisbon", "country": "Portugal"}
    assert found["gazetteer"] == [{"names": ["Cairo", "Lisbon", "Setubal"]}]


def test_a_difficulty_is_calibrated_only_where_its_owner_says_so(made):
    def difficulties(**params):
        items = made("addition", **params)["items"]
        [meta] = {(row["meta"]["calibration_id"], row["meta"]["calibrated"]) for row in items}
        return [row["difficulty"] for row in items], meta

    assert difficulties() == ([75, 25], ("rank", False))
    assert difficulties(difficulty="published") == ([40, 12.5], ("published", True))
    fitted, (name, calibrated) = difficulties(calibration={"kind": "logistic2", "alpha": "0", "beta": "1"})
    assert fitted[0] > fitted[1] > 50 and name.startswith("logistic2:") and calibrated
    with pytest.raises(InputError, match="calibrated already"):
        difficulties(difficulty="published", calibration={"kind": "rank"})


@pytest.mark.parametrize("outside", ["-0.5", "100.5"])
def test_a_published_difficulty_lies_on_its_scale(made, outside):
    given = [{**row, "difficulty": outside} for row in ROWS[:2]] + ROWS[2:4]
    with pytest.raises(InputError, match="outside 0 to 100"):
        made("addition", given, difficulty="published")
    assert made("addition", given)["items"][0]["meta"]["calibrated"] is False


def test_a_manifest_may_say_that_the_difficulty_is_the_published_one():
    published = {name: one for name, one in BENCHMARKS.items() if name.startswith("reliability.published_")}
    assert len(published) == 5
    for benchmark in published.values():
        assert benchmark.maker.optional["difficulty"] is scale
        assert "calibration" in benchmark.maker.optional
    assert scale("published") == "published"
    for other in ("rank", "", None, 1, ["published"]):
        with pytest.raises(InputError):
            scale(other)


def test_an_owner_finds_a_row_again_by_the_digest_of_its_id(made):
    assert [row["meta"]["source_row"] for row in made("addition")["items"]] == [sha256(b"x1"), sha256(b"x2")]


def without(name):
    return [{key: value for key, value in row.items() if key != name} for row in ROWS]


def twice(row, **other):
    """Give two prompts of one instance that say something different of it."""
    return [row, {**row, "template": "2", **other}]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (without("target"), "`target` is missing"),
        (without("anagram"), "`anagram` is missing"),
        ([{**SUM, "benchmark": "alchemy"}], "none of the five"),
        ([{**SUM, "difficulty": SECRET}], "`difficulty` is not a number"),
        ([{**SUM, "difficulty": "nan"}], "`difficulty` is not a number"),
        ([{**SUM, "difficulty": "1_0"}], "`difficulty` is not a number"),
        ([{**SUM, "template": "1.5"}], "`template` is not a whole number"),
        ([{**SUM, "template": "0"}], "`template` is not a whole number"),
        ([{**SUM, "instance_id": SECRET}] * 2, "are those of copy.jsonl row 1 too copy.jsonl row 2"),
        ([], "holds no rows"),
        ([{**SUM, "a": SECRET}], "`a` is not a number of decimal digits"),
        ([{**SUM, "b": "\u0663"}], "`b` is not a number of decimal digits"),
        ([{**SUM, "b": "7" * 1001}], "`b` is not a number of decimal digits"),
        ([{**SUM, "target": SECRET}], "`target` is not a number of decimal digits"),
        ([{**SUM, "target": "11"}], "not the sum of `a` and `b`"),
        ([{**WORD, "anagram": SECRET}], "`anagram` holds something other"),
        ([{**WORD, "target": SECRET}], "not made of the letters"),
        (without("subset"), "`subset` is missing"),
        ([{**SCIENCE, "subset": SECRET}], "names no subset"),
        ([{**SCIENCE, "target": SECRET}], "not one of A, B, C and D"),
        ([{**SCIENCE, "target": "AB"}], "not one of A, B, C and D"),
        ([{**TASK, "answer_shape": f"({SECRET}"}], "no regular expression"),
        ([{**TASK, "answer_shape": "b" * 2001}], "at most 2000 characters"),
        ([{**TASK, "answer_shape": [SECRET]}], "`answer_shape` is not text"),
        ([{**TASK, "accepted": {SECRET: 1}}], "`accepted` is not a list of texts"),
        ([{**TASK, "accepted": [SECRET, 1]}], "`accepted` is not a list of texts"),
        ([{**TASK, "accepted": [""]}], "`accepted` is not a list of texts"),
        ([{**TASK, "instruction": [SECRET]}], "`instruction` is not text"),
        (twice(SCIENCE, question=f"{SECRET}!"), "`inputs` is another than in copy.jsonl row 1"),
        (twice(SCIENCE, subset="obqa"), "`inputs` is another than in copy.jsonl row 1"),
        (twice(SCIENCE, target="D"), "`target` is another"),
        (twice(SUM, difficulty="13"), "`difficulty` is another"),
        (twice(TASK, accepted=SECRET), "`accepted` is another"),
        (twice(TASK, answer_shape="a"), "`answer_shape` is another"),
        ([SUM, {**WORD, "prompt": f"{SECRET} \ud800"}], "lone surrogate) copy.jsonl row 2"),
    ],
)
def test_what_is_wrong_is_named_and_no_word_of_an_item_is(copy, given, what):
    assert what in refused(normalise, copy(given), {})


@pytest.mark.parametrize(
    ("accepted", "kept"),
    [('["c d", "e"]', ["c d", "e"]), ("c d", ["c d"]), ("[c d", ["[c d"]), ("7", ["7"]), ("", None), ("[]", None)],
)
def test_a_table_has_a_list_as_json_or_as_one_text(copy, accepted, kept):
    found, _ = normalise(copy([{**TASK, "accepted": accepted}], "copy.csv"), {})
    assert found[0].get("accepted") == kept
    assert kept is None or normalise(copy([{**TASK, "accepted": kept}]), {})[0] == found


def test_the_longest_shape_and_a_template_as_tables_spell_it_are_taken(copy):
    [row] = normalise(copy([{**TASK, "answer_shape": "b" * 500, "template": "3.0"}]), {})[0]
    assert (row["template"], len(row["answer_shape"])) == (3, 500)


def test_a_table_that_names_no_columns_is_not_read_out(copy):
    path = copy(ROWS[6:8], "copy.csv")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    told = refused(normalise, path, {})
    assert "the first line must name the columns" in told
    assert "it has none that is known, and" in told
    named = refused(normalise, copy([{**SUM, "target": "", SECRET: "x"}]), {})
    assert "it has benchmark, instance_id, template, prompt, target, difficulty, a, b, and 1 others" in named
    path.write_text("benchmark,target\naddition,1,2\n")
    assert "more cells" in refused(normalise, path, {})


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[1]\n", b"{\n", b"[" * 100_000])
@pytest.mark.parametrize("name", ["copy.jsonl", "copy.csv"])
def test_a_file_that_is_none_is_refused(tmp_path, data, name):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError):
        normalise(tmp_path / name, {})


def test_a_copy_that_is_not_there_or_a_folder_is_told_as_such(tmp_path):
    for path in (tmp_path / "nothing.csv", tmp_path):
        with pytest.raises(InputError, match="there is no such file") as told:
            normalise(path, {})
        assert (told.value.where, told.value.next) == (str(path), "check the path")


def test_columns_may_be_called_otherwise(copy):
    renamed = [{("gold" if key == "target" else key): value for key, value in row.items()} for row in ROWS]
    assert normalise(copy(renamed), {"target": "gold"})[0] == normalise(copy(ROWS), {})[0]


def test_a_column_that_nothing_asks_for_is_told(copy):
    told = refused(normalise, copy(ROWS), {"traget": "gold"})
    assert "`traget`" in told and "--columns" in told
    assert all(name in told for name in ("instance_id", "target", "anagram", "answer_shape"))


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(SUM).encode() + b"\n",
        b"benchmark,instance_id\naddition,1\n",
        f"{SECRET}\n".encode(),
        b"\xff\xfe\n",
        b"[1]\n",
        b"[" * 100_000,
        json.dumps({**SUM, "type": "reliabilitybench/0"}).encode(),
    ],
)
def test_a_pinned_file_that_was_never_imported_is_told(tmp_path, data):
    (tmp_path / "rows").write_bytes(data)
    told = refused(make, {"benchmark": "addition"}, {"rows": tmp_path / "rows"}, tmp_path)
    assert "not an imported dataset" in told and "harness import reliabilitybench" in told


@each_of("addend", [SECRET, f"3{SECRET}", "\u0663", "", "-3", "9" * 5000, 3, None])
def test_an_addend_that_is_no_number_is_not_quoted_when_it_is_scored(addend):
    item = {"id": "addition-00007", "input": {"a": addend, "b": "7"}}
    told = refused(label, item, {"gold": {"target": "10"}}, "10")
    assert told.strip() == "an addend is not a text of decimal digits item addition-00007"
