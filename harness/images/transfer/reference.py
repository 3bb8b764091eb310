"""How a person names an image in a registry: HOST[:PORT]/NAME[:TAG][@sha256:…]."""

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
    """Where an image lies in a registry."""

    host: str  # with its port
    name: str
    tag: str | None
    digest: str | None  # 64 hex digits

    @property
    def loopback(self) -> bool:
        """Whether the registry is this machine; only then is plain http spoken."""
        return is_loopback(self.host)

    @property
    def origin(self) -> str:
        """Give scheme and host, as a URL starts."""
        return f"{'http' if self.loopback else 'https'}://{_ELSEWHERE.get(self.host, self.host)}"

    @property
    def api(self) -> str:
        """Give the URL under which the distribution API speaks of this repository."""
        return f"{self.origin}/v2/{self.name}"

    def __str__(self) -> str:
        """Spell it as it was given."""
        text = f"{self.host}/{self.name}" + (f":{self.tag}" if self.tag else "")
        return text + (f"@sha256:{self.digest}" if self.digest else "")

    def at(self, digest: str) -> str:
        """Spell the name of one manifest for ever."""
        return f"{self.host}/{self.name}@sha256:{digest}"


def read_reference(text: str) -> Reference:
    """Read a reference; a host is always named, so that nobody's default registry is ever meant."""
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
    """Whether a host, with or without a port, is the machine itself."""
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
