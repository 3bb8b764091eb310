"""A full disk is told with the path that was written, how much it needs there and how much is free."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from support import SmallDisk, clean_env

WRITES = {
    "put": ("store.blobs.put(data)", "blobs"),
    "copy": ("store.blobs.copy(given)", "blobs"),
    "write_file": ("store.tree.write_file('runs/x/file', data)", "runs/x/file"),
    "copy_to": ("store.blobs.copy_to(kept, store.root / 'out')", "out"),
}
CODE = """
    import os, sys
    from pathlib import Path
    from harness.errors import MissingError
    from harness.store.store import Store
    given, store = Path(sys.argv[1]), Store.make(Path(sys.argv[2]))
    data = given.read_bytes()
    kept = store.blobs.put(data[:60_000])
    try:
        {}
    except MissingError as bad:
        print(bad)
"""
SAID = re.compile(
    r"next:  ([\d,]+) more bytes are needed there at least, and ([\d,]+) bytes and [\d,]+ files are free: "
)


@pytest.mark.parametrize("write", WRITES)
def test_a_full_disk_names_the_path_what_is_needed_and_what_is_free(tmp_path: Path, write: str) -> None:
    given = tmp_path / "given"
    given.write_bytes(bytes(range(256)) * 1000)
    words, where = WRITES[write]
    with SmallDisk(tmp_path / "disk", "110k") as disk:
        line = [sys.executable, "-c", textwrap.dedent(CODE.format(words)), str(given), str(disk.folder / "store")]
        done = subprocess.run(disk.within(line), env=clean_env(), capture_output=True, text=True, check=True)
    assert done.stdout.startswith("the disk is full\n"), done.stdout
    assert f"where: {disk.folder}/store/{where}\n" in done.stdout
    needed, free = (int(one.replace(",", "")) for one in SAID.search(done.stdout).groups())
    assert needed == (60_000 if write == "copy_to" else 256_000) and 0 <= free < needed
    assert "everything finished so far is kept" in done.stdout


def test_what_cannot_be_read_names_the_file_that_was_read(tmp_path: Path) -> None:
    from harness.errors import InputError
    from harness.store.store import Store

    with pytest.raises(InputError) as met:
        Store.make(tmp_path / "store").blobs.copy(tmp_path / "nothing")
    assert met.value.where == str(tmp_path / "nothing")
