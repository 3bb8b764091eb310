"""Planning: manifest and lock turned into steps; by the same code the same two give the same plan everywhere.

It reads no data, writes nothing and executes no step.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from harness.errors import InputError, MissingError
from harness.kit.study import REQUIRED, Answered, Brief, Instrument, Maker, Model, Study, Templates
from harness.manifest.datasets import Fetched, FetchedFiles, Made
from harness.manifest.load import Loaded, explain
from harness.manifest.lockfile import Lock
from harness.manifest.models import WordingsFile, wordings
from harness.manifest.read import Place, Tree
from harness.manifest.schema import SPLITS, Manifest, split_datasets, splits
from harness.run.locking.datasets import (
    FILES,
    OWN_WORDINGS,
    TABLES,
    FetchedData,
    MadeDataset,
    made_datasets,
    pinned_tables,
    placeholder_tables,
    require_named,
    require_own_wordings,
    tables_read,
    wordings_in,
)
from harness.run.locking.models import INSTRUMENTS, MODELS, NamedModel, every_model, gateway_models
from harness.step_kinds import LIMITED
from harness.steps import Pinned, Plan, Step
from harness.studies.registry import find

MEND = 'have it made from `{fetch: "private:NAME", sha256: …, licence: …}`, which `harness import data FILE` brings'


def require_hidden(manifest: Manifest, made: Mapping[str, MadeDataset], tree: Tree) -> None:
    """Refuse a hidden split of data that others can make or fetch, or that a public split shows too.

    The error names the line of the split's `hidden`.
    """
    public: dict[str, str] = {}  # the private files that public splits are made from, by digest
    for name, split in splits(manifest).items():
        if split.public:
            for one in split_datasets(manifest, name):
                public |= dict.fromkeys(_private(one, manifest, made), name)
    for name, split in splits(manifest).items():
        for one in split_datasets(manifest, name) if split.hidden else ():
            found = _private(one, manifest, made)
            where = tree.at((*SPLITS, name, "hidden"))
            if not found:
                raise InputError(
                    f"split {name!r} cannot be hidden: {_why(one, manifest, tree)}", where=where, next=MEND
                )
            if others := [public[digest] for digest in found if digest in public]:
                raise InputError(
                    f"dataset {one!r} of the hidden split {name!r} is made from a file that the public split "
                    f"{others[0]!r} is made from too",
                    where=where,
                    next="give each split a file of its own",
                )


def _private(name: str, manifest: Manifest, made: Mapping[str, MadeDataset]) -> list[str]:
    """List the digests of the private files that a dataset is or is made from, and that nothing else publishes."""
    published = set(_published(manifest))
    sources = [name, *(made[name].files.values() if name in made else ())]
    said = [manifest.datasets[source] for source in sources]
    return [
        one.sha256
        for one in said
        if isinstance(one, Fetched) and one.private and one.sha256 and one.sha256 not in published
    ]


def _published(manifest: Manifest) -> list[str]:
    """List the digests that the manifest gives a public address to."""
    found = [
        each.sha256
        for one in manifest.datasets.values()
        if isinstance(one, FetchedFiles)
        for each in one.fetch.values()
    ]
    whole = (one for one in manifest.datasets.values() if isinstance(one, Fetched) and not one.private)
    return [*found, *(one.sha256 for one in whole if one.sha256)]


def _why(name: str, manifest: Manifest, tree: Tree) -> str:
    line = tree.at(("datasets", name)).rpartition(":")[2]
    said = manifest.datasets[name]
    if isinstance(said, Made):
        return f"dataset {name!r} can be made by anybody from what stands in line {line}"
    return f"dataset {name!r} is published, by line {line}"


SETTINGS = "settings"


def typed_settings(manifest: Manifest, study: Study, tree: Tree) -> Mapping[str, Any]:
    """Return a manifest's settings for its study, typed and with the study's defaults; refuse what does not fit."""
    kind = study.settings_type
    if kind is None:
        if manifest.settings:
            raise InputError(
                f"study {study.name} has no settings", where=tree.at((SETTINGS,)), next="take `settings` out"
            )
        return {}
    try:
        read: TypeAdapter[Any] = TypeAdapter(kind)
        typed: dict[str, Any] = read.dump_python(read.validate_python(manifest.settings), mode="json")
        return typed
    except ValidationError as bad:
        raise explain(bad, tree, kind, (SETTINGS,)) from None


def require_roles(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Refuse an instrument that the study does not know, one that is missing, and one named like a model."""
    for role in manifest.instruments:
        where = tree.at((INSTRUMENTS, role))
        if role not in study.roles:
            known = ", ".join(study.roles)
            close = difflib.get_close_matches(role, study.roles, 1)
            remedy = f"it has: {known}" if known else "take it out: this study measures with no model"
            raise InputError(
                f"study {study.name} has no instrument {role!r}",
                where=where,
                next=(f"did you mean `{close[0]}`? " if close else "") + remedy,
            )
        if role in manifest.models:
            raise InputError(
                f"{role!r} is the name of a model and of an instrument", where=where, next="give the model another name"
            )
    lacking = [role for role, need in study.roles.items() if need == REQUIRED and role not in manifest.instruments]
    if lacking:
        raise InputError(
            f"study {study.name} needs the instrument `{lacking[0]}`",
            where=tree.at((INSTRUMENTS,)),
            next=f"add `instruments: {{{lacking[0]}: {{provider: …}}}}`",
        )


