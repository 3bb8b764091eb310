"""Label rows as tables: any order, parts that are reported apart, and rows that are wrong or contradict each other."""

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.reliability.measures.labelled import read, template_ids


def label(item, labels, model="m", benchmark="addition", subset=None, difficulty=10, **more):
    return {
        "model": model, "item": item, "benchmark": benchmark, "subset": subset or benchmark, "difficulty": difficulty,
        "labels": labels, "avoidance": {}, "truncated": 0, "errors": labels.count("-"), "calibrated": True, **more,
    }  # fmt: skip


@pytest.fixture
def table(tmp_path):
    def written(*given):
        rows.write(tmp_path / "labels", given)
        return read(tmp_path / "labels")

    return written


def test_labels_are_counted_item_by_item_and_errors_apart(table):
    found = table(
        label("b", "cca-", difficulty=2.5),
        label("a", "ii--"),
        label("a", "cccc", "n"),
        label("b", "----", "n", difficulty=2.5),
    )
    [(name, whole)] = found.benchmarks.items()
    assert (name, whole.ids, whole.difficulties, whole.prompts) == ("addition", ["a", "b"], [10, 2.5], 4)
    assert whole.counts("m") == [(0, 0, 2), (2, 1, 0)]
    assert whole.counts("n") == [(4, 0, 0), (0, 0, 0)]
    assert (whole.errors("m"), whole.errors("n")) == (3, 4)
    assert (whole.column("m"), whole.column("n")) == (["ii--", "cca-"], ["cccc", "----"])
    assert found.parts == {}


def test_models_that_were_never_asked_a_benchmark_are_not_in_its_table(table):
    found = table(label("a", "c"), label("x", "c", "n", "science"))
    assert {name: list(each.labels) for name, each in found.benchmarks.items()} == {"addition": ["m"], "science": ["n"]}


def test_rows_may_come_in_any_order_and_in_the_parts_of_a_fan_in(table, tmp_path):
    given = [label(item, "ca", model, difficulty=at) for item, at in (("a", 1), ("b", 2)) for model in "mn"]
    expected = table(*given)
    folder = tmp_path / "parts"
    folder.mkdir()
    rows.write(folder / "part-00000", given[:0:-1])
    rows.write(folder / "part-00001", given[:1])
    assert read(folder) == expected


def test_subsets_are_parts_where_there_are_several(table):
    given = [
        label("gpqa-0", "c", subset="gpqa", benchmark="science"),
        label("obqa-0", "i", subset="obqa", benchmark="science"),
    ]
    found = table(*given, label("a", "c"))
    assert list(found.parts) == ["science:gpqa", "science:obqa"]
    assert found.parts["science:obqa"].ids == ["obqa-0"]
    assert found.parts["science:obqa"].counts("m") == [(0, 0, 1)]
    assert found.parts["science:obqa"].benchmark == "science"
    assert found.parts["science:obqa"].name == "science:obqa"
    assert found.benchmarks["science"].strata() == {"gpqa": [0], "obqa": [1]}
    assert found.subsets == found.parts
    assert [(place, name) for place, name, _ in found.groups()] == [
        ("benchmarks", "addition"), ("benchmarks", "science"), ("parts", "science:gpqa"), ("parts", "science:obqa"),
    ]  # fmt: skip


def test_stricter_labels_are_a_part_with_errors_of_its_own(table):
    found = table(
        label("a", "cc", benchmark="anagram", variants={"target_only": "ci"}),
        label("b", "c-", benchmark="anagram", variants={"target_only": "c-"}),
    )
    part = found.parts["anagram:target_only"]
    assert (part.counts("m"), part.errors("m")) == ([(1, 0, 1), (1, 0, 0)], 1)
    assert found.subsets == {}
    assert found.benchmarks["anagram"].counts("m") == [(2, 0, 0), (1, 0, 0)]


def test_items_whose_true_target_was_kept_are_a_part_if_there_are_any(table):
    kept, gone = ({"true_target_filtered": known} for known in (False, True))
    found = table(label("a", "c", benchmark="locality", flags=kept), label("b", "i", benchmark="locality", flags=gone))
    assert found.parts["locality:true_target_kept"].ids == ["a"]
    assert table(label("b", "i", benchmark="locality", flags=gone)).parts == {}


def test_a_run_is_calibrated_only_where_every_row_is(table):
    assert table(label("a", "c")).calibrated is True
    assert table(label("a", "c"), label("b", "c", calibrated=False)).calibrated is False
    assert table().calibrated is False


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([label("a", "cx")], "row 1"),
        ([label("a", "c"), label("b", "cc")], "row 2"),
        ([label("a", "c"), label("a", "c")], "row 2"),
        ([label("a", "c"), label("a", "c", "n", difficulty=11)], "item a"),
        ([label("a", "c"), label("a", "c", "n", subset="other")], "item a"),
        ([label("a", "c"), label("b", "c"), label("a", "c", "n")], "model n has no labels of item b"),
        ([label("a", "c", difficulty=None)], "`difficulty`"),
        ([label("a", "c", difficulty=True)], "`difficulty`"),
        ([label("a", "c", difficulty=2e15)], "`difficulty`"),
        ([{**label("a", "c"), "labels": ["c"]}], "`labels`"),
        ([{**label("a", "c"), "model": 3}], "`model`"),
        ([label("a", "c", variants={"target_only": "cc"})], "variants"),
        ([label("a", "c", variants={"target_only": None})], "variants"),
    ],
)
def test_a_row_that_is_wrong_or_contradicts_another_is_named(table, given, told):
    with pytest.raises(InputError) as refused:
        table(*given)
    assert told in str(refused.value)


def test_labels_are_not_shown_where_they_are_refused(table):
    with pytest.raises(InputError) as refused:
        table(label("a", "ccc"), label("b", "cXc"))
    assert refused.value.where == "labels row 2" and "cXc" not in str(refused.value)


@pytest.mark.parametrize("name", ["benchmark", "item", "labels", "model", "subset", "difficulty"])
def test_a_row_that_lacks_a_field_is_refused(table, name):
    row = label("a", "c")
    del row[name]
    with pytest.raises(InputError, match=name):
        table(row)


def test_templates_are_named_as_the_run_says_or_by_their_place(table, tmp_path):
    whole = table(label("a", "cai")).benchmarks["addition"]
    assert template_ids({}, whole) == [1, 2, 3]
    rows.write_one(tmp_path / "templates", {"addition": [4, 5, 9]})
    assert template_ids({"templates": tmp_path / "templates"}, whole) == [4, 5, 9]
    for wrong in ({"addition": [4]}, {}):
        rows.write_one(tmp_path / "templates", wrong)
        with pytest.raises(InputError):
            template_ids({"templates": tmp_path / "templates"}, whole)
