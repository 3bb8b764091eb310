"""External programs that make layers (apt, mmdebstrap, pip): their environment, and errors when they fail."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from harness.errors import HarnessError, MissingError

_FULL = re.compile(r"no space left on device|disk quota exceeded|file too large", re.IGNORECASE)


def environment(temp: Path, *, network: bool = False) -> dict[str, str]:
    """Make the only environment variables such a program sees, so that nothing of the user's shell reaches an image.

    What fetches also sees the user's proxies and pip's settings; what it brings is held against a digest.
    """
    wanted = re.compile(r"(?i)\w*_proxy|PIP_\w+|SSL_CERT_\w+|NETRC")
    kept = {name: value for name, value in os.environ.items() if network and wanted.fullmatch(name)}
    home = os.environ.get("HOME", str(temp)) if network else str(temp)  # pip's settings lie there
    fixed = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return {**kept, **fixed, "HOME": home, "TMPDIR": str(temp)}


def require_program(program: str, package: str) -> str:
    """Find a program, or raise an error that names the Debian package with it."""
    found = shutil.which(program)
    if not found:
        raise MissingError(f"{program} is not installed", next=f"apt-get install {package}")
    return found


def program_error(what: str, said: str, advice: str) -> HarnessError:
    """Make the error of a failed program: the usual one for a full disk, else its own last lines."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    if full := next((line for line in lines if _FULL.search(line)), ""):
        return MissingError(
            "the disk is full",
            where=full[:300],
            next="free some room and run again: everything finished so far is kept",
        )
    return MissingError(f"{what} failed: " + "; ".join(line[:240] for line in lines[-3:]), next=advice)
