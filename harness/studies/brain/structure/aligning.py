"""Aligns rows by name: finds the place of each wanted row among the given rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.errors import InputError


def positions(wanted: Sequence[str], found: Sequence[str], where: str) -> list[int]:
    """Return the index of each wanted name in the list `found`, which may have more names and any order.

    Raises InputError naming the first name that is missing, or that is doubled in either list.
    """
    for names, told in ((wanted, "is wanted twice"), (found, "stands twice")):
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise InputError(f"the row {twice[:80]!r} {told}", where=where, next="keep one row of this name")
    places = {name: place for place, name in enumerate(found)}
    missing = [name for name in wanted if name not in places]
    if missing:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"the row {missing[0][:80]!r}{more} is missing", where=where, next="give a row for each")
    return [places[name] for name in wanted]
