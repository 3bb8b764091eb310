"""A step cannot change the machine it runs on: it walks the kernel's own files, and opens each of them for writing.

It opens and writes nothing. What it may open in a container is its own process's, by name and with the reason.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import clean_env
from support_engine import until

from harness.engines.engine import Outcome
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import MissingError

needs_root = pytest.mark.skipif("os.geteuid() != 0", reason="only a step of root's changes its user")
CLOSED = [name for name in available_isolations() if name != "process"]
WALK = """
    import json, re, stat
    opened, seen = set(), 0
    for top in ("/proc", "/sys"):
        for folder, _, files in os.walk(top):
            for name in files:
                path = os.path.join(folder, name)
                seen += 1
                try:
                    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                except OSError:
                    continue
                covered = os.fstat(handle).st_rdev == os.makedev(1, 3)  # an engine lays /dev/null over a file
                os.close(handle)
                if not covered:
                    opened.add(re.sub(r"^/proc/([0-9]+|self|thread-self)(/task/[0-9]+)?/", "own ", path))
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    print(json.dumps({"seen": seen, "opened": sorted(opened), "uid": status["Uid"].split(),
                      "caps": [status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
                      "privs": status["NoNewPrivs"].strip()}))
"""
STALLS = {f"/proc/pressure/{name}" for name in ("cpu", "io", "irq", "memory")}  # a wish to be told, while it is open
OWN = {  # of /proc/PID: none reaches beyond the process, or beyond what its limits and its namespaces allow anyway
    "attr/apparmor/current": "a change to a narrower profile, for itself",
    "attr/apparmor/exec": "a narrower profile, for what it starts",
    "attr/current": "the kernel takes a process's own words only, and a change to a narrower label",
    "attr/exec": "a narrower label, for what it starts",
    "attr/fscreate": "a label of files it makes, where there are labels",
    "attr/keycreate": "a label of keys it makes, where there are labels",
    "attr/smack/current": "a label, where there are labels",
    "attr/sockcreate": "a label of sockets it makes, where there are labels",
    "autogroup": "how nice it is; only upwards without a right",
    "clear_refs": "marks on its own pages, for measuring",
    "comm": "its own name",
    "coredump_filter": "what a core of it would hold; none is written",
    "gid_map": "of its own namespace, and written once already",
    "loginuid": "refused to whoever has no right to it",
    "make-it-fail": "faults in itself, on kernels built for tests",
    "fail-nth": "faults in itself, on kernels built for tests",
    "mem": "its own memory",
    "oom_adj": "who is killed first when memory runs out; only upwards without a right",
    "oom_score_adj": "who is killed first when memory runs out; only upwards without a right",
    "projid_map": "of its own namespace, and written once already",
    "sched": "counters about itself",
    "setgroups": "of its own namespace, and settled already",
    "timens_offsets": "of a namespace that it cannot make",
    "timerslack_ns": "how late its own timers may be",
    "uid_map": "of its own namespace, and written once already",
}


def walked(outcome: Outcome) -> Any:
    assert outcome.fine, outcome.log.decode()
    seen = json.loads(outcome.log)
    assert seen["seen"] > 100 and set(seen["caps"]) == {"0" * 16} and seen["privs"] == "1"
    return seen


@pytest.mark.parametrize("isolation", CLOSED)
def test_nothing_of_the_kernels_opens_for_writing(run: Callable[..., Outcome], isolation: str) -> None:
    seen = walked(run(isolation, WALK))
    assert seen["opened"] == []
    if os.geteuid() == 0:
        assert set(seen["uid"]) == {"65534"}, "the kernel's root would be its root still"


def test_a_container_opens_its_own_processs_files_and_no_others(step: Callable[..., Outcome]) -> None:
    opened = set(walked(step(WALK))["opened"])
    assert opened - STALLS - {f"own {name}" for name in OWN} == set()


@pytest.mark.parametrize("isolation", CLOSED)
def test_no_right_is_won_back(run: Callable[..., Outcome], isolation: str) -> None:
    code = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        for name, flag in {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000}.items():
            print(name, libc.unshare(flag))
        print("remount", libc.mount(None, b"/proc", None, 32 | 4096, None), libc.umount2(b"/proc", 2))
        print("proc", libc.mount(b"proc", b"/tmp", b"proc", 0, None))
        for user in (0, 1, 1000):
            try:
                os.setuid(user)
                print("became", user, user == os.getuid())
            except OSError:
                pass
        for switch in ("kernel/core_pattern", "user/max_user_namespaces", "vm/drop_caches"):
            try:
                os.open(f"/proc/sys/{switch}", os.O_WRONLY)
                print("opened", switch)
            except OSError:
                pass
    """
    lines = run(isolation, code).log.decode().split("\n")[:-1]
    became = [f"became {os.getuid()} True"] if os.getuid() in (1, 1000) else []
    refused = ["user -1", "mount -1", "net -1", "pid -1", "remount -1 -1", "proc -1"]
    assert lines == [*refused, *became]


@pytest.mark.parametrize("isolation", CLOSED)
def test_a_project_that_only_its_owner_may_enter_has_steps(
    run: Callable[..., Outcome], folder: Path, isolation: str
) -> None:
    """As one of root's under /root: a step of root's is nobody, who may not pass it, and sees no more of it."""
    folder.parent.chmod(0o700)
    (folder.parent / "secret").write_text("of the owner's")
    code = """
        open("out/made", "w").write(open("in/rows").read())
        open("tmp/scratch", "w").write("x")
        print(os.path.exists("../secret"), os.listdir(".."))
    """
    outcome = run(isolation, code)
    assert outcome.fine and (folder / "out" / "made").read_text() == "given"
    assert (folder / "out" / "made").stat().st_uid == os.geteuid() == (folder / "out").stat().st_uid
    if os.geteuid() == 0 or isolation == "bubblewrap":
        assert outcome.log == b"False ['step']\n"
    (folder / "out" / "made").rename(folder.parent / "adopted")


@pytest.mark.parametrize("isolation", CLOSED)
def test_a_step_reaches_the_socket_it_was_given(run: Callable[..., Outcome], folder: Path, isolation: str) -> None:
    import socket
    import tempfile

    with tempfile.TemporaryDirectory() as shut, socket.socket(socket.AF_UNIX) as server:
        place = Path(shut) / "calls.sock"
        server.bind(str(place))
        place.chmod(0o666)  # the folder around it is shut
        server.listen()
        shown = f"/run/harness/{place.name}" if isolation == "bubblewrap" else str(place)
        code = f"import socket; socket.socket(socket.AF_UNIX).connect({shown!r}); print('reached')"
        assert run(isolation, code, sockets=(place,)).log == b"reached\n"


@needs_root
@pytest.mark.parametrize("isolation", CLOSED)
def test_a_change_of_user_leaves_the_word_that_a_step_dies_with_its_parent(
    run: Callable[..., Outcome], isolation: str
) -> None:
    code = "import ctypes; word = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(word)); print(word.value)"
    assert run(isolation, code).log == b"9\n"


@needs_root
def test_root_is_told_of_an_interpreter_that_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "venv").mkdir(mode=0o700)
    LocalEngine(CLOSED[0])
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    with pytest.raises(MissingError, match="may not read the interpreter") as told:
        LocalEngine(CLOSED[0])
    assert told.value.where == sys.prefix and "chmod" in told.value.next
    assert LocalEngine("process").isolation == "process"


