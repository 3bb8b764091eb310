"""What the answering process loads: its server over stdio alone, and the rest of the SDK where it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADED = "import sys, harness_tools.answering; print(*sys.modules)"
LATER = "from mcp import ClientSession, types; import mcp.server; print(ClientSession.__name__, mcp.server.MCPServer)"


def said(code: str) -> str:
    """Run code in a process of its own; gives what it prints."""
    return subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout


def test_an_agent_waits_for_no_client_and_no_http_server_of_the_sdk() -> None:
    loaded = set(said(LOADED).split())
    assert {"mcp.server.lowlevel.server", "mcp_types"} <= loaded
    assert not {"mcp.client", "mcp.server.mcpserver", "httpx2"} & loaded


@pytest.mark.long
def test_what_was_left_out_is_there_for_who_asks_for_it() -> None:
    assert "ClientSession <class" in said(f"{LOADED}; {LATER}")
