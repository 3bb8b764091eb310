"""The document `comparisons`: every two models on the same answers, resampled by template, with sign flips (OURS).

If an answer is an error or ungraded for one of the two models, it is left out for both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import InputError
from harness.stats import holm
from harness.studies.biomed.measures.rates import ACCURACY, AR, BIOSCORE, PARTS, RQR, SR
from harness.studies.biomed.measures.run_answers import RunAnswers, read
from harness.studies.biomed.measures.states import HALVES, CountedAnswer, StateTally, by_template
from harness.studies.biomed.measures.strict_intervals import FEWEST_TEMPLATES, LEVEL, ONE_TEMPLATE
from harness.studies.biomed.terms import ERROR, UNGRADED, VERSION

RESAMPLES, FLIPS = 2000, 10_000
LAST_SEED = 2**32 - 2  # numpy's legacy generator takes 32 bits, and sign flips use the next seed
EXACT = 14  # up to this many templates every combination of signs is tried
MOST_UNDEFINED = 10  # of a hundred resamples
CLOSE = 1e-12  # sums that differ by less are equal
MOST_DRAWN = 20_000_000  # templates in all resamples together, which are in memory at the same time
QUANTITIES = (AR, RQR, SR, ACCURACY, BIOSCORE)
ABOUT = {
    "difference": "of the ratios of counts that are summed over templates: the first model's less the second's",
    "interval": "percentiles of resamples of the templates; with 5 templates such an interval covers .75 to .83",
    "p": "sign flips of the templates' differences, exact for at most 14; Holm's correction over the pairs",
    "excluded": "answers that are errors or ungraded for one of the two",
}
NO_PAIRS = {"missing": "no answer of both can be compared"}
NO_TEMPLATES = {"missing": "no template has the ratio for both"}
UNDEFINED = {"missing": "one of the two ratios has a denominator of 0"}
Run = tuple[str, tuple[int, int]]  # an item in one wording and sample


def comparisons(found: RunAnswers, seed: int, resamples: int = RESAMPLES) -> dict[str, Any]:
    """Compare every two models by each grader: paired differences, intervals and p-values over templates.

    Raise InputError if `resamples` is less than 1, and if `seed` is out of range.
    """
    if resamples < 1:
        raise InputError(f"`resamples` is {resamples}", where="resamples", next="ask for at least one")
    if not 0 <= seed <= LAST_SEED:
        raise InputError(f"no templates are drawn by the seed {seed}", where="seeds", next=f"use 0 to {LAST_SEED}")
    draws = TemplateDraws(seed, resamples)
    return {
        "mode": found.mode,
        "version": VERSION,
        "about": ABOUT,
        "level": LEVEL,
        "resamples": resamples,
        "seed": seed,
        "graders": {grader: {"pairs": _pairs(found, grader, draws)} for grader in found.graders},
    }


class TemplateDraws:
    """Resamples of templates and sign flips from numpy's legacy generator, the same for all pairs of one size."""

    def __init__(self, seed: int, resamples: int) -> None:
        self._seed, self._resamples = seed, resamples
        self._weights: dict[int, Any] = {}
        self._signs: dict[int, Any] = {}

    def weights(self, size: int) -> Any:
        """Return how often each of `size` templates occurs in each resample; raise InputError if these are too many."""
        import numpy as np  # noqa: PLC0415

        if size * self._resamples > MOST_DRAWN:
            what = f"{self._resamples:,} resamples of {size:,} templates do not fit into memory"
            advice = f"ask for at most {MOST_DRAWN // size:,}" if size <= MOST_DRAWN else "give fewer templates"
            raise InputError(what, where="resamples", next=advice)
        if size not in self._weights:
            drawn = np.random.RandomState(self._seed).randint(0, size, size=(self._resamples, size))
            shifted = drawn + size * np.arange(self._resamples)[:, None]
            counts = np.bincount(shifted.ravel(), minlength=self._resamples * size)
            self._weights[size] = counts.reshape(self._resamples, size)
        return self._weights[size]

    def signs(self, size: int) -> Any:
        """Return rows of signs for `size` differences: all combinations for at most 14, otherwise random rows."""
        import numpy as np  # noqa: PLC0415

        if size not in self._signs:
            if size <= EXACT:
                rows = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
            else:
                rows = np.random.RandomState(self._seed + 1).randint(0, 2, size=(FLIPS, size))
            self._signs[size] = rows * 2 - 1
        return self._signs[size]


