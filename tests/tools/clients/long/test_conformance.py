"""The protocol's own conformance harness, at our server over HTTP: what needs no fixture passes in both eras.

Most of its scenarios call tools, resources and prompts of a test server by name, which this server does not have. Those
named here ask for the protocol alone. `server-stateless` has two checks that need a diagnostic tool, too.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support import clean_env
from support_http import HttpServer
from support_programs import brought, node, npm_folder
from support_views import ADDITION, project

pytestmark = pytest.mark.together
SECONDS = 600
PASSED = {
    "2025-11-25": {"server-initialize": 2, "ping": 2, "tools-list": 3, "dns-rebinding-protection": 2},
    "2026-07-28": {
        "tools-list": 4,
        "server-sse-multiple-streams": 1,
        "sep-2164-resource-not-found": 2,
        "dns-rebinding-protection": 2,
        "http-header-validation": 14,
    },
}
STATELESS = (23, 2)
LINE = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)


@pytest.mark.parametrize("era", PASSED)
def test_what_needs_no_fixture_passes(era: str, tmp_path: Path) -> None:
    brought("@modelcontextprotocol/conformance")
    program = npm_folder() / "node_modules" / ".bin" / "conformance"
    words = [node(), str(program), "server", "--requirements", era, "-o", str(tmp_path / "told")]
    with HttpServer(project(tmp_path / "project", ADDITION)) as server:
        done = subprocess.run(
            [*words, "--url", server.url], env=clean_env({"HOME": str(tmp_path)}), cwd=tmp_path,
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    found = {name: (int(passed), int(failed)) for name, passed, failed in LINE.findall(done.stdout)}
    assert {name: found.get(name) for name in PASSED[era]} == {name: (count, 0) for name, count in PASSED[era].items()}
    assert found.get("server-stateless", STATELESS) == STATELESS, done.stdout[-3000:]
