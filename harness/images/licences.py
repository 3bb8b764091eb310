"""Licences of packages as their metadata states them; nothing is guessed."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from email.parser import HeaderParser

from harness.errors import InputError
from harness.images.locks import Wheel
from harness.store.blobs import Blobs

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
