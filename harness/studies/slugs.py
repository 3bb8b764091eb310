"""File-name slugs: unique, portable spellings of model names that anybody may have chosen.

It knows names; it must never know what they name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.digest import sha256


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Give each name a slug that is safe in a file name; no two share one, however alike or strange they are."""
    plain = {name: re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") for name in sorted(set(names))}
    taken = list(plain.values())
    return {
        name: slug if taken.count(slug) == 1 and _kept(name, slug) else _marked(name, slug)
        for name, slug in plain.items()
    }


def _kept(name: str, slug: str) -> bool:
    """Whether a spelling says all that the name says, and looks like nothing that this module adds to one."""
    ours = re.search(r"(^|-)([0-9a-f]{12}|[0-9]+-of-[0-9]+)$", slug)
    return 0 < len(slug) <= 80 and slug == name.lower().replace(" ", "-") and not ours


def _marked(name: str, slug: str) -> str:
    return f"{slug[:48]}-{sha256(name.encode('utf-8', 'surrogatepass'))[:12]}".lstrip("-")
