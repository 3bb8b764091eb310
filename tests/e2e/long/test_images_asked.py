"""A study with images, from the manifest to the audit: recorded from a provider, replayed with the provider gone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from models.misbehaving import misbehaving
from needs import needs
from support import REPOSITORY, clean_env, outputs_of
from warm import Warm

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


class Copy:
    """A copy of the harness with the study `dots` in it, in one process that stays, and a project beside it."""

    def __init__(self, project: Path) -> None:
        self.project, self._env = project, clean_env({"PYTHONPATH": str(project.parent)})
        self.warm = Warm(self._env)

    def call(self, *words: str, key: str = "") -> Any:
        """Run a verb of the copy, and give what it says."""
        env = self._env | ({"TOY_KEY": key} if key else {})
        done = self.warm.run([*words, "--json"], self.project, env, 300)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def table(self, name: str, store: str) -> list[dict[str, Any]]:
        """Give the rows of an output of the last run."""
        self.call("get", "last", name, "--store", store, "-o", name)
        return [json.loads(line) for line in (self.project / name).read_bytes().splitlines()]


@contextmanager
def copied(folder: Path) -> Iterator[Copy]:
    """Lay out the copy and the project."""
    shutil.copytree(REPOSITORY / "harness", folder / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "tests" / "toys" / "dots", folder / "harness" / "studies" / "dots")
    (folder / "harness" / "studies" / "dots" / "__init__.py").write_text('"""Dots."""\n')
    (folder / "project" / "lockfiles").mkdir(parents=True)
    shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", folder / "project" / "tiny")
    copy = Copy(folder / "project")
    try:
        yield copy
    finally:
        copy.warm.close()


def test_images_replay_with_equal_digests_and_text_models_are_not_asked(tmp_path: Path) -> None:
    with copied(tmp_path) as copy:
        hold(copy)


def hold(copy: Copy) -> None:
    """Hold what a run says whose tape records, and one whose tape replays."""
    project = copy.project
    with misbehaving() as server:
        (project / "dots.yaml").write_text(MANIFEST.format(tape="record", url=server.url))
        copy.call("lock", "dots.yaml")
        first = copy.call("run", "dots.yaml", "--store", "one", key="sk-toy-0123456789abcdef")
        images = [body for body in server.bodies if isinstance(body["messages"][-1]["content"], list)]
        assert len(images) == 6 and {body["model"] for body in images} == {"toy-1"}
        (project / "dots.yaml").write_text(MANIFEST.format(tape="replay", url=server.url))
    copy.call("lock", "dots.yaml")
    second = copy.call("run", "dots.yaml", "--store", "two")
    assert outputs_of(second) == outputs_of(first) and second["runs"][0]["steps"]["executed"] > 10
    # That an audit agrees on models here and on tapes `tests/e2e/test_threads.py` and `test_judge.py` hold.
    assert copy.call("audit", "last", "--store", "two", "--level", "hashes")["verdict"] == "agreed"

    responses = copy.table("responses", "two")
    of = {name: [row for row in responses if row["model"] == name] for name in ("eyes", "blind", "here", "echo")}
    assert {name: len(found) for name, found in of.items()} == {"eyes": 12, "blind": 6, "here": 6, "echo": 12}
    assert all(len(row["logprobs"][0]["top"]) == 2 for row in of["eyes"]) and "logprobs" not in of["blind"][0]
    [counts] = copy.table("counts", "two")
    assert counts["dots/skipped"] == {
        "items": 3, "models": ["blind", "here"], "prompts": 3, "reason": "these models read no images",
    }  # fmt: skip
    likelihoods = copy.table("likelihoods", "two")
    assert len(likelihoods) == 6 and all(len(row["continuations"]) == 2 for row in likelihoods)
    assert set(likelihoods[0]["continuations"][0]) == {"logprob", "tokens", "greedy", "unconditional"}
