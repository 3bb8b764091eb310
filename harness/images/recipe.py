"""Image recipes (`images/NAME/image.yaml`) and lock files: every .deb and every wheel of an image, by SHA-256.

A package's licence is the one in its metadata, without guesses. Reading a recipe fetches nothing.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from harness.digest import encode_document, parse_document
from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.images.layers.sdist_wheel import SDISTS
from harness.manifest.load import explain_validation_error, resolve_inside
from harness.manifest.read import Tree, read_bytes, read_tree
from harness.manifest.schema import InsidePath, Name, Text
from harness.store.blobs import Blobs, is_digest

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
    source: Annotated[str, StringConstraints(pattern=r"^https://[!-~]{4,200}$")] | None = None  # URL of the recipes
    epoch: Annotated[int, Field(ge=0, lt=2**33)]
    user: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}:[0-9]{1,9}$")]

    @property
    def suite(self) -> str:
        """The Debian suite of a base image; empty if the image is based on another image."""
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
        """The folder of the recipe and its Debian lock."""
        return self.root / FOLDER / self.recipe.name

    @property
    def requirements(self) -> Path | None:
        """The path of the lock of its wheels, or None."""
        name = self.recipe.requirements
        return resolve_inside(self.root, name, self.tree.at(("requirements",))) if name else None


def recipe_names(root: Path) -> list[str]:
    """Return the names of the images that a project has recipes for."""
    return sorted(path.parent.name for path in (root / FOLDER).glob("*/image.yaml"))


def load_recipe(root: Path, name: str) -> LocatedRecipe:
    """Read and validate the recipe of one image; raises InputError if there is none, or if it is wrong."""
    known = recipe_names(root)
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
        raise explain_validation_error(bad, tree, Recipe) from None
    if recipe.name != name:
        raise InputError(
            f"the recipe in the folder {name!r} is called {recipe.name!r}",
            where=tree.at(("name",)),
            next="give folder and recipe one name",
        )
    return LocatedRecipe(recipe, tree, root)


def recipe_lineage(root: Path, name: str) -> list[LocatedRecipe]:
    """Return the recipes that an image is stacked from, the Debian base first."""
    return list(_ancestors(load_recipe(root, name), ()))[::-1]


def package_locks(root: Path, name: str) -> dict[str, Path]:
    """Return the paths of the locks of an image's Python packages by name, base images first.

    Without a recipe it is `lockfiles/image-NAME.txt`. Locks of Debian packages are not included, because steps import
    none and the image's own digest covers them.
    """
    if name not in recipe_names(root):
        named = f"lockfiles/image-{name}.txt"
        return {named: root / named}
    return {str(one.recipe.requirements): path for one in recipe_lineage(root, name) if (path := one.requirements)}


def _ancestors(one: LocatedRecipe, seen: tuple[str, ...]) -> Iterator[LocatedRecipe]:
    yield one
    if one.recipe.suite:
        return
    base = one.recipe.base
    if base in (*seen, one.recipe.name):
        raise InputError(
            f"the image {base!r} is based on itself", where=one.tree.at(("base",)), next="begin with debian/bookworm"
        )
    if base not in recipe_names(one.root):
        raise InputError(
            f"`base` names no image of this project: {base!r}",
            where=one.tree.at(("base",)),
            next=f"write debian/bookworm or one of: {', '.join(recipe_names(one.root))}",
        )
    yield from _ancestors(load_recipe(one.root, base), (*seen, one.recipe.name))


PYTHON = "3.11"  # the Python of images: that of their Debian, and the oldest one with locked packages

DEBS = "debs.json"


@dataclass(frozen=True)
class Deb:
    """Debian package in one version: name, version, architecture, SHA-256 and size."""

    name: str
    version: str
    arch: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        """The file name of the package: NAME_VERSION_ARCH.deb."""
        return f"{self.name}_{self.version.replace(':', '%3a')}_{self.arch}.deb"


@dataclass(frozen=True)
class Debs:
    """Debian lock: the packages, the request they were resolved from, and the time of that."""

    suite: str
    asked: tuple[str, ...]
    packages: tuple[Deb, ...]
    taken: str  # as 20260101T000000Z, the time as snapshot archives spell it

    def save(self, path: Path) -> None:
        """Write the lock to a file, its packages sorted by name and architecture."""
        body = {
            "type": "debs/1",
            "suite": self.suite,
            "asked": list(self.asked),
            "taken": self.taken,
            "packages": [vars(deb) for deb in sorted(self.packages, key=lambda deb: (deb.name, deb.arch))],
        }
        write_atomic(path, encode_document(body) + b"\n")


@dataclass(frozen=True)
class Wheel:
    """Locked wheel, and the line of the lock that names it."""

    name: str
    version: str
    sha256: str
    where: str
    sdist: str = ""  # SHA-256 of the source archive that it is made from, if the package has no wheel

    @property
    def label(self) -> str:
        """The name under which an image lists the wheel: NAME-VERSION.whl."""
        return f"{self.name}-{self.version}.whl"


def read_debs(loaded: LocatedRecipe) -> Debs:
    """Read the Debian lock beside a recipe; raises InputError if it was resolved for another request."""
    recipe, path = loaded.recipe, loaded.folder / DEBS
    mend = f"`harness images build {recipe.name} --relock` resolves its packages anew"
    if not path.is_file():
        raise InputError(f"the image {recipe.name} has no lock of its Debian packages", where=str(path), next=mend)
    try:
        with translating_os_errors(path):
            body = parse_document(path.read_bytes(), "debs/1", str(path))
        packages = tuple(Deb(**one) for one in body["packages"])
        debs = Debs(body["suite"], tuple(body["asked"]), packages, str(body["taken"]))
        sound = all(is_digest(deb.sha256) and _plain(deb) for deb in packages)
        if not sound or not re.fullmatch(r"\d{8}T\d{6}Z", debs.taken):
            raise ValueError
    except (LookupError, TypeError, AttributeError, ValueError) as bad:
        raise InputError("this is not a lock of Debian packages", where=str(path), next="restore it from git") from bad
    if (debs.suite, debs.asked) != (recipe.suite, recipe.packages):
        raise InputError(
            f"this lock answers {debs.suite} {list(debs.asked)}, the recipe asks for "
            f"{recipe.suite} {list(recipe.packages)}",
            where=str(path),
            next=mend,
        )
    return debs


def _plain(deb: Deb) -> bool:
    """Whether a package's name and version can be a file name."""
    return all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+:~-]*", text) for text in (deb.name, deb.version, deb.arch))


