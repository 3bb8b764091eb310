"""Planning: turns manifest and lock into steps; the same code, manifest and lock give the same plan everywhere.

No data is read, nothing is written, and no step is executed.

Scorers that a dataset has of its own are typed by the study, and joined with those of the manifest's settings. A study
sees one list of scorers, in which a name means one thing, and by dataset the names that score it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from harness.errors import InputError, MissingError
from harness.kit.ask import ShardedBrief
from harness.kit.study import REQUIRED, Answered, Brief, Instrument, Maker, Model, Study, Templates
from harness.manifest.datasets import WITH_OPTIONS, WITHOUT_OPTIONS, Fetched, FetchedFiles, Made, OwnFile
from harness.manifest.documents import Intent
from harness.manifest.load import LoadedManifest, explain_validation_error
from harness.manifest.lockfile import Lock
from harness.manifest.models import WordingsFile, written_wordings
from harness.manifest.read import Place, Tree
from harness.manifest.schema import SPLITS, Manifest, manifest_splits, split_datasets
from harness.run.locking.datasets import (
    FILES,
    OWN_WORDINGS,
    TABLES,
    FetchedData,
    MadeDataset,
    Tables,
    made_datasets,
    parse_wordings,
    pinned_tables,
    placeholder_tables,
    require_named,
    require_own_wordings,
    tables_read,
)
from harness.run.locking.models import INSTRUMENTS, MODELS, NamedModel, every_model, gateway_models, model_string
from harness.step_kinds import LIMITED
from harness.steps import Pinned, Plan, Step
from harness.studies.registry import find

SCORE, SCORE_OF = "score", "score_of"  # settings: all scorers, and by dataset the names of its scorers
Typed = Callable[[Mapping[str, Any], Place], dict[str, Any]]  # types settings that stand at a place of the manifest


def with_own_scores(manifest: Manifest, typed: Typed, tree: Tree) -> dict[str, Any]:
    """Return a manifest's typed settings; if datasets have scorers of their own, `score_of` names those of each.

    `score` then holds every scorer of the run. Settings may leave `score` out if every dataset has its own. Raises
    InputError for a scorer that is wrong, and for a name that means two different scorers.
    """
    own = {name: one.score for name, one in manifest.datasets.items() if isinstance(one, OwnFile) and one.score}
    if not own:
        return typed(manifest.settings, ("settings",))
    others = [name for name, one in manifest.datasets.items() if isinstance(one, OwnFile) and name not in own]
    settings = dict(manifest.settings)
    if SCORE not in settings and not others:
        settings[SCORE] = [next(iter(_listed(next(iter(own.values())))))]  # types the others; replaced below
    found = typed(settings, ("settings",)) if SCORE in manifest.settings or others else None
    entries: list[Mapping[str, Any]] = list(found[SCORE]) if found and others else []
    names: dict[str, Any] = {name: [entry["name"] for entry in entries] for name in others}
    for name, said in own.items():
        place: Place = ("datasets", name)
        told = _typed_parts(settings, said, typed, place)
        found = found or told[0]
        for part in told:
            for entry in part[SCORE]:
                _add(entries, entry, tree.at((*place, SCORE)))
        parts = [[entry["name"] for entry in part[SCORE]] for part in told]
        both = dict(zip((WITH_OPTIONS, WITHOUT_OPTIONS), parts, strict=True)) if isinstance(said, Mapping) else parts[0]
        names[name] = both
    assert found
    return {**found, SCORE: entries, SCORE_OF: names}


def said_settings(intent: Intent) -> dict[str, Any]:
    """Return the settings of a lock's intent as written, with the scorers that datasets have of their own added."""
    settings = dict(intent.get("settings", {}))
    own = [one[SCORE] for one in intent["datasets"].values() if isinstance(one, Mapping) and one.get(SCORE)]
    if own:
        said = settings.get(SCORE) or ()
        settings[SCORE] = [*(said if isinstance(said, list | tuple) else ()), *(e for one in own for e in _listed(one))]
    return settings


def _listed(said: Any) -> Iterator[Any]:
    for part in said.values() if isinstance(said, Mapping) else [said]:
        yield from part


def _typed_parts(settings: Mapping[str, Any], said: Any, typed: Typed, place: Place) -> list[dict[str, Any]]:
    """Type a dataset's scorers: one list, or the list of each kind of row."""
    if isinstance(said, Mapping):
        return [typed({**settings, SCORE: part}, (*place, SCORE, kind)) for kind, part in said.items()]
    return [typed({**settings, SCORE: said}, place)]


