"""Containment probes: from inside an isolation, each tries one thing that a step must not be able to do.

No probe uses what it reaches. It sends nothing but a datagram to a decoy, and writes nothing but an empty decoy file.
The module runs as a step of its own. It also runs outside any isolation, as the control that each decoy can be reached
at all. For both, it imports only the standard library.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import json
import mmap
import os
import platform
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

OPEN, HELD, UNTRIED = "open", "held", "untried"
ELSEWHERE = "192.0.2.53"  # an address reserved for examples: only a route is looked up, and nothing is sent
PATIENCE = 0.5  # seconds within which a network refuses
SWITCHES = (
    "/proc/sysrq-trigger",
    "/proc/mtrr",
    "/dev/mem",
    "/dev/kmsg",
    "/sys/power/state",
    "/sys/kernel/uevent_helper",
)
TREES = ("/sys/fs/cgroup", "/proc/irq", "/proc/bus", "/proc/acpi", "/proc/scsi", "/proc/tty", "/proc/sys")
MOST = 2000  # most files of all trees together that are tried
NEW_USERS = 0x10000000  # CLONE_NEWUSER
KEYCTL, CLONE3, IO_URING_SETUP, USERFAULTFD, BPF, PTRACE = 250, 435, 425, 323, 321, 101  # on x86-64
X32_GETPID = 0x40000000 | 39
I386_GETPID = bytes.fromhex("b814000000 cd80 c3")  # mov eax, 20; int 0x80; ret
SHARED = 128 << 20  # bytes of shared memory to fill, more than the limit allows
PIECE = 1 << 20
LINGER = 5.0  # seconds within which the monitor outside must have measured memory
Spec = Mapping[str, Any]


def _held(bad: OSError) -> str:
    return f"{HELD}: {errno.errorcode.get(bad.errno or 0, type(bad).__name__)}"


def _reach(address: tuple[str, int], *, answered: bool = False) -> str:
    """Connect to an address; `answered` says that a refused connection counts as reached."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        with socket.socket(family) as call:
            call.settimeout(PATIENCE)
            call.connect(address)
    except ConnectionRefusedError as bad:
        return f"{OPEN}: refused there" if answered else _held(bad)
    except TimeoutError:
        return f"{OPEN}: it waits for an answer"
    except OSError as bad:
        return _held(bad)
    return OPEN


def _knock(paths: Iterable[str]) -> str:
    """Connect to the first socket that opens, and return how that ended."""
    how = f"{HELD}: none is here"
    for path in paths:
        with socket.socket(socket.AF_UNIX) as call:
            try:
                call.connect("\0" + path[1:] if path.startswith("@") else path)
            except OSError as bad:
                how = _held(bad)
            else:
                return OPEN
    return how


def ipv4(spec: Spec) -> str:
    """Try to connect to the machine's loopback over IPv4."""
    return _reach(("127.0.0.1", spec["ipv4"]))


def ipv6(spec: Spec) -> str:
    """Try to connect to the machine's loopback over IPv6."""
    return _reach(("::1", spec["ipv6"]))


def host(spec: Spec) -> str:
    """Try to connect to this machine by each of its network addresses; a refused connection counts as reached."""
    ends = [_reach((address, spec["ipv4"]), answered=True) for address in spec["host"]]
    return next((end for end in ends if end.startswith(OPEN)), ends[0])


def dns(spec: Spec) -> str:
    """Try to send a datagram, such as a DNS query, and to find a route to a DNS server elsewhere."""
    how = f"{HELD}: nothing came"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as call:
            try:
                call.sendto(b"?", ("127.0.0.1", spec["dns"]))
            except OSError as bad:
                how = _held(bad)
            call.connect((ELSEWHERE, 53))
    except OSError as bad:
        return _held(bad) if bad.errno == errno.EPERM else how  # the receiver knows whether the datagram came
    return f"{OPEN}: there is a way out"


def abstract(spec: Spec) -> str:
    """Try to connect to an abstract Unix socket, which has no file and belongs to the network namespace."""
    return _knock([spec["abstract"]])


