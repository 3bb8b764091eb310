"""The document `sizes` (OURS): how often the paired tests find something between models that predict nothing.

Simulates families of units over a dataset's own rows, in two worlds: white noise (`exchangeable`), and noise that is
similar within a block (`autocorrelated`). Uses no recordings and no real features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.studies.brain.measures.families import ALPHA
from harness.studies.brain.measures.levels import LEVELS, ComparedRows, compared_rows
from harness.studies.brain.nulls.noise import generator, slow, white
from harness.studies.brain.nulls.null_fits import Candidates, squared_errors
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.folds import Fold, outer_folds
from harness.studies.brain.structure.layout import Layout, layout
from harness.studies.brain.terms import SPLITS

Array = Any  # a numpy array
ALPHAS = ("16", "256", "4096", "1048576")  # taken from the study's penalties: from weak to almost only the mean
UNITS, COLUMNS, FAMILIES = 40, 20, 200
AT_ONCE = 10  # families that are fitted together; does not change the result
MOST, MOST_ALPHAS = 10_000, 100
EXCHANGEABLE, AUTOCORRELATED = "exchangeable", "autocorrelated"
A, B, P, Q = "a", "b", "p", "q"  # bands: two of white noise, two that are similar within a block
MODELS: Mapping[str, Candidates] = {
    A: ((A,),),
    B: ((B,),),
    P: ((P,),),
    Q: ((Q,),),
    f"{A}+{P}": ((A,), (P,), (A, P)),
}
PAIRS: Mapping[str, Mapping[str, tuple[str, str]]] = {  # "" is the training mean
    EXCHANGEABLE: {"nested": (f"{A}+{P}", A), "equal": (B, A), "intercept": (A, "")},
    AUTOCORRELATED: {"nested": (f"{A}+{P}", A), "equal": (Q, P), "intercept": (P, "")},
}


@dataclass(frozen=True)
class NullDesign:
    """The size of a simulation of tests on noise: numbers of families, units and feature columns, and penalties."""

    seed: int = 0
    families: int = FAMILIES
    units: int = UNITS
    columns: int = COLUMNS
    alphas: tuple[str, ...] = ALPHAS

    def __post_init__(self) -> None:
        """Raise InputError if a size or penalty is out of bounds."""
        for name in ("families", "units", "columns"):
            if not 1 <= getattr(self, name) <= MOST:
                raise InputError(f"`{name}` is {getattr(self, name)}", where=name, next=f"give 1 to {MOST:,}")
        if len(self.alphas) > MOST_ALPHAS:
            told = f"there are {len(self.alphas)} penalties"
            raise InputError(told, where="alphas", next=f"give at most {MOST_ALPHAS}")
        for alpha in self.alphas or ("none",):
            if not alpha.replace(".", "", 1).isdecimal() or not 0 < float(alpha) < inf:
                raise InputError(f"the penalty {alpha[:80]!r} is no number above 0", where="alphas", next="give such")


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write `sizes`: how often the paper's tests find an effect in pure noise, for the rows of each dataset.

    params may set seed, families, units, columns and alphas (texts). Datasets with equal rows share one simulation. For
    a dataset of two experiments, each is measured, and the larger values are reported.
    """
    given = {name: params[name] for name in ("seed", "families", "units", "columns") if name in params}
    design = NullDesign(**given, alphas=tuple(params.get("alphas", ALPHAS)))
    known: dict[Layout, Any] = {}
    found = {}
    for about, part in zip(params["datasets"], rows.parts(inputs["stimuli"]), strict=True):
        whole = layout(about["layout"], rows.read(part, Stimulus))
        told = []
        for experiment in [about["experiment"]] if about.get("experiment") else sorted({*whole.experiments}):
            own = whole.only(experiment)
            if own not in known:
                known[own] = sizes(own, design)
            told.append(known[own])
        found[about["dataset"]] = reduce(_larger, told)
    rows.write_one(out / "sizes", found)


