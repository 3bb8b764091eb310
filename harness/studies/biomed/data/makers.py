"""The makers of this study's questions: synthetic, generated from source tables, or published.

Each maker also exists under a name that ends in `_prompts`; that variant requires the published prompts too. A manifest
uses one maker, because all of them write the one dataset of the study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.kit.study import Maker
from harness.studies.biomed.data import parameters as given
from harness.studies.biomed.data.parameters import CONFIG, GRADING_PROMPT, SEED, SET, TABLE
from harness.studies.biomed.data.records import RENDERED, TASK
from harness.studies.biomed.templates.pair import TABLES

HERE = "harness.studies.biomed.data"
OUTPUTS = ("items", "gold", "counts", RENDERED)
TABLE_OUTPUTS = tuple(map(TABLE.format, TABLES))  # further outputs of the maker that also makes the tables
_COMMON = {given.ROWS: given.read_rows, given.MODE: given.read_mode, given.TURNS: given.read_turns}
_DRAWN = {**_COMMON, given.MOST: given.read_most}
_PARTED = {**_COMMON, given.SPLIT: given.read_split, given.PART: given.read_part, given.DROP: given.read_drop}

_PLAIN: Mapping[str, Maker] = {
    "biomed.synthetic": Maker(
        f"{HERE}.generated:make_synthetic", {SEED: int}, (*OUTPUTS, *TABLE_OUTPUTS), _DRAWN, ids=TASK
    ),
    "biomed.generated": Maker(f"{HERE}.generated:make", {SEED: int}, OUTPUTS, _DRAWN, files=TABLES, ids=TASK),
    "biomed.published": Maker(f"{HERE}.published:make", {}, OUTPUTS, _PARTED, files=(SET,), needs=(SET,), ids=TASK),
}


def _with_prompts(maker: Maker) -> Maker:
    """Return the maker extended by the published prompts: their file as an input, the grader's prompt as an output."""
    return replace(
        maker, outputs=(*maker.outputs, GRADING_PROMPT), files=(*maker.files, CONFIG), needs=(*maker.needs, CONFIG)
    )


MAKERS: Mapping[str, Maker] = {**_PLAIN, **{f"{name}_prompts": _with_prompts(maker) for name, maker in _PLAIN.items()}}
