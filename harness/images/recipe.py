"""Image recipes (`images/NAME/image.yaml`): what an image is made of. Reading one fetches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from harness.errors import InputError
from harness.manifest.load import explain, inside
from harness.manifest.read import Tree, read_bytes, read_tree
from harness.manifest.schema import InsidePath, Name, Text

FOLDER = "images"
SUITES = ("bookworm",)


def _base(text: str) -> str:
    if text.startswith("debian/"):
        if text.removeprefix("debian/") not in SUITES:
            raise ValueError(f"the Debian suites are {', '.join(SUITES)}")
    elif "@sha256:" in text:
        raise ValueError("images of others are not supported: write debian/bookworm or the name of an image here")
    elif not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", text):
        raise ValueError(
            "a base is debian/bookworm or the name of an image here; a tag pins nothing, its bytes can change any day"
        )
    return text


DebianName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
WheelName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Recipe(BaseModel):
    """Recipe of an image: base, Debian packages, wheels, user and epoch, as a person writes them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    image: Literal["1"]
    name: Name
    about: Text
    base: Annotated[str, AfterValidator(_base)]
    packages: tuple[DebianName, ...] = ()
    requirements: InsidePath | None = None
    heavy: tuple[WheelName, ...] = ()
    source: Annotated[str, StringConstraints(pattern=r"^https://[!-~]{4,200}$")] | None = None  # where recipes are kept
    epoch: Annotated[int, Field(ge=0, lt=2**33)]
    user: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}:[0-9]{1,9}$")]

    @property
    def suite(self) -> str:
        """Debian suite of a base image; empty where the image is based on another."""
        return self.base.removeprefix("debian/") if self.base.startswith("debian/") else ""

    @model_validator(mode="after")
    def _fits(self) -> Recipe:
        if self.packages and not self.suite:
            raise ValueError("Debian packages belong into the recipe whose base is debian/…")
        if self.suite and not self.packages:
            raise ValueError("a recipe whose base is debian/… names its packages")
        if self.heavy and not self.requirements:
            raise ValueError("heavy wheels need `requirements`, the lock they stand in")
        return self


@dataclass(frozen=True)
class LocatedRecipe:
    """Recipe with the lines it was read from and the project it belongs to."""

    recipe: Recipe
    tree: Tree
    root: Path

    @property
    def folder(self) -> Path:
        """Folder of the recipe and its Debian lock."""
        return self.root / FOLDER / self.recipe.name

    @property
    def requirements(self) -> Path | None:
        """Path of the lock of its wheels, or None."""
        name = self.recipe.requirements
        return inside(self.root, name, self.tree.at(("requirements",))) if name else None


def names(root: Path) -> list[str]:
    """List the images a project has recipes for."""
    return sorted(path.parent.name for path in (root / FOLDER).glob("*/image.yaml"))


def load(root: Path, name: str) -> LocatedRecipe:
    """Read and validate the recipe of one image; an error where there is none, or where it is wrong."""
    known = names(root)
    if name not in known:
        raise InputError(
            f"there is no recipe for an image {name!r}",
            where=str(root / FOLDER),
            next=f"choose one of: {', '.join(known)}" if known else f"write {FOLDER}/{name}/image.yaml",
        )
    where = f"{FOLDER}/{name}/image.yaml"
    tree = read_tree(read_bytes(root / where), where)
    if not isinstance(tree.value, dict):
        raise InputError("a recipe is a map of names to values", where=where, next="begin with `image: 1`")
    try:
        recipe = Recipe.model_validate(tree.value)
    except ValidationError as bad:
        raise explain(bad, tree, Recipe) from None
    if recipe.name != name:
        raise InputError(
            f"the recipe in the folder {name!r} is called {recipe.name!r}",
            where=tree.at(("name",)),
            next="give folder and recipe one name",
        )
    return LocatedRecipe(recipe, tree, root)


def lineage(root: Path, name: str) -> list[LocatedRecipe]:
    """Recipes an image is stacked from, the Debian base first."""
    return list(_ancestors(load(root, name), ()))[::-1]


def package_locks(root: Path, name: str) -> dict[str, Path]:
    """Paths of the locks of an image's Python packages by name, base images first.

    Without a recipe it is `lockfiles/image-NAME.txt`. Debian's packages are not among them: steps import none, and
    the image's own digest covers them.
    """
    if name not in names(root):
        named = f"lockfiles/image-{name}.txt"
        return {named: root / named}
    return {str(one.recipe.requirements): path for one in lineage(root, name) if (path := one.requirements)}


def _ancestors(one: LocatedRecipe, seen: tuple[str, ...]) -> Iterator[LocatedRecipe]:
    yield one
    if one.recipe.suite:
        return
    base = one.recipe.base
    if base in (*seen, one.recipe.name):
        raise InputError(
            f"the image {base!r} is based on itself", where=one.tree.at(("base",)), next="begin with debian/bookworm"
        )
    if base not in names(one.root):
        raise InputError(
            f"`base` names no image of this project: {base!r}",
            where=one.tree.at(("base",)),
            next=f"write debian/bookworm or one of: {', '.join(names(one.root))}",
        )
    yield from _ancestors(load(one.root, base), (*seen, one.recipe.name))
