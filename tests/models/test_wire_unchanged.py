"""A manifest of version 1 means what it always meant: its intent, its steps' parameters and every byte on the wire.

What `version-1/` holds was written by the harness as it was before a setting could be left out: digests of intents,
parameters, requests and rows, what was sent, and a tape.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from models.gateways import both, gateway, prompts, step
from models.misbehaving import misbehaving
from needs import needs
from support import unlocked_project

from harness.digest import canonical_json, document_digest, sha256
from harness.manifest.load import load_manifest
from harness.models.tape.tape import request_digest
from harness.run.planning.plan import check_manifest, make_plan
from harness.run.service import RunTarget, lock_manifest

needs("aiohttp", "openai", "anthropic")

MODELS = """models:
  chat: {provider: openai, model: gpt-test, tape: record, system: Be brief., prices: {input: 3, output: 6}}
  text: {provider: openai, model: gpt-test, tape: record, endpoint: completions, prices: {input: 3, output: 6}}
  message: {provider: anthropic, model: claude-test, tape: record}
"""
SETTINGS = {
    "plain": "",
    "some": "generation: {temperature: 0.70, max_tokens: 48}\n",
    "all": 'generation: {temperature: 1, max_tokens: 5, top_p: 0.95, stop: ["Q:", " \\nEnd "]}\n',
}
KEPT = Path(__file__).parent / "version-1"
BEFORE: dict[str, Any] = json.loads((KEPT / "meant.json").read_bytes())


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Give the intent of each manifest, and the parameters of the steps that ask, by model."""
    found = {}
    for name, settings in SETTINGS.items():
        path = unlocked_project(tmp_path_factory.mktemp(name) / "project", models=())
        path.write_text(path.read_text().replace("models:\n", MODELS) + settings)
        loaded = load_manifest(path)
        lock = lock_manifest(loaded, RunTarget(tmp_path_factory.getbasetemp() / "one-store")).lock
        steps = [one for one in make_plan(check_manifest(loaded), lock).steps if one.stage == "responses" and one.calls]
        found[name] = dict(lock.intent), {one.params["model"]: dict(one.params) for one in steps}
    return found


def asked(params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Give a step's parameters as the test's own step takes them."""
    return ("anthropic" if params["id"] == "claude-test" else "openai"), params


def test_intent_and_parameters_are_the_same_bytes(planned: Any) -> None:
    for name, (intent, params) in planned.items():
        assert document_digest({"type": "manifest/1", **intent}) == BEFORE[name]["intent"], name
        told = {model: sha256(canonical_json(each)) for model, each in params.items()}
        assert told == BEFORE[name]["params"], name


@pytest.mark.long
def test_what_is_sent_is_the_same_bytes_and_has_the_same_digest(planned: Any, tmp_path: Path) -> None:
    inputs = prompts(tmp_path / "p", "1+1?")
    with misbehaving() as server, gateway(both(server.url, "live")) as running:
        for name, (_, params) in planned.items():
            for model, each in params.items():
                provider, more = asked(each)
                step(provider, inputs, tmp_path / f"{name}-{model}", running.socket, **more)
                digest, sent = BEFORE[name]["asked"][model]
                assert request_digest(provider, server.bodies[-1]) == digest
                assert json.dumps(server.bodies[-1], separators=(",", ":")) == sent


@pytest.mark.long
def test_a_tape_that_was_recorded_then_answers_now(planned: Any, tmp_path: Path) -> None:
    (tmp_path / "tape").mkdir()
    shutil.copy(KEPT / "segment-00000.jsonl", tmp_path / "tape")
    inputs = prompts(tmp_path / "p", "1+1?")
    with gateway(both("http://127.0.0.1:1", "replay", tmp_path / "tape"), env={}) as replaying:
        for name, (_, params) in planned.items():
            for model, each in params.items():
                provider, more = asked(each)
                step(provider, inputs, tmp_path / f"{name}-{model}", replaying.socket, **more)
                made = sha256((tmp_path / f"{name}-{model}" / "responses").read_bytes())
                assert made == BEFORE[name]["responses"][model]
