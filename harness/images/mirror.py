"""Debian's archive, asked through apt's own means: what it offers, what a choice of packages needs, the files.

apt runs with a private state; the machine's own packages and sources play no part, its proxy settings do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.errors import HarnessError, MissingError
from harness.files import told
from harness.images.locks import Deb

ARCH = "amd64"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHIVE = "http://deb.debian.org/debian"  # apt checks the archive's signature, whatever the way
SNAPSHOT = "http://snapshot.debian.org/archive/debian"
SIGNED = f"signed-by={KEYRING}"
_ALWAYS = ("?essential", "apt", "usr-is-merged")  # what mmdebstrap's `minbase` holds
_FULL = re.compile(r"no space left on device|disk quota exceeded|file too large", re.IGNORECASE)


class Mirror:
    """The archive as it is now, or as it was at a moment that snapshot.debian.org keeps."""

    def __init__(self, folder: Path, suite: str, then: str = "") -> None:
        need("apt-get", "apt")
        need("apt-cache", "apt")
        self._folder = folder
        pockets = (suite, f"{suite}-updates"), (f"{suite}-security",)
        base, options = (SNAPSHOT, f"{SIGNED} check-valid-until=no") if then else (ARCHIVE, SIGNED)
        lines = [
            f"deb [{options}] {url}/{then} {pocket} main\n"
            for url, names in zip((base, f"{base}-security"), pockets, strict=True)
            for pocket in names
        ]
        with told(folder):
            for part in ("state/lists/partial", "cache/archives/partial"):
                (folder / part).mkdir(parents=True)
            (folder / "status").touch()
            (folder / "sources.list").write_text("".join(lines))
        self._apt("apt-get", "update", "-o", "APT::Update::Error-Mode=any")

    def closure(self, packages: Sequence[str]) -> list[Deb]:
        """Resolve the newest versions of some packages with everything they need."""
        said = self._apt("apt-get", "--simulate", "install", *_ALWAYS, *packages)
        chosen = re.findall(r"^Inst (\S+) .*?\((\S+) [^\[]*\[(\w+)\]\)", said, re.MULTILINE)
        offered = {(deb.name, deb.version, deb.arch): deb for deb in self.offered(name for name, _, _ in chosen)}
        return [offered[one] for one in chosen]

    def offered(self, names: Iterable[str]) -> list[Deb]:
        """List every version of some packages that the archive holds now; of unknown ones, none."""
        said = self._apt("apt-cache", "show", *sorted(set(names)), codes=(0, 100))
        return [_deb(stanza) for stanza in said.split("\n\n") if stanza.startswith("Package:")]

    def download(self, debs: Sequence[Deb], folder: Path) -> None:
        """Fetch packages the archive is known to offer into a folder."""
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
            raise refusal(f"{program} {words[0]}", done.stderr or done.stdout, "check the network, then build again")
        return done.stdout


def environment(temp: Path, *, network: bool = False) -> dict[str, str]:
    """Give the only variables a tool sees, so that nothing of the user's shell reaches an image.

    What fetches also sees the user's proxies and pip's settings; what it brings is held against a digest.
    """
    wanted = re.compile(r"(?i)\w*_proxy|PIP_\w+|SSL_CERT_\w+|NETRC")
    kept = {name: value for name, value in os.environ.items() if network and wanted.fullmatch(name)}
    home = os.environ.get("HOME", str(temp)) if network else str(temp)  # pip's settings lie there
    fixed = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return {**kept, **fixed, "HOME": home, "TMPDIR": str(temp)}


def need(program: str, package: str) -> str:
    """Find a program, or say which Debian package brings it."""
    found = shutil.which(program)
    if not found:
        raise MissingError(f"{program} is not installed", next=f"apt-get install {package}")
    return found


def refusal(what: str, said: str, advice: str) -> HarnessError:
    """Say why a tool failed: in the usual words where the disk was full, else in its own last ones."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    if full := next((line for line in lines if _FULL.search(line)), ""):
        return MissingError(
            "the disk is full",
            where=full[:300],
            next="free some room and run again: everything finished so far is kept",
        )
    return MissingError(f"{what} failed: " + "; ".join(line[:240] for line in lines[-3:]), next=advice)


def _deb(stanza: str) -> Deb:
    fields = dict(re.findall(r"^(Package|Version|Architecture|SHA256|Size): (\S+)$", stanza, re.MULTILINE))
    return Deb(fields["Package"], fields["Version"], fields["Architecture"], fields["SHA256"], int(fields["Size"]))
