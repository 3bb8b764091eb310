"""API keys: looked up in the environment, else in a private file that is read once; never printed or logged."""

from __future__ import annotations

import base64
import json
import os
import stat
import tomllib
import urllib.parse
from collections.abc import Mapping
from pathlib import Path

from harness.errors import HarnessError, InputError, MissingError

DEFAULT = Path(".config") / "harness" / "keys.toml"  # below the user's home
STAND_IN = "harness-gateway-"  # prefix of the stand-in keys that a gateway gives to its clients: no provider knows them
SHORTEST = 12  # a shorter key ("none", "EMPTY") is no secret, and may occur in an answer


class Keys:
    """Lookup of API keys by name: in a copy of the environment, else in the user's private keys file.

    The file is read once, when the environment first lacks a key. No key is ever printed.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        given = env.get("HARNESS_KEYS_FILE", "")
        self.path = Path(given) if given else Path(env.get("HOME", "/")) / DEFAULT
        self._file: dict[str, str] | None = None

    def find(self, name: str) -> str:
        """Return the key of a name.

        Raises MissingError, which says where to put it, if there is none or only a gateway's stand-in for one;
        InputError if it cannot be sent in a header, or if the keys file is unreadable, not TOML, or not the user's
        alone.
        """
        key = self._env.get(name, "").strip() or self._from_file(name).strip()
        if not key or key.startswith(STAND_IN):
            raise MissingError(
                f"there is no key {name}",
                where=f"environment, {self._shown()}",
                next=f'export {name}=…, or write `{name} = "…"` to {self._shown()} (mode 0600)',
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise InputError(
                f"the key {name} cannot be sent: it holds a space, a line break or a sign that is not ASCII",
                where=name,
                next="copy it again from the provider's page",
            )
        return key

    def _from_file(self, name: str) -> str:
        if self._file is None:
            self._file = self._read()
        return self._file.get(name, "")

    def _read(self) -> dict[str, str]:
        """Read the keys file, if the user owns it and nobody else can read it."""
        try:
            with open(self.path, "rb") as file:
                self._require_private(os.fstat(file.fileno()))
                table = tomllib.load(file)
        except FileNotFoundError:
            return {}
        except OSError as bad:
            raise self._wrong(f"cannot be read ({bad.strerror})", f"chmod 600 {self._shown()}") from None
        except ValueError:  # the reason could quote a line of the file
            raise self._wrong("is not TOML", 'write one `NAME = "key"` a line') from None
        return {name: key for name, key in table.items() if isinstance(key, str)}

    def _require_private(self, found: os.stat_result) -> None:
        if found.st_uid != os.getuid():
            raise self._wrong("belongs to another user", f"chown it to yourself, or remove {self._shown()}")
        mode = stat.S_IMODE(found.st_mode)
        if mode & 0o077:
            raise self._wrong(f"can be read by others (mode {mode:04o})", f"chmod 600 {self._shown()}")

    def _wrong(self, what: str, fix: str) -> HarnessError:
        return InputError(f"the keys file {what}", where=self._shown(), next=fix)

    def _shown(self) -> str:
        """Format the path of the file, with the home folder written as ~."""
        home = self._env.get("HOME", "")
        text = str(self.path)
        return "~" + text[len(home) :] if home and text.startswith(home + "/") else text


def encoded_forms(key: str) -> tuple[bytes, ...]:
    """List the encodings in which a key could leak into a request or an answer.

    Empty for a key shorter than 12 characters, such as "none", which is taken for no secret.
    """
    if len(key) < SHORTEST:
        return ()
    raw = key.encode()
    coded = (base64.b64encode(raw), raw.hex().encode(), urllib.parse.quote(key, safe="").encode(), raw[::-1])
    return tuple(dict.fromkeys((raw, json.dumps(key)[1:-1].encode(), *coded)))
