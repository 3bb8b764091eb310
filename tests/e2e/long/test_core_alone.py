"""From a wheel without any extra, beside each Python here: a demo is run, agrees and is audited; own questions, too.

What needs an extra says which when it is locked, and is refused before any step.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from needs import needs
from support import REPOSITORY
from support_draws import drawn
from support_places import find_python
from support_wheel import build

needs("setuptools")
pytestmark = pytest.mark.together
PYTHONS = [pytest.param(path, id=version) for version in ("3.12", "3.13") if (path := find_python(version))]
MOST = 40_000_000  # bytes that the core may have pip fetch
DEMO = "manifests/demo/addition.yaml"
HEAVY = ("torch", "scipy", "matplotlib", "polars", "openai", "docker", "mcp")
VERBS: tuple[tuple[str, ...], ...] = (
    ("lock", DEMO), ("run", DEMO), ("diff", "last", "last"), ("explain", "last"), ("scores", "last"),
    ("compare", "last", "last", "--models", "oracle", "forger"), ("get", "last", "counts"), ("show", DEMO), ("claims",),
)  # fmt: skip


class Core:
    """An environment of the core's packages alone, and a project beside it."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder, self.project = folder, folder / "project"
        subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
        wheel = build(folder)
        pins = [line.split()[0] for line in (REPOSITORY / "lockfiles" / "requirements.txt").read_text().splitlines()
                if line[:1].isalnum()]  # fmt: skip
        (folder / "pins").write_text("\n".join(pins))
        words = ["--disable-pip-version-check", "--only-binary", ":all:", "--constraint", str(folder / "pins")]
        words.append(str(wheel))
        fetched = self.run("pip", "download", "--quiet", "--dest", str(folder / "fetched"), *words)
        if fetched.returncode:
            pytest.skip(f"pip fetches no packages here: {fetched.stderr.strip()[-300:]}")
        near = ["--quiet", "--no-index", "--find-links", str(folder / "fetched")]
        assert self.run("pip", "install", *near, *words).returncode == 0
        for name in ("manifests", "lockfiles", "certificates", "assets"):
            shutil.copytree(REPOSITORY / name, self.project / name)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        self.project.mkdir(exist_ok=True)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HARNESS_"))}
        line = [str(self.folder / "venv" / "bin" / "python"), "-I", "-m", *words]
        return subprocess.run(line, cwd=self.project, env=env, capture_output=True, text=True, check=False)

    def harness(self, *words: str, code: int = 0) -> str:
        done = self.run("harness.cli.main", *words)
        assert done.returncode == code, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module", params=drawn(PYTHONS, 1) or [pytest.param(sys.executable, id="this")])
def core(request: pytest.FixtureRequest) -> Iterator[Core]:
    with tempfile.TemporaryDirectory(prefix="core-") as folder:
        yield Core(request.param, Path(folder))


def test_the_core_is_light(core: Core) -> None:
    sizes = {path.name: path.stat().st_size for path in (core.folder / "fetched").glob("*.whl")}
    assert sum(sizes.values()) < MOST and any(name.startswith("numpy-") for name in sizes), sizes
    heavy = core.run("pip", "show", *HEAVY)
    assert heavy.returncode == 1 and not heavy.stdout, heavy.stdout


def test_a_demo_is_run_and_agrees(core: Core) -> None:
    said = {words: core.harness(*words) for words in VERBS}
    assert "addition-demo: agreed (" in said["run", DEMO]


def test_own_questions_are_asked_scored_and_audited(core: Core) -> None:
    (core.project / "capitals.csv").write_text("question,answer\nThe capital of Kenya?,Nairobi\nOf Japan?,Tokyo\n")
    core.harness("new", "capitals", "--from", "capitals.csv", "-m", "oracle=baseline/oracle", "-m", "baseline/echo")
    core.harness("run", "manifests/capitals.yaml")
    [run] = json.loads(core.harness("scores", "last", "--json"))["runs"]
    values = {line["model"]: line["value"] for line in run["scores"] if line["scorer"] == "exact"}
    assert values == {"oracle": 1, "echo": 0}
    assert "agreed" in core.harness("audit", "last")
    (core.project / "packed.parquet").write_bytes(b"PAR1PAR1")
    assert "repro-harness[tables]" in core.harness("new", "packed", "--from", "packed.parquet", code=3)
    manifest = core.project / "manifests" / "capitals.yaml"
    manifest.write_text(manifest.read_text().replace("capitals.csv", "packed.parquet"))
    assert "repro-harness[tables]" in core.harness("lock", "manifests/capitals.yaml", code=3)


@pytest.mark.parametrize("demo,extra,code", [("biomed", "science", 3), ("tiny-addition", "local", 0)])
def test_what_needs_an_extra_says_which_and_runs_no_step(core: Core, demo: str, extra: str, code: int) -> None:
    """The first makes data as it is locked, and cannot; the other can be locked, and is run elsewhere then."""
    manifest = f"manifests/demo/{demo}.yaml"
    assert f"repro-harness[{extra}]" in core.harness("lock", manifest, code=code)
    before = core.harness("runs")
    refused = core.harness("run", manifest, code=3)
    assert f"repro-harness[{extra}]" in refused and core.harness("runs") == before
