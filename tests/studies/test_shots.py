"""Few-shot examples: written as the wording says, as many as are shown, and never an item that is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_examples import examples

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.kit.prompts import disjoint, pick, render

SHOTS = [{"id": f"s{n}", "input": {"q": f"{{q}} {n}"}, "answer": str(n)} for n in range(3)]
ITEMS = [{"id": "a", "input": {"q": "A"}}, {"id": "b", "input": {"q": "B"}}]
FEW = {"id": 1, "text": "{shots}{q}=", "shot": "{q}={answer};"}
ZERO = {"id": 2, "text": "{q}="}
Asked = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def rendered(tmp_path: Path) -> Asked:
    def prompts(items: Any = ITEMS, shots: Any = SHOTS, templates: Any = (FEW, ZERO), count: int = 2) -> Any:
        inputs = {name: tmp_path / name for name in ("items", "shots", "templates")}
        for name, table in (("items", items), ("shots", shots), ("templates", templates)):
            rows.write(inputs[name], table)
        render({"shots": count}, inputs, tmp_path)
        return list(rows.read(tmp_path / "prompts"))

    return prompts


def test_a_wording_shows_examples_where_it_says_so_braces_untouched(rendered: Asked) -> None:
    found = rendered()
    assert [row["text"] for row in found] == ["{q} 0=0;{q} 1=1;A=", "A=", "{q} 0=0;{q} 1=1;B=", "B="]
    assert found[0]["meta"]["shot_sha256"] == sha256(b"{q}={answer};")
    assert "shot_sha256" not in found[1]["meta"]
    assert next(row["text"] for row in rendered(count=1)) == "{q} 0=0;A="


@pytest.mark.parametrize(
    "item", [{"id": "s2", "input": {"q": "C"}}, {"id": "c", "input": {"q": "{q} 2"}}], ids=["its id", "its question"]
)
def test_an_example_that_is_an_item_fails_the_prompts_even_if_not_shown(rendered: Asked, item: Any) -> None:
    with pytest.raises(InputError, match="the example s2 is asked too") as bad:
        rendered([*ITEMS, item])
    assert bad.value.where == f"item {item['id']}"


def test_prompts_that_a_dataset_brings_along_are_held_to_the_same(tmp_path: Path) -> None:
    rows.write(tmp_path / "items", ITEMS)
    rows.write(tmp_path / "shots", [{"id": "b", "input": {}, "answer": "x"}])
    rows.write(tmp_path / "rendered", [{"item": "a", "template": 1, "text": "A"}])
    inputs = {name: tmp_path / name for name in ("items", "shots", "rendered")}
    with pytest.raises(InputError, match="the example b is asked too"):
        pick({"shots": 1}, inputs, tmp_path)


@pytest.mark.parametrize(
    ("shots", "count"), [(SHOTS, 4), ([], 1), ([SHOTS[0], {**SHOTS[1], "id": "s0"}], 2)], ids=["few", "none", "twice"]
)
def test_fewer_examples_than_are_shown_are_refused(rendered: Asked, shots: Any, count: int) -> None:
    with pytest.raises(InputError, match=f"and {count} are to be shown"):
        rendered(shots=shots, count=count)


@pytest.mark.parametrize(
    "faulty", [{**FEW, "text": "{q}="}, {"id": 1, "text": "{shots}{q}="}, {**FEW, "shot": "{shots}"}]
)
def test_a_wording_that_says_half_of_it_is_refused(rendered: Asked, faulty: Any) -> None:
    with pytest.raises(InputError, match="shows examples, or says how one is written"):
        rendered(templates=[faulty])


@examples(0.5)
@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_two_sets_are_apart_exactly_where_no_id_is_in_both(shown: set[int], asked: set[int]) -> None:
    shots: list[Any] = [{"id": str(n), "input": {"q": f"shot {n}"}, "answer": "x"} for n in shown]
    items: list[Any] = [{"id": str(n), "input": {"q": f"item {n}"}} for n in asked]
    if shown & asked:
        with pytest.raises(InputError, match="is asked too"):
            disjoint(shots, items)
    else:
        disjoint(shots, items)
