"""`harness serve` as a person types it: what it becomes, and how it ends where it cannot serve."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support_views import ADDITION, project
from support_wire import WireClient, environment

COMMAND = [sys.executable, "-m", "harness.cli.main", "serve"]


def serve(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Serve nobody."""
    return subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        env=environment(),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def test_the_verb_becomes_the_server(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", ADDITION)
    (manifest,) = (folder / "manifests").iterdir()
    with WireClient([*COMMAND, f"manifests/{manifest.name}"], cwd=folder, env=environment()) as client:
        client.hello()
        assert [one["study"] for one in client.call("list_studies")["studies"]] == ["small"]
        assert b"harness_tools" in Path(f"/proc/{client.process.pid}/cmdline").read_bytes()
        assert client.end() == 0


@pytest.mark.long
def test_the_program_serves_as_the_verb_does(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", ADDITION)
    program = str(Path(sys.executable).with_name("harness"))
    with WireClient([program, "serve", "--profile", "audit"], cwd=folder, env=environment()) as client:
        client.hello()
        assert "verify_transcript" in {one["name"] for one in client.ask("tools/list")["result"]["tools"]}
        assert client.end() == 0


@pytest.mark.long
def test_a_project_is_served_from_any_folder(tmp_path: Path) -> None:
    """By its folder, with manifests named from there; or by the path of a manifest alone."""
    folder = project(tmp_path / "project", ADDITION)
    (manifest,) = (folder / "manifests").iterdir()
    for words in (["--project", "project"], ["--project", str(folder), f"manifests/{manifest.name}"], [str(manifest)]):
        with WireClient([*COMMAND, *words], cwd=tmp_path, env=environment()) as client:
            client.hello()
            assert [one["study"] for one in client.call("list_studies")["studies"]] == ["small"]
            assert client.end() == 0
    assert [one.name for one in tmp_path.iterdir()] == ["project"]  # the store is the project's


@pytest.mark.long
def test_what_cannot_be_served_ends_with_what_to_do(tmp_path: Path) -> None:
    done = serve(tmp_path)
    assert (done.returncode, done.stdout) == (2, b"") and b"no project" in done.stderr
    assert serve(tmp_path, "--profile", "judge").returncode == 2
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests").mkdir()
    done = serve(tmp_path)
    assert done.returncode in (0, 2)  # 0: nobody was there to serve before it was known
    with WireClient(COMMAND, cwd=tmp_path, env=environment()) as client:
        assert client.process.wait(60) == 2
        assert b"no manifest of this project lets agents attempt it" in b"".join(client.said)
    (tmp_path / "manifests" / "broken.yaml").write_text("harness: 2\nagents: {splits: {dev: {public: true}}}\n")
    with WireClient(COMMAND, cwd=tmp_path, env=environment()) as client:
        assert client.process.wait(60) == 2
        assert b"refuses them: broken.yaml" in b"".join(client.said)


@pytest.mark.long
def test_more_studies_than_a_reply_holds_are_not_served(tmp_path: Path) -> None:
    folder = project(tmp_path / "project", ADDITION)
    (manifest,) = (folder / "manifests").iterdir()
    text = manifest.read_text()
    for number in range(400):
        (folder / "manifests" / f"more-{number}.yaml").write_text(text.replace("name: small", f"name: more-{number}"))
    with WireClient(COMMAND, cwd=folder, env=environment()) as client:
        assert client.process.wait(120) == 2
        assert b"401 studies are more than one reply" in b"".join(client.said)
