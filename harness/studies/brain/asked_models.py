"""The models that a plan asks for, by name: models of time, of feature spaces, of layers, and combinations.

Works with feature names and generations; does not see a dataset's steps or scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from harness.errors import InputError
from harness.studies.brain.measures import naming
from harness.studies.brain.terms import (
    BLANK,
    CONTIGUOUS,
    DATASETS,
    FEDORENKO,
    INTERCEPT,
    PEREIRA,
    SHUFFLED,
    SIGMAS,
    H,
    P,
)

ALL = "all"
LLM, UNTRAINED = "LLM", "LLMU"  # feature arrays that a simulation produces
GLOVE = "GLOVE"  # an array of word vectors, used by generation H
BEST = f"@{naming.BEST}"  # appended to a text model's name
STAR = "*"
SIMPLE: Mapping[str, tuple[str, ...]] = {PEREIRA: ("SP", "SL"), FEDORENKO: ("WP",), BLANK: ("RATE",)}
PLAIN = "!plain"  # marks the models that generation H fits by plain ridge
TIME = {PEREIRA: "OASM@2.2", FEDORENKO: "OASM@1.8", BLANK: "OASM@1.5"}  # the paper's best sigma with other bands
WIDEST = 1000  # the largest sigma of a smoothing
_WIDTH = re.compile(r"[0-9]{1,4}(\.[0-9]{1,6})?")


def time_models(settings: Mapping[str, Any], split: str) -> tuple[str, ...]:
    """Return the names of the models that know only positions in time, one for each width (sigma) of the sweep.

    Generation H fits these models by plain ridge if the split is contiguous.
    """
    generation = settings["generation"]
    sigmas = SIGMAS[generation] if settings["sigmas"] == ALL else widths(settings["sigmas"], "sigmas")
    how = PLAIN if (generation, split) == (H, CONTIGUOUS) else ""
    return tuple(f"OASM@{sigma}{how}" for sigma in sigmas)


def widths(said: str, setting: str) -> tuple[str, ...]:
    """Parse a text of comma-separated decimals: the widths of a sweep of models.

    Raises InputError if a width is not a number, is too large or is given twice.
    """
    given = tuple(part.strip() for part in said.split(","))
    for place, one in enumerate(given):
        wrong = "" if _WIDTH.fullmatch(one) and float(one) <= WIDEST else f"is no number from 0 to {WIDEST}"
        if wrong or float(one) in {float(other) for other in given[:place]}:
            told = f"the width {one[:40]!r} {wrong or 'stands twice'}"
            raise InputError(told, where=f"settings.{setting}", next='write `all`, or decimals such as "1.0, 2.2"')
    return given


def simple_spaces(settings: Mapping[str, Any], layout: str) -> tuple[str, ...]:
    """Return the names of the feature spaces of position and length, which know neither words nor context.

    In generation H, Pereira has one band of position and length. The setting `simple` may name other spaces for a
    layout: `pereira=SPs@1.2&SL, blank=RAMP@8&RATE`. Raises InputError if an entry has an empty band, or names an
    unknown layout or the same layout twice.
    """
    given: dict[str, tuple[str, ...]] = {}
    for part in filter(None, settings["simple"].split(",")):
        name, _, bands = (text.strip() for text in part.partition("="))
        if name not in DATASETS or name in given or not all(bands.split("+")):
            told = f"{part.strip()[:60]!r} names no simple spaces of a layout"
            raise InputError(told, where="settings.simple", next='write it like "pereira=SPs@1.2&SL, fedorenko=WP@4.7"')
        given[name] = tuple(bands.split("+"))
    own = ("SP&SL",) if (settings["generation"], layout) == (H, PEREIRA) else SIMPLE[layout]
    return given.get(layout, own)


def lexical_spaces(generation: str, brought: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the feature spaces of words, senses and syntax whose arrays the dataset brings."""
    used = naming.LEXICAL if generation == P else (GLOVE, *naming.LEXICAL[:1])
    return tuple(name for name in used if name in {*brought})


