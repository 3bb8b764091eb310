"""The import order of a study's folders: none imports a folder that stands above it."""

import ast
from pathlib import Path

import harness

STUDY = "harness.studies.reliability"
# Each may import those before it. Data and scoring are what steps make and label; the plan stands above them all.
ROOMS = (
    "rowtypes", "terms", "models", "data", "scoring", "measures", "people", "pages", "standalone", "benchmarks",
    "analyses", "meaning", "study",
)  # fmt: skip


def imported(path):
    """Name the rooms of the study that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{each.name}" for each in node.names]
        else:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        yield from (name.split(".")[3] for name in names if name.startswith(f"{STUDY}."))


def test_no_room_of_the_study_imports_one_that_stands_on_it():
    folder = Path(harness.__file__).parent / "studies" / "reliability"
    files = [path for path in folder.rglob("*.py") if path.name != "__init__.py"]
    rooms = {path: path.relative_to(folder).parts[0].removesuffix(".py") for path in files}
    assert set(rooms.values()) == set(ROOMS)
    up = [
        f"{path.relative_to(folder)} imports {other}"
        for path, room in rooms.items()
        for other in imported(path)
        if ROOMS.index(other) > ROOMS.index(room)
    ]
    assert up == []
