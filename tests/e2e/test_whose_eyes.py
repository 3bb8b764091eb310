"""A verdict is given by the harness that is installed, whatever else would like a word in it; and it says by which."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from evidence.forger import write
from support import REPOSITORY, SECONDS, clean_env, data_of, harness, small_project
from support_draws import drawn

from harness import verbs
from harness.clean_start import clean_command, clean_environment, launcher
from harness.store.store import Store

LIE = """
import harness.evidence.audit.checks as checks
checks.Report.verdict = property(lambda self: "agreed")
"""
BOLDER = """
import sys
from harness.verbs import review
class Liar:
    def __init__(self, data): self.__dict__.update(data)
def audit(project, asked, watch=None):
    print("run x: agreed; 31 checks passed, 0 did not (level full)")
    sys.exit(0)
review.audit = audit
"""
LIES = {"the report": LIE, "the verb": BOLDER}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, one of whose outputs is no longer what it was."""
    folder = tmp_path_factory.mktemp("broken")
    manifest = small_project(folder, count=6, models=("oracle",))
    ran = data_of("run", manifest, "--isolation", "process", cwd=folder)
    scores = next(one["sha256"] for one in ran["runs"][0]["outputs"] if one["name"] == "scores")
    write(Store(folder / ".harness").blobs.path(scores), b"{}\n")
    return folder


