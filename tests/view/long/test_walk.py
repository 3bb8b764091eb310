"""Every page in a real browser at both widths, light and dark: axe-core, a walk by keyboard, labels in two windows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support_answers_run import answers_run
from view.screenshots import SCORER, axe, browse, lacking, served

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking())


def test_every_page_can_be_used_by_everybody_and_by_keyboard(tmp_path: Path) -> None:
    run, store = (
        answers_run(tmp_path, {"good": 90, "poor": 40}, 30, 2, strange=True, long=40_000),
        tmp_path / ".harness",
    )
    with served(tmp_path, store) as url:
        assert browse(url=url, run=run) == []
    with served(tmp_path, store, "--label", "A. Reader") as url:
        assert browse(url=url, run=run, scorer=SCORER, acts=True) == []
    if not axe():
        pytest.skip("all but axe-core, which is not here: `make peers` installs it where there is npm")
