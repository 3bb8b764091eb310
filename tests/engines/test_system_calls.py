"""A step makes the calls that Python, numpy, torch and a shell make, and no other: each attack is made from inside one.

No socket of a refused family is connected anywhere: that it cannot be opened is all that is looked at.
"""

from __future__ import annotations

import ctypes
import json
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support_walls import REFUSED, SOCKETS, UNLISTED, X32, tried

from harness.engines import system_calls
from harness.engines.engine import Outcome
from harness.engines.local import available_isolations
from harness.engines.system_calls import ALLOWED, engine_profile, filter_program

pytestmark = pytest.mark.skipif(not system_calls.can_filter(), reason="no step is filtered on this machine")
EVERY = pytest.mark.parametrize("isolation", available_isolations())


@EVERY
def test_a_step_is_refused_every_call_that_attacks(run: Callable[..., Outcome], folder: Path, isolation: str) -> None:
    ended = tried(run, folder, isolation, REFUSED | UNLISTED)
    assert {name: how for name, how in ended.items() if how != "EPERM"} == {}


def test_a_container_is_refused_every_call_that_attacks(step: Callable[..., Outcome], place: Path) -> None:
    """Its engine adds nothing to a profile that it is given, and a terminal there is none to type into."""
    plain = {name: call for name, call in REFUSED.items() if name not in ("typing into a terminal", X32)}
    missing = {"clone3": (435, 0, 0)}
    ended = tried(lambda _, code: step(code), place, "container", plain | missing)
    assert {name: how for name, how in ended.items() if how != "EPERM"} == {"clone3": "ENOSYS"}
    assert set(tried(lambda _, code: step(code), place, "container", UNLISTED).values()) <= {"EPERM", "ENOSYS"}
    assert step(SOCKETS).log == b"socket 1\nsocketpair 1\n"


@EVERY
def test_a_call_that_a_library_does_without_is_told_as_missing(
    run: Callable[..., Outcome], folder: Path, isolation: str
) -> None:
    """For what is told as missing a library makes an older call; what is refused ends it."""
    assert tried(run, folder, isolation, {"clone3": (435, 0, 0), "of tomorrow": (system_calls.LAST + 1,)}) == {
        "clone3": "ENOSYS",
        "of tomorrow": "ENOSYS",
    }


@EVERY
def test_a_step_opens_no_socket_but_those_of_files(run: Callable[..., Outcome], isolation: str) -> None:
    assert run(isolation, SOCKETS).log == b"socket 1\nsocketpair 1\n"


BUFFERS = """
    import socket
    one, _ = socket.socketpair()
    def of(option):
        return one.getsockopt(socket.SOL_SOCKET, option)
    before = [of(socket.SO_SNDBUF), of(socket.SO_RCVBUF)]
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33):
        one.setsockopt(socket.SOL_SOCKET, option, 1 << 20)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    print([of(socket.SO_SNDBUF), of(socket.SO_RCVBUF)] == before, of(socket.SO_PASSCRED))
"""


@EVERY
def test_no_step_makes_the_buffers_of_a_socket_larger(run: Callable[..., Outcome], isolation: str) -> None:
    """It is told that it did: a library that wishes for a size goes on with what there is."""
    assert run(isolation, BUFFERS).log == b"True 1\n"


@EVERY
def test_a_step_with_a_gateway_has_loopback_where_it_has_no_network(
    run: Callable[..., Outcome], isolation: str
) -> None:
    """A foreign client speaks TCP to whatever passes its words on; a bare process would reach the host's network."""
    lone = SOCKETS.replace(", socket.socketpair)", ",)")  # no pair is made of the other families
    with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as gateway:
        path = Path(place, "gateway.sock")
        gateway.bind(str(path))
        opened = run(isolation, lone, sockets=(path,)).log.decode().splitlines()
    families = {line.split()[1] for line in opened}
    assert families == ({"1"} if isolation == "process" else {"1", "2", "10"})


