"""What others read of this server: `server.json` by the registry's schema 2025-12-11, the bundle's manifest by 0.4."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest
from support import REPOSITORY

from harness.cli.entry import PROFILES, VALUES

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
FIELDS = {"$schema", "name", "title", "description", "version", "packages", "repository", "websiteUrl", "_meta"}
OF_A_PACKAGE = {
    "registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "transport",
    "runtimeArguments", "packageArguments", "environmentVariables",
}  # fmt: skip
OF_AN_ARGUMENT = {
    "type", "name", "value", "valueHint", "description", "isRequired", "isRepeated", "isSecret", "format", "default",
    "choices", "placeholder", "variables",
}  # fmt: skip


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((REPOSITORY / "server.json").read_text())
    return found


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    return found


def test_the_server_is_described_as_the_schema_asks(listed: dict[str, Any]) -> None:
    assert listed["$schema"] == SCHEMA and listed.keys() <= FIELDS
    assert 1 <= len(listed["description"]) <= 100 and 1 <= len(listed["title"]) <= 100
    assert re.fullmatch(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?", listed["version"])
    for package in listed["packages"]:
        assert {"registryType", "identifier", "transport"} <= package.keys() <= OF_A_PACKAGE
        assert package["transport"] == {"type": "stdio"}
        for argument in (*package["runtimeArguments"], *package["packageArguments"]):
            assert argument.keys() <= OF_AN_ARGUMENT and argument["type"] in ("named", "positional")
            assert "name" in argument if argument["type"] == "named" else {"value", "valueHint"} & argument.keys()
            assert argument.get("format", "string") in ("string", "number", "boolean", "filepath")
            assert argument.get("default", "answer") in argument.get("choices", ["answer"])


def test_what_it_says_is_so(listed: dict[str, Any], project: dict[str, Any]) -> None:
    [package] = listed["packages"]
    assert listed["version"] == package["version"] == project["version"]
    assert package["identifier"] == project["name"] and project["scripts"][package["identifier"]]
    [source] = package["runtimeArguments"]
    assert source["value"] == f"{project['name']}[tools]=={project['version']}"
    assert "tools" in project["optional-dependencies"]
    verb, *options = package["packageArguments"]
    assert verb["value"] == "serve" and {one["name"].removeprefix("--") for one in options} <= set(VALUES)
    [profile] = [one for one in options if one["name"] == "--profile"]
    assert profile["choices"] == list(PROFILES)


def test_no_name_is_claimed_that_nobody_holds(listed: dict[str, Any], project: dict[str, Any]) -> None:
    """Whoever publishes names the server in a namespace of theirs, by the schema's rule and not one for examples.

    The registry looks for the name in the package's description, which is the README.
    """
    named = [listed["name"]] if "name" in listed else []
    assert re.findall(r"mcp-name: ([\w./-]+)", (REPOSITORY / project["readme"]).read_text()) == named
    for name in named:
        assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", name) and 3 <= len(name) <= 200
        assert not re.match(r"(org|com|net)\.example\b|example\b|test\b|invalid\b|local", name)


OF_A_BUNDLE = {"manifest_version", "name", "display_name", "version", "description", "author", "license", "keywords",
               "server", "tools_generated", "compatibility", "user_config"}  # fmt: skip


def test_the_bundles_manifest_is_as_its_format_asks_and_says_what_is_so(
    listed: dict[str, Any], project: dict[str, Any]
) -> None:
    """`tests/tools/long/test_bundle.py` holds it against the format's own tool, and starts the server by it."""
    told = json.loads((REPOSITORY / "mcpb" / "manifest.json").read_text())
    assert told.keys() == OF_A_BUNDLE and told["manifest_version"] == "0.4"  # the format takes no other fields
    for name in ("version", "description"):
        assert told[name] == listed[name]
    assert (told["name"], told["license"]) == (project["name"], project["license"])
    assert told["display_name"] == listed["title"]
    server = told["server"]
    assert server.keys() == {"type", "entry_point", "mcp_config"} and server["type"] == "uv"
    assert (REPOSITORY / "mcpb" / server["entry_point"]).exists()
    asked = set(re.findall(r"\$\{user_config\.(\w+)\}", " ".join(server["mcp_config"]["args"])))
    assert asked == told["user_config"].keys() and {f"--{name}" for name in asked} <= set(server["mcp_config"]["args"])
    assert all({"type", "title", "description"} <= one.keys() for one in told["user_config"].values())
    assert told["user_config"]["profile"]["default"] in PROFILES
