"""Views: what agents may see of a split, made by the plan's own steps and kept in the store, apart from all else.

Datasets are made and prompts rendered as for any run; gold is made with them and never read here.
"""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from harness.digest import document, document_digest, parse, sha256
from harness.errors import DamageError, HarnessError, InputError
from harness.files import write_atomic
from harness.manifest.agent_splits import SPLITS
from harness.manifest.attempt_manifest import AskedPart, asked_part
from harness.manifest.load import Loaded
from harness.manifest.lockfile import Lock
from harness.run.attempt_prompts import PromptMaker, prompt_steps
from harness.run.attempt_rows import Control, ImageFile, PromptTables, view_lines, view_rows
from harness.run.closure import Code
from harness.run.named_models import MODELS
from harness.run.plan import check_manifest, plan
from harness.run.workshop import Workshop
from harness.steps import Plan, Step
from harness.store.journal import MOST_START
from harness.store.limits import MOST_NOTE
from harness.store.store import Store

ITEMS, MEDIA, CONTROL_FILE = "items.jsonl", "media.bin", "canary.json"
CODE = "harness.run.attempt_rows:view_rows"


@dataclass(frozen=True)
class ViewSpec:
    """What a view shows: a split of a manifest, or a subset of it (empty: all of it), and what that asks."""

    split: str
    subset: str
    part: AskedPart


@dataclass(frozen=True)
class View:
    """A view in a store: its folder and what identifies it."""

    folder: Path
    sha256: str  # of its items
    media: str  # SHA-256 of its images' file
    items: int  # how many prompts, the control row aside
    control: Mapping[str, str]  # key of the control row, and SHA-256 of its word

    @property
    def items_file(self) -> Path:
        """The file of its rows."""
        return self.folder / ITEMS

    @property
    def media_file(self) -> Path:
        """The file of its images."""
        return self.folder / MEDIA


def views(store: Store) -> Path:
    """Give the folder of a store's views."""
    return store.root / "views"


def view_spec(loaded: Loaded, split: str, subset: str = "") -> ViewSpec:
    """Say what a split shows, or a subset of it; InputError for an unknown one."""
    return ViewSpec(split, subset, asked_part(loaded.manifest, split, subset))


def identity(loaded: Loaded, lock: Lock, spec: ViewSpec, steps: list[Step], code: Code) -> str:
    """Give the digest of all that a view is made from: lock, split, and the code of every step and of its rows."""
    kinds = {step.kind for step in steps} | {CODE}
    return document_digest(
        {
            "type": "view-of/1",
            "lock": lock.sha256,
            "name": loaded.manifest.name,
            "split": spec.split,
            "datasets": list(spec.part.datasets),
            "items": spec.part.items,
            "templates": list(spec.part.templates),
            "code": {kind: code.closure(kind).digest for kind in sorted(kinds)},
        }
    )


def find_view(store: Store, made_of: str) -> View | None:
    """Find a sound view that was made from this; None where there is none."""
    folder = views(store)
    for name in store.tree.list_folders(folder):
        try:
            found = read_view(store, name, made_of)
        except HarnessError:
            continue  # a damaged one is made anew
        if found:
            return found
    return None


def read_view(store: Store, name: str, made_of: str = "") -> View | None:
    """Read a view by its digest, every byte checked; None where it was made from something else.

    DamageError where it is not here, or not what its name says.
    """
    folder = views(store) / name
    if not all(store.tree.is_file(folder / file) for file in (ITEMS, MEDIA, CONTROL_FILE)):
        raise _damaged(folder)
    with store.tree.open_file(folder / ITEMS) as lines:
        try:
            header = json.loads(lines.readline(MOST_START))
            if made_of and header.get("of") != made_of:
                return None
            media, items = str(header["media"]), int(header["items"])
        except (ValueError, LookupError, AttributeError, TypeError):
            raise _damaged(folder) from None
    if store.tree.hash_file(folder / ITEMS) != name or store.tree.hash_file(folder / MEDIA) != media:
        raise _damaged(folder)
    secret = store.tree.read_file(folder / CONTROL_FILE, MOST_NOTE).rstrip(b"\n")
    control = parse(secret, "control/1", str(folder / CONTROL_FILE))
    known = {"key": str(control["key"]), "sha256": sha256(str(control["word"]).encode())}
    return View(folder, name, media, items, known)


def _damaged(folder: Path) -> DamageError:
    return DamageError(
        "this view is missing or damaged", where=str(folder), next="restore the store from a copy, or start anew"
    )


def planned_view(loaded: Loaded, lock: Lock, spec: ViewSpec) -> tuple[Plan, list[Step]]:
    """Plan a manifest as a view needs it; gives the plan, and the steps that write the prompts, which may be none."""
    asked = replace(lock, pins={**lock.pins, MODELS: {}})  # an agent answers: none of the models need be here
    planned = plan(check_manifest(loaded), asked, spec.part.items)
    return planned, prompt_steps(planned, spec.part.datasets)


def make_view(loaded: Loaded, lock: Lock, spec: ViewSpec, store: Store, workshop: Callable[[], Workshop]) -> View:
    """Give the view of a split from the store, or make it there: data, prompts, rows, images without metadata.

    The workshop is opened only where something is to be made. InputError for a split that asks nothing.
    """
    planned, steps = planned_view(loaded, lock, spec)
    if not steps:
        raise InputError(
            f"split {spec.split!r} asks nothing",
            where=loaded.tree.at((*SPLITS, spec.split)),
            next="name datasets that a model is asked about, or leave the split out",
        )
    made_of = identity(loaded, lock, spec, steps, Code())
    if found := find_view(store, made_of):
        return found
    maker = PromptMaker(loaded, check_manifest(loaded), lock, planned, workshop())
    return _write(loaded, spec, made_of, maker.tables(steps), store)


def _write(loaded: Loaded, spec: ViewSpec, made_of: str, tables: list[PromptTables], store: Store) -> View:
    """Write a view under the digest of its rows: whole, or not at all."""
    images, control = ImageFile(), Control(str(uuid.uuid4()), secrets.token_hex(12))
    found = view_rows(tables, spec.part.templates, images)
    if not found:
        raise InputError(
            f"split {spec.split!r} has no prompt in the wordings it names",
            where=loaded.tree.at((*SPLITS, spec.split, "templates")),
            next="name numbers that its prompt sets have",
        )
    media = b"".join(images.pieces)
    header = {"study": loaded.manifest.name, "split": spec.split, "subset": spec.subset, "of": made_of}
    data = b"".join(view_lines(header, found, control, sha256(media)))
    secret = document({"type": "control/1", "key": control.key, "record": control.record, "word": control.word})
    name = sha256(data)
    folder = views(store) / name
    store.tree.make_folder(views(store))
    with store.folder("view") as temp:
        write_atomic(temp / CONTROL_FILE, secret + b"\n", mode=0o600)
        write_atomic(temp / MEDIA, media, mode=0o444)
        write_atomic(temp / ITEMS, data, mode=0o444)
        store.tree.rename(temp, folder)
    known = {"key": control.key, "sha256": sha256(control.word.encode())}
    return View(folder, name, sha256(media), len(found), known)
