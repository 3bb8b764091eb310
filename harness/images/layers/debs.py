"""Debian packages of an image, through apt: locked ones fetched, or the newest resolved with their dependencies.

Every package is checked against its SHA-256 before it enters the store. A locked package that the archive no longer
carries is fetched from a snapshot server.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from harness.digest import sha256_file
from harness.errors import DamageError, HarnessError, MissingError
from harness.files import translating_os_errors
from harness.images.layers.layer import environment, program_error, require_program
from harness.images.layers.sources import Archive, keeping, lines, offering, shown
from harness.images.locks import Deb, Debs
from harness.store.store import Store

ARCH = "amd64"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SIGNED = f"signed-by={KEYRING}"  # apt checks the archive's signature, whatever the way
_ALWAYS = ("?essential", "apt", "usr-is-merged")  # what mmdebstrap's `minbase` holds


class Mirror:
    """Debian archive as of now, or as a snapshot server keeps it at the time `then`; opening it fetches its index."""

    def __init__(self, folder: Path, suite: str, archive: Archive, then: str = "") -> None:
        require_program("apt-get", "apt")
        require_program("apt-cache", "apt")
        self._folder = folder
        with translating_os_errors(folder):
            for part in ("state/lists/partial", "cache/archives/partial"):
                (folder / part).mkdir(parents=True)
            (folder / "status").touch()
            pockets = keeping(archive, suite, then, folder) if then else offering(archive, suite, folder)
            options = f"{SIGNED} check-valid-until=no" if then else SIGNED
            (folder / "sources.list").write_text(lines(pockets, options))
        self.url = shown(pockets[0][0])
        self._apt("apt-get", "update", "-o", "APT::Update::Error-Mode=any")

    def closure(self, packages: Sequence[str]) -> list[Deb]:
        """Resolve the newest versions of packages and of the base system, with all their dependencies."""
        said = self._apt("apt-get", "--simulate", "install", *_ALWAYS, *packages)
        chosen = re.findall(r"^Inst (\S+) .*?\((\S+) [^\[]*\[(\w+)\]\)", said, re.MULTILINE)
        offered = {(deb.name, deb.version, deb.arch): deb for deb in self.offered(name for name, _, _ in chosen)}
        return [offered[one] for one in chosen]

    def offered(self, names: Iterable[str]) -> list[Deb]:
        """List every version that this archive has of the named packages; an unknown name gives none."""
        said = self._apt("apt-cache", "show", *sorted(set(names)), codes=(0, 100))
        return [_deb(stanza) for stanza in said.split("\n\n") if stanza.startswith("Package:")]

    def download(self, debs: Sequence[Deb], folder: Path) -> None:
        """Download packages that the archive offers into a folder, in exactly their versions."""
        words = [f"{deb.name}:{ARCH if deb.arch == 'all' else deb.arch}={deb.version}" for deb in debs]
        self._apt("apt-get", "download", *words, cwd=folder)

    def _apt(self, program: str, *words: str, codes: Sequence[int] = (0,), cwd: Path | None = None) -> str:
        settings = {
            "Dir::State": self._folder / "state", "Dir::State::status": self._folder / "status",
            "Dir::Cache": self._folder / "cache", "Dir::Etc::sourcelist": self._folder / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null", "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null", "APT::Sandbox::User": "", "Acquire::Languages": "none",
            "APT::Install-Recommends": "false", "APT::Architecture": ARCH, "APT::Architectures": ARCH,
        }  # fmt: skip
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        done = subprocess.run(
            [program, "-q", *options, *words], cwd=cwd or self._folder, env=environment(self._folder, network=True),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False, umask=0o022,
        )  # fmt: skip
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

    What the archive no longer carries comes from a snapshot server, as of the lock's moment; `MissingError` where it
    is not there either. `DamageError` where a package, stored or fetched, has other bytes than the lock names.
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


def resolve(store: Store, suite: str, packages: Sequence[str], tell: Tell, archive: Archive = OWN) -> list[Deb]:
    """Resolve packages to the newest versions that the archive offers, and fetch those that the store lacks.

    Gives all packages to install: those named, the base system, and all their dependencies. No lock plays a part.
    """
    with store.folder("debs") as folder:
        tell("resolving the newest Debian packages")
        mirror = Mirror(folder / "now", suite, archive)
        debs = mirror.closure(packages)
        _fetch(store, mirror, [deb for deb in debs if store.blobs.state(deb.sha256) != "sound"], folder / "new")
    return debs