def started(words: Sequence[str], cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    around = {**clean_env(), **env}
    return subprocess.run(
        [*words, "audit", "last", "--level", "hashes"], cwd=cwd, env=around, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=SECONDS, check=False,
    )  # fmt: skip


def require_named(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "blob.changed" in done.stdout and ": disagreed; " in done.stdout


def entry(python: str | Path = sys.executable) -> list[str]:
    """Spell what pip's program does."""
    return [str(python), "-c", "from harness.cli.entry import main; main()"]


def copied(folder: Path) -> Path:
    """Copy the harness's code, as somebody hands a checkout on."""
    shutil.copytree(REPOSITORY / "harness", folder / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "lockfiles", folder / "lockfiles")
    return folder


def forge_bytecode(source: Path, lie: str) -> None:
    """Lay bytecode of something else beside a source, with the time and size that Python looks at."""
    other = source.with_name("other.py")
    other.write_text(source.read_text() + lie)
    code = compile(other.read_text(), str(source), "exec", dont_inherit=True)
    other.unlink()
    facts = source.stat()
    data = importlib._bootstrap_external._code_to_timestamp_pyc(code, facts.st_mtime, facts.st_size)  # type: ignore[attr-defined]
    cached = Path(importlib.util.cache_from_source(str(source)))
    cached.parent.mkdir(exist_ok=True)
    cached.write_bytes(data)


@pytest.mark.long
@pytest.mark.parametrize("start", ["module", "program"])
def test_exchanged_bytecode_of_the_verifier_has_no_word_in_its_verdict(
    start: str, broken: Path, tmp_path: Path
) -> None:
    root = copied(tmp_path / "checkout")
    forge_bytecode(root / "harness/evidence/audit/checks.py", '\nReport.verdict = property(lambda self: "agreed")\n')
    forge_bytecode(root / "harness/store/blobs.py", '\nBlobs.check = lambda self, digest, size=None: "sound"\n')
    words = [sys.executable, "-m", "harness.cli.main"] if start == "module" else entry()
    fooled = subprocess.run(
        [sys.executable, "-c", "from harness.evidence.audit.checks import Report; print(Report().verdict)"],
        env={**clean_env(), "PYTHONPATH": str(root)}, cwd=broken, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert fooled.stdout == "agreed\n", "Python itself takes the exchanged bytecode"
    require_named(started(words, broken, PYTHONPATH=str(root)))


def lying_python(folder: Path, lie: str) -> Path:
    """Make an environment with the packages of this one, and a `.pth` file that changes the harness on every start."""
    venv.create(folder, symlinks=True, with_pip=False)
    [site] = (folder / "lib").glob("python*/site-packages")
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        (site / one.name).symlink_to(one)
    (site / "liar.py").write_text(lie)
    (site / "liar.pth").write_text("import liar\n")
    return folder / "bin" / "python"


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("of", drawn(LIES, 1))
def test_a_pth_file_of_the_packages_has_no_word_in_a_verdict(of: str, broken: Path, tmp_path: Path) -> None:
    require_named(started(entry(lying_python(tmp_path / "venv", LIES[of])), broken))


@pytest.mark.long
def test_the_program_that_setup_writes_reads_no_pth_file_at_all(broken: Path, tmp_path: Path) -> None:
    """This `.pth` file even takes away the call by which a process becomes a clean one."""
    lie = "import os\ndef no(*_): print('agreed', flush=True); os._exit(0)\nos.execv = os.execve = no\n"
    python = lying_python(tmp_path / "venv", lie)
    assert started(entry(python), broken).stdout == "agreed\n", "which pip's program cannot help"
    program = tmp_path / "harness"
    asked = [
        str(python),
        "-S",
        "-c",
        f"import sys; sys.path.append({str(REPOSITORY)!r}); sys.prefix = {str(python.parents[1])!r}\n",
    ]
    asked[-1] += "from harness.clean_start import launcher; print(launcher())"
    program.write_text(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
    program.chmod(0o755)
    require_named(started([str(program)], broken))
    assert launcher().count("exec ") == 2


@pytest.mark.long
def test_no_variable_of_python_has_a_word_in_a_verdict(broken: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys; sys.path.append({str(REPOSITORY)!r})\n{LIE}")
    evil = str(tmp_path)
    variables = {"PYTHONSTARTUP": f"{evil}/sitecustomize.py", "PYTHONPATH": evil, "PYTHONPYCACHEPREFIX": evil}
    require_named(started(entry(), broken, **variables))


@pytest.mark.long
def test_modules_in_the_project_that_is_judged_are_not_imported(broken: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(broken, tmp_path / "project"))
    for name in ("json.py", "pydantic.py", "typer.py", "sitecustomize.py", "harness/__init__.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("print('agreed'); raise SystemExit(0)\n")
    require_named(started([sys.executable, "-P", *entry()[1:]], project))  # it becomes what the next line starts
    assert clean_command("harness.cli.entry:main")[1:3] == ["-I", "-S"]


@pytest.mark.long
def test_verbs_called_from_python_are_judged_apart_and_keep_their_errors(
    broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import harness.evidence.audit.checks as checks

    monkeypatch.setattr(checks.Report, "verdict", property(lambda _: "agreed"))
    project, told = verbs.Project.at(broken), list[Any]()
    watch = verbs.Watch(told.append)
    done = verbs.audit(project, verbs.AuditRequest(subject="last"), watch)
    assert (done.verdict, done.code) == ("disagreed", 1) and told
    with pytest.raises(Exception, match="no level is called 'x'") as bad:
        verbs.audit(project, verbs.AuditRequest(subject="last", level="x"))
    assert type(bad.value).__name__ == "InputError"
    with pytest.raises(Exception, match="does not pass its audit"):
        verbs.accept(project, verbs.AcceptRequest(run="last"))
    watch.stop.set()
    with pytest.raises(Exception, match="stopped"):
        verbs.audit(project, verbs.AuditRequest(subject="last", budget=1e6), watch)


@pytest.mark.long
def test_a_verdict_names_the_harness_that_judged(broken: Path, tmp_path: Path) -> None:
    named = data_of("audit", "last", "--level", "hashes", cwd=broken, check=1)["harness"]
    assert " by harness 0.1.0" in harness("audit", "last", "--level", "hashes", cwd=broken, check=1).stdout
    assert len(named["digest"]) == 64 and named["digest"][:12] in named["text"]
    root = copied(tmp_path / "checkout")

    def other() -> dict[str, Any]:
        done = started(entry(), broken, PYTHONPATH=str(root), HARNESS_JSON="1")
        import json

        told: dict[str, Any] = json.loads(done.stdout)["harness"]
        return told

    assert (other()["digest"], other()["commit"]) == (named["digest"], ""), "the same code, in no repository"
    with open(root / "harness/evidence/audit/checks.py", "a", encoding="utf-8") as source:
        source.write("# another\n")
    assert other()["digest"] != named["digest"]


@pytest.mark.long
def test_an_altered_package_ends_the_process_that_would_judge(tmp_path: Path, broken: Path) -> None:
    """The package is found by its RECORD before a line of it runs."""
    python = lying_python(tmp_path / "venv", "")
    [site] = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    for name in ("typer", *(one.name for one in site.glob("typer-*.dist-info"))):
        real = (site / name).resolve()
        (site / name).unlink()
        shutil.copytree(real, site / name)
    require_named(started(entry(python), broken))
    with open(site / "typer" / "main.py", "a", encoding="utf-8") as source:
        source.write("\nprint('agreed'); raise SystemExit(0)\n")
    done = started(entry(python), broken)
    assert (done.returncode, done.stdout) == (3, ""), (done.stdout, done.stderr)
    assert "typer/main.py" in done.stderr and "not as it was installed" in done.stderr


def test_variables_that_change_how_a_program_starts_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LD_PRELOAD", "PYTHONPATH", "GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_"):
        monkeypatch.setenv(name, "x")
    assert not {name for name in clean_environment() if name.startswith(("LD_", "PYTHON", "GLIBC_", "MALLOC_"))}
    assert clean_environment()["PATH"] == os.environ["PATH"]
