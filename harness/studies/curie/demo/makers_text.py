"""The makers of the demo's synthetic papers (OURS) for DFT, MPV, HFD and HFE: one per task, by name.

Each task has a maker of its own, since two datasets of one maker would give their items equal ids. No manifest mixes
two sources of one task, since the items of both would have that task's ids.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.study import Maker

_HERE = "harness.studies.curie.demo"
_MODULES: Mapping[str, str] = {
    "dft-s": "dft",
    "dft-p": "dft",
    "dft-c": "dft",
    "mpv": "mpv",
    "mpv-non-trivial": "mpv",
    "mpv-specific": "mpv",
    "hfd": "hfd",
    "hfe": "hfe",
}

MAKERS: Mapping[str, Maker] = {
    f"curie.demo_{task}": Maker(f"{_HERE}.{module}:make", {"seed": int, "count": int}, ids=task, fixed={"task": task})
    for task, module in _MODULES.items()
}
