"""What a fit is asked for: a model's text becomes its bands and the way they are fitted, by the generation's rules.

It must never know a recording, a feature's values or a score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.brain.features.spaces import bands_of
from harness.studies.brain.terms import ALPHAS, GENERATIONS, INTERCEPT, MOST_GAMMAS, H, P

BANDED, PLAIN, LEAST_SQUARES = "banded", "plain", "ols"
METHODS = (BANDED, PLAIN, LEAST_SQUARES)
DTYPES = ("float32", "float64")
LONGEST = 180  # letters of a model's text, by which its arrays are named


@dataclass(frozen=True)
class AskedModel:
    """One model: its text, its bands, and how it is fitted."""

    text: str
    bands: tuple[str, ...]
    method: str = BANDED


@dataclass(frozen=True)
class FitRequest:
    """All that a fit is asked for beside its data."""

    dataset: str
    experiment: str
    generation: str
    split: str
    seed: int
    inner_rows: int
    iterations: int
    gamma_seed: int
    models: tuple[AskedModel, ...]
    errors: tuple[str, ...]
    text_models: Mapping[str, Sequence[int]]
    dtype: str = "float32"

    @property
    def alphas(self) -> tuple[float, ...]:
        """Give the alphas of the generation."""
        return ALPHAS[self.generation]

    def gammas(self, model: AskedModel) -> int:
        """Count the weightings of bands that the search of a model may try: one where there is one band."""
        return self.iterations if len(model.bands) > 1 else 1

    def all_subsets(self, model: AskedModel) -> bool:
        """Whether the search begins with every subset of the bands: in generation P, where there are several."""
        return self.generation == P and len(model.bands) > 1


def request(params: Mapping[str, Any]) -> FitRequest:
    """Read a step's parameters, so that a study can check them where it plans.

    InputError for an unknown generation or dtype, a model that is no model (see `asked_model`), is named twice or is
    `intercept`, fewer iterations than a start from all subsets takes, and errors of a model that is not fitted.
    """
    generation, iterations = params["generation"], params["iterations"]
    _require_one_of("generation", generation, GENERATIONS)
    _require_one_of("dtype", params.get("dtype", "float32"), DTYPES)
    if not 1 <= iterations <= MOST_GAMMAS:
        raise InputError(f"{iterations} iterations are asked for", where="iterations", next=f"use 1 to {MOST_GAMMAS:,}")
    models = tuple(asked_model(text, generation) for text in params["models"])
    texts = [model.text for model in models]
    _require_distinct(texts, "models")
    found = FitRequest(
        params["dataset"],
        params.get("experiment", ""),
        generation,
        params["split"],
        params["seed"],
        params["inner_rows"],
        iterations,
        params["gamma_seed"],
        models,
        tuple(params.get("errors", ())),
        dict(params.get("text_models", {})),
        params.get("dtype", "float32"),
    )
    widest = max(filter(found.all_subsets, models), key=lambda model: len(model.bands), default=None)
    if widest and iterations < (subsets := 2 ** len(widest.bands) - 1):
        raise InputError(
            f"{widest.text!r} has {subsets} subsets of bands, which the search begins with",
            where="iterations",
            next=f"give {subsets} at least, not {iterations}",
        )
    for text in found.errors:
        if text not in (*texts, INTERCEPT):
            raise InputError(f"no model {text!r} is fitted", where="errors", next="add it to `models`")
    return found


def asked_model(text: str, generation: str) -> AskedModel:
    """Read a model's text: bands joined with `+`, and `!plain` or `!ols` behind them.

    InputError for an unknown way to fit, no bands or one named twice, a text by which no array can be called, the name
    `intercept`, and for `!plain` and `!ols` outside generation H or with several bands: they weigh none.
    """
    names, mark, method = text.partition("!")
    bands = tuple(bands_of(names))
    if len(text) > LONGEST or not text.isprintable() or {"/", "\\"} & {*text}:
        told = f"no array can be called {text[:60]!r}: it is too long, or has a letter of a path"
        raise InputError(told, where="models", next=f"use fewer bands or shorter names: {LONGEST} letters at most")
    if names == INTERCEPT:
        raise InputError(f"{text!r} is fitted always, and names no bands", where="models", next="leave it out")
    if not mark:
        return AskedModel(text, bands)
    _require_one_of(f"{text}: the way to fit", method, METHODS[1:])
    if generation != H:
        raise InputError(f"{text!r} is fitted as generation H does", where="models", next="leave out what follows `!`")
    if len(bands) > 1:
        raise InputError(f"`!{method}` weighs no bands", where=text, next="put their columns side by side with `&`")
    return AskedModel(text, bands, method)


def _require_one_of(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(f"{value!r} is not known", where=what, next=f"use one of: {', '.join(known)}")


def _require_distinct(names: Sequence[str], where: str) -> None:
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise InputError(f"{twice[0]!r} is named twice", where=where, next="name it once")
