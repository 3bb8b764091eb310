"""Parsers for two documents that a run keeps, code closures and environments, and the comparison of environments.

A document with missing or wrongly typed fields is refused here, so that readers need not check them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.digest import parse
from harness.errors import InputError
from harness.store.blobs import is_digest

COMPUTING = ("numpy", "scipy", "torch")  # a number that differs comes of these more often than of any other package
_TEXTS = ("image", "python", "implementation", "platform")
_ENVIRONMENTS = ("environment/2", "environment/1")  # what the harness writes, and what it wrote


def closure_files(data: bytes, where: str) -> dict[str, str]:
    """Parse a code closure: return the digest of each file of a step's code by its path; refuse a malformed one."""
    body = parse(data, "closure/1", where)
    files = body.get("files")
    if set(body) != {"type", "files"} or not isinstance(files, dict) or not files:
        raise _refuse("a closure names the files of a step's code", where)
    if not all(isinstance(digest, str) and is_digest(digest) for digest in files.values()):
        raise _refuse("a closure names each file by its SHA-256", where)
    return files


def read_environment(data: bytes, where: str) -> dict[str, Any]:
    """Parse an environment document: image, Python, platform and packages; refuse a malformed one."""
    older = b'"type":"environment/1"' in data[-40:]  # the last field of all, in canonical form
    body = parse(data, _ENVIRONMENTS[older], where)
    if not all(isinstance(body.get(name), str) for name in _TEXTS):
        raise _refuse(f"an environment says its {', '.join(_TEXTS)}", where)
    packages, loose = body.get("packages"), body.get("loose")
    if not isinstance(packages, dict) or not all(map(_is_package, packages.values())) or not isinstance(loose, dict):
        raise _refuse("an environment names each package with its version and its record", where)
    if not isinstance(body.get("stdlib", ""), str):
        raise _refuse("an environment names the standard library by its digest", where)
    return body


def environment_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """List what differs between two environments: Python, platform, standard library, packages, modules."""
    yield from interpreter_changes(old, new)
    yield from module_changes(old, new)


def interpreter_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """List what differs between two environments beside their packages: Python, platform, standard library."""
    for field, called in (("python", "Python"), ("platform", "platform")):
        if old[field] != new[field]:
            yield f"{called} {old[field]} → {new[field]}"
    if "stdlib" in old and "stdlib" in new and old["stdlib"] != new["stdlib"]:
        yield "the standard library"


def module_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """List the packages and other modules that differ between two environments, those that compute numbers first.

    A package is told by both versions, or by its altered files where those differ.
    """
    for name in sorted({*old["packages"], *new["packages"]}, key=lambda name: (name not in COMPUTING, name)):
        one, two = old["packages"].get(name), new["packages"].get(name)
        if one != two:
            versions = [package["version"] if package else "absent" for package in (one, two)]
            files = sorted({*_altered(one)} ^ {*_altered(two)})
            if files:
                yield f"{name}: {', '.join(files[:4])}"
            else:
                yield f"{name} {versions[0]}" + (
                    f" → {versions[1]}" if versions[0] != versions[1] else ", of other files"
                )
    for name in sorted({*old["loose"], *new["loose"]}):
        if old["loose"].get(name) != new["loose"].get(name):
            yield f"{name}, which no package lists"
    if old["type"] != new["type"]:
        yield f"told as {old['type']} → {new['type']}"


def _altered(package: Mapping[str, Any] | None) -> list[str]:
    """Give the files of a package that were not the installed ones, each with the digest that it had."""
    return [str(one) for one in package.get("altered", ())] if package else []


def _is_package(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("altered", []), list | dict):
        return False
    return all(isinstance(value.get(name), str) for name in ("version", "record"))


def _refuse(what: str, where: str) -> InputError:
    return InputError(what, where=where, next="`harness audit RUN` names what else is not as it should be")
