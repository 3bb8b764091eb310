"""Command line that wraps a step of the local engine in its isolation (bubblewrap, namespaces …).

From outside in, it consists of the resource limits, the guard that dies with the harness, for root a user namespace
that holds two users, the isolation, the first process inside it, and the step. The user who runs the harness sets the
isolation up. If that user is root, the step runs as nobody, because the kernel lets root change the isolation whatever
other privileges root has dropped.
"""

from __future__ import annotations

import functools
import os
import platform
import resource
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from harness.engines.engine import SOCKETS, Limits
from harness.errors import MissingError

NOBODY = 65534  # the user and the group that a step of root's runs as


def chown_to_step(*folders: Path, user: int = NOBODY) -> None:
    """Change the owner of folders, but not of their contents, to the user that root's steps run as.

    Raises MissingError on a file system that keeps no owners (exFAT, some network mounts).
    """
    for folder in folders:
        try:
            os.chown(folder, user, user)
        except PermissionError as bad:
            raise MissingError(
                "this file system keeps no owners, and root runs steps as another user",
                where=str(folder),
                next="run as an ordinary user, or name a store on another file system with --store DIR",
            ) from bad


def chown_back(out: Path) -> None:
    """Change the owner of a step's output folder and of its direct entries back to root.

    Links are not followed, and subfolders are not entered.
    """
    os.chown(out, 0, 0, follow_symlinks=False)
    if out.is_symlink() or not out.is_dir():
        return  # the step replaced the folder, which is reported elsewhere
    with os.scandir(out) as found:
        for one in found:
            os.chown(one.path, 0, 0, follow_symlinks=False)


PROGRAMS = "/usr/bin:/bin"  # where the programs that wrap a step are looked up, whatever the user's PATH says
SETUID, SETGID = 7, 6  # numbers of the capabilities to map users and groups in a namespace

# The harness holds the other end of the guard's stdin: whenever and however it dies, the guard reads the end of that
# pipe and kills the whole process group. PDEATHSIG alone leaves a gap: bubblewrap's own child may not have set it yet.
_GUARD = (
    "exec 3<&0 </dev/null; (read -r _ <&3; kill -KILL 0) & watch=$!; exec 3<&-; "
    '"$@"; status=$?; kill -KILL $watch 2>/dev/null; exit $status'
)
GUARD = ("setpriv", "--pdeathsig", "KILL", "--no-new-privs", "sh", "-c", _GUARD, "guard")

# No user namespace below this one: in a namespace of its own a step would have every privilege again.
_ALONE = 'echo 0 >/proc/sys/user/max_user_namespaces || exit 126; exec "$@"'
# The users of a namespace of two can be mapped only from outside: a child left behind does it when one exists. The
# shell that waits for it runs with `-p`, or it could see its own user change in between, and drop its privileges.
_TWO = f"""me=$$ names='0 0 1
{NOBODY} {NOBODY} 1
'
(
    tries=0
    for kind in uid gid; do
        until printf %s "$names" >/proc/$me/${{kind}}_map; do
            tries=$((tries + 1))
            [ $tries -lt 5000 ] || sleep 0.01
            [ $tries -lt 6000 ] && kill -0 $me || {{ kill -KILL $me; exit; }}
        done
    done
) >/dev/null 2>&1 &
exec unshare --user --keep-caps sh -p -c 'until read -r _ </proc/self/gid_map; do :; done; {_ALONE}' alone "$@"
"""
_TWO_USERS = ("sh", "-c", _TWO, "two")
_ONE_USER = ("unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", _ALONE, "alone")
# The first process inside: when it ends, the kernel ends all others. It never changes its user, so its
# PDEATHSIG stays set, and no step can make it leave the group that the guard kills.
_FIRST = '"$@"; exit $?'
# Shells spell the option in two ways; a step that cannot be limited does not run.
_BOUND = "{{ ulimit -u {0} || ulimit -p {0} || exit 126; }} 2>/dev/null; "


