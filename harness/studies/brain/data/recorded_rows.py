"""Checks the rows of a recordings file against the study's rows: experiment, passage, word, story, label.

Independent of the file format; does not see the recorded values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from harness.errors import InputError
from harness.studies.brain.data.parameters import LABELS, OF_EXPERIMENT, ORDER, SENTENCES, STORIES
from harness.studies.brain.data.published_shapes import EXPERIMENTS
from harness.studies.brain.data.stimuli import published, read_texts
from harness.studies.brain.data.text_arrays import read_words
from harness.studies.brain.rowtypes import Stimulus
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.structure.pereira import parse_label
from harness.studies.brain.terms import PEREIRA

TEXTS = (SENTENCES, *OF_EXPERIMENT.values(), STORIES)  # input files with stimuli
Passage = tuple[str, ...]


def read_stimuli(dataset: str, experiment: str, files: Mapping[str, Path]) -> list[Stimulus]:
    """Read all rows of a dataset, of every experiment, with the labels of the `labels` file if one is given.

    Raises InputError for whatever `read_texts` and `published` refuse, and if the labels do not fit the rows.
    """
    wanted = TEXTS if SENTENCES in files else (*TEXTS, ORDER)  # ordered sentences need no order file
    texts = {name: files[name] for name in wanted if name in files}
    found = published(*read_texts(dataset, texts))
    return relabelled(dataset, experiment, found, read_words(LABELS, files[LABELS])) if LABELS in files else found


def relabelled(dataset: str, experiment: str, stimuli: Sequence[Stimulus], labels: Sequence[str]) -> list[Stimulus]:
    """Return the stimuli with new labels for all rows or one experiment's; only Pereira's halves (fh, sh) may change.

    Raises InputError if the number of labels is wrong, if a label names another passage, story or row, or if an
    experiment lacks one of its halves.
    """
    places = [at for at, row in enumerate(stimuli) if experiment in ("", row.get("experiment", ""))]
    if len(labels) == len(stimuli):
        places = [*range(len(stimuli))]
    if len(labels) != len(places):
        told = f"it has {len(labels)} labels for {len(places)} rows"
        raise InputError(told, where=LABELS, next="give a label a row, in the study's order")
    found: list[Stimulus] = [{**row} for row in stimuli]
    for at, label in zip(places, labels, strict=True):
        own = found[at]["label"]
        if label != own and (dataset != PEREIRA or parse_label(label)[:3] != parse_label(own)[:3]):
            raise _other(LABELS, at, label, own)
        found[at]["label"] = label
    layout(dataset, found)  # raises InputError for a passage with two labels
    if dataset == PEREIRA and len({(one.experiment, one.half) for one in map(parse_label, _labels(found))}) < 4:
        raise InputError("an experiment has one half alone", where=LABELS, next="give labels of both, fh and sh")
    return found


def require_passages(
    stimuli: Sequence[Stimulus], experiments: Sequence[str], passages: Sequence[Passage], numbers: Sequence[float]
) -> None:
    """Raise InputError unless a file's rows, in the study's order, match Pereira's experiments, passages and places.

    Passages and categories of the file and of the study must match one to one, however the file spells them. Within a
    passage, the sentences must be in rising order.
    """
    of_block: dict[str, Passage] = {}
    of_passage: dict[Passage, str] = {}
    before: tuple[str, float] = ("", 0.0)
    for at, row in enumerate(stimuli):
        wanted = EXPERIMENTS[row.get("experiment", "")]
        if experiments[at] != wanted:
            raise _other("experiment", at, experiments[at], wanted)
        passage = (experiments[at], *passages[at])
        if of_block.setdefault(row["block"], passage) != passage:
            raise _other("passage", at, " ".join(passage), " ".join(of_block[row["block"]]))
        if of_passage.setdefault(passage, row["block"]) != row["block"]:
            raise _other("passage", at, f"of {of_passage[passage]}", row["block"])
        if before[0] == row["block"] and not numbers[at] > before[1]:
            raise _other("stimulus_num", at, f"{numbers[at]:g}", f"above {before[1]:g}")
        before = row["block"], numbers[at]
    _require_categories([parse_label(row["label"])[:2] for row in stimuli], [passage[0] for passage in passages])


def _require_categories(wanted: Sequence[tuple[str, str]], found: Sequence[str]) -> None:
    """Raise InputError unless a file's categories match the study's one to one within each experiment.

    If all categories of an experiment have the names that the study uses, each row must have its own category's name.
    """
    there = [(of, name) for (of, _), name in zip(wanted, found, strict=True)]
    experiments = {of for of, _ in wanted}
    alike = {of for of in experiments if _plain_names(wanted, of) == _plain_names(there, of)}
    own: dict[Passage, int] = {}  # the first row of each category
    other: dict[Passage, int] = {}
    for at, (here, name) in enumerate(zip(wanted, found, strict=True)):
        met = own.setdefault(here, at), other.setdefault(there[at], at)
        if met[0] != met[1]:
            before = met[0] if met[0] < at else met[1]
            told = f"and row {before} is {found[before][:80]!r} there, and {wanted[before][1]!r} here"
            raise _other("passage_category", at, name, here[1], told)
        if here[0] in alike and _plain(name) != _plain(here[1]):
            raise _other("passage_category", at, name, here[1])


def _plain_names(categories: Iterable[tuple[str, str]], experiment: str) -> set[str]:
    return {_plain(name) for of, name in categories if of == experiment}


def require_words(stimuli: Sequence[Stimulus], words: Sequence[str]) -> None:
    """Raise InputError unless a file's words are those of the rows; compares letters and digits only, ignoring case."""
    for at, (row, word) in enumerate(zip(stimuli, words, strict=True)):
        if _plain(word) != _plain(row["text"]):
            raise _other("word", at, word, row["text"])


