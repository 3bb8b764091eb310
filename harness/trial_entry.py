"""Entry point of a trial's process: sets a CPU limit, redirects the streams to files, runs one untrusted program.

It imports the standard library alone. This setup does not protect against the program, which can undo it; the engine's
isolation and limits protect.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import sysconfig
from pathlib import Path

STREAMS = (  # file descriptor, file, how it is opened
    (0, "in/stdin", os.O_RDONLY),
    (1, "out/stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    (2, "out/stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
)


def main(site: str, folder: Path) -> None:
    """Run `in/program.py` of a trial's folder in its `tmp/`, under its CPU limit; imports search `site` last."""
    seconds = int(json.loads((folder / "trial.json").read_bytes())["cpu_seconds"])
    program = (folder / "in" / "program.py").read_bytes()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # SIGXCPU, and SIGKILL for one that ignores it
    for number, name, flags in STREAMS:
        handle = os.open(folder / name, flags, 0o644)
        os.dup2(handle, number)
        os.close(handle)
    os.chdir(folder / "tmp")
    sys.path.append(site)
    sys.argv = ["program.py"]
    exec(compile(program, "program.py", "exec"), {"__name__": "__main__", "__file__": "program.py"})  # noqa: S102


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_path("purelib"), Path.cwd())