HARNESS = """
import os, sys, threading
from pathlib import Path
from harness.engines.engine import Job, Limits
from harness.engines.local import LocalEngine
folder, engine = Path(sys.argv[1]), LocalEngine(sys.argv[2])
job = Job((*engine.command("code/main.py"), str(folder)), folder, {"PATH": "/usr/bin:/bin"}, Limits(seconds=60))
engine.run(job, lambda text: os.write(1, text), threading.Event())
"""
STAYS = """
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(1, 0)  # no word when its parent dies
os.setsid()
for number in range(1, 65):
    if number not in (9, 17, 19, 32, 33):
        ctypes.CDLL(None).signal(number, ctypes.c_void_p(1))
print("ready", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("isolation", CLOSED)
def test_a_step_that_shuts_its_ears_dies_with_its_harness_all_the_same(folder: Path, isolation: str) -> None:
    (folder / "code" / "main.py").write_text(STAYS)
    words = [sys.executable, "-c", HARNESS, str(folder), isolation]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=clean_env(), cwd=folder) as harness:
        assert harness.stdout and harness.stdout.readline() == b"ready\n"
        assert working(folder)
        harness.send_signal(signal.SIGKILL)
    assert until(lambda: not working(folder), 5)


def working(folder: Path) -> list[str]:
    """Give the processes of a step: its folder stands in their words."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.fsencode(folder) in (path / "cmdline").read_bytes():
                found.append(path.name)
    return found
