"""The MCP server through which agents call the verbs as tools."""
