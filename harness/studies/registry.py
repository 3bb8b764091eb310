"""The registry of studies, and of every scorer and analysis that can be called alone.

It finds studies by their folders' names, and tools in the studies and in the files of `harness/scorers/`. No step
imports it, since code found by name is not seen in a step's source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from harness.errors import InputError
from harness.kit.study import Importer, Study
from harness.parts import PartRegistry

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

SHELF = PartRegistry("study", "harness.studies", "STUDY", "study")
SCORERS = PartRegistry("file of scorers", "harness.scorers", "SCORERS")
ANALYSES = PartRegistry("file of analyses", "harness.scorers", "ANALYSES")


def find(name: str, where: str = "") -> Study:
    """Return a study by the name a manifest calls it; InputError, with those there are, for an unknown name."""
    return cast(Study, SHELF.find(name, where))


def studies() -> list[Study]:
    """Return every study, in the order of their names."""
    return [find(name) for name in SHELF.names()]


def importers() -> dict[str, Importer]:
    """Return the importer of each dataset that users bring themselves, by the dataset's name."""
    return {name: read for study in studies() for name, read in study.importers.items()}


def find_scorer(name: str) -> Tool | None:
    """Return a scorer by its name; None where there is none. No other is loaded where its study or file has it."""
    own = name.partition(".")[0]
    study = cast("Study | None", SHELF.get(own))
    near: dict[str, Tool] = {**(study.scorers if study else {}), **(SCORERS.get(own) or {})}
    return near.get(name) or scorers().get(name)


def scorers() -> dict[str, Tool]:
    """Return every scorer by its name: those of the studies, and those of `harness/scorers/`, which belong to none."""
    alone = (SCORERS.find(name) for name in SCORERS.names())
    return _joined("scorers", *(study.scorers for study in studies()), *alone)


def analyses() -> dict[str, Tool]:
    """Return every analysis by its name: those of the studies, and those of `harness/scorers/`, of no study."""
    alone = (ANALYSES.find(name) for name in ANALYSES.names())
    return _joined("analyses", *(study.analyses for study in studies()), *alone)


def _joined(what: str, *found: Mapping[str, Tool]) -> dict[str, Tool]:
    """Merge tables of tools; a name that stands in two of them is refused, since it would hide one."""
    named = Counter(name for tools in found for name in tools)
    if twice := [name for name, times in named.items() if times > 1]:
        raise InputError(f"two {what} are called {twice[0]!r}", next="begin a name with its study or its file")
    return {name: tool for tools in found for name, tool in tools.items()}
