"""What golden readers and tests of CURIE's reading and LLMSim share: blocks as values, the judge's published words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support_curie_golden import RAISES

TEMPLATES = {
    "mpv": "mat_eval_output_1_shot",
    "dft": "dft_metadata_eval_output_1_shot",
}  # DFT-S has the one of DFT-P, too


def value_of(block: Any) -> Any:
    """Give what a golden block tells, or an analysis of ours: a value, or RAISES where the published code raises."""
    if isinstance(block, Mapping) and (is_missing(block) or "exception" in block):
        return RAISES
    return block["result"] if isinstance(block, Mapping) and block.keys() == {"result"} else block


def is_missing(value: Any) -> bool:
    """Whether a value of a finding is one that cannot be had, with a reason."""
    return isinstance(value, Mapping) and value.keys() == {"missing"}


def template(fixtures: Path, kind: str) -> str | None:
    """Give the judge's published wording where it lies beside the fixtures; it is never part of this project."""
    path = fixtures.parent / "data" / "curie" / "prompts" / f"{TEMPLATES[kind]}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else None
