"""Preconditions of a run: what is checked of a manifest, an engine and this machine before the first step starts.

Each refuses with what to do; none changes anything, and none looks at what a step computes.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from harness.engines.engine import DISK, NETWORK, NO_IMAGE, Engine
from harness.engines.local import ISOLATIONS, advise_isolation, available
from harness.errors import InputError, MissingError
from harness.images.locks import PYTHON, read_wheels
from harness.images.recipe import lineage, names
from harness.manifest.load import Loaded
from harness.manifest.schema import Manifest, Resources
from harness.run.environment import cores
from harness.run.named_models import every_model
from harness.run.needed_packages import require_packages
from harness.steps import Plan

NEEDED = "rfc8785"  # all that a step imports besides Python and the harness: how numbers are spelled
CONTAINED = NETWORK | DISK | frozenset(("kernel", "others"))  # from foreign code, by whatever runs it


def require_runnable(loaded: Loaded, plan: Plan, engine: Engine, sandbox: Engine) -> None:
    """Refuse a run that lacks packages or CPU cores here, or whose foreign code the sandbox would not contain."""
    require_torch(loaded.manifest, engine.image)
    if engine.image == NO_IMAGE:
        require_packages(plan.steps)
    require_cores(loaded.manifest.resources)
    require_contained(plan, sandbox)


def require_image(loaded: Loaded) -> None:
    """Refuse a manifest's image whose recipe lacks the package that every step needs; without a recipe, no check."""
    root, image = loaded.root, loaded.manifest.image
    if image not in names(root) or _has_needed(root, image):
        return
    others = [name for name in names(root) if _has_needed(root, name)]
    raise InputError(
        f"image {image!r} can run no step: it holds no {NEEDED}",
        where=loaded.tree.at(("image",)),
        next=f"choose one of: {', '.join(others)}" if others else f"lock {NEEDED} among its recipe's requirements",
    )


def _has_needed(root: Path, image: str) -> bool:
    locks = [path for one in lineage(root, image) if (path := one.requirements)]
    return any(wheel.name == NEEDED for path in locks for wheel in read_wheels(path, path.name))


def require_torch(manifest: Manifest, image: str) -> None:
    """Refuse local models outside an image where torch is not installed beside this Python."""
    wanted = [named.name for named in every_model(manifest) if named.model.weights]
    if wanted and image == NO_IMAGE and importlib.util.find_spec("torch") is None:
        raise MissingError(
            f"{wanted[0]} is a local model, and torch is not installed beside this Python",
            next="pip install 'llm-harness[local]'; in a checkout `make setup` brings it where torch is locked "
            f"for its Python (PYTHON=python{PYTHON} make setup); or run with --engine docker",
        )


def require_cores(resources: Resources) -> None:
    """Refuse more threads than this machine has cores, since libraries would silently use fewer."""
    if (resources.threads or 1) > cores():
        raise MissingError(
            f"the manifest computes in {resources.threads} threads, and this machine has {cores()} cores",
            where="resources.threads", next="run it on a machine that has as many, or write fewer: another run then",
        )  # fmt: skip


def require_contained(plan: Plan, engine: Engine) -> None:
    """Refuse foreign code where the isolation does not keep it from network, disk and other processes."""
    if tried := [step.name for step in plan.steps if step.trial]:
        require_containment(engine, tried[0])


def require_containment(engine: Engine, where: str) -> None:
    """Refuse an engine whose isolation does not claim to contain foreign code."""
    if not engine.claims >= CONTAINED:
        raise MissingError(
            f"the isolation {engine.isolation!r} does not contain foreign code", where=where,
            next="run with --isolation bubblewrap, or with --engine docker" if available()[0] == ISOLATIONS[0]
            else f"run in bubblewrap ({advise_isolation()}), or with --engine docker",
        )  # fmt: skip
