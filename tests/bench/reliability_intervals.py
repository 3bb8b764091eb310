"""How often reliability's intervals hold the value they are about, on simulated models of known behaviour.

Items are drawn from a population of items, answers of each model from a probability that falls with difficulty and
differs from item to item and from wording to wording. The true value is the same statistic on a million items, worked
out here from its definition and not by the harness. `python tests/bench/reliability_intervals.py` prints the table that
`measures/coverage.py` holds; `run.py --only coverage` holds that table against the marks.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.costs import FULL, Size
from bench.table import Row

Array = Any  # of numpy
NAMES = tuple(
    [f"{kind}_{what}" for what in ("proportion", "stability", "concordance") for kind in ("correctness", "prudence")]
    + [f"spearman.items.{label}" for label in "cai"]
)
PROMPTS, BINS = 15, 30
SIZES = (100, 400, 1500)
DRAWS = 2000
RESAMPLES: Mapping[int, int] = {30: 400, 100: 400, 200: 400, 400: 400, 1500: 200}  # by items; a run makes 2,000
WEIGHTS = 20  # sets of resamples, which the draws take in turn: a run makes one for all models
MANY = 10**6
WITHIN = (0.92, 0.98)
BENCHMARKS = 5  # that a headline mean is over
MARK_S = 240.0
_Z99 = 2.5758293035489004


@dataclass(frozen=True)
class SimulatedModel:
    """How a simulated model answers: logits at no difficulty, their slope up to the full one, and spread of items."""

    right: tuple[float, float, float]
    silent: tuple[float, float, float]  # of the answers that are not right


# Each world has its difficulties and three models, none of them always or never right or silent.
MODELS: Mapping[str, tuple[SimulatedModel, ...]] = {
    "levels": (  # eighteen levels, as letters give them
        SimulatedModel((5, -10, 1.0), (0.5, 1, 1.0)),  # steep
        SimulatedModel((4, -4, 2.0), (-2, 2, 1.0)),  # strong
        SimulatedModel((1.5, -3, 1.5), (-1, 1, 1.5)),  # gentle
    ),
    "skewed": (  # most items easy, few hard
        SimulatedModel((3, -8, 1.0), (0.5, 1, 1.0)),  # steep
        SimulatedModel((-1, -2, 2.0), (0.5, -0.5, 1.5)),  # weak
        SimulatedModel((0, 0, 1.0), (-1, 0, 1.0)),  # flat
    ),
}


def difficulties(source: Array, world: str, size: int) -> Array:
    """Draw the difficulties of items, sorted."""
    import numpy as np

    drawn = source.integers(0, 18, size) / 17 if world == "levels" else source.beta(0.6, 1.8, size)
    return np.sort(100 * drawn)


def answers(source: Array, world: str, difficulty: Array) -> Array:
    """Draw the labels of all models of a world on some items, as counts [item, model, label]."""
    import numpy as np

    found = np.zeros((len(difficulty), len(MODELS[world]), 3), np.int32)
    for place, model in enumerate(MODELS[world]):
        right = source.random((len(difficulty), PROMPTS)) < _chance(source, difficulty, model.right)
        silent = ~right & (source.random((len(difficulty), PROMPTS)) < _chance(source, difficulty, model.silent))
        counts = [right.sum(axis=1), silent.sum(axis=1)]
        found[:, place] = np.stack([*counts, PROMPTS - counts[0] - counts[1]], axis=1)
    return found


def _chance(source: Array, difficulty: Array, logits: tuple[float, float, float]) -> Array:
    """Give the chance of a label, as [item, wording]; wordings are fixed, half of them a little better."""
    import numpy as np

    at, slope, spread = logits
    item = at + slope * difficulty / 100 + spread * source.standard_normal(len(difficulty))
    return 1 / (1 + np.exp(-item[:, None] - np.linspace(-0.75, 0.75, PROMPTS)))


@cache
def truth(world: str) -> Mapping[str, tuple[float, ...]]:
    """Work out every value, model by model, on a million items."""
    import numpy as np
    from scipy.stats import spearmanr

    source = np.random.Generator(np.random.PCG64([21, [*MODELS].index(world)]))
    difficulty = difficulties(source, world, MANY)
    counts = np.concatenate([answers(source, world, part) for part in np.array_split(difficulty, 20)])
    found: dict[str, list[float]] = {name: [] for name in NAMES}
    for place in range(counts.shape[1]):
        rates = counts[:, place] / PROMPTS
        for kind, good, label in (("correctness", rates[:, 0], 0), ("prudence", 1 - rates[:, 2], 2)):
            mean = rates[:, label].mean()
            found[f"{kind}_proportion"].append(100 * good.mean())
            found[f"{kind}_stability"].append(100 * rates[:, label].var() / (mean * (1 - mean)))
            found[f"{kind}_concordance"].append(_concordance(difficulty / 100, good))
        for label, name in enumerate("cai"):
            found[f"spearman.items.{name}"].append(float(spearmanr(difficulty, rates[:, label]).statistic))
    return {name: tuple(map(float, values)) for name, values in found.items()}


def _concordance(difficulty: Array, success: Array) -> float:
    """Integrate the curve of success over the bins of sorted items by the trapezium rule on a fine grid."""
    import numpy as np

    points: dict[float, list[float]] = {}
    for place in np.array_split(np.arange(len(difficulty)), BINS):
        inside = difficulty[place]
        middle = float(inside[0]) if inside[0] == inside[-1] else float(inside.mean())
        points.setdefault(middle, []).append(float(success[place].mean()))
    at, rate = [*points], [sum(each) / len(each) for each in points.values()]
    grid = np.unique(np.concatenate([np.linspace(at[0], at[-1], 200_001), at]))
    curve = np.interp(grid, at, rate)
    area = at[0] + np.trapezoid(curve, grid)
    resources = at[0] ** 2 / 2 + np.trapezoid(grid * curve, grid)
    return 100 / (1 + math.sqrt(2 * resources - area**2))


def resampled(source: Array, world: str, size: int, weights: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    """Draw items and answers; give the values of each model, and in each resample, as the harness makes intervals."""
    import numpy as np

    from harness.studies.reliability.measures.recentred import recentred
    from harness.studies.reliability.measures.replicate import SortedCounts, replicate

    difficulty = difficulties(source, world, size)
    given = SortedCounts(list(range(size)), difficulty, answers(source, world, difficulty))
    # The first row draws each item once: the values of the labels as they are.
    found = replicate(given, np.concatenate([np.ones((1, size), np.int32), weights]), BINS)
    points = {name: values[0] for name, values in found.items()}
    return points, recentred(points, {name: values[1:] for name, values in found.items()})


def held(world: str, size: int, draws: int) -> tuple[Array, Array]:
    """Tell of each draw whether each interval holds the true value: of models and of means over benchmarks.

    Gives [draw, name, model] and, where five draws in turn stand for five benchmarks, [five, name, model]; of the
    latter a mean is over one model of each draw.
    """
    import numpy as np

    from harness.kit.resample import LEVEL, multiplicities

    source = np.random.Generator(np.random.PCG64([21, [*MODELS].index(world), size]))
    weights = [multiplicities(seed, RESAMPLES[size], {"bench": range(size)}) for seed in range(WEIGHTS)]
    true = np.array([truth(world)[name] for name in NAMES])
    ends, single, means, lately = [(1 - LEVEL) / 2, (1 + LEVEL) / 2], [], [], []
    turn = (np.arange(BENCHMARKS)[:, None] + np.arange(true.shape[1])) % true.shape[1]
    for draw in range(draws):
        _, again = resampled(source, world, size, weights[draw % WEIGHTS])
        values = np.stack([again[name] for name in NAMES], axis=1)
        low, high = np.nanquantile(values, ends, axis=0)
        single.append((low <= true) & (true <= high))
        lately.append(values)
        if len(lately) == BENCHMARKS:
            over = np.mean([each[:, :, place] for each, place in zip(lately, turn, strict=True)], axis=0)
            low, high = np.nanquantile(over, ends, axis=0)
            about = np.mean([true[:, place] for place in turn], axis=0)
            means.append((low <= about) & (about <= high))
            lately = []
    return np.array(single), np.array(means)


def wilson_99(count: int, of: int) -> tuple[float, float]:
    """Give the 99 % Wilson interval of a share."""
    centre, half = count + _Z99**2 / 2, _Z99 * math.sqrt(count * (of - count) / of + _Z99**2 / 4)
    return (centre - half) / (of + _Z99**2), (centre + half) / (of + _Z99**2)


@dataclass(frozen=True)
class Cell:
    """The coverage of one value's interval, for one model or a mean, at one number of items."""

    kind: str
    size: int
    what: str
    count: int
    of: int

    @property
    def is_outside(self) -> bool:
        """Whether the 99 % interval of the coverage lies wholly outside of what is wanted."""
        low, high = wilson_99(self.count, self.of)
        return high < WITHIN[0] or low > WITHIN[1]


