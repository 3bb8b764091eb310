"""What is made once for all workers is made once, copied, and known again where somebody spoiled it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_ground import PLACE, copy_of, spoiled


def test_a_project_is_made_once_copied_and_known_again_where_it_was_spoiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ground := tmp_path / "ground").mkdir()
    monkeypatch.setenv(PLACE, str(ground))
    made = []

    def make(here: Path) -> None:
        here.mkdir()
        (here / "file").write_text(f"{len(made)}")
        made.append(here)

    one, other = (copy_of("toy", tmp_path / name, make) for name in ("one", "other"))
    (one / "file").write_text("mine")
    assert (other / "file").read_text() == "0" and len(made) == 1 and spoiled(ground) == []
    (ground / "toy" / "file").write_text("spoiled")
    assert spoiled(ground) == ["toy"]
