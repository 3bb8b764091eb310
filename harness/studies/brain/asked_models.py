"""The models that a plan asks for, by their texts: of time, of feature spaces, of layers, and of both together.

It knows names of features and which generation fits which; it does not know a dataset's steps or a score.
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
LLM, UNTRAINED = "LLM", "LLMU"  # arrays of features that a simulation hands out
GLOVE = "GLOVE"  # an array of word vectors: generation H's
BEST = f"@{naming.BEST}"  # behind a text model's name
STAR = "*"
SIMPLE: Mapping[str, tuple[str, ...]] = {PEREIRA: ("SP", "SL"), FEDORENKO: ("WP",), BLANK: ("RATE",)}
PLAIN = "!plain"  # what generation H fits by the plain ridge
TIME = {PEREIRA: "OASM@2.2", FEDORENKO: "OASM@1.8", BLANK: "OASM@1.5"}  # the paper's best sigma, beside other bands
WIDEST = 1000  # sigma of a smoothing
_WIDTH = re.compile(r"[0-9]{1,4}(\.[0-9]{1,6})?")


def time_models(settings: Mapping[str, Any], split: str) -> tuple[str, ...]:
    """Name the models that know nothing but time, one for each sigma of the sweep.

    Generation H fits them by the plain ridge where the split is contiguous.
    """
    generation = settings["generation"]
    sigmas = SIGMAS[generation] if settings["sigmas"] == ALL else widths(settings["sigmas"], "sigmas")
    how = PLAIN if (generation, split) == (H, CONTIGUOUS) else ""
    return tuple(f"OASM@{sigma}{how}" for sigma in sigmas)


def widths(said: str, setting: str) -> tuple[str, ...]:
    """Read the widths of a sweep, decimals after commas; InputError for what is none, is too wide or stands twice."""
    given = tuple(part.strip() for part in said.split(","))
    for place, one in enumerate(given):
        wrong = "" if _WIDTH.fullmatch(one) and float(one) <= WIDEST else f"is no number from 0 to {WIDEST}"
        if wrong or float(one) in {float(other) for other in given[:place]}:
            told = f"the width {one[:40]!r} {wrong or 'stands twice'}"
            raise InputError(told, where=f"settings.{setting}", next='write `all`, or decimals such as "1.0, 2.2"')
    return given


def simple_spaces(settings: Mapping[str, Any], layout: str) -> tuple[str, ...]:
    """Name the spaces that know neither words nor context; generation H makes one band of position and length.

    The setting `simple` may say others for a layout: `pereira=SPs@1.2&SL, blank=RAMP@8&RATE`. InputError where it says
    no bands, of a layout that there is not, or of one twice.
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
    """Name the spaces of words, senses and syntax that a generation uses, as far as a dataset brings their arrays."""
    used = naming.LEXICAL if generation == P else (GLOVE, *naming.LEXICAL[:1])
    return tuple(name for name in used if name in {*brought})


def space_models(settings: Mapping[str, Any], layout: str, split: str, brought: Sequence[str]) -> tuple[str, ...]:
    """Name the models of feature spaces: all subsets in contiguous splits, time and LLM together in shuffled ones.

    `brought` are the arrays of the dataset. The untrained features of a simulation stand beside the simple ones alone,
    as in the paper.
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
    """Name the models with a text model's best layer in them: that layer alone, and what it is added to.

    In contiguous splits every subset of the simple and the lexical spaces, of an untrained model (`drawn`) of the
    simple ones; in shuffled ones time.
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
    """Name the pairs of models that are tested: the one with a language model against the one without.

    `models` are the text models, and whether each is untrained. A pair with stars is of the best subsets, unit by unit.
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
    """Name those of the fitted models whose errors the tested pairs need: of a star every subset of its bands."""
    tested = {each for pair in pairs for each in pair}
    stars = [{*each.removesuffix(STAR).split("+")} for each in tested if each.endswith(STAR)]
    return [model for model in models if model in tested or any({*model.split("+")} <= star for star in stars)]


def subsets(spaces: tuple[str, ...]) -> list[str]:
    """Name the models of all subsets but the empty one, the smaller first."""
    return [named(each) for each in chain.from_iterable(combinations(spaces, n + 1) for n in range(len(spaces)))]


def named(bands: Iterable[str]) -> str:
    """Name the model of these bands."""
    return "+".join(bands)
