"""Row types of the study (TypedDicts): the stimuli that were read, and the units that were recorded."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Stimulus(TypedDict):
    """One stimulus sample in time: a sentence (Pereira), a word (Fedorenko), the text of an fMRI scan (Blank)."""

    id: str  # unique to this sample: `384-animal-0-2`, `s07-w3`, `Aqua-012`
    label: str  # folds are made from it: `384-animal-0-fh`, the row's number, the story's name
    block: str  # its passage, sentence or story; context does not cross its bounds
    position: int  # in its block, from 0
    text: str  # may be empty if no text is given
    experiment: NotRequired[str]  # only for Pereira
    words: NotRequired[int]  # the number of words, if given and not counted


class RecordedUnit(TypedDict):
    """One column of the recordings: a voxel, an electrode or a region."""

    id: str
    participant: str
    network: str
    place: NotRequired[list[int]]  # a voxel's place in the grid of 79 x 95 x 69, counted from 0 or 1 as in the file
    signal: NotRequired[bool]  # of a simulation: whether anything but noise was planted
