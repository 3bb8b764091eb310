"""Of a family of cases as many as a run has time for, drawn by the commit: in time each is met, and at night all.

A family is what can be listed and not ended: each bit of a file, each moment of a kill, each text that is slow to read.
`make test` and `make test-all` draw some by the commit's digest, so that a red one is red again in the same checkout;
`make test-night` tries all of the tests that are marked `exhaustive`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import TypeVar

from hypothesis import settings

Case = TypeVar("Case")


def drawn(cases: Iterable[Case], short: int, long: int = 0) -> list[Case]:
    """Give so many of the cases, in their order: `short` in `make test`, `long` in `make test-all`, all at night."""
    every, profile = list(cases), settings.get_current_profile_name()
    most = {"night": len(every), "short": short}.get(profile, long or short)
    if most >= len(every):
        return every
    kept = Random(f"{commit()} {len(every)}").sample(range(len(every)), most)
    return [every[place] for place in sorted(kept)]


@cache
def commit() -> str:
    """Name the commit by which cases are drawn; outside of a checkout always the same."""
    here = Path(__file__).parent
    asked = subprocess.run(["git", "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()
