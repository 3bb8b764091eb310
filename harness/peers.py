"""Which user of this machine is at the other end of a loopback connection, as the kernel says.

`/proc/net/tcp` lists the sockets of this network namespace with the user who made each one. The other end of an open
connection is the line whose two addresses are ours, exchanged: while our end is open, no other socket can have them. A
socket that its process has closed is listed without an inode, and identifies no user.
"""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path

TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
Address = tuple[str, int]


def peer_uid(ours: Address, theirs: Address) -> int | None:
    """Return the uid of the user who holds the other end of a connection; None if that is not on this machine."""
    address = ipaddress.ip_address(theirs[0])
    if not (address.is_loopback and ipaddress.ip_address(ours[0]).is_loopback):
        return None
    wanted = (_spelled(theirs), _spelled(ours))
    try:
        lines = TABLES[address.version].read_text("ascii").splitlines()[1:]
    except OSError:
        return None
    for line in lines:
        parts = line.split()
        if len(parts) > 9 and (parts[1], parts[2]) == wanted:
            return int(parts[7]) if parts[9] != "0" else None
    return None


def _spelled(address: Address) -> str:
    """Format an address as the kernel does: words of four bytes in the machine's order, in hexadecimal digits."""
    packed = ipaddress.ip_address(address[0]).packed
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    text = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{text}:{address[1]:04X}"
