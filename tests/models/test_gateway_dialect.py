"""A provider of an API of its own is one value: the gateway asks, tapes, replays and lists it like those it knows."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from models.gateways import GPT, KEY, NAMES, chat, gateway, model, post
from models.misbehaving import misbehaving
from models.toy import DIALECT, PLACE, toy_provider
from needs import needs
from support import REPOSITORY

from harness.errors import InputError
from harness.models.gateway import anthropic, openai, settings, upstream
from harness.models.tape.tape import Tape, request_digest

needs("aiohttp", "openai", "anthropic")

TOY = "toy-1"
ENV = {"PYTHONPATH": os.pathsep.join((str(REPOSITORY), str(REPOSITORY / "tests")))}


def toy(url: str, mode: str, tape: Path, **more: Any) -> dict[str, Any]:
    return {TOY: model("toy", url, mode, tape, dialect=PLACE, **more)}


def riddle(text: str, **more: Any) -> dict[str, Any]:
    return {"model": TOY, "riddle": text, **more}


@pytest.mark.long
def test_a_third_dialect_is_asked_taped_and_replayed(tmp_path: Path) -> None:
    prices = {"prices": {"input": "1000", "output": "1000"}}  # 4 tokens an answer: 0.004
    with (
        toy_provider() as provider,
        misbehaving() as server,
        gateway(
            {
                **toy(provider.url, "record", tmp_path / "t", **prices),
                GPT: model("openai", server.url, "record", tmp_path / "t"),
            },
            {**NAMES, **ENV},
        ) as running,
    ):
        first = [post(running.socket, "/toy/ask", riddle("abc")) for _ in range(2)]
        assert [one.json()["reply"] for one in first] == ["1 cba", "2 cba"]
        assert provider.asked == [("/ask", riddle("abc"), KEY)] * 2
        refused = post(running.socket, "/toy/ask", riddle("tea"))
        assert (refused.status_code, refused.json()) == (418, {"toy": "pot"})
        wrong = post(running.socket, "/toy/ask", chat("abc", TOY)).json()
        assert (wrong["toy"], "needs `riddle`" in wrong["says"]) == ("invalid_request_error", True)
        other = post(running.socket, "/toy/ask", {**riddle("abc"), "model": GPT}).json()["says"]
        assert f"{GPT} is a model of openai; those of toy: {TOY}" in other
        assert "echo beside" in post(running.socket, "/v1/chat/completions", chat("beside")).text
        told = running.stop()
    assert (told[TOY]["recorded"], told[TOY]["tokens"]) == (2, {"prompt": 6, "completion": 2})
    assert told[TOY]["dollars"] == "0.008" and told[TOY]["errors"] == {"http_418": 1}
    with Tape.open(tmp_path / "t") as tape:
        found = tape.find(request_digest("toy", riddle("abc")), 1)
        assert found and (found.provider, found.response) == ("toy", first[1].content) and len(tape) == 3
    with gateway(toy("http://127.0.0.1:1", "replay", tmp_path / "t"), ENV) as running:
        assert [post(running.socket, "/toy/ask", riddle("abc")).content for _ in range(2)] == [
            one.content for one in first
        ]
        again = post(running.socket, "/toy/ask", riddle("abc", stream=True), {"X-Harness-Repeat": "1"})
        assert re.findall(r'event: toy\ndata: {"letter":"(.)"}', again.text) == list("2 cba")
        miss = post(running.socket, "/toy/ask", riddle("abd"))
        assert (miss.status_code, miss.json()["toy"]) == (404, "tape_miss") and "/body/riddle" in miss.json()["says"]
        assert post(running.socket, "/v1/chat/completions", chat("a")).json()["toy"] == "not_served"


def test_models_of_several_dialects_are_listed_readably_for_every_client() -> None:
    dialects = (openai.DIALECT, anthropic.DIALECT, DIALECT)
    listed = json.loads(upstream.model_list(dialects, {TOY: "toy", GPT: "openai"}))
    assert (listed["object"], listed["first_id"], listed["has_more"]) == ("list", GPT, False)
    assert [(one["id"], one["object"], one["display_name"], one["by"]) for one in listed["data"]] == [
        (GPT, "model", GPT, "openai"),
        (TOY, "model", TOY, "toy"),
    ]


def test_nothing_of_the_gateway_but_a_provider_s_own_file_names_a_provider() -> None:
    folder = REPOSITORY / "harness" / "models"
    files = {path for path in (folder / "gateway").glob("*.py") if path.stem not in ("openai", "anthropic", "forward")}
    assert len(files) > 5
    for path in files:
        assert not re.search("openai|anthropic", path.read_text(), re.IGNORECASE), path


def test_a_dialect_is_found_by_the_provider_s_name_or_by_the_settings() -> None:
    spoken = {"base_url": "https://a", "key": "K", "mode": "live"}
    line: Any = {
        "socket": "/s",
        "models": {"a": {"provider": "openai", **spoken}, "b": {"provider": "anthropic", **spoken}},
    }
    line["models"] |= {"c": {"provider": "mine", "dialect": "harness.models.gateway.openai:DIALECT", **spoken}}
    found = settings.GateSettings.model_validate(line)
    assert found.dialects == (openai.DIALECT, anthropic.DIALECT) and found.models["c"].dialect is openai.DIALECT


@pytest.mark.parametrize(
    "place", ["harness.models.gate.none:DIALECT", "os:sep", "harness.models.gateway.openai", ".a:B"]
)
def test_a_place_without_a_dialect_is_refused(place: str) -> None:
    told = f'{{"provider": "x", "dialect": "{place}", "base_url": "https://a", "key": "K", "mode": "live"}}'
    with pytest.raises(InputError) as bad:
        settings.parse_settings(f'{{"socket": "/s", "models": {{"m": {told}}}}}'.encode())
    assert bad.value.where == "/models/m/dialect"