@functools.cache
def drops_root() -> bool:
    """Whether steps run as another user: the harness is root and may map that user in a namespace."""
    if os.geteuid() != 0:
        return False
    named = all(_names(Path(f"/proc/self/{kind}_map").read_text()) for kind in ("uid", "gid"))
    status = Path("/proc/self/status").read_text()
    rights = int(status.partition("CapEff:")[2].split()[0], 16)
    return named and bool(rights >> SETUID & 1) and bool(rights >> SETGID & 1)


def _names(mapped: str) -> bool:
    """Whether a user or group map holds both root and nobody."""
    spans = [(int(first), int(first) + int(count)) for first, _, count in map(str.split, mapped.splitlines())]
    return all(any(low <= one < high for low, high in spans) for one in (0, NOBODY))


def counts_per_step() -> bool:
    """Whether the kernel limits a step's processes apart from other processes of its user.

    True from Linux 5.14 on, but never for root that cannot drop to another user.
    """
    release = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    return release >= (5, 14) and (os.geteuid() != 0 or drops_root())


def unreadable_to_steps() -> str:
    """Return the first path of the interpreter that a step running as nobody cannot read; empty if there is none."""
    if not drops_root():
        return ""
    needed = (sys.prefix, sys.base_prefix, os.path.realpath(sys.executable), sysconfig.get_path("purelib"))
    return next((path for path in needed if os.stat(path).st_mode & 0o005 != 0o005), "")


def site_packages() -> str:
    """Return the real path of the installed packages, under which our bytecode of them is stored."""
    return os.path.realpath(sysconfig.get_path("purelib"))


def interpreter_folders() -> Iterator[str]:
    """Yield the folders that the interpreter and its packages need.

    `/usr` and folders inside one already yielded are left out.
    """
    named = ["/usr"]
    for path in sorted({sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix), site_packages()}):
        if not any(path == above or path.startswith(f"{above}/") for above in named):
            named.append(path)
            yield path


def socket_inside(isolation: str, socket: Path) -> Path:
    """Return the path of a socket as a step sees it; bubblewrap shows sockets in a folder of their own."""
    return SOCKETS / socket.name if isolation == "bubblewrap" else socket


def isolation_command(
    isolation: str,
    folder: Path,
    limits: Limits,
    sockets: Sequence[Path] = (),
    *,
    on_gpu: bool = False,
    filter_file: int = -1,
) -> list[str]:
    """Return the command prefix that isolates a step in its folder; empty for a bare process.

    Bubblewrap reads the system call filter from `filter_file`. With namespaces, `filter_file` is a program that loads
    the filter.
    """
    if isolation == "process":
        return []
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    processes = limits.processes if hard == resource.RLIM_INFINITY else min(limits.processes, hard)
    last = _BOUND.format(processes) + _FIRST
    if isolation == "bubblewrap":
        filtered = [] if filter_file < 0 else ["--seccomp", str(filter_file)]
        bubble = [*_bubble(folder, limits.memory, sockets, on_gpu), *filtered]
        return [*bubble, "sh", "-c", last, "first", *_become(isolation)]
    spaces = ["unshare", "--mount", "--net", "--ipc", "--pid", "--fork", "--kill-child=KILL"]
    users = [*_TWO_USERS] if drops_root() else [*_ONE_USER]
    sealed = _sealed(folder, limits.memory, sockets, on_gpu)
    become = _become(isolation)
    if filter_file >= 0:  # the filter program does not search PATH
        become = [f"/proc/self/fd/{filter_file}", shutil.which(become[0], path=PROGRAMS) or become[0], *become[1:]]
    return [*users, *spaces, "sh", "-c", sealed + last, "first", *become]


