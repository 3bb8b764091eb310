"""The process beside the server in which indexes and comparisons are made, so that the server stays small and answers.

It prints a line of JSON for each piece of progress, and a last one that names what it made or what went wrong.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.store.store import Store

EVERY = 0.2  # seconds between two lines of progress


def main(argv: Sequence[str]) -> int:
    """Do one task of the viewer, such as making an index, print its progress as JSON, and return the exit code.

    It is `index STORE RUN`, `compare STORE RUN RUN [MODEL MODEL]`, `tell VERB FOLDER STORE` or `agreement STORE FILE`.
    """
    os.nice(5)  # whoever looks goes first
    try:
        _print(TASKS[argv[0]](*argv[1:]))
    except HarnessError as bad:
        _print(bad.as_data())
        return bad.code
    return 0


def _index(store: str, run: str) -> dict[str, Any]:
    from harness.view.index_build import build_index  # noqa: PLC0415 - each task loads what it needs

    last = 0.0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            _print({"what": what, "done": done, "total": total})

    return {"made": str(build_index(Store.open(Path(store)), run, progress))}


def _compare(store: str, left: str, right: str, *models: str) -> dict[str, Any]:
    from harness.view.comparing import build_comparison  # noqa: PLC0415

    _print({"what": "scores are compared"})
    return {"made": str(build_comparison(Store.open(Path(store)), (left, right), models))}


def _tell(verb: str, folder: str, store: str) -> dict[str, Any]:
    """Return what a verb without a request says."""
    from harness import verbs  # noqa: PLC0415

    project = verbs.Project.at(folder, store or None)
    watch = verbs.Watch(lambda told: _print({"what": told.task, "done": told.done, "total": told.total}))
    done: verbs.Result
    if verb == "claims":
        done = verbs.claims(project, None, watch)
    else:
        done = verbs.doctor(project) if verb == "doctor" else verbs.list_attempts(project)
    return {"told": done.as_data()}


def _agreement(store: str, path: str) -> dict[str, Any]:
    """Return how a scorer agrees with the labels in a file of the store."""
    from harness.store.notes import read_labels  # noqa: PLC0415
    from harness.verbs.labelling import label_agreement, labelled_answers  # noqa: PLC0415

    opened = Store.open(Path(store))
    labels = read_labels(opened, opened.root / path)
    return {"told": label_agreement(labelled_answers(opened, labels), labels.first["labels"])}


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "index": _index,
    "compare": _compare,
    "tell": _tell,
    "agreement": _agreement,
}


def _print(said: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(said)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
