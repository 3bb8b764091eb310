"""Files that travel with the harness: tiny models, image recipes, package locks, certificates.

In an installed package they lie inside it, where `setup.py` puts them; in a checkout, in its root. It must never know
a project: what a project has of these is its own, and pinned there.
"""

from __future__ import annotations

from pathlib import Path

from harness.errors import MissingError
from harness.run.closure import code_root

MODELS = "assets"
PACKED = "harness/shipped"  # below the folder of the package, as `setup.py` packs it


def shipped_root() -> Path:
    """Return the folder below which shipped files lie, under the paths that they have in a checkout."""
    packed = code_root() / PACKED
    return packed if packed.is_dir() else code_root()


def shipped_models() -> list[str]:
    """List the names of the shipped models."""
    return sorted(path.parent.name for path in (shipped_root() / MODELS).glob("*/config.json"))


def shipped_model(name: str) -> Path:
    """Return the folder of a shipped model; MissingError, with the names there are, for any other."""
    known = shipped_models()
    if name not in known:
        raise MissingError(
            f"no model {name!r} is shipped with the harness",
            next=f"name one of: {', '.join(known)}" if known else "install the harness again: its models are missing",
        )
    return shipped_root() / MODELS / name
