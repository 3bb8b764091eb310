"""Parses the name of a published file: its figure and kind, and its data set, metric, split and model.

A path may be `source_data/figure1/NAME`, as published, or `figure1_NAME`, as in a folder of copies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import NamedTuple

from harness.studies.brain.terms import CONTIGUOUS, DATASETS, EXP1, EXP2, PEREIRA, SHUFFLED

TABLE, UNITS, UNIT_ROWS, OMEGAS, TESTS, CHOICES, RANKED, COUNTS = (
    "table",
    "units",
    "unit rows",
    "omegas",
    "tests",
    "choices",
    "model scores",
    "derived counts",
)
PARTICIPANTS, CURVES = "participants", "curves"  # the kind of a table, by its columns
R2, PEARSON = "out_of_sample_r2", "pearson_r"
NO_L2 = "noL2custom"  # in the names of files of regressions without a penalty
LAST, MEAN, SUM = "lt", "mp", "sp"  # pooling of the tokens of a text: last token, mean, sum
OASM, SIMPLE = "oasm", "simple"
COMBINED = "combined"  # an experiment: both of Pereira together
FIGURE2 = "figure2"  # the figure of shuffled splits, with OASM in place of the simple model
DERIVED = "pereira_pvalue_counts"  # counted from p-values of Pereira; the authors published no such table

_DATASET, _METRIC = f"(?P<dataset>{'|'.join(DATASETS)})", f"(?P<metric>{R2}|{PEARSON})"
_POOLING = f"(?:-(?P<pooling>{LAST}|{MEAN}|{SUM}))?"
_OF = f"{_DATASET}(?:_(?P<experiment>{EXP1}|{EXP2}))?"
_FOLDER = re.compile(r"(?P<figure>figure[0-9]{1,2})_(?P<rest>.+)")
_CSV = (
    (TESTS, re.compile(rf"(?P<blocked>blocked_)?pvalues_{_OF}(?:_(?P<rest>.+))?")),
    (OMEGAS, re.compile(r"(?P<source>.+)_omega_values")),
    (UNIT_ROWS, re.compile(rf"results_combined_{_OF}_{_METRIC}(?:_(?P<rest>.+))?")),
    (TABLE, re.compile(rf"{_OF}_{_METRIC}(?:_(?P<rest>.*))?")),
)
_NPZ = ((UNITS, re.compile(rf"(?P<source>.+?)_combined{_POOLING}_{_OF}_{_METRIC}(?:_(?P<rest>.+))?")),)
_MODEL = re.compile(rf"(?P<base>.+?)(?:-(?P<pooling>{LAST}|{MEAN}|{SUM}))?")


@dataclass(frozen=True)
class PublishedName:
    """What a published file's name says: figure, data set, metric, split ...; an empty text for what is left out."""

    kind: str
    figure: str = ""  # with the model's name if a figure has one file per model: `figure5-gpt2xl`
    dataset: str = ""
    experiment: str = ""
    metric: str = ""
    split: str = ""
    source: str = ""  # the model whose scores or omegas these are
    pooling: str = ""
    level: str = ""  # level of a test: `row` or `block`


class ModelColumn(NamedTuple):
    """The encoding model that a published name means, however the figure spells it."""

    base: str  # `gpt2xl` of `GPT2-XL-sp`
    pooling: str  # pooling of a language model, `lt` if its name has none; empty for other models


def read_name(path: str) -> PublishedName | None:
    """Parse a published file's path; None if it is of no known kind."""
    place = PurePosixPath(path)
    folder, stem, ending = place.parent.name, place.stem, place.suffix
    if ending == ".csv" and stem in ("precomputed-scores", "neural_nlp_precomputed_scores"):
        return PublishedName(RANKED)
    if ending == ".csv" and stem == DERIVED:
        return PublishedName(COUNTS, dataset=PEREIRA)
    if ending == ".npz" and (folder.startswith("best_layer_sigma") or stem.startswith("best_layer_sigma_")):
        return PublishedName(CHOICES, source=re.sub("^best_layer_sigma(_info)?_", "", stem))
    if found := _FOLDER.fullmatch(stem):
        folder, stem = found["figure"], found["rest"]
    if not re.fullmatch(r"figure[0-9]{1,2}", folder):
        return None
    for kind, pattern in {".csv": _CSV, ".npz": _NPZ}.get(ending, ()):
        if match := pattern.fullmatch(stem):
            return _told(kind, folder, match.groupdict())
    return None


def read_model(name: str) -> ModelColumn:
    """Parse a model's name; `GPT2-XL-sp` and `gpt2xl-sp` are equal, and without an ending the last token is used."""
    found = _MODEL.fullmatch(name)
    base = re.sub(r"[^a-z0-9+]", "", (found["base"] if found else name).lower())
    if base in (OASM, SIMPLE):
        return ModelColumn(base, "")
    return ModelColumn(base, (found["pooling"] if found else None) or LAST)


def _told(kind: str, figure: str, said: dict[str, str | None]) -> PublishedName:
    known = {name: value or "" for name, value in said.items() if name not in ("rest", "blocked")}
    name = replace(PublishedName(kind, figure), **known)
    if kind == OMEGAS:
        return replace(name, figure=f"{figure}-{name.source}")
    if kind == TESTS:
        name = replace(name, level="block" if said["blocked"] else "row")
    rest, split, metric, experiment, others = (said["rest"] or "").split("_"), "", name.metric, name.experiment, []
    for word in filter(None, rest):
        if word in ("contig", SHUFFLED):
            split = SHUFFLED if word == SHUFFLED else CONTIGUOUS
        elif word == NO_L2:
            metric = f"{metric}_{NO_L2}"
        elif word in (EXP1, EXP2) or word.lower() == COMBINED:
            experiment = word.lower()
        elif word.lower() not in ("none", "nan"):  # the spelling of a missing experiment
            others.append(word)
    own = f"{figure}-{'_'.join(others)}" if others else figure
    return replace(name, figure=own, metric=metric, experiment=experiment, split=split)