def require_stories(
    stimuli: Sequence[Stimulus], stories: Sequence[str], times: Mapping[str, Sequence[float]], ids: Sequence[str]
) -> None:
    """Raise InputError unless a file's stories are those of the rows, in order and with the same number of scans.

    Within a story, each coordinate of `times` must rise, unless it is the same in all rows. The numbers in `ids`
    (`Boar.12.1`) must not fall; they are checked only if all ids have the same count of numbers.
    """
    for at, (row, story) in enumerate(zip(stimuli, stories, strict=True)):
        if story != row["block"]:
            raise _other("story", at, story, row["block"])
    within = [at for at in range(1, len(stories)) if stories[at] == stories[at - 1]]
    for name, values in times.items():
        for at in within if len({*values}) > 1 else ():
            if not values[at] > values[at - 1]:  # also true for NaN
                raise _other(name, at, f"{values[at]:g}", f"above {values[at - 1]:g}")
    numbers = [[*map(int, re.findall(r"[0-9]{1,9}", one))] for one in ids]
    for at in within if len({*map(len, numbers)}) == 1 else ():
        if numbers[at] < numbers[at - 1]:
            raise _other("stimulus_id", at, ids[at], f"behind {ids[at - 1][:80]}")


def require_count(where: str, count: int, stimuli: Sequence[Stimulus]) -> None:
    """Raise InputError unless the recordings' file has as many rows as the study has stimuli."""
    if count != len(stimuli):
        told = f"it has {count} rows, the study has {len(stimuli)}"
        raise InputError(told, where=where, next="give the published file")


def _labels(stimuli: Sequence[Stimulus]) -> list[str]:
    return [row["label"] for row in stimuli]


def _plain(word: str) -> str:
    return re.sub(r"[\W_]+", "", word).casefold() or word


def _other(where: str, at: int, found: str, wanted: str, more: str = "") -> InputError:
    told = f"row {at} of the study is {found[:80]!r} there, and {wanted[:80]!r} here" + (more and f"; {more}")
    return InputError(told, where=where, next="give the published file, its rows in the study's order")
