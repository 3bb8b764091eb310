"""Parses what a fit is asked for: a model's text becomes its bands and a way to fit, by the generation's rules."""

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
LONGEST = 180  # characters of a model's text, which is part of its arrays' names


@dataclass(frozen=True)
class AskedModel:
    """A model to fit: its name, its bands (feature spaces), and how it is fitted."""

    text: str
    bands: tuple[str, ...]
    method: str = BANDED


@dataclass(frozen=True)
class FitRequest:
    """The validated parameters of a fitting step: dataset rows, split, models and search settings, without the data."""

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
        """The ridge penalties to try: those of the paper (generation P) or of the repository (H)."""
        return ALPHAS[self.generation]

    def gammas(self, model: AskedModel) -> int:
        """Return how many band weightings a model's search may try: one if the model has one band."""
        return self.iterations if len(model.bands) > 1 else 1

    def all_subsets(self, model: AskedModel) -> bool:
        """Return whether a search begins with every subset of the bands: for several bands, as in the paper (P)."""
        return self.generation == P and len(model.bands) > 1


def request(params: Mapping[str, Any]) -> FitRequest:
    """Parse and check the parameters of a fitting step; also called when a run is planned, to find errors early.

    Raises InputError for an unknown generation or dtype; for a model that is invalid (see `asked_model`), named twice
    or called `intercept`; for fewer iterations than there are subsets to start from; and for errors of a model that is
    not fitted.
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
    """Parse a model's name: bands joined with `+`, perhaps followed by `!plain` (plain ridge) or `!ols`.

    Raises InputError for an unknown way to fit, for missing or repeated bands, for a text that cannot name an array,
    and for the name `intercept`. Also raises InputError for `!plain` and `!ols` outside generation H or with several
    bands, because they do not weight bands.
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