_LINE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9.!+_-]*)((?:\s+--hash=\S+)*)")


def read_wheels(path: Path, where: str) -> tuple[Wheel, ...]:
    """Read a lock of wheels in pip's format: one wheel per line, each with one SHA-256.

    `sdists.txt` beside it, in the same format, pins the source archives of wheels that are made here.
    """
    sdists = path.with_name(SDISTS)
    beside = _read_pins(sdists, str(PurePosixPath(where).with_name(SDISTS))) if sdists.is_file() else {}
    archives = {(one.name, one.version): one.sha256 for one in beside.values()}
    found = _read_pins(path, where)
    if not found:
        raise InputError("this lock names no wheel", where=where, next="`lockfiles/relock.sh` writes it")
    wheels = (found[name] for name in sorted(found))
    return tuple(replace(wheel, sdist=archives.get((wheel.name, wheel.version), "")) for wheel in wheels)


def _read_pins(path: Path, where: str) -> dict[str, Wheel]:
    with translating_os_errors(path):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found: dict[str, Wheel] = {}
    for number, text in enumerate(lines, 1):
        line = re.sub(r"(^|\s)#.*", "", text).strip()
        if line:
            wheel = _wheel(line, f"{where}:{number}")
            if wheel.name in found:
                raise InputError(
                    f"{wheel.name} stands twice",
                    where=wheel.where,
                    next=f"keep one; the other: {found[wheel.name].where}",
                )
            found[wheel.name] = wheel
    return found


def _wheel(line: str, where: str) -> Wheel:
    mend = "write `name==version --hash=sha256:…`, one wheel a line; `lockfiles/relock.sh` does"
    match = _LINE.fullmatch(line)
    if not match:
        raise InputError(f"this line pins no wheel: {line[:80]!r}", where=where, next=mend)
    name = re.sub(r"[-_.]+", "-", match[1]).lower()
    hashes: Sequence[str] = match[3].split()
    if not hashes:
        raise InputError(f"{name} has no hash: a version alone pins nothing", where=where, next=mend)
    digest = hashes[0].removeprefix("--hash=sha256:")
    if len(hashes) > 1:
        raise InputError(f"{name} has {len(hashes)} hashes: which file is meant?", where=where, next=mend)
    if not is_digest(digest):
        raise InputError(f"{name} has a hash that is no SHA-256", where=where, next=mend)
    return Wheel(name, match[2], digest, where)


