"""Prompts are every item with every template, filled once and left alone."""

from hashlib import sha256

import pytest

from harness import rows
from harness.errors import InputError
from harness.studies.prompts import render


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