def raw(_: Spec) -> str:
    """Try to open a raw socket."""
    how = ""
    for family, protocol in ((socket.AF_INET, 1), (socket.AF_INET6, 58), (socket.AF_PACKET, 0)):
        try:
            socket.socket(family, socket.SOCK_RAW, protocol).close()
        except OSError as bad:
            how = _held(bad)
        else:
            return OPEN
    return how


def engine(spec: Spec) -> str:
    """Try to connect to the socket of a container engine, which would give root privileges."""
    return _knock(spec["engine"])


def steps(spec: Spec) -> str:
    """Try to read the files of another step that runs on this machine."""
    try:
        Path(spec["steps"]).read_bytes()
    except OSError as bad:
        return _held(bad)
    return OPEN


def store(spec: Spec) -> str:
    """Try to open a file of the store, and one in a folder that everyone may write to; neither must succeed."""
    how = ""
    for path, way in ((spec["store"], os.O_RDONLY), (spec["written"], os.O_WRONLY | os.O_CREAT)):
        try:
            os.close(os.open(path, way, 0o666))
        except OSError as bad:
            how = _held(bad)
        else:
            return f"{OPEN}: {'written' if way & os.O_CREAT else 'read'}"
    return how


def inputs(spec: Spec) -> str:
    """Try to open the step's own inputs for writing, even after chmod."""
    with contextlib.suppress(OSError):
        os.chmod(spec["inputs"], 0o600)
    try:
        os.close(os.open(spec["inputs"], os.O_WRONLY))
    except OSError as bad:
        return _held(bad)
    return OPEN


def _switches() -> Iterator[str]:
    for top in TREES:
        for folder, folders, names in os.walk(top):
            if folder == "/proc/sys":
                folders[:] = [one for one in folders if one != "net"]  # many files, all of the step's own network
            yield from (os.path.join(folder, name) for name in names)


def kernel(_: Spec) -> str:
    """Try to open the kernel's switches in /proc and /sys for writing; writes nothing."""
    opened, how = [], f"{HELD}: none is here"
    for path in (*SWITCHES, *islice(_switches(), MOST)):
        try:
            handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except OSError as bad:
            how = how if bad.errno == errno.ENOENT else _held(bad)
            continue
        if os.fstat(handle).st_rdev != os.makedev(1, 3):  # an engine mounts /dev/null over what it hides
            opened.append(path)
        os.close(handle)
    return f"{OPEN}: {len(opened)} files, as {opened[0]}" if opened else how


def _in_child(code: Callable[[], int]) -> str:
    """Call `code` in a child process, which a filter may kill; return how it ended.

    `code` returns 0 if its attempt succeeded, or else an error number.
    """
    child = os.fork()
    if not child:
        os._exit(min(code(), 255))
    end = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"{HELD}: {errno.errorcode.get(end, f'signal {-end}')}" if end else OPEN


def _call(number: int, *arguments: int | None) -> int:
    """Make a system call by its number; return the error number, or 0 without an error."""
    import ctypes  # noqa: PLC0415 - heavy

    given = (one if one is None else ctypes.c_long(one) for one in arguments)
    made = ctypes.CDLL(None, use_errno=True).syscall
    made.restype = ctypes.c_long
    return 0 if made(ctypes.c_long(number), *given) >= 0 else ctypes.get_errno() or 255


def _tried_call(number: int, *arguments: int | None) -> str:
    """Try a system call without effect; it is `held` if the call is refused, but not if only its arguments are."""
    if platform.machine() != "x86_64":
        return UNTRIED
    return _in_child(lambda: end if (end := _call(number, *arguments)) in (errno.EPERM, errno.ENOSYS) else 0)


def users(_: Spec) -> str:
    """Try to create a user namespace, in which the process would have every privilege."""
    import ctypes  # noqa: PLC0415 - heavy

    libc = ctypes.CDLL(None, use_errno=True)
    return _in_child(lambda: 0 if libc.unshare(NEW_USERS) == 0 else ctypes.get_errno() or 255)


def keyring(_: Spec) -> str:
    """Try to look up the session keyring, in which a user keeps keys and a step could leave data for another."""
    return _tried_call(KEYCTL, 0, -3, 0)


def clone3(_: Spec) -> str:
    """Try the system call clone3, which starts processes with flags that no filter of system calls can read."""
    return _tried_call(CLONE3, None, 0)


