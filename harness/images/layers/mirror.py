"""Client of Debian's archive through apt: what it offers, dependency closure, downloads.

apt runs with a private state: the packages installed on this machine play no part. Of the machine's settings it
uses the proxies, and the archive's URL where none is given.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.files import translating_os_errors
from harness.images.layers.programs import environment, program_error, require_program
from harness.images.layers.sources import Archive, keeping, lines, offering, shown
from harness.images.locks import Deb

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
