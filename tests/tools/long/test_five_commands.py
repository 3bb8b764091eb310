"""A table of one's own, a client's file of settings, an attempt and its audit: the five commands of docs/agents.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env

pytestmark = pytest.mark.together
TABLE = "country,capital\nFrance,Paris\nJapan,Tokyo\nKenya,Nairobi\nPeru,Lima\n"


def commands() -> list[str]:
    """Give the lines of the page's block, without what they say of themselves."""
    page = (REPOSITORY / "docs" / "agents.md").read_text()
    block = re.search(r"Five commands lead.*?```sh\n(.*?)```", page, re.DOTALL)
    assert block
    return [line.partition("  #")[0].strip() for line in block[1].splitlines()]


def test_a_new_user_has_an_attempt_on_a_table_of_his_own_in_five_commands(tmp_path: Path) -> None:
    (tmp_path / "capitals.csv").write_text(TABLE)
    shutil.copy(REPOSITORY / "docs" / "examples" / "agent_loop.py", tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    said = []
    for line in (lines := commands()):
        done = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, env=clean_env({"PATH": path, "HOME": str(tmp_path)}),
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        said.append(done.stdout)
        audits = line.startswith("harness audit")  # answers of an agent can be confirmed by nobody
        assert done.returncode == (1 if audits else 0), f"{line}\n{done.stdout}\n{done.stderr}"
    assert len(lines) == 5 and '"status": "scored"' in said[2] and "scored" in said[3]
    assert "unconfirmed" in said[4] or "agreed" in said[4] or "incomplete" in said[4]
