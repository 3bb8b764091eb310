"""A bare server of the SDK with one tool that gives back what it is given: the least that a server of tools costs."""

from __future__ import annotations

import sys

from mcp.server import MCPServer
from pydantic import BaseModel


class Echoed(BaseModel):
    """What the tool gives."""

    text: str


def echo(text: str) -> Echoed:
    """Give back the text."""
    return Echoed(text=text)


if __name__ == "__main__":
    server = MCPServer("echo")
    server.tool()(echo)
    if sys.argv[1:]:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
