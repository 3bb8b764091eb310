"""Derivation in a manifest: from which manifest the harness made it, and by which options of the command line.

It must never know a study, nor how an option changes a manifest.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_serializer

from harness import texts

Line = Annotated[str, AfterValidator(texts.whole)]
Digest = Annotated[str, AfterValidator(texts.matching(texts.HEX64, "a SHA-256: 64 hex digits"))]


class Derivation(BaseModel):
    """Origin of a manifest that `harness run` made from another one, which it never speaks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    parent: Annotated[str, Field(alias="from"), AfterValidator(texts.inside)]  # the manifest, by its path
    sha256: Digest  # of that manifest's bytes
    changes: Annotated[tuple[Line, ...], Field(min_length=1)]  # the options, as they are written

    @model_serializer
    def as_data(self) -> dict[str, Any]:
        """Encode it under the names that a file has."""
        return {"from": self.parent, "sha256": self.sha256, "changes": list(self.changes)}