def space_models(settings: Mapping[str, Any], layout: str, split: str, brought: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the encoding models to fit on feature spaces: each space, and bands of several spaces.

    In contiguous splits, these are all subsets of the spaces. In shuffled splits, they are the simple spaces together,
    the arrays `LLM` and `LLMU` alone, and time with `LLM`. `brought` names the arrays of the dataset. As in the paper,
    the untrained features of a simulation are combined with the simple spaces only.
    """
    simple = simple_spaces(settings, layout)
    given = tuple(name for name in (LLM, UNTRAINED) if name in brought)
    if split == SHUFFLED:
        return (named(simple), *given, *(named((TIME[layout], name)) for name in given if name == LLM))
    known = (*simple, *lexical_spaces(settings["generation"], brought))
    found = [*subsets((*known, LLM) if LLM in given else known)]
    return tuple(dict.fromkeys([*found, *(subsets((*simple, UNTRAINED)) if UNTRAINED in given else ())]))


def joint_models(
    settings: Mapping[str, Any], layout: str, split: str, brought: Sequence[str], model: str, *, drawn: bool
) -> tuple[str, ...]:
    """Return the names of the models with a text model's best layer: the layer alone, and the layer with other bands.

    In contiguous splits, the layer is added to every subset of the simple and lexical spaces; the layer of an untrained
    model (`drawn`) is added to the simple spaces only. In shuffled splits, it is added to time.
    """
    best = f"{model}{BEST}"
    if split == SHUFFLED:
        return (best, named((TIME[layout], best)))
    simple = simple_spaces(settings, layout)
    others = simple if drawn else (*simple, *lexical_spaces(settings["generation"], brought))
    return (best, *(f"{one}+{best}" for one in subsets(others)))


def compared_pairs(
    settings: Mapping[str, Any], layout: str, split: str, brought: Sequence[str], models: Mapping[str, bool]
) -> list[list[str]]:
    """Return the pairs of models to test: a model with a language model against the same model without it.

    `models` maps each text model to whether it is untrained. A pair with stars compares the best subset of each unit.
    """
    simple, lexical = simple_spaces(settings, layout), lexical_spaces(settings["generation"], brought)
    known = {name: name == UNTRAINED for name in (LLM, UNTRAINED) if name in brought}
    known |= {f"{name}{BEST}": drawn for name, drawn in models.items()}
    if split == SHUFFLED:
        trained = [name for name, drawn in known.items() if not drawn]
        return [pair for name in trained for pair in ([named((TIME[layout], name)), name], [name, INTERCEPT])]
    found: list[list[str]] = []
    for name, drawn in known.items():
        bases = [simple, *([(*simple, *lexical)] if lexical and not drawn else [])]
        found += [[named((*base, name)), named(base)] for base in bases]
        if name.endswith(BEST):
            found.append([named((*simple, name)) + STAR, named(simple) + (STAR if len(simple) > 1 else "")])
        found += [] if drawn and not name.endswith(BEST) else [[name, INTERCEPT]]
    return found


def kept_models(pairs: Iterable[Sequence[str]], models: Sequence[str]) -> list[str]:
    """Return the fitted models whose errors the tested pairs need; a pair of maxima over subsets needs every subset."""
    tested = {each for pair in pairs for each in pair}
    stars = [{*each.removesuffix(STAR).split("+")} for each in tested if each.endswith(STAR)]
    return [model for model in models if model in tested or any({*model.split("+")} <= star for star in stars)]


def subsets(spaces: tuple[str, ...]) -> list[str]:
    """Return the names of the models of all non-empty subsets of some feature spaces, smaller subsets first."""
    return [named(each) for each in chain.from_iterable(combinations(spaces, n + 1) for n in range(len(spaces)))]


def named(bands: Iterable[str]) -> str:
    """Return a model's name: the names of its bands (feature spaces) joined by `+`."""
    return "+".join(bands)
