"""A harness as somebody else installs it: a real wheel of this checkout, in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support import REPOSITORY

BUILT = (
    "harness", "tools", "assets", "images", "lockfiles", "certificates", "docs",
    "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE",
)  # fmt: skip
OURS = ("__editable__", "repro_harness-")  # what the checkout's own install left among the packages
NOBODY = 65534
# In a mount namespace of its own: makes the interpreter's home passable, where that is root's, a folder read-only.
ENTER = """
if [ -n "$SHUT" ]; then
    mount --bind "$INTERPRETER" "$SPARE" && mount -t tmpfs -o mode=755 tmpfs "$SHUT"
    mkdir -p "$INTERPRETER" && mount --bind "$SPARE" "$INTERPRETER"
fi
if [ -n "$READ_ONLY" ]; then
    mount --bind "$READ_ONLY" "$READ_ONLY" && mount -o remount,ro,bind "$READ_ONLY"
fi
cd "$FOLDER" && exec "$@"
"""


@dataclass(frozen=True)
class Installed:
    """An environment in which a wheel of the harness is installed, and who uses it."""

    folder: Path
    user: int = 0  # 0: whoever runs the tests

    @property
    def site(self) -> Path:
        """The folder of its packages."""
        return next((self.folder / "venv" / "lib").glob("python*")) / "site-packages"

    def nobody(self) -> Installed:
        """Give the same environment, used by somebody who owns nothing of it; root alone may call this."""
        return replace(self, user=NOBODY)

    def harness(self, *words: str, cwd: Path, check: int | None = 0, read_only: Path | None = None) -> str:
        """Run a verb as installed, without a word of this checkout in its environment; gives what it printed."""
        line = [str(self.folder / "venv" / "bin" / "harness"), *words]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "COLUMNS": "200", "LANG": "C.UTF-8"}
        env |= {name: os.environ[name] for name in ("DOCKER_HOST",) if name in os.environ}
        if self.user:
            line = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *line]
        if self.user or read_only:
            env |= {"READ_ONLY": str(read_only or ""), "FOLDER": str(cwd), **self._doors()}
            line = ["unshare", "--mount", "sh", "-e", "-c", ENTER, "sh", *line]
        done = subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, timeout=600, check=False)
        assert check is None or done.returncode == check, (words, done.returncode, done.stdout, done.stderr[-3000:])
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout if done.returncode == 0 else done.stderr

    def _doors(self) -> dict[str, str]:
        """Say which folder above the interpreter lets nobody pass, if any, and where it may lie meanwhile."""
        home = Path(sys.base_prefix)
        shut = [path for path in home.parents if not path.stat().st_mode & 0o001]
        spare = self.folder / "spare"
        spare.mkdir(exist_ok=True)
        return {"SHUT": str(shut[-1]) if shut else "", "INTERPRETER": str(home), "SPARE": str(spare)}


def build(folder: Path) -> Path:
    """Build a wheel from a copy of the files that it is made of, without fetching anything."""
    source = folder / "source"
    source.mkdir()
    for name in BUILT:
        path = REPOSITORY / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(path, source)
    _pip(["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(source)])
    return next(folder.glob("*.whl"))


def install(folder: Path) -> Installed:
    """Install a wheel of this checkout in an environment of its own, whose other packages are links to those here."""
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    made = Installed(folder)
    here = Path(sysconfig.get_path("purelib"))
    shutil.rmtree(made.site)
    shutil.copytree(
        here, made.site, copy_function=_linked, symlinks=True,
        ignore=lambda _, names: [name for name in names if name.startswith(OURS) or name == "__pycache__"],
    )  # fmt: skip
    _pip(["--python", str(venv / "bin" / "python"), "install", "--no-deps", "--no-index", str(build(folder))])
    (folder / "home").mkdir(mode=0o777)
    return made


def _pip(words: Sequence[str]) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    line = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    done = subprocess.run(line, env=env, cwd="/", capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def _linked(source: str, target: str) -> None:
    """Link a file of a package, which nothing writes to; copy it where the two lie on different disks."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
