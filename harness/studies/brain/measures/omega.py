"""The document `omega`: for each banded model with one language model, the share that its simple part explains.

Finds the models S, L and B by name: `SP+SL`, `LLM` and `SP+SL+LLM`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import rows
from harness.studies.brain.measures import fits
from harness.studies.brain.measures.aggregation import aggregate, require_generation
from harness.studies.brain.measures.fits import SplitFits
from harness.studies.brain.measures.naming import bands, sole_language
from harness.studies.brain.measures.omegas import OmegaScores, omegas


class OmegaModels(NamedTuple):
    """The three models from which one omega is computed: simple features, language model, and both together."""

    simple: str
    llm: str
    banded: str


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `omega`, shares of language models' scores that simple features explain; inputs as `measures.fits.read`."""
    rows.write_one(out / "omega", document(fits.read(params, inputs), params["generation"]))


def document(found: Sequence[SplitFits], generation: str) -> dict[str, Any]:
    """Return omega (the share simple features explain) by dataset and split; InputError for an unknown generation."""
    require_generation(generation)
    return {
        dataset: {one.split: [_row(one, three, generation) for three in triples(one)] for one in own}
        for dataset, own in fits.by_dataset(found).items()
    }


def triples(found: SplitFits) -> Iterator[OmegaModels]:
    """Yield each model of simple features and a language model whose two parts were also fitted alone, with these."""
    by_bands = {frozenset(bands(model)): model for model in reversed(found.models) if "!" not in model}
    for model in found.models:
        names = bands(model)
        llm = sole_language(names, found.text_models)
        simple = by_bands.get(frozenset(names) - {llm})
        if llm and simple and by_bands.get(frozenset([llm])) and "!" not in model:
            yield OmegaModels(simple, by_bands[frozenset([llm])], model)


def _row(found: SplitFits, three: OmegaModels, generation: str) -> dict[str, Any]:
    averaged = [aggregate(found.r2(model), found.units, generation) for model in three]
    missing = float("nan")
    scores = {
        name: OmegaScores(*(one.participants.get(name, missing) for one in averaged))
        for name in found.units.everyone()
        if any(name in one.participants for one in averaged)
    }
    result = omegas(scores)
    return {
        **three._asdict(),
        "omega": result.omega,
        "participants": {
            name: {**scores[name]._asdict(), "omega": value, "degenerate": name in result.degenerate}
            for name, value in result.participants.items()
        },
        "clipped": result.clipped,
        "without_empty": result.without_empty,
        "degenerate": len(result.degenerate),
        "left_out": [name for name in found.units.everyone() if name not in result.participants],
    }
