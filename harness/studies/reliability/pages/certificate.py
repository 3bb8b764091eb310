"""The paragraphs on the rules' certificate: who labelled, the figures of each part, and the command that measured them.

Uses the certificate's document; sees no labelled responses.
"""

from __future__ import annotations

from pathlib import Path

from harness.kit.certificate import LEAST, trust_of
from harness.kit.pages import Html, bullets, el
from harness.studies.reliability.scoring import addition as _addition  # noqa: F401 - the certified modules
from harness.studies.reliability.scoring import anagram as _anagram  # noqa: F401
from harness.studies.reliability.scoring import locality as _locality  # noqa: F401
from harness.studies.reliability.scoring import science as _science  # noqa: F401
from harness.studies.reliability.scoring import transforms as _transforms  # noqa: F401

CERTIFICATE = "certificate"  # the input with the certificate
CERTIFIED = "reliability.outcome"  # the scorer that is certified
COMMAND = "harness certify reliability.outcome LABELS --data DATA --others BLIND"
WHOSE = "The makers' labels of the frozen part were given blind to the rules. Measured by:"


def certificate(given: Path | None) -> list[Html]:
    """Return the paragraphs on the agreement of the rules with labels by hand, apart for each kind of labeller."""
    trust = trust_of(given)
    said = trust.line if not trust.sets else f"{trust.verdict}: {trust.line}"
    line = el("p", "Agreement of the newest rules with labels by hand: ", el("strong", said), ".")
    if not trust.sets:  # uncertified, or void: then its figures cannot be trusted
        return [line]
    asked = f"Asked: kappa of at least {LEAST} at the lower end of its interval, on labels by others."
    return [line, el("p", asked), bullets(trust.sets), el("p", WHOSE, " ", el("code", COMMAND))]
