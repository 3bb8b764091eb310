"""Debian layer: made by mmdebstrap from .debs of the store alone, without a mirror, then stripped of what varies."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from harness.digest import sha256
from harness.files import translating_os_errors
from harness.images.layers.layer import environment, layer, program_error, require_program
from harness.images.locks import Deb
from harness.store.blobs import Blobs

_EMPTIED = (  # folders that stay, without what they hold: the engine's own places, caches, logs, documentation
    "dev", "proc", "sys", "run", "tmp", "var/tmp", "var/log", "var/cache", "var/backups", "var/lib/apt",
    "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/doc-base",
)  # fmt: skip
_GONE = re.compile(
    r"etc/(resolv\.conf|hostname|machine-id|\.pwd\.lock|(passwd|shadow|group|gshadow|subuid|subgid)-"
    r"|apt/(sources\.list|apt\.conf\.d/99mmdebstrap))"
    r"|var/lib/dbus/machine-id|var/lib/dpkg/(lock.*|.*-old)"
    r"|usr/share/doc/(?!([^/]+|[^/]+/copyright)$).*"  # licences stay with what they license
    r"|(.*/)?__pycache__(/.*)?"
)
_MERGED = 'cd "$1" && for d in bin sbin lib lib64; do mkdir -p usr/$d && ln -s usr/$d $d; done'  # as Debian 12 is


def write(blobs: Blobs, folder: Path, debs: Sequence[Deb], suite: str, epoch: int, target: Path) -> None:
    """Write the tar of the Debian layer to `target`; `folder` is scratch space on the disk of the store."""
    require_program("mmdebstrap", "mmdebstrap")
    require_program("dpkg-deb", "dpkg")
    with translating_os_errors(folder):
        repository = folder / "debs"
        repository.mkdir(parents=True)
        for place in (folder, repository):
            place.chmod(0o755)  # where no root is at hand, mmdebstrap reads as another user
        stanzas = []
        for deb in sorted(debs, key=lambda deb: deb.file):
            if not blobs.link_to(deb.sha256, repository / deb.file):
                blobs.copy_to(deb.sha256, repository / deb.file)
            stanzas.append(_stanza(repository / deb.file, deb))
        index = b"\n".join(stanzas)
        (repository / "Packages").write_bytes(index)
        listed = f"SHA256:\n {sha256(index)} {len(index)} Packages\n"
        (repository / "Release").write_text(f"Suite: {suite}\nCodename: {suite}\n{listed}")
    _bootstrap(repository, debs, suite, epoch, target)


def _stanza(path: Path, deb: Deb) -> bytes:
    """Write a package's entry of the apt index."""
    done = subprocess.run(["dpkg-deb", "--field", str(path)], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        raise program_error(f"dpkg-deb --field {path.name}", said, "remove that blob and build again")
    more = f"\nFilename: ./{deb.file}\nSize: {deb.size}\nSHA256: {deb.sha256}\n"
    return done.stdout.rstrip() + more.encode()


def _bootstrap(repository: Path, debs: Sequence[Deb], suite: str, epoch: int, target: Path) -> None:
    folder = repository.parent
    words = [
        *_private(), "mmdebstrap", "--quiet", "--mode=root" if os.geteuid() == 0 else "--mode=unshare",
        "--variant=minbase",
        "--format=tar", "--architectures=amd64", f"--include={','.join(sorted({deb.name for deb in debs}))}",
        "--aptopt=APT::Install-Recommends \"false\"", "--aptopt=Acquire::Languages \"none\"",
        f"--setup-hook={_MERGED}", suite, "-", f"deb [trusted=yes] copy:{repository} ./",
    ]  # fmt: skip
    env = {**environment(folder), "SOURCE_DATE_EPOCH": str(epoch)}
    log = folder / "log"
    with translating_os_errors(folder), open(log, "wb") as errors:
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=env, cwd=folder, umask=0o022,
            start_new_session=True,
        )  # fmt: skip
        try:
            assert child.stdout
            whole = _strip(child.stdout, epoch, target)
            code = child.wait()
        except BaseException:
            _stop(child)
            raise
    if code or not whole:
        raise program_error(
            "mmdebstrap", log.read_text(errors="replace"), "see what it says; `harness doctor` may help"
        )


def _private() -> list[str]:
    """Command prefix that gives mmdebstrap mounts of its own where allowed, so that none outlives it."""
    words = ["unshare", "--mount", "--"]
    if os.geteuid() == 0 and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
        return words
    return []


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Kill mmdebstrap with everything it started, and its mounts."""
    assert child.stdout
    child.stdout.close()  # or what writes the tar would wait for a reader for ever
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _strip(stream: IO[bytes], epoch: int, target: Path) -> bool:
    """Copy the members that belong into an image, sorted by name; returns whether the tar was whole."""
    try:
        with tarfile.open(fileobj=stream, mode="r|") as source, layer(target, epoch) as made:
            for member in source:
                member.name = member.name.removeprefix("./")
                if member.islnk():
                    member.linkname = member.linkname.removeprefix("./")
                inner = any(member.name.startswith(f"{folder}/") for folder in _EMPTIED)
                if member.name not in ("", ".") and not inner and not _GONE.fullmatch(member.name):
                    made.add(member, source.extractfile(member) if member.isreg() else None)
    except tarfile.ReadError:  # mmdebstrap itself says why
        return False
    stream.read()  # what pads the tar, or its writer could not end
    return True
