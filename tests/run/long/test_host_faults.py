"""A run on two hosts goes on, or the next one finishes it, whatever becomes of worker, scheduler, client and link."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from needs import needs
from support import command, executed, finished_project, harness, journals, outputs_of, small_project
from support_hosts import HOSTS, Hosts, two_hosts, until

needs("distributed", "cryptography")
pytestmark = [pytest.mark.together, pytest.mark.long]
MODELS = ("oracle", "noisy-oracle", "forger")
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
OTHER_NUMPY = "2.3.5"


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Give two hosts with a scheduler."""
    with two_hosts(tmp_path_factory.mktemp("hosts")) as made:
        made.env["DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP"] = "12s"  # after which a line that is cut is taken for dead
        made.start_scheduler()
        yield made


@pytest.fixture
def pair(hosts: Hosts) -> Hosts:
    """Give the hosts with one worker each, and with a scheduler, which the test before may have lost."""
    for name in list(hosts.workers):
        hosts.stop(name)
    if not hosts.scheduler or hosts.scheduler.poll() is not None:
        hosts.start_scheduler()
    for host in HOSTS:
        hosts.start_worker(host)
    return hosts


class Running:
    """A run under way in a store of its own, and what must be true when all is over."""

    def __init__(self, hosts: Hosts, folder: Path) -> None:
        finished_project(folder / "here", 20, MODELS)
        here = next(journals(folder / "here" / ".harness"))
        self.wanted = {event["name"]: event["sha256"] for event in here if event["event"] == "output"}
        self.project = small_project(folder / "there", 20, MODELS).parents[1]
        self.store, self.hosts, self.env = self.project / ".harness", hosts, hosts.settings()
        self.process = self.start()

    def start(self) -> subprocess.Popen[str]:
        """Start the run."""
        words = command("run", "manifests/small.yaml", "--json")
        return subprocess.Popen(
            words, cwd=self.project, env={**self.hosts.env, **self.env},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def lines(self, event: str) -> list[dict[str, object]]:
        """Give the lines of an event in all of the store's journals."""
        return [line for events in journals(self.store) for line in events if line["event"] == event]

    def under_way(self, steps: int = 3) -> None:
        """Wait until some steps are done and others are not."""
        until(lambda: len(executed(self.store)) >= steps or self.process.poll() is not None, "steps are done")
        assert not self.lines("run.finished"), self.process.communicate()

    def ended(self, code: int) -> str:
        """Wait for the end of the run and give what it told."""
        told, said = self.process.communicate(timeout=240)
        assert self.process.returncode == code, (told, said)
        assert "Traceback" not in said, said
        return said

    def settled(self) -> None:
        """The run is finished by running it again, with equal outputs, each step's made once; an audit agrees."""
        self.process = self.start()
        told, said = self.process.communicate(timeout=240)
        assert self.process.returncode == 0, said
        assert outputs_of(json.loads(told)) == self.wanted
        made = executed(self.store)
        assert len(made) == len(set(made))
        harness("audit", "last", "--level", "hashes", cwd=self.project, check=0)


@pytest.fixture
def running(pair: Hosts, tmp_path: Path) -> Iterator[Running]:
    """Give a run of which some steps are done."""
    made = Running(pair, tmp_path)
    try:
        made.under_way()
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
            made.process.communicate()


def test_a_worker_that_is_killed_costs_its_step_again_and_no_more(running: Running) -> None:
    running.hosts.stop(next(iter(running.hosts.workers)))
    assert "is gone" in running.ended(0)
    running.settled()


def test_a_scheduler_that_is_killed_ends_the_run_which_the_next_finishes(running: Running) -> None:
    running.hosts.stop("scheduler")
    said = running.ended(3)
    assert "scheduler" in said and "run again" in said
    for name in list(running.hosts.workers):
        running.hosts.stop(name)
    running.hosts.start_scheduler()
    running.hosts.start_worker(1)
    running.settled()


def test_a_client_that_is_killed_is_taken_up_by_the_next_run(running: Running) -> None:
    running.process.send_signal(signal.SIGKILL)
    running.process.communicate()
    running.settled()


@pytest.mark.parametrize("seconds", [20, pytest.param(40, marks=pytest.mark.exhaustive)])
def test_a_link_that_is_cut_for_a_while_is_a_lost_worker(running: Running, seconds: int) -> None:
    running.hosts.link(1, up=False)
    until_up = time.monotonic() + seconds
    try:
        while time.monotonic() < until_up and running.process.poll() is None:
            time.sleep(0.1)
        time.sleep(max(0.0, until_up - time.monotonic()))
    finally:
        running.hosts.link(1, up=True)
    running.ended(0)
    running.settled()


def test_a_worker_whose_disk_is_full_takes_no_more_steps_and_says_so(hosts: Hosts, tmp_path: Path) -> None:
    for name in list(hosts.workers):
        hosts.stop(name)
    hosts.start_worker(1, disk="500k")
    until(lambda: "Registered" in hosts.log(next(iter(hosts.workers))), "the full one is there first")
    running = Running(hosts, tmp_path)
    until(lambda: running.lines("worker.refused"), "it is refused")
    hosts.start_worker(2)
    running.process.communicate(timeout=240)  # ended for want of another, or went on with it
    [refused, *_] = running.lines("worker.refused")
    assert "disk" in str(refused["why"]) or "full" in str(refused["why"]), refused
    running.settled()


def test_a_worker_whose_clock_is_an_hour_off_makes_the_same_bytes(hosts: Hosts, tmp_path: Path) -> None:
    if not FAKETIME.exists():
        pytest.skip("libfaketime is not installed here: apt-get install libfaketime")
    for name in list(hosts.workers):
        hosts.stop(name)
    for host, off in zip(HOSTS, ("-1h", "+1h"), strict=True):
        hosts.start_worker(
            host, more={"LD_PRELOAD": str(FAKETIME), "FAKETIME": off, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        )
    running = Running(hosts, tmp_path)
    running.ended(0)
    assert {line.get("worker") for line in running.lines("step.done")} <= {"w1", "w2"}
    running.settled()


def test_a_worker_with_another_numpy_takes_no_step_and_says_which(hosts: Hosts, tmp_path: Path) -> None:
    for name in list(hosts.workers):
        hosts.stop(name)
    odd = hosts.start_worker(1, python=str(_other_numpy(tmp_path)))
    running = Running(hosts, tmp_path / "run")
    said = running.ended(3)
    assert "numpy" in said and OTHER_NUMPY in said and not running.lines("step.done")
    [refused] = running.lines("worker.refused")
    assert "numpy" in str(refused["why"])
    hosts.start_worker(2)
    running.settled()
    assert {line["worker"] for line in running.lines("step.done")} == {"w1", "w2"} - {_name_of(running, odd)}


def _name_of(running: Running, _odd: str) -> str:
    """Give the name in the last run of the worker that was refused there."""
    last = list(journals(running.store))[-1]
    [name] = {str(line["worker"]) for line in last if line["event"] == "worker.refused"}
    return name


def _other_numpy(folder: Path) -> Path:
    """Make an environment that is this one with another numpy; give its interpreter. Skips where there is none."""
    wheels = folder / "wheels"
    fetched = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(wheels),
         f"numpy=={OTHER_NUMPY}"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    if fetched.returncode:
        pytest.skip(f"numpy {OTHER_NUMPY} is not to be had: {fetched.stderr.strip()[-200:]}")
    home, made = Path(sys.prefix), folder / "venv"
    site = Path(next(path for path in sys.path if path.endswith("site-packages"))).relative_to(home)
    (made / site.parent).mkdir(parents=True)
    subprocess.run(["cp", "-al", str(home / site), str(made / site)], check=True)
    subprocess.run(["cp", "-a", str(home / "bin"), str(home / "pyvenv.cfg"), str(made)], check=True)
    for old in [*(made / site).glob("numpy*")]:
        shutil.rmtree(old)
    [wheel] = wheels.glob("*.whl")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(made / site), str(wheel)],
        check=True, capture_output=True,
    )  # fmt: skip
    return made / "bin" / "python"
