"""A step in a container that means harm reaches nothing, keeps nothing, and ends within bounds, with a clear word."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from harness.digest import sha256_file
from harness.engines.engine import Limits
from harness.engines.monitor import DiskBudget
from harness.files import remove_tree

MIB = 1 << 20
FILLS = {
    "100 GB in one file": ("f = open('out/big', 'wb')\nwhile True: f.write(bytes(1 << 20))", "more than 64 MiB"),
    "100 GB in many files": (
        "n = 0\nwhile True:\n    open(f'out/{n}', 'wb').write(bytes(1 << 20)); n += 1",
        "more than 64 MiB",
    ),
    "one sparse file": (
        "open('out/big', 'wb').truncate(60 << 20); open('out/more', 'wb').truncate(60 << 20)",
        "64 MiB",
    ),
    "a million files, named by any bytes": (
        "for n in range(10**6): os.close(os.open(b'out/\\xff\\n\\x1b[31m%d' % n, os.O_CREAT))",
        "more than 1000 files",
    ),
    "a million folders": ("for n in range(10**6): os.mkdir(f'out/{n}')", "more than 1000 files"),
    "a million links": (
        "open('out/x', 'w')\nfor n in range(10**6): (os.link if n % 2 else os.symlink)('out/x', f'out/{n}')",
        "more than 1000 files",
    ),
}


@pytest.mark.parametrize("kind", FILLS)
def test_a_step_past_its_disk_budget_is_ended(step, place: Path, kind: str) -> None:
    code, over = FILLS[kind]
    begun = time.monotonic()
    outcome = step(code, disk=64 * MIB, files=1000)
    assert over in outcome.over and not outcome.fine
    assert time.monotonic() - begun < 30
    assert sum(one.stat(follow_symlinks=False).st_blocks * 512 for one in os.scandir(place / "out")) < 2048 * MIB
    remove_tree(place)
    assert not place.exists()


def test_folders_too_deep_to_count_are_over_the_budget_and_are_removed(step, place: Path) -> None:
    code = """
        os.chdir("out")
        for _ in range(40):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
            open("big", "wb").write(bytes(1 << 20))
    """
    outcome = step(code, disk=64 << 30, files=10**6)
    assert outcome.over == "folders that cannot be looked into"
    remove_tree(place)
    assert not place.exists()


def test_files_without_a_name_are_seen_by_the_room_they_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = os.statvfs(tmp_path)
    free = [disk.f_blocks // 2, disk.f_blocks // 2, disk.f_blocks // 100]

    def room(_: object) -> os.statvfs_result:
        return os.statvfs_result((*disk[:4], free.pop(0), *disk[5:]))

    monkeypatch.setattr("harness.engines.monitor.os.statvfs", room)
    budget = DiskBudget((tmp_path,), replace(Limits(), disk=MIB))
    assert [budget.spent(now=True) for _ in range(3)][:2] == ["", ""] and "nearly full" in budget.over


@pytest.mark.parametrize("place_", ["/tmp", "/step/tmp", "/dev/shm"])
def test_a_step_that_fills_its_scratch_has_no_more_than_its_memory(step, place_: str) -> None:
    code = f"""
        for n in range(200):
            with open(f"{place_}/{{n}}", "wb") as file:
                file.write(bytes(8 << 20))
    """
    begun = time.monotonic()
    outcome = step(code, memory=128 * MIB)
    assert not outcome.fine and (outcome.oom or b"No space left" in outcome.log)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    "code",
    [
        "while True: os.fork()",
        "import subprocess\nwhile True:\n    try: subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "    except OSError: pass",
    ],
)
def test_a_step_that_forks_without_end_stays_in_bounds(step, code: str) -> None:
    begun = time.monotonic()
    outcome = step("\n".join(f"        {line}" for line in code.splitlines()), seconds=4, processes=64)
    assert not outcome.fine and time.monotonic() - begun < 30
    assert step("print('well')").log == b"well\n"


LEFT = """
    import time
    os.system("(sleep 1; echo late > out/late) &")
    os.system('trap "" TERM HUP; nohup sh -c "while :; do date > out/noted; done" >/dev/null 2>&1 &')
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(1)
        open("out/late", "w")
    open("out/made", "w").write("x")
