"""The Debian layer: made by mmdebstrap from locked .debs alone, without a mirror, then stripped of what varies."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from harness.digest import sha256, sha256_file
from harness.errors import DamageError, HarnessError, MissingError
from harness.files import told
from harness.images.layer import layer
from harness.images.locks import Deb, Debs
from harness.images.mirror import Mirror, environment, need, refusal
from harness.store.blobs import Blobs
from harness.store.store import Store

Tell = Callable[[str], None]

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


def keep(store: Store, name: str, locked: Debs, tell: Tell) -> None:
    """See to it that every locked .deb lies in the store; what is missing is fetched and held against its digest."""
    states = {deb: store.blobs.state(deb.sha256) for deb in locked.packages}
    for deb, state in states.items():
        if state == "changed":
            raise _tampered(deb, str(store.blobs.path(deb.sha256)), name)
    wanted = [deb for deb, state in states.items() if state == "missing"]
    if not wanted:
        return
    with store.folder("debs") as folder:
        tell(f"asking the Debian archive for {len(wanted)} packages")
        mirror = Mirror(folder / "now", locked.suite)
        offered = mirror.offered(deb.name for deb in wanted)
        gone = [deb for deb in wanted if not any(_same(deb, one) for one in offered)]
        _fetch(store, mirror, [deb for deb in wanted if deb not in gone], folder / "new", name)
        if gone:
            tell(f"asking snapshot.debian.org for {len(gone)} packages as of {locked.taken}")
            try:
                older = Mirror(folder / "then", locked.suite, locked.taken)
                kept = older.offered(deb.name for deb in gone)
            except HarnessError as bad:
                raise _gone(gone, offered, name, store.blobs.path(gone[0].sha256), bad.what) from bad
            lost = [deb for deb in gone if not any(_same(deb, one) for one in kept)]
            if lost:
                path = store.blobs.path(lost[0].sha256)
                raise _gone(lost, offered, name, path, "snapshot.debian.org does not carry it either")
            _fetch(store, older, gone, folder / "old", name)


def _fetch(store: Store, mirror: Mirror, wanted: Sequence[Deb], folder: Path, name: str) -> None:
    """Fetch packages that are offered, each held against its digest."""
    if not wanted:
        return
    with told(folder):
        folder.mkdir()
    mirror.download(wanted, folder)
    by_digest = {deb.sha256: deb for deb in wanted}
    for path in sorted(folder.glob("*.deb")):
        if sha256_file(path)[0] not in by_digest:
            raise _tampered(next(deb for deb in wanted if path.name.startswith(f"{deb.name}_")), path.name, name)
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


def _tampered(deb: Deb, where: str, name: str) -> DamageError:
    return DamageError(
        f"{deb.name} {deb.version} is not the package that the lock names: its bytes have another SHA-256",
        where=where,
        next=f"remove that file and `harness images build {name}` again: the package is fetched anew",
    )


def resolve(store: Store, suite: str, packages: Sequence[str], tell: Tell) -> list[Deb]:
    """Choose the newest packages the archive offers now, and keep them."""
    with store.folder("debs") as folder:
        tell("resolving the newest Debian packages")
        mirror = Mirror(folder, suite)
        debs = mirror.closure(packages)
        wanted = [deb for deb in debs if store.blobs.state(deb.sha256) != "sound"]
        if wanted:
            (folder / "new").mkdir()
            mirror.download(wanted, folder / "new")
            known = {deb.sha256 for deb in wanted}
            for path in sorted((folder / "new").glob("*.deb")):
                if store.blobs.adopt(path)[0] not in known:
                    raise MissingError(f"the archive gave another {path.name} than it lists", next="build again")
    return debs


def write(blobs: Blobs, folder: Path, debs: Sequence[Deb], suite: str, epoch: int, target: Path) -> None:
    """Write the Debian layer; the folder is scratch room on the disk of the store."""
    need("mmdebstrap", "mmdebstrap")
    need("dpkg-deb", "dpkg")
    with told(folder):
        repository = folder / "debs"
        repository.mkdir(parents=True)
        for place in (folder, repository):
            place.chmod(0o755)  # where no root is at hand, mmdebstrap reads as another user
        stanzas = []
        for deb in sorted(debs, key=lambda deb: deb.file):
            (repository / deb.file).hardlink_to(blobs.deliver(deb.sha256))
            stanzas.append(_stanza(repository / deb.file, deb))
        index = b"\n".join(stanzas)
        (repository / "Packages").write_bytes(index)
        listed = f"SHA256:\n {sha256(index)} {len(index)} Packages\n"
        (repository / "Release").write_text(f"Suite: {suite}\nCodename: {suite}\n{listed}")
    _bootstrap(repository, debs, suite, epoch, target)


def _stanza(path: Path, deb: Deb) -> bytes:
    """Spell a package's entry of the index."""
    done = subprocess.run(["dpkg-deb", "--field", str(path)], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        raise refusal(f"dpkg-deb --field {path.name}", said, "remove that blob and build again")
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
    with told(folder), open(log, "wb") as errors:
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
        raise refusal("mmdebstrap", log.read_text(errors="replace"), "see what it says; `harness doctor` may help")


def _private() -> list[str]:
    """Give mmdebstrap mounts of its own where that is allowed, so that none outlives it, however it ends."""
    words = ["unshare", "--mount", "--"]
    if os.geteuid() == 0 and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
        return words
    return []


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End mmdebstrap with everything it started; it takes its mounts and its folder along."""
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
    """Copy what belongs into an image, in the order it comes, which is by name; says whether the tar was whole."""
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
