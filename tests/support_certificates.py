"""Certificates for tests of pages: sound ones, of as many rows and as many wrong grades as a test wants."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.digest import sealed
from harness.kit.certificate import METHODS
from harness.kit.grading import Graded, figures


def graded(rows: int, wrong: int | None) -> list[Graded]:
    """Give labelled rows, half of each of two labels, so many of them graded wrongly; of None all are of one label.

    With a tenth of them wrong kappa is .8.
    """
    if wrong is None:
        return [Graded(f"i{n}", "good", "good") for n in range(rows)]
    labels = ["good" if n % 2 else "bad" for n in range(rows)]
    other = {"good": "bad", "bad": "good"}
    return [Graded(f"i{n}", label, other[label] if n < wrong else label) for n, label in enumerate(labels)]


def write_certificate(path: Path, scorer: str, files: Mapping[str, str], rows: int, wrong: int | None) -> Path:
    """Write a sealed certificate of a scorer whose code these files are; it has 40 rows to develop on."""
    parts = {"frozen": figures(graded(rows, wrong), "good", 0), "develop": figures(graded(40, 0), "good", 0)}
    body = {
        "type": "certificate/1", "scorer": scorer, "files": dict(files), "accepts": "good", "parts": parts,
        "labels": {"sha256": "0" * 64, "rows": rows + 40}, "split": {"by": "rows"}, "intervals": METHODS,
    }  # fmt: skip
    path.write_bytes(sealed(body))
    return path
