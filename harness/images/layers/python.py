"""Wheel layers: files written directly from wheels, as pip would install them, without scripts and bytecode."""

from __future__ import annotations

import io
import posixpath
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, cast

from harness.digest import sha256_file
from harness.errors import DamageError, HarnessError, InputError, MissingError
from harness.files import translating_os_errors
from harness.images.layers.layer import Layer, build_environment, open_layer, program_error
from harness.images.layers.sdist_wheel import LockLine, fetch_sdist, make_wheel, require_pinned_bytes
from harness.images.recipe import PYTHON, Wheel
from harness.store.blobs import Blobs
from harness.store.store import Store

if TYPE_CHECKING:
    from installer.destinations import WheelDestination
    from installer.records import RecordEntry
    from installer.sources import WheelFile
    from installer.utils import Scheme


SITE = f"usr/local/lib/python{PYTHON}/dist-packages"
_CPYTHON = "cp" + PYTHON.replace(".", "")
_SCHEMES = {"purelib": SITE, "platlib": SITE, "data": "usr/local"}  # no scripts (they name an interpreter), no headers
_FITS = re.compile(
    rf"({_CPYTHON}-{_CPYTHON}|cp3\d*-abi3|(py2\.)?py3\d*-none|{_CPYTHON}-none)-(any|(many)?linux\w*_x86_64.*)"
)


def write_wheel_layer(blobs: Blobs, wheels: Sequence[Wheel], epoch: int, target: Path) -> None:
    """Write the layer of some wheels, without unpacking them to disk."""
    from installer import install  # noqa: PLC0415

    with open_layer(target, epoch) as made:
        for wheel in wheels:
            with _opened(blobs, wheel) as source:
                install(source, cast("WheelDestination", _Into(made, wheel, source)), {})


def check_wheels(blobs: Blobs, wheels: Sequence[Wheel]) -> None:
    """Raise InputError for wheels that do not fit the image's Python, leave their folder, or conflict in a file."""
    owners: dict[str, tuple[Wheel, tuple[int, int]]] = {}
    for wheel in wheels:
        with _opened(blobs, wheel) as source:
            for info in _zip(source).infolist():
                path = _site_path(info.filename, source.data_dir)
                facts = (info.CRC, info.file_size)
                other, known = owners.setdefault(path, (wheel, facts)) if path else (wheel, facts)
                if known != facts:
                    raise InputError(
                        f"{other.name} {other.version} and {wheel.name} {wheel.version} both bring {path}, "
                        "with different contents",
                        where=f"{other.where}, {wheel.where}",
                        next="keep one of the two packages, or versions that agree",
                    )


@contextmanager
def _opened(blobs: Blobs, wheel: Wheel) -> Iterator[WheelFile]:
    """Context manager that opens a stored wheel.

    A blob has no file name, so name and version are read from the wheel's metadata folder.
    """
    try:
        from installer.exceptions import InstallerError  # noqa: PLC0415
        from installer.sources import WheelFile  # noqa: PLC0415
    except ModuleNotFoundError as bad:
        raise MissingError(
            "the package `installer` is missing", next="pip install 'repro-harness[containers]'"
        ) from bad
    try:
        with zipfile.ZipFile(blobs.deliver(wheel.sha256)) as file:
            for name in file.namelist():
                if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts:
                    raise _refusal(wheel, f"it holds a path that leads out of its folder: {name!r}")
            folders = {name.partition("/")[0] for name in file.namelist()}
            info = sorted(name for name in folders if re.fullmatch(r"[^-]+-[^-]+\.dist-info", name))
            if len(info) != 1:
                raise _refusal(wheel, "it is no wheel: it holds no folder NAME-VERSION.dist-info; an sdist is refused")
            file.filename = f"{info[0].removesuffix('.dist-info')}-py3-none-any.whl"
            source = WheelFile(file)
            _hold(wheel, source)
            yield source
    except (zipfile.BadZipFile, InstallerError, KeyError, ValueError, EOFError, zlib.error) as bad:
        raise _refusal(wheel, f"it is no wheel: {bad}") from bad


def _hold(wheel: Wheel, source: WheelFile) -> None:
    """Raise InputError for a wheel of another package, or for another Python or machine."""
    found = re.sub(r"[-_.]+", "-", source.distribution).lower()
    if found != wheel.name or _version(source.version) != _version(wheel.version):
        raise _refusal(wheel, f"it is {found} {source.version}")
    tags = re.findall(r"^Tag: (\S+)", source.read_dist_info("WHEEL"), re.MULTILINE)
    if not any(_FITS.fullmatch(tag) for tag in tags):
        raise _refusal(wheel, f"it is for {', '.join(tags[:3])}, not for CPython {PYTHON} on Linux x86-64")


def _version(text: str) -> str:
    return text.replace("_", "+").lower()


