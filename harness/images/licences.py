"""Under which licence a pinned wheel says it stands: what its metadata says, and nothing that was guessed."""

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
    """What was read: an SPDX expression where one is said or meant without doubt, and the words it was read from."""

    expression: str = ""
    said: str = ""
    exact: bool = False  # said as an expression, not as a classifier


def of_wheel(blobs: Blobs, wheel: Wheel) -> Licence:
    """Read what a kept wheel says of its licence."""
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
    """Read a licence from the metadata of a package: its expression, else a classifier that means one licence."""
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


def together(found: Iterable[Licence]) -> str:
    """Give one expression for an image: every expression that was said, and one word for all that say none."""
    parts: set[str] = set()
    for one in found:
        if not one.exact:
            parts.add(OTHERS)
        elif "(" in one.expression or " OR " in one.expression:
            parts.add(f"({one.expression})")
        else:
            parts.update(one.expression.split(" AND "))
    return " AND ".join(sorted(parts))
