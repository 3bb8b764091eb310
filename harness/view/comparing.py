"""The making of a comparison (`differences.py`), in a process beside the server, from what `compare` and `diff` say.

Items that are not shown (`index_build.py`) are left out of the list and counted; of such data no line of
`diff` is kept either.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.files import make_folder, translating_os_errors
from harness.run.scores.table import RunTables, closed_datasets
from harness.store.store import Store, require_listed
from harness.verbs.project import Project
from harness.verbs.requests import CompareRequest, DiffRequest
from harness.verbs.review import diff
from harness.verbs.scoring import compare
from harness.view.differences import comparison_path
from harness.view.index import OWNER, mark_made

SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE moved(id INTEGER PRIMARY KEY, left TEXT, right TEXT, dataset TEXT, scorer TEXT, item TEXT, template INT,
  left_value REAL, right_value REAL, changed INT);
"""


def build_comparison(store: Store, runs: tuple[str, str], models: Sequence[str]) -> Path:
    """Compare two runs, or two models, and write the result to a file that pages read; return its path."""
    path = comparison_path(store, runs, [require_listed(store, run).record for run in runs], models)
    project = Project.at(store.root, store.root)
    asked = CompareRequest(runs=list(dict.fromkeys(runs)), models=_pair(models), items=0)
    found = compare(project, asked)
    closed = {name: why for run in set(runs) for name, why in closed_datasets(RunTables.of(store, run)).items()}
    shown = [one for one in found.items if one.dataset not in closed]
    told = dict[str, Any](found.as_data()) | {"items": [], "words": [], "closed": closed}
    told["left_out"] = len(found.items) - len(shown)
    told["items_moved"] = len({(one.dataset, one.item) for one in found.items})
    told["items_changed"] = len({(one.dataset, one.item) for one in found.items if one.changed})
    if runs[0] != runs[1]:
        parted: dict[str, Any] = diff(project, DiffRequest(left=runs[0], right=runs[1])).as_data()
        told["diff"] = {name: parted[name] for name in ("level", "cause", "stages", *(() if closed else ("texts",)))}
        told["diff"]["first"] = "" if parted["first"] is None else str(parted["first"]["subject"])
    with translating_os_errors(path):
        make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER))
        try:
            with contextlib.closing(sqlite3.connect(temporary)) as kept:
                kept.executescript(SCHEMA)
                kept.execute("INSERT INTO meta VALUES ('told', ?)", (json.dumps(told),))
                fields = (
                    "left",
                    "right",
                    "dataset",
                    "scorer",
                    "item",
                    "template",
                    "left_value",
                    "right_value",
                    "changed",
                )
                rows = ([None, *(getattr(one, name) for name in fields)] for one in shown)
                kept.executemany("INSERT INTO moved VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
                kept.commit()
            os.replace(temporary, path)
            mark_made(store, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    return path


def _pair(models: Sequence[str]) -> tuple[str, str] | tuple[()]:
    return (models[0], models[1]) if models else ()
