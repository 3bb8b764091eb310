"""System calls that a step may make, as a seccomp filter: a program for the kernel, a profile for container engines.

The list names what is allowed: the calls of Python, numpy, torch and a shell. Every other call is refused with EPERM.
Exceptions are `clone3` and calls newer than this list, which are refused with ENOSYS, so that a library falls back to
an older call. A process that loads the filter must not need a refused call afterwards.
"""

from __future__ import annotations

import errno
import functools
import json
import platform
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

# Name and number on x86-64, the only processors that steps run on.
_TABLE = """
access=21 faccessat=269 faccessat2=439 open=2 openat=257 openat2=437 creat=85 close=3 close_range=436 read=0 write=1
readv=19 writev=20 pread64=17 pwrite64=18 preadv=295 pwritev=296 preadv2=327 pwritev2=328 lseek=8 stat=4 fstat=5
lstat=6 newfstatat=262 statx=332 statfs=137 fstatfs=138 truncate=76 ftruncate=77 fallocate=285 fadvise64=221
readahead=187 sync_file_range=277 fsync=74 fdatasync=75 flock=73 fcntl=72 dup=32 dup2=33 dup3=292 getdents=78
getdents64=217 getcwd=79 chdir=80 fchdir=81 mkdir=83 mkdirat=258 rmdir=84 unlink=87 unlinkat=263 rename=82
renameat=264 renameat2=316 link=86 linkat=265 symlink=88 symlinkat=266 readlink=89 readlinkat=267 chmod=90 fchmod=91
fchmodat=268 fchmodat2=452 chown=92 fchown=93 lchown=94 fchownat=260 umask=95 utime=132 utimes=235 utimensat=280
futimesat=261 mknod=133 mknodat=259 getxattr=191 lgetxattr=192 fgetxattr=193 listxattr=194 llistxattr=195
flistxattr=196 removexattr=197 lremovexattr=198 fremovexattr=199
sendfile=40 copy_file_range=326 splice=275 tee=276 pipe=22 pipe2=293 eventfd=284 eventfd2=290 signalfd=282
signalfd4=289 timerfd_create=283 timerfd_settime=286 timerfd_gettime=287 select=23 pselect6=270 poll=7 ppoll=271
epoll_create=213 epoll_create1=291 epoll_ctl=233 epoll_wait=232 epoll_pwait=281 epoll_pwait2=441 inotify_init=253
inotify_init1=294 inotify_add_watch=254 inotify_rm_watch=255 connect=42 accept=43 accept4=288 bind=49 listen=50
getsockname=51 getpeername=52 getsockopt=55 sendto=44 recvfrom=45 sendmsg=46 recvmsg=47 sendmmsg=307
recvmmsg=299 shutdown=48 mmap=9 munmap=11 mprotect=10 mremap=25 madvise=28 mincore=27 msync=26 mlock=149 mlock2=325
munlock=150 mlockall=151 munlockall=152 brk=12 membarrier=324 mseal=462 fork=57 vfork=58 execve=59 execveat=322
exit=60 exit_group=231 wait4=61 waitid=247 kill=62 tkill=200 tgkill=234 pidfd_open=434 pidfd_send_signal=424
rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 rt_sigpending=127 rt_sigsuspend=130 rt_sigtimedwait=128
rt_sigqueueinfo=129 rt_tgsigqueueinfo=297 sigaltstack=131 restart_syscall=219 pause=34 alarm=37 futex=202
futex_waitv=449 futex_wake=454 futex_wait=455 futex_requeue=456 set_robust_list=273 get_robust_list=274
set_tid_address=218 rseq=334 arch_prctl=158 prctl=157 getcpu=309 getpid=39 getppid=110 gettid=186 getuid=102
geteuid=107 getgid=104 getegid=108 getresuid=118 getresgid=120 getgroups=115 getpgid=121 getpgrp=111 getsid=124
setpgid=109 setsid=112 setuid=105 setgid=106 setreuid=113 setregid=114 setresuid=117 setresgid=119 setgroups=116
capget=125 capset=126 getrlimit=97 setrlimit=160 prlimit64=302 getrusage=98 getpriority=140 setpriority=141
times=100 sysinfo=99 uname=63 sched_yield=24 sched_getaffinity=204 sched_setaffinity=203 sched_getparam=143
sched_setparam=142 sched_getscheduler=145 sched_setscheduler=144 sched_get_priority_max=146
sched_get_priority_min=147 sched_rr_get_interval=148 sched_getattr=315 sched_setattr=314 time=201 gettimeofday=96
clock_gettime=228 clock_getres=229 clock_nanosleep=230 nanosleep=35 getitimer=36 setitimer=38 timer_create=222
timer_settime=223 timer_gettime=224 timer_getoverrun=225 timer_delete=226 getrandom=318
"""
ALLOWED: Mapping[str, int] = {name: int(number) for name, number in (one.split("=") for one in _TABLE.split())}
SOCKETS: Mapping[str, int] = {"socket": 41, "socketpair": 53}  # AF_UNIX alone
CLONE, CLONE3, IOCTL, MEMFD, SETSOCKOPT = 56, 435, 16, 319, 54
LAST = 469  # the newest call that this list considers; newer ones are unknown here
AF_UNIX = 1
INET = (2, 10)  # AF_INET and AF_INET6
NEW_SPACES = 0x7E020000  # every CLONE_NEW… flag of clone
TYPED = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX, which type into a terminal
SOL_SOCKET = 1
BUFFERS = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF and the two that exceed the system's limit
X32 = 0x40000000  # the bit of the x32 table, whose numbers name other calls
NATIVE = 0xC000003E  # AUDIT_ARCH_X86_64
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _ANY, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER, _TABLE_OF, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_REFUSED, _UNKNOWN = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
_UNDONE = _ERRNO  # reported as done, although it is not