@EVERY
def test_a_call_of_the_32_bit_table_ends_who_makes_it(run: Callable[..., Outcome], isolation: str) -> None:
    code = """
        import ctypes, mmap
        child = os.fork()
        if not child:
            page = mmap.mmap(-1, 4096, prot=7)
            page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
            os._exit(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))() > 0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run(isolation, code).log == b"-31\n"  # SIGSYS


def session_keyring() -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return int(call(ctypes.c_long(250), ctypes.c_long(0), ctypes.c_long(-3), ctypes.c_long(1)))


@EVERY
def test_a_step_does_not_hold_the_keyring_of_its_harness(
    run: Callable[..., Outcome], isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the filter, which refuses it every call about keys, is taken away."""
    ours = session_keyring()
    if ours < 0:
        pytest.skip("keyrings cannot be used here")
    monkeypatch.setattr("harness.engines.local.filter_program", lambda **_: b"")
    code = """
        import ctypes
        print(ctypes.CDLL(None).syscall(250, 0, -3, 1))
    """
    first, second = int(run(isolation, code).log), int(run(isolation, code).log)
    assert len({ours, first, second}) == 3 and session_keyring() == ours


WORK = """
import asyncio, concurrent.futures, fcntl, mmap, multiprocessing, os, shutil, signal, socket, sqlite3, subprocess, sys
import tempfile, time
from multiprocessing import shared_memory

def square(number):
    return number * number

async def talk():
    child = await asyncio.create_subprocess_exec("cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    told, _ = await child.communicate(b"told")
    return await asyncio.to_thread(bytes.decode, told)

SHELL = '''
set -euo pipefail
top=$(seq 10 | sort -rn | head -3 | tr '\\n' ' '); cat <(echo $top) <<<b
for n in 1 2; do (sleep 0.01 &); done; wait; trap 'echo trapped' EXIT
cd $TMPDIR; mkfifo pipe; rm pipe; find . | wc -l; sed s/a/b/ <<<a; timeout 1 true; date; env
cp /proc/self/status one; mv one two; touch two; chmod 600 two; tar -cf t.tar two; gzip t.tar; tar -xzf t.tar.gz; ls -la
xargs -n1 -P2 echo <<<'a b'; id -u; df .; du .; stat .; ulimit -n; perl -e 'print 1'; ln -s two three; rm -r three
'''

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(b"x" * 100)
            file.flush()
            os.fsync(file.fileno())
            file.truncate(50)
            os.posix_fallocate(file.fileno(), 0, 4096)
        shutil.copy2(path, path + "2")
        os.link(path, path + "3")
        os.replace(path + "3", path + "4")
        os.mkfifo(path + "5")
        with sqlite3.connect(path + ".db") as base:
            base.execute("pragma journal_mode=wal")
            base.execute("create table one (it)")
        base.close()
        held = mmap.mmap(-1, 1 << 20)
        held.madvise(mmap.MADV_DONTNEED)
        held.resize(1 << 21)
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            server.bind(path + ".s")
            server.listen()
            client.connect(path + ".s")
            server.accept()[0].close()
        for way in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(way)
            with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
                assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
        common = shared_memory.SharedMemory(create=True, size=4096)
        common.close()
        common.unlink()
        assert asyncio.run(talk()) == "told"
        os.environ["TMPDIR"] = folder
        subprocess.run(["bash", "-c", SHELL], check=True, stdout=subprocess.DEVNULL)
        print("worked")
"""
NUMBERS = """
import os, tempfile
import numpy, torch
from torch.utils.data import DataLoader

if __name__ == "__main__":
    many = numpy.random.default_rng(0).normal(size=(200, 200))
    numpy.linalg.svd(many)
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(folder + "/many.npy", many)
        numpy.load(folder + "/many.npy", mmap_mode="r").sum()
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    net(torch.ones(512, 64)).sum().backward()
    torch.ones(10).share_memory_()
    assert len(list(DataLoader(list(range(8)), num_workers=2, batch_size=4))) == 2
    print("worked")
"""


