"""Pins of made datasets, and of the study's tables that a plan reads: digest and row count of each file in a lock.

A run must make the same. No data is made here, and no lock is changed.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.digest import differences, sha256, sha256_file
from harness.errors import InputError, StepError
from harness.evidence.trail import data_pin
from harness.files import translating_os_errors
from harness.kit.study import Dataset, FileSet, Maker, Study
from harness.manifest.datasets import Fetched, FetchedFiles, Made, OwnFile, count_text, is_files
from harness.manifest.load import Loaded, inside
from harness.manifest.lockfile import Lock
from harness.manifest.models import Prompts, WordingsFile
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.run.closure import code_root
from harness.steps import Pinned, Plan
from harness.store.blobs import Blobs
from harness.store.store import Entry, Store
from harness.studies.registry import find


def dataset_pin(entry: Entry, store: Store) -> dict[str, Any]:
    """Return the pin of a made dataset: the digest of each of its files, and its row count if it has rows."""
    return {name: data_pin(one.sha256, store.blobs.deliver(one.sha256)) for name, one in entry.outputs.items()}


def require_dataset(name: str, entry: Entry, lock: Lock, store: Store) -> None:
    """Refuse a made dataset that differs from its pin, before anything is computed from it."""
    moved = list(differences(lock.pins["datasets"][name], dataset_pin(entry, store)))
    if moved:
        raise InputError(
            f"dataset {name!r} is not the one the lock pins; moved: "
            + ", ".join(f"pins/datasets/{name}{pointer}" for pointer in moved),
            next="if its maker was meant to change, `harness lock` again and review the change in git",
        )


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
            f"study {study.name} reads no file of one's own",
            where=tree.at(place),
            next="use one of its makers (`make: …`); questions of one's own are asked by `study: questions`",
        )
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
                    f"agents cannot attempt dataset {name!r}, which is a file of one's own",
                    where=tree.at(("agents",)),
                    next="take `agents` out of this manifest; models are asked its questions",
                )
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
        files = _made_datasets_named(Fetched, maker.files, given, (manifest, tree, place))
        folders = _made_datasets_named(FetchedFiles, maker.folders, given, (manifest, tree, place))
        _require(maker, {**files, **folders}, tree, place)
        params = {**maker.fixed, **_typed(maker, given, tree, place)}
        found[name] = MadeDataset(name, dataset.make, maker, params, files, folders)
    return found


# How a dataset of each form is called, and how one is written.
_FORMS: Mapping[type, tuple[str, str]] = {
    Fetched: ("that is fetched", "{fetch: https://…, sha256: …, licence: …}"),
    FetchedFiles: ("of many files that are fetched", '{fetch: {"a.csv": {url: https://…, sha256: …}}, licence: …}'),
}


def _made_datasets_named(
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
        f"study {study.name} takes no wordings of one's own",
        where=tree.at(place),
        next=f"name a set, `set: …`: {known}" if known else "leave `prompts` out: its data brings them along",
    )


def _own_files_named(manifest: Manifest) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Name the files of a manifest's own datasets: each pin, its path, and its place in the manifest."""
    for name, dataset in manifest.datasets.items():
        if isinstance(dataset, OwnFile):
            for pin, parameter in pin_names(name, dataset).items():
                place = ("file",) if parameter == "file" else ("shots", "file")
                yield pin, dataset.files[parameter], ("datasets", name, *place)


def file_pins(loaded: Loaded) -> dict[str, dict[str, Any]]:
    """Pin the files of a manifest's own datasets; InputError, with the manifest's line, for one that is not there."""
    found: dict[str, dict[str, Any]] = {}
    for pin, file, place in _own_files_named(loaded.manifest):
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
                    f"{pin['file']} is not the file that the lock pins",
                    where=loaded.tree.where,
                    next=f"`harness lock {loaded.path.name}` pins it as it is now",
                )


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


TABLES = "tables"


class Tables(dict[str, Pinned]):
    """The data files ("tables") that a plan may read, by name, as inputs; an unknown name raises InputError."""

    def __missing__(self, name: str) -> Pinned:
        """Raise InputError: there is no table of this name, or the lock does not pin it yet."""
        known = ", ".join(sorted(self)) or "none"
        raise InputError(
            f"there is no table {name!r} to plan with",
            where=f"tables there are: {known}",
            next="put it in the study's folder `tables/`; where it lies there, `harness lock` again pins it",
        )


def placeholder_tables(study: Study) -> Tables:
    """Return all tables of a study with digests made of their names, for planning before a lock pins any."""
    return Tables({name: Pinned(sha256(f"table {name}".encode())) for name in study.tables})


def pinned_tables(pins: Mapping[str, Any]) -> Tables:
    """Return the tables that a lock pins, from its pins of that kind."""
    return Tables({name: Pinned(pin["sha256"]) for name, pin in pins.items()})


def tables_read(plan: Plan, tables: Tables) -> set[str]:
    """Return the names of those tables whose digest is an input of a step of the plan."""
    sources = [source for step in plan.steps for source in step.inputs.values()]
    parts = [part for source in sources for part in (source if isinstance(source, tuple) else (source,))]
    read = {part.sha256 for part in parts if isinstance(part, Pinned)}
    return {name for name, pinned in tables.items() if pinned.sha256 in read}


def require_named(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Refuse a table that a manifest names and its study does not have."""
    known = study.tables if manifest.tables else {}
    for place, name in enumerate(manifest.tables):
        if name not in known:
            raise InputError(
                f"study {study.name} has no table {name!r}",
                where=tree.at((TABLES, place)),
                next=f"choose one of: {', '.join(known)}" if known else "put it in the study's folder `tables/`",
            )


def table_pins(study: str, names: Collection[str]) -> dict[str, Any]:
    """Return the pins of a study's tables: path below the code root and digest; none for a table that is gone."""
    found = find(study).tables if names else {}
    return {
        name: {
            "file": found[name].resolve().relative_to(code_root()).as_posix(),
            "sha256": sha256(found[name].read_bytes()),
        }
        for name in sorted(names)
        if name in found
    }