@functools.cache
def can_filter() -> bool:
    """Whether the system calls of steps can be filtered here: on x86-64, with a kernel that has seccomp filters."""
    return platform.machine() == "x86_64" and Path("/proc/sys/kernel/seccomp/actions_avail").exists()


@functools.cache
def filter_program(*, on_gpu: bool = False, on_loopback: bool = False) -> bytes:
    """Assemble the filter as an array of `struct sock_filter`; empty if no step can be filtered.

    `on_loopback` is for a step that reaches a gateway's socket and has no network, because foreign clients connect to
    it by TCP.

    `on_gpu` allows memory files, which the driver of a GPU makes. Other steps do not need them, and could hide memory
    in them.
    """
    if not can_filter():
        return b""
    return b"".join(struct.pack("=HBBI", *line) for line in _lines(on_gpu, on_loopback))


def _lines(on_gpu: bool, on_loopback: bool) -> Iterator[tuple[int, int, int, int]]:
    """Yield the instructions: code, jump if true, jump if false, operand. Every jump is a few lines long."""
    yield _LOAD, 0, 0, _TABLE_OF
    yield _EQUAL, 1, 0, NATIVE
    yield _RETURN, 0, 0, _KILL  # a call of the 32-bit table
    yield _LOAD, 0, 0, _NUMBER
    yield _AT_LEAST, 0, 1, X32
    yield _RETURN, 0, 0, _REFUSED
    yield _ABOVE, 0, 1, LAST
    yield _RETURN, 0, 0, _UNKNOWN
    yield _EQUAL, 0, 1, CLONE3
    yield _RETURN, 0, 0, _UNKNOWN
    yield from _looked_into(CLONE, 0, [(_ANY, NEW_SPACES)], _REFUSED, _ALLOW)
    for number in SOCKETS.values():
        families = (AF_UNIX, *(INET if on_loopback else ()))
        yield from _looked_into(number, 0, [(_EQUAL, one) for one in families], _ALLOW, _REFUSED)
    yield from _looked_into(IOCTL, 1, [(_EQUAL, one) for one in TYPED], _REFUSED, _ALLOW)
    # Requests for a buffer's size have no effect: a larger buffer would be memory that counts for no process.
    yield _EQUAL, 0, 2 * len(BUFFERS) + 5, SETSOCKOPT
    yield _LOAD, 0, 0, _ARGUMENTS + 8
    yield _EQUAL, 1, 0, SOL_SOCKET
    yield _RETURN, 0, 0, _ALLOW  # options of a protocol have numbers of their own
    yield _LOAD, 0, 0, _ARGUMENTS + 16
    for option in BUFFERS:
        yield _EQUAL, 0, 1, option
        yield _RETURN, 0, 0, _UNDONE
    yield _RETURN, 0, 0, _ALLOW
    for low, high in _ranges(sorted([*ALLOWED.values(), *([MEMFD] if on_gpu else [])])):
        yield _AT_LEAST, 0, 2, low
        yield _ABOVE, 1, 0, high
        yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _REFUSED


def _looked_into(
    number: int, argument: int, tests: list[tuple[int, int]], met: int, unmet: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield instructions that judge one call by the low half of an argument: `met` if any test holds, else `unmet`."""
    yield _EQUAL, 0, 2 * len(tests) + 2, number
    yield _LOAD, 0, 0, _ARGUMENTS + 8 * argument
    for code, operand in tests:
        yield code, 0, 1, operand
        yield _RETURN, 0, 0, met
    yield _RETURN, 0, 0, unmet


def _ranges(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Yield sorted numbers as ranges without a gap."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last


def engine_profile(*, on_gpu: bool = False, on_loopback: bool = False) -> str:
    """Return the same filter as a profile that replaces a container engine's own; empty if no step can be filtered.

    It allows nothing that the engines' own profiles refuse to a container without capabilities, and refuses more.
    """
    if not can_filter():
        return ""
    names = [*ALLOWED, "ioctl", "setsockopt", *(["memfd_create"] if on_gpu else [])]
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "defaultErrnoRet": errno.EPERM,
            "architectures": ["SCMP_ARCH_X86_64"],  # a call of another table ends the process
            "syscalls": [
                # There is no terminal in a container to type into, and the buffers of sockets count as its memory.
                {"names": names, "action": "SCMP_ACT_ALLOW"},
                {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
                {
                    "names": ["clone"],
                    "action": "SCMP_ACT_ALLOW",
                    "args": [{"index": 0, "value": NEW_SPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}],
                },
                *(
                    {
                        "names": list(SOCKETS),
                        "action": "SCMP_ACT_ALLOW",
                        "args": [{"index": 0, "value": one, "op": "SCMP_CMP_EQ"}],
                    }
                    for one in (AF_UNIX, *(INET if on_loopback else ()))
                ),
            ],
        }
    )
