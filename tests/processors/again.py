"""Makes steps again in one process, whose libraries are imported once: `python again.py FOLDER`, by any interpreter.

`FOLDER/steps.json` lists them; what each is given lies in `FOLDER/NUMBER/in`. The digest of every output is printed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def main(folder: Path) -> None:
    """Make the steps one after the other; one that fails says how, and the others are made all the same."""
    sys.path.insert(0, str(REPOSITORY))
    for number, step in enumerate(json.loads((folder / "steps.json").read_bytes())):
        own, began = folder / str(number), time.monotonic()
        module, _, name = step["kind"].partition(":")
        told: dict[str, object] = {"step": step["name"]}
        try:
            function = getattr(importlib.import_module(module), name)
            function(step["params"], {name: own / "in" / name for name in step["inputs"]}, own / "out")
            made = {name: hashlib.sha256((own / "out" / name).read_bytes()).hexdigest() for name in step["outputs"]}
            told |= {"outputs": made}
        except Exception as bad:  # whatever it is, the test shows it
            told |= {"failed": f"{type(bad).__name__}: {bad}"}
        print(json.dumps({**told, "seconds": round(time.monotonic() - began, 1)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