def _larger(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two measurements: in each cell, the larger share of units and the larger share of families."""
    if "raw" not in one:
        return {name: _larger(one[name], other[name]) for name in one}
    sides = {side: max(one, other, key=lambda cell: cell[side]) for side in ("raw", "family")}
    return {
        **one,
        **{f"{side}{more}": cell[f"{side}{more}"] for side, cell in sides.items() for more in ("", "_error")},
    }


def sizes(layout: Layout, design: NullDesign, splits: Sequence[str] = SPLITS) -> dict[str, Any]:
    """Measure by simulation how often each test has p < .05 on pure noise: by split, null, pair of models and level.

    `raw` is the share of units with p < .05, and `family` is the share of families with any such unit after Benjamini
    and Hochberg. `raw_error` and `family_error` are their Monte-Carlo standard errors over families. The pairs are
    `nested` (white noise against the same with a band that is similar within a block), `equal` (two bands of a kind)
    and `intercept` (one band against the training mean). Raises InputError for a layout that cannot be cut into folds.
    """
    return {split: _sizes(layout, outer_folds(layout, split), design) for split in splits}


def _sizes(layout: Layout, folds: Sequence[Fold], design: NullDesign) -> dict[str, Any]:
    samples = compared_rows([(layout, folds)])
    seen: dict[tuple[str, str, str], list[Array]] = {}
    for start in range(0, design.families, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, design.families))
        for key, p in _p_values(layout, folds, samples, design, numbers):
            seen.setdefault(key, []).append(p)
    found: dict[str, Any] = {}
    for (world, pair, level), parts in seen.items():
        found.setdefault(world, {}).setdefault(pair, {})[level] = _shares(parts)
    return found


def _p_values(
    layout: Layout, folds: Sequence[Fold], samples: ComparedRows, design: NullDesign, families: Sequence[int]
) -> Iterator[tuple[tuple[str, str, str], Array]]:
    """Yield p-values [family, unit] by world, pair and level."""
    import numpy as np  # noqa: PLC0415 - heavy

    drawn = [_drawn(layout, design, family) for family in families]
    bands = {name: np.stack([one[name] for one in drawn]) for name in (A, B, P, Q)}
    targets = np.concatenate([np.stack([one[world] for one in drawn]) for world in PAIRS], axis=2)
    alphas = np.array([float(alpha) for alpha in design.alphas])
    errors = squared_errors(bands, targets, folds, MODELS, alphas)
    for place, (world, pairs) in enumerate(PAIRS.items()):
        own = slice(place * design.units, (place + 1) * design.units)
        flat = {name: one[:, :, own].transpose(1, 0, 2).reshape(len(layout.ids), -1) for name, one in errors.items()}
        for pair, (model, against) in pairs.items():
            for level in LEVELS:
                p = samples.p(flat[model], flat[against], level)
                yield (world, pair, level), p.reshape(len(families), design.units)


def _drawn(layout: Layout, design: NullDesign, family: int) -> dict[str, Array]:
    source = generator(design.seed, family)
    found = {name: white(source, layout, design.columns) for name in (A, B)}
    found |= {name: slow(source, layout, design.columns) for name in (P, Q)}
    return {
        **found,
        EXCHANGEABLE: white(source, layout, design.units),
        AUTOCORRELATED: slow(source, layout, design.units),
    }


def _shares(parts: Sequence[Array]) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    p = np.concatenate(parts)
    families, units = p.shape
    raw = (p < ALPHA).mean(axis=1)
    ordered = np.sort(p, axis=1)
    hits = (ordered * units / np.arange(1, units + 1) < ALPHA).any(axis=1)  # at least one hit after correction
    share = float(hits.mean())
    error = float(raw.std(ddof=1) / families**0.5) if families > 1 else None
    return {
        "raw": float(raw.mean()),
        "raw_error": error,
        "family": share,
        "family_error": (share * (1 - share) / families) ** 0.5,
        "families": families,
        "units": families * units,
    }
