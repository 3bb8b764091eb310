"""Certificates for tests: sound ones, of as many rows and as many wrong grades as a test wants, by whoever labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.digest import seal_document
from harness.kit.certificate import BLIND, COMMITTED, MAKERS, METHODS, TYPE, misses_digest
from harness.kit.grading import Graded, figures, misses

PERSON = {"kind": "person", "name": "A. Reader"}
SEALED = "2" * 64  # the digest of sealed rows


def graded(rows: int, wrong: int | None, prefix: str = "i") -> list[Graded]:
    """Give labelled rows, half of each of two labels, so many of them graded wrongly; of None all are of one label.

    With a tenth of them wrong kappa is .8.
    """
    names = [f"{prefix}{n}" for n in range(rows)]
    if wrong is None:
        return [Graded(name, "good", "good", name) for name in names]
    other = {"good": "bad", "bad": "good"}
    labels = ["good" if n % 2 else "bad" for n in range(rows)]
    grades = [other[label] if n < wrong else label for n, label in enumerate(labels)]
    return [Graded(name, label, grade, name) for name, label, grade in zip(names, labels, grades, strict=True)]


def makers_set(frozen: Sequence[Graded], develop: Sequence[Graded], accepts: str = "good") -> dict[str, Any]:
    """Give the measurements on rows that makers labelled."""
    parts = {"frozen": figures(frozen, accepts, 0), "develop": figures(develop, accepts, 0)}
    labels = {"sha256": "0" * 64, "rows": len(frozen) + len(develop)}
    return {"labels": labels, "split": {"by": "rows", "frozen_by": "not claimed"}, "parts": parts}


def blind_set(sealed_rows: Sequence[Graded], open_rows: Sequence[Graded] = (), accepts: str = "good") -> dict[str, Any]:
    """Give the measurements on rows that a person labelled blind, some of them sealed."""
    return {
        "labellers": [PERSON],
        "labels": {"sha256": "1" * 64, "rows": len(sealed_rows) + len(open_rows)},
        "split": {"by": "file", "frozen_by": COMMITTED},
        "parts": {"frozen": figures(sealed_rows, accepts, 0), "develop": figures(open_rows, accepts, 0)},
        "sealed": SEALED,
        "misses": misses(sealed_rows),
    }


def body_of(
    scorer: str, files: Mapping[str, str], sets: Mapping[str, Any], accepts: str = "good", earlier: int = 0
) -> dict[str, Any]:
    """Give the body of a certificate whose grader consists of these files, byte by byte.

    Its sealed rows had been opened so often before, by graders that graded them otherwise.
    """
    opened = [{"rows": SEALED, "grader": f"{n}" * 64, "misses": f"{n}" * 64} for n in range(earlier)]
    if BLIND in sets and sets[BLIND]["parts"]["frozen"]["rows"]:
        opened.append({"rows": SEALED, "grader": "f" * 64, "misses": misses_digest(sets[BLIND]["misses"])})
    return {
        **({"opened": opened} if opened else {}),
        "type": TYPE, "scorer": scorer, "code": "0" * 64, "files": dict(files),
        "definitions": dict.fromkeys(files, ""), "accepts": accepts, "sets": dict(sets), "intervals": METHODS,
    }  # fmt: skip


def write_certificate(
    path: Path, scorer: str, files: Mapping[str, str], rows: int, wrong: int | None, by: str = BLIND, opened: int = 1
) -> Path:
    """Write a sealed certificate of a scorer whose code these files are, with rows that `by` labelled.

    Its makers labelled 40 rows to develop on; of the blind rows 40 are open, and `opened` 0 leaves the others sealed.
    """
    if by == MAKERS:
        sets = {MAKERS: makers_set(graded(rows, wrong), graded(40, 0, "d"))}
    else:
        blind = blind_set(graded(rows, wrong) if opened else (), graded(40, 0, "o"))
        sets = {MAKERS: makers_set((), graded(40, 0, "d")), BLIND: blind}
    path.write_bytes(seal_document(body_of(scorer, files, sets, earlier=max(0, opened - 1))))
    return path
