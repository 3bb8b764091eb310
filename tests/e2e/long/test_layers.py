"""A study of activations from manifest to audit: layers of a trained model and of one that nobody trained."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import REPOSITORY, journals
from toys.verdicts import Verdicts

from harness.run.environment import count_cores

needs("torch", "transformers")
pytestmark = [pytest.mark.together, pytest.mark.skipif(count_cores() < 2, reason="one core alone")]
MANIFEST = """\
harness: 2
study: layers
name: layers
about: What a model makes of sentences, trained and not.
models:
  tiny: {provider: transformers, source: models/tiny}
  drawn: {provider: transformers, source: models/bare, untrained: 0}
datasets:
  sentences: {make: layers.sentences, count: 4}
resources: {gpus: 0, memory: 2GiB, timeout: 5m}
outputs: {lengths: exact}
"""


class Layered(Verdicts):
    """The copy with the study `layers` in it."""

    study, manifest = "layers", MANIFEST

    def data(self) -> None:
        """Lay down a model, and one of which there is no file of weights."""
        tiny = REPOSITORY / "assets" / "tiny-shaped"
        shutil.copytree(tiny, self.project / "models" / "tiny")
        shutil.copytree(tiny, self.project / "models" / "bare", ignore=shutil.ignore_patterns("*.safetensors"))


def steps(project: Path) -> list[dict[str, Any]]:
    """Give what the journals say of each step, a run after the other."""
    return [
        {event["step"]: event for event in events if event["event"].startswith("step.")}
        for events in journals(project / ".harness")
    ]


def test_layers_are_files_of_a_run_in_the_threads_it_says(tmp_path: Path) -> None:
    layered = Layered(tmp_path / "toy")
    layered.make("")
    with layered.staying():
        hold(layered)


def hold(layered: Layered) -> None:
    """Hold what a run in two threads says, its audit, and which steps one in one thread would make."""
    layered.path.write_text(MANIFEST.replace("timeout: 5m", "timeout: 5m, threads: 2"))
    layered.lock()
    layered.call("run", "manifests/layers.yaml")
    lengths = json.loads(layered.call("get", "last", "lengths").stdout)
    assert lengths["tiny"] != lengths["drawn"]
    assert {told["vectors"] for model in lengths.values() for told in model.values()} == {12}
    [ran] = steps(layered.project)
    assert {ran[f"hidden/{model}"]["facts"]["threads"] for model in ("tiny", "drawn")} == {2}
    facts = ran["hidden/drawn"]["facts"]
    assert (facts["untrained"], facts["pieces"], facts["vectors"], facts["cut"]) == (0, 12, 12, 0)
    audited = json.loads(layered.call("audit", "last", "--budget", "900", "--json").stdout)
    assert "numerics" not in json.dumps(audited) and audited["verdict"] == "agreed"
    layered.path.write_text(MANIFEST)
    layered.lock()
    [seen] = json.loads(layered.call("run", "-n", "manifests/layers.yaml", "--json").stdout)["runs"]
    made = {one["stage"]: one["executed"] for one in seen["stages"]}
    assert made.pop(ran["sentences/make"]["stage"]) == 0 and sum(made.values()) >= 4  # what two models make, and after
