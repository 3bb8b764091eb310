"""The tape: recorded answers of models, addressed by the digest of the request, so that a closed API replays for ever.

A tape is a folder. `segment-00000.jsonl …` are the tape, one canonical line an exchange, chained and only ever added
to; `index.bin` is a cache of where each lies. This is its door; the parts stand in the modules beside it.
"""

from __future__ import annotations

from harness.models.tape.line import Taped, request_digest
from harness.models.tape.reader import Tape
from harness.models.tape.recorder import Recorder

__all__ = ["Recorder", "Tape", "Taped", "request_digest"]
