"""Debian layer: made by mmdebstrap from .debs of the store alone, without a mirror, without the parts that vary."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO

from harness.digest import sha256, sha256_file
from harness.errors import DamageError, HarnessError, MissingError
from harness.files import translating_os_errors
from harness.images.layers.layer import (
    Archive,
    build_environment,
    current_sources,
    format_sources,
    open_layer,
    program_error,
    public_url,
    require_program,
    snapshot_sources,
)
from harness.images.recipe import Deb, Debs
from harness.store.blobs import Blobs
from harness.store.store import Store

_EMPTIED = (  # folders that are kept empty: mount points of the engine, caches, logs, documentation
    "dev",
    "proc",
    "sys",
    "run",
    "tmp",
    "var/tmp",
    "var/log",
    "var/cache",
    "var/backups",
    "var/lib/apt",
    "usr/share/man",
    "usr/share/info",
    "usr/share/locale",
    "usr/share/lintian",
    "usr/share/doc-base",
)
_GONE = re.compile(
    r"etc/(resolv\.conf|hostname|machine-id|\.pwd\.lock|(passwd|shadow|group|gshadow|subuid|subgid)-"
    r"|apt/(sources\.list|apt\.conf\.d/99mmdebstrap))"
    r"|var/lib/dbus/machine-id|var/lib/dpkg/(lock.*|.*-old)"
    r"|usr/share/doc/(?!([^/]+|[^/]+/copyright)$).*"  # licences stay with their packages
    r"|(.*/)?__pycache__(/.*)?"
)
_MERGED = 'cd "$1" && for d in bin sbin lib lib64; do mkdir -p usr/$d && ln -s usr/$d $d; done'  # as Debian 12 is


def write_debian_layer(blobs: Blobs, folder: Path, debs: Sequence[Deb], suite: str, epoch: int, target: Path) -> None:
    """Write the tar of the Debian layer to `target`; `folder` is scratch space on the disk of the store."""
    require_program("mmdebstrap", "mmdebstrap")
    require_program("dpkg-deb", "dpkg")
    with translating_os_errors(folder):
        repository = folder / "debs"
        repository.mkdir(parents=True)
        for place in (folder, repository):
            place.chmod(0o755)  # without root, mmdebstrap reads as another user
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
    """Return a package's entry of the apt index."""
    done = subprocess.run(["dpkg-deb", "--field", str(path)], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        raise program_error(f"dpkg-deb --field {path.name}", said, "remove that blob and build again")
    more = f"\nFilename: ./{deb.file}\nSize: {deb.size}\nSHA256: {deb.sha256}\n"
    return done.stdout.rstrip() + more.encode()


def _bootstrap(repository: Path, debs: Sequence[Deb], suite: str, epoch: int, target: Path) -> None:
    folder = repository.parent
    words = [
        *_private(),
        "mmdebstrap",
        "--quiet",
        "--mode=root" if os.geteuid() == 0 else "--mode=unshare",
        "--variant=minbase",
        "--format=tar",
        "--architectures=amd64",
        f"--include={','.join(sorted({deb.name for deb in debs}))}",
        '--aptopt=APT::Install-Recommends "false"',
        '--aptopt=Acquire::Languages "none"',
        f"--setup-hook={_MERGED}",
        suite,
        "-",
        f"deb [trusted=yes] copy:{repository} ./",
    ]
    env = {**build_environment(folder), "SOURCE_DATE_EPOCH": str(epoch)}
    log = folder / "log"
    with translating_os_errors(folder), open(log, "wb") as errors:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=env,
            cwd=folder,
            umask=0o022,
            start_new_session=True,
        )
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
    """Return a command prefix that gives mmdebstrap its own mounts if allowed, so that no mount outlives it."""
    words = ["unshare", "--mount", "--"]
    if os.geteuid() == 0 and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
        return words
    return []


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Kill mmdebstrap with all its child processes, and its mounts."""
    assert child.stdout
    child.stdout.close()  # otherwise the writer of the tar would wait for a reader for ever
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _strip(stream: IO[bytes], epoch: int, target: Path) -> bool:
    """Copy the members that belong in an image, sorted by name, and return whether the tar was complete."""
    try:
        with tarfile.open(fileobj=stream, mode="r|") as source, open_layer(target, epoch) as made:
            for member in source:
                member.name = member.name.removeprefix("./")
                if member.islnk():
                    member.linkname = member.linkname.removeprefix("./")
                inner = any(member.name.startswith(f"{folder}/") for folder in _EMPTIED)
                if member.name not in ("", ".") and not inner and not _GONE.fullmatch(member.name):
                    made.add(member, source.extractfile(member) if member.isreg() else None)
    except tarfile.ReadError:  # mmdebstrap itself reports the reason
        return False
    stream.read()  # the padding of the tar, without which its writer could not end
    return True


ARCH = "amd64"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SIGNED = f"signed-by={KEYRING}"  # apt checks the archive's signature on any connection
_ALWAYS = ("?essential", "apt", "usr-is-merged")  # the contents of mmdebstrap's `minbase`


class Mirror:
    """The Debian archive of today, or of the time `then` on a snapshot server; opening it fetches its index."""

    def __init__(self, folder: Path, suite: str, archive: Archive, then: str = "") -> None:
        require_program("apt-get", "apt")
        require_program("apt-cache", "apt")
        self._folder = folder
        with translating_os_errors(folder):
            for part in ("state/lists/partial", "cache/archives/partial"):
                (folder / part).mkdir(parents=True)
            (folder / "status").touch()
            pockets = (
                snapshot_sources(archive, suite, then, folder) if then else current_sources(archive, suite, folder)
            )
            options = f"{SIGNED} check-valid-until=no" if then else SIGNED
            (folder / "sources.list").write_text(format_sources(pockets, options))
        self.url = public_url(pockets[0][0])
        self._apt("apt-get", "update", "-o", "APT::Update::Error-Mode=any")

    def closure(self, packages: Sequence[str]) -> list[Deb]:
        """Return the newest versions of packages and of the base system, with all their dependencies."""
        said = self._apt("apt-get", "--simulate", "install", *_ALWAYS, *packages)
        chosen = re.findall(r"^Inst (\S+) .*?\((\S+) [^\[]*\[(\w+)\]\)", said, re.MULTILINE)
        offered = {(deb.name, deb.version, deb.arch): deb for deb in self.offered(name for name, _, _ in chosen)}
        return [offered[one] for one in chosen]

    def offered(self, names: Iterable[str]) -> list[Deb]:
        """Return every version of the named packages in this archive; an unknown name has none."""
        said = self._apt("apt-cache", "show", *sorted(set(names)), codes=(0, 100))
        return [_deb(stanza) for stanza in said.split("\n\n") if stanza.startswith("Package:")]

    def download(self, debs: Sequence[Deb], folder: Path) -> None:
        """Download exactly these versions of packages from the archive into a folder."""
        words = [f"{deb.name}:{ARCH if deb.arch == 'all' else deb.arch}={deb.version}" for deb in debs]
        self._apt("apt-get", "download", *words, cwd=folder)

    def _apt(self, program: str, *words: str, codes: Sequence[int] = (0,), cwd: Path | None = None) -> str:
        settings = {
            "Dir::State": self._folder / "state",
            "Dir::State::status": self._folder / "status",
            "Dir::Cache": self._folder / "cache",
            "Dir::Etc::sourcelist": self._folder / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
            "APT::Install-Recommends": "false",
            "APT::Architecture": ARCH,
            "APT::Architectures": ARCH,
        }
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        done = subprocess.run(
            [program, "-q", *options, *words],
            cwd=cwd or self._folder,
            env=build_environment(self._folder, network=True),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            umask=0o022,
        )
        if done.returncode not in codes:
            raise program_error(
                f"{program} {words[0]}", done.stderr or done.stdout, "check the network, then build again"
            )
        return done.stdout


def _deb(stanza: str) -> Deb:
    fields = dict(re.findall(r"^(Package|Version|Architecture|SHA256|Size): (\S+)$", stanza, re.MULTILINE))
    return Deb(fields["Package"], fields["Version"], fields["Architecture"], fields["SHA256"], int(fields["Size"]))


Tell = Callable[[str], None]
OWN = Archive()


def ensure_debs(store: Store, name: str, locked: Debs, tell: Tell, archive: Archive = OWN) -> None:
    """Fetch the locked .debs that the store lacks, each checked against its locked digest.

    A package that the archive no longer has comes from a snapshot server, as of the lock's time stamp; raises
    MissingError if it is not there either. Raises DamageError if a package, stored or fetched, has other bytes than the
    lock names.
    """
    states = {deb: store.blobs.state(deb.sha256) for deb in locked.packages}
    for deb, state in states.items():
        if state == "changed":
            raise DamageError(
                f"{deb.name} {deb.version} is not the package that the lock names: its bytes have another SHA-256",
                where=str(store.blobs.path(deb.sha256)),
                next=f"remove that file and `harness images build {name}` again: the package is fetched anew",
            )
    wanted = [deb for deb, state in states.items() if state == "missing"]
    if not wanted:
        return
    with store.folder("debs") as folder:
        tell(f"asking the Debian archive for {len(wanted)} packages")
        mirror = Mirror(folder / "now", locked.suite, archive)
        offered = mirror.offered(deb.name for deb in wanted)
        gone = [deb for deb in wanted if not any(_same(deb, one) for one in offered)]
        _fetch(store, mirror, [deb for deb in wanted if deb not in gone], folder / "new")
        if gone:
            tell(f"asking the kept archive for {len(gone)} packages as of {locked.taken}")
            try:
                older = Mirror(folder / "then", locked.suite, archive, locked.taken)
                kept = older.offered(deb.name for deb in gone)
            except HarnessError as bad:
                raise _gone(gone, offered, name, store.blobs.path(gone[0].sha256), bad.what) from bad
            lost = [deb for deb in gone if not any(_same(deb, one) for one in kept)]
            if lost:
                path = store.blobs.path(lost[0].sha256)
                raise _gone(lost, offered, name, path, f"{older.url} does not carry it either")
            _fetch(store, older, gone, folder / "old")


def _fetch(store: Store, mirror: Mirror, wanted: Sequence[Deb], folder: Path) -> None:
    """Download packages that the archive offers, each checked against its digest."""
    if not wanted:
        return
    with translating_os_errors(folder):
        folder.mkdir()
    mirror.download(wanted, folder)
    known = {deb.sha256 for deb in wanted}
    for path in sorted(folder.glob("*.deb")):
        if sha256_file(path)[0] not in known:
            raise DamageError(
                f"{path.name} is not the package that was asked for: its bytes have another SHA-256",
                where=mirror.url,
                next="check proxies and mirrors on the way to the archive, then build again; nothing of it was kept",
            )
        store.blobs.adopt(path)


def _same(locked: Deb, offered: Deb) -> bool:
    return (locked.name, locked.version, locked.arch) == (offered.name, offered.version, offered.arch)


def _gone(gone: Sequence[Deb], offered: Sequence[Deb], name: str, path: Path, why: str) -> MissingError:
    def now(deb: Deb) -> str:
        versions = [one.version for one in offered if one.name == deb.name]
        return f"it offers {' and '.join(versions)} now" if versions else "it offers none of that name now"

    listed = [f"{deb.name} {deb.version} ({now(deb)})" for deb in gone]
    more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
    return MissingError(
        f"the Debian archive no longer carries what the lock names: {'; '.join(listed[:5])}{more}; {why}",
        where=str(path),
        next=f"`harness images build {name} --moved` makes a distinct image of the newest packages; "
        f"or lay {gone[0].file} there, from a machine that has it",
    )


def resolve_packages(
    store: Store, suite: str, packages: Sequence[str], tell: Tell, archive: Archive = OWN
) -> list[Deb]:
    """Resolve packages to the newest versions that the archive offers, and fetch those that the store lacks.

    Returns all packages to install: those named, the base system, and all their dependencies. Locks are not used.
    """
    with store.folder("debs") as folder:
        tell("resolving the newest Debian packages")
        mirror = Mirror(folder / "now", suite, archive)
        debs = mirror.closure(packages)
        _fetch(store, mirror, [deb for deb in debs if store.blobs.state(deb.sha256) != "sound"], folder / "new")
    return debs
