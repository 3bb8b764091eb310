"""Derived manifests: what `run -m`, `--only` and `--set` mean, as a manifest of its own beside its parent.

The same options on the same parent give the same bytes under the same name. It runs, locks and writes nothing but that
file, and never knows a study.
"""

from __future__ import annotations

import copy
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.digest import sha256
from harness.errors import InputError
from harness.files import read_plain, write_atomic
from harness.manifest.load import PLAIN_JSON, Loaded, load, typed_manifest
from harness.manifest.lockfile import Lock, load_lock
from harness.manifest.read import Place
from harness.manifest.write import spell
from harness.run.derived_parts import (
    DATASET,
    MODEL,
    keep_possible_outputs,
    keep_tapes,
    only_datasets,
    only_models,
    read_only_options,
)
from harness.run.derived_settings import read_set_option, set_value
from harness.run.derived_tree import derived_tree
from harness.run.model_option import read_model_option
from harness.run.plan import check_manifest

FOLDER = "manifests/derived"
FIRST = ("harness", "study", "name", "about")  # what a manifest begins with
OWN_NAME = "rename it and take `derived` out, so that it is a manifest of its own; or delete it, and it is made again"


@dataclass(frozen=True)
class DerivedOptions:
    """The options that derive a manifest from another one, as texts."""

    models: Sequence[str] = ()  # NAME=PROVIDER/REST
    only: Sequence[str] = ()  # model=a,b  dataset=x
    settings: Sequence[str] = ()  # PATH=VALUE

    def __bool__(self) -> bool:
        """Whether any of them is given."""
        return bool(self.models or self.only or self.settings)


def derive(parent: Loaded, options: DerivedOptions) -> Loaded:
    """Write the manifest that options make of a parent, unless it is there, and load it.

    Refuses what the schema or the study refuses, naming the option; and a file that was edited since it was written.
    """
    if parent.manifest.derived:
        raise InputError(
            "this manifest is derived itself",
            where=parent.tree.where,
            next=f"give them to {parent.manifest.derived.parent}, after {_joined(parent.manifest.derived.changes)}",
        )
    value, places, changes = _changed(parent, options)
    at = parent.path.relative_to(parent.root).as_posix()
    origin = {"derived": {"from": at, "sha256": parent.sha256, "changes": changes}}
    tree = derived_tree(parent.tree, value, places)
    draft = replace(parent, manifest=typed_manifest(tree), tree=tree)
    keep_tapes(value, parent.manifest, draft.manifest)
    keep_possible_outputs(value, draft, parent.manifest.outputs.keys() - {place[-1] for place in places})
    digest = sha256(spell({**value, **origin}, PLAIN_JSON).encode())
    value["name"] = f"{parent.manifest.name[:71]}-{digest[:8]}"
    first = {name: value.pop(name) for name in FIRST if name in value}
    value = {**first, **origin, **value}
    data = (_comment(at, parent.sha256, changes) + spell(value, PLAIN_JSON)).encode()
    path = parent.root / FOLDER / f"{value['name']}.yaml"
    tree = derived_tree(parent.tree, value, places)
    check_manifest(Loaded(typed_manifest(tree), data, tree, path, parent.root, parent.homes))
    _write(path, data)
    return load(path, parent.homes)


def held_lock(loaded: Loaded) -> Lock | None:
    """Load the lock that a new one of a manifest follows: its own; of a derived one its parent's. None without any.

    So data that has grown since the parent was locked first is cut where the parent's lock cuts it.
    """
    origin = loaded.manifest.derived
    path = loaded.root / origin.parent if origin else loaded.path
    if not (origin and path.is_file()):
        return load_lock(loaded.root, loaded.manifest.name)
    return load_lock(loaded.root, load(path, loaded.homes).manifest.name)


def _changed(parent: Loaded, options: DerivedOptions) -> tuple[dict[str, Any], dict[Place, str], list[str]]:
    """Apply the options to the parent's tree; gives it, the places that options wrote, and the options in order."""
    value: dict[str, Any] = copy.deepcopy(parent.tree.value)
    places: dict[Place, str] = {}
    for option in sorted(map(read_model_option, options.models), key=lambda option: option.name):
        models = value["models"] = value.get("models") or {}
        if option.name in models:
            raise InputError(
                f"there is a model {option.name!r} already",
                where=option.text,
                next=f"give this one another name: -m NAME={option.text.partition('=')[2]}",
            )
        models[option.name] = dict(option.said)
        places["models", option.name] = option.text
    changes = list(places.values())
    only = read_only_options(options.only)
    if MODEL in only:
        only_models(value, only[MODEL])
    if DATASET in only:
        only_datasets(value, only[DATASET], parent)
    changes += [only[kind].text for kind in sorted(only)]
    put: dict[Place, str] = {}
    for change in sorted(map(read_set_option, options.settings)):
        place = set_value(value, change)
        if near := [one for one in put if one[: len(place)] == place[: len(one)]]:
            raise InputError(f"{put[near[0]]} sets this too", where=change.where, next="set each value once")
        put[place] = change.where
        changes.append(change.text)
    value.pop("claims", None)
    return value, {**places, **put}, changes


def _comment(parent: str, digest: str, changes: Sequence[str]) -> str:
    return (
        f"# Derived by the harness from {parent} (sha256 {digest[:12]}…):\n"
        f"#   harness run {shlex.quote(parent)} {_joined(changes)}\n"
        "# The same options give this file again. It makes no claims, and no run of it is ever accepted: to keep it\n"
        "# as a manifest of your own, copy it, give it a name of its own and take `derived` out.\n"
    )


def _joined(changes: Sequence[str]) -> str:
    """Join options to one line of a shell; what no line can hold is escaped."""
    words = (text.partition(" ") for text in changes)
    line = " ".join(f"{option} {shlex.quote(value)}" for option, _, value in words)
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


def _write(path: Path, data: bytes) -> None:
    """Write a derived manifest; one of the same name and other bytes is somebody's edit, and is kept."""
    if not path.exists():
        write_atomic(path, data)
    elif read_plain(path) != data:
        raise InputError("this derived manifest was edited", where=str(path), next=OWN_NAME)
