"""A study with images, from the manifest to the audit: recorded from a provider, replayed with the provider gone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from models.misbehaving import misbehaving
from needs import needs
from support import REPOSITORY, clean_env, outputs_of

needs("openai", "aiohttp", "torch", "transformers")
MANIFEST = """harness: 2
study: dots
name: dots
about: Dots that a model may see.
models:
  eyes: {{provider: openai, model: toy-1, tape: {tape}, base_url: {url}/v1, key: TOY_KEY, logprobs: 2}}
  blind: {{provider: openai, model: toy-2, tape: {tape}, base_url: {url}/v1, key: TOY_KEY, facts: {{images: "no"}}}}
  here: {{provider: transformers, source: tiny, dtype: float32}}
  echo: {{provider: baseline, behaviour: echo}}
datasets: {{dots: {{make: dots.dots}}}}
prompts: {{set: dots/q@1}}
generation: {{temperature: 0, max_tokens: 8}}
resources: {{gpus: 0, memory: 4GiB, timeout: 10m}}
"""


def call(project: Path, *words: str, key: str = "") -> Any:
    """Run a verb of the copy, and give what it says."""
    env = clean_env({"PYTHONPATH": str(project.parent), **({"TOY_KEY": key} if key else {})})
    done = subprocess.run(
        [sys.executable, "-P", "-m", "harness.cli.main", *words, "--json"],
        cwd=project, env=env, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def table(project: Path, name: str, store: str) -> list[dict[str, Any]]:
    call(project, "get", "last", name, "--store", store, "-o", name)
    return [json.loads(line) for line in (project / name).read_bytes().splitlines()]


def test_images_replay_with_equal_digests_and_text_models_are_not_asked(
    tmp_path: Path,
) -> None:
    shutil.copytree(REPOSITORY / "harness", tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "tests" / "toys" / "dots", tmp_path / "harness" / "studies" / "dots")
    (tmp_path / "harness" / "studies" / "dots" / "__init__.py").write_text('"""Dots."""\n')
    project = tmp_path / "project"
    (project / "lockfiles").mkdir(parents=True)
    shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", project / "tiny")
    with misbehaving() as server:
        (project / "dots.yaml").write_text(MANIFEST.format(tape="record", url=server.url))
        call(project, "lock", "dots.yaml")
        first = call(project, "run", "dots.yaml", "--store", "one", key="sk-toy-0123456789abcdef")
        images = [body for body in server.bodies if isinstance(body["messages"][-1]["content"], list)]
        assert len(images) == 6 and {body["model"] for body in images} == {"toy-1"}
        (project / "dots.yaml").write_text(MANIFEST.format(tape="replay", url=server.url))
    call(project, "lock", "dots.yaml")
    second = call(project, "run", "dots.yaml", "--store", "two")
    assert outputs_of(second) == outputs_of(first) and second["runs"][0]["steps"]["executed"] > 10
    assert call(project, "audit", "last", "--store", "two")["verdict"] == "agreed"

    responses = table(project, "responses", "two")
    of = {name: [row for row in responses if row["model"] == name] for name in ("eyes", "blind", "here", "echo")}
    assert {name: len(found) for name, found in of.items()} == {"eyes": 12, "blind": 6, "here": 6, "echo": 12}
    assert all(len(row["logprobs"][0]["top"]) == 2 for row in of["eyes"]) and "logprobs" not in of["blind"][0]
    [counts] = table(project, "counts", "two")
    assert counts["dots/skipped"] == {
        "items": 3, "models": ["blind", "here"], "prompts": 3, "reason": "these models read no images",
    }  # fmt: skip
    likelihoods = table(project, "likelihoods", "two")
    assert len(likelihoods) == 6 and all(len(row["continuations"]) == 2 for row in likelihoods)
    assert set(likelihoods[0]["continuations"][0]) == {"logprob", "tokens", "greedy", "unconditional"}
