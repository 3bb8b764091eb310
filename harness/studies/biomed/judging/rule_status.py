"""How a fact of a gold answer can fare in a response. Types alone; it must never know how that is found out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.studies.biomed.facts import Fact

RIGHT: Final = "right"  # said as the gold answer says it
NEAR: Final = "near"  # said, but rounded, hedged or without what it belongs to
ABSENT: Final = "absent"  # nothing is said of it
WRONG: Final = "wrong"  # something else is said in its place
MIXED: Final = "mixed"  # it and something else are said, where only one can hold
DENIED: Final = "denied"  # it is said not to hold


@dataclass(frozen=True, slots=True)
class Fared:
    """How a fact fared: of a list also the share of its names that were said, and of others among the said.

    Of a phase such as 1/2 `extra` is the half that is too much.
    """

    fact: Fact
    status: str
    share: float = 0.0
    extra: float = 0.0
    why: str = ""

    @property
    def stated(self) -> bool:
        """Whether something was stated in its slot, right or wrong."""
        return self.status != ABSENT