def _add(entries: list[Mapping[str, Any]], entry: Mapping[str, Any], where: str) -> None:
    """Add a scorer to those of the run, unless it is there; raise InputError if its name means another scorer."""
    same = [one for one in entries if one["name"] == entry["name"]]
    if same and same[0] != entry:
        raise InputError(
            f"two different scorers of this run are called {entry['name']!r}",
            where=where,
            next="give one of them another name: `{" + str(entry["scorer"]) + ": {as: NAME}}`",
        )
    if not same:
        entries.append(entry)


MEND = 'have it made from `{fetch: "private:NAME", sha256: …, licence: …}`, which `harness import data FILE` brings'


def require_hidden(manifest: Manifest, made: Mapping[str, MadeDataset], tree: Tree) -> None:
    """Raise InputError for a hidden split of data that others can make or fetch, or that a public split shows.

    The error names the line of the split's `hidden`.
    """
    public: dict[str, str] = {}  # the private files that public splits are made from, by digest
    for name, split in manifest_splits(manifest).items():
        if split.public:
            for one in split_datasets(manifest, name):
                public |= dict.fromkeys(_private(one, manifest, made), name)
    for name, split in manifest_splits(manifest).items():
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
    """List the digests of the private files that a dataset is or is made from, unless the manifest publishes them."""
    published = set(_published(manifest))
    sources = [name, *(made[name].files.values() if name in made else ())]
    said = [manifest.datasets[source] for source in sources]
    return [
        one.sha256
        for one in said
        if isinstance(one, Fetched) and one.private and one.sha256 and one.sha256 not in published
    ]


def _published(manifest: Manifest) -> list[str]:
    """List the digests that have a public address in the manifest."""
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
    """Return a manifest's settings for its study, typed and with the study's defaults; InputError if one is wrong.

    Scorers that datasets have of their own are typed with them: `own_scores.with_own_scores` says how.
    """
    kind = study.settings_type
    if kind is None:
        if manifest.settings:
            raise InputError(
                f"study {study.name} has no settings", where=tree.at((SETTINGS,)), next="take `settings` out"
            )
        return {}
    read: TypeAdapter[Any] = TypeAdapter(kind)

    def typed(said: Mapping[str, Any], under: Place) -> dict[str, Any]:
        try:
            found: dict[str, Any] = read.dump_python(read.validate_python(said), mode="json")
            return found
        except ValidationError as bad:
            raise explain_validation_error(bad, tree, kind, under) from None

    return with_own_scores(manifest, typed, tree)


