"""The paper's percentages (generation P): as printed, which divide rounded numbers, and from unrounded numbers.

Contains published numbers only: Table 1, and the notebook's values behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ROWS = ("GPT2-XL", "SP+SL", "SP+SL+WORD", "SP+SL+WORD+SENSE", "SP+SL+WORD+SENSE+SYNT", "all with GPT2-XL")
PRINTED: Mapping[str, tuple[float, ...]] = {
    "384": (0.032, 0.013, 0.024, 0.026, 0.027, 0.032),
    "243": (0.036, 0.031, 0.039, 0.040, 0.043, 0.045),
}
UNROUNDED: Mapping[str, tuple[float, ...]] = {
    "384": (0.031517, 0.013370, 0.024823, 0.026017, 0.026830, 0.031917),
    "243": (0.037133, 0.031358, 0.039480, 0.039760, 0.042516, 0.044929),
}
PERCENTAGES = (  # claim, experiment, row, row, as printed (empty: above 100 %)
    ("SP+SL+WORD against GPT2-XL", "384", 2, 0, "75"),
    ("with SENSE and SYNT against GPT2-XL", "384", 4, 0, "84.4"),
    ("with SENSE and SYNT against all", "384", 4, 5, "84.4"),
    ("SP+SL+WORD against GPT2-XL", "243", 2, 0, ""),
    ("with SENSE and SYNT against GPT2-XL", "243", 4, 0, ""),
    ("with SENSE and SYNT against all", "243", 4, 5, "95.5"),
)
VOXELS = 92450  # of the first experiment, in all networks
FRACTIONS = {"SP+SL+GPT2-XLU better, raw": 1.25599, "starred versions, raw": 1.00630}  # percent of the voxels


def rounded() -> dict[str, Any]:
    """Return the paper's percentages as printed and from unrounded scores, and table values that round differently."""
    shares = [
        {
            "of": name,
            "experiment": experiment,
            "printed": printed or "above 100",
            "of_printed": 100 * PRINTED[experiment][one] / PRINTED[experiment][other],
            "unrounded": 100 * UNROUNDED[experiment][one] / UNROUNDED[experiment][other],
        }
        for name, experiment, one, other, printed in PERCENTAGES
    ]
    odd = [
        {"row": row, "experiment": experiment, "printed": printed, "unrounded": value}
        for experiment in PRINTED
        for row, printed, value in zip(ROWS, PRINTED[experiment], UNROUNDED[experiment], strict=True)
        if round(value, 3) != printed
    ]
    voxels = {name: VOXELS * percent / 100 for name, percent in FRACTIONS.items()}
    return {"percentages": shares, "not_so_rounded": odd, "voxels": {"of": VOXELS, "counts": voxels}}
