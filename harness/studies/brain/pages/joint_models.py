"""Finds the fitted models with a language model and other bands, and the subsets to compare.

Uses the names of models only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from harness.studies.brain.measures import naming
from harness.studies.brain.measures.findings_rows import ADDED
from harness.studies.brain.measures.starring import subsets


class JointModels(NamedTuple):
    """A language model's band, the model it is joined with, and the fitted subsets without and with it."""

    band: str
    base: str  # the model of all other bands
    joint: str
    without: tuple[str, ...]
    with_it: tuple[str, ...]

    @property
    def model(self) -> str:
        """The name of the language model, without its layer."""
        return self.band.partition("!")[0].partition("@")[0]


def joint_models(models: Sequence[str], text_models: Collection[str], *, simple: bool = False) -> list[JointModels]:
    """Return, for each language model's band, the fitted model with most bands that is also fitted without that band.

    With `simple`, only bases without a space of words count. Bands are in order of first appearance.
    """
    found: dict[str, JointModels] = {}
    for name in models:
        own = naming.bands(name)
        band = naming.sole_language(own, text_models)
        others = [each for each in own if each != band]
        base = "+".join(others)
        if not band or "!" in name or base not in models or (simple and {*others} & {*ADDED}):
            continue
        if band not in found or len(others) > len(naming.bands(found[band].base)):
            found[band] = JointModels(band, base, name, subsets(models, others), subsets(models, own, band))
    return list(found.values())
