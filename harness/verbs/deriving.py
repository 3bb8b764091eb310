"""Options of the verb `run` that derive a manifest from the one that is named, and the derived manifest they give."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from harness.errors import InputError
from harness.manifest.load import Loaded
from harness.manifest.lockfile import load_lock
from harness.run.lock import changed_pins, require_fit
from harness.run.planning.derived import DerivedOptions, derive
from harness.run.service import RunTarget, lock_manifest
from harness.verbs.project import Request, Watch


class DerivedRequest(Request):
    """Part of a request: changes to the manifests that are named, each of which is then derived, locked and run."""

    with_models: Sequence[str] = Field(
        default=(), description="Models to ask besides, each `NAME=PROVIDER/MODEL` or `PROVIDER/MODEL`."
    )
    only: Sequence[str] = Field(default=(), description="What to keep: `model=a,b`, `dataset=x`.")
    settings: Sequence[str] = Field(default=(), description="Values to set, each `PATH=VALUE` of the manifest.")

    @property
    def options(self) -> DerivedOptions:
        """The options that derive a manifest; false where there are none."""
        return DerivedOptions(tuple(self.with_models), tuple(self.only), tuple(self.settings))


def derived(parent: Loaded, asked: DerivedRequest, place: RunTarget, watch: Watch) -> Loaded:
    """Write the manifest that a request derives from one, and lock it where it has no lock that fits.

    The manifest itself is returned where the request changes nothing of it. Refuses a parent whose lock is missing or
    no longer fits: what is derived rests on the same pinned data.
    """
    if not asked.options:
        return parent
    require_fit(parent, load_lock(parent.root, parent.manifest.name))
    loaded = derive(parent, asked.options)
    name, at = loaded.manifest.name, loaded.path.relative_to(loaded.root)
    held = load_lock(loaded.root, name)
    unfit = held is None or bool(changed_pins(loaded, held))  # the parent's fits, so this one follows it
    if unfit:
        locked = lock_manifest(loaded, place)
        for pin, reason in locked.unresolved.items():
            watch.say(f"  unresolved {pin}: {reason}")
    watch.say(f"{name}: {at}, derived from {parent.manifest.name}" + ("; locked" if unfit else ""))
    return loaded


def refuse_derived(loaded: Loaded, what: str) -> None:
    """Refuse a derived manifest where only one that a person wrote is meant."""
    if loaded.manifest.derived:
        raise InputError(
            f"{loaded.manifest.name} is derived from {loaded.manifest.derived.parent}, and {what}",
            where=loaded.tree.where,
            next=f"name {loaded.manifest.derived.parent}; or make it a manifest of its own, without `derived`",
        )
