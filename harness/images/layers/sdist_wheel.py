"""Wheels of source archives, for pure-Python packages that are published only as an sdist; equal bytes everywhere.

`lockfiles/sdists.txt` pins the archive, the other locks pin the wheel that is made here. No code of the archive is
executed. Its packages and its metadata are copied in a sorted list, stored uncompressed, with fixed times and modes.
The module needs nothing but Python and its pip, since `make setup` runs it before anything is installed: `python -m
harness.images.layers.sdist_wheel LOCK FOLDER` makes the wheels that a lock names and `sdists.txt` pins.
"""

from __future__ import annotations

import base64
import csv
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from email.parser import BytesHeaderParser
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from harness.digest import sha256
from harness.errors import HarnessError, InputError, MissingError

SDISTS = "sdists.txt"
TAG = "py3-none-any"
BACKEND = "setuptools.build_meta"
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)\s+--hash=sha256:([0-9a-f]{64})\s*$", re.MULTILINE)
_COMPILED = frozenset([".c", ".cc", ".cpp", ".cxx", ".f", ".f90", ".h", ".hpp", ".pxd", ".pyd", ".pyx", ".rs", ".so"])
_BUILT = re.compile(
    r"\b(scripts|data_files|data-files|cmdclass|package_dir|package-dir|ext_modules|ext-modules)\b\W*[=\]]"
)
# Locks pin the bytes of these wheels, so the generator keeps the name that the harness had.
_WHEEL = f"Wheel-Version: 1.0\nGenerator: llm-harness sdist_wheel\nRoot-Is-Purelib: true\nTag: {TAG}\n"
# pip saves an archive only after it knows the metadata, for which it would run the archive's own setup.py. The text
# below takes the place of setuptools, and reads name and version from the archive.
_STAND_IN = '''"""Stands in for setuptools: copies an archive's own metadata, and runs nothing of it."""
import email, pathlib


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    text = pathlib.Path("PKG-INFO").read_bytes()
    said = email.message_from_bytes(text)
    made = pathlib.Path(folder, said["Name"].replace("-", "_") + "-" + said["Version"] + ".dist-info")
    made.mkdir()
    made.joinpath("METADATA").write_bytes(text)
    return made.name


class __legacy__:
    prepare_metadata_for_build_wheel = staticmethod(prepare_metadata_for_build_wheel)
'''

# Python loads this at its start; it exits if pip would call another builder, such as the archive's own.
_GUARD = f'''"""Lets pip ask no builder but the one that is stood in for."""
import os

asked = [os.environ.get(name + "_BUILD_BACKEND", "") for name in ("_PYPROJECT_HOOKS", "PEP517")]
inside = [os.environ.get(name + "_BACKEND_PATH", "") for name in ("_PYPROJECT_HOOKS", "PEP517")]
if any(inside) or any(one and not one.startswith("{BACKEND}") for one in asked):
    os._exit(1)
'''


class LockLine(NamedTuple):
    """A line of a lock: a package in one version, and the SHA-256 of its file."""

    name: str
    version: str
    sha256: str


def read_pins(path: Path) -> tuple[LockLine, ...]:
    """Return the lines of a lock that pin one file by its SHA-256; empty if there is no such lock."""
    if not path.is_file():
        return ()
    return tuple(LockLine(_normal(name), *rest) for name, *rest in _PIN.findall(path.read_text(encoding="utf-8")))


def fetch_sdist(pin: LockLine, folder: Path, env: Mapping[str, str]) -> bytes:
    """Fetch the source archive of a pin with pip and pip's settings, and check it against the pin."""
    stand_in, wanted, got = folder / "stand-in", folder / "sdist.txt", folder / "sdist"
    (stand_in / "setuptools").mkdir(parents=True, exist_ok=True)
    (stand_in / "setuptools" / "__init__.py").write_text("")
    (stand_in / "setuptools" / "build_meta.py").write_text(_STAND_IN)
    (stand_in / "sitecustomize.py").write_text(_GUARD)
    wanted.write_text(f"{pin.name}=={pin.version} --hash=sha256:{pin.sha256}\n")
    words = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "--require-hashes",
        "--no-binary",
        ":all:",
        "--no-build-isolation",
        "--use-pep517",
        "--dest",
        str(got),
        "--requirement",
        str(wanted),
    ]
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**env, "PYTHONPATH": str(stand_in), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    for path in sorted(got.glob("*.tar.gz")) if got.is_dir() else ():
        if sha256(data := path.read_bytes()) == pin.sha256:
            return data
    if "No module named pip" in done.stderr:
        raise MissingError("pip is missing from this Python", where=sys.executable, next="make setup")
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    said = [line for line in lines if line.startswith("ERROR")] or lines or ["pip is silent"]
    raise MissingError(
        f"the source archive of {pin.name} {pin.version} that is pinned could not be fetched: {said[-1][:240]}",
        where=SDISTS,
        next="check the network, the disk and pip's index (pip config list); an archive that moved, relock.sh pins",
    )


