"""Files of a project that a manifest names: datasets and wordings of one's own, pinned by digest, and stored.

A file is hashed and copied here, and never read for what it means: a step does that.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.digest import sha256, sha256_file
from harness.errors import InputError, StepError
from harness.files import translating_os_errors
from harness.manifest.load import Loaded, inside
from harness.manifest.lockfile import Lock
from harness.manifest.own_files import OwnFile
from harness.manifest.prompts import Prompts, WordingsFile
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.run.made_datasets import pin_names
from harness.store.blobs import Blobs
from harness.store.store import Store
from harness.studies.registry import find
from harness.studies.study import Study

FILES, CUTS = "files", "cuts"  # a kind of pins, and what a pin says of items that grew
OWN_WORDINGS = "file"  # the pin of a file of wordings
MOST = 1 << 20  # bytes of a file of wordings
_REFUSAL = re.compile(r"step \S+ failed: InputError: (.*) where: (.*) next: (.*)")  # as `run/step.py` ends
OWN = "`prompts: {text: …}`, `{texts: […]}`, `{turns: […]}` or `{file: …}`"


def require_own_wordings(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Refuse wordings of one's own where the study has published ones, and published ones where it has none."""
    said = manifest.prompts
    if said is None or isinstance(said, Prompts) != bool(study.own_wordings):
        return
    place = ("prompts", next(iter(said.model_fields_set)))
    if study.own_wordings:
        raise InputError(
            f"study {study.name} has no set of wordings", where=tree.at(place), next=f"write your own: {OWN}"
        )
    known = ", ".join(study.prompt_sets)
    raise InputError(
        f"study {study.name} takes no wordings of one's own", where=tree.at(place),
        next=f"name a set, `set: …`: {known}" if known else "leave `prompts` out: its data brings them along",
    )  # fmt: skip


def _named(manifest: Manifest) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Name the files of a manifest's own datasets: each pin, its path, and its place in the manifest."""
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, OwnFile):
            for pin, parameter in pin_names(name, dataset).items():
                place = ("file",) if parameter == "file" else ("shots", "file")
                yield pin, dataset.files[parameter], ("datasets", name, *place)


def file_pins(loaded: Loaded) -> dict[str, dict[str, Any]]:
    """Pin the files of a manifest's own datasets; InputError, with the manifest's line, for one that is not there."""
    found: dict[str, dict[str, Any]] = {}
    for pin, file, place in _named(loaded.manifest):
        path = inside(loaded.root, file, loaded.tree.at(place))
        with translating_os_errors(path):
            found[pin] = {"file": file, "sha256": sha256_file(path)[0]}
    return found


@contextlib.contextmanager
def telling_of_files(*, own: bool) -> Iterator[None]:
    """Context manager that gives a step's refusal of a person's file as what it is: file, row, column, mend."""
    try:
        yield
    except StepError as bad:
        told = _REFUSAL.fullmatch(bad.what) if own else None
        if told is None:
            raise
        raise InputError(told[1], where=told[2], next=told[3]) from bad


def wordings_pin(loaded: Loaded) -> dict[str, dict[str, Any]]:
    """Pin a file of wordings, if the manifest names one: path, digest, and how many there are."""
    if not isinstance(loaded.manifest.prompts, WordingsFile):
        return {}
    data = wordings_bytes(loaded)
    count = sum(1 for line in data.split(b"\n") if line.strip())
    return {OWN_WORDINGS: {"file": loaded.manifest.prompts.file, "sha256": sha256(data), "rows": count}}


def wordings_bytes(loaded: Loaded) -> bytes:
    """Read a manifest's file of wordings; one that is longer than 1 MiB is refused."""
    assert isinstance(loaded.manifest.prompts, WordingsFile)
    path = inside(loaded.root, loaded.manifest.prompts.file, loaded.tree.at(("prompts", "file")))
    with translating_os_errors(path), open(path, "rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise InputError("a file of wordings is at most 1 MiB", where=str(path), next="keep data in a dataset's file")
    return data


def wordings_in(loaded: Loaded) -> list[Any]:
    """Parse a manifest's file of wordings, a JSON object a line; InputError, with the line, for one that is none."""
    assert isinstance(loaded.manifest.prompts, WordingsFile)
    read = find(loaded.manifest.study).own_wordings
    return list(read(wordings_bytes(loaded), loaded.manifest.prompts.file)) if read else []


def changed_file(loaded: Loaded, held: Mapping[str, Any]) -> str:
    """Name the first of a manifest's own files whose bytes are not those that a lock pins; empty where all are."""
    pins = {**file_pins(loaded), **wordings_pin(loaded)}
    return next((str(pin["file"]) for name, pin in pins.items() if name in held and _moved(pin, held[name])), "")


def _moved(now: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    return bool(now["file"] == held.get("file") and now["sha256"] != held["sha256"])


def bring_files(loaded: Loaded, lock: Lock, store: Store) -> None:
    """Copy what a lock pins of a project's own files into the store; InputError for a file that changed since."""
    pins = {**lock.of(FILES), **{name: pin for name, pin in lock.of("prompts").items() if name == OWN_WORDINGS}}
    for pin in pins.values():
        if store.blobs.state(pin["sha256"]) != "sound":
            path = inside(loaded.root, pin["file"], loaded.tree.where)
            if store.blobs.copy(path)[0] != pin["sha256"]:
                raise InputError(
                    f"{pin['file']} is not the file that the lock pins", where=loaded.tree.where,
                    next=f"`harness lock {loaded.path.name}` pins it as it is now",
                )  # fmt: skip


def with_cuts(new: Mapping[str, Any], datasets: Mapping[str, Any], old: Lock | None, blobs: Blobs) -> dict[str, Any]:
    """Add to the pins of files where their items were cut before rows were appended, so that nothing is asked again.

    `datasets` are the new pins of what was made of the files; the items that `old` pins must stand unchanged before
    those that are new.
    """
    found = {name: dict(pin) for name, pin in new.items()}
    for name in found.keys() & (old.of("datasets") if old else {}).keys():
        assert old
        before, now = old.of("datasets")[name].get("items"), datasets.get(name, {}).get("items")
        if not before or not now:
            continue
        cuts = [cut for cut in old.of(FILES).get(name, {}).get(CUTS, ()) if cut < now["rows"]]
        if now["rows"] > before["rows"] and _begins(blobs.deliver(now["sha256"]), before):
            cuts.append(before["rows"])
        if cuts:
            found[name][CUTS] = cuts
    return found


def _begins(path: Path, before: Mapping[str, Any]) -> bool:
    """Whether a table begins with the rows of another one, which is known by its digest and their number."""
    with open(path, "rb") as rows:
        head = [rows.readline() for _ in range(before["rows"])]
    return sha256(b"".join(head)) == str(before["sha256"])
