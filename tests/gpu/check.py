"""Hold models and ridge on a GPU against the CPU.

python tests/gpu/check.py [--device cuda|cpu] [--json FILE] [--quick] [--wheels DIR]

On a machine with its own torch and transformers, no network and no `make setup`. The models are made from fixed seeds.
Each of three processes does the same: the device, the device again, and the CPU, whose decisions count. Each part is
bounded in time, and all of them end within five minutes; what was left out is named. `--wheels DIR` installs packages
of the core that are lacking from a folder, into .bench/gpu.

Exit 0 all is as it should be, 1 something differs (and is named), 3 no GPU or a package is missing.

The JSON: `schema`; `verdict` (agreed, differs) and `differs`, a sentence each; `left_out`; `refused`: architectures
that torch does not compute alike twice on this device; `compared`: for each result how many `decisions`, how many
`differ` from the CPU's (himalaya's: from ours) and how many of those are `near_ties`, how many may (`allowed`), how far
values lie `apart` and what is `permitted` (shares of the largest), `items` `of` how many; `twice`: how many results
were `alike` in both runs, labels that `differ`; `times`: `seconds` and `least`, what bandwidth or products alone allow,
a value a run; `bounds`: bytes `copied` and operations `multiplied` a second, a run; `flags`, `versions`, `card`, `cpu`,
`device`, `size`, `date`, `took`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0:1] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

from gpu.wheels import OPTIONAL, Lacking, complete, lacking

ROOT = Path(__file__).resolve().parents[2]
SIDE = Path(__file__).with_name("side.py")
WHOLE = 280.0  # seconds, of all together
DEVICE_SIDE = 90.0  # at most, of one run of the device; the CPU has what is left
INSIDE = "GPU_CHECK_BEGUN"  # when, in an environment that was made from a folder of wheels
GRACE = 5.0  # in which a side may end by itself
LIVES = 3  # of a side, whose process may die
MOST_THREADS = 16


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sides, judge them, show and write what came out, and give the exit code."""
    parser = argparse.ArgumentParser(prog="tests/gpu/check.py", description="Hold a GPU against the CPU.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="a folder of wheels, for packages that are lacking")
    args = parser.parse_args(argv)
    begun = float(os.environ.get(INSIDE, time.monotonic()))
    try:
        if python := _other_python(args.wheels):
            given = [*(sys.argv[1:] if argv is None else argv)]
            return subprocess.run(
                [python, __file__, *given], check=False, env={**os.environ, INSIDE: str(begun)}
            ).returncode
        with tempfile.TemporaryDirectory(prefix="gpu-check-") as name:
            report = check(args.device, _size(args.device, args.quick), Path(name), begun)
    except Lacking as lack:
        print(f"error: this machine lacks {lack}", file=sys.stderr)
        return 3
    report |= {"took": round(time.monotonic() - begun, 1)}
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(shown(report))
    return 1 if report["differs"] else 0


def _other_python(wheels: Path | None) -> Path | None:
    """Make the interpreter that has all packages, where this one lacks some; `Lacking` names those that are nowhere."""
    lacks, spare = lacking(), lacking(OPTIONAL)
    if wheels is not None and INSIDE not in os.environ and (lacks or spare):
        return complete(lacks, wheels.resolve(), ROOT / ".bench" / "gpu", spare)
    if lacks:
        raise Lacking(f"{', '.join(lacks)}; install it, or name a folder of wheels (--wheels DIR)")
    return None


def _size(device: str, quick: bool) -> str:
    return "small" if device == "cpu" else "quick" if quick else "full"


def check(device: str, size: str, folder: Path, begun: float) -> dict[str, Any]:
    """Run both runs of the device, then the CPU's, each in what is left of the time; `Lacking` if one cannot be."""
    from gpu.findings import read_side
    from gpu.judge import judge

    sides = []
    for role, place in (("first", device), ("second", device), ("cpu", "cpu")):
        left = WHOLE - (time.monotonic() - begun)
        print(f"{role}: on {place} …", file=sys.stderr, flush=True)
        (folder / role).mkdir()
        run_side(folder / role, place, size, role, left if role == "cpu" else min(left, DEVICE_SIDE))
        sides.append(read_side(folder / role))
        if sides[-1].missing:
            raise Lacking(", ".join(sides[-1].missing))
    first, second, cpu = sides
    from harness.run.environment import machine_facts

    seen = machine_facts()
    return judge(cpu, first, second) | {
        "cpu": f"{seen['cpu']}, {seen['cores']} cores", "device": device, "size": size,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }  # fmt: skip


def run_side(folder: Path, device: str, size: str, role: str, seconds: float) -> None:
    """Run one side in a process of its own, with a step's variables; it is ended where it does not end in time.

    One that dies is told, and another goes on with the part after the one in which it did.
    """
    from gpu.findings import Notes

    from harness.run.environment import NUMERICS, count_cores

    threads = "1" if size == "small" else str(min(count_cores(), MOST_THREADS))
    counts = {name: threads for name in NUMERICS if name.endswith("_NUM_THREADS")} | {"HARNESS_THREADS": threads}
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}
    env = {**os.environ, **NUMERICS, **counts, **hidden}
    ends = time.monotonic() + seconds
    for _ in range(LIVES):
        left = ends - time.monotonic()
        command = [sys.executable, str(SIDE), str(folder), device, size, role, str(max(0.0, left - GRACE))]
        try:
            code = subprocess.run(command, env=env, timeout=max(left, GRACE), check=False).returncode
        except subprocess.TimeoutExpired:
            print(f"{role}: ended after {seconds:.0f} s", file=sys.stderr)
            return
        if not code:
            return
        Notes(folder).say(failed=f"the process ended with {code}")


def shown(report: dict[str, Any]) -> str:
    """Lay a report out for a terminal: a line a part, times of what is not tiny, and what is not as it should be."""
    versions = ", ".join(f"{name} {value}" for name, value in report["versions"].items())
    lines = [f"{report['card'].get('name', 'nothing')}; {versions}"]
    for one in report["bounds"]:
        lines.append(f"copies {one['copied'] / 1e9:.0f} GB/s, multiplies {one['multiplied'] / 1e12:.2f} TFLOP/s")
    parts: dict[str, list[dict[str, Any]]] = {}
    for one in report["compared"]:
        parts.setdefault(one["label"].partition(",")[0], []).append(one)
    for part, some in parts.items():
        made, differ, ties = (sum(one[name] for one in some) for name in ("decisions", "differ", "near_ties"))
        told = f"{differ} of {made} decisions differ from {some[0]['against']}, {ties} near ties"
        lines.append(
            f"{part}, {len(some)} results: {told}; values {max(one['apart'] for one in some):.1e} apart at most"
        )
    for one in report["times"]:
        ratios = [f"{spent / least:.1f}" for spent, least in zip(one["seconds"], one["least"], strict=True) if least]
        times = " and ".join(f"{spent:.3f}" for spent in one["seconds"])
        if "tiny" not in one["label"]:
            lines.append(f"{one['label']}: {times} s" + (f", {' and '.join(ratios)} times its bound" if ratios else ""))
    lines += [f"twice: {report['twice']['alike']} results with equal bytes"]
    lines += [f"{kind.replace('_', ' ')}: {one}" for kind in ("refused", "left_out") for one in report[kind]]
    lines += [f"DIFFERS {one}" for one in report["differs"]]
    return "\n".join([*lines, f"{report['verdict']}, in {report['took']:.0f} s"])


if __name__ == "__main__":
    sys.exit(main())