def make_wheel(sdist: bytes, pin: LockLine) -> bytes:
    """Convert a source archive to a wheel; the same archive gives the same bytes with any Python.

    Raises InputError for archives that would not give the wheel that their authors intend: compiled sources, another
    builder than setuptools, packages that are not at the top, conditional requirements that the metadata does not
    state.
    """
    files = _read_archive(sdist, pin)
    headers = BytesHeaderParser().parsebytes(files.get("PKG-INFO", b""))
    name, version = str(headers["Name"]), str(headers["Version"])
    if (_normal(name), version) != (pin.name, pin.version):
        raise _refusal(pin, f"its PKG-INFO is of {name} {version}")
    infos = sorted({path.partition("/")[0] for path in files if re.match(r"[^/]+\.egg-info/", path)})
    if len(infos) != 1:
        raise _refusal(pin, "it has not one .egg-info folder, which would say what its packages are")
    about = {path.partition("/")[2]: data for path, data in files.items() if path.startswith(f"{infos[0]}/")}
    _require_plain(files, pin)
    info = f"{_normal(name).replace('-', '_')}-{version}.dist-info"
    laid = _packages(files, about.get("top_level.txt", b"").decode().split(), pin)
    ends = {f"{info}/METADATA": _metadata(files["PKG-INFO"], about.get("requires.txt", b"").decode(), pin)}
    if "entry_points.txt" in about:
        ends[f"{info}/entry_points.txt"] = about["entry_points.txt"]
    for path, data in files.items():
        if re.match(r"(?i)(licen[cs]e|copying|notice|authors)[^/]*$", path):
            ends[f"{info}/licenses/{path}"] = data
    ends[f"{info}/WHEEL"] = _WHEEL.encode()
    return _zipped({**dict(sorted(laid.items())), **dict(sorted(ends.items()))}, f"{info}/RECORD")


def wheel_name(pin: LockLine) -> str:
    """Return the file name of a wheel that was made here, as pip wants it."""
    return f"{pin.name.replace('-', '_')}-{pin.version}-{TAG}.whl"


def require_pinned_bytes(wheel: bytes, pin: LockLine, where: str) -> None:
    """Raise InputError for a wheel whose bytes are not those that a lock pins."""
    if (found := sha256(wheel)) != pin.sha256:
        raise InputError(
            f"laid out as a wheel, the archive of {pin.name} {pin.version} has SHA-256 {found}, not the pinned one",
            where=where,
            next="`lockfiles/relock.sh` pins both anew; if this code did not change, restore the locks from git",
        )


def _read_archive(sdist: bytes, pin: LockLine) -> dict[str, bytes]:
    """Return the files of an archive by their paths below its single folder."""
    found: dict[str, bytes] = {}
    tops = set()
    try:
        with tarfile.open(fileobj=io.BytesIO(sdist), mode="r:gz") as archive:
            for member in archive:
                parts = PurePosixPath(member.name).parts
                if not parts or parts[0] == "/" or ".." in parts or not (member.isfile() or member.isdir()):
                    raise _refusal(pin, f"it holds {member.name!r}, which is no plain file inside it")
                tops.add(parts[0])
                if (source := archive.extractfile(member)) is not None and len(parts) > 1:
                    found["/".join(parts[1:])] = source.read()
    except (tarfile.TarError, OSError, EOFError) as bad:
        raise _refusal(pin, f"it is no .tar.gz: {bad}") from bad
    if len(tops) != 1:
        raise _refusal(pin, f"it holds {len(tops)} folders instead of one")
    return found


