"""The published numbers of the simulation: the weights of the parts of a unit and of the language model's features.

OURS, version `simulation-1`; changing a number here changes the version.
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
MODEL_COLUMNS = 300  # columns of each of LLM, LLMU and NOISE
BASE = 2.0  # the mean of every unit
PARTICIPANTS, UNITS = 4, 60
NULL_EVERY, OTHER_EVERY = 5, 3  # of a participant's units, every 5th has only noise and every 3rd is of another network


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """The weights of what a simulated unit responds to; each part is standardised, weighted and added."""

    position: float = 0.25  # the row's position in its block
    length: float = 0.25  # the row's number of words
    word: float = 0.35  # vectors that are published as WORD
    context: float = 0.12  # vectors that only LLM contains
    slow: float = 0.9  # the unit's own drift, similar within a block, independent of stimuli
    topic: float = 0.0  # category and passage of the stimulus
    llm_only: float = 0.0  # the planted opposite: vectors that LLM contains if this is not 0
    noise: float = 0.8  # white


@dataclass(frozen=True, slots=True)
class FeatureScales:
    """The scales of the parts that a simulated language-model feature mixes at random, before noise is added."""

    position: float = 0.7
    length: float = 0.7
    word: float = 0.8
    context: float = 0.8
    category: float = 0.3
    passage: float = 0.35
    llm_only: float = 0.8
    divisor: float = 8.0
    noise: float = 0.5
    untrained_divisor: float = 2.0  # of LLMU, which mixes only position and length, at scale 1
    untrained_noise: float = 1.0


@dataclass(frozen=True, slots=True)
class WorldRecipe:
    """The constants from which one dataset's responses are simulated; all but Pereira's part is OURS alone."""

    weights: Mapping[str, UnitWeights]  # by world
    lengths: tuple[int, int] = (5, 20)  # words per row: from, and below
    white: float = 0.25  # Pereira's slow part: one number per block, plus this share of white noise
    rho: float | None = None  # other datasets' slow part: AR(1) within a block, with this coefficient
    one_hot: float = 0.25  # Fedorenko's position: the ramp, plus this share of a random map of the position
    rise: float = 10.0  # Blank's position: 1 - exp(-scan / rise)
    segment: int = 10  # Blank's passage: this many scans of a story
    scales: FeatureScales = field(default_factory=FeatureScales)


def _worlds(weights: UnitWeights) -> Mapping[str, UnitWeights]:
    return {DEFAULT: weights, TOPIC: replace(weights, slow=0.0, topic=weights.slow)}


RECIPES: Mapping[str, WorldRecipe] = {
    PEREIRA: WorldRecipe(_worlds(UnitWeights())),
    FEDORENKO: WorldRecipe(
        _worlds(UnitWeights(position=0.5, length=0.0)), rho=0.6, scales=FeatureScales(length=0.0)
    ),  # a word has no number of words; its length is drawn but not used
    BLANK: WorldRecipe(_worlds(UnitWeights()), lengths=(2, 12), rho=0.95),
}


def weights_for(dataset: str, world: str, changed: Mapping[str, str]) -> UnitWeights:
    """Return the weights of a dataset's simulated units in a world, some replaced by `changed` (texts by name).

    Raises InputError for an unknown world, and for a weight that is not a finite number of at least 0.
    """
    if world not in WORLDS:
        raise InputError(f"there is no world {world!r}", where="world", next=f"give one of: {', '.join(WORLDS)}")
    return replace(RECIPES[dataset].weights[world], **{name: _weight(name, text) for name, text in changed.items()})


def weight_names() -> tuple[str, ...]:
    """Return the names of the simulation's weights, by which a manifest may change them."""
    return tuple(one.name for one in fields(UnitWeights))


def table() -> Iterator[tuple[str, str, str, str]]:
    """Yield the simulation's constants as rows of a table: a name, then the value for each of the three datasets."""
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
