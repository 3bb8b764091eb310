"""The data that a study's makers draw: what a manifest says of each dataset, held against its maker and typed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.manifest.read import Tree
from harness.manifest.schema import Fetched, Made, Manifest
from harness.steps import Pinned
from harness.studies.study import Dataset, Maker, Study


@dataclass(frozen=True)
class Drawn:
    """One dataset that is made here: by which maker, from which parameters, out of which published data."""

    name: str
    make: str
    maker: Maker
    params: Mapping[str, Any]
    files: Mapping[str, str]  # parameter -> the fetched dataset it names

    def dataset(self, rows: int, data: Mapping[str, Pinned]) -> Dataset:
        """Give it as its maker is told of it."""
        return Dataset(self.name, self.make, self.params, rows, {field: data[to] for field, to in self.files.items()})


def drawn(manifest: Manifest, study: Study, tree: Tree) -> dict[str, Drawn]:
    """Hold the datasets a manifest makes against the study's makers, and type their parameters."""
    found: dict[str, Drawn] = {}
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
        twins = [each.name for each in found.values() if each.maker is maker or maker.ids == each.maker.ids != ""]
        if twins and "items" in maker.outputs:
            raise InputError(
                f"datasets {twins[0]!r} and {name!r} would give their items the same ids",
                where=tree.at((*place, "make")),
                next="keep one of them, or write a second manifest",
            )
        given = dict(dataset.model_extra or {})
        files = _files(maker, given, manifest, tree, place)
        found[name] = Drawn(name, dataset.make, maker, {**maker.fixed, **_typed(maker, given, tree, place)}, files)
    return found


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
        taken = (*known, *maker.files)
        close = difflib.get_close_matches(unknown[0], taken, 1)
        raise InputError(
            f"unknown key `{'.'.join((*place, unknown[0]))}`",
            where=tree.at((*place, unknown[0])),
            next=(f"did you mean `{close[0]}`? " if close else "") + f"this maker takes: {', '.join(taken)}",
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
                    f"`{field}` must be a whole number, not {text!r}",
                    where=tree.at((*place, name)),
                    next=f"write a whole number in digits alone, 0 or more: `{name}: 20`",
                )
            typed[name] = int(text)
            continue
        try:
            typed[name] = kind(text)
        except InputError as bad:
            raise InputError(f"`{field}` is wrong: {bad.what}", where=tree.at((*place, name)), next=bad.next) from None
    return typed
