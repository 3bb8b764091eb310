"""The score steps of the fact scores (OURS), strict mode's primary metrics where words cannot tell right from wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.rowtypes import Found
from harness.studies import graded
from harness.studies.curie.scoring import facts_code, facts_geo, facts_hfd, facts_hfe, facts_qecc

SCORER = "facts"
RULES: Mapping[str, Callable[[str, str], Found]] = {
    "dft-c": facts_code.score, "hfd": facts_hfd.score, "hfe": facts_hfe.score, "qecc": facts_qecc.score,
    "geo": facts_geo.score,
}  # fmt: skip


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response to the task that `params` name."""
    rule = RULES[params["task"]]
    graded.write(params, inputs, out, SCORER, lambda seen: rule(seen.response["text"], seen.gold["gold"]["truth"]))
