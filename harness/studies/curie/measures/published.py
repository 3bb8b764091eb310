"""The document `published`: the paper's printed numbers, the identities among them, and their inconsistencies.

Uses only the table of printed numbers, no results of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.curie.measures.inconsistencies import inconsistencies
from harness.studies.curie.measures.published_identities import averages, identities
from harness.studies.curie.measures.published_table import PublishedTable, read

PAPER = "arXiv 2503.13517 (ICLR 2025)"


def published(table: PublishedTable) -> dict[str, Any]:
    """Return the paper's printed numbers, checks of equalities between them, averages, and inconsistencies."""
    return {
        "paper": PAPER,
        "n": len(table.numbers) + len(table.words),
        "sources": dict(table.sources),
        "values": table.document(),
        "identities": identities(table),
        "averages": {"unit": "percent; derived, never printed", **averages(table)},
        "inconsistencies": inconsistencies(table),
    }


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `published`, checks of the paper's printed numbers, from the table `curie/published@1`.

    Raises InputError for a malformed table.
    """
    rows.write_one(out / "published", published(read(inputs["published"])))
