"""How long tests take: what `make test` and `make test-all` note, and `make durations` writes by folder, file, case.

A worker notes the wall seconds of each phase of a case, and the processor seconds of itself and of the processes it
waited for. A service that outlives its case, such as a container engine, is in nobody's processor seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "testing.md"
BEGIN, END = "<!-- written by `make durations` -->\n", "<!-- end of what it wrote -->\n"
PHASES = ("setup", "call", "teardown")
SHOWN = 25  # files and cases of a table


class Durations:
    """Gathers what the reports of all workers say, and writes it at the session's end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._cases: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys((*PHASES, "cpu"), 0.0))
        self._collecting: list[float] = []
        self._begun, self._used = time.monotonic(), 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Give the last report of a case what has been used since the case before it: to ask costs as a case does."""
        report = yield
        if call.when == PHASES[-1]:
            now = processor_seconds()
            report.cpu, self._used = now - self._used, now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = self._cases[report.nodeid]
        case[report.when] += report.duration
        case["cpu"] += getattr(report, "cpu", 0.0)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._used = processor_seconds()
        self._collecting.append(self._used)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if output := getattr(session.config, "workeroutput", None):
            output["collecting"] = self._collecting
            return
        wall = time.monotonic() - self._begun
        whole = {"wall": wall, "cpu": processor_seconds(), "collecting": self._collecting, "cases": dict(self._cases)}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(whole))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._collecting += getattr(node, "workeroutput", {}).get("collecting", [])


def processor_seconds() -> float:
    """Give what this process has used so far, its children, and those that they have waited for: user and system."""
    used = sum(os.times()[:4])
    for file in Path("/proc/self/task").glob("*/children"):
        children = list[str]()
        with contextlib.suppress(OSError):  # the thread has ended just now
            children = file.read_text().split()
        for child in children:
            with contextlib.suppress(OSError):  # it has ended just now
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                used += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return used


def main() -> int:
    """Write the tables of the last runs into the page: of `make test`, and of `make test-all` where there was one."""
    parts = [
        f"### `make {command}`\n\n{tables(json.loads(Path(file).read_text()))}\n"
        for command, file in zip(("test", "test-all"), sys.argv[1:], strict=True)
        if Path(file).is_file()
    ]
    head, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text("\n".join([f"{head}{BEGIN}", *parts, f"{END}{tail}"]))
    return 0


def tables(measured: dict[str, Any]) -> str:
    """Give what was measured as text: the whole, each folder, the dearest files, the dearest cases."""
    cases: dict[str, dict[str, float]] = measured["cases"]
    gathered = ", ".join(f"{one:.0f}" for one in measured["collecting"])
    head = (
        f"On {processor()}, {os.cpu_count()} cores: {len(cases):,} cases in {_minutes(measured['wall'])}, "
        f"{_minutes(measured['cpu'])} of processor time; of it, to collect them, {gathered} s in each process."
    )
    files = _summed(cases, lambda case: case.partition("::")[0])
    return "\n\n".join(
        [
            head,
            _table("folder", _summed(cases, folder_of)),
            f"The {SHOWN} dearest files, by processor time:",
            _table("file", dict(_dearest(files))),
            f"The {SHOWN} dearest cases:",
            _table("case", dict(_dearest(_summed(cases, lambda case: case)))),
        ]
    )


def folder_of(case: str) -> str:
    """Give the folder whose row a case belongs to: a room, or a study."""
    parts = case.partition("::")[0].split("/")[:-1]
    return "/".join(parts[: 3 if parts[1:2] == ["studies"] else 2])


def processor() -> str:
    """Name the processor as the kernel does."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "a processor")


def _summed(cases: dict[str, dict[str, float]], name: Callable[[str], str]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for case, spent in cases.items():
        row = found.setdefault(name(case), {"cases": 0.0, **dict.fromkeys((*PHASES, "cpu"), 0.0)})
        row["cases"] += 1
        for column, seconds in spent.items():
            row[column] += seconds
    return dict(sorted(found.items()))


def _dearest(rows: dict[str, dict[str, float]]) -> Iterable[tuple[str, dict[str, float]]]:
    return sorted(rows.items(), key=lambda pair: -pair[1]["cpu"])[:SHOWN]


def _table(name: str, rows: dict[str, dict[str, float]]) -> str:
    head = f"| {name} | cases | setup, s | call, s | teardown, s | processor, s |\n|---|---|---|---|---|---|"
    lines = [
        f"| {row.replace('|', '/')} | {spent['cases']:,.0f} | "
        + " | ".join(f"{spent[column]:,.1f}" for column in (*PHASES, "cpu"))
        + " |"
        for row, spent in rows.items()
    ]
    return "\n".join([head, *lines])


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


if __name__ == "__main__":
    sys.exit(main())