@EVERY
def test_python_and_a_shell_work_behind_the_filter(run: Callable[..., Outcome], isolation: str) -> None:
    outcome = run(isolation, WORK.replace("\n", "\n    "))
    assert outcome.log.endswith(b"worked\n") and outcome.fine, outcome.log.decode()


@pytest.mark.long
@EVERY
def test_numpy_and_torch_work_behind_the_filter(run: Callable[..., Outcome], isolation: str) -> None:
    pytest.importorskip("torch")
    outcome = run(isolation, "sys.path.append(sys.argv[1])\n" + NUMBERS)
    assert outcome.log.endswith(b"worked\n") and outcome.fine, outcome.log.decode()


@pytest.mark.long
@pytest.mark.parametrize("work", [WORK, NUMBERS], ids=["python", "torch"])
def test_every_call_of_real_work_is_on_the_list(work: str, tmp_path: Path) -> None:
    """As strace sees it, without a filter; `clone3` is told as missing, and a refused `mbind` is done without.

    The latter says where pages lie, and no container engine lets it be made either.
    """
    trace = tmp_path / "trace"
    if not shutil.which("strace") or subprocess.run(["strace", "-o", trace, "true"], check=False).returncode:
        pytest.skip("strace is not here, or not allowed")
    if work is NUMBERS:
        pytest.importorskip("torch")
    (tmp_path / "work.py").write_text(work)
    words = ["strace", "-f", "-qq", "-e", "signal=none", "-o", str(trace), sys.executable, "-B", "work.py"]
    subprocess.run(words, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    made = set(
        re.findall(r"^[0-9]+ +(?:<\.\.\. )?([a-z_0-9]+)(?:\(| resumed)", trace.read_text(errors="replace"), re.M)
    )
    assert (
        len(made) > 50
        and made - {*ALLOWED, *system_calls.SOCKETS, "clone", "clone3", "ioctl", "mbind", "setsockopt"} == set()
    )


def test_a_containers_profile_says_what_the_filter_says() -> None:
    said = json.loads(engine_profile())
    assert (said["defaultAction"], said["defaultErrnoRet"]) == ("SCMP_ACT_ERRNO", 1)
    plain = {name for rule in said["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" and "args" not in rule
             for name in rule["names"]}  # fmt: skip
    assert plain == {*ALLOWED, "ioctl", "setsockopt"} and not plain & {
        *REFUSED,
        "clone",
        "clone3",
        "socket",
        "socketpair",
    }
    assert {name for rule in said["syscalls"] if rule.get("args") for name in rule["names"]} == {
        "clone", "socket", "socketpair"
    }  # fmt: skip


def test_a_containers_profile_lets_sockets_be_opened_as_the_filter_does() -> None:
    """Those of files, and of loopback only where a step is given a gateway."""

    def families(*, on_loopback: bool) -> set[int]:
        rules = json.loads(engine_profile(on_loopback=on_loopback))["syscalls"]
        mine = [rule for rule in rules if set(rule["names"]) & {"socket", "socketpair"}]
        assert all(rule["args"][0]["index"] == 0 and rule["args"][0]["op"] == "SCMP_CMP_EQ" for rule in mine)
        return {rule["args"][0]["value"] for rule in mine}

    assert (families(on_loopback=False), families(on_loopback=True)) == ({1}, {1, 2, 10})


def test_numbers_of_the_list_are_the_kernels() -> None:
    headers = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not headers.exists():
        pytest.skip("the kernel's headers are not here")
    numbers = dict(re.findall(r"#define __NR_(\w+) (\d+)", headers.read_text()))
    known = {**ALLOWED, **system_calls.SOCKETS}
    assert {name: number for name, number in known.items() if numbers.get(name, str(number)) != str(number)} == {}


def test_another_processor_has_no_filter_rather_than_a_wrong_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    system_calls.can_filter.cache_clear()
    filter_program.cache_clear()
    try:
        assert filter_program() == b"" and engine_profile() == ""
    finally:
        monkeypatch.undo()
        system_calls.can_filter.cache_clear()
        filter_program.cache_clear()
