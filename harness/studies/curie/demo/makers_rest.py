"""The makers of the demo's records for QECC, GEO, BIOGR and PDB, as a manifest names them.

Handles names of steps and of their parameters, no records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.kit.study import Maker
from harness.studies.curie.data.shown import SHOWN, choose_shown

_HERE = "harness.studies.curie.demo"
_OUTPUTS = ("items", "gold", "counts")


def _maker(task: str, outputs: tuple[str, ...] = _OUTPUTS) -> Maker:
    return Maker(f"{_HERE}.{task}:make", {"seed": int, "count": int}, outputs, ids=f"{task}-demo-")


MAKERS: Mapping[str, Maker] = {
    "curie.demo_qecc": _maker("qecc"),
    "curie.demo_geo": _maker("geo"),
    "curie.demo_biogr": replace(_maker("biogr", ("items", "gold", "media", "counts")), optional={SHOWN: choose_shown}),
    "curie.demo_pdb": _maker("pdb"),
}
