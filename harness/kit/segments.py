"""The step that cuts a table that has grown into shards within segments, so that new rows change no earlier shard."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from harness.rows import part_name


def cut(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write a table as shards of at most `size` rows; one also ends at each row count in `ends`, the last of all."""
    start, index = 0, 0
    with open(inputs["rows"], "rb") as lines:
        for end in params["ends"]:
            while start < end:
                room = min(params["size"], end - start)
                with open(out / part_name(index), "wb") as shard:
                    shard.writelines(islice(lines, room))
                start, index = start + room, index + 1
