"""Containment receipts: results of probing an isolation from inside, made before a run's first step and kept.

A run is refused if its isolation lets a step reach what it claims to keep from it. A receipt is valid for one engine,
isolation, image, user, kernel, boot and code. It is kept in this user's cache, so that the next run need not probe
again. It is never kept in a store, which may belong to anyone. Its findings are written in the record, but no audit
relies on them.
"""

from __future__ import annotations

import json
import os
import platform
import re
import secrets
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypedDict

from harness.digest import document_digest, encode_document, parse_document, sha256
from harness.engines.docker import HOSTS
from harness.engines.engine import PROCESSES, Engine, Job, Limits
from harness.errors import HarnessError, Interrupted, MissingError
from harness.files import read_plain, translating_os_errors, write_atomic
from harness.run import attack
from harness.run.environment import step_environment
from harness.store.store import Store
from harness.store.tree import MOST_NOTE

LIMITS = Limits(seconds=60, memory=1 << 30)
LITTLE = Limits(seconds=60, memory=attack.SHARED // 2)
WORDS = {
    "abstract": "a socket of another program",
    "bpf": "programs in the kernel",
    "clone3": "a call that no filter can read",
    "dns": "a server of names",
    "engine": "a container engine's socket",
    "host": "an address of this machine",
    "inputs": "its own inputs, for writing",
    "io_uring": "calls that no filter sees",
    "ipv4": "the network over IPv4",
    "ipv6": "the network over IPv6",
    "kernel": "the kernel's switches",
    "keyring": "a keyring of its user's",
    "netlink": "sockets to the kernel",
    "others": "the processes of others",
    "packet": "packets of a network card",
    "processes": f"more than {LIMITS.processes} processes",
    "ptrace": "the memory of other processes",
    "raw": "raw sockets",
    "shared": "more memory than it may use, as shared memory",
    "steps": "the files of another step",
    "store": "the store",
    "tables": "the kernel's other tables of calls",
    "userfaultfd": "faults of memory that hold up the kernel",
    "users": "a namespace of users of its own",
    "vsock": "the machine that this virtual one runs on",
}
ENDS = re.compile(rf"({attack.OPEN}|{attack.HELD}|{attack.UNTRIED})(: .{{0,200}})?")  # how a probe ends
CONTROLLED = ("abstract", "dns", "engine", "host", "ipv4", "ipv6", "others", "steps", "store")  # each has a decoy


class Containment(TypedDict):
    """What an isolation claims to keep from a step, and the result of each probe of that claim."""

    claims: list[str]
    tried: dict[str, str]


_known: dict[str, Containment] = {}  # what this process has found already


def probed_containment(store: Store, engine: Engine, cancel: threading.Event) -> Containment:
    """Return what an isolation claims and how each probe ended, from a receipt or by probing; then keep the receipt.

    Raises MissingError for an isolation that does not keep what it claims, or in which no step runs.
    """
    name = document_digest(_about(engine))
    path = receipts_folder() / f"{name}.json"
    kept = _kept(path)
    found = _known.get(name) or kept
    if found is None:
        with store.folder("receipt") as folder:
            found = probe_isolation(engine, store.root, folder, cancel)
        require_no_escape(engine, found)
    if kept is None:  # there is none, or it is not a valid receipt
        said = {"type": "receipt/1", "about": _about(engine), "containment": found}
        with suppress(HarnessError):  # if it cannot be written, each process probes for itself
            write_atomic(path, encode_document(said) + b"\n", mode=0o600)
    _known[name] = found
    return found


def receipts_folder() -> Path:
    """Return the folder of receipts in this user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "repro-harness" / "receipts"


def require_no_escape(engine: Engine, found: Containment) -> None:
    """Raise MissingError if probes of an isolation reached what it claims to keep from a step."""
    if out := list_escaped(found):
        raise MissingError(
            f"the isolation {engine.isolation!r} lets a step reach {', '.join(out)}",
            where=f"engine {engine.name}",
            next="`harness doctor` tries every engine; choose another isolation, which the record will name",
        )


def list_escaped(found: Containment) -> list[str]:
    """List what an isolation claims to keep from steps although a probe reached it."""
    return [WORDS[name] for name in found["claims"] if found["tried"][name].startswith(attack.OPEN)]


def impossible_claims(found: Any) -> Iterator[str]:
    """Yield claims in a record about its isolation that no probe can have written."""
    if not isinstance(found, dict) or found.keys() != {"claims", "tried"} or not isinstance(found["tried"], dict):
        yield "it is not what was claimed and tried"
        return
    tried = found["tried"]
    if not isinstance(found["claims"], list) or not {str(name) for name in found["claims"]} <= tried.keys():
        yield "it claims what nobody tried"
    for name, how in tried.items():
        known = isinstance(how, str) and ENDS.fullmatch(how)
        if name not in WORDS or not known:
            yield f"{str(name)[:40]!r} ended as {str(how)[:60]!r}, as no try ends"


def probe_isolation(engine: Engine, store: Path, folder: Path, cancel: threading.Event) -> Containment:
    """Probe an isolation by a step from inside, after a control from outside; return its claims and all results.

    The step's folder and decoys are created below `folder`; no receipt is read or written.
    """
    place = folder / "step"
    with _decoys(store, folder) as (decoys, came):
        control = attack.attack(
            {
                **dict.fromkeys(attack.ATTACKS, ""),
                **{name: decoys[name] for name in CONTROLLED},
                "written": decoys["written"],
            }
        )
        reached = came()
        bare = [name for name in CONTROLLED if not (control[name].startswith(attack.OPEN) or name in reached)]
        Path(decoys["written"]).unlink(missing_ok=True)
        counted = LIMITS.processes if engine.claims >= PROCESSES else 0  # a count from outside would end the attack
        with translating_os_errors(folder):
            _lay_out(place, {**decoys, **dict.fromkeys(bare, ""), "processes": counted})
        ends = {**_ends(engine, place, cancel), "shared": _shared(engine, place, cancel)}
        reached = came() | ({"store"} if Path(decoys["written"]).exists() else set())
    ends |= {name: f"{attack.OPEN}: it came" for name in reached if not ends[name].startswith(attack.OPEN)}
    ends |= dict.fromkeys(bare, f"{attack.UNTRIED}: nor is it reached from outside")
    return {"claims": sorted(engine.claims), "tried": {name: str(ends[name])[:200] for name in sorted(WORDS)}}


def _ends(engine: Engine, place: Path, cancel: threading.Event) -> dict[str, str]:
    """Run the attack as a step, and return its results."""
    job = Job(engine.command("code/attack.py"), place, step_environment(engine.inside(place)), LIMITS)
    outcome = engine.run(job, lambda _: None, cancel)
    if outcome.cancelled:
        raise Interrupted("the run was stopped", where="the first look at its isolation", next="run again")
    said = place / "out" / "tried.json"
    if not outcome.fine or said.is_symlink() or not said.is_file():
        last = outcome.log.decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise MissingError(
            f"no step runs in the isolation {engine.isolation!r}: {last[:300] or 'it ended without a word'}",
            where=f"engine {engine.name}",
            next="`harness doctor` tries every engine",
        )
    ends: dict[str, str] = json.loads(said.read_bytes())
    return ends


def _shared(engine: Engine, place: Path, cancel: threading.Event) -> str:
    """Return how a step ends that fills shared memory beyond its limit; it must be killed for it."""
    command = (*engine.command("code/attack.py"), "share-memory")
    outcome = engine.run(Job(command, place, step_environment(engine.inside(place)), LITTLE), lambda _: None, cancel)
    if outcome.cancelled:
        raise Interrupted("the run was stopped", where="the first look at its isolation", next="run again")
    most = f"{LITTLE.memory >> 20} MiB"
    if outcome.oom:
        return f"{attack.HELD}: ended beyond {most}"
    return f"{attack.OPEN}: more than {most}" if outcome.fine else f"{attack.UNTRIED}: it ended by itself"


def _about(engine: Engine) -> dict[str, Any]:
    """Return what a receipt is valid for: another boot, kernel, user, image or program needs another receipt."""
    here = Path(__file__).parent
    code = [path.read_bytes() for path in sorted((here.parent / "engines").glob("*.py"))]
    return {
        "type": "receipt-about/1",
        "engine": engine.name,
        "isolation": engine.isolation,
        "image": engine.image,
        "facts": dict(engine.facts()),
        "kernel": platform.release(),
        "boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        "user": os.geteuid(),
        "code": sha256(b"".join([*code, *((here / name).read_bytes() for name in ("attack.py", "receipt.py"))])),
    }


def _kept(path: Path) -> Containment | None:
    """Return what an older run of this user found; None if it cannot be read, or if something escaped."""
    try:
        facts = path.lstat()
        if facts.st_uid != os.geteuid() or facts.st_size > MOST_NOTE:
            return None
        found: Containment = parse_document(read_plain(path), "receipt/1", str(path))["containment"]
        return None if list(impossible_claims(found)) or list_escaped(found) else found
    except (OSError, HarnessError, LookupError, TypeError, AttributeError):
        return None


def _lay_out(place: Path, spec: Mapping[str, Any]) -> None:
    for name in ("in", "out", "tmp", "code"):
        (place / name).mkdir(parents=True)
    (place / "in" / "rows").write_text("given")
    (place / "step.json").write_text(json.dumps({"kind": f"{attack.__name__}:attack", "params": spec}))
    (place / "code" / "attack.py").write_bytes(Path(attack.__file__).read_bytes())
    for path in (place, *place.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


@contextmanager
def _decoys(store: Path, folder: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    """Context manager that yields the targets of an attack, and a function that returns those that were reached.

    The function returns only targets that were reached since its last call.
    """
    name = secrets.token_hex(8)
    with ExitStack() as stack:
        shut = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="harness-")))
        shut.chmod(0o755)
        doors: dict[str, socket.socket] = {}
        for door, family, kind, address in (
            ("ipv4", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("ipv6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            ("dns", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0harness-{name}"),
            ("engine", socket.AF_UNIX, socket.SOCK_STREAM, str(shut / "docker.sock")),
        ):
            with suppress(OSError):  # a machine need not have every family
                one = stack.enter_context(socket.socket(family, kind))
                one.setblocking(False)
                one.bind(address)
                if kind == socket.SOCK_STREAM:
                    one.listen(8)
                doors[door] = one
        (shut / "docker.sock").chmod(0o666)
        with translating_os_errors(folder):
            (folder / "other" / "out").mkdir(parents=True)
            (folder / "other" / "out" / "rows").write_text(name)
            (folder / "other").chmod(0o777)
        spec = {
            "abstract": f"@harness-{name}",
            "engine": [str(shut / "docker.sock"), *_engines()],
            "host": _addresses(),
            "inputs": "in/rows",
            "others": [os.getpid(), _began()],
            "steps": str(folder / "other" / "out" / "rows"),
            "store": str(store / "format"),
            "written": str(folder / "other" / "written"),
            **{door: doors[door].getsockname()[1] if door in doors else 0 for door in ("ipv4", "ipv6", "dns")},
        }
        yield spec, lambda: {door for door, one in doors.items() if _came(one)}


def _came(door: socket.socket) -> bool:
    """Whether anything connected or was sent to a socket since the last call."""
    came = False
    with suppress(BlockingIOError):
        while True:
            if door.type == socket.SOCK_DGRAM:
                door.recv(16)
            else:
                door.accept()[0].close()
            came = True
    return came


def _engines() -> list[str]:
    """List the sockets where a container engine may listen."""
    own = f"unix://{os.environ.get('XDG_RUNTIME_DIR', '/run')}/podman/podman.sock"
    return [
        host.removeprefix("unix://")
        for host in (os.environ.get("DOCKER_HOST", ""), *HOSTS, own)
        if host.startswith("unix://")
    ]


def _addresses() -> list[str]:
    """List the network addresses of this machine; nothing is sent."""
    found = []
    for family, there in ((socket.AF_INET, attack.ELSEWHERE), (socket.AF_INET6, "2001:db8::53")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as call:
            call.connect((there, 53))
            found.append(str(call.getsockname()[0]))
    return found


def _began() -> str:
    """Return when this process began, as the kernel writes it."""
    return Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
