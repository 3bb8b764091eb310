"""The document `published`: the paper's printed numbers, what must hold among them, and what does not.

Uses only the table of printed numbers, no result of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.biomed.measures.costs import published_costs
from harness.studies.biomed.measures.published_claims import claims
from harness.studies.biomed.measures.published_numbers import RATES, PublishedNumbers, read

PAPER = "bioRxiv 2025.01.15.633272"
WITHIN = "0.011"  # how far SR may lie from its formula: three roundings of half a hundredth
Identity = Callable[[Decimal, Decimal], Decimal]
ONE = Decimal(1)


def identities(table: PublishedNumbers) -> dict[str, Any]:
    """Check the printed safety rates (SR) against two formulas: return each formula's difference by model.

    The first is SR's own formula. The second is what SR would be if RQR were over answered responses.
    """
    return {
        "sr_is_ar_over_rest": _identity(
            table, "AR / (1 - RQR) less SR: RQR is over all responses", lambda ar, rqr: ar / (ONE - rqr)
        ),
        "sr_with_rqr_over_answered": _identity(
            table,
            "AR / (AR + (1 - AR)(1 - RQR)) less SR: as it would be were RQR over answered responses; it fails",
            lambda ar, rqr: ar / (ar + (ONE - ar) * (ONE - rqr)),
        ),
    }


def _identity(table: PublishedNumbers, what: str, formula: Identity) -> dict[str, Any]:
    found = {}
    for model in table.models(RATES):
        ar, rqr, sr = (table.get(RATES, model, name) for name in ("AR", "RQR", "SR"))
        if ar is None or rqr is None or sr is None or not 0 <= ar <= 1 or not 0 <= rqr < 1:
            continue
        found[model] = formula(ar, rqr) - sr
    largest: Any = max(map(abs, found.values()), default=None)
    return {
        "what": what,
        "differences": {model: float(value) for model, value in found.items()},
        "n": len(found),
        "largest": {"missing": "no model has all three"} if largest is None else float(largest),
        "within": WITHIN,
        "beyond": sum(abs(value) > Decimal(WITHIN) for value in found.values()),
    }


def published(table: PublishedNumbers) -> dict[str, Any]:
    """Return the paper's printed numbers, checks of their formulas, costs computed again, and contradictions."""
    return {
        "paper": PAPER,
        "n": len(table.numbers),
        "sources": dict(table.sources),
        "values": table.document(),
        "identities": identities(table),
        "costs": published_costs(table),
        "inconsistencies": claims(table),
    }


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `published`, checks of the paper's printed numbers, from the table `biomed/published@1`.

    Raise InputError for a malformed table.
    """
    rows.write_one(out / "published", published(read(inputs["published"])))
