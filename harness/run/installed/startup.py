"""Files among the packages that Python itself loads at its start, where no package lists them in its RECORD.

Python runs the lines of each `.pth` file that begin with `import`, and imports `sitecustomize` and `usercustomize`.
Steps and verdicts start without any of them; the process that plans a run does not. What a RECORD lists is checked as
every other file is. What none lists is refused, but for two files that makers of environments write: `_virtualenv.pth`,
which is one line, and the module that this line imports, whose known contents stand here by their digests.

The module knows nothing of what the files do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.digest import sha256
from harness.run.installed.packages import brought_files, installed_packages

CUSTOM = ("sitecustomize", "usercustomize")  # modules that Python imports at its start, where there are any
PATCH = "_virtualenv"  # the module with which virtualenv and uv patch installers, in each environment that they make
IMPORTS_PATCH = sha256(b"import _virtualenv")
KNOWN_PATCHES = frozenset({
    "6cf30c56faf2a55228914dbbd17f8088ed371ebb08f5e7fa6fd931f913fcaf1d",  # uv to 0.12; later ones write none
    "ce57d5e0d9b5d7356cb42da7450ba8f9359bdf693e335f4c921626943c77e64d",  # virtualenv 20.13.4
    "c9199315871b11b12df226f890a38e66e63191e1adbfb11a66e6861151b33fca",  # 20.16.3, and so on until the next
    "f4dfaeb9efc1614890cfa94ed15bbe9b2ee15fbe76d569ef5e435e93e4987dc7",  # 20.22.0
    "119e4eb9c1a39e6ffd220840844bd326fa1bd3acf2f1c9fa0612949aedc228a5",  # 20.23.1
    "0aeb86546345c1d0fada097536e35525714d5cdbcc2d8eb3f9912a955044fcff",  # 20.24.0
    "0f20351ea7e90039c46d3fabdef991f28b1e3ff33eb13ee6f0d5cd21ea0e8b14",  # 20.25.1
    "bec6155ff7bfc88f8e79e481f27fd7ee0a3b40eeca9bfeb41f4c4b997b2f8100",  # 20.35.4
    "02943e192823d75212f206e1f2991ac572119882683a95dfbb7a1b913d7b14b5",  # 20.38.0
    "e8c426ce260f866254ff35cefedc8b3efbd6d1446d99d7a4cdeb0095f98a8b8f",  # 21.1.0
    "460589e83387d4dfe5fd84d41c5f6979599f5cd080983d73c832549161c80435",  # 21.4.0
    "0278334cdcfab4c746b4416fbd5c2b6e7da937c81e132397d62c361d404ebe0e",  # 21.7.0
    "cfe56cafbd68fd31a0e87100f111d7d2f6b7157241096500013c07e88d80a22f",  # 21.15.11
})  # fmt: skip
CHANGES_IMPORTS = "not listed, and changes what Python imports"
LOADED = "not listed, and Python loads it at its start"
STRANGE = "not as virtualenv or uv write it, and Python loads it at its start"


def unlisted_path_files(site: Path) -> list[str]:
    """Return the names of `.pth` files that no RECORD lists with a digest, but for the one that environments have."""
    return [path.name for path in sorted(site.glob("*.pth")) if not _is_listed(path)]


def unlisted_modules(site: Path, loose: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the modules that Python loads at its start, of those that belong to no package, and what is wrong."""
    for name in loose:
        stem = name.partition(".")[0]
        if stem in CUSTOM:
            yield name, LOADED
        elif stem == PATCH and not (name == f"{PATCH}.py" and _is_known_patch(site / name)):
            yield name, STRANGE


def _is_listed(path: Path) -> bool:
    """Whether a `.pth` file is in a RECORD with its digest, or imports the known patch of an environment alone."""
    if path.name == f"{PATCH}.pth" and path.is_file() and sha256(path.read_bytes().strip()) == IMPORTS_PATCH:
        return not any(True for _ in unlisted_modules(path.parent, _patches(path.parent)))
    return any(
        path.name in dict(brought_files(one))
        for one in installed_packages(path.parent)
        if os.fsencode(path.name) in one.tops
    )


def _patches(site: Path) -> list[str]:
    return [path.name for path in sorted(site.glob(f"{PATCH}*")) if path.suffix != ".pth"]


def _is_known_patch(path: Path) -> bool:
    return path.is_file() and sha256(path.read_bytes()) in KNOWN_PATCHES
