"""Home of the MCP server, by which agents call the verbs as tools."""