PAGES = ".html"
DRAWN = (".html", ".svg", ".png")  # how pages and figures are called: no tolerance says how near two of them are


@dataclass(frozen=True)
class CheckedManifest:
    """A manifest checked against its study and providers, its datasets and settings typed, its tables named."""

    manifest: Manifest
    tree: Tree
    made: Mapping[str, MadeDataset]  # the datasets that are made here, by name
    settings: Mapping[str, Any]  # the study's own, typed by it
    tables: tuple[str, ...] = ()  # those of the study that its plan reads, and that the manifest names


def check_manifest(loaded: Loaded) -> CheckedManifest:
    """Check a manifest against its study and providers, and plan it with placeholders; return it with typed parts.

    Refuses unknown makers, parameters, prompt sets, instruments, tables, outputs, and settings a model cannot take.
    """
    manifest, tree = loaded.manifest, loaded.tree
    study = find(manifest.study, tree.at(("study",)))
    for part in study.needs:
        if not getattr(manifest, part):
            raise InputError(f"study {study.name} needs `{part}`", where=tree.at((part,)), next=f"add `{part}: …`")
    made = made_datasets(manifest, study, tree)
    require_hidden(manifest, made, tree)
    require_own_wordings(manifest, study, tree)
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
    gateway_models(manifest, loaded.root, tree)
    this = CheckedManifest(manifest, tree, made, typed_settings(manifest, study, tree))
    tables = placeholder_tables(study)
    try:
        planned = _planned(this, _placeholder(this, study))  # what cannot be planned is told before any work
    except InputError as bad:
        raise _at_its_line(bad, tree) from bad
    return replace(this, tables=tuple(sorted({*manifest.tables, *tables_read(planned, tables)})))


def _placeholder(this: CheckedManifest, study: Study) -> Brief:
    """Say to a study what a manifest means before anything of it is resolved."""
    sets, some = this.manifest.prompts.names if this.manifest.prompts else (), Pinned("0" * 64)
    rows, templates = dict.fromkeys(this.made, 1), dict.fromkeys(sets, Templates(some, 1))
    if isinstance(this.manifest.prompts, WordingsFile):
        templates = {OWN_WORDINGS: Templates(some, 1)}
    brief = _brief(this, rows, templates, Lock({}, "", {}), FetchedData.placeholder(this.manifest))
    return replace(brief, tables=placeholder_tables(study))


def check_wordings(loaded: Loaded, this: CheckedManifest) -> None:
    """Check the wordings of a manifest's file of them as those are that it writes out; nothing is filled in."""
    if not isinstance(this.manifest.prompts, WordingsFile):
        return
    study, file = find(this.manifest.study), this.manifest.prompts.file
    rows = wordings_in(loaded)
    if not rows:
        raise InputError("there is no wording", where=file, next='write one a line: {"id": 0, "text": "…"}')
    try:
        study.plan(replace(_placeholder(this, study), wordings=tuple(rows)))
    except InputError as bad:
        raise InputError(bad.what, where=f"{file}, {bad.where}", next=bad.next) from bad


def possible_outputs(loaded: Loaded) -> frozenset[str]:
    """Name every output that the study can make of a manifest's models and data, whatever it declares itself."""
    bare = loaded.manifest.model_copy(update={"outputs": {}, "claims": ()})
    this, study = check_manifest(replace(loaded, manifest=bare)), find(bare.study)
    return frozenset(study.plan(_placeholder(this, study)).outputs)


def _at_its_line(bad: InputError, tree: Tree) -> InputError:
    """Return a study's refusal with the manifest's line, where it names a place of the manifest by its keys."""
    place: Place = tuple(int(part) if part.isdigit() else part for part in bad.where.split("."))
    if place[0] not in Manifest.model_fields:
        return bad
    return InputError(bad.what, where=tree.at(place), next=bad.next)


def _require_askable(manifest: Manifest, tree: Tree) -> None:
    """Refuse settings that one of the models would not be asked with: each provider says which mean nothing to it."""
    for part, name, model in every_model(manifest):
        how = manifest.instruments[name].asking if part == INSTRUMENTS else manifest
        if unfit := model.unsupported(how.generation.asked()):
            place: Place = ("generation", *unfit.key.split("."))
            place = (part, name, *place) if part == INSTRUMENTS else place
            where = tree.at(place if place in tree.lines else (part, name))
            raise InputError(f"{part}.{name} cannot be asked so: {unfit.what}", where=where, next=unfit.fix)


