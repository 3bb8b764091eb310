"""Image references: HOST[:PORT]/NAME[:TAG][@sha256:…]. There is no default registry."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from harness.errors import InputError

_HOST = r"(?P<host>\[[0-9A-Fa-f:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(?::(?P<port>[0-9]{1,5}))?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-{1,8})[a-z0-9]+)*"
_WHOLE = re.compile(
    rf"{_HOST}/(?P<name>{_PART}(?:/{_PART})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@sha256:(?P<digest>[0-9a-f]{64}))?"
)
_ELSEWHERE = {"docker.io": "registry-1.docker.io"}  # the one registry that does not answer under its own name


@dataclass(frozen=True)
class Reference:
    """Parsed reference to an image in a registry: host, name, tag, digest."""

    host: str  # with its port
    name: str
    tag: str | None
    digest: str | None  # 64 hex digits

    @property
    def loopback(self) -> bool:
        """Whether the registry is on this machine; only then is plain http spoken."""
        return is_loopback(self.host)

    @property
    def origin(self) -> str:
        """Scheme and host of the registry's URLs."""
        return f"{'http' if self.loopback else 'https'}://{_ELSEWHERE.get(self.host, self.host)}"

    @property
    def api(self) -> str:
        """Base URL of this repository in the distribution API."""
        return f"{self.origin}/v2/{self.name}"

    def __str__(self) -> str:
        """Format it as HOST[:PORT]/NAME[:TAG][@sha256:…]."""
        text = f"{self.host}/{self.name}" + (f":{self.tag}" if self.tag else "")
        return text + (f"@sha256:{self.digest}" if self.digest else "")

    def at(self, digest: str) -> str:
        """Format a reference to one manifest by digest, which never changes its meaning."""
        return f"{self.host}/{self.name}@sha256:{digest}"


def read_reference(text: str) -> Reference:
    """Parse a reference; one without a host is refused, so that no default registry is ever used."""
    found = _WHOLE.fullmatch(text) if len(text) <= 512 else None
    host = found["host"] if found else ""
    plain = host == "localhost" or "." in host or ":" in host or (found is not None and found["port"])
    if found is None or not plain or int(found["port"] or 0) > 65535:
        shown = "this" if "@" in text.partition("@sha256:")[0] or "://" in text else repr(text[:120])
        raise InputError(  # what may hold a password is not shown
            f"{shown} is not a reference to an image in a registry",
            next="give HOST[:PORT]/NAME[:TAG] or HOST[:PORT]/NAME@sha256:…, without https:// and without a user",
        )
    port = f":{int(found['port'])}" if found["port"] else ""
    return Reference(host.lower() + port, found["name"], found["tag"], found["digest"])


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port, is this machine's loopback interface."""
    if host.startswith("["):
        name = host[1:].partition("]")[0]
    else:
        name = host if host.count(":") > 1 else host.partition(":")[0]
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
