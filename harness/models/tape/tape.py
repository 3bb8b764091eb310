"""The tape: recorded answers of models by request digest, so that runs against an API can be replayed for ever.

A tape is a folder. `segment-00000.jsonl …` are the tape, one canonical line per exchange, hash-chained and
append-only; `index.bin` is a cache of their locations. This module exports the public names of the package.
"""

from __future__ import annotations

from harness.models.tape.line import Taped, request_digest
from harness.models.tape.reader import Tape
from harness.models.tape.recorder import Recorder

__all__ = ["Recorder", "Tape", "Taped", "request_digest"]
