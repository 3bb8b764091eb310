"""Wheels in the store: fetched by pip, or laid out of a source archive, where missing; each has its one SHA-256."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.digest import sha256_file
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.files import translating_os_errors
from harness.images.layers.programs import environment, program_error
from harness.images.layers.sdist_wheel import LockLine, fetch_sdist, hold_wheel, make_wheel
from harness.images.locks import PYTHON, Wheel
from harness.store.store import Store

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"  # holds the wheels of versions +cpu; PyPI takes none of them
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)),  # Debian 12 has glibc 2.36
    "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64",
)  # fmt: skip


def ensure_wheels(store: Store, wheels: Sequence[Wheel], tell: Callable[[str], None]) -> None:
    """Fetch the locked wheels that the store lacks with pip, each checked against its locked digest.

    Wheels of versions `+cpu` that pip's own index lacks come from PyTorch's index. An error where one cannot be had,
    or where a stored one was changed.
    """
    states = {wheel: store.blobs.state(wheel.sha256) for wheel in wheels}
    for wheel, state in states.items():
        if state == "changed":
            raise DamageError(
                f"the kept wheel of {wheel.name} {wheel.version} is not what the lock names: its bytes were changed "
                f"({wheel.where})",
                where=str(store.blobs.path(wheel.sha256)),
                next="remove that file and build again: the wheel is fetched anew",
            )
    wanted = [wheel for wheel, state in states.items() if state == "missing"]
    if wanted:
        tell(f"fetching {len(wanted)} wheels")
        with store.folder("wheels") as folder:
            _lay_out(store, [wheel for wheel in wanted if wheel.sdist], folder)
            if published := [wheel for wheel in wanted if not wheel.sdist]:
                _fetch(store, published, folder)


def _lay_out(store: Store, wanted: Sequence[Wheel], folder: Path) -> None:
    """Make the wheels of packages that are published as source archives alone."""
    for wheel in wanted:
        sdist = fetch_sdist(LockLine(wheel.name, wheel.version, wheel.sdist), folder, environment(folder, network=True))
        pin = LockLine(wheel.name, wheel.version, wheel.sha256)
        made = make_wheel(sdist, pin)
        hold_wheel(made, pin, wheel.where)
        store.blobs.put(made)


def _fetch(store: Store, wanted: Sequence[Wheel], folder: Path) -> None:
    extra: Sequence[str] = ()
    while True:
        said = _pip(wanted, folder, extra)
        kept = {store.blobs.adopt(path)[0] for path in _sound(folder, wanted)}
        wanted = [wheel for wheel in wanted if wheel.sha256 not in kept]
        if not wanted:
            return
        if extra or not any("+cpu" in wheel.version for wheel in wanted):
            raise _refused(wanted, said)
        extra = ("--extra-index-url", TORCH_INDEX)


def _sound(folder: Path, wanted: Sequence[Wheel]) -> list[Path]:
    digests = {wheel.sha256 for wheel in wanted}
    with translating_os_errors(folder):
        return [path for path in sorted((folder / "new").glob("*.whl")) if sha256_file(path)[0] in digests]


def _pip(wanted: Sequence[Wheel], folder: Path, extra: Sequence[str]) -> str:
    """Download wheels for the image's Python, whatever Python and system this is; returns pip's output if it failed."""
    with translating_os_errors(folder):
        lines = "".join(f"{one.name}=={one.version} --hash=sha256:{one.sha256}\n" for one in wanted)
        (folder / "wanted.txt").write_text(lines)
    words = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
        "--require-hashes", "--only-binary", ":all:", "--implementation", "cp", "--python-version", PYTHON,
        *(word for platform in _PLATFORMS for word in ("--platform", platform)), *extra,
        "--dest", str(folder / "new"), "--requirement", str(folder / "wanted.txt"),
    ]  # fmt: skip
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
        env=environment(folder, network=True),
    )  # fmt: skip
    return "" if done.returncode == 0 else done.stderr or done.stdout


def _refused(wanted: Sequence[Wheel], said: str) -> HarnessError:
    """Make the error for wheels that could not be had, with the line of the lock where pip names one."""
    failure = program_error(
        "pip download", said, "check the network and pip's index, then build again: what came is kept"
    )
    if failure.what == "the disk is full":
        return failure
    if "No module named pip" in said:
        return MissingError("pip is missing from this Python", where=sys.executable, next="make setup")
    other = next((one for one in wanted if one.sha256 in said and "DO NOT MATCH THE HASHES" in said), None)
    if other:
        return InputError(
            f"the index holds no wheel of {other.name} {other.version} with this hash",
            where=other.where,
            next=f"pin the wheel for CPython {PYTHON} on manylinux x86-64, never an sdist; `lockfiles/relock.sh` does",
        )
    none = next((one for one in wanted if f"{one.name}=={one.version}" in said and "No matching" in said), None)
    if none:
        return InputError(
            f"no wheel of {none.name} {none.version} for CPython {PYTHON} on manylinux x86-64 is to be had",
            where=none.where,
            next="choose a version that has one (an sdist would build differently each time), or check the network",
        )
    return failure