def cells(size: int, draws: int) -> Iterator[Cell]:
    """Measure every value's coverage at a number of items."""
    from harness.studies.reliability.measures.coverage import kind_of

    together: dict[str, list[int]] = {name: [0, 0] for name in NAMES}
    for world, models in MODELS.items():
        single, means = held(world, size, draws)
        for place, name in enumerate(NAMES):
            for model in range(len(models)):
                what = f"{name}, model {model + 1} on {world} difficulties"
                yield Cell(kind_of(name), size, what, int(single[:, place, model].sum()), draws)
            together[name][0] += int(means[:, place].sum())
            together[name][1] += means[:, place].size
    for name, (count, of) in together.items():
        if not name.startswith("spearman"):  # of which there is no mean
            yield Cell(kind_of(name), size, f"{name}, mean over {BENCHMARKS} benchmarks", count, of)


def coverage_rows(work: Path, size: Size) -> list[Row]:
    """Hold every interval that is said to hold against the marks, and show the coverage by kind and size."""
    from harness.studies.reliability.measures.coverage import MEASURED, holds_from

    draws, sizes = (DRAWS, SIZES) if size is FULL else (200, SIZES[:2])
    begun = time.process_time()
    found = [cell for each in sizes for cell in cells(each, draws) if cell.size >= holds_from(cell.kind)]
    spent = time.process_time() - begun
    outside = sum(cell.is_outside for cell in found)
    what = f"intervals outside: 99 % Wilson interval of the coverage wholly outside [.92, .98], of {len(found)}"
    rows = [
        Row("coverage", what, (float(outside),), 0.0, "intervals"),
        Row("coverage", f"CPU of {draws:,} draws of {sizes} items on two scales of difficulty", (spent,), MARK_S, "s"),
    ]
    for kind in MEASURED:
        for each in sizes:
            shares = tuple(cell.count / cell.of for cell in found if (cell.kind, cell.size) == (kind, each))
            if shares:
                rows.append(Row("coverage", f"{kind} at {each} items, nominal .95", shares, None, "of draws"))
    return rows


