"""Prompts with continuations, and scores of what was measured: rows in, rows out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import rows
from harness.errors import InputError
from harness.kit.graded import state
from harness.studies.questions.likelihood import prompts, scores

ITEM = {"id": "q1", "options": {"B": "two", "A": "one", "C": "tw"}, "input": {"text": "one two"}}
ASKED = {"item": "q1", "template": 3, "text": "Which?", "max_tokens": 4}


def given(where: Path, **tables: list[Any]) -> dict[str, Path]:
    for name, table in tables.items():
        rows.write(where / name, table)
    return {name: where / name for name in tables}


def likelihood(*logprobs: float, **more: Any) -> dict[str, Any]:
    found = [{"logprob": each, "tokens": 2, "greedy": False} for each in logprobs]
    return {"item": "q1", "template": 3, "model": "m", "continuations": found, **more}


def scored(where: Path, row: dict[str, Any], gold: dict[str, Any], **params: Any) -> Any:
    """Score one row of likelihoods."""
    more = {"alone": [params.pop("alone")]} if "alone" in params else {}
    inputs = given(where, items=[ITEM], gold=[{"id": "q1", "gold": gold}], likelihoods=[row], **more)
    scores.choice({"name": "choice", "normalise": "sum", "show": "text", **params}, inputs, where)
    [found] = rows.read(where / "scores")
    return found


@pytest.mark.parametrize(("show", "expected"), [("text", [" one", " two", " tw"]), ("letter", [" A", " B", " C"])])
def test_continuations_are_the_options_in_the_order_of_letters(show: str, expected: list[str], tmp_path: Path) -> None:
    inputs = given(tmp_path, items=[ITEM], asked=[ASKED])
    prompts.add_options({"show": show, "chat": False}, {**inputs, "prompts": inputs["asked"]}, tmp_path)
    [found] = rows.read(tmp_path / "prompts")
    assert found == {"item": "q1", "template": 3, "text": "Which?", "continuations": expected}


def test_after_turns_no_space_stands_before_an_option(tmp_path: Path) -> None:
    turns = {"item": "q1", "template": 4, "messages": [{"role": "user", "content": "Which?"}]}
    for chat, expected in ((False, " one"), (True, "one")):
        inputs = given(tmp_path, items=[ITEM], asked=[ASKED, turns])
        prompts.add_options({"show": "text", "chat": chat}, {**inputs, "prompts": inputs["asked"]}, tmp_path)
        assert [row["continuations"][0] for row in rows.read(tmp_path / "prompts")] == [expected, "one"]


@pytest.mark.parametrize("options", [{}, {"A": "one"}, {"A": "one", "B": ""}])
def test_too_few_options_and_empty_ones_are_refused_with_their_item(options: Any, tmp_path: Path) -> None:
    inputs = given(tmp_path, items=[{**ITEM, "options": options}], asked=[ASKED])
    with pytest.raises(InputError, match="two options at least") as bad:
        prompts.add_options({"show": "text", "chat": False}, {**inputs, "prompts": inputs["asked"]}, tmp_path)
    assert bad.value.where == "item q1"


def test_a_text_is_the_column_that_is_named(tmp_path: Path) -> None:
    prompts.take_texts({"column": "text"}, given(tmp_path, items=[ITEM]), tmp_path)
    assert list(rows.read(tmp_path / "prompts")) == [{"item": "q1", "template": 0, "text": "one two"}]


def test_the_likeliest_option_is_right_where_it_is_the_target(tmp_path: Path) -> None:
    found = scored(tmp_path, likelihood(-3, -1, -2), {"target": "B", "accepted": ["two"]})
    assert found == {
        "item": "q1", "template": 3, "model": "m", "sample": 0, "scorer": "choice", "value": 1,
        "detail": {"answer": "B", "margin": 1, "values": {"A": -3, "B": -1, "C": -2}},
    }  # fmt: skip
    assert scored(tmp_path, likelihood(-3, -1, -2), {"target": "A", "accepted": ["one"]})["value"] == 0


def test_another_option_whose_text_is_accepted_is_right_too(tmp_path: Path) -> None:
    assert scored(tmp_path, likelihood(-3, -1, -2), {"target": "A", "accepted": ["one", "two"]})["value"] == 1
    assert scored(tmp_path, likelihood(-3, -1, -2), {"target": "A", "accepted": ["one", "B"]})["value"] == 0


def test_letters_are_as_long_as_letters_and_texts_as_texts(tmp_path: Path) -> None:
    row = likelihood(-3, -2.5, -2)
    assert scored(tmp_path, row, {"target": "B"}, normalise="character")["detail"]["answer"] == "B"
    by_letter = scored(tmp_path, row, {"target": "B"}, normalise="character", show="letter")["detail"]
    assert by_letter == {"answer": "C", "margin": 0.5, "values": {"A": -3, "B": -2.5, "C": -2}}


def test_what_an_option_is_alone_is_taken_off(tmp_path: Path) -> None:
    found = scored(
        tmp_path, likelihood(-3, -1, -2), {"target": "A"}, normalise="unconditional", alone=likelihood(-9, -2, -2)
    )
    assert (found["value"], found["detail"]["values"]) == (1, {"A": 6, "B": 1, "C": 0})


@pytest.mark.parametrize("alone", [False, True])
def test_what_could_not_be_measured_is_an_error_and_no_wrong_answer(alone: bool, tmp_path: Path) -> None:
    bad, good = likelihood(error="too long"), likelihood(-1, -2, -3)
    more = {"alone": bad, "normalise": "unconditional"} if alone else {}
    found = scored(tmp_path, good if alone else bad, {"target": "A"}, **more)
    assert (found["value"], found["detail"]) == ({"missing": "too long"}, {"error": "too long"})
    assert state(found) == "error"


def test_a_text_has_its_nats_a_token_and_one_that_failed_has_none(tmp_path: Path) -> None:
    texts = [{"item": "q1", "template": 3, "text": "one two"}]
    for row, value in ((likelihood(-5.0), 2.5), (likelihood(error="no tokens"), {"missing": "no tokens"})):
        inputs = given(tmp_path, asked=texts, likelihoods=[row])
        scores.perplexity({"name": "ppl"}, {**inputs, "prompts": inputs["asked"]}, tmp_path)
        [found] = rows.read(tmp_path / "scores")
        assert (found["scorer"], found["value"]) == ("ppl", value)
