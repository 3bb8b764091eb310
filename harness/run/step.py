"""The entry point inside the isolation: read `step.json`, call one function, leave its files in `out/`.

It imports only the standard library and the step's own module, since its start-up is paid once a step; it fails the
step if any part of the harness was loaded from anywhere but the step's own `code/`, or if the processor is not the one
that the key names. What the harness compiled of that code lies in `compiled`, where it runs on the same interpreter
(`compiled.py`).
"""

from __future__ import annotations

import gc
import importlib
import json
import marshal
import os
import sys
import sysconfig
from collections.abc import Mapping
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from importlib.util import source_hash
from pathlib import Path
from types import CodeType
from typing import Any

COLLECT_EVERY = 100_000  # new objects: what is imported stays, and to look through it again and again takes a fifth
COMPILED = "compiled"  # beside `code/`: the bytecode of its files, laid by the harness for this step alone


def main(site: str, folder: Path) -> None:
    """Run the step that `folder/step.json` describes, which writes to `folder/out`; `site` holds the packages.

    Exits with an error if any part of the harness was loaded from outside `folder/code`.
    """
    gc.set_threshold(COLLECT_EVERY)
    sys.path.insert(0, str(folder / "code"))
    sys.path.append(site)  # after the standard library: no package may stand in for a part of it
    if (folder / COMPILED).exists():
        made = marshal.loads((folder / COMPILED).read_bytes())  # noqa: S302 - by whoever laid the code beside it
        _use(made, str(folder / "code"))
    if keyed := os.environ.get("HARNESS_PROCESSOR"):
        _require_processor(keyed)
    task = json.loads((folder / "step.json").read_bytes())
    module, _, name = task["kind"].partition(":")
    function = getattr(importlib.import_module(module), name)
    function(task["params"], _inputs(task["inputs"], folder / "in"), folder / "out")
    strangers = outside_modules(folder / "code")
    if strangers:
        raise SystemExit(f"loaded from outside the step's own code: {', '.join(strangers)}")


def _require_processor(keyed: str) -> None:
    """Refuse to compute on a processor of another class than the one that the step's key names."""
    from harness.run.processor import ask_processor  # noqa: PLC0415 - only where libraries choose by the processor

    here = ask_processor()
    if here.kind != keyed:
        raise SystemExit(f"the step's key says {keyed}, and it runs on {here.kind}: {here.name}")


def _use(compiled: Mapping[str, tuple[bytes, bytes]], code: str) -> None:
    """Let modules below `code` be loaded from what was compiled of the very source that lies there."""

    class Compiled(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            source = self.get_data(self.path)
            of, made = compiled.get(self.path[len(code) + 1 :], (b"", b""))
            if of != source_hash(source):
                return self.source_to_code(source, self.path)
            loaded: CodeType = marshal.loads(made)  # noqa: S302 - of the source that was just read
            return loaded

    def below(folder: str) -> FileFinder:
        if folder != code and not folder.startswith(f"{code}{os.sep}"):
            raise ImportError(f"{folder} is no folder of the step's code")
        return FileFinder(folder, (Compiled, SOURCE_SUFFIXES))

    sys.path_hooks.insert(0, below)


def _inputs(names: list[str], folder: Path) -> Mapping[str, Path]:
    return {name: folder / name for name in names}


def outside_modules(code: Path) -> list[str]:
    """Name the loaded modules of the harness from outside `code`: their bytes are not in the step's key."""
    here: dict[str, Any] = dict(sys.modules)
    return sorted(
        name
        for name, module in here.items()
        if name.partition(".")[0] in ("harness", "harness_tools")
        and not str(getattr(module, "__file__", "")).startswith(f"{code}{os.sep}")
    )


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("purelib"), Path.cwd())
    except Exception as bad:
        import traceback  # only a step that failed pays for it

        traceback.print_exc()
        what = f"{type(bad).__name__}: {' '.join(str(bad).split())}"
        sys.exit(what[:2000])  # the last line is what a person is shown
