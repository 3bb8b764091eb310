"""Verbs: functions with a typed request and result, called by the command line, by Python code and by agents' tools.

    from harness import verbs
    project = verbs.Project.at("repro-harness")
    ran = verbs.run(project, verbs.RunRequest(manifests=["manifests/demo/addition.yaml"]))

A verb takes a `Project` and a request if it needs them; a verb that may run for long also takes a `Watch`. It does not
read the working directory or the environment, prints nothing and never exits. Errors are raised as a `HarnessError`.

A module is imported when one of its names is first used. The verbs of images are called through their module,
`harness.verbs.images`.
"""

# ruff: noqa: F403 - each module says in `__all__` what it offers
from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.parts import import_part

if TYPE_CHECKING:
    from harness.verbs.accepting import *
    from harness.verbs.attempts import *
    from harness.verbs.certifying import *
    from harness.verbs.describing import *
    from harness.verbs.handing import *
    from harness.verbs.importing import *
    from harness.verbs.measuring import *
    from harness.verbs.pins import *
    from harness.verbs.project import *
    from harness.verbs.published import *
    from harness.verbs.recordings import *
    from harness.verbs.reporting import *
    from harness.verbs.requests import *
    from harness.verbs.review import *
    from harness.verbs.running import *
    from harness.verbs.scoring import *
    from harness.verbs.starting import *
    from harness.verbs.upkeep import *

REQUESTS = re.compile(r"^class (\w*Request)\b", re.MULTILINE)
OFFERED = re.compile(r"^__all__ = (\[.*?\])$", re.MULTILINE | re.DOTALL)


@lru_cache
def _modules() -> Mapping[str, str]:
    """Return the module of each name of this package: requests, and what the other modules' `__all__` says.

    It is read from their sources, since importing them all takes long.
    """
    found = dict[str, str]()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        offered = OFFERED.search(text)
        names = ast.literal_eval(offered[1]) if offered else REQUESTS.findall(text)
        found |= dict.fromkeys(names, path.stem)
    return found


def __getattr__(name: str) -> Any:
    if name.startswith("__") or name not in _modules():
        raise AttributeError(f"harness.verbs has no {name!r}")
    return import_part(f"harness.verbs.{_modules()[name]}:{name}")


def __dir__() -> list[str]:
    return sorted(_modules())
