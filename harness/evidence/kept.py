"""The documents a run keeps beside its outputs: the code of its steps, and what they could import.

Whoever reads one takes its fields for what they are: a document that says something else is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.digest import parse
from harness.errors import InputError
from harness.store.blobs import is_digest

_TEXTS = ("image", "python", "implementation", "platform")


def files_of(data: bytes, where: str) -> dict[str, str]:
    """Read a closure: the files of a step's code, each with its digest."""
    body = parse(data, "closure/1", where)
    files = body.get("files")
    if set(body) != {"type", "files"} or not isinstance(files, dict) or not files:
        raise _refuse("a closure names the files of a step's code", where)
    if not all(isinstance(digest, str) and is_digest(digest) for digest in files.values()):
        raise _refuse("a closure names each file by its SHA-256", where)
    return files


def environment_of(data: bytes, where: str) -> dict[str, Any]:
    """Read an environment: the image it is of (`none`: a machine), Python, and every package by name."""
    body = parse(data, "environment/1", where)
    if not all(isinstance(body.get(name), str) for name in _TEXTS):
        raise _refuse(f"an environment says its {', '.join(_TEXTS)}", where)
    packages, loose = body.get("packages"), body.get("loose")
    if not isinstance(packages, dict) or not all(map(_is_package, packages.values())) or not isinstance(loose, dict):
        raise _refuse("an environment names each package with its version and its record", where)
    return body


def _is_package(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(value.get(name), str) for name in ("version", "record"))


def _refuse(what: str, where: str) -> InputError:
    return InputError(what, where=where, next="`harness audit RUN` names what else is not as it should be")
