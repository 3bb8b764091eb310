"""What the rules' certificate says of both its parts, and the command that measured it.

It knows the certificate's document; it must never know a labelled response.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.kit.certificate import (
    NOT_CHECKED,
    PARTS,
    UNCERTIFIED,
    certificate_text,
    computed_figures,
    find_contradictions,
    read,
    spell_measure,
)
from harness.kit.pages import Html, bullets, el
from harness.studies.reliability.scoring import addition as _addition  # noqa: F401 - what is certified is the page's own
from harness.studies.reliability.scoring import anagram as _anagram  # noqa: F401
from harness.studies.reliability.scoring import locality as _locality  # noqa: F401
from harness.studies.reliability.scoring import science as _science  # noqa: F401
from harness.studies.reliability.scoring import transforms as _transforms  # noqa: F401

CERTIFICATE = "certificate"  # the input that holds it
CERTIFIED = "reliability.outcome"  # whose it is
COMMAND = "harness certify reliability.outcome LABELS --data DATA"
WHOSE = "The labels are the makers' own; those of the frozen part were given blind to the rules. Measured by:"


def certificate(given: Path | None) -> list[Html]:
    """Make the paragraphs on how far the rules agree with labels by hand, on rows seen by their makers and unseen."""
    line = el("p", "Agreement of the newest rules with labels by hand: ", el("strong", certificate_text(given)), ".")
    if given is None or certificate_text(given) == UNCERTIFIED:
        return [line]
    found = read(given.read_bytes(), given.name)
    if find_contradictions(found):  # what it says of its parts is no more to be believed
        return [line]
    return [line, bullets(_part(found, name) for name in PARTS), el("p", WHOSE, " ", el("code", COMMAND))]


def _part(found: Mapping[str, Any], name: str) -> str:
    computed = computed_figures(found, name)
    words = (f"{word} {spell_measure(computed[word], 3)}" for word in ("accuracy", "kappa"))
    return f"{name}: {found['parts'][name]['rows']} rows, {', '.join(words)} ({NOT_CHECKED})"
