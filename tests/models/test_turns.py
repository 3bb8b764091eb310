"""Turns for a model on this machine: spelled by its own template, or refused in words that say what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support_models import deliver, make_model

from harness import rows
from harness.digest import sha256
from harness.errors import InputError
from harness.models.local.likelihood import measure
from harness.models.providers import baseline
from harness.models.providers.transformers import respond

needs("torch", "transformers")

TEMPLATE = (
    "{% for turn in messages %}{% if turn.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}"
    "<{{ turn.role[0] }}>{{ turn.content }}{% endfor %}{% if add_generation_prompt %}<a>{% endif %}"
)
TURNS = [{"role": "system", "content": "S"}, {"role": "user", "content": "1+1"}]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "m")


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_model(tmp_path_factory.mktemp("talking") / "m")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return folder


def ask(where: Path, model: Path, step: Any, *asked: dict[str, Any], **more: Any) -> tuple[list[Any], dict[str, Any]]:
    """Run a step over prompts, and give its rows and what was observed."""
    names = deliver(model, where / "weights")
    (where / "out").mkdir()
    rows.write(where / "prompts", ({"item": f"i{n}", "template": 0, **each} for n, each in enumerate(asked)))
    params = {
        "model": "m", "files": names, "dtype": "float32", "batch": "reference", "seeds": [0],
        "generation": {"temperature": "0", "max_tokens": 4}, **more,
    }  # fmt: skip
    step(params, {"prompts": where / "prompts", "weights": where / "weights"}, where / "out")
    [table] = [path for path in (where / "out").iterdir() if path.name != "facts.json"]
    return list(rows.read(table)), json.loads((where / "out" / "facts.json").read_bytes())


@pytest.mark.long
def test_turns_go_through_the_chat_template_and_the_journal_names_it(talking: Path, tmp_path: Path) -> None:
    spelled = "<s>S<u>1+1<a>"
    found, facts = ask(tmp_path / "1", talking, respond, {"messages": TURNS}, {"text": spelled})
    assert found[0]["text"] == found[1]["text"] and found[0]["usage"] == found[1]["usage"]
    assert facts["chat_template"] == sha256(TEMPLATE.encode())
    assert ask(tmp_path / "2", talking, respond, {"text": spelled})[1]["chat_template"] is None
    one, two = ask(
        tmp_path / "3", talking, measure, {"messages": TURNS, "continuations": ["2"]},
        {"text": spelled, "continuations": ["2"]},
    )[0]  # fmt: skip
    assert one["continuations"] == two["continuations"]


@pytest.mark.long
@pytest.mark.parametrize("step", [respond, measure])
def test_a_model_without_a_template_says_what_to_do(plain: Path, tmp_path: Path, step: Any) -> None:
    with pytest.raises(InputError, match="no single chat template, and this prompt is turns") as bad:
        ask(tmp_path / "1", plain, step, {"messages": TURNS, "continuations": ["2"]})
    assert bad.value.where == "item i0" and "chat_template.jinja" in bad.value.next


@pytest.mark.long
@pytest.mark.parametrize(
    ("turns", "what"),
    [
        ([{"role": "tool", "content": "x"}], "refuses these turns: no tools here"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "more than a text"),
        ([{"role": "user", "content": "x", "name": "y"}], "more than a text"),
        ([], "has no turns"),
    ],
)
def test_turns_that_it_cannot_read_are_refused(talking: Path, tmp_path: Path, turns: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        ask(tmp_path / "1", talking, respond, {"messages": turns})


def test_an_image_is_never_left_out_unseen(talking: Path, tmp_path: Path) -> None:
    image = [{"sha256": "0" * 64, "type": "image/png"}]
    for number, step in enumerate((respond, measure)):
        with pytest.raises(InputError, match="more than a text") as bad:
            ask(tmp_path / str(number), talking, step, {"text": "a", "attachments": image, "continuations": ["b"]})
        assert "How.fits" in bad.value.next


def test_a_stand_in_reads_the_words_of_all_turns_and_looks_at_no_image(tmp_path: Path) -> None:
    image = [{"sha256": "0" * 64, "type": "image/png"}]
    asked: list[dict[str, Any]] = [{"messages": TURNS, "attachments": image}, {"text": "t", "attachments": image}]
    rows.write(tmp_path / "prompts", ({"item": f"i{n}", "template": 0, **each} for n, each in enumerate(asked)))
    params = {"behaviour": "echo", "model": "echo", "seeds": [0]}
    baseline.respond(params, {"prompts": tmp_path / "prompts"}, tmp_path)
    assert [row["text"] for row in rows.read(tmp_path / "responses")] == ["S\n\n1+1", "t"]
