"""Manifest and lock, turned into steps: pure, no I/O. The same two give the same plan wherever they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError, MissingError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.manifest.read import Tree
from harness.manifest.schema import Baseline, Made, Manifest
from harness.models.baseline import BEHAVIOURS
from harness.steps import Pinned, Plan, Step
from harness.studies.registry import find
from harness.studies.study import Brief, Dataset, Maker, Model, Study


@dataclass(frozen=True)
class Meant:
    """A manifest held against the studies and providers there are: what it names exists, and its types fit."""

    manifest: Manifest
    tree: Tree
    params: Mapping[str, Mapping[str, Any]]  # dataset -> typed parameters
    makers: Mapping[str, Maker]


def meant(loaded: Loaded) -> Meant:
    """Check what only the studies know: makers, their parameters, behaviours, prompt sets, output names."""
    manifest, tree = loaded.manifest, loaded.tree
    study = find(manifest.study, tree.at(("study",)))
    for part in study.needs:
        if not getattr(manifest, part):
            raise InputError(f"study {study.name} needs `{part}`", where=tree.at((part,)), next=f"add `{part}: …`")
    params, makers = _data(manifest, study, tree)
    for name, model in manifest.models.items():
        if isinstance(model, Baseline) and model.behaviour not in BEHAVIOURS:
            raise InputError(
                f"no stand-in behaves as {model.behaviour!r}",
                where=tree.at(("models", name, "behaviour")),
                next=f"choose one of: {', '.join(BEHAVIOURS)}",
            )
    if manifest.prompts and manifest.prompts.set not in study.prompt_sets:
        raise InputError(
            f"study {study.name} has no wordings {manifest.prompts.set!r}",
            where=tree.at(("prompts", "set")),
            next=f"choose one of: {', '.join(study.prompt_sets)}",
        )
    this = Meant(manifest, tree, params, makers)
    if len(params) == len(manifest.datasets):  # data that is only fetched has no rows to plan with yet
        one = Pinned("0" * 64) if manifest.prompts else None
        _planned(
            this, _brief(this, dict.fromkeys(params, 1), one, 1, {})
        )  # what cannot be planned is told before any work
    return this


def _data(manifest: Manifest, study: Study, tree: Tree) -> tuple[dict[str, dict[str, Any]], dict[str, Maker]]:
    """Hold the datasets a manifest makes against the study's makers, and type their parameters."""
    params: dict[str, dict[str, Any]] = {}
    makers: dict[str, Maker] = {}
    for name, dataset in manifest.datasets.items():
        if not isinstance(dataset, Made):
            continue
        place = ("datasets", name)
        maker = study.makers.get(dataset.make)
        if maker is None:
            raise InputError(
                f"study {study.name} makes no {dataset.make!r}",
                where=tree.at((*place, "make")),
                next=f"choose one of: {', '.join(study.makers)}",
            )
        twin = next((other for other, known in makers.items() if known is maker), None)
        if twin:
            raise InputError(
                f"datasets {twin!r} and {name!r} have the same maker, so their items would share their ids",
                where=tree.at((*place, "make")),
                next="keep one of them, or write a second manifest",
            )
        makers[name] = maker
        params[name] = _typed(maker, dataset.model_extra or {}, tree, place)
    return params, makers


def _typed(maker: Maker, given: Mapping[str, Any], tree: Tree, place: tuple[str, ...]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(maker.params))
    if unknown:
        raise InputError(
            f"unknown key `{'.'.join((*place, unknown[0]))}`",
            where=tree.at((*place, unknown[0])),
            next=f"this maker takes: {', '.join(maker.params)}",
        )
    typed: dict[str, Any] = {}
    for name, kind in maker.params.items():
        field = ".".join((*place, name))
        if name not in given:
            raise InputError(f"`{field}` is missing", where=tree.at(place), next=f"add `{name}: …`")
        text = given[name]
        if kind is int:
            if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 15:
                raise InputError(
                    f"`{field}` must be a whole number, not {text!r}", where=tree.at((*place, name)), next="mend it"
                )
            typed[name] = int(text)
        else:
            typed[name] = kind(text)
    return typed


def make_step(name: str, maker: Maker, params: Mapping[str, Any]) -> Step:
    """Give the step that makes a dataset, the same one in every plan, so that `lock` and `run` share its result."""
    return Step(f"{name}/make", maker.kind, "rows", params, {}, maker.outputs)


def plan(this: Meant, lock: Lock, limit: int = 0) -> Plan:
    """Say which steps a manifest and its lock mean; a limit keeps the first items of each dataset only."""
    unresolved = list(unresolved_pins(lock, kinds=("models", "prompts", "datasets")))
    if unresolved:
        pin, reason = unresolved[0]
        raise MissingError(f"{pin} is unresolved: {reason}", next="provide it, then `harness lock` again")
    found = {name: int(pin["items"]["rows"]) for name, pin in lock.pins["datasets"].items()}
    rows = {name: min(count, limit or count) for name, count in found.items()}
    prompts = lock.pins["prompts"].get("set")
    templates = Pinned(prompts["sha256"]) if prompts else None
    count = int(prompts["rows"]) if prompts else 0
    made = _planned(this, _brief(this, rows, templates, count, lock.pins["models"]))
    pinned = {prompts["sha256"]: prompts["file"]} if prompts else {}
    return Plan(made.steps, made.outputs, pinned).check()


def _planned(this: Meant, brief: Brief) -> Plan:
    """Ask the study for its steps, and hold the outputs a manifest names against those there are."""
    made = find(this.manifest.study).plan(brief)
    for output in this.manifest.outputs:
        if output not in made.outputs:
            raise InputError(
                f"study {this.manifest.study} has no output {output!r}",
                where=this.tree.at(("outputs", output)),
                next=f"choose from: {', '.join(made.outputs)}",
            )
    return made


def _brief(
    this: Meant,
    rows: Mapping[str, int],
    templates: Pinned | None,
    template_count: int,
    pins: Mapping[str, Mapping[str, Any]],
) -> Brief:
    """Say to a study what a manifest means, with what is known of its data and its models."""
    manifest = this.manifest
    return Brief(
        datasets=tuple(
            Dataset(name, dataset.make, this.params[name], rows[name])
            for name, dataset in sorted(manifest.datasets.items())
            if isinstance(dataset, Made)
        ),
        models=tuple(
            Model(
                name,
                model.provider,
                {**model.answering(), **({"tape": pins[name]["tape"]} if "tape" in pins.get(name, {}) else {})},
                {file: Pinned(sha) for file, sha in sorted(pins.get(name, {}).get("files", {}).items())},
            )
            for name, model in sorted(manifest.models.items())
        ),
        templates=templates,
        template_count=template_count,
        generation=manifest.generation.model_dump(mode="json"),
        seeds=manifest.seeds,
    )


def unresolved_pins(lock: Lock, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """List the pins that could not be resolved where the lock was made, with the reasons."""
    return [
        (f"{kind}.{name}", pin["unresolved"])
        for kind in kinds
        for name, pin in sorted(lock.pins[kind].items())
        if isinstance(pin, Mapping) and "unresolved" in pin
    ]
