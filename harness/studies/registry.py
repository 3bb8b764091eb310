"""The studies there are. Steps never import this: a study is found here by name, its code by the step's kind."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.studies.reliability.study import Reliability
from harness.studies.study import Study
from harness.studies.tiny.study import Tiny

STUDIES: Mapping[str, Study] = {study.name: study for study in (Reliability(), Tiny())}


def find(name: str, where: str = "") -> Study:
    """Give a study by the name a manifest calls it."""
    if name not in STUDIES:
        raise InputError(f"no study is called {name!r}", where=where, next=f"choose one of: {', '.join(STUDIES)}")
    return STUDIES[name]
