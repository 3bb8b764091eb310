"""A published data set of many files, as a step reads it: present files by path, absent ones by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.errors import MissingError


class Files(Mapping[str, Path]):
    """The present files of a published data set, published path to local file; `absent` names the others."""

    def __init__(self, here: Mapping[str, Path], absent: tuple[str, ...]) -> None:
        self._here, self.absent = here, absent

    def __getitem__(self, path: str) -> Path:
        """Return a present file; raises MissingError for an absent one, so a step should call `lacking` first."""
        if path in self.absent:
            raise MissingError(
                f"it needs {path}, which is absent",
                next="check `lacking(…)` first, and write what it gives instead of the value",
            )
        return self._here[path]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the paths of the present files, in order."""
        return iter(self._here)

    def __len__(self) -> int:
        """Return the number of present files."""
        return len(self._here)

    def lacking(self, *paths: str) -> dict[str, str] | None:
        """Return a missing-value object naming the absent ones of these files; None if all are present."""
        absent = [path for path in paths if path in self.absent]
        return {"missing": f"needs {', '.join(absent)}"} if absent else None


def file_set(params: Mapping[str, Any], inputs: Mapping[str, Path], name: str) -> Files:
    """Open a published data set in a step, from the input `name` and the parameter of that name, a list of files."""
    said = params[name]
    here = {path: inputs[name] / rows.part_name(index) for index, path in enumerate(said["files"])}
    return Files(here, tuple(said["absent"]))