def _refusal(wheel: Wheel, why: str) -> InputError:
    return InputError(
        f"the file that is pinned for {wheel.name} {wheel.version} cannot be laid out: {why}",
        where=wheel.where,
        next=f"pin the wheel for CPython {PYTHON} on manylinux x86-64; `lockfiles/relock.sh` does",
    )


def _zip(source: WheelFile) -> zipfile.ZipFile:
    return source._zipfile  # the only way to get a member's size before it is read


def _site_path(name: str, data: str) -> str:
    """Return the path of a member among the installed packages; empty if it is not installed."""
    if name.endswith("/"):
        return ""
    if not name.startswith(f"{data}/"):
        return name
    scheme, _, path = name.removeprefix(f"{data}/").partition("/")
    return path if _SCHEMES.get(scheme) == SITE else ""


class _Into:
    """Destination for `installer` that writes into a layer instead of folders."""

    def __init__(self, made: Layer, wheel: Wheel, source: WheelFile) -> None:
        from installer.records import RecordEntry, parse_record_file  # noqa: PLC0415

        self._made, self._wheel, self._zip = made, wheel, _zip(source)
        rows = parse_record_file(source.read_dist_info("RECORD").splitlines())
        self._rows: Mapping[str, RecordEntry] = {row[0]: RecordEntry.from_elements(*row) for row in rows}

    def write_script(self, name: str, module: str, attr: str, section: str) -> RecordEntry:
        """Skip a console script, which would contain the path of an interpreter; `python3 -m NAME` works without it."""
        from installer.records import RecordEntry  # noqa: PLC0415

        return RecordEntry(name, None, None)

    def write_file(self, scheme: Scheme, path: str, stream: IO[bytes], is_executable: bool) -> RecordEntry:
        """Write one file, with the hash in the wheel's own RECORD, as pip does."""
        from installer.records import RecordEntry  # noqa: PLC0415

        if scheme in _SCHEMES:
            size = self._zip.getinfo(stream.name).file_size
            self._made.file(f"{_SCHEMES[scheme]}/{path}", size, stream, 0o755 if is_executable else 0o644)
        known = self._rows.get(stream.name)
        return RecordEntry(path, known.hash_ if known else None, known.size if known else None)

    def finalize_installation(
        self, scheme: Scheme, record_file_path: str, records: Iterable[tuple[Scheme, RecordEntry]]
    ) -> None:
        """Write the RECORD of the files."""
        from installer.utils import construct_record_file  # noqa: PLC0415

        def prefix(of: Any) -> str | None:
            folder = _SCHEMES[of]
            return None if folder == SITE else posixpath.relpath(folder, SITE) + "/"

        kept = [(one, record) for one, record in records if one in _SCHEMES]
        with construct_record_file(kept, prefix) as stream:
            data = stream.read()
        self._made.file(f"{SITE}/{record_file_path}", len(data), io.BytesIO(data))


TORCH_INDEX = "https://download.pytorch.org/whl/cpu"  # has the wheels of versions +cpu, which PyPI does not accept
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)),  # Debian 12 has glibc 2.36
    "manylinux2014_x86_64",
    "manylinux2010_x86_64",
    "manylinux1_x86_64",
)


def ensure_wheels(store: Store, wheels: Sequence[Wheel], tell: Callable[[str], None]) -> None:
    """Fetch the locked wheels that the store lacks with pip, each checked against its locked digest.

    Wheels of versions `+cpu` that pip's own index lacks come from PyTorch's index. Raises an error if a wheel is not
    available, or if a stored one was changed.
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
    """Make the wheels of packages that are published only as source archives."""
    for wheel in wanted:
        sdist = fetch_sdist(
            LockLine(wheel.name, wheel.version, wheel.sdist), folder, build_environment(folder, network=True)
        )
        pin = LockLine(wheel.name, wheel.version, wheel.sha256)
        made = make_wheel(sdist, pin)
        require_pinned_bytes(made, pin, wheel.where)
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
    """Download wheels for the image's Python on any Python and system, and return pip's output if it failed."""
    with translating_os_errors(folder):
        lines = "".join(f"{one.name}=={one.version} --hash=sha256:{one.sha256}\n" for one in wanted)
        (folder / "wanted.txt").write_text(lines)
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
        "--only-binary",
        ":all:",
        "--implementation",
        "cp",
        "--python-version",
        PYTHON,
        *(word for platform in _PLATFORMS for word in ("--platform", platform)),
        *extra,
        "--dest",
        str(folder / "new"),
        "--requirement",
        str(folder / "wanted.txt"),
    ]
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=build_environment(folder, network=True),
    )
    return "" if done.returncode == 0 else done.stderr or done.stdout


def _refused(wanted: Sequence[Wheel], said: str) -> HarnessError:
    """Return the error for wheels that could not be downloaded, with the line of the lock if pip names a wheel."""
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
