"""The parameters that a manifest gives to this study's makers, read or refused, and the names of their files.

It must never know what a maker does with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from harness.errors import InputError
from harness.studies.brain.terms import DATASETS, EXP1, EXP2

# Names of parameters.
DATASET, EXPERIMENT = "dataset", "experiment"
WORLD, SEED, LAYOUT = "world", "seed", "layout"
CATEGORIES, UNITS, PARTICIPANTS = "categories", "units", "participants"
SCANS, NETWORKS = "scans", "networks"
# Names of inputs that are published files.
SENTENCES = "sentences"  # a sentence a line, in the study's order
OF_EXPERIMENT = {EXP2: "sentences_243", EXP1: "sentences_384"}  # a sentence a line, in the order they were published in
ORDER = "order"  # of the rows: which row of the recordings' file is the study's first, second …
STORIES = "stories"  # a text a scan, an array a story
LABELS = "labels"  # of the rows: what folds are made by
ASSEMBLY = "assembly"  # a netCDF file: recordings with their coordinates
GLOVE_OF = {EXP2: "glove_243", EXP1: "glove_384"}  # a vector a line, in the order of the sentences' files
LARGEST = 10**6  # of a count
HEAVIEST = 1000  # of a weight; noise has one below 1


def one_of(name: str, *words: str) -> Callable[[Any], str]:
    """Make the reader of a parameter that is one of some words; it refuses all others (InputError)."""

    def read(given: Any) -> str:
        if given not in words:
            raise InputError(f"it is none of {', '.join(words)}", where=name, next=f'write `{name}: "{words[0]}"`')
        return str(given)

    return read


def counted(name: str, least: int = 1) -> Callable[[Any], int]:
    """Make the reader of a parameter that is a whole number from `least` to LARGEST; it refuses all else."""

    def read(given: Any) -> int:
        digits = isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 9
        if not digits or not least <= int(given) <= LARGEST:
            raise InputError(
                f"it is no whole number from {least} to {LARGEST}", where=name, next=f"write it in digits: `{name}: 4`"
            )
        return int(given)

    return read


def weight(name: str) -> Callable[[Any], str]:
    """Make the reader of a weight: a decimal number from 0 to 1000, kept as the text it was written as."""

    def read(given: Any) -> str:
        try:
            value = float(given) if isinstance(given, str) and len(given) <= 40 and given.isascii() else math.nan
        except ValueError:
            value = math.nan
        if not 0 <= value <= HEAVIEST:  # as is NaN
            told = f"it is no number from 0 to {HEAVIEST}"
            raise InputError(told, where=name, next=f'write a decimal: `{name}: "0.12"`')
        return str(given)

    return read


read_dataset, read_layout = one_of(DATASET, *DATASETS), one_of(LAYOUT, *DATASETS)
read_experiment = one_of(EXPERIMENT, EXP1, EXP2)
read_sentences, read_scans = counted("sentences", 2), counted(SCANS, 2)
read_networks = one_of(NETWORKS, "two", "five")
read_categories, read_units, read_participants = counted(CATEGORIES, 2), counted(UNITS), counted(PARTICIPANTS)
