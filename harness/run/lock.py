"""Lock resolution (`harness lock`): names to digests, and the check that a lock still fits before anything runs.

A name that cannot be resolved here is pinned as unresolved with its reason, and is never guessed. A lock can also be
foreseen, for a plan: then nothing is made, fetched or written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from harness.digest import differing_pointers, sha256
from harness.errors import HarnessError, InputError, MissingError
from harness.images.image import read_image_pins
from harness.images.recipe import package_locks
from harness.kit.ask import make_step
from harness.manifest.datasets import Made, OwnFile, contradicted_files
from harness.manifest.documents import DatasetPin, DigestPin, FilePin, ImagePin, ModelPin, Pins
from harness.manifest.load import LoadedManifest, load_manifest
from harness.manifest.lockfile import LATE_KINDS, Lock
from harness.run.closure import code_root
from harness.run.executing.workshop import Workshop
from harness.run.locking.certificates import CERTIFICATES, certificate_pins
from harness.run.locking.datasets import (
    CUTS,
    FILES,
    TABLES,
    FetchedData,
    bring_files,
    changed_file,
    dataset_pin,
    file_pins,
    table_pins,
    translating_step_refusals,
    with_cuts,
    wordings_pin,
)
from harness.run.locking.hub import COMMIT, hub_pins
from harness.run.locking.models import INSTRUMENTS, MODELS, every_model, pin_model
from harness.run.locking.published import PublishedPins, fetch_published
from harness.run.planning.derived import held_lock
from harness.run.planning.plan import CheckedManifest, check_manifest, check_wordings
from harness.steps import step_key
from harness.store.journal import Preimage
from harness.store.store import Entry
from harness.studies.registry import find

WHOLE = "lockfiles/requirements.txt"  # what older locks pinned, before they pinned the image's own locks


def static_pins(loaded: LoadedManifest) -> Pins:
    """Return the pins that need no data to be made: models and instruments, prompts, images, packages."""
    manifest = loaded.manifest
    models: dict[str, dict[str, ModelPin]] = {MODELS: {}, INSTRUMENTS: {}}
    for named in every_model(manifest):
        models[named.part][named.name] = pin_model(loaded, named)
    prompts = wordings_pin(loaded)
    for name in manifest.prompts.names if manifest.prompts else ():
        path = find(manifest.study).prompt_sets[name]
        data = path.read_bytes()
        file = path.resolve().relative_to(code_root()).as_posix()
        prompts[name] = {"file": file, "sha256": sha256(data), "rows": data.count(b"\n")}
    known = read_image_pins(loaded.root)
    unknown: ImagePin = {"unresolved": "lockfiles/images.json names no such image; the local engine needs none"}
    images = {name: known[name].as_data() if name in known else unknown for name in _images(loaded)}
    measuring: Pins = {INSTRUMENTS: models[INSTRUMENTS]} if manifest.instruments else {}
    files = file_pins(loaded)
    own: Pins = {FILES: files} if files else {}
    return {
        MODELS: models[MODELS],
        **measuring,
        "prompts": prompts,
        "images": images,
        "packages": _packages(loaded),
        **own,
    }


def _images(loaded: LoadedManifest) -> list[str]:
    """List the images of a manifest: that of its steps and, if it names one, that of foreign code."""
    return [name for name in (loaded.manifest.image, loaded.manifest.sandbox) if name]


def _packages(loaded: LoadedManifest, held: Collection[str] = ()) -> dict[str, DigestPin]:
    """Return the pins of the package locks of a manifest's images, or of the file that older locks pinned.

    The file is pinned if its name is in `held`.
    """
    whole = {WHOLE: loaded.root / WHOLE}
    of_images = {name: path for each in _images(loaded) for name, path in package_locks(loaded.root, each).items()}
    found = whole if WHOLE in held else of_images
    return {name: {"sha256": sha256(path.read_bytes())} for name, path in found.items() if path.is_file()}


def resolve_manifest(
    loaded: LoadedManifest, checked: CheckedManifest, workshop: Workshop, had: PublishedPins | None = None
) -> Lock:
    """Resolve every name of a manifest to a lock; datasets are made here, because a plan needs their row counts.

    `had` holds the pins of published data; without it that data is fetched first. Data that cannot be had is pinned as
    unresolved. Raises InputError if another manifest has the same name, or if a dataset has no row.
    """
    _only_one(loaded)
    check_wordings(loaded, checked)
    pins = static_pins(loaded)
    bring_files(loaded, Lock({}, "", {**pins, "datasets": {}}), workshop.store)
    found, reasons = hub_pins(loaded, _held(loaded), workshop.store, workshop.cancel)
    if found:
        pins[FILES] = {**pins.get(FILES, {}), **found}
    had = had or fetch_published(loaded.manifest, workshop.store, workshop.cancel)
    datasets = dict(had.pins)
    data = FetchedData.pinned(datasets, pins.get(FILES))
    for name, drawn in checked.made.items():
        if lacks := reasons.get(name) or drawn.lacks(had.pins, had.how):
            datasets[name] = {"unresolved": lacks}
            continue
        step = make_step(drawn.dataset(0, data), drawn.maker.kind, drawn.maker.outputs)
        with translating_step_refusals(own=drawn.own):
            entry = workshop.make(step, workshop.preimage(step, {})).entry
        datasets[name] = dataset_pin(entry, workshop.store)
        items = datasets[name].get("items")
        if items and not items.get("rows"):
            if partial := [to for to in drawn.folders.values() if had.absent[to]]:
                datasets[name] = {"unresolved": f"nothing of it can be made without what {partial[0]} lacks"}
                continue
            lacks = "came out empty" if "rows" in items else "gives an array as its `items`, which are rows"
            raise InputError(
                f"dataset {name!r} {lacks}",
                where=loaded.tree.at(("datasets", name)),
                next="draw more items, or leave it out",
            )
    files = with_cuts(pins.get(FILES, {}), datasets, _held(loaded), workshop.store.blobs)
    return _made_lock(loaded, pins, datasets, files, checked.tables)


def _held(loaded: LoadedManifest) -> Lock | None:
    """Return the lock that this one follows; None if there is none, or if it cannot be read."""
    try:
        return held_lock(loaded)
    except InputError:
        return None


def _only_one(loaded: LoadedManifest) -> None:
    """Raise InputError if another manifest of the project has the same name: the two would share one lock."""
    for path in sorted((loaded.root / "manifests").rglob("*.yaml")):
        if path.resolve() != loaded.path:
            try:
                other = load_manifest(path).manifest.name
            except InputError:
                continue  # its own verbs will say what is wrong with it
            if other == loaded.manifest.name:
                raise InputError(
                    f"two manifests are called {other!r}",
                    where=loaded.tree.at(("name",)),
                    next=f"rename this one or {path.relative_to(loaded.root)}",
                )


def changed_pins(loaded: LoadedManifest, lock: Lock) -> list[str]:
    """List the parts of a lock that no longer fit the manifest and the files here; makes and fetches no data."""
    moved = [f"manifest{pointer}" for pointer in differing_pointers(lock.intent, loaded.manifest.intent())]
    if not moved and lock.manifest_sha256 != loaded.sha256:
        moved.append("manifest (its text, not its meaning)")
    moved += [f"pins/datasets/{name}" for name in sorted(set(lock.pins["datasets"]) ^ set(loaded.manifest.datasets))]
    moved += [
        f"pins/datasets{pointer}" for pointer in contradicted_files(lock.intent["datasets"], lock.pins["datasets"])
    ]
    now: Pins = {**static_pins(loaded), "packages": _packages(loaded, lock.pins["packages"])}
    if tables := {*lock.of(TABLES), *loaded.manifest.tables}:
        now[TABLES] = table_pins(loaded.manifest.study, tables)
    if held_files := lock.of(FILES):  # where grown items were cut does not depend on the files here
        of_hub = {name: pin for name, pin in held_files.items() if COMMIT in pin}  # the hub is not asked again
        now[FILES] = {**of_hub, **{name: _cut_as(held_files, name, pin) for name, pin in now.get(FILES, {}).items()}}
    late = (each for each in LATE_KINDS if each != CERTIFICATES and lock.of(each))
    found: Mapping[str, object] = now
    for kind in dict.fromkeys([*found, *late]):
        moved += [f"pins/{kind}{pointer}" for pointer in differing_pointers(lock.of(kind), found.get(kind, {}))]
    if held := lock.of(CERTIFICATES):  # a lock that pins none fits, whatever was certified since
        certified = certificate_pins(loaded.root, loaded.manifest.study)
        moved += [f"pins/{CERTIFICATES}{pointer}" for pointer in differing_pointers(held, certified)]
    return moved


def _cut_as(held: Mapping[str, FilePin], name: str, pin: FilePin) -> FilePin:
    """Return a pin of a file with the cuts that the lock has for it, if any."""
    before = held.get(name, {})
    return {**pin, CUTS: before[CUTS]} if CUTS in before else pin


def require_fitting_lock(loaded: LoadedManifest, lock: Lock | None) -> Lock:
    """Return the lock of a manifest if it still fits; raise InputError if it is missing or if pins moved."""
    again = f"`harness lock {loaded.path.relative_to(loaded.root)}`"
    if lock is None:
        raise InputError("this manifest has no lock", where=loaded.tree.where, next=f"{again} makes it")
    moved = changed_pins(loaded, lock)
    if moved:
        _require_here(loaded, lock)
        if file := changed_file(loaded, {**lock.of(FILES), **lock.of("prompts")}):
            raise InputError(
                f"the file {file} has changed since the lock pinned it",
                where=loaded.tree.where,
                next=f"if that is meant, {again} (or run with --relock) and review the change in git",
            )
        shown = ", ".join(moved[:8]) + (f" and {len(moved) - 8} more" if len(moved) > 8 else "")
        raise InputError(
            f"the lock no longer fits the manifest; moved: {shown}",
            where=loaded.tree.where,
            next=f"if that is meant, {again} (or run with --relock) and review the change in git",
        )
    return lock


def _require_here(loaded: LoadedManifest, lock: Lock) -> None:
    """Raise MissingError for a model that the lock pins and this machine lacks, apart from what moved."""
    pins = static_pins(loaded)
    for kind in (MODELS, INSTRUMENTS):
        now: Mapping[str, ModelPin] = pins[MODELS] if kind == MODELS else pins.get(INSTRUMENTS, {})
        for name, pin in lock.of(kind).items():
            if "unresolved" in now.get(name, {}) and "unresolved" not in pin:
                what, _, remedy = now[name]["unresolved"].partition("; ")
                noun = kind.removesuffix("s")
                raise MissingError(f"{noun} {name!r} is pinned and not to be had here: {what}", next=remedy)


def foresee_lock(loaded: LoadedManifest, held: Lock, workshop: Workshop | None) -> Lock:
    """Return the lock that a manifest would get in place of `held`, whose data must be in the store already.

    Raises InputError if `harness lock` would have to make or fetch data for it.
    """
    checked, manifest = check_manifest(loaded), loaded.manifest
    pins = static_pins(loaded)
    files = {**pins.get(FILES, {}), **{name: pin for name, pin in held.of(FILES).items() if COMMIT in pin}}
    datasets: dict[str, DatasetPin] = {}
    for name, dataset in manifest.datasets.items():
        if not isinstance(dataset, Made | OwnFile):  # published: its pin follows from what the manifest says of it
            said = loaded.manifest.intent()["datasets"][name]
            if name not in held.of("datasets") or list(differing_pointers(held.intent["datasets"].get(name), said)):
                raise _needs_lock(loaded, name)
            datasets[name] = held.of("datasets")[name]
        elif _said_otherwise(held, loaded, name) and COMMIT in files.get(name, {}):
            raise _needs_lock(loaded, name)
    data = FetchedData.pinned(datasets, files)
    for name, drawn in checked.made.items():
        step = make_step(drawn.dataset(0, data), drawn.maker.kind, drawn.maker.outputs)
        entry = _made(workshop, workshop.preimage(step, {})) if workshop else None
        if entry is None or workshop is None:
            raise _needs_lock(loaded, name)
        datasets[name] = dataset_pin(entry, workshop.store)
    if workshop:
        files = with_cuts(files, datasets, held, workshop.store.blobs)
    return _made_lock(loaded, pins, datasets, files, checked.tables)


def _made_lock(
    loaded: LoadedManifest,
    pins: Pins,
    datasets: Mapping[str, DatasetPin],
    files: Mapping[str, FilePin],
    tables: Collection[str],
) -> Lock:
    """Return the lock of a manifest with all its pins; of the late kinds those that have any."""
    late: Pins = {}
    if certificates := certificate_pins(loaded.root, loaded.manifest.study):
        late[CERTIFICATES] = certificates
    if found := table_pins(loaded.manifest.study, tables):
        late[TABLES] = found
    if files:
        late[FILES] = files
    return Lock(loaded.manifest.intent(), loaded.sha256, {**pins, "datasets": datasets, **late})


def _said_otherwise(held: Lock, loaded: LoadedManifest, name: str) -> bool:
    """Whether a manifest says something else of a dataset than it did when it was locked."""
    before = held.intent["datasets"].get(name)
    return bool(list(differing_pointers(before, loaded.manifest.intent()["datasets"][name])))


def _made(workshop: Workshop, parts: Preimage) -> Entry | None:
    """Return the entry of the step that makes a dataset, whoever made it, if its outputs are there."""
    try:
        entry = workshop.store.entries.get(step_key(parts))
    except HarnessError:
        return None
    sound = entry and all(workshop.store.blobs.state(one.sha256) == "sound" for one in entry.outputs.values())
    return entry if sound else None


def _needs_lock(loaded: LoadedManifest, dataset: str) -> InputError:
    path = loaded.path.relative_to(loaded.root)
    return InputError(
        f"the data of {dataset!r} is not made yet as the manifest says it now",
        where=loaded.tree.at(("datasets", dataset)),
        next=f"`harness lock {path}` makes and pins it, and then `harness plan {path}`",
    )
