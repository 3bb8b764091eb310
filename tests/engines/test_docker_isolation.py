"""One walk through a container from inside: no way out, nothing of the host, nothing to write but what is the step's.

What a step does see of the host: the kernel's own facts (/proc, /sys), and in /proc/self/mountinfo the names of the
engine's data folder and of the step's own folder; not what lies in them.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from harness.engines.engine import Limits

WALK = """
    import json, pathlib, resource, socket, stat

    def refused(work):
        try:
            work()
        except OSError as bad:
            return type(bad).__name__
        return "REACHED"

    def reach(kind, address):
        with socket.socket(kind) as call:
            call.settimeout(3)
            call.connect(address)

    def talk(address):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as call:
            call.sendto(b"?", address)

    def writable(folder):
        try:
            handle = os.open(f"{folder}/harness-walk", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except OSError:
            return False
        os.close(handle)
        os.unlink(f"{folder}/harness-walk")
        return True

    folders, writes, opens, sockets = 0, [], [], []
    for folder, names, files in os.walk("/"):
        names[:] = [n for n in names if os.path.join(folder, n) not in ("/proc", "/sys")]
        folders += 1
        if writable(folder):
            writes.append(folder)
        for name in files:
            path = os.path.join(folder, name)
            kind = os.lstat(path).st_mode
            if stat.S_ISSOCK(kind):
                sockets.append(path)
            if stat.S_ISREG(kind) and os.access(path, os.W_OK):
                opens.append(path)
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    limits = {n: resource.getrlimit(getattr(resource, "RLIMIT_" + n)) for n in ("NOFILE", "CORE", "FSIZE")}
    print(json.dumps({
        "tcp out": refused(lambda: reach(socket.AF_INET, ("1.1.1.1", 53))),
        "tcp to the host": refused(lambda: reach(socket.AF_INET, ("127.0.0.1", PORT))),
        "tcp to the bridge": refused(lambda: reach(socket.AF_INET, ("172.17.0.1", PORT))),
        "udp out": refused(lambda: talk(("1.1.1.1", 53))),
        "six out": refused(lambda: reach(socket.AF_INET6, ("2606:4700:4700::1111", 53))),
        "dns": refused(lambda: socket.getaddrinfo("example.org", 443)),
        "metadata": refused(lambda: reach(socket.AF_INET, ("169.254.169.254", 80))),
        "abstract": refused(lambda: reach(socket.AF_UNIX, "\\0harness-walk")),
        "interfaces": [line.split(":")[0].strip() for line in list(open("/proc/net/dev"))[2:]],
        "routes": open("/proc/net/route").read().splitlines()[1:],
        "unix": [line.split()[-1] for line in open("/proc/net/unix").read().splitlines()[1:]],
        "sockets": sockets,
        "folders": folders,
        "writes": sorted(writes),
        "opens": opens,
        "step": sorted(map(str, pathlib.Path("/step").rglob("*"))),
        "processes": sorted(int(n) for n in os.listdir("/proc") if n.isdigit()),
        "mounts": [line.split()[3:6:2] + [line.split()[4]] for line in open("/proc/self/mountinfo")],
        "uids": status["Uid"].split() + status["Gid"].split() + status["Groups"].split(),
        "caps": [status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
        "privs": [status["NoNewPrivs"].strip(), status["Seccomp"].strip()],
        "limits": limits,
        "host": socket.gethostname(),
        "env": dict(os.environ),
    }))
"""
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "SSH_AUTH_SOCK")


@pytest.fixture
def seen(step, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for key in KEYS:
        monkeypatch.setenv(key, "leaked")
    other = tmp_path / "step-of-another" / "out"
    other.mkdir(parents=True)
    (other / "gold").write_text("the answers")
    with socket.create_server(("0.0.0.0", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0harness-walk")
        abstract.listen()
        outcome = step(WALK.replace("PORT", str(server.getsockname()[1])), disk=1 << 30)
    assert outcome.fine, outcome.log.decode()
    assert b"leaked" not in outcome.log and b"step-of-another" not in outcome.log
    return json.loads(outcome.log)


def test_a_walk_through_a_container_finds_no_way_out(seen: Any, place: Path) -> None:
    out = ("tcp out", "tcp to the host", "tcp to the bridge", "udp out", "six out", "dns", "metadata", "abstract")
    assert [name for name in out if seen[name] == "REACHED"] == []
    assert set(seen["interfaces"]) <= {"lo"} and seen["routes"] == []
    assert seen["sockets"] == [] and not [one for one in seen["unix"] if "docker" in one or "podman" in one]

    assert seen["folders"] > 500  # it did walk
    assert seen["writes"] == sorted(["/dev/mqueue", "/dev/shm", "/step/out", "/step/tmp", "/tmp"])  # all its own
    assert seen["opens"] == []
    assert seen["step"] == [f"/step/{name}" for name in ("code", "code/main.py", "in", "in/rows", "out", "tmp")]
    assert len(seen["processes"]) == 3 and 1 in seen["processes"]  # the first, its watch, the step

    user = (65534, 65534) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    assert set(seen["uids"][:4]) == {str(user[0])} and set(seen["uids"][4:]) == {str(user[1])}
    assert set(seen["caps"]) == {"0" * 16} and seen["privs"] == ["1", "2"]
    fsize = Limits(disk=1 << 30).file_bytes
    assert seen["limits"] == {"NOFILE": [1024, 1024], "CORE": [0, 0], "FSIZE": [fsize, fsize]}
    assert seen["host"] == "step" and not set(seen["env"]) & set(KEYS)

    real = {point: (root, options) for root, options, point in seen["mounts"]}
    assert "ro" in real["/"][1].split(",") and "ro" in real["/step"][1].split(",")
    kernel = ("/proc", "/sys", "/dev")
    held = {point for point in real if not point.startswith(kernel)}
    engines = {"/etc/resolv.conf", "/etc/hostname", "/etc/hosts", "/run/.containerenv"}  # the engine's own, read-only
    assert held - engines == {"/", "/step", "/step/out", "/step/tmp", "/tmp"}
    assert all("ro" in real[point][1].split(",") for point in held & engines)
    names = [root for root, _ in real.values() if str(place.parent) in root]  # the names alone, and of itself only
    assert all(root in (str(place), str(place / "out")) for root in names)
