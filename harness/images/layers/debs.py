"""Debian packages of an image, through apt: locked ones fetched, or the newest resolved with their dependencies.

Every package is checked against its SHA-256 before it enters the store. A locked package that the archive no longer
carries is fetched from a snapshot server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from harness.digest import sha256_file
from harness.errors import DamageError, HarnessError, MissingError
from harness.files import translating_os_errors
from harness.images.layers.mirror import Mirror
from harness.images.layers.sources import Archive
from harness.images.locks import Deb, Debs
from harness.store.store import Store

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