def io_uring(_: Spec) -> str:
    """Try to set up an io_uring, through which system calls are made that no filter sees."""
    return _tried_call(IO_URING_SETUP, 0, None)


def bpf(_: Spec) -> str:
    """Try the system call bpf, which loads programs into the kernel."""
    return _tried_call(BPF, 0, None, 0)


def userfaultfd(_: Spec) -> str:
    """Try the system call userfaultfd, by which a process can make the kernel wait for memory."""
    return _tried_call(USERFAULTFD, 1)


def ptrace(_: Spec) -> str:
    """Try the system call ptrace, by which a process lets its parent trace it."""
    return _tried_call(PTRACE, 0, 0, 0, 0)


def tables(_: Spec) -> str:
    """Try `getpid` through the system call tables of x32 and of 32-bit programs, whose numbers mean other calls."""
    if platform.machine() != "x86_64":
        return UNTRIED
    x32 = _in_child(lambda: _call(X32_GETPID))
    return x32 if x32.startswith(OPEN) else _in_child(_call_32_bit)


def _call_32_bit() -> int:
    import ctypes  # noqa: PLC0415 - heavy

    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(I386_GETPID)
    end = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    return 0 if end > 0 else -end or 255


def _open_socket(family: int, kind: int) -> str:
    """Open a socket of a family and close it at once; nothing is sent and no connection is made."""
    try:
        socket.socket(family, kind).close()
    except OSError as bad:
        return _held(bad)
    return OPEN


def vsock(_: Spec) -> str:
    """Try to open a socket to the machine that this virtual machine runs on."""
    return _open_socket(socket.AF_VSOCK, socket.SOCK_STREAM)


def netlink(_: Spec) -> str:
    """Try to open a socket to the kernel's own services."""
    return _open_socket(socket.AF_NETLINK, socket.SOCK_RAW)


def packet(_: Spec) -> str:
    """Try to open a socket for packets of a network card."""
    return _open_socket(socket.AF_PACKET, socket.SOCK_DGRAM)


def share_memory() -> None:
    """Fill shared memory, which no limit of a single process counts, and wait to be ended from outside."""
    held = mmap.mmap(-1, SHARED)
    for _ in range(SHARED // PIECE):
        held.write(b"x" * PIECE)
    time.sleep(LINGER)


def others(spec: Spec) -> str:
    """Try to see the process of the harness itself in /proc, which is recognized by its start time."""
    try:
        stat = Path(f"/proc/{spec['others'][0]}/stat").read_text()
    except OSError as bad:
        return _held(bad)
    return OPEN if stat.rpartition(")")[2].split()[19] == spec["others"][1] else f"{HELD}: it is another"


def processes(spec: Spec) -> str:
    """Try to start more tasks than the limit; the kernel counts threads and processes alike."""
    most, gate = int(spec["processes"]), _thread.allocate_lock()
    gate.acquire()
    _thread.stack_size(64 << 10)
    for number in range(most + 1):
        try:
            _thread.start_new_thread(gate.acquire, ())
        except RuntimeError:
            return f"{HELD}: {number} more at most"
    return f"{OPEN}: more than {most}"


_PROBES = (
    abstract,
    bpf,
    clone3,
    dns,
    engine,
    host,
    inputs,
    io_uring,
    ipv4,
    ipv6,
    kernel,
    keyring,
    netlink,
    others,
    packet,
    ptrace,
    raw,
    steps,
    store,
    tables,
    userfaultfd,
    users,
    vsock,
    processes,  # the last: it leaves threads behind
)
ATTACKS: Mapping[str, Callable[[Spec], str]] = {each.__name__: each for each in _PROBES}


def attack(spec: Spec) -> dict[str, str]:
    """Run every probe for which there is a target; return by name how each ended: `open`, `held` or `untried`."""
    return {name: try_(spec) if spec.get(name, True) else UNTRIED for name, try_ in ATTACKS.items()}


if __name__ == "__main__":
    if "share-memory" in sys.argv:
        share_memory()
        sys.exit()
    Path("out/tried.json").write_text(json.dumps(attack(json.loads(Path("step.json").read_bytes())["params"])))
    sys.stdout.flush()
    os._exit(0)  # with every thread
