"""Datasets made by a study's makers: what a manifest says of each, checked against its maker and typed.

It runs no maker, and never reads data.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError
from harness.manifest.coverage import count_text, is_files
from harness.manifest.datasets import Fetched, FetchedFiles, Made
from harness.manifest.own_files import OwnFile
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.steps import Pinned
from harness.studies.study import Dataset, FileSet, Maker, Study


@dataclass(frozen=True)
class MadeDataset:
    """One dataset to be made: its maker, its typed parameters, and the published data it reads."""

    name: str
    make: str
    maker: Maker
    params: Mapping[str, Any]
    files: Mapping[str, str]  # parameter -> the fetched dataset it names
    folders: Mapping[str, str] = field(default_factory=dict)  # the same, of datasets that have many files
    own: bool = False  # its files are the project's, and none is fetched

    def dataset(self, rows: int, data: FetchedData) -> Dataset:
        """Return the dataset as a study's plan receives it: parameters, row count and the pinned files it reads."""
        files = {parameter: data.files[to] for parameter, to in self.files.items()}
        folders = {parameter: data.folders[to] for parameter, to in self.folders.items()}
        return Dataset(self.name, self.make, self.params, rows, files, folders, data.cuts.get(self.name, ()))

    def lacks(self, pins: Mapping[str, Any], how: Mapping[str, str]) -> str:
        """Describe the published data that the maker needs and that is not here, and how to get it; "" if none."""
        if self.own:
            return ""
        for parameter, to in {**self.files, **self.folders}.items():
            pin = pins[to]
            if "unresolved" in pin:
                return f"it needs {to}, which is unresolved"
            if parameter in self.maker.whole and pin.get("absent"):
                lacking = count_text(len(pin["files"]), pin["absent"])
                return f"it needs every file of {to}, and has {lacking}; {how[to]}"
        return ""


@dataclass(frozen=True)
class FetchedData:
    """Published data by the name of its dataset: one file each, or many; and files of the project."""

    files: Mapping[str, Pinned]
    folders: Mapping[str, FileSet]
    cuts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of datasets whose file has grown

    @classmethod
    def pinned(cls, pins: Mapping[str, Any], own: Mapping[str, Any] | None = None) -> FetchedData:
        """Read the published data from the pins of a lock, and files of the project from its pins of those."""
        many, own = {name: pin for name, pin in pins.items() if is_files(pin)}, own or {}
        return cls(
            {name: Pinned(pin["sha256"]) for name, pin in {**pins, **own}.items() if "sha256" in pin},
            {name: _file_set(pin["files"], pin.get("absent", ())) for name, pin in many.items()},
            {name: tuple(pin["cuts"]) for name, pin in own.items() if "cuts" in pin},
        )

    @classmethod
    def placeholder(cls, manifest: Manifest) -> FetchedData:
        """Return placeholders for published data before it is pinned, as if every file were here."""
        some, said = "0" * 64, manifest.datasets.items()
        many = {name: dataset.fetch for name, dataset in said if isinstance(dataset, FetchedFiles)}
        return cls(
            {name: Pinned(some) for name, dataset in said if isinstance(dataset, Fetched)}
            | {pin: Pinned(some) for name, one in said if isinstance(one, OwnFile) for pin in pin_names(name, one)},
            {name: _file_set(dict.fromkeys(files, some)) for name, files in many.items()},
        )


def pin_names(name: str, dataset: OwnFile) -> dict[str, str]:
    """Name the pins of a dataset's own files: by pin, what its maker calls the file."""
    return {name if parameter == "file" else f"{name}/shots": parameter for parameter in dataset.files}


