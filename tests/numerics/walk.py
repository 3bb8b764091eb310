"""The walk of operations: what models and steps call, natively and on emulated processors, byte against byte.

`make walk` runs the long form on every processor and writes docs/numerics.md (between its markers) and
harness/models/local/walked.py; it takes a quarter of an hour of a quiet machine. With processors named
(`python tests/numerics/walk.py Haswell`) it walks on these, and writes nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from harness.models.local.torch_setup import BY_NUMPY, REFUSED  # noqa: E402 - after the path
from harness.run.environment import NUMERICS  # noqa: E402

PROCESSORS = ("EPYC-Rome", "Haswell", "max")
PAGE, TABLE = REPOSITORY / "docs" / "numerics.md", REPOSITORY / "harness" / "models" / "local" / "walked.py"
BEGIN, END = "<!-- written by `python tests/numerics/walk.py` -->", "<!-- end of what it wrote -->"
_MOVES = (  # torch's operations without arithmetic: they make, move, compare or choose
    r"abs|alias|amax|amin|arange|arg(max|min)|ceil|chunk|cat|clamp|clone|contiguous|copy_|detach|diag|dropout|embedding$"
    r"|expand|eye|fill_|flip|floor|full|gather|gt|item|index|lift|lt|max|min|mT|neg|numpy_T|ones|pad|permute|relu$|repeat"
    r"|reshape|resolve|round|scalar_tensor|select|sign$|slice|sort|split|squeeze|stack|t_?$|to\.|topk|transpose|triu|trunc"
    r"|type_as|unbind|unsqueeze|view|where|zero|_has_|_local|_to_copy|_unsafe_view"
)


def try_operations(form: str, processor: str | None = None) -> dict[str, Any]:
    """Run the probes with a step's variables, natively or emulated; `few` is the short form, `long` the other."""
    command = [sys.executable, str(REPOSITORY / "tests" / "numerics" / "probes.py"), form]
    emulator = [] if processor is None else ["qemu-x86_64", "-cpu", processor]
    env = {**NUMERICS, "PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}", "PATH": "/usr/bin:/bin", "HOME": "/tmp"}
    done = subprocess.run([*emulator, *command], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(emulator)} {form}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def differing(native: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Name what was tried on both and is not the same; what only one tried differs, too."""
    names = native["tried"].keys() | other["tried"].keys()
    digests = [{name: one["digest"] for name, one in side["tried"].items()} for side in (native, other)]
    return sorted(name for name in names if digests[0].get(name) != digests[1].get(name))


def walked_module(native: Mapping[str, Any], differs: Iterable[str]) -> str:
    """Format the committed table: torch's operations with their types, and the digests of the fingerprint."""
    types: dict[str, list[str]] = defaultdict(list)
    for name in sorted(native["tried"].keys() - set(differs)):
        library, operation, kind = name.split()
        if library == "torch":
            types[operation].append(kind)
    lines = [f'    "{operation}": "{" ".join(kinds)}",' for operation, kinds in sorted(types.items())]
    probes = [f'    "{name}": "{digest}",' for name, digest in native["fingerprint"].items()]
    return "\n".join(
        [
            '"""Results that were compared between processors; '
            'written by `tests/numerics/walk.py` (docs/numerics.md)."""',
            "",
            "OPERATIONS = {  # torch operations on the CPU, "
            "with the types for which each gives the same bytes everywhere",
            *lines,
            "}",
            "FINGERPRINT = {  # SHA-256 of the result of each probe of `numerics.py` on a portable machine",
            *probes,
            "}",
            "",
        ]
    )


def page_table(native: Mapping[str, Any], differs: Mapping[str, Iterable[str]]) -> str:
    """Format the tables of the page: a row an operation that computes, and a list of those that only move."""
    marks = {name: " ".join("≠" if name in differs[one] else "=" for one in differs) for name in native["tried"]}
    parts: dict[str, list[str]] = {"torch": [], "numpy": [], "own": []}
    moves: set[str] = set()
    for (library, operation), rows in _grouped(native["tried"]).items():
        if library == "torch" and re.match(_MOVES, operation) and all("≠" not in marks[name] for name in rows):
            moves.add(operation)
            continue
        for same in sorted({marks[name] for name in rows}):
            named = [name for name in rows if marks[name] == same]
            kinds = " ".join(name.split()[2] for name in named)
            least = [min(native["tried"][name][what] for name in named) for what in ("inputs", "shapes")]
            done = _remedy(library, operation, same)
            parts[library].append(f"| `{operation}` | {kinds} | {least[0]:,} | {least[1]:,} | {same} | {done} |")
    head = f"| operation | types | inputs | shapes | {' · '.join(differs)} | what is done |\n|---|---|---|---|---|---|"
    titles = {
        "own": "### torch's own, of what is replaced or refused", "torch": "### torch, as a portable step has it",
        "numpy": "### numpy and scipy",
    }  # fmt: skip
    found = [f"{titles[one]}\n\n{head}\n" + "\n".join(parts[one]) for one in titles]
    moved = ", ".join(f"`{one}`" for one in sorted(moves))
    return "\n\n".join([*found[:2], f"Without arithmetic, and equal on all of them: {moved}.", found[2]])


def _grouped(tried: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in sorted(tried):
        library, operation, _ = name.split()
        groups[library, operation].append(name)
    return groups


def _remedy(library: str, operation: str, marks: str) -> str:
    name = operation.partition(".")[0].removesuffix("_")
    if library == "own":
        return (
            "refused by name; not the same twice on one machine either"
            if name in REFUSED
            else "by numpy"
            if name in BY_NUMPY
            else "in float64, rounded"
        )
    if library == "torch" and (name in BY_NUMPY or name.startswith("linalg_cholesky")):
        return "replaced"
    if library == "torch" and operation == "pow.Tensor_Scalar":
        return "replaced where the exponent is .5"
    return "as it is" if "≠" not in marks else "not portable"


def main(processors: list[str]) -> None:
    """Walk, print what differs, and write the table and the page where every processor was walked."""
    native, differs = try_operations("long"), {}
    for processor in processors or PROCESSORS:
        found = try_operations("long", processor)
        differs[processor] = differing(native, found)
        told = [name for name in native["fingerprint"] if native["fingerprint"][name] != found["fingerprint"][name]]
        print(
            f"{processor}: {len(found['tried'])} tried, {len(differs[processor])} differ: {differs[processor]} {told}"
        )
    if not processors:
        TABLE.write_text(walked_module(native, {name for names in differs.values() for name in names}))
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{page_table(native, differs)}\n\n{END}{rest.partition(END)[2]}")
    if strays := sorted({name for names in differs.values() for name in names if not name.startswith("own ")}):
        raise SystemExit(f"not portable, and neither replaced nor refused: {', '.join(strays)}")


if __name__ == "__main__":
    main(sys.argv[1:])
