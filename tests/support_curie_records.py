"""What tests of CURIE's published data need: tiny records in the published layout, and the real ones where they are."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import FIXTURES

from harness import rows

CURIE = FIXTURES.parent / "data" / "curie"
RECORDS, PROMPTS = CURIE / "records", CURIE / "prompts"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BOX = {"W": -10.0, "S": 1.0, "E": 2.5, "N": 3.0}
LABELS = {"pdb": {"1AAA": "Easy", "2BBB": "Hard", "3CCC": "Medium"}, "biogr": {"map_1": "Medium"}}


def needs_real(*folders: Path) -> None:
    """Skip a file of tests where the real records, which are never part of this project, are not beside it."""
    if not all(folder.is_dir() for folder in folders):
        pytest.skip("the real records are not here", allow_module_level=True)


def published(above: str = "data/") -> dict[str, bytes]:
    """Give a small published copy: two proteins, one map, and labels of one protein more."""
    files = {
        "pdb/inputs/1AAA.json": {"record_id": "1AAA", "text": "ATOM      1  N   GLY A   1"},
        "pdb/ground_truth/1AAA.json": {"record_id": "1AAA", "sequence": "GAV LK\nMM"},
        "pdb/inputs/2BBB.json": {"record_id": "2BBB", "text": "ATOM {{text}} ü"},
        "pdb/ground_truth/2BBB.json": {"record_id": "2BBB", "sequence": "MK"},
        "biogr/inputs/map_1.json": {"record_id": "map_1", "text": "A map of a bay."},
        "biogr/ground_truth/map_1.json": {"record_id": "map_1", **BOX},
        "difficulty_levels.json": LABELS,
    }
    found = {f"{above}{path}": json.dumps(value).encode() for path, value in files.items()}
    return {**found, f"{above}biogr/inputs/map_1.png": PNG}


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write files into a compressed zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def foldered(
    place: Path, name: str, files: Mapping[str, bytes], absent: tuple[str, ...] = ()
) -> tuple[dict[str, Any], dict[str, Path]]:
    """Lay files down as a step is handed a fetched folder: the parameter that lists them, and the input."""
    folder = place / f"{name}.parts"
    folder.mkdir()
    for index, path in enumerate(sorted(files)):
        (folder / rows.part_name(index)).write_bytes(files[path])
    return {name: {"files": sorted(files), "absent": sorted(absent)}}, {name: folder}


def read_out(out: Path) -> dict[str, list[dict[str, Any]]]:
    """Read all outputs of a step, each as its rows."""
    return {path.name: list(rows.read(path)) for path in sorted(out.iterdir())}
