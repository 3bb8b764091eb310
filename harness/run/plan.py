"""Manifest and lock, turned into steps: pure, no I/O. The same two give the same plan wherever they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError, MissingError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.manifest.read import Place, Tree
from harness.manifest.schema import Fetched, Made, Manifest
from harness.steps import Pinned, Plan
from harness.studies.registry import find
from harness.studies.study import Brief, Dataset, Maker, Model, Study, Templates


@dataclass(frozen=True)
class Meant:
    """A manifest held against the studies and providers there are: what it names exists, and its types fit."""

    manifest: Manifest
    tree: Tree
    params: Mapping[str, Mapping[str, Any]]  # dataset -> typed parameters
    makers: Mapping[str, Maker]
    files: Mapping[str, Mapping[str, str]]  # dataset -> parameter -> the fetched dataset it names


def meant(loaded: Loaded) -> Meant:
    """Check what only the studies know: makers, their parameters, behaviours, prompt sets, output names."""
    manifest, tree = loaded.manifest, loaded.tree
    study = find(manifest.study, tree.at(("study",)))
    for part in study.needs:
        if not getattr(manifest, part):
            raise InputError(f"study {study.name} needs `{part}`", where=tree.at((part,)), next=f"add `{part}: …`")
    params, makers, files = _data(manifest, study, tree)
    sets = manifest.prompts.names if manifest.prompts else ()
    for name in sets:
        if name not in study.prompt_sets:
            raise InputError(
                f"study {study.name} has no wordings {name!r}",
                where=tree.at(("prompts", "set")),
                next=f"choose one of: {', '.join(study.prompt_sets)}",
            )
    this = Meant(manifest, tree, params, makers, files)
    some = Pinned("0" * 64)
    _planned(  # what cannot be planned is told before any work
        this,
        _brief(
            this,
            dict.fromkeys(params, 1),
            dict.fromkeys(sets, Templates(some, 1)),
            {},
            dict.fromkeys(_fetched(files), some),
        ),
    )
    return this


def _fetched(files: Mapping[str, Mapping[str, str]]) -> list[str]:
    """List the fetched datasets that makers read."""
    return sorted({name for named in files.values() for name in named.values()})


def _data(
    manifest: Manifest, study: Study, tree: Tree
) -> tuple[dict[str, dict[str, Any]], dict[str, Maker], dict[str, dict[str, str]]]:
    """Hold the datasets a manifest makes against the study's makers, and type their parameters."""
    params: dict[str, dict[str, Any]] = {}
    makers: dict[str, Maker] = {}
    files: dict[str, dict[str, str]] = {}
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
        twin = next(
            (other for other, known in makers.items() if known is maker or (maker.ids and known.ids == maker.ids)), None
        )
        if twin:
            raise InputError(
                f"datasets {twin!r} and {name!r} would give their items the same ids",
                where=tree.at((*place, "make")),
                next="keep one of them, or write a second manifest",
            )
        makers[name] = maker
        given = dict(dataset.model_extra or {})
        files[name] = _files(maker, given, manifest, tree, place)
        params[name] = {**maker.fixed, **_typed(maker, given, tree, place)}
    return params, makers, files


def _files(
    maker: Maker, given: dict[str, Any], manifest: Manifest, tree: Tree, place: tuple[str, ...]
) -> dict[str, str]:
    """Take from a dataset's parameters those that name published data: another dataset of the manifest, fetched."""
    found = {}
    for name in (name for name in maker.files if name in given):
        other = given.pop(name)
        if not isinstance(manifest.datasets.get(other) if isinstance(other, str) else None, Fetched):
            known = [key for key, value in manifest.datasets.items() if isinstance(value, Fetched)]
            raise InputError(
                f"`{'.'.join((*place, name))}` names no dataset that is fetched",
                where=tree.at((*place, name)),
                next=f"name one of: {', '.join(known)}"
                if known
                else "add one: `{fetch: https://…, sha256: …, licence: …}`",
            )
        found[name] = other
    for name in maker.needs:
        if name not in found:
            field = ".".join((*place, name))
            raise InputError(
                f"`{field}` is missing", where=tree.at(place), next=f"add `{name}: …`, a dataset that is fetched"
            )
    return found


