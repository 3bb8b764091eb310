"""An environment for the GPU check on a machine without network: its own packages, and what it lacks from a folder."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

# What is imported, by the name under which it is installed.
NEEDED = {
    "numpy": "numpy", "torch": "torch", "transformers": "transformers", "safetensors": "safetensors",
    "tokenizers": "tokenizers", "yaml": "pyyaml", "rfc8785": "rfc8785", "threadpoolctl": "threadpoolctl",
}  # fmt: skip


class Lacking(Exception):
    """What this machine lacks, and how to get it."""


def lacking(needed: Mapping[str, str] = NEEDED) -> list[str]:
    """Name the packages that cannot be imported here."""
    return [package for module, package in needed.items() if importlib.util.find_spec(module) is None]


def complete(packages: list[str], wheels: Path, folder: Path) -> Path:
    """Make an environment that sees this one's packages, install others from a folder, and give its interpreter."""
    venv.EnvBuilder(system_site_packages=True, with_pip=False, clear=True, symlinks=True).create(folder)
    python = folder / "bin" / "python"
    home = next((folder / "lib").glob("python*")) / "site-packages"
    seen = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))  # where this one is a venv, too
    (home / "seen.pth").write_text("".join(f"{path}\n" for path in seen), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    done = subprocess.run(
        [*command, "--find-links", str(wheels), *packages], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Lacking(f"{', '.join(packages)}, and {wheels} does not bring it: {done.stderr.strip()[-300:]}")
    return python
