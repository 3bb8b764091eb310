"""Derivation of the manifest of an attempt's run from the benchmark's manifest.

The derived manifest asks what the attempt asked, and its only model is the agent. It depends only on the benchmark's
manifest and on the first line of the transcript, so an audit can derive it again. Independent of studies, stores and
answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.manifest.datasets import Made, OwnFile
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest, manifest_splits, split_datasets

AGENT = "agent"  # the provider of such a run's only model
SUFFIX = "-attempt"
MOST_NAME = 80
LEFT_OUT = ("models", "agents", "claims", "seeds", "about", "name")
_BREAKS = {code: f"\\u{code:04x}" for code in (0x7F, 0x85, 0x2028, 0x2029, 0xFEFF)}  # which YAML reads differently
_TEMPLATE = re.compile(r"template-([0-9]{1,6})")


@dataclass(frozen=True)
class AskedPart:
    """What an attempt asks of a benchmark: datasets, the first items of each (0: all), wordings (none: all)."""

    datasets: tuple[str, ...]
    items: int = 0
    templates: tuple[int, ...] = ()


@dataclass(frozen=True)
class AttemptAnswered:
    """What a transcript says of an attempt: id, agent's label, split and subset, and the transcript's own digest."""

    attempt: str
    label: str
    split: str
    subset: str
    transcript: str

    @property
    def model(self) -> str:
        """The name of the agent in the run's manifest: its label, reduced to plain characters."""
        plain = re.sub(r"[^a-z0-9._-]+", "-", self.label.lower()).strip("-._")
        return f"{AGENT}-{plain or 'unnamed'}"[:MOST_NAME]


def asked_part(manifest: Manifest, split: str, subset: str = "") -> AskedPart:
    """Return what an attempt on a split asks.

    `subset` is one of the split's datasets, or one wording as `template-N`. Raises InputError for an unknown split or
    subset.
    """
    if split not in manifest_splits(manifest):
        raise InputError(
            f"{manifest.name} has no split {split!r}", next=f"choose from: {', '.join(manifest_splits(manifest))}"
        )
    said = manifest_splits(manifest)[split]
    makes = [name for name in split_datasets(manifest, split) if isinstance(manifest.datasets[name], Made | OwnFile)]
    part = AskedPart(tuple(makes), said.items or 0, said.templates)
    if not subset:
        return part
    if subset in makes:
        return AskedPart((subset,), part.items, part.templates)
    found = _TEMPLATE.fullmatch(subset)
    if found and (not part.templates or int(found[1]) in part.templates):
        return AskedPart(part.datasets, part.items, (int(found[1]),))
    raise InputError(f"split {split!r} has no subset {subset!r}", next=f"choose from: {', '.join(makes)}, template-N")


def derive_manifest(base: Manifest, tree: Tree, answered: AttemptAnswered, outputs: Collection[str]) -> bytes:
    """Return the manifest of an attempt's run as JSON, which is also YAML; its only model is the agent.

    Of the benchmark's outputs, only those in `outputs` are declared: they can be made from this model's answers alone.
    """
    part = asked_part(base, answered.split, answered.subset)
    said: Mapping[str, Any] = tree.value
    model: dict[str, Any] = {
        "provider": AGENT,
        "attempt": answered.attempt,
        "transcript": answered.transcript,
        "split": answered.split,
    }
    if part.templates:
        model["templates"] = [str(number) for number in part.templates]
    kept = {name: value for name, value in said.items() if name not in LEFT_OUT}
    derived = {
        "harness": kept.pop("harness"),
        "study": kept.pop("study"),
        "name": f"{base.name[: MOST_NAME - len(SUFFIX)]}{SUFFIX}",
        "about": f"An attempt at {base.name}: the answers of an agent to its split {answered.split}.",
        "models": {answered.model: model},
        **kept,
        "datasets": _datasets(base, said["datasets"], part),
        "seeds": ["0"],
        "outputs": {name: level for name, level in (said.get("outputs") or {}).items() if name in outputs},
    }
    return (json.dumps(derived, indent=1, ensure_ascii=False).translate(_BREAKS) + "\n").encode()


def _datasets(base: Manifest, said: Mapping[str, Any], part: AskedPart) -> dict[str, Any]:
    """Return the datasets that were asked, and the published or own files that they are made from."""
    named = {str(value) for name in part.datasets for value in said[name].values() if isinstance(value, str)}
    return {
        name: value
        for name, value in said.items()
        if name in part.datasets or (name in named and not isinstance(base.datasets[name], Made))
    }