OTHERS = "LicenseRef-see-inventory"  # a licence that is not an SPDX expression; `harness images inventory` has more
_EXPRESSION = re.compile(r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*)*")
_NAMES = {  # classifiers for exactly one SPDX licence; `BSD License` and `Apache Software License` mean several
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


@dataclass(frozen=True)
class Licence:
    """Licence of a package: an SPDX expression if it is unambiguous, and the words it was read from."""

    expression: str = ""
    said: str = ""
    exact: bool = False  # stated as an expression, not as a classifier


def wheel_licence(blobs: Blobs, wheel: Wheel) -> Licence:
    """Return the licence that a stored wheel states."""
    try:
        with zipfile.ZipFile(blobs.path(wheel.sha256)) as file:
            [path] = [name for name in file.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
            text = file.read(path).decode("utf-8", errors="replace")
    except (zipfile.BadZipFile, ValueError, OSError) as bad:
        raise InputError(
            f"the file that is pinned for {wheel.name} {wheel.version} has no metadata that can be read: {bad}",
            where=wheel.where,
            next="pin a wheel; `lockfiles/relock.sh` does",
        ) from bad
    return metadata_licence(text)


def metadata_licence(text: str) -> Licence:
    """Return the licence in a package's metadata: its expression, else an unambiguous classifier."""
    fields = HeaderParser().parsestr(text)
    if stated := " ".join(str(fields.get("License-Expression", "")).split()):
        spelled = re.sub(r"(?<= )(and|or|with)(?= )", lambda found: found[0].upper(), stated)
        sound = _EXPRESSION.fullmatch(spelled) is not None and spelled.count("(") == spelled.count(")")
        return Licence(spelled if sound else "", f"License-Expression: {stated}", sound)
    named = sorted({str(one) for one in fields.get_all("Classifier", []) if str(one).startswith("License :: ")})
    if named:
        return Licence(_NAMES.get(named[0], "") if len(named) == 1 else "", f"Classifier: {'; '.join(named)}")
    first = str(fields.get("License", "")).strip().splitlines()
    return Licence(said=f"License: {first[0][:120]}") if first else Licence()


def combine_licences(found: Iterable[Licence]) -> str:
    """Combine licences into one SPDX expression for an image; others become one unknown part."""
    parts: set[str] = set()
    for one in found:
        if not one.exact:
            parts.add(OTHERS)
        elif "(" in one.expression or " OR " in one.expression:
            parts.add(f"({one.expression})")
        else:
            parts.update(one.expression.split(" AND "))
    return " AND ".join(sorted(parts))


def copyright_licences(text: str) -> Licence:
    """Return the licences in a Debian package's copyright file, if it is machine-readable (DEP 5).

    The expression is empty unless each name means exactly one SPDX licence; then it combines all of them with AND.
    """
    if not text.startswith("Format:"):
        return Licence(said="a copyright file in free words")
    names = sorted({" ".join(one.split()) for one in re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)})
    known = [_DEBIAN[name.lower()] for name in names if name.lower() in _DEBIAN]
    expression = " AND ".join(sorted(set(known))) if names and len(known) == len(names) else ""
    return Licence(expression, f"copyright file: {', '.join(names)}" if names else "")


def _versions(debian: str, spdx: str, numbers: str) -> dict[str, str]:
    plain = {f"{debian}-{number}": f"{spdx}-{number if '.' in number else number + '.0'}" for number in numbers.split()}
    return {
        **{name: f"{meant}-only" for name, meant in plain.items()},
        **{f"{name}+": f"{meant}-or-later" for name, meant in plain.items()},
    }


_DEBIAN = {  # Debian's short names for exactly one licence; `public-domain`, `BSD` and the like are ambiguous
    **_versions("gpl", "GPL", "1 2 3"),
    **_versions("lgpl", "LGPL", "2 2.1 3"),
    "apache-2.0": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd-4-clause": "BSD-4-Clause",
    "bsd-4-clause-uc": "BSD-4-Clause-UC",
    "cc0-1.0": "CC0-1.0",
    "expat": "MIT",
    "fsfap": "FSFAP",
    "fsfullr": "FSFULLR",
    "isc": "ISC",
    "mpl-1.1": "MPL-1.1",
    "mpl-2.0": "MPL-2.0",
    "x11": "X11",
    "zlib": "Zlib",
}
