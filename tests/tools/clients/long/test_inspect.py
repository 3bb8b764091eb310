"""Inspect AI's agent loop takes a whole attempt with our tools, without a network, and has the scores of the verbs.

It is no part of this project: `make peers` installs it, or PEERS names an environment that holds it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env
from support_agents import (
    BUSY,
    STUDY,
    by_python,
    calls_of,
    offline,
    peers_python,
    served_project,
    server_env,
    server_words,
    told,
)

pytestmark = pytest.mark.together
SECONDS = 400
AGENT = Path(__file__).parents[1] / "inspect_agent.py"


def test_inspects_agent_has_the_scores_of_python(tmp_path: Path) -> None:
    python = peers_python("inspect_ai", "mcp")
    project = served_project(tmp_path / "served")
    command, *args = server_words()
    asked = {
        "command": command,
        "args": args,
        "cwd": str(project),
        "env": server_env(),
        "study": STUDY,
        "key": "inspect",
        "subset": "",
    }
    env = clean_env({"HOME": str(tmp_path), "PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'tests'}"})
    words = [*offline(), python, str(AGENT), json.dumps(asked), str(tmp_path / "logs")]
    done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["said"].endswith("scored")
    assert told(said["ended"]) == told(by_python(project))
    own = [call for call in calls_of(project / ".harness") if call["protocol"] != "python"]
    assert len(own) > 10 and not any(call["is_error"] and call["code"] != BUSY for call in own)