def require_roles(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Raise InputError for an instrument that is unknown to the study, is missing, or is named like a model."""
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


CUT = ":cut"  # end of the kinds of steps that cut a table into slices
PAGES = ".html"
DRAWN = (".html", ".svg", ".png")  # endings of pages and figures, which no tolerance can compare


@dataclass(frozen=True)
class CheckedManifest:
    """A manifest checked against its study and providers, its datasets and settings typed, its tables named."""

    manifest: Manifest
    tree: Tree
    made: Mapping[str, MadeDataset]  # the datasets that are made here, by name
    settings: Mapping[str, Any]  # the study's own, typed by it
    tables: tuple[str, ...] = ()  # those that the plan reads or the manifest names; set once planned


def check_manifest(loaded: LoadedManifest) -> CheckedManifest:
    """Check the parts of a manifest and plan it with placeholders, so that errors are found before any work.

    With a lock that fits, `check_parts` and `plan` do the same with one plan. Raises InputError for outputs that the
    study does not make, and for all that `check_parts` refuses.
    """
    this = check_parts(loaded)
    study = find(this.manifest.study)
    planned = _planned(this, _placeholder(this, study))
    read = tables_read(planned, placeholder_tables(study))
    return replace(this, tables=tuple(sorted({*this.manifest.tables, *read})))


def check_parts(loaded: LoadedManifest) -> CheckedManifest:
    """Check a manifest's parts against its study and providers; return it with datasets and settings typed.

    Refuses unknown makers, parameters, prompt sets, instruments, tables, and settings a model cannot take.
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
    return CheckedManifest(manifest, tree, made, typed_settings(manifest, study, tree))


def _placeholder(this: CheckedManifest, study: Study) -> Brief:
    """Return the brief for a study before anything of a manifest is resolved."""
    sets, some = this.manifest.prompts.names if this.manifest.prompts else (), Pinned("0" * 64)
    rows, templates = dict.fromkeys(this.made, 1), dict.fromkeys(sets, Templates(some, 1))
    if isinstance(this.manifest.prompts, WordingsFile):
        templates = {OWN_WORDINGS: Templates(some, 1)}
    brief = _brief(this, rows, templates, Lock({}, "", {}), FetchedData.placeholder(this.manifest))
    return replace(brief, tables=placeholder_tables(study))


def unlocked_plan(
    loaded: LoadedManifest, data: FetchedData | None = None, tables: Tables | None = None, *, size: int = 1
) -> Plan:
    """Plan a manifest without its lock, as if each dataset had `size` items: its steps say what they read.

    `data` and `tables` replace placeholders by what is here. Raises InputError as `check_manifest` does.
    """
    this, study = check_parts(loaded), find(loaded.manifest.study)
    found = data or FetchedData.placeholder(loaded.manifest)
    datasets = tuple(one.dataset(size, found) for _, one in sorted(this.made.items()))
    brief = replace(_placeholder(this, study), datasets=datasets)
    return _planned(this, replace(brief, tables=tables or placeholder_tables(study)))


def partial_folders(loaded: LoadedManifest) -> frozenset[str]:
    """Return the datasets of many files of which a manifest's makers need not have every file."""
    made = check_parts(loaded).made.values()
    named = {to for each in made for to in each.folders.values()}
    whole = {to for each in made for parameter, to in each.folders.items() if parameter in each.maker.whole}
    return frozenset(named - whole)


def check_wordings(loaded: LoadedManifest, this: CheckedManifest) -> None:
    """Check the wordings in a manifest's file like those that a manifest writes out; nothing is filled in."""
    if not isinstance(this.manifest.prompts, WordingsFile):
        return
    study, file = find(this.manifest.study), this.manifest.prompts.file
    rows = parse_wordings(loaded)
    if not rows:
        raise InputError("there is no wording", where=file, next='write one a line: {"id": 0, "text": "…"}')
    try:
        study.plan(replace(_placeholder(this, study), wordings=tuple(rows)))
    except InputError as bad:
        raise InputError(bad.what, where=f"{file}, {bad.where}", next=bad.next) from bad


def possible_outputs(loaded: LoadedManifest) -> frozenset[str]:
    """Return every output that the study can make of a manifest's models and data, whatever it declares itself."""
    bare = loaded.manifest.model_copy(update={"outputs": {}, "claims": ()})
    this, study = check_parts(replace(loaded, manifest=bare)), find(bare.study)
    return frozenset(study.plan(_placeholder(this, study)).outputs)


def _at_its_line(bad: InputError, tree: Tree) -> InputError:
    """Return a study's error with the manifest's line, if the error names a place of the manifest by its keys."""
    place: Place = tuple(int(part) if part.isdigit() else part for part in bad.where.split("."))
    if place[0] not in Manifest.model_fields:
        return bad
    return InputError(bad.what, where=tree.at(place), next=bad.next)


def _require_askable(manifest: Manifest, tree: Tree) -> None:
    """Raise InputError for generation settings that a model does not support, as its provider says."""
    for part, name, model, _ in every_model(manifest):
        how = manifest.instruments[name].asking if part == INSTRUMENTS else manifest
        if unfit := model.unsupported(how.generation.asked()):
            place: Place = ("generation", *unfit.key.split("."))
            place = (part, name, *place) if part == INSTRUMENTS else place
            where = tree.at(place if place in tree.lines else (part, name))
            raise InputError(f"{part}.{name} cannot be asked so: {unfit.what}", where=where, next=unfit.fix)


def make_plan(this: CheckedManifest, lock: Lock, limit: int = 0) -> Plan:
    """Turn a manifest and its lock into a plan; a `limit` above 0 keeps that many first items of each dataset.

    Raises MissingError for an unresolved pin, and InputError if the lock has no pin for a dataset.
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
    if "set" in prompts and this.manifest.prompts:  # older locks, of manifests with only one set
        prompts[this.manifest.prompts.names[0]] = prompts.pop("set")
    templates = {name: Templates(Pinned(pin["sha256"]), int(pin["rows"])) for name, pin in prompts.items()}
    certificates = {name: Pinned(pin["sha256"]) for name, pin in lock.of("certificates").items()}
    brief = _brief(this, rows, templates, lock, FetchedData.pinned(lock.pins["datasets"], lock.of(FILES)))
    made = _planned(this, replace(brief, certificates=certificates, tables=pinned_tables(lock.of(TABLES))))
    made = _mark_limited(made, limit) if limit else made
    texts = (*(pin for name, pin in prompts.items() if name != OWN_WORDINGS), *lock.of(TABLES).values())
    return Plan(made.steps, made.outputs, {pin["sha256"]: pin["file"] for pin in texts}).check()


def _mark_limited(made: Plan, limit: int) -> Plan:
    """Add the limit to the parameters of steps that write pages, so that the pages show it."""
    steps = tuple(
        replace(step, params={**step.params, LIMITED: limit}) if _writes_page(step) else step for step in made.steps
    )
    return replace(made, steps=steps)


def _writes_page(step: Step) -> bool:
    return any(output.endswith(PAGES) for output in step.outputs)


def _rows(pin: Mapping[str, Any], maker: Maker) -> int | None:
    """Return how many items a dataset has, 0 if its maker makes none; None if the lock does not say."""
    if "items" in maker.outputs:
        return int(pin["items"]["rows"]) if "items" in pin else None
    return 0 if pin and not isinstance(pin.get("sha256"), str) else None


def _unresolved(pins: Sequence[tuple[str, str]]) -> MissingError:
    """Return the error that names unresolved pins, only the first of many, and each reason once."""
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
    """Return the study's plan; raise InputError for an output that the manifest names and the plan does not have."""
    try:
        made = find(this.manifest.study).plan(brief)
    except InputError as bad:
        raise _at_its_line(bad, this.tree) from bad
    if this.manifest.shard and not any(step.kind.endswith(CUT) for step in made.steps):
        raise InputError(
            f"study {this.manifest.study} cuts nothing into shards",
            where=this.tree.at(("shard",)),
            next="take `shard` out of this manifest",
        )
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
    return _name_manifest(made.for_outputs({output for output, _ in named}), this.manifest)


MANIFEST = "manifest"  # the parameter of a page's step, if it has one, that says which manifest it is of


def _name_manifest(made: Plan, manifest: Manifest) -> Plan:
    """Tell the steps of pages that ask for it the manifest's name, and its models each in one line."""
    said = {"name": manifest.name, "models": {name: model_string(one) for name, one in sorted(manifest.models.items())}}
    steps = tuple(
        replace(step, params={**step.params, MANIFEST: said})
        if MANIFEST in step.params and _writes_page(step)
        else step
        for step in made.steps
    )
    return replace(made, steps=steps)


def _brief(
    this: CheckedManifest,
    rows: Mapping[str, int],
    templates: Mapping[str, Templates],
    lock: Lock,
    data: FetchedData,
) -> Brief:
    """Return what a study is told of a manifest, with what is known of its data and its models."""
    manifest, study = this.manifest, find(this.manifest.study)
    models = {
        (each.part, each.name): _model(each, lock.of(each.part).get(each.name, {})) for each in every_model(manifest)
    }
    brief = Brief(
        datasets=tuple(each.dataset(rows[name], data) for name, each in sorted(this.made.items())),
        models=tuple(models[MODELS, name] for name in sorted(manifest.models)),
        templates=templates,
        generation=manifest.generation.asked(),
        seeds=manifest.seeds,
        settings=this.settings,
        named_tables=manifest.tables,
        prompts=manifest.prompts.model_dump(exclude_none=True) if manifest.prompts and study.own_wordings else {},
        wordings=written_wordings(manifest.prompts) if manifest.prompts else (),
        instruments={
            role: Instrument(role, models[INSTRUMENTS, role], one.asking.generation.asked(), one.asking.repeats)
            for role, one in sorted(manifest.instruments.items())
        },
    )
    return ShardedBrief(**vars(brief), shard=manifest.shard) if manifest.shard else brief


def _model(named: NamedModel, pin: Mapping[str, Any]) -> Model:
    """Return what a study is told of a model: the parameters of its step, and its files."""
    model, told = named.model, named.model.answer_params()
    if "tape" in pin:
        told["tape"] = pin["tape"]
    if model.service and named.at_gateway != model.service.model:
        told["served"] = named.at_gateway
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
    """Return which rows stand for a model's answers, with a placeholder before a lock pins them; None without rows."""
    if not model.imported:
        return None
    return Answered(model.imported.source, Pinned(pin.get("answers", "0" * 64)))


SHOWN = 8  # pins in one message
NEEDED = (MODELS, INSTRUMENTS, "prompts", "datasets")  # pins without which nothing can run; a local run needs no image


def unresolved_pins(lock: Lock) -> list[tuple[str, str]]:
    """List the unresolved pins of a lock that a run needs, with their reasons."""
    return [
        (f"{kind}.{name}", pin["unresolved"])
        for kind in NEEDED
        for name, pin in sorted(lock.of(kind).items())
        if isinstance(pin, Mapping) and "unresolved" in pin
    ]
