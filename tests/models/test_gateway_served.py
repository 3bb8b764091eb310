"""An instrument is known to the gateway under a name of its own, which leads to no model, and no model's to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from models.gateways import GPT, chat, gateway, model, post, prompts, step
from models.misbehaving import misbehaving
from needs import needs

from harness.models.tape.tape import Tape

needs("aiohttp", "openai", "anthropic")
CHAT, JUDGE = "/v1/chat/completions", "instruments/judge"


def settings(url: str, folder: Path) -> dict[str, Any]:
    """Serve a model, and a judge that its provider calls the same, each with its tape."""
    return {
        GPT: model("openai", url, "record", folder / "model"),
        JUDGE: model("openai", url, "record", folder / "judge") | {"model": GPT},
    }


@pytest.mark.long
def test_the_same_question_of_both_is_asked_twice_and_stands_on_both_tapes(tmp_path: Path) -> None:
    with misbehaving() as server, gateway(settings(server.url, tmp_path)) as running:
        inputs = prompts(tmp_path / "prompts", "hello", "there")
        rows, _ = step("openai", inputs, tmp_path / "one", running.socket, served=JUDGE, model="judge")
        assert [row["model"] for row in rows] == ["judge", "judge"] and not any("error" in row for row in rows)
        step("openai", inputs, tmp_path / "two", running.socket)
        told = running.stop()
    assert {name: one["recorded"] for name, one in told.items()} == {GPT: 2, JUDGE: 2}
    bodies = []
    for name in ("model", "judge"):
        with Tape.open(tmp_path / name) as tape:
            bodies.append(sorted(str(one.body) for one in tape.requests()))
    assert bodies[0] == bodies[1] and len(bodies[0]) == 2


@pytest.mark.long
def test_its_name_leads_to_it_alone_and_to_no_other_model_of_its_provider(tmp_path: Path) -> None:
    with misbehaving() as server, gateway(settings(server.url, tmp_path)) as running:
        named = {"x-harness-served": JUDGE}
        refused = [
            post(running.socket, CHAT, chat("a", "gpt-other"), named),  # another model through the judge's account
            post(running.socket, CHAT, chat("b", JUDGE)),  # its name where a model's stands
            post(running.socket, CHAT, chat("c"), {"x-harness-served": GPT}),
            post(running.socket, CHAT, chat("d"), {"x-harness-served": "instruments/other"}),
        ]
        assert [(one.status_code, one.headers["x-harness-error"]) for one in refused] == [(400, "unknown_model")] * 4
        assert not server.asked
