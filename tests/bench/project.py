"""A project of our own to measure in: manifests of the addition benchmark, locked and run by the command line."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Cost, Failed, spend
from bench.peers import environment

HARNESS = Path(sys.executable).parent / "harness"
KEPT = 0.63  # of the pairs the generator draws
WORDINGS = 15
MANIFEST = """\
harness: 1
study: reliability
name: {name}
about: Written by the benchmark suite.
models:
{models}
datasets:
  addition: {{make: reliability.addition, seed: 7, count: {count}}}
prompts: {{set: reliability/addition@1}}
"""


def draws(samples: int) -> int:
    """Say how many pairs to draw for about so many samples."""
    return round(samples / (KEPT * WORDINGS))


@dataclass(frozen=True)
class Project:
    """A folder with a manifest, its lock and its store."""

    root: Path
    name: str

    @property
    def manifest(self) -> Path:
        """Say where the manifest lies."""
        return self.root / "manifests" / f"{self.name}.yaml"

    def write(self, models: Iterable[str], count: int) -> Project:
        """Write the manifest: so many draws, answered by these stand-ins, each with some errors."""
        for folder in ("manifests", "lockfiles"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        lines = "\n".join(f"  {model}: {{provider: baseline, behaviour: noisy-oracle}}" for model in models)
        self.manifest.write_text(MANIFEST.format(name=self.name, models=lines, count=count), encoding="utf-8")
        return self

    def forget(self) -> None:
        """Throw away the store and the lock, so that the next run begins with nothing."""
        shutil.rmtree(self.root / ".harness", ignore_errors=True)
        shutil.rmtree(self.root / "lockfiles" / "manifests", ignore_errors=True)

    def lock(self) -> Cost:
        """Lock the manifest, which makes its dataset."""
        return self._do("lock")

    def run(self, *options: str) -> tuple[Cost, dict[str, Any]]:
        """Run the manifest; gives its cost and what it says of itself."""
        cost = self._do("run", "--json", *options)
        told: dict[str, Any] = json.loads(cost.output)["runs"][0]
        if told["steps"]["failed"]:
            raise Failed(f"{told['steps']['failed']} steps of {self.name} failed")
        return cost, told

    def _do(self, verb: str, *options: str) -> Cost:
        return spend(
            [HARNESS, verb, "--isolation", "process", *options, self.manifest], environment(self.root), self.root
        )

    def samples(self) -> int:
        """Count the responses that the lock means: items, wordings, seeds and models multiplied."""
        lock = json.loads((self.root / "lockfiles" / "manifests" / f"{self.name}.lock.json").read_bytes())
        pins, intent = lock["pins"], lock["intent"]
        items = sum(int(one["items"]["rows"]) for one in pins["datasets"].values())
        return (
            items
            * sum(int(each["rows"]) for each in pins["prompts"].values())
            * len(intent["seeds"])
            * len(intent["models"])
        )
