"""The agents' MCP server and its tools live here."""