def plan(this: CheckedManifest, lock: Lock, limit: int = 0) -> Plan:
    """Turn a manifest and its lock into a plan; a `limit` above 0 keeps that many first items of each dataset.

    Refuses a lock with an unresolved pin, or without one for a dataset.
    """
    unresolved = unresolved_pins(lock)
    if unresolved:
        raise _unresolved(unresolved)
    pins = lock.pins["datasets"]
    found = {name: _rows(pins.get(name, {}), each.maker) for name, each in this.made.items()}
    if unpinned := sorted(name for name, count in found.items() if count is None):
        raise InputError(f"the lock pins no dataset {unpinned[0]!r}", next="`harness lock` the manifest again")
    rows = {name: min(count, limit or count) for name, count in found.items() if count is not None}
    prompts = dict(lock.pins["prompts"])
    if "set" in prompts and this.manifest.prompts:  # as locks were written when a manifest had one set
        prompts[this.manifest.prompts.names[0]] = prompts.pop("set")
    templates = {name: Templates(Pinned(pin["sha256"]), int(pin["rows"])) for name, pin in prompts.items()}
    certificates = {name: Pinned(pin["sha256"]) for name, pin in lock.of("certificates").items()}
    brief = _brief(this, rows, templates, lock, FetchedData.pinned(lock.pins["datasets"], lock.of(FILES)))
    made = _planned(this, replace(brief, certificates=certificates, tables=pinned_tables(lock.of(TABLES))))
    made = _mark_limited(made, limit) if limit else made
    texts = (*(pin for name, pin in prompts.items() if name != OWN_WORDINGS), *lock.of(TABLES).values())
    return Plan(made.steps, made.outputs, {pin["sha256"]: pin["file"] for pin in texts}).check()


def _mark_limited(made: Plan, limit: int) -> Plan:
    """Tell the steps that write pages of the limit, so that the page says it; a whole run's steps are as ever."""
    steps = tuple(
        replace(step, params={**step.params, LIMITED: limit}) if _writes_page(step) else step for step in made.steps
    )
    return replace(made, steps=steps)


def _writes_page(step: Step) -> bool:
    return any(output.endswith(PAGES) for output in step.outputs)


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


def _planned(this: CheckedManifest, brief: Brief) -> Plan:
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
    for output, level in this.manifest.outputs.items():
        if level != "exact" and output.endswith(DRAWN):
            raise InputError(
                f"output {output!r} is a page or a figure, of which each byte counts",
                where=this.tree.at(("outputs", output)),
                next=f"declare it `exact`: `{output}: exact`",
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
    this: CheckedManifest,
    rows: Mapping[str, int],
    templates: Mapping[str, Templates],
    lock: Lock,
    data: FetchedData,
) -> Brief:
    """Say to a study what a manifest means, with what is known of its data and its models."""
    manifest, study = this.manifest, find(this.manifest.study)
    models = {
        (each.part, each.name): _model(each, lock.of(each.part).get(each.name, {})) for each in every_model(manifest)
    }
    return Brief(
        datasets=tuple(each.dataset(rows[name], data) for name, each in sorted(this.made.items())),
        models=tuple(models[MODELS, name] for name in sorted(manifest.models)),
        templates=templates,
        generation=manifest.generation.asked(),
        seeds=manifest.seeds,
        settings=this.settings,
        named_tables=manifest.tables,
        prompts=manifest.prompts.model_dump(exclude_none=True) if manifest.prompts and study.own_wordings else {},
        wordings=wordings(manifest.prompts) if manifest.prompts else (),
        instruments={
            role: Instrument(role, models[INSTRUMENTS, role], one.asking.generation.asked(), one.asking.repeats)
            for role, one in sorted(manifest.instruments.items())
        },
    )


def _model(named: NamedModel, pin: Mapping[str, Any]) -> Model:
    """Say to a study what a model is: what its step is told of it, and its files."""
    model, told = named.model, named.model.answer_params()
    if "tape" in pin:
        told["tape"] = pin["tape"]
    if model.service and named.part == INSTRUMENTS:
        told["served"] = named.served(model.service)  # by which the gateway knows it
    files = {file: Pinned(sha) for file, sha in sorted(pin.get("files", {}).items())}
    return Model(
        named.name,
        model.provider,
        told,
        files,
        model.facts,
        model.stand_in,
        calls=model.service is not None,
        imported=_answered(model, pin),
        hub=model.weights.hub if model.weights else "",
        scores_continuations=model.scores_continuations,
    )


def _answered(model: Any, pin: Mapping[str, Any]) -> Answered | None:
    """Say to a study which rows stand for a model's answers; before a lock pins them, that there will be some."""
    if not model.imported:
        return None
    return Answered(model.imported.source, Pinned(pin.get("answers", "0" * 64)))


SHOWN = 8  # pins that a message names
NEEDED = (MODELS, INSTRUMENTS, "prompts", "datasets")  # pins without which nothing can run; a local run needs no image


def unresolved_pins(lock: Lock) -> list[tuple[str, str]]:
    """List the unresolved pins of a lock that a run needs, with their reasons."""
    return [
        (f"{kind}.{name}", pin["unresolved"])
        for kind in NEEDED
        for name, pin in sorted(lock.of(kind).items())
        if isinstance(pin, Mapping) and "unresolved" in pin
    ]
