"""Two hosts of one machine, as network namespaces with a link each and process trees of their own, and Dask on them.

A scheduler and workers run there as processes and speak TLS with certificates of the test's own. What this machine
cannot do is a reason to skip.
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support import REPOSITORY, clean_env

HOSTS = (1, 2)
PORT = 8786
PATIENCE = 120.0  # seconds that something may take to come about


def until(true: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait for something to become true, and fail with its words if it does not."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise AssertionError(f"it never came about: {what}")
        time.sleep(0.05)


def make_certificates(folder: Path) -> dict[str, Path]:
    """Write an authority and one certificate of it, valid since two days ago, so that a slow clock believes them."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    today = datetime.datetime.now(datetime.UTC)
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("ca", "cert")}
    for name, own in keys.items():
        made = x509.CertificateBuilder().subject_name(named(name)).issuer_name(named("ca"))
        made = made.public_key(own.public_key()).serial_number(x509.random_serial_number())
        made = made.not_valid_before(today - datetime.timedelta(days=2))
        made = made.not_valid_after(today + datetime.timedelta(days=2))
        made = made.add_extension(x509.BasicConstraints(ca=name == "ca", path_length=None), critical=True)
        signed = made.sign(keys["ca"], hashes.SHA256())
        (folder / f"{name}.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    kind = serialization.PrivateFormat.PKCS8
    secret = keys["cert"].private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(secret)
    return {name: folder / f"{name}.pem" for name in ("ca", "cert", "key")}


class Hosts:
    """Two hosts with addresses of their own, a scheduler on this one, and workers on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = os.getpid() % 200 + 20
        self.net = f"10.77.{self.number}"
        self.files = make_certificates(folder)
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.started = 0
        self.env = clean_env({"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "2"})

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return f"tls://{self.net}.1:{PORT}"

    def settings(self) -> dict[str, str]:
        """Write a placement.toml for these hosts; give the variable by which a run finds it."""
        path = self.folder / "config" / "repro-harness" / "placement.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        files = "".join(f'{name} = "{path}"\n' for name, path in self.files.items())
        path.write_text(f'placement = "dask={self.address}"\n[tls]\n{files}')
        return {"XDG_CONFIG_HOME": str(self.folder / "config")}

    def name(self, host: int, part: str = "h") -> str:
        """Name a host's namespace, or its end of the link."""
        return f"{part}{self.number}x{host}"

    def set_up(self) -> None:
        """Make namespaces and links; skip where this machine forbids it."""
        if os.geteuid() or not shutil.which("ip") or not shutil.which("unshare"):
            pytest.skip("two hosts need root, `ip` and `unshare`")
        tried = subprocess.run(["ip", "netns", "add", self.name(1)], capture_output=True, text=True, check=False)
        if tried.returncode:
            pytest.skip(f"no network namespace can be made here: {tried.stderr.strip()[:200]}")
        bridge = f"b{self.number}x"
        ip("link", "add", bridge, "type", "bridge")
        ip("addr", "add", f"{self.net}.1/24", "dev", bridge)
        ip("link", "set", bridge, "up")
        for host in HOSTS:
            space, link = self.name(host), self.name(host, "v")
            if host > 1:
                ip("netns", "add", space)
            ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", link, "master", bridge, "up")
            ip("-n", space, "addr", "add", f"{self.net}.1{host}/24", "dev", "eth0")
            for end in ("eth0", "lo"):
                ip("-n", space, "link", "set", end, "up")

    def take_down(self) -> None:
        """End every process of these hosts, and remove them."""
        for process in (*self.workers.values(), self.scheduler):
            if process:
                process.kill()
                process.wait()
        for host in HOSTS:  # its link first: a namespace goes some time after its name, with what is in it
            subprocess.run(["ip", "link", "del", self.name(host, "v")], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", self.name(host)], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", f"b{self.number}x"], capture_output=True, check=False)

    def link(self, host: int, *, up: bool) -> None:
        """Cut or restore the link of a host."""
        ip("link", "set", self.name(host, "v"), "up" if up else "down")

    def _tls(self) -> list[str]:
        files = self.files
        return [f"--tls-ca-file={files['ca']}", f"--tls-cert={files['cert']}", f"--tls-key={files['key']}"]

    def start_scheduler(self) -> None:
        """Start the scheduler on this host."""
        words = [sys.executable, "-m", "dask", "scheduler", "--host", f"{self.net}.1", "--port", str(PORT)]
        words += ["--protocol", "tls", "--no-dashboard", "--no-jupyter", *self._tls()]
        self.scheduler = self._start("scheduler", words)
        until(lambda: "Scheduler at:" in self.log("scheduler"), "the scheduler listens")

    def start_worker(
        self,
        host: int,
        *,
        python: str = sys.executable,
        more: Mapping[str, str] | None = None,
        disk: str = "",
        options: Sequence[str] = (),
    ) -> str:
        """Start a worker on a host, in a process tree of its own, on a small disk if one is given; give its name."""
        self.started += 1
        name = f"worker{self.started}"
        place = self.folder / name
        place.mkdir()
        words = [python, "-m", "dask", "worker", self.address, "--protocol", "tls", *self._tls()]
        words += ["--host", f"{self.net}.1{host}", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        words += ["--memory-limit", "0", "--local-directory", str(place), "--death-timeout", "60", *options]
        mount = f"mount -t tmpfs -o size={disk} tmpfs {place} && " if disk else ""
        start = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--mount", "--uts"]
        script = f'hostname host{host} && {mount}exec "$@"'
        inside = ["ip", "netns", "exec", self.name(host), *start, "sh", "-c", script, "sh", *words]
        self.workers[name] = self._start(name, inside, {**(more or {}), "XDG_CACHE_HOME": str(self.folder / "cache")})
        until(lambda: "Registered to" in self.log(name) or self.workers[name].poll() is not None, f"{name} registers")
        assert self.workers[name].poll() is None, self.log(name)
        return name

    def stop(self, name: str) -> None:
        """Kill a worker, or the scheduler, at once."""
        process = self.scheduler if name == "scheduler" else self.workers.pop(name)
        assert process
        process.kill()
        process.wait()

    def _start(self, name: str, words: Sequence[str], more: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                list(words), env={**self.env, **(more or {})}, cwd=REPOSITORY,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def log(self, name: str) -> str:
        """Give what a process has printed so far."""
        with suppress(FileNotFoundError):
            return (self.folder / f"{name}.log").read_text()
        return ""


def ip(*words: str) -> None:
    """Run `ip`."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def two_hosts(folder: Path) -> Iterator[Hosts]:
    """Context manager that yields two hosts, without any process yet."""
    made = Hosts(folder)
    try:
        made.set_up()
        yield made
    finally:
        made.take_down()
