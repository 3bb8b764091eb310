"""What a field of a manifest says: a text for people and an example, apart from the class that types the field.

It must never know which fields there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml


class FieldText(NamedTuple):
    """What a field says, and an example of its value as a manifest has it."""

    about: str
    example: str

    @property
    def value(self) -> Any:
        """Give the example as an editor reads it."""
        return yaml.safe_load(self.example)
