"""What golden readers of the study share: the table of graded responses, and null where a number is not finite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from golden.agree import Within
from golden.files import table

GRADED = "graded_responses.csv"  # given, and nothing that is expected
NEAR = Within(1e-12)


def graded_rows(beside: Path) -> list[dict[str, str]]:
    """Read the table that lies beside a golden file, every cell a text."""
    return table(beside.with_name(GRADED))


def spelt(value: Any) -> Any:
    """Spell null in an expected value as rows hold what is no finite number."""
    if isinstance(value, dict):
        return {name: spelt(each) for name, each in value.items()}
    if isinstance(value, list):
        return [spelt(each) for each in value]
    return "nan" if value is None else value
