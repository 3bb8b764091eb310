"""The API gateway, an HTTP proxy in front of model providers; it never knows a benchmark, a store or an engine."""
