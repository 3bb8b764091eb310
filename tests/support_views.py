"""Projects with something for agents: a few items of three studies that all may see, and questions that are hidden."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from support import harness, manifest_text
from support_ground import copy_of
from support_questions import hub

from harness.digest import sha256
from harness.manifest.load import load_manifest
from harness.run.attempts.served import ServedProject
from harness.run.attempts.service import AttemptOpening
from harness.run.service import RunTarget

AGENTS = "agents:\n  splits:\n    dev: {public: true%s}\n  budget: {calls: 100, seconds: 3600}\n"
ADDITION = manifest_text(40, ("oracle",)) + AGENTS % ", items: 4, templates: [1, 6]"
STUDIES = {
    "addition": ADDITION,
    "choices": """\
harness: 1
study: reliability
name: choices
about: Questions with options, for a test.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  science: {make: reliability.science_demo, seed: 7, count: 8}
  transforms: {make: reliability.transforms_demo, seed: 7, count: 1}
prompts: {set: [reliability/science@1, reliability/transforms@1]}
"""
    + AGENTS % ", items: 5, templates: [2]",
    "documents": """\
harness: 2
study: curie
name: documents
about: Documents and maps, for a test.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  biogr: {make: curie.demo_biogr, seed: 7, count: 3}
  dft-s: {make: curie.demo_dft-s, seed: 7, count: 2}
settings: {mode: strict}
prompts: {set: [curie/biogr@1, curie/dft-s@1]}
"""
    + AGENTS % "",
    "rendered": """\
harness: 2
study: biomed
name: rendered
about: Prompts that a dataset brings along, for a test.
models: {oracle: {provider: baseline, behaviour: oracle}}
datasets:
  synthetic: {make: biomed.synthetic, seed: 7, rows: 2}
settings: {mode: strict}
"""
    + AGENTS % ", items: 6",
}
QUESTIONS = b"".join(json.dumps(hub(number)).encode() + b"\n" for number in range(1, 7))
HIDDEN = f"""\
harness: 1
study: reliability
name: hidden
about: Questions that only their owner has, for a test.
models: {{oracle: {{provider: baseline, behaviour: oracle}}}}
datasets:
  owned: {{fetch: "private:questions", sha256: {sha256(QUESTIONS)}, licence: none}}
  asked: {{make: reliability.openbookqa, seed: 7, count: 4, questions: owned}}
prompts: {{set: reliability/science@1}}
agents:
  splits:
    test: {{hidden: true, max_attempts: 2, templates: [1]}}
  budget: {{calls: 100, seconds: 3600}}
"""


def project(folder: Path, *texts: str) -> Path:
    """Give a project that holds manifests, locked, with the hidden questions in its store; gives its folder."""

    def make(here: Path) -> None:
        for name in ("manifests", "lockfiles"):
            (here / name).mkdir(parents=True)
        (here / "questions.jsonl").write_bytes(QUESTIONS)
        harness("import", "data", "questions.jsonl", cwd=here, check=0)
        (here / "questions.jsonl").unlink()
        for text in texts:
            path = here / "manifests" / f"{sha256(text.encode())[:8]}.yaml"
            path.write_text(text)
            harness("lock", path, cwd=here, check=0)

    return copy_of(f"views-{sha256(json.dumps(texts).encode())[:16]}", folder, make)


def served(folder: Path, agent_uid: int | None = None) -> ServedProject:
    """Serve all manifests of a project."""
    found = tuple(load_manifest(path) for path in sorted((folder / "manifests").glob("*.yaml")))
    return ServedProject(RunTarget(folder / ".harness"), found, agent_uid)


def opening(study: str = "small", split: str = "dev", key: str = "one", **more: str) -> AttemptOpening:
    """Say what an agent asks for when it starts an attempt."""
    said = {"subset": "", "agent_label": "", "tools": "", "profile": "answer", "principal": "local:1"}
    return AttemptOpening(study, split, idempotency_key=key, **{**said, **more})


def lines_of(path: Path) -> Sequence[dict[str, object]]:
    """Read the lines of a file of JSON."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
