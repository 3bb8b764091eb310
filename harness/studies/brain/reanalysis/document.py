"""The document `reanalysis`: what the authors published, what follows from it, and where the two agree.

Reads no published file; the maker has read and checked them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.brain.reanalysis.agreements import agreements, choices
from harness.studies.brain.reanalysis.both_experiments import both_experiments
from harness.studies.brain.reanalysis.collection import DIFFERS, EXACT, NOT_DERIVABLE, PublishedResults, collect
from harness.studies.brain.reanalysis.compared import compared, compared_units
from harness.studies.brain.reanalysis.counted import counted
from harness.studies.brain.reanalysis.layers import curves
from harness.studies.brain.reanalysis.rankings import rankings
from harness.studies.brain.reanalysis.recomputed import participants, single_units
from harness.studies.brain.reanalysis.rounded import rounded
from harness.studies.brain.reanalysis.shares import shares
from harness.studies.brain.reanalysis.significance import significance

ALONE = "nothing to hold it against"


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `reanalysis` from the rows of `published` and from `counts`."""
    [counts] = rows.read(inputs["counts"])
    rows.write_one(out / "reanalysis", document(rows.read(inputs["published"]), counts))


def document(published: Iterable[Mapping[str, Any]], counts: Mapping[str, Any]) -> dict[str, Any]:
    """Return all recomputed results from the published files; a result whose files are absent is left out."""
    found = collect(published)
    parts = {
        "participants": participants(found),
        "compared": compared(found),
        "units": single_units(found),
        "compared_units": compared_units(found),
        "curves": curves(found),
        "both_experiments": both_experiments(found),
        "omegas": shares(found),
        "tests": significance(found),
        "derived_counts": counted(found),
        "choices": choices(found),
        "agreements": agreements(found),
        "neural_nlp": rankings(found),
        "rounded": rounded(),
    }
    return {**parts, "files": _files(found), "coverage": dict(counts)}


def _files(found: PublishedResults) -> dict[str, Any]:
    """Return for each file what it was compared with, and the overall verdict."""
    told = {}
    for path, about in found.files.items():
        notes = found.notes.get(path, [])
        verdicts = [each.verdict for each in notes]
        worst = next((one for one in (DIFFERS, NOT_DERIVABLE) if any(each.startswith(one) for each in verdicts)), EXACT)
        compared_alone = verdicts and all(each == "compared" for each in verdicts)
        told[path] = {
            **about,
            "held_against": [each._asdict() for each in notes],
            "verdict": ALONE if not notes else "compared" if compared_alone else worst,
        }
    return told
