"""Build plan of an image: from recipe and locks to layers, each with all inputs that decide its bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.clock import stamp
from harness.digest import sha256_file
from harness.errors import InputError
from harness.images import locks
from harness.images.image import MOVED
from harness.images.layers import debian, debs, layer, programs, python, wheels
from harness.images.layers.sources import Archive
from harness.images.licences import of_wheel
from harness.images.locks import DEBS, Deb, Debs, Wheel, read_debs, read_wheels
from harness.images.oci import labels
from harness.images.recipe import LocatedRecipe, Recipe, lineage
from harness.store.store import Store

Tell = Callable[[str, str, int, int], None]  # step, state, done, total
Make = Callable[[Path, Path], None]  # scratch folder, the layer's file


@dataclass(frozen=True)
class LayerPlan:
    """Plan of one layer: every input that decides its bytes, and the function that writes it."""

    title: str
    inputs: Mapping[str, Any]
    make: Make


@dataclass(frozen=True)
class BuildPlan:
    """Plan of an image: recipe, layers lowest first, packages by file name, labels, and locks to write afterwards."""

    name: str
    recipe: Recipe
    parts: tuple[LayerPlan, ...]
    sources: Mapping[str, str]
    relocked: Mapping[Path, Debs]  # locks that are to be written once the image is whole
    labels: Mapping[str, str]


def plan_build(
    store: Store,
    root: Path,
    name: str,
    tell: Tell,
    *,
    moved: bool = False,
    relock: bool = False,
    archive: Archive = debs.OWN,
) -> BuildPlan:
    """Plan the layers of an image and of those it is based on, and fetch every package that the store lacks.

    Packages are those of the locks, or the newest Debian ones: of all recipes with `moved`, of its own with `relock`.
    """
    parts: list[LayerPlan] = []
    sources: dict[str, str] = {}
    stacked: list[Wheel] = []
    relocked: dict[Path, Debs] = {}
    line = lineage(root, name)

    def say(text: str) -> None:
        tell("packages", text, 0, len(line))

    for one in line:
        recipe = one.recipe
        if recipe.suite:
            chosen = _debs(store, one, name, say, archive, newest=moved or (relock and one is line[-1]))
            if relock and one is line[-1]:
                relocked[one.folder / DEBS] = Debs(recipe.suite, recipe.packages, tuple(chosen), _taken())
            parts.append(_debian_part(store, recipe, chosen))
            sources.update({deb.file: deb.sha256 for deb in chosen})
        if path := one.requirements:
            found = _wheels(path, one)
            wheels.ensure_wheels(store, found, say)
            stacked += found
            python.check(store.blobs, stacked)
            parts += _wheel_parts(store, recipe, found)
            sources.update({wheel.label: wheel.sha256 for wheel in found})
    said = labels([one.recipe for one in line], sources, [of_wheel(store.blobs, wheel) for wheel in stacked])
    return BuildPlan(name + MOVED * moved, line[-1].recipe, tuple(parts), sources, relocked, said)


def _taken() -> str:
    """Time stamp of a query to the archive, in the form that snapshot archives use."""
    return stamp().partition("-")[0]


def _debs(
    store: Store, one: LocatedRecipe, name: str, say: Callable[[str], None], archive: Archive, *, newest: bool
) -> Sequence[Deb]:
    if newest:
        return debs.resolve(store, one.recipe.suite, one.recipe.packages, say, archive)
    locked = read_debs(one)
    debs.ensure_debs(store, name, locked, say, archive)
    return locked.packages


def _wheels(path: Path, one: LocatedRecipe) -> tuple[Wheel, ...]:
    found = read_wheels(path, path.relative_to(one.root).as_posix())
    unknown = sorted(set(one.recipe.heavy) - {wheel.name for wheel in found})
    if unknown:
        raise InputError(
            f"`heavy` names wheels that the lock does not hold: {', '.join(unknown)}",
            where=one.tree.at(("heavy",)),
            next=f"remove them, or lock them in {one.recipe.requirements}",
        )
    return found


def _debian_part(store: Store, recipe: Recipe, chosen: Sequence[Deb]) -> LayerPlan:
    inputs = {
        "type": "layer-inputs/1",
        "kind": "debian",
        "code": _code(debian, layer, programs),
        "epoch": recipe.epoch,
        "suite": recipe.suite,
        "packages": sorted([deb.file, deb.sha256] for deb in chosen),
    }

    def make(folder: Path, target: Path) -> None:
        debian.write(store.blobs, folder, chosen, recipe.suite, recipe.epoch, target)

    return LayerPlan("debian", inputs, make)


def _wheel_parts(store: Store, recipe: Recipe, found: Sequence[Wheel]) -> list[LayerPlan]:
    heavy = [wheel for wheel in found if wheel.name in recipe.heavy]
    light = [wheel for wheel in found if wheel.name not in recipe.heavy]
    return [_wheel_part(store, recipe, title, some) for title, some in (("heavy", heavy), ("light", light)) if some]


def _wheel_part(store: Store, recipe: Recipe, title: str, found: Sequence[Wheel]) -> LayerPlan:
    inputs = {
        "type": "layer-inputs/1",
        "kind": "wheels",
        "code": _code(python, layer),
        "epoch": recipe.epoch,
        "packages": [[wheel.name, wheel.version, wheel.sha256] for wheel in found],
    }

    def make(folder: Path, target: Path) -> None:
        python.write(store.blobs, found, recipe.epoch, target)

    return LayerPlan(f"{title} wheels", inputs, make)


def _code(*modules: Any) -> list[str]:
    """Digests of the source files that make a layer, so that a change of code makes it again."""
    return [sha256_file(Path(str(module.__file__)))[0] for module in (*modules, locks)]
