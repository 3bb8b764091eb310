"""The gateway: a process beside the harness that speaks the providers' dialects on a Unix socket.

It alone holds keys; it retries, limits and tapes. `python -m harness.models.gate.gateway` reads its settings as one
line of JSON on stdin, says `{"ready":true}` when it listens, and ends when its stdin does: it never outlives
its harness. Whatever comes on stdin meanwhile asks what it has done so far, and is answered by one line: `{"now":{…}}`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from typing import Any

from harness.errors import HarnessError, InputError, MissingError
from harness.models.gate.desk import Desk
from harness.models.gate.keys import Keys
from harness.models.gate.settings import Settings, parse
from harness.models.gate.upstream import Upstream, forget_ambient
from harness.models.gate.web import Web

LONGEST_LINE = 1 << 20  # bytes of the settings
STDIN = 0


def main() -> int:
    """Serve until the harness is gone or says stop; gives the exit code."""
    keys = Keys(os.environ)
    try:
        settings = parse(_first_line())
        lacking = _lacking(settings, keys)
        forget_ambient(settings.dialects)
        summary = asyncio.run(_serve(settings, keys, lacking))
    except HarnessError as bad:
        _say(bad.as_data())
        return bad.code
    _say(summary)
    return 0


def _lacking(settings: Settings, keys: Keys) -> list[str]:
    """Name the keys that are not there; where they are wanted at the start, say so before anybody asks."""
    if settings.keys == "late":
        return []
    names = dict.fromkeys(served.key for served in settings.served if served.mode != "replay")
    missed: dict[str, MissingError] = {}
    for name in names:
        try:
            keys.find(name)
        except MissingError as bad:
            missed[name] = bad
    if missed and (settings.keys == "all" or len(missed) == len(names)):
        what, last = " and ".join(bad.what for bad in missed.values()), [*missed.values()][-1]
        raise MissingError(what, where=last.where, next="; or ".join(bad.next for bad in missed.values()))
    return list(missed)


def _first_line() -> bytes:
    """Read up to the first line break and not a byte further: what comes after is only waited for."""
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < LONGEST_LINE:
        byte = os.read(STDIN, 1)
        if not byte:
            break
        line += byte
    return bytes(line)


def _say(value: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(value, separators=(",", ":")) + "\n")
        sys.stdout.flush()
    except (BrokenPipeError, ValueError):  # nobody listens any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


async def _serve(settings: Settings, keys: Keys, lacking: list[str]) -> dict[str, Any]:
    try:
        from aiohttp import web  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("the gateway needs aiohttp", next="pip install 'llm-harness[gateway]'") from bad
    stop = asyncio.Event()
    asked = asyncio.Event()
    _listen_for_the_end(stop, asked)
    named = [served.key for served in settings.served]
    upstream = Upstream(keys, settings.timeout, settings.concurrency, named)
    desk = Desk(settings, upstream)
    door = Web(desk)
    runner = web.AppRunner(door.app(), access_log=None, handle_signals=False, shutdown_timeout=1.0)
    try:
        await runner.setup()
        try:
            site = web.UnixSite(runner, settings.socket)
            await site.start()
            settings.socket.chmod(0o666)  # a container's user is another one; the folder around it is shut
        except OSError as bad:
            raise InputError(
                f"the socket cannot be made: {bad.strerror}", where="socket", next="name a path in a folder of yours"
            ) from bad
        _say({"ready": True, **({"lacking": lacking} if lacking else {})})
        telling = asyncio.create_task(_tell(desk, asked))
        await stop.wait()
        telling.cancel()
        door.closing = True
        await site.stop()
        settings.socket.unlink(missing_ok=True)
        await desk.finish(settings.grace)
    finally:
        await runner.cleanup()
        desk.close()
        await upstream.close()
    return desk.roster.summary()


async def _tell(desk: Desk, asked: asyncio.Event) -> None:
    """Say what was done so far, as often as somebody asks."""
    while await asked.wait():
        asked.clear()
        _say({"now": desk.roster.summary()["models"]})


def _listen_for_the_end(stop: asyncio.Event, asked: asyncio.Event) -> None:
    """Hear of the end of stdin, whatever stdin is, and of the signals by which one asks a process to stop."""
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(one, stop.set)

    def watch() -> None:
        with contextlib.suppress(OSError):  # a terminal that hung up
            while os.read(STDIN, 65536):
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(asked.set)
        with contextlib.suppress(RuntimeError):  # it has ended for another reason
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=watch, name="stdin", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
