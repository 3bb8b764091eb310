"""Prompts are every item with every template, filled once and left alone."""

from hashlib import sha256

import pytest

from harness import rows
from harness.errors import InputError
from harness.kit.prompts import pick, render
from harness.models.provider import with_token_limit
from harness.rowtypes import Prompt


@pytest.fixture
def rendered(tmp_path):
    def render_rows(items, templates):
        rows.write(tmp_path / "items", items)
        rows.write(tmp_path / "templates", templates)
        render({}, {"items": tmp_path / "items", "templates": tmp_path / "templates"}, tmp_path)
        return list(rows.read(tmp_path / "prompts"))

    return render_rows


def test_items_go_before_templates_and_both_are_named_by_digest(rendered):
    templates = [{"id": 1, "text": "{x}?"}, {"id": 2, "text": "Say {x}."}]
    found = rendered([{"id": "a", "input": {"x": "1"}}, {"id": "b", "input": {"x": 2}}], templates)
    assert [(row["item"], row["template"], row["text"]) for row in found] == [
        ("a", 1, "1?"), ("a", 2, "Say 1."), ("b", 1, "2?"), ("b", 2, "Say 2."),
    ]  # fmt: skip
    assert found[1]["meta"] == {
        "template_sha256": sha256(b"Say {x}.").hexdigest(),
        "text_sha256": sha256(b"Say 1.").hexdigest(),
    }


def test_a_value_is_never_read_as_a_template(rendered):
    item = {"id": "a", "input": {"x": "{y} {x} {0.__class__} %s", "y": "secret"}}
    assert rendered([item], [{"id": 1, "text": "<{x}> { } {} {{"}])[0]["text"] == "<{y} {x} {0.__class__} %s> { } {} {{"


@pytest.mark.parametrize("values", [{}, {"y": "1"}, {"x": None}, {"x": 1.5}, {"x": ["1"]}, {"x": True}])
def test_a_name_the_item_does_not_give_is_refused(rendered, values):
    with pytest.raises(InputError, match=r"template 1 asks for \{x\}"):
        rendered([{"id": "a", "input": values}], [{"id": 1, "text": "{x}"}])


@pytest.mark.parametrize("templates", [[{"id": "1", "text": "t"}], [{"id": 1}], [{"id": 1, "text": "t"}] * 2])
def test_a_faulty_prompt_set_is_refused(rendered, templates):
    with pytest.raises(InputError):
        rendered([], templates)


def test_a_fan_in_folder_reads_like_one_file(tmp_path):
    (tmp_path / "items").mkdir()
    for part, item in enumerate("ab"):
        rows.write(tmp_path / "items" / rows.part_name(part), [{"id": item, "input": {}}])
    rows.write(tmp_path / "templates", [{"id": 1, "text": "Hello"}])
    render({}, {"items": tmp_path / "items", "templates": tmp_path / "templates"}, tmp_path)
    assert [row["item"] for row in rows.read(tmp_path / "prompts")] == ["a", "b"]


def test_options_are_shown_one_a_line_after_their_letters(rendered):
    item = {"id": "a", "input": {"question": "Which?"}, "options": {"B": "two {question}", "A": "one"}}
    [row] = rendered([item], [{"id": 1, "text": "{question}\n{options}\nAnswer:"}])
    assert row["text"] == "Which?\nA. one\nB. two {question}\nAnswer:"
    with pytest.raises(InputError, match="not texts by letter"):
        rendered([{**item, "options": {"A": 1}}], [{"id": 1, "text": "{options}"}])


def test_each_prompt_brings_its_items_budget_along(tmp_path):
    rows.write(tmp_path / "items", [{"id": item, "input": {}} for item in "ab"])
    rows.write(tmp_path / "templates", [{"id": 1, "text": "Hello"}])
    rows.write(tmp_path / "budgets", [{"id": "a", "max_tokens": 54}, {"id": "b", "max_tokens": 72}])
    inputs = {name: tmp_path / name for name in ("items", "templates", "budgets")}
    render({}, inputs, tmp_path)
    assert [row["max_tokens"] for row in rows.read(tmp_path / "prompts")] == [54, 72]


def test_prompts_that_a_dataset_brings_along_are_picked_by_item(tmp_path):
    rows.write(tmp_path / "items", [{"id": "b"}])
    rows.write(tmp_path / "budgets", [{"id": "b", "max_tokens": 72}])
    rendered = [{"item": item, "template": 1, "text": f"for {item}", "meta": {}} for item in "abc"]
    rows.write(tmp_path / "rendered", rendered)
    pick({}, {name: tmp_path / name for name in ("items", "budgets", "rendered")}, tmp_path)
    assert list(rows.read(tmp_path / "prompts")) == [{**rendered[1], "max_tokens": 72}]


def test_a_prompt_brings_its_budget_only_where_the_manifest_names_none():
    prompt: Prompt = {"item": "a", "template": 1, "max_tokens": 54}
    assert with_token_limit({"max_tokens": 256}, prompt) == {"max_tokens": 256}
    assert with_token_limit({"max_tokens": "benchmark", "stop": []}, prompt) == {"max_tokens": 54, "stop": []}
    with pytest.raises(InputError, match="no budget of tokens"):
        with_token_limit({"max_tokens": "benchmark"}, {"item": "a", "template": 1})


def test_summaries_are_merged_and_none_of_two_hides_the_other(tmp_path):
    (tmp_path / "parts").mkdir()
    for part, value in enumerate(({"addition": 1}, {"anagram": 2})):
        rows.write_one(tmp_path / "parts" / rows.part_name(part), value)
    rows.merge({"name": "counts"}, {"parts": tmp_path / "parts"}, tmp_path)
    assert next(rows.read(tmp_path / "counts")) == {"addition": 1, "anagram": 2}
    rows.write_one(tmp_path / "parts" / rows.part_name(2), {"anagram": 3})
    with pytest.raises(InputError, match="two summaries have the field `anagram`"):
        rows.merge({"name": "counts"}, {"parts": tmp_path / "parts"}, tmp_path)