def _typed(maker: Maker, given: Mapping[str, Any], tree: Tree, place: tuple[str, ...]) -> dict[str, Any]:
    known = {**maker.params, **maker.optional}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(
            f"unknown key `{'.'.join((*place, unknown[0]))}`",
            where=tree.at((*place, unknown[0])),
            next=f"this maker takes: {', '.join((*known, *maker.files))}",
        )
    typed: dict[str, Any] = {}
    for name, kind in known.items():
        field = ".".join((*place, name))
        if name not in given:
            if name in maker.optional:
                continue
            raise InputError(f"`{field}` is missing", where=tree.at(place), next=f"add `{name}: …`")
        text = given[name]
        if kind is int:
            if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 15:
                raise InputError(
                    f"`{field}` must be a whole number, not {text!r}", where=tree.at((*place, name)), next="mend it"
                )
            typed[name] = int(text)
            continue
        try:
            typed[name] = kind(text)
        except InputError as bad:
            raise InputError(f"`{field}` is wrong: {bad.what}", where=tree.at((*place, name)), next=bad.next) from None
    return typed


def plan(this: Meant, lock: Lock, limit: int = 0) -> Plan:
    """Say which steps a manifest and its lock mean; a limit keeps the first items of each dataset only."""
    unresolved = list(unresolved_pins(lock, kinds=("models", "prompts", "datasets")))
    if unresolved:
        pin, reason = unresolved[0]
        raise MissingError(f"{pin} is unresolved: {reason}", next="provide it, then `harness lock` again")
    found = {name: int(pin["items"]["rows"]) for name, pin in lock.pins["datasets"].items() if "items" in pin}
    rows = {name: min(count, limit or count) for name, count in found.items()}
    prompts = dict(lock.pins["prompts"])
    if "set" in prompts and this.manifest.prompts:  # as locks were written when a manifest had one set
        prompts[this.manifest.prompts.names[0]] = prompts.pop("set")
    templates = {name: Templates(Pinned(pin["sha256"]), int(pin["rows"])) for name, pin in prompts.items()}
    made = _planned(this, _brief(this, rows, templates, lock.pins["models"], fetched_pins(lock)))
    return Plan(made.steps, made.outputs, {pin["sha256"]: pin["file"] for pin in prompts.values()}).check()


def fetched_pins(lock: Lock) -> dict[str, Pinned]:
    """Give the published data that a lock pins, by name."""
    return {name: Pinned(pin["sha256"]) for name, pin in lock.pins["datasets"].items() if "sha256" in pin}


def _planned(this: Meant, brief: Brief) -> Plan:
    """Ask the study for its steps, and hold the outputs a manifest names against those there are."""
    made = find(this.manifest.study).plan(brief)
    named: list[tuple[str, Place]] = [(output, ("outputs", output)) for output in this.manifest.outputs]
    for number, claim in enumerate(this.manifest.claims):
        named += [(pointer.partition("#")[0], ("claims", number, "of")) for pointer in claim.pointers]
    for output, place in named:
        if output not in made.outputs:
            raise InputError(
                f"study {this.manifest.study} has no output {output!r}",
                where=this.tree.at(place),
                next=f"choose from: {', '.join(made.outputs)}",
            )
    return made.for_outputs({output for output, _ in named})


def _brief(
    this: Meant,
    rows: Mapping[str, int],
    templates: Mapping[str, Templates],
    pins: Mapping[str, Mapping[str, Any]],
    data: Mapping[str, Pinned],
) -> Brief:
    """Say to a study what a manifest means, with what is known of its data and its models."""
    manifest = this.manifest
    return Brief(
        datasets=tuple(
            made_dataset(this, name, dataset.make, rows[name], data)
            for name, dataset in sorted(manifest.datasets.items())
            if isinstance(dataset, Made)
        ),
        models=tuple(
            Model(
                name,
                model.provider,
                {**model.answering(), **({"tape": pins[name]["tape"]} if "tape" in pins.get(name, {}) else {})},
                {file: Pinned(sha) for file, sha in sorted(pins.get(name, {}).get("files", {}).items())},
                model.facts,
                model.stand_in,
                calls=model.service is not None,
            )
            for name, model in sorted(manifest.models.items())
        ),
        templates=templates,
        generation=manifest.generation.model_dump(mode="json"),
        seeds=manifest.seeds,
    )


def made_dataset(this: Meant, name: str, make: str, rows: int, data: Mapping[str, Pinned]) -> Dataset:
    """Give a dataset as its maker is told of it: parameters, and the published data that it reads."""
    files = {field: data[other] for field, other in this.files[name].items()}
    return Dataset(name, make, this.params[name], rows, files)


def unresolved_pins(lock: Lock, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """List the pins that could not be resolved where the lock was made, with the reasons."""
    return [
        (f"{kind}.{name}", pin["unresolved"])
        for kind in kinds
        for name, pin in sorted(lock.pins[kind].items())
        if isinstance(pin, Mapping) and "unresolved" in pin
    ]
