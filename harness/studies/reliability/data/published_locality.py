"""The maker of the published locality benchmark, with the gazetteer of place names that its scorer uses.

Independent of how the rows were obtained. Error messages never quote an item.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.studies.reliability.data import published
from harness.studies.reliability.data.cities import load, names


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the imported locality benchmark as `published.make` does, and `gazetteer`, the city names in `cities`."""
    published.make(params, inputs, out)
    rows.write_one(out / "gazetteer", {"names": names(load(inputs).rows)})
