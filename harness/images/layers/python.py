"""Wheel layers: files written straight from wheels, as pip would install them, without scripts and bytecode."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, cast

from harness.errors import InputError, MissingError
from harness.images.layers.layer import Layer, layer
from harness.images.locks import PYTHON, Wheel
from harness.store.blobs import Blobs

if TYPE_CHECKING:
    from installer.destinations import WheelDestination
    from installer.records import RecordEntry
    from installer.sources import WheelFile
    from installer.utils import Scheme

SITE = f"usr/local/lib/python{PYTHON}/dist-packages"
_CPYTHON = "cp" + PYTHON.replace(".", "")
_SCHEMES = {"purelib": SITE, "platlib": SITE, "data": "usr/local"}  # scripts would name an interpreter; no headers
_FITS = re.compile(
    rf"({_CPYTHON}-{_CPYTHON}|cp3\d*-abi3|(py2\.)?py3\d*-none|{_CPYTHON}-none)-(any|(many)?linux\w*_x86_64.*)"
)


def write(blobs: Blobs, wheels: Sequence[Wheel], epoch: int, target: Path) -> None:
    """Write the layer of some wheels; nothing is unpacked to disk on the way."""
    from installer import install  # noqa: PLC0415

    with layer(target, epoch) as made:
        for wheel in wheels:
            with _opened(blobs, wheel) as source:
                install(source, cast("WheelDestination", _Into(made, wheel, source)), {})


def check(blobs: Blobs, wheels: Sequence[Wheel]) -> None:
    """Refuse wheels that do not fit the image's Python, leave their folder, or give one path two contents."""
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
    """Open a stored wheel; a blob has no file name, so name and version are read from its metadata folder."""
    try:
        from installer.exceptions import InstallerError  # noqa: PLC0415
        from installer.sources import WheelFile  # noqa: PLC0415
    except ModuleNotFoundError as bad:
        raise MissingError("the package `installer` is missing", next="pip install 'llm-harness[containers]'") from bad
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
    """Refuse a wheel of another package, or for another Python or machine."""
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
    return source._zipfile  # the only way to a member's size before it is read


def _site_path(name: str, data: str) -> str:
    """Path of a member among the installed packages; empty where it is not installed."""
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
        """Skip a console script: it would hold the path of an interpreter; `python3 -m NAME` does without."""
        from installer.records import RecordEntry  # noqa: PLC0415

        return RecordEntry(name, None, None)

    def write_file(self, scheme: Scheme, path: str, stream: IO[bytes], is_executable: bool) -> RecordEntry:
        """Write one file, with the hash that the wheel's own RECORD gives it, as pip does."""
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