def _own(name: str, dataset: OwnFile, settings: Mapping[str, Any], study: Study, tree: Tree) -> MadeDataset:
    """Take a file of the project for a dataset that the study's reader of such files makes."""
    place = ("datasets", name, "file")
    if study.own_files is None:
        raise InputError(
            f"study {study.name} reads no file of one's own", where=tree.at(place),
            next="use one of its makers (`make: …`); questions of one's own are asked by `study: questions`",
        )  # fmt: skip
    formats = {parameter: dataset.format_of(file) for parameter, file in dataset.files.items()}
    said = dataset.model_dump(mode="json", exclude_none=True)
    try:
        fields = study.own_fields(said["fields"], settings)
    except InputError as bad:
        raise InputError(bad.what, where=tree.at(("settings", *bad.where.split("."))), next=bad.next) from bad
    params = {**said, "fields": dict(fields), "dataset": name, "format": formats["file"]}
    if dataset.shots:
        params["shots"] = {**said["shots"], "format": formats.get("shots_file", formats["file"])}
    files = {parameter: pin for pin, parameter in pin_names(name, dataset).items()}
    return MadeDataset(name, "file", study.own_files(params), params, files, own=True)


def _file_set(files: Mapping[str, str], absent: Collection[str] = ()) -> FileSet:
    return FileSet({path: Pinned(sha) for path, sha in files.items() if path not in absent}, tuple(absent))


def made_datasets(manifest: Manifest, study: Study, tree: Tree) -> dict[str, MadeDataset]:
    """Return, by name, the datasets that a manifest makes, checked against the study's makers, parameters typed.

    Refuses an unknown maker, wrong or missing parameters, and two datasets whose items would have the same ids.
    """
    found: dict[str, MadeDataset] = {}
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, OwnFile):
            if manifest.agents:
                raise InputError(
                    f"agents cannot attempt dataset {name!r}, which is a file of one's own", where=tree.at(("agents",)),
                    next="take `agents` out of this manifest; models are asked its questions",
                )  # fmt: skip
            found[name] = _own(name, dataset, manifest.settings, study, tree)
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
        made = [each for each in found.values() if not each.own]
        twins = [each.name for each in made if each.maker is maker or maker.ids == each.maker.ids != ""]
        if twins and "items" in maker.outputs:
            raise InputError(
                f"datasets {twins[0]!r} and {name!r} would give their items the same ids",
                where=tree.at((*place, "make")),
                next="keep one of them, or write a second manifest",
            )
        given = dict(dataset.model_extra or {})
        files = _named(Fetched, maker.files, given, (manifest, tree, place))
        folders = _named(FetchedFiles, maker.folders, given, (manifest, tree, place))
        _require(maker, {**files, **folders}, tree, place)
        params = {**maker.fixed, **_typed(maker, given, tree, place)}
        found[name] = MadeDataset(name, dataset.make, maker, params, files, folders)
    return found


# How a dataset of each form is called, and how one is written.
_FORMS: Mapping[type, tuple[str, str]] = {
    Fetched: ("that is fetched", "{fetch: https://…, sha256: …, licence: …}"),
    FetchedFiles: ("of many files that are fetched", '{fetch: {"a.csv": {url: https://…, sha256: …}}, licence: …}'),
}


def _named(
    form: type, parameters: tuple[str, ...], given: dict[str, Any], at: tuple[Manifest, Tree, tuple[str, ...]]
) -> dict[str, str]:
    """Take from a dataset's parameters those that name published data: another dataset of the manifest, fetched."""
    found, (called, written), (manifest, tree, place) = {}, _FORMS[form], at
    for name in (name for name in parameters if name in given):
        other = given.pop(name)
        if not isinstance(manifest.datasets.get(other) if isinstance(other, str) else None, form):
            known = [key for key, value in manifest.datasets.items() if isinstance(value, form)]
            raise InputError(
                f"`{'.'.join((*place, name))}` names no dataset {called}",
                where=tree.at((*place, name)),
                next=f"name one of: {', '.join(known)}" if known else f"add one: `{written}`",
            )
        found[name] = other
    return found


def _require(maker: Maker, found: Mapping[str, str], tree: Tree, place: tuple[str, ...]) -> None:
    for name in maker.needs:
        if name not in found:
            field = ".".join((*place, name))
            raise InputError(
                f"`{field}` is missing", where=tree.at(place), next=f"add `{name}: …`, a dataset that is fetched"
            )


def _typed(maker: Maker, given: Mapping[str, Any], tree: Tree, place: tuple[str, ...]) -> dict[str, Any]:
    known = {**maker.params, **maker.optional}
    unknown = sorted(set(given) - set(known))
    if unknown:
        taken = (*known, *maker.files, *maker.folders)
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
