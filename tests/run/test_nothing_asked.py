"""A step that has nothing to ask asks nobody: no gateway is started, and no weights are loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from needs import needs

from harness.digest import sha256
from harness.engines.engine import Limits
from harness.engines.local import LocalEngine
from harness.run.executing.workshop import Workshop
from harness.run.gateway import Gateway
from harness.steps import Ref, Step
from harness.store.store import Store


@pytest.mark.long
def test_without_a_prompt_a_step_that_calls_is_made_with_no_gateway(tmp_path: Path) -> None:
    needs("openai", "aiohttp")
    store = Store.make(tmp_path / "store")
    workshop = Workshop(store, LocalEngine("process"), Limits())
    workshop.calls = Gateway({"m-1": {"provider": "openai", "mode": "replay", "tape": str(tmp_path / "no tape")}})
    step = Step(
        "replies", "harness.models.providers.openai:respond", "judgements",
        {"model": "m", "id": "m-1", "seeds": [0], "generation": {}}, {"prompts": Ref("ask", "prompts")},
        ("responses", "inference"), calls=True,
    )  # fmt: skip
    with store.in_use():
        parts = workshop.preimage(step, {("ask", "prompts"): store.blobs.put(b"")})
        outputs = workshop.make(step, parts).entry.outputs
    assert outputs["responses"].sha256 == sha256(b"")
    assert b'"requests":0' in store.blobs.read(outputs["inference"].sha256)
    assert workshop.calls.ready == {}


def test_without_a_prompt_no_weights_are_loaded(tmp_path: Path) -> None:
    from harness.models.providers.transformers import respond

    (tmp_path / "prompts").write_bytes(b"")
    inputs = {"prompts": tmp_path / "prompts", "weights": tmp_path / "nowhere"}
    respond({"model": "m", "seeds": [0], "files": ["model.safetensors"]}, inputs, tmp_path)
    assert (tmp_path / "responses").read_bytes() == b""
