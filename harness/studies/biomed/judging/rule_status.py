"""The statuses that a fact of a gold answer can have in a response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.studies.biomed.facts import Fact

RIGHT: Final = "right"  # said as the gold answer says it
NEAR: Final = "near"  # said, but rounded, hedged or without what it belongs to
ABSENT: Final = "absent"  # nothing is said of it
WRONG: Final = "wrong"  # something else is said in its place
MIXED: Final = "mixed"  # it and something else are said, although only one can hold
DENIED: Final = "denied"  # it is said not to hold


@dataclass(frozen=True, slots=True)
class Fared:
    """The status of a fact in a response.

    For a list, `share` is the share of its names that were said, and `extra` the share of other names among those said.
    For a phase such as 1/2, `extra` is the half that is too much. For a p-value it is 1 if the one that is said has
    another significance.
    """

    fact: Fact
    status: str
    share: float = 0.0
    extra: float = 0.0
    why: str = ""

    @property
    def stated(self) -> bool:
        """Whether the response states something in the fact's slot, right or wrong."""
        return self.status != ABSENT
