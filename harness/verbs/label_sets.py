"""Labels by others than a grader's makers: a file says who labelled, what they saw, and where the rows are.

The rows stay as their labellers left them; the description says which of their fields the scorer takes, and where the
label is. The sealed rows are named by their digest, which is written before a rule is touched, and are read only to
measure a grader. This module does not grade.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from harness.digest import canonical_json, sha256
from harness.errors import InputError
from harness.files import translating_os_errors
from harness.kit.certificate import KINDS, PARTS, LabellerRow
from harness.texts import reject_duplicates

LONGEST = 80  # letters of a label, of an id and of a labeller's name
EXAMPLE = '{"by": "blind", "labellers": [{"kind": "person", "name": "A. Reader"}], "saw": "question and paper", …}'
NEXT = f"write it as docs/architecture.md says of certificates: {EXAMPLE}"

Row = Mapping[str, Any]
Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST, pattern=r"^[ -~]*[!-~][ -~]*$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=400)]
Pointer = Annotated[str, StringConstraints(pattern=r"^(/[^/]+)+$", max_length=200)]  # of a field inside a row


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Labeller(_Closed):
    """One who labelled: a person, a model or a paper, by name, and where their own label is, if two labelled."""

    kind: Literal["person", "model", "paper"]
    name: Name
    label: Pointer | None = None
    classes: Mapping[str, str] = Field(default={}, alias="as")  # what they wrote -> the label that it means


class LabelledFile(_Closed):
    """A file of labelled rows beside the description, named by the digest of its bytes."""

    file: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*\.jsonl$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    rows: Annotated[int, Field(gt=0)]


class Description(_Closed):
    """The description of a set of labels: who labelled, what they saw, and the files with the labelled rows."""

    by: Literal["blind", "published"]
    labellers: Annotated[Sequence[Labeller], Field(min_length=1, max_length=2)]
    saw: Text  # while they labelled; for published labels, where they are published
    label: Pointer = "/label"
    id: Pointer = "/id"
    instance: Pointer | None = None  # rows that belong together have the same one
    fields: Mapping[str, Pointer] = Field(default={})  # of the scorer; default: all fields of a row but its labels
    open: LabelledFile | None = None
    sealed: LabelledFile | None = None

    @model_validator(mode="after")
    def _whole(self) -> Description:
        if not (self.open or self.sealed):
            raise PydanticCustomError("rows", "it names no rows: give `open`, `sealed` or both")
        if wrong := [one.kind for one in self.labellers if one.kind not in KINDS[self.by]]:
            needed = " or ".join(KINDS[self.by])
            raise PydanticCustomError("kind", f"labels that are {self.by} are by a {needed}, and not by a {wrong[0]}")
        own = {self.label, *(one.label for one in self.labellers)}
        if seen := [name for name, pointer in self.fields.items() if pointer in own]:
            raise PydanticCustomError("seen", f"the scorer would see a label in its field {seen[0]}")
        if len(self.labellers) == 2 and not all(one.label for one in self.labellers):
            raise PydanticCustomError("two", "of two labellers each needs `label`, the field with the label they gave")
        return self


@dataclass(frozen=True)
class LabelledRow:
    """A row as it is measured: its label, what its two labellers said, and the fields that the scorer gets."""

    id: str
    instance: str
    label: str
    said: tuple[str, ...]
    given: Row


@dataclass(frozen=True)
class LabelSet:
    """A description of labels by others, and its own digest and folder."""

    path: Path
    sha256: str
    told: Description

    @property
    def labellers(self) -> list[LabellerRow]:
        """Who labelled, kind and name of each, in the form that a certificate has."""
        return [{"kind": one.kind, "name": one.name} for one in self.told.labellers]

    def _named(self, part: str) -> LabelledFile | None:
        return dict(zip(PARTS, (self.told.open, self.told.sealed), strict=True))[part]

    def is_here(self, part: str) -> bool:
        """Whether the rows of a part can be read here, if the description names any."""
        named = self._named(part)
        return named is None or (self.path.parent / named.file).is_file()

    def rows(self, part: str) -> list[LabelledRow]:
        """Read the rows of a part, `develop` (open) or `frozen` (sealed); raises InputError if they are others."""
        named = self._named(part)
        if named is None:
            return []
        path = self.path.parent / named.file
        with translating_os_errors(path):
            data = path.read_bytes()
        if sha256(data) != named.sha256:
            what = "the sealed rows are not" if part == "frozen" else "the rows are not"
            raise InputError(
                f"{what} those that the description names: it says SHA-256 {named.sha256[:12]}…, and they have "
                f"{sha256(data)[:12]}…",
                where=str(path),
                next="restore the rows; sealed rows never change, and other rows need a description of their own",
            )
        rows = list(self._read(data, path))
        if len(rows) != named.rows:
            what = f"the description says {named.rows} rows, and there are {len(rows)}"
            raise InputError(what, where=str(path), next="write how many rows the file has")
        if len({row.id for row in rows}) != len(rows):
            what = f"two rows have the same `{self.told.id}`"
            raise InputError(what, where=str(path), next="name in `id` the field that tells rows apart")
        return rows

    def _read(self, data: bytes, path: Path) -> Iterator[LabelledRow]:
        for number, line in enumerate(data.splitlines(), 1):
            if line.strip():
                yield self._row(object_of_line(line, f"{path}:{number}"), f"{path.name}:{number}", number)

    def _row(self, row: Row, where: str, number: int) -> LabelledRow:
        told = self.told
        name, instance = value_at_pointer(row, told.id), value_at_pointer(row, told.instance) if told.instance else None
        said = [_label(row, one.label, one.classes, where) for one in told.labellers if one.label]
        return LabelledRow(
            id=_short(str(number) if name is None else name, "id", where),
            instance=_key(name if instance is None else instance, number),
            label=_short(value_at_pointer(row, told.label), told.label, where),
            said=tuple(said) if len(told.labellers) == 2 else (),
            given=self._given(row),
        )

    def _given(self, row: Row) -> Row:
        """Return the fields that the scorer gets: never a label of any labeller."""
        if self.told.fields:
            found = ((name, value_at_pointer(row, pointer)) for name, pointer in self.told.fields.items())
            return {name: value for name, value in found if value is not None}
        told = [self.told.label, *(one.label for one in self.told.labellers if one.label)]
        hidden = {*(pointer.split("/")[1] for pointer in told), "label", "part", "instance"}
        return {name: value for name, value in row.items() if name not in hidden}


def read_label_set(path: Path) -> LabelSet:
    """Read the description of labels by others; raises InputError if it does not say who labelled what."""
    with translating_os_errors(path):
        data = path.read_bytes()
    try:
        told = Description.model_validate(object_of_line(data, str(path)))
    except ValidationError as bad:
        raise _explained(bad, path) from None
    return LabelSet(path, sha256(data), told)


def _explained(bad: ValidationError, path: Path) -> InputError:
    first = bad.errors(include_url=False)[0]
    place = "/".join(map(str, first["loc"]))
    if place.startswith("labellers"):
        what = f"it does not say who labelled: `{place}`: {first['msg'].lower()}"
    elif place == "by":
        what = "`by` is neither `blind` nor `published`"
    else:
        what = f"`{place}`: {first['msg'].lower()}" if place else first["msg"]
    return InputError(f"these labels are not described: {what}", where=str(path), next=NEXT)


def object_of_line(line: bytes, where: str) -> Row:
    """Parse a line that holds one JSON object; raise InputError for anything else, and for duplicate names."""
    try:
        row = json.loads(line, object_pairs_hook=reject_duplicates)
    except (ValueError, RecursionError) as bad:
        raise InputError(f"this is not JSON: {bad}", where=where, next="give one JSON object") from bad
    if not isinstance(row, dict):
        raise InputError("a JSON object is needed", where=where, next="give {name: value, …}")
    return row


def value_at_pointer(row: Row, pointer: str) -> Any:
    """Return the value at a pointer in a row; None if there is none."""
    value: Any = row
    for name in pointer.split("/")[1:]:
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _label(row: Row, pointer: str, classes: Mapping[str, str], where: str) -> str:
    """Return the label that a labeller gave, by the classes of what they wrote, if there are any."""
    value = value_at_pointer(row, pointer)
    written = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else value
    if classes and written not in classes:
        what = f"`{pointer}` is none of {', '.join(classes)}"
        raise InputError(what, where=where, next="name in `as` the label that it means")
    return _short(classes[str(written)] if classes else written, pointer, where)


def _short(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str) or not value.isascii() or not 0 < len(value) <= LONGEST:
        what = f"`{name}` is missing, or no ASCII text of at most {LONGEST} letters"
        raise InputError(what, where=where, next="a certificate names rows by it")
    return value


def _key(value: Any, number: int) -> str:
    """Return the text that names an instance: a text itself, or the digest of another value."""
    return value if isinstance(value, str) else str(number) if value is None else sha256(canonical_json(value))


def require_one_each(sets: Sequence[LabelSet]) -> None:
    """Raise InputError if two descriptions are of the same kind of labeller: a certificate has one set of each."""
    kinds = [one.told.by for one in sets]
    if twice := [kind for kind in kinds if kinds.count(kind) > 1]:
        what = f"two files describe labels that are {twice[0]}"
        raise InputError(what, where="--others", next="describe all their rows in one file")
