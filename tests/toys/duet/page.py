"""The HTML page of a run: each scorer's mean, its missing scores, and its grader's certificate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.studies.duet import grading as rules  # noqa: F401 - the page says what becomes of their certificate

from harness import rows
from harness.kit import graded
from harness.kit.certificate import UNCERTIFIED, certificate_text
from harness.kit.pages import document, el, mark_limited, table
from harness.rowtypes import Score

TITLE = "Sums and differences"


def write(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the page."""
    found: dict[tuple[str, str], list[Score]] = {}
    for row in rows.read(inputs["scores"], Score):
        found.setdefault((row["model"], row["scorer"]), []).append(row)
    trust = {"duet.written": certificate_text(inputs.get("certificate"))}
    body = []
    for (model, scorer), scores in sorted(found.items()):
        values = [row["value"] for row in scores if isinstance(row["value"], int | float)]
        mean = f"{math.fsum(values) / len(values):.3f}" if values else "-"
        told = ", ".join(f"{name} {count}" for name, count in graded.states(scores).items())
        body.append((f"{model} by {scorer}", mean, told, trust.get(scorer, UNCERTIFIED)))
    shown = table("What the answers are worth", ("who", "mean", "answers", "grader"), body)
    (out / "report.html").write_bytes(mark_limited(document(TITLE, el("h1", TITLE), shown), params))
