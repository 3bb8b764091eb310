"""The studies there are. Steps never import this: a study is found here by name, its code by the step's kind."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.studies.reliability.study import Reliability
from harness.studies.study import Importer, Study
from harness.studies.tiny.study import Tiny

STUDIES: Mapping[str, Study] = {study.name: study for study in (Reliability(), Tiny())}


def importers() -> dict[str, Importer]:
    """Give every dataset that a person may bring along, by the name the studies know it under."""
    return {name: read for study in STUDIES.values() for name, read in study.importers.items()}


def find(name: str, where: str = "") -> Study:
    """Give a study by the name a manifest calls it."""
    if name not in STUDIES:
        raise InputError(f"no study is called {name!r}", where=where, next=f"choose one of: {', '.join(STUDIES)}")
    return STUDIES[name]