"""


def test_what_a_step_leaves_running_writes_nothing_after_the_call(step, place: Path) -> None:
    made = place / "out"
    assert step(LEFT + "    while not os.path.exists('out/noted'): time.sleep(0.01)").exit == 0
    ended = {one.name: sha256_file(one) for one in made.iterdir()}
    assert set(ended) == {"made", "noted"}
    assert step("while True: open('out/more', 'a').write('more')", seconds=1.0).timed_out
    after = {one.name: sha256_file(one) for one in made.iterdir()}
    assert after["noted"] == ended["noted"] and "late" not in after
    time.sleep(0.5)  # all that was to be late is due by now
    assert {one.name: sha256_file(one) for one in made.iterdir()} == after


def test_a_flood_of_output_keeps_neither_the_deadline_nor_the_harness(step) -> None:
    heard = [0]

    def listen(text: bytes) -> None:
        heard[0] += len(text)

    begun = time.monotonic()
    outcome = step("os.execvp('yes', ['yes', 'x' * 10000])", listen, seconds=2.0)
    assert outcome.timed_out and heard[0] > MIB and len(outcome.log) == Limits().log_bytes
    assert time.monotonic() - begun < 15


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("os.kill(1, 9); open('out/lives', 'w')", (0, 0)),  # the first process of a container hears no such word
        ("os.kill(-1, 9); open('out/lives', 'w')", (0, 0)),
        ("os.kill(os.getppid(), 15); os.kill(os.getppid(), 19); open('out/lives', 'w')", (0, 0)),
        ("os.system('kill -9 -1'); sys.exit(3)", None),
    ],
)
def test_a_step_that_kills_what_is_around_it_kills_itself_at_most(step, place: Path, code: str, ends: object) -> None:
    begun = time.monotonic()
    outcome = step(code, seconds=20)
    assert ends is None or ((outcome.exit, outcome.signal) == ends and (place / "out" / "lives").exists())
    assert not outcome.timed_out and time.monotonic() - begun < 15


ESCAPES = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    def attempt(name, work):
        try:
            print(name, "SUCCEEDED" if work() else "refused")
        except (OSError, ValueError):
            print(name, "refused")
    attempt("mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
    attempt("remount", lambda: libc.mount(None, b"/step", None, 32 | 4096, None) == 0)
    attempt("umount", lambda: libc.umount2(b"/step/out", 2) == 0)
    attempt("chroot", lambda: os.chroot("/tmp") is None)
    for name, flag in {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000}.items():
        attempt(f"unshare {name}", lambda flag=flag: libc.unshare(flag) == 0)
    for name in ("user", "mnt", "net", "pid"):
        attempt(f"setns {name}", lambda name=name: libc.setns(os.open(f"/proc/1/ns/{name}", os.O_RDONLY), 0) == 0)
    attempt("mknod", lambda: os.mknod("/step/out/disk", 0o60666, os.makedev(254, 0)) is None)
    attempt("setuid", lambda: os.setuid(0) is None)
    attempt("chown", lambda: os.chown("/step/out", 0, 0) is None)
    attempt("settime", lambda: __import__("time").clock_settime(0, 0) is None)
    attempt("sethostname", lambda: __import__("socket").sethostname("x") is None)
    attempt("nice", lambda: os.setpriority(0, 0, -5) is None)
    attempt("rlimit", lambda: __import__("resource").setrlimit(7, (4096, 4096)) is None)
    attempt("keyctl", lambda: libc.syscall(250, 0, -3, 1) >= 0)
    attempt("bpf", lambda: libc.syscall(321, 0, 0, 0) >= 0)
    attempt("perf", lambda: libc.syscall(298, 0, 0, -1, -1, 0) >= 0)
    attempt("handle", lambda: libc.syscall(304, -1, 0, 0) >= 0)
    attempt("kmsg", lambda: open("/dev/kmsg", "w"))
    attempt("mem", lambda: os.open("/dev/mem", os.O_RDWR) >= 0)
    attempt("core", lambda: open("/proc/sys/kernel/core_pattern", "w"))
    attempt("sysrq", lambda: open("/proc/sysrq-trigger", "w"))
    attempt("release", lambda: open("/sys/fs/cgroup/memory/release_agent", "w"))
    attempt("oom", lambda: os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-1000"))
"""


def test_every_way_out_that_needs_a_power_is_refused(step) -> None:
    lines = step(ESCAPES).log.decode().splitlines()
    assert len(lines) == 29 and [line for line in lines if not line.endswith(" refused")] == []


def test_a_setuid_program_gives_nothing(step, place: Path) -> None:
    """A copy of `id` of root's own, with the setuid bit, among the inputs: no new privileges."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a setuid program of root's")
    code = """
        import shutil, subprocess
        shutil.copy("/usr/bin/id", "out/id")
        os.chmod("out/id", 0o4755)
        print(subprocess.run(["out/id", "-u"], capture_output=True, text=True).stdout.strip())
        for line in open("/proc/self/status"):
            if line.startswith("NoNewPrivs"):
                print(line.split()[1])
        print(subprocess.run(["/step/in/id", "-u"], capture_output=True, text=True).stdout.strip())
    """
    (place / "in" / "id").write_bytes(Path("/usr/bin/id").read_bytes())
    (place / "in" / "id").chmod(0o4755)
    assert step(code).log.split() == [b"65534", b"1", b"65534"]
    assert (place / "out" / "id").stat().st_mode & 0o6000 == 0
