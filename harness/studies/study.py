"""What a study is to the rest of the house: makers of data, a plan, scorers and analyses, all as plain values.

A study is handed a `Brief` (what the manifest means, with what the lock resolved) and gives back steps.
It must never know of stores, engines, records or of the manifest's syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harness.steps import Pinned, Plan


@dataclass(frozen=True)
class Model:
    """A model as the manifest names it: its provider's settings travel to the step untouched."""

    name: str
    provider: str
    settings: Mapping[str, Any]
    weights: Mapping[str, Pinned] = field(default_factory=dict)  # the files of a local model, by name


@dataclass(frozen=True)
class Dataset:
    """A dataset as the lock resolved it."""

    name: str
    make: str
    params: Mapping[str, Any]
    rows: int


@dataclass(frozen=True)
class Brief:
    """Everything a study needs to say which steps a manifest means."""

    datasets: tuple[Dataset, ...]
    models: tuple[Model, ...]
    templates: Pinned | None
    template_count: int
    generation: Mapping[str, Any]
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Maker:
    """A step that makes a dataset: `items`, `gold` and `counts`, from parameters that the manifest gives."""

    kind: str
    params: Mapping[str, type]
    outputs: tuple[str, ...] = ("items", "gold", "counts")


@dataclass(frozen=True)
class Tool:
    """One scorer (a row in, a row out) or one analysis (an object in, an object out), usable alone."""

    about: str
    takes: Mapping[str, str]
    gives: Mapping[str, str]
    run: Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Study(Protocol):
    """One published study."""

    name: str
    needs: tuple[str, ...]  # what of a manifest's optional parts this study cannot do without
    makers: Mapping[str, Maker]
    prompt_sets: Mapping[str, Path]
    scorers: Mapping[str, Tool]
    analyses: Mapping[str, Tool]

    def plan(self, brief: Brief) -> Plan:
        """Say which steps a brief means and which of their outputs a reader may ask for."""
        ...
