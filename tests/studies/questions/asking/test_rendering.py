"""A prompt is a wording with an item's cells in it, and examples where it says; no example is ever asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.questions.asking.rendering import render

ITEM = {"id": "d-000001", "task": "d", "input": {"question": "Q1"}, "meta": {"row": 1}, "difficulty": None}
SHOTS = [
    {"id": f"d/shot-{n}", "input": {"question": f"E{n}"}, "answer": f"A{n}", "meta": {"row": n}} for n in (1, 2)
]  # fmt: skip


def rendered(folder: Path, row: dict[str, Any], shots: list[dict[str, Any]] | None, **item: Any) -> dict[str, Any]:
    """Give the prompt of one item in one wording, with examples if there are any."""
    inputs = {"items": folder / "items"}
    options = {"options": ["a", "b"]} if "options" in item else {}
    params: dict[str, Any] = {"fields": {"input": "question", "target": "gold", **options}, "wordings": [row]}
    inputs["items"].write_text(json.dumps({**ITEM, **item}) + "\n")
    if shots is not None:
        inputs["shots"] = folder / "shots"
        inputs["shots"].write_text("".join(json.dumps(shot) + "\n" for shot in shots))
        params["shots"] = len(shots)
    render(params, inputs, folder)
    [prompt] = [json.loads(line) for line in (folder / "prompts").read_text().splitlines()]
    return dict(prompt)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"text": "Q: {question}\nA:"}, "Q: E1\nA: A1\n\nQ: E2\nA: A2\n\nQ: Q1\nA:"),
        ({"text": "Say.\n\n{shots}Q: {question}\nA:"}, "Say.\n\nQ: E1\nA: A1\n\nQ: E2\nA: A2\n\nQ: Q1\nA:"),
        ({"text": "[{shots}] {question}", "shot": "{question}={answer};"}, "[E1=A1;E2=A2;] Q1"),
        ({"text": "{question}", "shot": "{question}={gold};"}, "E1=A1;E2=A2;Q1"),
    ],
)
def test_examples_stand_where_the_wording_says_else_before_it(tmp_path: Path, row: dict[str, Any], text: str) -> None:
    prompt = rendered(tmp_path, {"id": 4, **row}, SHOTS)
    assert (prompt["text"], prompt["template"], prompt["item"]) == (text, 4, "d-000001")
    assert prompt["meta"]["text_sha256"] == sha256(text.encode())
    assert prompt["meta"]["template_sha256"] == sha256(row["text"].encode())
    assert ("shot_sha256" in prompt["meta"]) == ("shot" in row)


def test_a_chat_shows_examples_as_turns_before_its_last_one(tmp_path: Path) -> None:
    turns = [{"system": "S"}, {"user": "{question}?"}]
    said = [
        (turn["role"], turn["content"]) for turn in rendered(tmp_path, {"id": 0, "turns": turns}, SHOTS)["messages"]
    ]
    assert said == [("system", "S"), ("user", "E1?"), ("assistant", "A1"), ("user", "E2?"), ("assistant", "A2"),
                    ("user", "Q1?")]  # fmt: skip
    turns = [{"user": "{shots}Now {question}"}]
    [turn] = rendered(tmp_path, {"id": 0, "turns": turns}, SHOTS)["messages"]
    assert turn == {"role": "user", "content": "Now E1 A1\n\nNow E2 A2\n\nNow Q1"}
    assert rendered(tmp_path, {"id": 0, "turns": turns}, None)["messages"][0]["content"] == "Now Q1"


def test_an_example_answers_with_the_letter_where_letters_are_shown(tmp_path: Path) -> None:
    options = {"options": {"A": "red", "B": "green"}}
    shots = [{**SHOTS[0], **options, "letter": "B", "answer": "green"}]
    lettered = rendered(tmp_path, {"id": 0, "text": "{question}\n{options}\n="}, shots, **options)["text"]
    assert lettered == "E1\nA. red\nB. green\n= B\n\nQ1\nA. red\nB. green\n="
    plain = rendered(tmp_path, {"id": 0, "text": "{question} {a} {b}"}, shots, **options)["text"]
    assert plain == "E1 red green green\n\nQ1 red green"


def test_a_question_that_is_shown_as_an_example_is_never_rendered(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is asked too"):
        rendered(tmp_path, {"id": 0, "text": "{question}"}, SHOTS, input={"question": "E2"})


def test_a_prompt_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="8 MiB"):
        rendered(tmp_path, {"id": 0, "text": "{question}" * 9}, None, input={"question": "x" * (1 << 20)})
