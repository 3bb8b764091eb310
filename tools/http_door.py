"""The door of a server over HTTP: where it listens and whom it lets in, decided before anything is served.

A door on loopback is open to the user who keeps the store, or to the agent's user (`--agent-uid`), whose connections
the kernel vouches for (`harness/peers.py`). A door that other machines can reach must name the hosts by which it is
called, and needs tokens. Hidden splits are never served through it, because the user at its other end cannot be proven.
Only the standard library is imported, because an agent waits for the start.
"""

from __future__ import annotations

import argparse
import ipaddress
import json
import os
import re
import socket
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from harness.errors import InputError, MissingError

PATH = "/mcp"
BACKLOG = 256
RATE = 200  # requests a second of one principal, over a longer time
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#]+")


@dataclass(frozen=True)
class DoorRules:
    """Which clients an HTTP server lets in: hosts, origins, rates, and whether tokens are needed."""

    hosts: tuple[str, ...]  # values of the header Host, in lower case
    origins: tuple[str, ...]  # values of the header Origin
    loopback: bool
    own_uid: int  # whose connections need no token while there is none
    agent_uid: int | None  # if set, nobody else's connections are answered
    rate: float

    def as_text(self) -> str:
        """Return the rules as JSON, for the command line of a child."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> DoorRules:
        """Return the rules that `as_text` wrote."""
        told = json.loads(text)
        return cls(**{**told, "hosts": tuple(told["hosts"]), "origins": tuple(told["origins"])})


@dataclass(frozen=True)
class Door:
    """A listening HTTP socket with its rules, and the URL that clients are given."""

    listening: socket.socket
    rules: DoorRules
    url: str


def open_door(asked: argparse.Namespace) -> Door:
    """Open the socket that `--http` names, and return it with its rules and its URL.

    Raises InputError for an address that cannot be had or that is open to others without an allow-list, MissingError if
    hidden splits would be served to other machines.
    """
    if asked.profile == "run":
        raise InputError(
            "runs are started over stdio alone: there the kernel says which process a client's calls come from",
            where=f"--http {asked.http}",
            next="leave --http out and let the client start `harness serve --profile run`, or serve another profile",
        )
    host, port = _place(asked.http)
    loopback = ipaddress.ip_address(host).is_loopback
    if not loopback and asked.agent_uid is not None:
        raise MissingError(
            "who calls from another machine cannot be proven, so no hidden split can be served there",
            where=f"--http {asked.http}",
            next="listen on 127.0.0.1 with --agent-uid, or leave --agent-uid out and serve public splits alone",
        )
    if not loopback and not asked.allow_host:
        raise InputError(
            "a server that other machines can reach must say by which names it is called",
            where=f"--http {asked.http}",
            next="give --allow-host NAME:PORT, and make tokens with `harness tokens add`; or listen on 127.0.0.1",
        )
    named = [_checked(one, _HOST, "--allow-host", "a host with its port, such as eval.example.org:8000")
             for one in asked.allow_host]  # fmt: skip
    origins = [_checked(one, _ORIGIN, "--allow-origin", "an origin, such as https://app.example.org")
               for one in asked.allow_origin]  # fmt: skip
    listening = _listen(host, port, asked.http)
    port = listening.getsockname()[1]
    own = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")] if loopback else []
    shown = f"[{host}]" if ":" in host else host
    rules = DoorRules(
        hosts=tuple(own + named),
        origins=tuple([f"http://{one}" for one in own] + origins),
        loopback=loopback,
        own_uid=os.geteuid(),
        agent_uid=asked.agent_uid,
        rate=float(asked.rate),
    )
    return Door(listening, rules, f"http://{shown}:{port}{PATH}")


def require_tokens(door: Door, scopes: Iterable[Iterable[str]], profile: str) -> None:
    """Raise InputError if a door that other machines can reach has no token for its profile."""
    if not door.rules.loopback and not any(profile in each for each in scopes):
        raise InputError(
            f"a server that other machines can reach needs tokens, and there is none for the profile {profile}",
            where=door.url,
            next=f"`harness tokens add NAME --scope {profile}`, or listen on 127.0.0.1",
        )


def _place(text: str) -> tuple[str, int]:
    """Return the address and port of `--http`: PORT alone is on 127.0.0.1."""
    host, _, port = text.rpartition(":")
    host = {"": "127.0.0.1", "localhost": "127.0.0.1"}.get(host, host.removeprefix("[").removesuffix("]"))
    try:
        ipaddress.ip_address(host)
        if port.isdecimal() and int(port) < 1 << 16:
            return host, int(port)
    except ValueError:
        pass
    raise InputError(
        f"{text[:80]!r} is no place to listen at",
        where="--http",
        next="give a port, such as 8000, or an address and a port, such as 0.0.0.0:8000 or [::1]:8000",
    )


def _checked(text: str, pattern: re.Pattern[str], option: str, meant: str) -> str:
    if not pattern.fullmatch(text.lower()):
        raise InputError(f"{text[:80]!r} is not {meant}", where=option, next=f"write {meant}")
    return text.lower()


def _listen(host: str, port: int, text: str) -> socket.socket:
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if ":" in host:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        found.bind((host, port))
        found.listen(BACKLOG)
    except OSError as bad:
        found.close()
        why = bad.strerror or str(bad)
        raise InputError(
            f"nothing can listen there: {why}", where=f"--http {text}", next="choose another port"
        ) from bad
    return found
