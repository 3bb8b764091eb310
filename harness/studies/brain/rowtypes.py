"""Row types of the study (TypedDicts): what was read, and whose activity was recorded.

It must never know how a row is made or what is computed from it.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Stimulus(TypedDict):
    """One sample in time: a sentence (Pereira), a word (Fedorenko), the text of a scan (Blank)."""

    id: str  # of this sample alone: `384-animal-0-2`, `s07-w3`, `Aqua-012`
    label: str  # what folds are made by: `384-animal-0-fh`, the row's number, the story's name
    block: str  # the passage, sentence or story it stands in: context goes no further
    position: int  # in its block, from 0
    text: str  # may be empty where nothing is given
    experiment: NotRequired[str]  # of Pereira
    words: NotRequired[int]  # where they are given, and not counted


class RecordedUnit(TypedDict):
    """One column of the recordings: a voxel, an electrode, a region."""

    id: str
    participant: str
    network: str
    place: NotRequired[list[int]]  # of a voxel in the grid of 79 x 95 x 69, as the file counts: from 0 or from 1
    signal: NotRequired[bool]  # of a simulation: whether anything but noise was planted