def page() -> str:
    """Give the table of `MEASURED` as a page of the documentation has it."""
    from harness.studies.reliability.measures.coverage import MEASURED, holds_from

    lines = [f"| intervals of | {' | '.join(f'{size} items' for size in RESAMPLES)} | hold from |"]
    lines.append("| --- |" + " ---: |" * (len(RESAMPLES) + 1))
    for kind, measured in MEASURED.items():
        shares = [f"{100 * low:.0f} to {100 * high:.0f} %" for low, high in (measured[size] for size in RESAMPLES)]
        lines.append(f"| {kind} | {' | '.join(shares)} | {holds_from(kind)} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> int:
    """Print the lowest and highest coverage by kind and number of items (all, or those given), for `MEASURED`."""
    begun = time.process_time()
    for size in map(int, argv or RESAMPLES):
        found = list(cells(size, DRAWS))
        for kind in dict.fromkeys(cell.kind for cell in found):
            mine = [cell for cell in found if cell.kind == kind]
            shares = [cell.count / cell.of for cell in mine]
            print(f"{kind} {size}: ({min(shares):.2f}, {max(shares):.2f})", flush=True)
            for cell in mine:
                if cell.is_outside:
                    print(f"  outside: {cell.what}: {cell.count / cell.of:.3f}")
    print(f"{time.process_time() - begun:.0f} s of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
