"""The rows of a file of recordings, held against those of the study: experiment, passage, word, story, label.

It must never know a recording, nor the form of a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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

TEXTS = (SENTENCES, *OF_EXPERIMENT.values(), STORIES)  # files of stimuli
Passage = tuple[str, ...]


def read_stimuli(dataset: str, experiment: str, files: Mapping[str, Path]) -> list[Stimulus]:
    """Read all rows of a dataset, whichever experiment is wanted, with the labels of `labels`, where it is given.

    InputError for whatever `read_texts` and `published` refuse, and for labels of other rows.
    """
    wanted = TEXTS if SENTENCES in files else (*TEXTS, ORDER)  # with the sentences in order, the order is another's
    texts = {name: files[name] for name in wanted if name in files}
    found = published(*read_texts(dataset, texts))
    return relabelled(dataset, experiment, found, read_words(LABELS, files[LABELS])) if LABELS in files else found


def relabelled(dataset: str, experiment: str, stimuli: Sequence[Stimulus], labels: Sequence[str]) -> list[Stimulus]:
    """Give stimuli the labels of their rows, or of the rows of one experiment: Pereira's may have other halves.

    InputError for another number of labels, for one of another passage, story or row, and for an experiment without
    both halves.
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
    layout(dataset, found)  # a passage with two labels is refused there
    if dataset == PEREIRA and len({(one.experiment, one.half) for one in map(parse_label, _labels(found))}) < 4:
        raise InputError("an experiment has one half alone", where=LABELS, next="give labels of both, fh and sh")
    return found


def require_passages(
    stimuli: Sequence[Stimulus], experiments: Sequence[str], passages: Sequence[Passage], numbers: Sequence[float]
) -> None:
    """Refuse rows of a file, in the study's order, that are none of Pereira's: by experiment, passage and place.

    Each passage of the study is one of the file, and none is two; within one, sentences stand in rising order.
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


def require_words(stimuli: Sequence[Stimulus], words: Sequence[str]) -> None:
    """Refuse words of a file that are not those of the rows, letters and digits alone compared, small as capital."""
    for at, (row, word) in enumerate(zip(stimuli, words, strict=True)):
        if _plain(word) != _plain(row["text"]):
            raise _other("word", at, word, row["text"])


def require_stories(stimuli: Sequence[Stimulus], stories: Sequence[str]) -> None:
    """Refuse stories of a file that are not those of the rows: in their order, each with its number of scans."""
    for at, (row, story) in enumerate(zip(stimuli, stories, strict=True)):
        if story != row["block"]:
            raise _other("story", at, story, row["block"])


def require_count(where: str, count: int, stimuli: Sequence[Stimulus]) -> None:
    """Refuse a file of another number of rows."""
    if count != len(stimuli):
        told = f"it has {count} rows, the study has {len(stimuli)}"
        raise InputError(told, where=where, next="give the published file")


def _labels(stimuli: Sequence[Stimulus]) -> list[str]:
    return [row["label"] for row in stimuli]


def _plain(word: str) -> str:
    return re.sub(r"[\W_]+", "", word).casefold() or word


def _other(where: str, at: int, found: str, wanted: str) -> InputError:
    told = f"row {at} of the study is {found[:80]!r} there, and {wanted[:80]!r} here"
    return InputError(told, where=where, next="give the published file, its rows in the study's order")
