"""One tool as it is described to agents: name, words, models of arguments and results, hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from harness_tools.schemas import input_schema, output_schema


@dataclass(frozen=True)
class ToolSpec:
    """One tool. `idempotent` says that the same call again changes nothing, `destructive` that it cannot be undone."""

    name: str
    title: str
    description: str
    request: type[BaseModel]
    result: type[BaseModel]
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True

    def listed(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input_schema(self.request),
            "outputSchema": output_schema(self.result),
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": False,
            },
        }
