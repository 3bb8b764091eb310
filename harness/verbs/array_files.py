"""Array files (.npz) as input and output of an analysis: members become its fields, arrays of its result a file.

A field is filled by the member of its name; a field marked for the second file, by the member that its mark names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from harness import arrays
from harness.errors import InputError
from harness.files import translating_os_errors
from harness.scorers.given import parts
from harness.scorers.given_arrays import listed, marked

MOST_LISTED = 100_000  # elements of arrays that are written as JSON


def is_arrays(path: Path) -> bool:
    """Whether a file holds named arrays (.npz); a lone array (.npy) is refused, as it has no name of a field."""
    with translating_os_errors(path):  # what is no file, such as a pipe, is read once, by whoever reads it whole
        form = arrays.file_format(path) if path.is_file() else ""
    if form == "npy":
        raise InputError(
            "this array has no name, and fields have one", where=str(path), next="save it in a .npz file by name"
        )
    return form == "npz"


def fields(model: type[BaseModel], file: Path | None, second: Path | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Read an analysis' fields from up to two files, beside those in `given`; a field given twice is refused."""
    found: dict[str, Any] = dict(given)
    sources = [_members(model, file)] if file else []
    sources += [_second(model, second)] if second else []
    for source in sources:
        for name, value in source.items():
            if name in found:
                raise InputError(f"the field `{name}` is given twice", where=name, next="leave it out in one place")
            found[name] = value
    return found


def _members(model: type[BaseModel], file: Path) -> dict[str, Any]:
    """Read every member as a field: as an array, or as plain values where the field takes no array."""
    plain = {name for part in parts(model) for name in part.model_fields} - marked(model).keys()
    with translating_os_errors(file):
        return {name: _plain(one, name) if name in plain else one for name, one in arrays.read_all(file).items()}


def _plain(array: Any, name: str) -> Any:
    _require_few(array.size, f"the field `{name}` takes no array, and", "give fewer", name)
    return array.tolist()


def _second(model: type[BaseModel], file: Path) -> dict[str, Any]:
    wanted = {name: mark.second for name, mark in marked(model).items() if mark.second}
    if not wanted:
        raise InputError("this analysis takes nothing from a second file", where=str(file), next="leave out --with")
    with translating_os_errors(file):
        there = arrays.headers(file)
        if "" in there or not any(member in there for member in wanted.values()):
            needed = ", ".join(f"`{member}` (for `{name}`)" for name, member in wanted.items())
            raise InputError("the second file has nothing for it", where=str(file), next=f"it takes: {needed}")
        return {name: arrays.read(file, member) for name, member in wanted.items() if member in there}


def plain(result: Mapping[str, Any], to: Path | None) -> dict[str, Any]:
    """Convert a result to JSON values: its arrays become lists or, with `to`, members of that file, by their names.

    Lists of more than 100,000 elements in all are refused.
    """
    found = dict(_arrays(result, ""))
    if to is None:
        _require_few(sum(int(array.size) for array in found.values()), "the result's arrays have too much to read:")
        return dict(listed(result))
    if not found:
        raise InputError("the result has no array to write", where=str(to), next="leave out -o")
    with translating_os_errors(to):
        arrays.write_all(to, found)
        return dict(listed(_pointed(result, "", {name: head.text() for name, head in arrays.headers(to).items()})))


def _require_few(
    count: int, what: str, advice: str = "write the result's arrays to a file: -o FILE.npz", where: str = ""
) -> None:
    if count > MOST_LISTED:
        more = f"{what} {count:,} elements are more than the {MOST_LISTED:,} that are listed"
        raise InputError(more, where=where, next=advice)


def _arrays(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _arrays(one, f"{at}.{name}" if at else name)
    elif getattr(value, "ndim", 0):
        yield at, value


def _pointed(value: Any, at: str, said: Mapping[str, str]) -> Any:
    """Replace arrays of a result by the names of the file's members."""
    if isinstance(value, Mapping):
        return {name: _pointed(one, f"{at}.{name}" if at else name, said) for name, one in value.items()}
    return {"member": at, "array": said[at]} if at in said else value
