"""The published numbers of the simulation: how much of what is in a unit and in the language model's features.

OURS, version `simulation-1`: a number that changes here changes the version. It must never know a draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace

from harness.errors import InputError
from harness.studies.brain.terms import BLANK, FEDORENKO, PEREIRA

VERSION = "simulation-1"
DEFAULT, TOPIC = "default", "topic"
WORLDS = (DEFAULT, TOPIC)  # what a passage shares: a slow nuisance of each unit, or the topic of the stimulus
CATEGORY_COLUMNS, PASSAGE_COLUMNS, WORD_COLUMNS, CONTEXT_COLUMNS, ONLY_COLUMNS = 20, 60, 40, 10, 10
MODEL_COLUMNS = 300  # of LLM, of LLMU and of NOISE
BASE = 2.0  # the mean of every unit
PARTICIPANTS, UNITS = 4, 60
NULL_EVERY, OTHER_EVERY = 5, 3  # units of a participant: each 5th has noise alone, each 3rd is of another network


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """What a unit with signal is a sum of: each part is standardised, then multiplied by its weight."""

    position: float = 0.25  # where in its block a row stands
    length: float = 0.25  # how many words it has
    word: float = 0.35  # vectors that are handed out as WORD
    context: float = 0.12  # vectors that only LLM holds
    slow: float = 0.9  # the unit's own drift, alike within a block; of no stimulus
    topic: float = 0.0  # category and passage of the stimulus
    llm_only: float = 0.0  # the planted opposite: vectors that LLM gets because this is not 0
    noise: float = 0.8  # white


@dataclass(frozen=True, slots=True)
class FeatureScales:
    """What a column of LLM is a random mix of: each part times its scale; the sum over `divisor`, plus noise."""

    position: float = 0.7
    length: float = 0.7
    word: float = 0.8
    context: float = 0.8
    category: float = 0.3
    passage: float = 0.35
    llm_only: float = 0.8
    divisor: float = 8.0
    noise: float = 0.5
    untrained_divisor: float = 2.0  # of LLMU, which mixes position and length alone, at scale 1
    untrained_noise: float = 1.0


@dataclass(frozen=True, slots=True)
class WorldRecipe:
    """How the rows of one dataset become numbers; all but Pereira's part is OURS alone."""

    weights: Mapping[str, UnitWeights]  # of each world
    lengths: tuple[int, int] = (5, 20)  # words a row: from, and below which
    white: float = 0.25  # Pereira's slow part: one number a block, plus so much white noise
    rho: float | None = None  # elsewhere: AR(1) within a block, with this coefficient
    one_hot: float = 0.25  # Fedorenko's position: the ramp, plus a random map of the place, so much of it
    rise: float = 10.0  # Blank's position: 1 - exp(-scan / rise)
    segment: int = 10  # Blank's passage: so many scans of a story
    scales: FeatureScales = field(default_factory=FeatureScales)


def _worlds(weights: UnitWeights) -> Mapping[str, UnitWeights]:
    return {DEFAULT: weights, TOPIC: replace(weights, slow=0.0, topic=weights.slow)}


RECIPES: Mapping[str, WorldRecipe] = {
    PEREIRA: WorldRecipe(_worlds(UnitWeights())),
    FEDORENKO: WorldRecipe(
        _worlds(UnitWeights(position=0.5, length=0.0)), rho=0.6, scales=FeatureScales(length=0.0)
    ),  # a word has no number of words: its length is drawn, and used nowhere
    BLANK: WorldRecipe(_worlds(UnitWeights()), lengths=(2, 12), rho=0.95),
}


def weights_for(dataset: str, world: str, changed: Mapping[str, str]) -> UnitWeights:
    """Give the weights of a dataset in a world, with those of `changed` (texts by name) in place of the published.

    InputError for a world that there is not, and for a weight that is no finite number of at least 0.
    """
    if world not in WORLDS:
        raise InputError(f"there is no world {world!r}", where="world", next=f"give one of: {', '.join(WORLDS)}")
    return replace(RECIPES[dataset].weights[world], **{name: _weight(name, text) for name, text in changed.items()})


def weight_names() -> tuple[str, ...]:
    """List the names of weights, which are the names of the parameters that change them."""
    return tuple(one.name for one in fields(UnitWeights))


def table() -> Iterator[tuple[str, str, str, str]]:
    """Give the published numbers as rows for a page: what it is, then its value for each of the three datasets."""
    datasets = (PEREIRA, FEDORENKO, BLANK)
    yield ("", *datasets)
    for world in WORLDS:
        for name in weight_names():
            yield _line(f"weight of {name}, world {world}", [asdict(RECIPES[d].weights[world])[name] for d in datasets])
    for one in fields(FeatureScales):
        yield _line(f"LLM: {one.name}", [asdict(RECIPES[d].scales)[one.name] for d in datasets])
    yield _line("words a row", [f"{RECIPES[d].lengths[0]} to {RECIPES[d].lengths[1] - 1}" for d in datasets])
    yield _line("AR(1) coefficient of the slow part", [RECIPES[d].rho for d in datasets])
    yield ("share of white noise in the slow part", f"{RECIPES[PEREIRA].white:g}", "", "")
    yield ("share of the place in the position", "", f"{RECIPES[FEDORENKO].one_hot:g}", "")
    yield ("scans in which the position rises to 1 - 1/e", "", "", f"{RECIPES[BLANK].rise:g}")
    yield ("scans of a passage", "", "", f"{RECIPES[BLANK].segment}")


def _line(what: str, values: Sequence[float | str | None]) -> tuple[str, str, str, str]:
    first, second, third = ("" if value is None else f"{value}" for value in values)
    return what, first, second, third


def _weight(name: str, text: str) -> float:
    try:
        weight = float(text)
    except (TypeError, ValueError):
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise InputError(f"{text!r} is no weight", where=name, next='give a number of at least 0, as "0.12"')
    return weight
