"""Parses the parameters that a manifest gives to this study's makers, and names their input files."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from harness.errors import InputError
from harness.studies.brain.terms import DATASETS, EXP1, EXP2

# Parameter names.
DATASET, EXPERIMENT = "dataset", "experiment"
WORLD, SEED, LAYOUT = "world", "seed", "layout"
CATEGORIES, UNITS, PARTICIPANTS = "categories", "units", "participants"
SCANS, NETWORKS = "scans", "networks"
# Names of inputs that are published files.
SENTENCES = "sentences"  # one sentence per line, in the study's order
OF_EXPERIMENT = {EXP2: "sentences_243", EXP1: "sentences_384"}  # one sentence per line, in the published order
ORDER = "order"  # for each row of the study, its row in the recordings' file
STORIES = "stories"  # one array per story, one text per scan
LABELS = "labels"  # of the rows; folds are made from them
ASSEMBLY = "assembly"  # a netCDF file: recordings with their coordinates
GLOVE_OF = {EXP2: "glove_243", EXP1: "glove_384"}  # one vector per line, in the order of the sentences' files
LARGEST = 10**6  # the largest count
HEAVIEST = 1000  # the largest weight; for noise it must be below 1


def one_of(name: str, *words: str) -> Callable[[Any], str]:
    """Return a function that parses a parameter with a fixed set of values and raises InputError for any other."""

    def read(given: Any) -> str:
        if given not in words:
            raise InputError(f"it is none of {', '.join(words)}", where=name, next=f'write `{name}: "{words[0]}"`')
        return str(given)

    return read


def counted(name: str, least: int = 1) -> Callable[[Any], int]:
    """Return a function that parses a whole number from `least` to LARGEST and raises InputError for anything else."""

    def read(given: Any) -> int:
        digits = isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 9
        if not digits or not least <= int(given) <= LARGEST:
            raise InputError(
                f"it is no whole number from {least} to {LARGEST}", where=name, next=f"write it in digits: `{name}: 4`"
            )
        return int(given)

    return read


def weight(name: str) -> Callable[[Any], str]:
    """Return a function that checks a decimal from 0 to 1000, kept as text, and raises InputError for anything else."""

    def read(given: Any) -> str:
        try:
            value = float(given) if isinstance(given, str) and len(given) <= 40 and given.isascii() else math.nan
        except ValueError:
            value = math.nan
        if not 0 <= value <= HEAVIEST:  # also true for NaN
            told = f"it is no number from 0 to {HEAVIEST}"
            raise InputError(told, where=name, next=f'write a decimal: `{name}: "0.12"`')
        return str(given)

    return read


read_dataset, read_layout = one_of(DATASET, *DATASETS), one_of(LAYOUT, *DATASETS)
read_experiment = one_of(EXPERIMENT, EXP1, EXP2)
read_sentences, read_scans = counted("sentences", 2), counted(SCANS, 2)
read_networks = one_of(NETWORKS, "two", "five")
read_categories, read_units, read_participants = counted(CATEGORIES, 2), counted(UNITS), counted(PARTICIPANTS)
