"""An environment for the GPU check on a machine without network: its own packages, and what it lacks from a folder."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

# What is imported, by the name under which it is installed.
NEEDED = {
    "numpy": "numpy", "torch": "torch", "transformers": "transformers", "safetensors": "safetensors",
    "tokenizers": "tokenizers", "yaml": "pyyaml", "rfc8785": "rfc8785", "threadpoolctl": "threadpoolctl",
}  # fmt: skip


OPTIONAL = {"himalaya": "himalaya"}  # what is left out where it is not


class Lacking(Exception):
    """What this machine lacks, and how to get it."""


def lacking(needed: Mapping[str, str] = NEEDED) -> list[str]:
    """Name the packages that cannot be imported here."""
    return [package for module, package in needed.items() if importlib.util.find_spec(module) is None]


def complete(packages: Sequence[str], wheels: Path, folder: Path, optional: Sequence[str] = ()) -> Path:
    """Make an environment that sees this one's packages, install others from a folder, and give its interpreter.

    `Lacking` where the folder does not bring them; of optional ones those are installed that it brings.
    """
    venv.EnvBuilder(system_site_packages=False, with_pip=False, clear=True, symlinks=True).create(folder)
    python = folder / "bin" / "python"
    home = next((folder / "lib").glob("python*")) / "site-packages"
    seen = [path for path in sys.path if path.endswith("-packages")]  # no `.pth` that lies there runs
    (home / "seen.pth").write_text("".join(f"{path}\n" for path in seen), encoding="utf-8")
    if packages and (why := _install(python, packages, wheels)):
        raise Lacking(f"{', '.join(packages)}, and {wheels.name} does not bring it: {why}")
    for package in optional:
        if why := _install(python, [package], wheels):
            print(f"{package} is left out: {why}", file=sys.stderr)
    return python


def _install(python: Path, packages: Sequence[str], wheels: Path) -> str:
    """Install packages from a folder; gives what pip said where it could not."""
    if importlib.util.find_spec("pip") is None:
        return "pip is not here"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    command += ["--disable-pip-version-check", "--find-links", str(wheels), *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.strip()[-300:] or "pip failed" if done.returncode else ""
