"""What gives other bytes on another Python or processor is refused: sums of floats, ties, statistics that moved."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.house
ROOT = Path(__file__).resolve().parents[1]
SAME_EVERYWHERE = {"fmean", "mean", "median"}  # of `statistics`; `correlation` differs from Python to Python
SUMS = """
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal

floats: list[float] = [0.1] * 10
known: Mapping[str, Any] = {}
shown: dict[str, float | int] = {}
pair: tuple[int, float] = (1, 0.5)
sum(floats)  # refused
sum(one / 2 for one in (1, 2))  # refused
sum([one for one in known.values()])  # refused
sum(known["of"])  # refused
sum(shown.values())  # refused
sum(pair)  # refused
sum(map(float, "12"))  # refused
sum([1, 2], 0.5)  # refused
sum(one for one in floats if one) / len(floats)  # refused

counts: dict[str, int] = {}
sides: tuple[Literal[1], bool] = (1, True)
def added(some: Iterable[int] | list[bool]) -> int: return sum(some)
sum(counts.values()); sum(map(len, "ab")); sum(one > 0.5 for one in floats); sum(sides); sum(range(3))
sum([Counter("a")], Counter[str]()); sum((Decimal(1),), Decimal(0)); sum(int(one) for one in known.values())
"""


def shipped() -> Iterator[tuple[str, ast.Module]]:
    """Give every module of the product and of its toys."""
    for folder in ("harness", "tools", "tests/toys"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def refused(name: str, tree: ast.Module) -> Iterator[str]:
    """Say what in a module may come out otherwise elsewhere."""
    frames = any("polars" in ast.unparse(one) for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom))
    called = {one.func for one in ast.walk(tree) if isinstance(one, ast.Call)}
    for one in ast.walk(tree):
        if isinstance(one, ast.Name) and one.id == "sum" and isinstance(one.ctx, ast.Load) and one not in called:
            yield f"{name}:{one.lineno}: sum is called where it stands, so that mypy sees what it adds"
        taken = {each.name for each in one.names} if isinstance(one, ast.ImportFrom) else set[str]()
        if taken - SAME_EVERYWHERE and isinstance(one, ast.ImportFrom) and one.module == "statistics":
            yield f"{name}:{one.lineno}: of statistics these alone are the same on every Python: {SAME_EVERYWHERE}"
        if isinstance(one, ast.Import) and any(each.name == "statistics" for each in one.names):
            yield f"{name}:{one.lineno}: what is taken from statistics is imported by name"
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and (why := _untied(one, frames)):
            yield f"{name}:{one.lineno}: {ast.unparse(one.func)[-60:]} {why}"


def _untied(call: ast.Call, frames: bool) -> str:
    assert isinstance(call.func, ast.Attribute)
    named = {each.arg: ast.unparse(each.value) for each in call.keywords}
    name, of = call.func.attr, ast.unparse(call.func.value)
    if name == "argsort" and named.get("kind") != "'stable'" and named.get("stable") != "True":
        return "leaves ties to the processor: kind='stable'"
    if name in {"argpartition", "topk"} or (name == "partition" and of in {"np", "numpy"}):
        return "leaves ties to the processor: sort stably and take the first"
    tables = name in {"group_by", "unique"} or (name == "sort" and call.args) or (name == "join" and "on" in named)
    if frames and of != "np" and tables and "maintain_order" not in named:
        return "of polars leaves the order open: say maintain_order, False only where a total order follows"
    return ""


def test_nothing_shipped_hangs_on_the_python_or_the_order_of_ties() -> None:
    assert [line for name, tree in shipped() for line in refused(name, tree)] == []


@pytest.mark.parametrize(
    "line",
    [
        "map(sum, rows)",
        "from statistics import correlation",
        "import statistics",
        "values.argsort()",
        "np.argsort(-values, kind='mergesort')",
        "np.argpartition(values, 3)",
        "np.partition(values, 3)",
        "torch.topk(values, 3)",
        "import polars as pl\nframe.group_by('a').agg(pl.len())",
        "import polars as pl\nframe.sort('a')",
        "import polars as pl\nframe.unique()",
        "import polars as pl\nframe.join(other, on='a')",
    ],
)
def test_what_hangs_on_them_is_found(line: str) -> None:
    assert len([*refused("x.py", ast.parse(line))]) == 1


@pytest.mark.parametrize(
    "line",
    [
        "sum(map(len, rows))",
        "from statistics import median",
        "np.argsort(values, kind='stable')",
        "torch.argsort(values, stable=True)",
        "text.partition('=')",
        "import polars as pl\nframe.sort('a', maintain_order=True); names.sort(key=len); ', '.join(names)",
    ],
)
def test_what_does_not_is_left_alone(line: str) -> None:
    assert [*refused("x.py", ast.parse(line))] == []


@pytest.mark.parametrize("folder", ["harness/studies", "tests/toys/duet"])
def test_mypy_refuses_built_in_sums_of_what_may_be_floats_and_no_others(tmp_path: Path, folder: str) -> None:
    told = checked(tmp_path, folder)
    wanted = {number for number, line in enumerate(SUMS.splitlines(), 1) if line.endswith("# refused")}
    assert {int(line.split(":")[1]) for line in told} == wanted
    assert sum("math.fsum" in line for line in told) == len(wanted)


def test_tests_may_add_as_they_like(tmp_path: Path) -> None:
    assert checked(tmp_path, "tests/studies") == []


def checked(tmp_path: Path, folder: str) -> list[str]:
    """Give what mypy says of SUMS in a module of this folder, as the project is checked."""
    module = tmp_path / folder / "added.py"
    module.parent.mkdir(parents=True)
    module.write_text(SUMS)
    config, cache = ROOT / "pyproject.toml", tmp_path / "cache"
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), "--cache-dir", str(cache)]
    done = subprocess.run(
        [*command, str(module.relative_to(tmp_path))], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if ": error:" in line]
