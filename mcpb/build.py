"""Packs a wheel of the harness into a bundle that desktop clients install as one file.

    python mcpb/build.py WHEEL BUNDLE.mcpb

The bundle holds manifest.json (manifest 0.4), main.py, the wheel, and a pyproject.toml that asks for this wheel, from
which the client's uv makes the environment. The same wheel gives the same bytes.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIKE = (1980, 1, 1, 0, 0, 0)  # the time of every file in it
PROJECT = """\
[project]
name = "repro-harness-bundle"
version = "{version}"
requires-python = ">=3.11"
dependencies = ["repro-harness[tools]"]

[tool.uv]
package = false

[tool.uv.sources]
repro-harness = {{path = "{wheel}"}}
"""


def bundle_files(wheel: Path) -> dict[str, bytes]:
    """Return the files of the bundle of a wheel; raises ValueError if the wheel is not of the manifest's version."""
    manifest = (HERE / "manifest.json").read_bytes()
    version = str(json.loads(manifest)["version"])
    if not wheel.name.startswith(f"repro_harness-{version}-") or wheel.suffix != ".whl":
        raise ValueError(f"{wheel.name} is no wheel of repro-harness {version}, which mcpb/manifest.json names")
    return {
        "manifest.json": manifest,
        "main.py": (HERE / "main.py").read_bytes(),
        "pyproject.toml": PROJECT.format(version=version, wheel=wheel.name).encode(),
        wheel.name: wheel.read_bytes(),
    }


def build(wheel: Path, target: Path) -> None:
    """Write the bundle of a wheel."""
    files = bundle_files(wheel)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, LIKE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            bundle.writestr(entry, data)


def main(argv: Sequence[str]) -> int:
    """Pack a bundle, or say what is wrong."""
    if len(argv) != 2:
        print("usage: python mcpb/build.py WHEEL BUNDLE.mcpb", file=sys.stderr)
        return 2
    try:
        build(Path(argv[0]), Path(argv[1]))
    except (OSError, ValueError) as bad:
        print(f"error: {bad}\n  next:  build one with `python -m pip wheel --no-deps .`", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
