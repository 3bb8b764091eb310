"""Manifest and lock, turned into steps: pure, no I/O. The same two give the same plan wherever they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.errors import InputError, MissingError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.manifest.read import Place, Tree
from harness.manifest.schema import Manifest
from harness.run.calls import served
from harness.run.makers import Data, Drawn, drawn
from harness.run.measuring import INSTRUMENTS, MODELS, Named, every_model, require_roles, switches
from harness.run.tables import TABLES, offered, pinned_tables, require_named, taken
from harness.steps import Pinned, Plan
from harness.studies.registry import find
from harness.studies.study import Answered, Brief, Instrument, Maker, Model, Templates


@dataclass(frozen=True)
class Meant:
    """A manifest held against the studies and providers there are: what it names exists, and its types fit."""

    manifest: Manifest
    tree: Tree
    drawn: Mapping[str, Drawn]  # the datasets that are made here, by name
    settings: Mapping[str, Any]  # the study's own, typed by it
    tables: tuple[str, ...] = ()  # those of the study that its plan reads, and that the manifest names


def meant(loaded: Loaded) -> Meant:
    """Check what only the studies know: makers, their parameters, behaviours, prompt sets, output names."""
    manifest, tree = loaded.manifest, loaded.tree
    study = find(manifest.study, tree.at(("study",)))
    for part in study.needs:
        if not getattr(manifest, part):
            raise InputError(f"study {study.name} needs `{part}`", where=tree.at((part,)), next=f"add `{part}: …`")
    made = drawn(manifest, study, tree)
    sets = manifest.prompts.names if manifest.prompts else ()
    for name in sets:
        if name not in study.prompt_sets:
            raise InputError(
                f"study {study.name} has no wordings {name!r}",
                where=tree.at(("prompts", "set")),
                next=f"choose one of: {', '.join(study.prompt_sets)}",
            )
    require_roles(manifest, study, tree)
    require_named(manifest, study, tree)
    _require_askable(manifest, tree)
    served(manifest, loaded.root, tree)
    this, some = Meant(manifest, tree, made, switches(manifest, study, tree)), Pinned("0" * 64)
    rows, templates = dict.fromkeys(made, 1), dict.fromkeys(sets, Templates(some, 1))
    tables = offered(study)
    brief = _brief(this, rows, templates, Lock({}, "", {}), Data.meant(manifest))
    planned = _planned(this, replace(brief, tables=tables))  # what cannot be planned is told before any work
    return replace(this, tables=tuple(sorted({*manifest.tables, *taken(planned, tables)})))


def _require_askable(manifest: Manifest, tree: Tree) -> None:
    """Refuse settings that one of the models would not be asked with: each provider says which mean nothing to it."""
    for part, name, model in every_model(manifest):
        how = manifest.instruments[name].asking if part == INSTRUMENTS else manifest
        if unfit := model.unsupported(how.generation.asked()):
            place: Place = ("generation", *unfit.key.split("."))
            place = (part, name, *place) if part == INSTRUMENTS else place
            where = tree.at(place if place in tree.lines else (part, name))
            raise InputError(f"{part}.{name} cannot be asked so: {unfit.what}", where=where, next=unfit.fix)


def plan(this: Meant, lock: Lock, limit: int = 0) -> Plan:
    """Say which steps a manifest and its lock mean; a limit keeps the first items of each dataset only."""
    unresolved = unresolved_pins(lock)
    if unresolved:
        raise _unresolved(unresolved)
    pins = lock.pins["datasets"]
    found = {name: _rows(pins.get(name, {}), each.maker) for name, each in this.drawn.items()}
    if unpinned := sorted(name for name, count in found.items() if count is None):
        raise InputError(f"the lock pins no dataset {unpinned[0]!r}", next="`harness lock` the manifest again")
    rows = {name: min(count, limit or count) for name, count in found.items() if count is not None}
    prompts = dict(lock.pins["prompts"])
    if "set" in prompts and this.manifest.prompts:  # as locks were written when a manifest had one set
        prompts[this.manifest.prompts.names[0]] = prompts.pop("set")
    templates = {name: Templates(Pinned(pin["sha256"]), int(pin["rows"])) for name, pin in prompts.items()}
    certificates = {name: Pinned(pin["sha256"]) for name, pin in lock.of("certificates").items()}
    brief = _brief(this, rows, templates, lock, Data.pinned(lock.pins["datasets"]))
    made = _planned(this, replace(brief, certificates=certificates, tables=pinned_tables(lock.of(TABLES))))
    texts = (*prompts.values(), *lock.of(TABLES).values())
    return Plan(made.steps, made.outputs, {pin["sha256"]: pin["file"] for pin in texts}).check()


def _rows(pin: Mapping[str, Any], maker: Maker) -> int | None:
    """Say how many items a dataset has, which is 0 where its maker makes none; nothing where the lock does not say."""
    if "items" in maker.outputs:
        return int(pin["items"]["rows"]) if "items" in pin else None
    return 0 if pin and not isinstance(pin.get("sha256"), str) else None


def _unresolved(pins: Sequence[tuple[str, str]]) -> MissingError:
    """Name what is not pinned, the first of many, and each reason once."""
    if len(pins) == 1:
        pin, reason = pins[0]
        return MissingError(f"{pin} is unresolved: {reason}", next="provide it, then `harness lock` again")
    by_reason: dict[str, list[str]] = {}
    for pin, reason in pins[:SHOWN]:
        by_reason.setdefault(reason, []).append(pin)
    told = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in by_reason.items())
    more = f"; and {len(pins) - SHOWN} more" if len(pins) > SHOWN else ""
    return MissingError(
        f"{len(pins)} pins are unresolved: {told}{more}", next="provide them, then `harness lock` again"
    )


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
    for step in made.steps:
        if step.stage == "responses" and step.params.get("model") in brief.instruments:
            raise InputError(
                f"step {step.name!r} would have the instrument {step.params['model']!r} answer items",
                where=this.tree.at((INSTRUMENTS, str(step.params["model"]))),
                next="an instrument measures; to have it answer, name it under `models` too",
            )
    return made.for_outputs({output for output, _ in named})


def _brief(
    this: Meant,
    rows: Mapping[str, int],
    templates: Mapping[str, Templates],
    lock: Lock,
    data: Data,
) -> Brief:
    """Say to a study what a manifest means, with what is known of its data and its models."""
    manifest = this.manifest
    models = {
        (each.part, each.name): _model(each, lock.of(each.part).get(each.name, {})) for each in every_model(manifest)
    }
    return Brief(
        datasets=tuple(each.dataset(rows[name], data) for name, each in sorted(this.drawn.items())),
        models=tuple(models[MODELS, name] for name in sorted(manifest.models)),
        templates=templates,
        generation=manifest.generation.asked(),
        seeds=manifest.seeds,
        settings=this.settings,
        named_tables=manifest.tables,
        instruments={
            role: Instrument(role, models[INSTRUMENTS, role], one.asking.generation.asked(), one.asking.repeats)
            for role, one in sorted(manifest.instruments.items())
        },
    )


def _model(named: Named, pin: Mapping[str, Any]) -> Model:
    """Say to a study what a model is: what its step is told of it, and its files."""
    model, told = named.model, named.model.answer_params()
    if "tape" in pin:
        told["tape"] = pin["tape"]
    if model.service and named.part == INSTRUMENTS:
        told["served"] = named.served(model.service)  # by which the gateway knows it
    files = {file: Pinned(sha) for file, sha in sorted(pin.get("files", {}).items())}
    return Model(
        named.name, model.provider, told, files, model.facts, model.stand_in,
        calls=model.service is not None, imported=_answered(model, pin),
    )  # fmt: skip


def _answered(model: Any, pin: Mapping[str, Any]) -> Answered | None:
    """Say to a study which rows stand for a model's answers; before a lock pins them, that there will be some."""
    if not model.imported:
        return None
    return Answered(model.imported.source, Pinned(pin.get("answers", "0" * 64)))


SHOWN = 8  # pins that a message names
NEEDED = (MODELS, INSTRUMENTS, "prompts", "datasets")  # pins without which nothing can run; a local run needs no image


def unresolved_pins(lock: Lock) -> list[tuple[str, str]]:
    """List the pins a run needs that could not be resolved where the lock was made, with the reasons."""
    return [
        (f"{kind}.{name}", pin["unresolved"])
        for kind in NEEDED
        for name, pin in sorted(lock.of(kind).items())
        if isinstance(pin, Mapping) and "unresolved" in pin
    ]
