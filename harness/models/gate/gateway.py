"""The gateway process: an HTTP proxy on a Unix socket between steps and model providers.

It alone holds API keys; it retries, limits rates and spending, and records or replays answers on tapes. `python -m
harness.models.gate.gateway` reads its settings as one line of JSON on stdin, and writes `{"ready":true}` when it
listens (with `lacking`, where API keys are missing). Any later input on stdin asks for the counters so far, which are
written as one line: `{"now":{…}}`. It ends when stdin does or a signal comes, so that it never outlives its harness,
and then writes its summary, or the error that stopped it, as one line.
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
from harness.models.gate.dispatch import Dispatcher
from harness.models.gate.keys import Keys
from harness.models.gate.server import Server
from harness.models.gate.settings import GateSettings, parse_settings
from harness.models.gate.upstream import Upstream, clear_sdk_variables

LONGEST_LINE = 1 << 20  # bytes of the settings
STDIN = 0


def main() -> int:
    """Run the gateway until stdin ends or a signal comes, print its summary or error, and return the exit code."""
    keys = Keys(os.environ)
    try:
        settings = parse_settings(_first_line())
        lacking = _lacking(settings, keys)
        clear_sdk_variables(settings.dialects)
        summary = asyncio.run(_serve(settings, keys, lacking))
    except HarnessError as bad:
        _say(bad.as_data())
        return bad.code
    _say(summary)
    return 0


def _lacking(settings: GateSettings, keys: Keys) -> list[str]:
    """List the missing API keys; raises before the first request where the settings want them at the start."""
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
    """Read stdin up to the first line break and not a byte further."""
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
    except (BrokenPipeError, ValueError):  # the reader is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


async def _serve(settings: GateSettings, keys: Keys, lacking: list[str]) -> dict[str, Any]:
    try:
        from aiohttp import web  # noqa: PLC0415 - heavy
    except ImportError as bad:
        raise MissingError("the gateway needs aiohttp", next="pip install 'llm-harness[gateway]'") from bad
    stop = asyncio.Event()
    asked = asyncio.Event()
    _watch_stdin(stop, asked)
    named = [served.key for served in settings.served]
    upstream = Upstream(keys, settings.timeout, settings.concurrency, named)
    dispatcher = Dispatcher(settings, upstream)
    server = Server(dispatcher)
    runner = web.AppRunner(server.app(), access_log=None, handle_signals=False, shutdown_timeout=1.0)
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
        reporting = asyncio.create_task(_report(dispatcher, asked))
        await stop.wait()
        reporting.cancel()
        server.closing = True
        await site.stop()
        settings.socket.unlink(missing_ok=True)
        await dispatcher.finish(settings.grace)
    finally:
        await runner.cleanup()
        dispatcher.close()
        await upstream.close()
    return dispatcher.accounts.summary()


async def _report(dispatcher: Dispatcher, asked: asyncio.Event) -> None:
    """Print the counters so far, each time stdin asks for them."""
    while await asked.wait():
        asked.clear()
        _say({"now": dispatcher.accounts.summary()["models"]})


def _watch_stdin(stop: asyncio.Event, asked: asyncio.Event) -> None:
    """Set `stop` at the end of stdin or at a termination signal, and `asked` at any other input on stdin."""
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
