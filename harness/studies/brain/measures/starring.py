"""Starred models: in each unit the highest score over many subsets of feature spaces (`A*`).

A maximum of test scores over many models is biased upward. Reports therefore also show the number of models and the
score of a choice inside the training folds. Subsets are found by the names of the models.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.brain.measures.naming import LEXICAL, bands, sole_language

Array = Any  # a numpy array


@dataclass(frozen=True)
class StarredModel:
    """A starred model: the models over which each unit's highest score is taken."""

    name: str
    members: tuple[str, ...]  # fitted subsets, in the order of the models
    of: int  # number of subsets, fitted or not
    base: tuple[str, ...] = ()  # for a star with a language model, the subsets of the same spaces without it


def star(scores: Sequence[Array]) -> Array:
    """Return each unit's highest score over some models; NaN only if all have NaN. Raises InputError for no model."""
    import numpy as np  # noqa: PLC0415

    if not len(scores) or len({len(one) for one in scores}) != 1:
        told = f"scores of {len(scores)} models, of {[len(one) for one in scores][:8]} units"
        raise InputError(told, where="scores", next="give one or more models, each with a score for every unit")
    return np.fmax.reduce(np.asarray(scores, np.float64), axis=0)


def subsets(models: Sequence[str], spaces: Collection[str], containing: str = "") -> tuple[str, ...]:
    """Return the fitted models that are non-empty subsets of these spaces and contain `containing`, if given."""
    return tuple(
        model
        for model in models
        if "!" not in model and {*bands(model)} <= {*spaces} and (not containing or containing in bands(model))
    )


def stars(models: Sequence[str], text_models: Collection[str] = ()) -> list[StarredModel]:
    """Return the starred models (maxima over subsets of feature spaces) that fitted models form, of two or more.

    `A*` is the maximum over the subsets of A. `A* (with WORD)` is the maximum over those that contain the lexical space
    that the paper added last. `A+LLM*` is the maximum over the subsets of A and LLM that contain LLM. A model with two
    language models forms no star.
    """
    found: dict[str, StarredModel] = {}
    for model in models:
        for one in _of_model(model, models, text_models) if "!" not in model else ():
            if len(one.members) > 1:
                found.setdefault(one.name, one)
    return list(found.values())


def _of_model(model: str, models: Sequence[str], text_models: Collection[str]) -> Iterator[StarredModel]:
    spaces = bands(model)
    count = len(spaces)
    llm = sole_language(spaces, text_models)
    if llm:
        others = [band for band in spaces if band != llm]
        yield StarredModel(f"{model}*", subsets(models, spaces, llm), 2 ** (count - 1), base=subsets(models, others))
    elif not any(sole_language([band], text_models) for band in spaces):
        yield StarredModel(f"{model}*", subsets(models, spaces), 2**count - 1)
        if lexical := [band for band in LEXICAL if band in spaces]:
            last = lexical[-1]
            yield StarredModel(f"{model}* (with {last})", subsets(models, spaces, last), 2 ** (count - 1))


def gain(score: float | None, base: float | None) -> float | None:
    """Return by how many percent a score exceeds another; None if either is missing or the other is not above 0."""
    if score is None or base is None or base <= 0:
        return None
    return 100 * (score / base - 1)
