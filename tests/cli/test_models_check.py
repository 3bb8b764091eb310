"""`harness models check`, and models of one's own server on the command line: `-m NAME=PROVIDER/MODEL@URL`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from models.misbehaving import misbehaving
from needs import needs
from support import data_of, error_of, harness, unlocked_project

from harness.errors import InputError
from harness.manifest.models import read_model
from harness.run.locking.models import model_string
from harness.run.planning.derived import read_model_option
from harness.verbs.recordings import QUESTION

needs("openai", "anthropic", "aiohttp")
pytestmark = pytest.mark.together
CLOSED = "http://127.0.0.1:9/v1"  # a port that needs a privilege to listen on


def checked(folder: Path, *words: str, code: int = 0) -> dict[str, dict[str, Any]]:
    """Check models as a user does whose home has no keys; gives them by name."""
    done = harness("models", "check", *words, "--json", cwd=folder, env={"HOME": str(folder)}, check=code)
    return {one["name"]: one for one in json.loads(done.stdout)["models"]}


@pytest.mark.long
def test_each_model_is_asked_one_question_and_nothing_is_written(tmp_path: Path) -> None:
    with misbehaving() as server:
        server.served = "toy-1-0613"
        found = checked(tmp_path, "-m", f"mine=openai/toy-1@{server.url}/v1", "-m", f"c=anthropic/toy-2@{server.url}")
        assert server.asked.total() == 2
    mine, other = found["mine"], found["c"]
    assert mine["state"] == other["state"] == "answered" and mine["said"] and mine["seconds"] > 0
    assert mine["answered_as"] == "toy-1-0613" and mine["model"] == f"openai/toy-1@{server.url}/v1"
    assert mine["completion_tokens"] > 0 and mine["dollars"] == "" and other["logprobs"] is False
    assert not list(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.parametrize(
    "more",
    [
        b'"content": 5',
        b'"content": true',
        b'"model": {"a": 1}',
        b'"model": "' + b"m" * 1000 + b'"',
        b'"x": ' + b"[" * 960 + b"]" * 960,
    ],
)
def test_fields_that_an_answer_has_besides_its_text_may_be_of_any_kind(tmp_path: Path, more: bytes) -> None:
    with misbehaving() as server:
        server.usual = "raw"
        server.words = b'{"choices": [{"message": {"content": "yes"}}], ' + more + b"}"
        words = ("models", "check", "-m", f"a=openai/toy-1@{server.url}/v1", "--json")
        done = harness(*words, cwd=tmp_path, env={"HOME": str(tmp_path)})
    [found] = json.loads(done.stdout)["models"]
    assert found["said"] == "yes" or "nested" in found["said"]
    assert len(found["answered_as"]) < 100 and "{" not in found["answered_as"]


def test_a_server_that_refuses_log_probabilities_is_asked_again_without_them(tmp_path: Path) -> None:
    with misbehaving() as server:
        server.plan[QUESTION] = ["400"]
        found = checked(tmp_path, "-m", f"a=openai/toy-1@{server.url}/v1")["a"]
        asked = [sorted(one) for one in server.bodies]
    assert found["state"] == "answered" and found["logprobs"] is False
    assert asked == [["logprobs", "messages", "model", "top_logprobs"], ["messages", "model"]]


@pytest.mark.long
def test_a_model_that_does_not_answer_is_told_with_its_server_s_words(tmp_path: Path) -> None:
    with misbehaving() as server:
        server.usual, server.words = "400", b'{"error": {"message": "no such model"}}'
        words = ("-m", f"a=openai/toy-1@{server.url}/v1", "-m", f"b=openai/toy-1@{CLOSED}", "-m", "c=openai/gpt-x")
        found = checked(tmp_path, *words, code=1)
    assert {one["state"] for one in found.values()} == {"failed"}
    assert "no such model" in found["a"]["said"] and "127.0.0.1:9" in found["b"]["model"]
    assert "refused" in found["b"]["said"] and "Next: start the server, or correct" in found["b"]["said"]
    assert "OPENAI_API_KEY" in found["c"]["said"]


@pytest.mark.long
def test_models_of_a_manifest_are_checked_by_their_names_and_stand_ins_are_not_asked(tmp_path: Path) -> None:
    manifest = unlocked_project(tmp_path / "p", models=("oracle",))
    with misbehaving() as server:
        model = f"  far: {{provider: openai, model: toy-1, tape: replay, base_url: {server.url}/v1}}\n"
        manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{model}"))
        found = checked(tmp_path / "p", "manifests/small.yaml")
        text = harness("models", "check", "manifests/small.yaml", cwd=tmp_path / "p", check=0).stdout
    assert found["far"]["state"] == "answered" and found["oracle"]["state"] == "on this machine"
    assert "far" in text and "a stand-in" in text and server.asked.total() == 2
    refused = harness("models", "check", cwd=tmp_path, check=2)
    assert "no model is named" in refused.stderr and "@http://127.0.0.1:8000/v1" in refused.stderr


@pytest.mark.long
def test_a_server_of_one_s_own_is_named_on_the_command_line_of_new_and_run(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("question,answer\nTwo and two?,4\nThree and three?,6\n")
    with misbehaving() as server:
        option = f"mine=openai/toy-1@{server.url}/v1"
        made = data_of("new", "own", "--from", str(file), "-m", option, cwd=tmp_path)
        text = (tmp_path / made["manifest"]).read_text()
        assert f"{server.url}/v1" in text and made["models"] == ["mine"]
        other = f"more=openai/toy-2@{server.url}/v1"
        ran = data_of("run", made["manifest"], "-m", other, cwd=tmp_path)["runs"][0]
    assert {line["model"] for line in ran["scores"]} == {"mine", "more"} and server.answered


@pytest.mark.parametrize(
    "text",
    [
        "a=openai/toy@http://user:hunter2hunter2@127.0.0.1/v1",
        "a=openai/toy@http://127.0.0.1/v1?key=hunter2hunter2",
        "a=openai/toy@http://127.0.0.1/v1#key=hunter2hunter2",
        "a=openai/toy@http://127.0.0.1/v1?key=one@hunter2hunter2",
        "a=openai/toy@http://user:one/hunter2@127.0.0.1/v1",
        "a=openai/toy@http://user:one hunter2@127.0.0.1/v1",
        "a=openai/toy@ http://user:hunter2hunter2@127.0.0.1/v1",
        "a=openai/toy@ftp://user:hunter2hunter2@127.0.0.1/v1",
        "a=anthropic/toy@//user:hunter2hunter2@127.0.0.1",
        "a=openai/toy@https://",
        "a=transformers/assets/tiny@http://127.0.0.1/v1",
    ],
)
def test_an_address_that_no_manifest_may_hold_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InputError) as bad:
        read_model_option(text)
    assert "hunter2" not in f"{bad.value.what} {bad.value.where} {bad.value.next}" and "-m a=" in bad.value.where


@pytest.mark.parametrize(
    "line",
    ["openai/toy-1@http://127.0.0.1:8000/v1", "openai/org/model@v2@http://[::1]:8000/v1", "openai/gpt-4o-mini"],
)
def test_a_model_s_line_is_read_back_as_it_is_written(line: str) -> None:
    model = read_model(dict(read_model_option(f"a={line}").said))
    assert model_string(model) == line


def test_an_own_server_s_error_says_what_to_write(tmp_path: Path) -> None:
    error = error_of(harness("models", "check", "-m", "openai/", "--json", cwd=tmp_path, check=2))
    assert "-m mine=openai/MODEL@http://127.0.0.1:8000/v1" in error["next"]