def _become(isolation: str) -> list[str]:
    """Return the command prefix that drops the last privileges.

    A change of user clears PDEATHSIG, so it is set again.
    """
    words = ["setpriv", "--pdeathsig", "KILL"]
    if drops_root():
        words += [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    elif isolation == "bubblewrap":
        return []  # bubblewrap has dropped them itself
    return [*words, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"]


def _bubble(folder: Path, memory: int, sockets: Sequence[Path], on_gpu: bool) -> list[str]:
    """Return the command prefix of bubblewrap: the step's own file system, /proc read-only, /sys only with a GPU."""
    rights: tuple[str, ...] = ()
    if drops_root():
        wrap = [*_TWO_USERS, "bwrap", *(f"--unshare-{one}" for one in ("ipc", "pid", "net", "uts", "cgroup-try"))]
        rights = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # of the first process inside; its children run as nobody
    else:
        wrap = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns"]
    wrap += ["--cap-drop", "ALL", *(word for right in rights for word in ("--cap-add", right))]
    wrap.append("--as-pid-1")  # bubblewrap then waits for the first process, and the kernel reports its usage
    wrap += ["--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - the step's own, inside its isolation
        wrap += ["--perms", "1777", "--size", str(memory), "--tmpfs", place]
    for path in ("/usr", "/etc/ld.so.cache", "/etc/alternatives"):
        wrap += ["--ro-bind-try", path, path]
    for path in ("/bin", "/lib", "/lib64", "/sbin"):
        wrap += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind-try", path, path]
    for path in interpreter_folders():
        wrap += [*_above(path), "--ro-bind", path, path]
    if folder != Path("/"):
        wrap += [*_above(folder), "--ro-bind", str(folder), str(folder)]
        for name in ("out", "tmp"):
            wrap += ["--bind", str(folder / name), str(folder / name)]
        wrap += ["--chdir", str(folder)]
    for socket in sockets:
        shown = socket_inside("bubblewrap", socket)
        wrap += [*_above(shown), "--bind", str(socket), str(shown)]
    sealed = [word for place in ("/proc", "/dev", "/") for word in ("--remount-ro", place)]
    return [*wrap, *(_gpus() if on_gpu else ()), *sealed]


def _above(path: Path | str) -> tuple[str, str]:
    """Return the options that make parent folders accessible; bubblewrap would restrict them to its own user."""
    return ("--dir", os.path.dirname(path))


def _gpus() -> list[str]:
    """Return the options that show a step the devices of NVIDIA's driver."""
    binds = ["--ro-bind-try", "/sys", "/sys"]
    for device in sorted(Path("/dev").glob("nvidia*")):
        binds += ["--dev-bind", str(device), str(device)]
    return binds


def _sealed(folder: Path, memory: int, sockets: Sequence[Path], on_gpu: bool) -> str:
    """Return shell lines to run inside namespaces before a step: /proc and /sys read-only, /dev/shm the step's own."""
    sys_ = "sysfs -o ro sysfs" if on_gpu else "tmpfs -o ro,size=4k,mode=755 tmpfs"
    lines = ["set -e", "mount -t proc -o ro,nosuid,nodev,noexec proc /proc", f"mount -t {sys_} /sys"]
    lines.append(f"mount -t tmpfs -o size={memory},mode=1777,nosuid,nodev tmpfs /dev/shm")
    if drops_root():
        lines += _shown_to_nobody([folder, *map(Path, interpreter_folders()), *sockets])
    return "\n".join([*lines, f"cd {shlex.quote(str(folder))}", "unset OLDPWD", "set +e", ""])


def _shown_to_nobody(needed: Iterable[Path]) -> list[str]:
    """Return shell lines that bind what a step needs out of folders that only root may enter, and hide the rest."""
    lines: list[str] = []
    for shut, paths in sorted(_shut(needed).items()):
        place = shlex.quote(str(shut))
        lines += ["umask 022", f"exec 4<{place}", f"mount -t tmpfs -o size=64k,mode=755 tmpfs {place}"]
        for path in sorted(paths):
            held, shown = shlex.quote(f"/proc/self/fd/4/{path.relative_to(shut)}"), shlex.quote(str(path))
            above = shlex.quote(str(path.parent))
            lines.append(f"mkdir -p {shown}" if path.is_dir() else f"mkdir -p {above}; : >{shown}")
            lines.append(f"mount -c --rbind {held} {shown}")
        lines.append("exec 4<&-")
    return lines


def _shut(needed: Iterable[Path]) -> dict[Path, set[Path]]:
    """Group paths by the topmost folder on each path that only its owner may enter; paths without one are left out."""
    found: dict[Path, set[Path]] = {}
    for path in needed:
        shut = next((above for above in reversed(path.parents) if not os.stat(above).st_mode & 0o001), None)
        if shut:
            found.setdefault(shut, set()).add(path)
    return found
