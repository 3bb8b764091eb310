"""The shortcut of `harness serve`: it starts what the parser of options would start, or leaves it to the parser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from needs import needs

from harness.cli import entry
from harness.cli.main import run_command_line

needs("mcp")


class BecameError(Exception):
    """What stands for the end of this process, where another program would take its place."""


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Note the command lines that would take this process' place."""
    noted: list[list[str]] = []

    def execv(program: str, words: list[str]) -> None:
        noted.append(words)
        raise BecameError

    for name in [name for name in os.environ if name.startswith("HARNESS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.chdir(tmp_path)
    return noted


PLAIN = [
    [],
    ["--profile", "operate"],
    ["manifests/a.yaml", "--engine", "docker", "--images", "../store", "/b.yaml"],
    ["--agent-uid", "65534", "--isolation", "process", "--store", "s t"],
]


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_the_shortcut_starts_what_the_parser_would(words: list[str], became: list[list[str]]) -> None:
    with pytest.raises(BecameError):
        entry.serve_plainly(["serve", *words])
    assert run_command_line(["serve", *words]) != 0  # the parser's own, which meets the same end as a defect
    short, long = became
    said = {"--profile": "answer", "--engine": "local"}  # the parser says what is the default, too
    for name, value in said.items():
        if name not in short:
            at = long.index(name)
            assert long[at : at + 2] == [name, value]
            del long[at : at + 2]
    assert sorted(short) == sorted(long) and short[short.index("--") :] == long[long.index("--") :]


OTHERWISE = [
    ["run"], [], ["serve", "--help"], ["serve", "--profile", "judge"], ["serve", "--profile=answer"], ["serve", "-x"],
    ["serve", "--agent-uid", "0"], ["serve", "--agent-uid", "me"], ["serve", "--store"], ["serve", "--store", "--"],
    ["serve", "--store", "a", "--store", "b"], ["serve", "--debug"], ["serve", "--", "a.yaml"],
]  # fmt: skip


@pytest.mark.parametrize("words", OTHERWISE, ids=" ".join)
def test_the_rest_is_left_to_the_parser(words: list[str], became: list[list[str]]) -> None:
    entry.serve_plainly(words)
    assert became == []


def test_what_the_environment_says_is_left_to_the_parser(
    became: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_AGENT_UID", "7")
    entry.serve_plainly(["serve"])
    assert became == []


def test_the_program_loads_no_parser_before_the_server_stands() -> None:
    code = "import sys, harness.cli.entry; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"typer", "pydantic"} & set(loaded.split())
