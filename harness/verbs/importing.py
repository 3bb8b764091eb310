"""The verb `import`: brings in what cannot be fetched, a person's own copy of data or of a dataset."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pydantic import Field

from harness.errors import InputError
from harness.models.imported_rows import gathered
from harness.run.data import bring, bring_rows
from harness.store.store import Store
from harness.studies.registry import importers
from harness.verbs.project import PathText, Project, Request, Result

DATA, RESPONSES = "data", "responses"


class ImportRequest(Request):
    """What is brought in."""

    kind: str = Field(description="`data`, `responses` of another run, or a dataset that a study knows by name.")
    file: PathText = Field(description="Your copy of it; of responses, a folder of JSON Lines files too.")
    columns: dict[str, str] = Field(default_factory=dict, description="What its columns are called in your copy.")


class ImportResult(Result):
    """What is in the store now, by the digest that a manifest pins."""

    kind: str
    sha256: str
    bytes: int = 0  # of data
    rows: int = 0  # of a dataset, or of responses
    models: dict[str, int] = Field(default_factory=dict)  # of responses: rows by the model that they name
    counts: dict[str, dict[str, Any]] = Field(default_factory=dict)  # of a dataset: instances and prompts, by benchmark


def import_(project: Project, asked: ImportRequest) -> ImportResult:
    """Put a person's own copy of data where manifests find it."""
    known, file = importers(), project.path(asked.file)
    if asked.kind not in (DATA, RESPONSES, *known):
        choices = ", ".join((DATA, RESPONSES, *sorted(known)))
        raise InputError(f"nothing is imported as {asked.kind!r}", where="KIND", next=f"use one of: {choices}")
    if not file.exists():  # before a store is made for what was to come from it
        raise InputError("there is no such file", where=str(asked.file), next="check the path")
    if asked.kind == DATA:
        digest, size = bring(Store.make(project.store), file)
        return ImportResult(kind=DATA, sha256=digest, bytes=size)
    if asked.kind == RESPONSES:
        answers = gathered(file)
        models = Counter(row["model"] for row in answers if "model" in row)
        digest = bring_rows(Store.make(project.store), answers)
        return ImportResult(kind=RESPONSES, sha256=digest, rows=len(answers), models=dict(sorted(models.items())))
    found, counts = known[asked.kind](file, asked.columns)
    digest = bring_rows(Store.make(project.store), found)
    return ImportResult(kind=asked.kind, sha256=digest, rows=len(found), counts=counts)
