"""The entry point of a batch: several steps of the same code, one after the other in one process, for an audit.

Starting the isolation and the interpreter, compiling and importing are paid once. What a step leaves behind can reach
the next, so the results may only confirm those of a run. No run uses this module, and no key names its file.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def main(site: str, folder: Path) -> None:
    """Execute the steps that `folder/steps.json` describes; the outputs of each that succeeds are in `out/NUMBER/`."""
    gc.set_threshold(100_000)  # as `run/step.py` does, which is in `code/`
    sys.path.insert(0, str(folder / "code"))
    sys.path.append(site)  # after the standard library: no package may stand in for a part of it
    for number, task in enumerate(json.loads((folder / "steps.json").read_bytes())):
        out = folder / "out" / f"{number}.open"
        out.mkdir()
        try:
            _make(task, folder, folder / "in" / str(number), out)
            out.rename(folder / "out" / str(number))
        except Exception:
            import traceback  # noqa: PLC0415 - only a step that failed pays for it

            traceback.print_exc()  # it is executed again alone, which shows what is wrong


def _make(task: Mapping[str, Any], folder: Path, given: Path, out: Path) -> None:
    """Call one step's function; as if executed alone, it fails if part of the harness was loaded from elsewhere."""
    from harness.run.step import outside_modules  # noqa: PLC0415 - it is in `code/`, which is on the path only now

    module, _, name = task["kind"].partition(":")
    function = getattr(importlib.import_module(module), name)
    function(task["params"], {name: given / name for name in task["inputs"]}, out)
    if strangers := outside_modules(folder / "code"):
        raise ImportError(f"loaded from outside the step's own code: {', '.join(strangers)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("purelib"), Path.cwd())