def sign_flip(differences: Sequence[float], draws: TemplateDraws) -> Any:
    """Return the two-sided p-value of the sum of differences, one per template; missing for fewer than two templates.

    The sign of a single difference can be flipped without changing its size, so it says nothing.
    """
    import numpy as np  # noqa: PLC0415

    size = len(differences)
    if not size:
        return NO_TEMPLATES
    if size < 2:
        return ONE_TEMPLATE
    signs = draws.signs(size)
    hits = int((np.abs(signs @ np.array(differences)) >= abs(math.fsum(differences)) - CLOSE).sum())
    return hits / len(signs) if size <= EXACT else (1 + hits) / (1 + FLIPS)


def _pairs(found: RunAnswers, grader: str, draws: TemplateDraws) -> list[dict[str, Any]]:
    known = {model: _usable(found.of(grader, model)) for model in found.models}
    told = [_pair(a, b, known, found.whole, draws) for a, b in combinations(found.models, 2)]
    for name in QUANTITIES:
        cells = [pair["quantities"][name] for pair in told]
        tested = [cell for cell in cells if isinstance(cell["p"], float)]
        for cell, adjusted in zip(tested, holm([cell["p"] for cell in tested]), strict=True):
            cell["p_holm"] = adjusted
    return told


def _usable(answers: Sequence[CountedAnswer]) -> tuple[dict[Run, CountedAnswer], int]:
    kept = {(each.item, each.run): each for each in answers if each.state not in (ERROR, UNGRADED)}
    return kept, len(answers) - len(kept)


def _pair(
    a: str, b: str, known: Mapping[str, tuple[dict[Run, CountedAnswer], int]], whole: bool, draws: TemplateDraws
) -> dict[str, Any]:
    (one, lost_a), (other, lost_b) = known[a], known[b]
    both = one.keys() & other.keys()
    left, right = (by_template([own[run] for run in both], whole=whole) for own in (one, other))
    counts = {"n": len(both), "n_templates": len(left), "n_unusable_a": lost_a, "n_unusable_b": lost_b}
    unreliable = {"unreliable": [f"fewer than {FEWEST_TEMPLATES} templates"]} if len(left) < FEWEST_TEMPLATES else {}
    quantities = {name: _compared(_parts(left, name), _parts(right, name), draws) for name in QUANTITIES}
    return {"a": a, "b": b, **counts, **unreliable, "quantities": quantities}


def _parts(counts: Mapping[str, StateTally], name: str) -> list[tuple[int, int]]:
    """Return numerator and denominator by template; for BioScore the sum of half points and its greatest value."""
    if name != BIOSCORE:
        return [PARTS[name](own) for own in counts.values()]
    return [(sum(each * n for each, n in own.halves.items()), HALVES * own.halves.total()) for own in counts.values()]


def _compared(left: list[tuple[int, int]], right: list[tuple[int, int]], draws: TemplateDraws) -> dict[str, Any]:
    differences = [a / n - b / m for (a, n), (b, m) in zip(left, right, strict=True) if n and m]
    p = sign_flip(differences, draws)
    told = {"p": p, "n_templates_of_both": len(differences)}
    if not left:
        return {"value": NO_PAIRS, "interval": NO_PAIRS, **told}
    (a, n), (b, m) = ((sum(k for k, _ in own), sum(of for _, of in own)) for own in (left, right))
    if not n or not m:
        return {"value": UNDEFINED, "interval": UNDEFINED, **told}
    return {"value": a / n - b / m, **_resampled(left, right, draws), **told}


def _resampled(left: list[tuple[int, int]], right: list[tuple[int, int]], draws: TemplateDraws) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    if len(left) < 2:
        return {"interval": ONE_TEMPLATE}
    weights = draws.weights(len(left))
    a, n, b, m = (weights @ np.array(column) for own in (left, right) for column in zip(*own, strict=True))
    defined = (n > 0) & (m > 0)
    dropped = int((~defined).sum())
    if 100 * dropped > MOST_UNDEFINED * len(weights):
        why = f"undefined in {dropped} of {len(weights)} resamples"
        return {"interval": {"missing": why}, "dropped_resamples": dropped}
    apart = a[defined] / n[defined] - b[defined] / m[defined]
    low, high = np.quantile(apart, [0.025, 0.975])
    return {"interval": [float(low), float(high)], "dropped_resamples": dropped}


def analyse(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the document `comparisons`, every two models compared, from `items`, `gold` and `scores`.

    Raise InputError as `run_answers.read` does, if `resamples` is not positive, and for a seed over 32 bits.
    """
    found = comparisons(read(params, inputs), params.get("seed", 0), params.get("resamples", RESAMPLES))
    rows.write_one(out / "comparisons", found)