def _require_plain(files: Mapping[str, bytes], pin: LockLine) -> None:
    """Raise InputError for an archive that needs a build: compiled sources, or its own builder."""
    if compiled := next((path for path in sorted(files) if PurePosixPath(path).suffix in _COMPILED), ""):
        raise _refusal(pin, f"it is not pure Python: {compiled}")
    for path in ("setup.py", "setup.cfg", "pyproject.toml"):
        if asked := _BUILT.search(files.get(path, b"").decode(errors="replace")):
            raise _refusal(pin, f"its {path} has {asked[1]}, which only its builder carries out")
    try:
        system = tomllib.loads(files.get("pyproject.toml", b"").decode()).get("build-system", {})
    except ValueError as bad:
        raise _refusal(pin, f"its pyproject.toml cannot be read: {bad}") from bad
    if "backend-path" in system or not str(system.get("build-backend", BACKEND)).startswith(BACKEND):
        raise _refusal(pin, f"it is built by {system.get('build-backend')}, and only {BACKEND} is known here")


def _packages(files: Mapping[str, bytes], tops: Sequence[str], pin: LockLine) -> dict[str, bytes]:
    found = {path: data for path, data in files.items() if path.partition("/")[0] in tops and "/" in path}
    found |= {path: files[path] for path in (f"{top}.py" for top in tops) if path in files}
    found = {path: data for path, data in found.items() if "__pycache__" not in path}
    if lacking := set(tops) - {path.partition("/")[0].removesuffix(".py") for path in found}:
        raise _refusal(pin, f"its package {min(lacking)} is not at the top of the archive")
    if not found:
        raise _refusal(pin, "it names no package in top_level.txt")
    return found


def _metadata(text: bytes, requires: str, pin: LockLine) -> bytes:
    """Return PKG-INFO with the package's requirements added, if the archive states them only in a separate file."""
    if re.search(rb"^Requires-Dist:", text, re.MULTILINE) or not requires.strip():
        return text
    if "[" in requires:
        raise _refusal(pin, "it requires packages under conditions, which only its builder can spell")
    head, gap, body = text.partition(b"\n\n")
    lines = "".join(f"\nRequires-Dist: {line.strip()}" for line in requires.splitlines() if line.strip())
    return head.rstrip(b"\n") + lines.encode() + (gap or b"\n") + body


def _zipped(files: Mapping[str, bytes], record: str) -> bytes:
    """Return a wheel without compression, since compressors differ by version, and without times or machine data."""
    listed = io.StringIO()
    rows = csv.writer(listed, lineterminator="\n")
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(bytes.fromhex(sha256(data))).rstrip(b"=").decode()
        rows.writerow([path, f"sha256={digest}", len(data)])
    rows.writerow([record, "", ""])
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as wheel:
        for path, data in {**files, record: listed.getvalue().encode()}.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # Unix: a regular file that everyone may read
            wheel.writestr(entry, data)
    return made.getvalue()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _refusal(pin: LockLine, why: str) -> InputError:
    return InputError(
        f"the source archive of {pin.name} {pin.version} cannot be laid out as a wheel: {why}",
        where=SDISTS,
        next="choose a version that has a wheel, or another package",
    )


def main(lock: Path, folder: Path) -> None:
    """Make the wheels of a lock that are pinned as source archives, and print the lock's line of each.

    For `sdists.txt` itself, every wheel is made and none is checked; `relock.sh` gets their digests in this way.
    """
    sdists = lock.with_name(SDISTS)
    wanted = {(pin.name, pin.version): pin for pin in read_pins(lock)}
    for pin in read_pins(sdists):
        meant = wanted.get((pin.name, pin.version))
        if meant is None:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            wheel = make_wheel(fetch_sdist(pin, Path(scratch), os.environ), pin)
        if lock != sdists:
            require_pinned_bytes(wheel, meant, str(lock))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / wheel_name(pin)).write_bytes(wheel)
        sys.stdout.write(f"{pin.name}=={pin.version} --hash=sha256:{sha256(wheel)}\n")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    except HarnessError as bad:
        sys.stderr.write(f"error: {bad}\n")
        sys.exit(bad.code)
