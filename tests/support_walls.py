"""Attacks on the walls around a step, each made from inside one: calls that are refused, memory beyond what is allowed.

No socket of a refused family is connected anywhere: that it cannot be opened is all that is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.engines.engine import Outcome
from harness.engines.system_calls import ALLOWED, CLONE, CLONE3, IOCTL, LAST, SETSOCKOPT
from harness.engines.system_calls import SOCKETS as FAMILIES

X32 = "getpid of the x32 table"  # which a container's filter ends the process for
# Each by its number on x86-64 and arguments that would come to nothing: a refusal is the filter's.
REFUSED = {
    "keyctl": (250, 0, -3, 1), "add_key": (248, 0, 0, 0, 0, -3), "request_key": (249, 0, 0, 0, 0),
    "bpf": (321, 0, 0, 0), "io_uring_setup": (425, 0, 0), "io_uring_enter": (426, -1, 0, 0, 0, 0),
    "io_uring_register": (427, -1, 0, 0, 0), "userfaultfd": (323, 1), "perf_event_open": (298, 0, 0, -1, -1, 0),
    "ptrace": (101, 0, 0, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0), "pidfd_getfd": (438, -1, 0, 0), "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0), "fsopen": (430, 0, 0), "fsmount": (432, -1, 0, 0), "fsconfig": (431, -1, 0, 0, 0, 0),
    "move_mount": (429, -1, 0, -1, 0, 0), "open_tree": (428, -1, 0, 0), "setns": (308, -1, 0),
    "unshare": (272, 0x10000000), "kexec_load": (246, 0, 0, 0, 0), "kexec_file_load": (320, -1, -1, 0, 0, 0),
    "init_module": (175, 0, 0, 0), "finit_module": (313, -1, 0, 0), "delete_module": (176, 0, 0),
    "memfd_create": (319, 0, 0), "memfd_secret": (447, 0), "shmget": (29, 0, 4096, 0o1600),
    "personality": (135, 0xFFFFFFFF), "open_by_handle_at": (304, -1, 0, 0), "seccomp": (317, 0, 0, 0),
    "setxattr": (188, 0, 0, 0, 0, 0), "lsetxattr": (189, 0, 0, 0, 0, 0), "fsetxattr": (190, -1, 0, 0, 0, 0),
    "clone of a namespace": (56, 0x10000000 | 17, 0, 0, 0, 0), "typing into a terminal": (16, 0, 0x5412, 0),
    X32: (0x40000000 | 39,),
}  # fmt: skip
PROBED = (335, 336)  # uretprobe and uprobe, which pass every filter, and end whoever makes them outside of a probe
# Whatever number the list leaves out, with arguments that would come to nothing.
UNLISTED = {
    str(number): (number, *[-1] * 6)
    for number in range(LAST + 1)
    if number not in {*ALLOWED.values(), *FAMILIES.values(), CLONE, CLONE3, IOCTL, SETSOCKOPT, *PROBED}
}
CALLS = """
    import ctypes, errno, json
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    def end(number, *given):
        made = call(ctypes.c_long(number), *map(ctypes.c_long, given))
        return "made" if made >= 0 else errno.errorcode[ctypes.get_errno()]
    print(json.dumps({name: end(*given) for name, given in json.loads(open("in/calls").read()).items()}))
"""
SOCKETS = """
    import socket
    for family in range(46):
        for make in (socket.socket, socket.socketpair):
            try:
                made = make(family, socket.SOCK_STREAM)
                print(make.__name__, family)
            except PermissionError:
                continue
"""


def tried(run: Callable[..., Outcome], folder: Path, isolation: str, calls: dict[str, tuple[int, ...]]) -> Any:
    (folder / "in" / "calls").write_text(json.dumps(calls))
    outcome = run(isolation, CALLS)
    assert outcome.fine, outcome.log.decode()
    return json.loads(outcome.log)


# Each takes three times what it may, and waits to be ended for it; who leaves that to a child ends as the child did.
TAKEN = {
    "sockets that are full": """
        import contextlib, resource, socket, time
        with contextlib.suppress(ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        kept = []
        with contextlib.suppress(OSError):
            while True:
                for one in (pair := socket.socketpair()):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
                    one.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        while one.send(bytes(1 << 16)):
                            pass
                kept.append(pair)
    """,
    "one shared map": """
        import mmap, time
        held = mmap.mmap(-1, 384 << 20)
        for _ in range(384):
            held.write(bytes(1 << 20))
    """,
    "shared maps that are filled by the kernel": """
        import mmap, time
        held = [mmap.mmap(-1, 32 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x8000) for _ in range(12)]
    """,
    "a map that its maker has left to a child": """
        import mmap, time
        held = mmap.mmap(-1, 384 << 20)
        if os.fork():
            _, ended = os.wait()
            os.kill(os.getpid(), ended & 127)
        for _ in range(384):
            held.write(bytes(1 << 20))
    """,
    "processes that each keep within it": """
        import time
        for _ in range(5):
            if not (child := os.fork()):
                break
        held = b"x" * (64 << 20)
        if child:
            _, ended = os.wait()
            os.kill(os.getpid(), ended & 127)
    """,
    "a process whose first thread has ended": """
        import ctypes, mmap, threading, time
        def take():
            held = mmap.mmap(-1, 384 << 20)
            for _ in range(384):
                held.write(bytes(1 << 20))
            time.sleep(60)
        if not os.fork():
            threading.Thread(target=take).start()
            ctypes.CDLL(None).syscall(60, 0)
        _, ended = os.wait()
        os.kill(os.getpid(), ended & 127)
    """,
    "tables of pages": """
        import ctypes, time
        call = ctypes.CDLL(None)
        call.mmap.restype = ctypes.c_void_p
        call.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        call.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        count = 96 * 256
        place = call.mmap(None, count << 21, 1, 0x4022, -1, 0)
        call.madvise(place, count << 21, 15)
        for one in range(count):
            ctypes.string_at(place + (one << 21), 1)
        held = b"x" * (64 << 20)
    """,
}
NAMES = """
        import time
        for one in range(200_000):
            os.symlink("y" * 100, f"/dev/shm/{one:0200d}")
"""
FILES = """
        import time
        with open("/dev/shm/1", "wb") as file:
            for _ in range(96):
                file.write(bytes(1 << 20))
        held = b"x" * (80 << 20)
"""
WAITS = """
        time.sleep(60)
"""
