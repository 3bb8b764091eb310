"""The document `performance`: how well each model predicts, by dataset, split, participant and network.

R2 and Pearson's r are averaged by the rule of the generation. Units of a simulation without signal are left out of
every average and reported separately. `r2_by_unit` averages units ignoring participants, clipped at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.brain.measures import fits
from harness.studies.brain.measures.aggregation import AveragedScore, aggregate, pooled, require_generation
from harness.studies.brain.measures.fits import SplitFits


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `performance`, every model's mean R2 and Pearson's r; inputs and errors as `measures.fits.read`."""
    rows.write_one(out / "performance", performance(fits.read(params, inputs), params["generation"]))


def performance(found: Sequence[SplitFits], generation: str) -> dict[str, Any]:
    """Return the mean scores of each model by dataset and split; raise InputError for an unknown generation."""
    require_generation(generation)
    datasets = {name: _dataset(own, generation) for name, own in fits.by_dataset(found).items()}
    return {"generation": generation, "datasets": datasets}


def _dataset(own: Sequence[SplitFits], generation: str) -> dict[str, Any]:
    splits = {one.split: {model: _model(one, model, generation) for model in one.models} for one in own}
    return {"world": own[0].world, "rows": own[0].rows(), "units": own[0].recorded, "splits": splits}


def _model(found: SplitFits, model: str, generation: str) -> dict[str, Any]:
    r2, pearson, units = found.r2(model), found.pearson(model), found.units
    main, beside = aggregate(r2, units, generation), aggregate(pearson, units, generation)
    document: dict[str, Any] = {
        "r2": main.score,
        "pearson": beside.score,
        "r2_by_unit": pooled(r2, units.counted()),
        "participants": {
            name: {"r2": value, "pearson": beside.participants.get(name), "units": main.units[name]}
            for name, value in main.participants.items()
        },
        "networks": {},
        "degenerate": main.degenerate,
        "left_out": main.left_out,
    }
    for network in sorted({*units.networks}):
        counted = units.counted(network)
        if counted.any():
            of_r2, of_r = (aggregate(scores, units, generation, counted) for scores in (r2, pearson))
            document["networks"][network] = {"r2": of_r2.score, "pearson": of_r.score, "units": int(counted.sum())}
    null = _null(found, r2, generation)
    return document if null is None else {**document, "null": {"r2": null.score, "units": sum(null.units.values())}}


def _null(found: SplitFits, scores: Any, generation: str) -> AveragedScore | None:
    """Average the units of the language network in which a simulation planted no signal; None if there are none."""
    counted = found.units.counted(signal=False)
    return aggregate(scores, found.units, generation, counted) if counted.any() else None
