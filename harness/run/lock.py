"""Lock resolution (`harness lock`): names to digests, and the check that a lock still fits before anything runs.

A name that cannot be resolved here is pinned as unresolved with its reason, and is never guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from harness.digest import differences, sha256
from harness.errors import InputError, MissingError
from harness.images.image import pins
from harness.images.recipe import package_locks
from harness.kit.ask import make_step
from harness.manifest.datasets import contradicted_files
from harness.manifest.load import Loaded, load
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
    telling_of_files,
    with_cuts,
    wordings_pin,
)
from harness.run.locking.models import INSTRUMENTS, MODELS, every_model, pin_model
from harness.run.locking.published import PublishedPins, published
from harness.run.planning.derived import held_lock
from harness.run.planning.plan import CheckedManifest, check_wordings
from harness.studies.registry import find

Pins = dict[str, dict[str, Any]]
WHOLE = "lockfiles/requirements.txt"  # what locks pinned, whatever a run used of it, before they pinned the image's own


def static_pins(loaded: Loaded) -> Pins:
    """Return the pins that need no data to be made: models and instruments, prompts, images, packages."""
    manifest = loaded.manifest
    models: Pins = {MODELS: {}, **({INSTRUMENTS: {}} if manifest.instruments else {})}
    for named in every_model(manifest):
        models[named.part][named.name] = pin_model(loaded, named)
    prompts: dict[str, Any] = wordings_pin(loaded)
    for name in manifest.prompts.names if manifest.prompts else ():
        path = find(manifest.study).prompt_sets[name]
        data = path.read_bytes()
        file = path.resolve().relative_to(code_root()).as_posix()
        prompts[name] = {"file": file, "sha256": sha256(data), "rows": data.count(b"\n")}
    known = pins(loaded.root)
    unknown = {"unresolved": "lockfiles/images.json names no such image; the local engine needs none"}
    images = {name: known[name].as_data() if name in known else unknown for name in _images(loaded)}
    files = file_pins(loaded)
    own = {FILES: files} if files else {}
    return {**models, "prompts": prompts, "images": images, "packages": _packages(loaded), **own}


def _images(loaded: Loaded) -> list[str]:
    """Name the images of a manifest: the one its steps run in, and the one of foreign code where it names one."""
    return [name for name in (loaded.manifest.image, loaded.manifest.sandbox) if name]


def _packages(loaded: Loaded, held: Collection[str] = ()) -> dict[str, Any]:
    """Pin what the environment is made of that the manifest names; as an older lock did, where that is what is held."""
    whole = {WHOLE: loaded.root / WHOLE}
    of_images = {name: path for each in _images(loaded) for name, path in package_locks(loaded.root, each).items()}
    found = whole if WHOLE in held else of_images
    return {name: {"sha256": sha256(path.read_bytes())} for name, path in found.items() if path.is_file()}


def resolve(loaded: Loaded, checked: CheckedManifest, workshop: Workshop, had: PublishedPins | None = None) -> Lock:
    """Resolve every name of a manifest to a lock; datasets are made here, so that a plan knows their rows.

    `had` holds the pins of published data; without it that data is fetched first. What cannot be had is pinned as
    unresolved. Refuses a manifest whose name another one has, and a dataset without a row.
    """
    _only_one(loaded)
    check_wordings(loaded, checked)
    pins = static_pins(loaded)
    bring_files(loaded, Lock({}, "", pins), workshop.store)
    had = had or published(loaded.manifest, workshop.store, workshop.cancel)
    datasets: dict[str, Any] = dict(had.pins)
    data = FetchedData.pinned(datasets, pins.get(FILES))
    for name, drawn in checked.made.items():
        if lacks := drawn.lacks(had.pins, had.how):
            datasets[name] = {"unresolved": lacks}
            continue
        step = make_step(drawn.dataset(0, data), drawn.maker.kind, drawn.maker.outputs)
        with telling_of_files(own=drawn.own):
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
    certificates = certificate_pins(loaded.root, loaded.manifest.study)
    files = with_cuts(pins.get(FILES, {}), datasets, _held(loaded), workshop.store.blobs)
    late = {CERTIFICATES: certificates, TABLES: table_pins(loaded.manifest.study, checked.tables), FILES: files}
    found = {kind: some for kind, some in late.items() if some}
    return Lock(loaded.manifest.intent(), loaded.sha256, {**pins, "datasets": datasets, **found})


def _held(loaded: Loaded) -> Lock | None:
    """Load the lock that this one follows; one that cannot be read counts as none."""
    try:
        return held_lock(loaded)
    except InputError:
        return None


def _only_one(loaded: Loaded) -> None:
    """Refuse a name that another manifest of the project has: the two would share one lock."""
    for path in sorted((loaded.root / "manifests").rglob("*.yaml")):
        if path.resolve() != loaded.path:
            try:
                other = load(path).manifest.name
            except InputError:
                continue  # its own verbs will say what is wrong with it
            if other == loaded.manifest.name:
                raise InputError(
                    f"two manifests are called {other!r}",
                    where=loaded.tree.at(("name",)),
                    next=f"rename this one or {path.relative_to(loaded.root)}",
                )


def changed_pins(loaded: Loaded, lock: Lock) -> list[str]:
    """List the parts of a lock that no longer fit the manifest and the files here; makes and fetches no data."""
    moved = [f"manifest{pointer}" for pointer in differences(lock.intent, loaded.manifest.intent())]
    if not moved and lock.manifest_sha256 != loaded.sha256:
        moved.append("manifest (its text, not its meaning)")
    moved += [f"pins/datasets/{name}" for name in sorted(set(lock.pins["datasets"]) ^ set(loaded.manifest.datasets))]
    moved += [
        f"pins/datasets{pointer}" for pointer in contradicted_files(lock.intent["datasets"], lock.pins["datasets"])
    ]
    now = {**static_pins(loaded), "packages": _packages(loaded, lock.pins["packages"])}
    if tables := {*lock.of(TABLES), *loaded.manifest.tables}:
        now[TABLES] = table_pins(loaded.manifest.study, tables)
    if held_files := lock.of(FILES):  # where items were cut as they grew is no matter of the files as they are
        now[FILES] = {name: {**pin, **_cuts(held_files, name)} for name, pin in now.get(FILES, {}).items()}
    late = (each for each in LATE_KINDS if each != CERTIFICATES and lock.of(each))
    for kind in dict.fromkeys([*now, *late]):
        moved += [f"pins/{kind}{pointer}" for pointer in differences(lock.of(kind), now.get(kind, {}))]
    if held := lock.of(CERTIFICATES):  # a lock that pins none fits whatever was certified since
        certified = certificate_pins(loaded.root, loaded.manifest.study)
        moved += [f"pins/{CERTIFICATES}{pointer}" for pointer in differences(held, certified)]
    return moved


def _cuts(held: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {CUTS: held[name][CUTS]} if CUTS in held.get(name, {}) else {}


def require_fit(loaded: Loaded, lock: Lock | None) -> Lock:
    """Return the lock of a manifest if it still fits; refuse a missing one, and name the pins that moved."""
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


def _require_here(loaded: Loaded, lock: Lock) -> None:
    """Tell what the lock pins and this machine lacks apart from what moved."""
    pins = static_pins(loaded)
    for kind in (MODELS, INSTRUMENTS):
        now = pins.get(kind, {})
        for name, pin in lock.of(kind).items():
            if "unresolved" in now.get(name, {}) and "unresolved" not in pin:
                what, _, remedy = now[name]["unresolved"].partition("; ")
                noun = kind.removesuffix("s")
                raise MissingError(f"{noun} {name!r} is pinned and not to be had here: {what}", next=remedy)
