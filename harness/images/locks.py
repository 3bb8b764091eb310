"""Lock files of an image (every .deb and every wheel it is made of, by SHA-256), and the licences its packages state.

A licence is what the metadata says; nothing is guessed.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from harness.digest import document, parse
from harness.errors import InputError
from harness.files import translating_os_errors, write_atomic
from harness.images.layers.sdist_wheel import SDISTS
from harness.images.recipe import LocatedRecipe
from harness.store.blobs import Blobs, is_digest

PYTHON = "3.11"  # of images: that of their Debian, and the oldest for which packages are locked

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
        """File name of the package: NAME_VERSION_ARCH.deb."""
        return f"{self.name}_{self.version.replace(':', '%3a')}_{self.arch}.deb"


@dataclass(frozen=True)
class Debs:
    """Debian lock: the packages, the request they were resolved from, and when that was."""

    suite: str
    asked: tuple[str, ...]
    packages: tuple[Deb, ...]
    taken: str  # as 20260101T000000Z: the moment as whom keeps older states of the archive names it

    def save(self, path: Path) -> None:
        """Write the lock to a file, its packages sorted by name and architecture."""
        body = {
            "type": "debs/1",
            "suite": self.suite,
            "asked": list(self.asked),
            "taken": self.taken,
            "packages": [vars(deb) for deb in sorted(self.packages, key=lambda deb: (deb.name, deb.arch))],
        }
        write_atomic(path, document(body) + b"\n")


@dataclass(frozen=True)
class Wheel:
    """Locked wheel, and the line of the lock that names it."""

    name: str
    version: str
    sha256: str
    where: str
    sdist: str = ""  # SHA-256 of the source archive that it is laid out of, where the package has no wheel

    @property
    def label(self) -> str:
        """Name under which an image lists the wheel: NAME-VERSION.whl."""
        return f"{self.name}-{self.version}.whl"


def read_debs(loaded: LocatedRecipe) -> Debs:
    """Read the Debian lock beside a recipe; one that was resolved for another request is refused."""
    recipe, path = loaded.recipe, loaded.folder / DEBS
    mend = f"`harness images build {recipe.name} --relock` resolves its packages anew"
    if not path.is_file():
        raise InputError(f"the image {recipe.name} has no lock of its Debian packages", where=str(path), next=mend)
    try:
        with translating_os_errors(path):
            body = parse(path.read_bytes(), "debs/1", str(path))
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
    """Read a lock of wheels in pip's format: a line a wheel, each with its one SHA-256.

    `sdists.txt` beside it, in the same format, pins the source archives of wheels that are laid out here.
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


OTHERS = "LicenseRef-see-inventory"  # what says its licence in no SPDX expression; `harness images inventory` has more
_EXPRESSION = re.compile(r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*)*")
_NAMES = {  # classifiers that mean one licence of SPDX's list; `BSD License` and `Apache Software License` mean several
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


@dataclass(frozen=True)
class Licence:
    """Licence of a package: an SPDX expression where one is unambiguous, and the words it was read from."""

    expression: str = ""
    said: str = ""
    exact: bool = False  # said as an expression, not as a classifier


def of_wheel(blobs: Blobs, wheel: Wheel) -> Licence:
    """Read the licence that a stored wheel states."""
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
    return of_metadata(text)


def of_metadata(text: str) -> Licence:
    """Read a licence from a package's metadata: its expression, else an unambiguous classifier."""
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


def combined(found: Iterable[Licence]) -> str:
    """Combine licences into one SPDX expression for an image; those not stated as such count as one unknown."""
    parts: set[str] = set()
    for one in found:
        if not one.exact:
            parts.add(OTHERS)
        elif "(" in one.expression or " OR " in one.expression:
            parts.add(f"({one.expression})")
        else:
            parts.update(one.expression.split(" AND "))
    return " AND ".join(sorted(parts))


def of_copyright(text: str) -> Licence:
    """Read the licences in a Debian package's copyright file, where it is machine-readable (DEP 5).

    The expression is empty unless each name means one licence of SPDX's list; then all of them hold together.
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


_DEBIAN = {  # Debian's short names that mean one licence; `public-domain`, `BSD`, `permissive` and their like do not
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
