"""The score step of ROUGE, for every task."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from harness import rows
from harness.rowtypes import Found, Gold
from harness.studies import graded
from harness.studies.curie.grading.references import reference_text
from harness.studies.curie.scoring import rouge
from harness.studies.graded import Seen

SCORER = "rouge"


def score(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write one score for each response, in the mode that `params` name."""
    golds = {row["id"]: row for row in rows.read(inputs["gold"], Gold)}

    @cache
    def reference(item: str) -> str:
        return reference_text(params["task"], golds[item], params["mode"])

    def rule(seen: Seen) -> Found:
        return rouge.score(seen.response["text"], reference(seen.item["id"]), params["mode"])

    graded.write(params, inputs, out, SCORER, rule)
