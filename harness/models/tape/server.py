"""The address of a server in its normal form, and what a line of a tape says about who gave an answer.

Answers belong to the server that gave them. An address that is not the provider's own is part of a request's digest, as
`server`, so that another server under the same model name has other lines. Beside the request, a line names the model
that answered and its fingerprint, and the provider's own address where the provider itself was asked (`responder`). A
line that names no server was recorded before lines named one. An address never holds credentials. It has no query
either: what follows a `?` may be a key, which is never written, or tell two tenants apart, who are two servers.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

PORTS = {"http": 80, "https": 443}
LONGEST = 2000
_BRACKETS = re.compile(r"\[[^\[\]]*\](:[0-9]*)?")
SERVED = {"model": "model", "fingerprint": "system_fingerprint"}  # what a line names, and where an answer has it


def server_address(url: str) -> str:
    """Return a server's address in its normal form, without credentials and fragment.

    Scheme and host are in lower case, a name beyond ASCII is in Punycode, and the scheme's own port and slashes at the
    end are left out. Raises ValueError, which never quotes the URL, if it is no address of a server, and for a query or
    a name whose Punycode depends on who writes it: two servers would be one.
    """
    if len(url) > LONGEST or not url.isprintable() or " " in url or "\\" in url:
        raise ValueError("an address has no spaces or backslashes, and 2,000 characters at most")
    try:
        parts = urlsplit(url)
        port, host = parts.port, _host(parts)
    except ValueError:
        raise ValueError("the host or the port of this address cannot be read") from None
    if parts.scheme not in PORTS or not host:
        raise ValueError("an address begins with http:// or https:// and a host")
    if parts.query:
        raise ValueError(
            "an address has no query (what follows a `?`): it may hold a key, and without it two tenants would be one"
            " server; name the server by host and path alone"
        )
    if "@" in parts.path:
        raise ValueError("an address has no `@` in its path: what stands before it may be part of a password")
    shown = "" if port in (None, PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{shown}{parts.path.rstrip('/')}"


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if "[" in parts.netloc or ":" in host:
        if not _BRACKETS.fullmatch(parts.netloc.rpartition("@")[2]):  # some Pythons pass over what stands beside them
            raise ValueError("something stands beside the brackets")
        return f"[{ipaddress.IPv6Address(host).compressed}]"
    if host.isascii():
        return host
    found = host.encode("idna")
    if found.decode("idna") != host:  # such as `ß`, which this standard turns to `ss`, and that of clients keeps
        raise ValueError("this name has no single Punycode")
    return found.decode().lower()


def describe_responder(server: str, response: bytes) -> dict[str, str]:
    """Return what a line says of who answered: the server, if it is named here, and model and fingerprint, if any.

    Model and fingerprint are those of the answer itself. What is not one printable text is left out.
    """
    try:
        said = json.loads(response)
    except (ValueError, RecursionError):
        said = None
    found: dict[str, Any] = {"server": server}
    if isinstance(said, Mapping):
        found |= {name: said.get(field) for name, field in SERVED.items()}
    return {
        name: text
        for name, text in found.items()
        if isinstance(text, str) and 0 < len(text) <= LONGEST and text.isprintable()
    }
