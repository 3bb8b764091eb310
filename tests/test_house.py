"""The rules of the house, read from the code: floors, towers, rooms, and what a step may import."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import house
import pytest
from house import APART, FLOORS, room, source

from harness.manifest.load import load_manifest
from harness.manifest.lockfile import load_lock
from harness.manifest.models import PROVIDERS
from harness.run.closure import Code
from harness.run.planning.plan import check_manifest, make_plan, unresolved_pins
from harness.studies.registry import studies

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
NO_STEP = ("/registry.py", "/study.py", "/parts.py")  # a step runs what is read from its source, nothing found by name
CODE = Code(ROOT)
MODULES = house.modules()


def imported(path: Path) -> set[str]:
    """Give the top-level packages that a file imports when it is imported."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_imports_run_downward_only_and_inside_a_floor_stay_at_home() -> None:
    assert {room(module) for module in MODULES} <= set(FLOORS), "each room stands on a floor"
    found = [
        f"{module} imports {other}"
        for module in MODULES
        for other in CODE.imports(module)
        if other.count(".") and room(other) != room(module) and FLOORS[room(other)] >= FLOORS[room(module)]
    ]
    assert found == []


def test_the_two_towers_do_not_know_each_other() -> None:
    found = [
        f"{module} imports {other}"
        for module in MODULES
        for other in CODE.imports(module)
        if other.count(".") and room(other) in APART.get(room(module), set())
    ]
    assert found == []


def test_the_page_shows_the_house_as_it_stands() -> None:
    drawn = house.parts_of(house.PAGE.read_text())[1]
    found = house.rooms()
    assert house.structure(house.text(found)) in house.structure(drawn), "`make house` draws it again"
    assert all(f">{each.name}</text>" in house.DRAWING.read_text() for each in found)


def test_every_stop_of_the_walk_of_one_prompt_is_where_the_page_says() -> None:
    page = house.PAGE.read_text()
    walk = page[page.index("## The walk of one prompt") : page.index("## Steps")]
    stops = re.findall(r"`([a-z_/]+\.py): (\w+)`", walk)
    assert len(stops) >= 25
    for path, name in stops:
        begin = rf"^(?: {{4}})?(?:(?:def|class) {name}\b|{name} = )"
        defined = re.search(begin, (ROOT / "harness" / path).read_text(), re.MULTILINE)
        assert defined, f"{path} holds no {name}"


def test_folders_that_stand_side_by_side_import_one_way() -> None:
    """Where a room has rooms of its own, they stand in an order too: no two of them know each other."""
    arrows: dict[str, set[str]] = {}
    for module in MODULES:
        folder = module.rpartition(".")[0]
        for other in CODE.imports(module):
            beside = other.rpartition(".")[0]
            if beside != folder and beside.rpartition(".")[0] == folder.rpartition(".")[0]:
                arrows.setdefault(folder, set()).add(beside)
    waiting = set(arrows) | {to for found in arrows.values() for to in found}
    while free := {folder for folder in waiting if not arrows.get(folder, set()) & waiting}:
        waiting -= free
    assert not waiting, f"these import each other: {', '.join(sorted(waiting))}"


def test_every_file_of_the_kit_stands_on_its_page() -> None:
    page = (ROOT / "docs" / "kit.md").read_text()
    missing = [path.name for path in (ROOT / "harness" / "kit").glob("[a-z]*.py") if f"`kit/{path.name}`" not in page]
    assert not missing


def test_few_files_have_one_reader_and_an_edit_makes_few_steps_again() -> None:
    """A small file with one importer belongs in it; a large one makes steps again that it says nothing to."""
    said = "\n".join(house.figures(house.rooms()))
    slips, again = re.search(r"apart: (\d+)", said), re.search(r"makes ([\d.]+)% of", said)
    assert slips and int(slips[1]) <= 15
    assert again and float(again[1]) <= 5


def test_parent_packages_hold_a_docstring_and_nothing_else() -> None:
    """A step's closure contains every parent `__init__.py`: code there would run in every step."""
    for path in [*(ROOT / "harness").rglob("__init__.py"), ROOT / "tools" / "__init__.py"]:
        if path.parent.name in ("verbs", "cli"):
            continue  # no step lies beneath them: where each verb is; what a start puts before the library
        body = ast.parse(path.read_text()).body
        assert len(body) == 1 and ast.get_docstring(ast.Module(body, [])), path


def test_the_entry_point_of_a_step_imports_the_standard_library_alone() -> None:
    standard = set(sys.stdlib_module_names)
    assert imported(source("harness.run.step")) <= {*standard, "harness"}
    assert CODE.imports("harness.run.step") == ["harness.run.processor"]  # asked under `numerics: machine` alone
    assert imported(source("harness.run.processor")) <= standard and not CODE.imports("harness.run.processor")


def test_no_step_imports_a_registry() -> None:
    for study in studies():
        for maker in study.makers.values():
            assert not [path for path in CODE.closure(maker.kind).files if path.endswith(NO_STEP)]
    for kind in ("harness.models.providers.baseline:respond", "harness.kit.prompts:render", "harness.rows:gather"):
        assert not [path for path in CODE.closure(kind).files if path.endswith(NO_STEP)]


def kinds() -> set[str]:
    """Give every step kind that a plan of a locked manifest names, and every maker's and provider's."""
    found = {"harness.rows:cut", "harness.rows:merge", "harness.rows:gather"}
    for path in sorted((ROOT / "manifests").rglob("*.yaml")):
        loaded = load_manifest(path)
        lock = load_lock(ROOT, loaded.manifest.name)
        if lock and not unresolved_pins(lock):
            found |= {step.kind for step in make_plan(check_manifest(loaded), lock).steps}
    found |= {
        "harness.models.local.likelihood:measure",
        *(f"harness.kit.media:{name}" for name in ("pick", "without")),
    }
    found |= {maker.kind for study in studies() for maker in study.makers.values()}
    return found | {f"harness.models.providers.{name}:respond" for name in PROVIDERS.names()}


def imports_pydantic(path: Path) -> bool:
    """Whether a file imports it, anywhere but in what pydantic itself calls where it reads a manifest."""
    tree = ast.parse(path.read_text())
    asked = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and "__get_pydantic" in node.name]
    inside = {node for one in asked for node in ast.walk(one)}
    outside = [node for node in ast.walk(tree) if node not in inside]
    names = [alias.name for node in outside if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in outside if isinstance(node, ast.ImportFrom)]
    return any(name.startswith("pydantic") for name in names)


def test_no_step_imports_pydantic() -> None:
    """What a scorer takes and gives stands in models beside what it computes, not in the code of a step."""
    assert imports_pydantic(ROOT / "harness" / "scorers" / "given.py")
    found = kinds()
    assert len(found) > 20
    files = {name for kind in found for name in CODE.closure(kind).files}
    assert "harness/rowtypes.py" in files
    assert not [name for name in sorted(files) if imports_pydantic(ROOT / name)]
