"""Tables of a study: data files in its folder `tables/`, read by its steps and pinned by path and digest.

Pinned are those that the study's plan reads or the manifest names; others are in no lock. No table is parsed here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from harness.digest import sha256
from harness.errors import InputError
from harness.kit.study import Study
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.run.closure import code_root
from harness.steps import Pinned, Plan
from harness.studies.registry import find

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
