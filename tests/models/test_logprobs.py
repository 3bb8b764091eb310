"""Log-probabilities over the wire: asked for where a model's settings say so, and told in the shape of every row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from models.gateways import Running, both, gateway, prompts, step
from models.misbehaving import Misbehaving, misbehaving
from needs import needs
from support import unlocked_project

from harness.errors import InputError
from harness.manifest.load import load_manifest
from harness.models.providers.openai import OpenaiSettings
from harness.models.wire import ParsedAnswer, with_logprobs

needs("aiohttp", "openai")
pytestmark = pytest.mark.together
MODEL: dict[str, Any] = {"provider": "openai", "model": "m", "tape": "live"}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Misbehaving, Running, Path]]:
    tape = tmp_path_factory.mktemp("recording") / "tape"
    with misbehaving() as server, gateway(both(server.url, "record", tape)) as running:
        yield server, running, tape


CHAT = [
    {"token": "ec", "logprob": -0.25, "top": [["t0", 0], ["t1", -0.5], ["t2", -1], ["t3", -1.5], ["t4", -2]]},
    {"token": "half \ufffd", "logprob": -9999, "top": [["t0", 0]]},
]
COMPLETION = [
    {"token": "ec", "logprob": -0.25, "top": [[" t0", 0], [" t1", -0.5], [" t2", -1], [" t3", -1.5], [" t4", -2]]},
    {"token": "ho", "logprob": -2, "top": [["ho", -2]]},
]


@pytest.mark.long
@pytest.mark.parametrize(("endpoint", "rows"), [("chat", CHAT), ("completions", COMPLETION)])
def test_the_likeliest_five_stand_in_the_row_and_again_when_it_is_replayed(
    recording: Any, tmp_path: Path, endpoint: str, rows: list[Any]
) -> None:
    _, running, tape = recording
    inputs = prompts(tmp_path / "p", f"say {endpoint}")
    found, told = step("openai", inputs, tmp_path / "1", running.socket, endpoint=endpoint, logprobs=5)
    assert found[0]["logprobs"] == rows and told["without_logprobs"] == 0
    with gateway(both("http://127.0.0.1:1", "replay", tape), env={}) as replaying:
        step("openai", inputs, tmp_path / "2", replaying.socket, endpoint=endpoint, logprobs=5)
    assert (tmp_path / "1" / "responses").read_bytes() == (tmp_path / "2" / "responses").read_bytes()


NOTHING = {"choices": [{"text": "x"}]}


def test_a_chance_of_nothing_is_spelled_and_what_is_no_number_is_no_answer() -> None:
    read = with_logprobs(lambda answer: ParsedAnswer("x", "stop", None, "m"), 2, chat=False)

    def said(log: Any, **top: Any) -> Any:
        told = {"tokens": ["x"], "token_logprobs": [log], "top_logprobs": [top]}
        return read({"choices": [{"text": "x", "logprobs": told}]}).logprobs

    assert said(-math.inf, y=-math.inf, x=-1) == [{"token": "x", "logprob": "-inf", "top": [["x", -1], ["y", "-inf"]]}]
    for log in (None, "-1", True, math.nan):
        with pytest.raises(TypeError, match="is a number"):
            said(log)
    assert read(NOTHING).logprobs is None


def test_they_are_asked_for_where_the_settings_say_so_and_nowhere_else(recording: Any, tmp_path: Path) -> None:
    server, running, _ = recording
    one, before = prompts(tmp_path / "p", "a"), len(server.bodies)
    step("openai", one, tmp_path / "1", running.socket, logprobs=5)
    step("openai", one, tmp_path / "2", running.socket, endpoint="completions", logprobs=3)
    rows, told = step("openai", one, tmp_path / "3", running.socket)
    asked = [{name: body.get(name) for name in ("logprobs", "top_logprobs")} for body in server.bodies[before:]]
    assert asked == [
        {"logprobs": True, "top_logprobs": 5}, {"logprobs": 3, "top_logprobs": None},
        {"logprobs": None, "top_logprobs": None},
    ]  # fmt: skip
    assert "logprobs" not in rows[0] and "without_logprobs" not in told


def test_an_answer_without_them_is_an_answer_and_is_counted(recording: Any, tmp_path: Path) -> None:
    server, running, _ = recording
    server.plan["silent"] = ["untold"]
    rows, told = step("openai", prompts(tmp_path / "p", "silent", "b"), tmp_path / "1", running.socket, logprobs=5)
    assert "logprobs" not in rows[0] and "error" not in rows[0] and rows[1]["logprobs"] == CHAT
    assert told["without_logprobs"] == 1


def test_logprobs_stand_in_the_settings_and_change_none_where_unset() -> None:
    assert OpenaiSettings(**MODEL, logprobs=5).answer_params() == {"id": "m", "endpoint": "chat", "logprobs": 5}
    assert OpenaiSettings(**MODEL).answer_params() == {"id": "m", "endpoint": "chat"}
    assert "logprobs" not in OpenaiSettings(**MODEL).as_data()
    for many in (0, 21):
        with pytest.raises(ValueError, match="from 1 to 20"):
            OpenaiSettings(**MODEL, logprobs=many)


def test_a_provider_that_tells_none_says_so_before_anything_is_asked(tmp_path: Path) -> None:
    path = unlocked_project(tmp_path, models=())
    far = "models:\n  far: {provider: anthropic, model: m, tape: live, logprobs: 5}\n"
    path.write_text(path.read_text().replace("models:\n", far))
    with pytest.raises(InputError, match="this provider has no log-probabilities") as bad:
        load_manifest(path)
    assert bad.value.where == f"{path}:6"


def test_logprobs_in_two_places_are_refused_and_in_the_old_one_are_not() -> None:
    twice = {"extra": '{"logprobs":true}'}
    unfit = OpenaiSettings(**MODEL, logprobs=5).unsupported(twice)
    assert unfit and unfit.key == "extra.logprobs"
    assert OpenaiSettings(**MODEL).unsupported(twice) is None
