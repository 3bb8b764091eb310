"""Bytecode of a step's code, compiled once in this process instead of at the start of every step.

A step that runs on this process's interpreter takes of it what was made of the very source that it was given, and
compiles the rest itself. It must never be kept: what lies on a disk between two runs, somebody may have changed.
"""

from __future__ import annotations

import functools
import marshal
from collections.abc import Mapping
from importlib.util import source_hash

SHOWN = "code"  # the folder that errors name before a file, as the step sees it


def compiled(sources: Mapping[str, bytes]) -> bytes:
    """Compile sources by their paths; a step reads back of each the hash of its source and its bytecode."""
    return marshal.dumps({path: (source_hash(source), _bytecode(path, source)) for path, source in sources.items()})


@functools.lru_cache(maxsize=2048)
def _bytecode(path: str, source: bytes) -> bytes:
    return marshal.dumps(compile(source, f"{SHOWN}/{path}", "exec", dont_inherit=True, optimize=0))
