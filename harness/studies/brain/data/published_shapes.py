"""The shapes of the published recordings: the number of units, their participants, and where to get each file.

Facts from the paper and from the loaders that produced the files.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.brain.terms import BLANK, EXP1, EXP2, FEDORENKO, PEREIRA

UNITS: Mapping[str, Mapping[str, int]] = {  # after the loader's filter; for Pereira, of both experiments and of each
    PEREIRA: {"": 103_900, EXP1: 92_450, EXP2: 60_100},
    FEDORENKO: {"": 97},
    BLANK: {"": 60},
}
PARTICIPANTS: Mapping[str, tuple[str, ...]] = {  # of each experiment; Blank's names differ between files
    EXP1: ("018", "199", "288", "289", "296", "343", "366", "407", "426"),
    EXP2: ("018", "215", "288", "289", "296", "426"),
    FEDORENKO: ("1", "2", "3", "4", "5"),
}
ELECTRODES = (47, 8, 9, 15, 18)  # of each of Fedorenko's participants, in the order of the columns
READERS, REGIONS = 5, 12  # of Blank: the number of participants, and of regions per participant
OLDER: Mapping[int, str] = {49_760: "an older assembly, of the participants who did both experiments alone"}
EDITIONS: Mapping[tuple[int, ...], str] = {  # other editions of Fedorenko, by the electrodes of each participant
    (47, 9, 9, 15, 18): "version 1 or 2, in which participant 2 has 9 electrodes",
    (49, 8, 10, 16, 19, 3): "version 4, of six participants",
    (25, 31, 14, 19, 16): "version 3 of the electrodes outside language",
    (67, 35, 20, 29, 26): "version 3 of all electrodes",
}
EXPERIMENTS: Mapping[str, str] = {EXP1: "384sentences", EXP2: "243sentences"}  # the names in the netCDF file
STRATEGIES = ("", "nan", "HminusE", "FIXminusH")  # strategies of a functional localizer that are kept; empty: none
LOWER = 90.0  # a localizer's voxels are kept from this percentile on
GRID = (79, 95, 69)  # the size of the voxel grid
OBJECTS: Mapping[str, str] = {PEREIRA: "Pereira2018", FEDORENKO: "Fedorenko2016v3", BLANK: "Blank2014fROI"}


def how_to_get(dataset: str) -> str:
    """Return a sentence that tells a user where to get the recordings of a dataset."""
    return f"give {OBJECTS[dataset]}.nc, as the loader of mschrimpf/neural-nlp brings it (bucket brainio-language)"
