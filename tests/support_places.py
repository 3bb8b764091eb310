"""Places where somebody else would try the two commands: bare Debians, and other Pythons, each as an ordinary user.

A Debian's root is made of its own packages, of what the README names and nothing else, and is entered by `pivot_root`:
in a plain chroot no user namespace can be had, and bubblewrap is what isolates the steps. Another Python is shown at
its own place, if need be, where that user may not look. Packages come from where this machine's pip looks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from support import REPOSITORY

DEBIANS = {"Debian 12": "bookworm", "Debian 13": "trixie"}
PYTHONS = ("3.11.7", "3.12", "3.13")  # of those that `find_python` finds
EVERY = (*DEBIANS, *(f"Python {version}" for version in PYTHONS))
PACKAGES = (
    "make",
    "git",
    "python3",
    "python3-venv",
    "bubblewrap",
    "mount",
)  # Debian's `mount` is not in its least form
USER = 12345
LIMIT = 3600  # seconds of one command
LEFT_OUT = (".harness", ".reproduce", ".venv", ".bench", ".hypothesis", ".mypy_cache", ".ruff_cache", "__pycache__")
_ENTER = """
set -e
root=$1 seen=$2; shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for place in $seen; do mount --bind -o ro "$place" "$root$place"; done
cd "$root"
pivot_root . mnt
umount -l /mnt
cd /home/user/harness
exec "$@"
"""
# A Python in a folder that no other user may enter is shown at its own place, which it names, and nothing else there.
_SHOW = """
set -e
python=$1 closed=$2 held=$3; shift 3
mount --make-rprivate /
mount --bind "$python" "$held"
mount -t tmpfs -o mode=755 tmpfs "$closed"
mkdir -p "$python"
mount --bind -o ro "$held" "$python"
exec "$@"
"""
_DROP = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
         "--no-new-privs", "env", "-i")  # fmt: skip


class MissingPlaceError(Exception):
    """This machine cannot make that place."""


class Place(NamedTuple):
    """A copy of the checkout where an ordinary user works, and what goes before each of his commands."""

    home: Path  # as this machine sees it
    before: tuple[str, ...]
    env: Mapping[str, str]

    def run(self, *command: str, timeout: float = LIMIT) -> subprocess.CompletedProcess[str]:
        """Run a command of his in the checkout."""
        words = [*self.before, *(f"{name}={value}" for name, value in self.env.items()), *command]
        return subprocess.run(
            words, cwd=self.home / "harness", capture_output=True, text=True, timeout=timeout, check=False
        )


@contextmanager
def open_place(name: str, folder: Path) -> Iterator[Place]:
    """Make a place in a folder, which is left with what came about there; MissingPlaceError where it cannot be had."""
    if os.geteuid() != 0:
        raise MissingPlaceError("only root can become another user")
    yield _open_debian(DEBIANS[name], folder) if name in DEBIANS else _open_python(name.split()[1], folder)


def _open_debian(suite: str, folder: Path) -> Place:
    if not shutil.which("mmdebstrap"):
        raise MissingPlaceError("mmdebstrap is not installed")
    root = folder / "root"
    words = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", suite, str(root)]
    made = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    if made.returncode:
        raise MissingPlaceError(f"no Debian can be made: {made.stderr.strip()[-400:]}")
    home = root / "home" / "user"
    _lay_checkout(home)
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")  # as an installed system has it
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    env, seen = _pip_looks()
    for place in seen:
        at = root / place.relative_to("/")
        at.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            at.mkdir(exist_ok=True)
        else:
            at.touch()
    line = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", _ENTER, "enter", str(root))
    before = (*line, " ".join(map(str, seen)), *_DROP, "HOME=/home/user", "PATH=/usr/bin:/bin:/sbin")
    return Place(home, before, env)


def _open_python(version: str, folder: Path) -> Place:
    python = find_python(version)
    if python is None:
        raise MissingPlaceError(f"no Python {version} is here")
    prefix = subprocess.run(
        [python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True
    )
    home, where = folder / "user", prefix.stdout.strip()
    _lay_checkout(home)
    for above in (folder, *folder.parents[:-1]):
        above.chmod(above.stat().st_mode | 0o011)
    closed = [one for one in reversed(Path(where).parents) if not one.stat().st_mode & 0o001]
    (folder / "python").mkdir()
    shown = ("unshare", "--mount", "sh", "-c", _SHOW, "show", where, str(closed[0]), str(folder / "python"))
    line = (*(shown if closed else ()), *_DROP)
    found = f"{where}/bin/python{'.'.join(version.split('.')[:2])}"
    return Place(
        home, (*line, f"HOME={home}", f"PATH={where}/bin:/usr/bin:/bin:/sbin", f"PYTHON={found}"), _pip_looks()[0]
    )


def find_python(version: str) -> str | None:
    """Find a Python of a version, by its name or among those that pyenv keeps."""
    minor = ".".join(version.split(".")[:2])
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}*/bin/python{minor}"))
    for one in [*map(str, kept), shutil.which(f"python{minor}")]:
        asked = subprocess.run([one, "-V"], capture_output=True, text=True, check=False) if one else None
        if one and asked and (asked.stdout.split()[1:] or [""])[0].startswith(version):
            return one
    return None


def _lay_checkout(home: Path) -> None:
    shutil.copytree(REPOSITORY, home / "harness", symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for path in (home, *home.rglob("*")):
        os.chown(path, USER, USER, follow_symlinks=False)


def _pip_looks() -> tuple[dict[str, str], list[Path]]:
    """Find where this machine's pip looks: variables, and the files and folders that they and its settings name."""
    named = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
    env = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in named}
    words = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    values = [word for line in told.splitlines() for word in line.partition("=")[2].strip("'\"").split()]
    files = ["/etc/pip.conf", "/etc/xdg/pip", "/etc/ssl/certs", *values, *env.values()]
    paths = {Path(one.removeprefix("file://")) for one in files if one.removeprefix("file://").startswith("/")}
    found = sorted(path for path in paths if path.exists())
    return env, [path for path in found if not any(other in path.parents for other in found)]
