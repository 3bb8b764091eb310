"""The shapes of the published recordings: how many units there are, whose, and where each file is to be had.

Facts of the paper and of the loaders that brought the files. It must never know a recording.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.brain.terms import BLANK, EXP1, EXP2, FEDORENKO, PEREIRA

UNITS: Mapping[str, Mapping[str, int]] = {  # after the loader's filter; of Pereira both experiments, and each
    PEREIRA: {"": 103_900, EXP1: 92_450, EXP2: 60_100},
    FEDORENKO: {"": 97},
    BLANK: {"": 60},
}
PARTICIPANTS: Mapping[str, tuple[str, ...]] = {  # of each experiment; Blank's have other names in each file
    EXP1: ("018", "199", "288", "289", "296", "343", "366", "407", "426"),
    EXP2: ("018", "215", "288", "289", "296", "426"),
    FEDORENKO: ("1", "2", "3", "4", "5"),
}
ELECTRODES = (47, 8, 9, 15, 18)  # of Fedorenko's participants, who stand one after the other
READERS, REGIONS = 5, 12  # of Blank: participants, and regions of each
OLDER: Mapping[int, str] = {49_760: "an older assembly, of the participants who did both experiments alone"}
EDITIONS: Mapping[tuple[int, ...], str] = {  # of Fedorenko that are not the paper's, by the electrodes of participants
    (47, 9, 9, 15, 18): "version 1 or 2, in which participant 2 has 9 electrodes",
    (49, 8, 10, 16, 19, 3): "version 4, of six participants",
    (25, 31, 14, 19, 16): "version 3 of the electrodes outside language",
    (67, 35, 20, 29, 26): "version 3 of all electrodes",
}
EXPERIMENTS: Mapping[str, str] = {EXP1: "384sentences", EXP2: "243sentences"}  # as the netCDF file calls them
STRATEGIES = ("", "nan", "HminusE", "FIXminusH")  # of a functional localizer that are kept; none is an empty text
LOWER = 90.0  # the percentile from which on a localizer's voxels are kept
GRID = (79, 95, 69)  # places of voxels
OBJECTS: Mapping[str, str] = {PEREIRA: "Pereira2018", FEDORENKO: "Fedorenko2016v3", BLANK: "Blank2014fROI"}


def how_to_get(dataset: str) -> str:
    """Say where the recordings of a dataset are to be had."""
    return f"give {OBJECTS[dataset]}.nc, as the loader of mschrimpf/neural-nlp brings it (bucket brainio-language)"
