"""A study's settings and instruments in a manifest, checked against the study that types and names them.

A study types its settings and names the roles it knows; here what is written is held against both, with its line. It
must never know a lock or a step.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from harness.errors import InputError
from harness.manifest.load import explain
from harness.manifest.read import Tree
from harness.manifest.schema import Manifest
from harness.run.named_models import INSTRUMENTS
from harness.studies.study import REQUIRED, Study

SETTINGS = "settings"


def typed_settings(manifest: Manifest, study: Study, tree: Tree) -> Mapping[str, Any]:
    """Return a manifest's settings for its study, typed and with the study's defaults; refuse what does not fit."""
    kind = study.settings_type
    if kind is None:
        if manifest.settings:
            raise InputError(
                f"study {study.name} has no settings", where=tree.at((SETTINGS,)), next="take `settings` out"
            )
        return {}
    try:
        read: TypeAdapter[Any] = TypeAdapter(kind)
        typed: dict[str, Any] = read.dump_python(read.validate_python(manifest.settings), mode="json")
        return typed
    except ValidationError as bad:
        raise explain(bad, tree, kind, (SETTINGS,)) from None


def require_roles(manifest: Manifest, study: Study, tree: Tree) -> None:
    """Refuse an instrument that the study does not know, one that is missing, and one named like a model."""
    for role in manifest.instruments:
        where = tree.at((INSTRUMENTS, role))
        if role not in study.roles:
            known = ", ".join(study.roles)
            close = difflib.get_close_matches(role, study.roles, 1)
            remedy = f"it has: {known}" if known else "take it out: this study measures with no model"
            raise InputError(
                f"study {study.name} has no instrument {role!r}",
                where=where,
                next=(f"did you mean `{close[0]}`? " if close else "") + remedy,
            )
        if role in manifest.models:
            raise InputError(
                f"{role!r} is the name of a model and of an instrument", where=where, next="give the model another name"
            )
    lacking = [role for role, need in study.roles.items() if need == REQUIRED and role not in manifest.instruments]
    if lacking:
        raise InputError(
            f"study {study.name} needs the instrument `{lacking[0]}`",
            where=tree.at((INSTRUMENTS,)),
            next=f"add `instruments: {{{lacking[0]}: {{provider: …}}}}`",
        )
