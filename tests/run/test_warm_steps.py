"""Steps in a process that is kept give what each gives alone, and whatever becomes of one concerns that one only."""

from __future__ import annotations

import shutil
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import REPOSITORY
from support_draws import drawn

from harness.engines.engine import Limits
from harness.engines.local import LocalEngine, available_isolations
from harness.errors import Interrupted
from harness.evidence.record import CRASHED, DISK, FAILED, KILLED, MEMORY, TIME
from harness.run.closure import Code
from harness.run.executing.execute import StepEnded
from harness.run.executing.warm import WarmProcesses, WarmQueue, memory_to_spare
from harness.run.executing.workshop import StepResult, Workshop
from harness.steps import Pinned, Step
from harness.store.store import Store

pytestmark = pytest.mark.skipif("bubblewrap" not in available_isolations(), reason="a process is kept in a bubble only")
TOYS = '''
"""Step kinds of a model whose loading is counted, and that do to what comes after them what no step should."""
import ctypes, mmap, os, signal, sys, threading, time
from pathlib import Path

loaded, seen = 0, []

def load(params, inputs):
    global loaded, weights
    loaded += 1
    weights = bytearray(os.urandom(1 << 20) * params.get("held", 0))
    if params["quantisation"] == "threads":
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    if params["quantisation"] == "fails":
        raise ValueError("no such model")

WARM = load

def tells(params, inputs, out):
    """Write what was loaded and all that an earlier step could have left."""
    seen.append(params["n"])
    left = sorted(str(one) for place in ("tmp", "out", "/tmp", "/dev/shm") for one in Path(place).iterdir()
                  if not one.name.startswith("pytest-"))
    rows = (inputs["rows"]).read_text()
    (out / "rows").write_text(f"{params['n']} {rows} {loaded} {seen} {left} {sorted(os.listdir('in'))}")
    processes = [one for one in os.listdir("/proc") if one.isdigit()]
    (out / "facts.json").write_text(f'{{"processes": {len(processes)}, "pid": {os.getpid()}, "up": {os.getppid()}}}')

def leaves(params, inputs, out):
    """Leave what can be left: memory, files in every place, a process of its own session, shared memory, settings."""
    tells(params, inputs, out)
    for place in ("tmp", "/tmp", "/dev/shm"):
        Path(place, "left").mkdir()
        Path(place, "left", "file").write_text("left")
    os.environ["LEFT"] = "left"
    os.umask(0o777)
    os.chdir("/")
    libc = ctypes.CDLL(None)
    assert [libc.shmget(1, 4096, 0o1600), libc.msgget(1, 0o1600), libc.semget(1, 1, 0o1600)] == [-1, -1, -1]
    assert libc.syscall(240, b"left", os.O_CREAT, 0o600, None) == -1  # mq_open
    if not os.fork():
        os.setsid()
        if not os.fork():
            while True:
                time.sleep(0.4)
                for one in (out / "rows", out / "more"):
                    one.write_text("spoiled")
        os._exit(0)

def peeks(params, inputs, out):
    """Try to look into the process that is kept, and to write to it."""
    parent, found = os.getppid(), []
    for name in ("mem", "environ", "maps", "fd/0", "root/etc"):
        try:
            os.open(f"/proc/{parent}/{name}", os.O_RDWR if name == "mem" else os.O_RDONLY)
            found.append(name)
        except OSError:
            pass
    ours = [one for one in map(Path, Path("/proc/self/fd").iterdir()) if int(one.name) > 2 and one.exists()]
    (out / "rows").write_text(f"{found} {ours}")

def waits(params, inputs, out):
    time.sleep(1)
    tells(params, inputs, out)

def raises(params, inputs, out): raise ValueError("not this one")
def dies(params, inputs, out): os.kill(os.getpid(), signal.SIGKILL)
def aborts(params, inputs, out): os.abort()
def ends_it(params, inputs, out): os.kill(os.getppid(), signal.SIGKILL)
def sleeps(params, inputs, out): time.sleep(1000)
def hoards(params, inputs, out): bytearray(1 << 30)
def shares(params, inputs, out): mmap.mmap(-1, 1 << 30).write(b"x" * (1 << 30))
def fills(params, inputs, out): (out / "rows").write_bytes(bytes(3 << 20))
def needs(params, inputs, out):
    tells(params, inputs, out)
    blocks = [bytearray(1 << 20) for _ in range(params["mib"])]  # in pieces, which the process that is kept has not
    time.sleep(0.3)
def prints(params, inputs, out):
    print(f"step {params['n']} speaks", flush=True)
    tells(params, inputs, out)
'''


class Shop:
    """A workshop on a code root of toys, which keeps processes if it is told to."""

    def __init__(self, folder: Path, warm: bool = True, **limits: Any) -> None:
        self.store = Store.make(folder / "store")
        wanted = replace(Limits(seconds=60, memory=256 << 20), **limits)
        engine = LocalEngine("bubblewrap")
        self.workshop = Workshop(self.store, engine, wanted, Code(folder / "code"), environment=b"{}")
        self.log: list[tuple[str, bytes]] = []
        self.workshop.heard = lambda name, text: self.log.append((name, text))
        self.workshop.warm = WarmProcesses(self.store) if warm else None

    def step(self, kind: str, number: int, **params: Any) -> tuple[Step, Any]:
        """Give a step of a kind and the preimage of its key."""
        weights = (Pinned(self.store.blobs.put(b"weights")), Pinned(self.store.blobs.put(b"more")))
        rows = Pinned(self.store.blobs.put(f"row {number}".encode()))
        given: dict[str, Any] = {"rows": rows, "weights": weights}
        said = {"n": number, "quantisation": None, "dtype": None, **params}
        step = Step(f"{number}-{kind}", f"harness.toys:{kind}", "scores", said, given, ("rows",), infers=True)
        return step, self.workshop.preimage(step, {})

    def make(self, kind: str, number: int, **params: Any) -> StepResult:
        """Execute a step."""
        return self.workshop.make(*self.step(kind, number, **params))

    def told(self, result: StepResult) -> str:
        """Give what a step wrote."""
        return self.store.blobs.read(result.entry.outputs["rows"].sha256).decode()

    def close(self) -> None:
        """End the processes; nothing of them is left."""
        if self.workshop.warm:
            self.workshop.warm.close()
        assert not list(self.store.temp.iterdir())


Open = Callable[..., Shop]


@pytest.fixture
def open_shop(tmp_path: Path) -> Any:
    """Give what opens a shop, and close all of them."""
    shops: list[Shop] = []

    def open_one(name: str = "one", **more: Any) -> Shop:
        for file in ("harness/__init__.py", "harness/run/__init__.py", "harness/run/step.py"):
            (tmp_path / name / "code" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / file, tmp_path / name / "code" / file)
        (tmp_path / name / "code" / "harness" / "toys.py").write_text(textwrap.dedent(TOYS))
        shops.append(Shop(tmp_path / name, **more))
        return shops[-1]

    yield open_one
    for shop in shops:
        shop.close()


def test_one_process_loads_once_and_each_step_begins_as_after_loading(open_shop: Open) -> None:
    warm, cold = open_shop(), open_shop("cold", warm=False)
    made = [warm.make("tells", n) for n in range(4)]
    assert [one.facts["step_of_process"] for one in made] == [1, 2, 3, 4]
    assert len({one.facts["up"] for one in made}) == 1 and len({one.facts["pid"] for one in made}) == 4
    assert [warm.told(one) for one in made] == [f"{n} row {n} 1 [{n}] [] ['rows', 'weights']" for n in range(4)]
    alone = cold.make("tells", 0)
    assert "step_of_process" not in alone.facts
    assert cold.told(alone) == warm.told(made[0]).replace(" 1 [0]", " 0 [0]")  # nothing but that it was loaded ahead
    assert all({"cpu_ms", "rss_kib", "wall_ms"} == one.usage.keys() for one in made)


def test_what_a_step_leaves_behind_reaches_no_other(open_shop: Open) -> None:
    shop = open_shop()
    first = shop.make("leaves", 0)
    after = [shop.make("waits", 1), shop.make("tells", 2)]
    assert shop.told(first).startswith("0 row 0 1")
    assert [shop.told(one) for one in after] == [f"{n} row {n} 1 [{n}] [] ['rows', 'weights']" for n in (1, 2)]
    assert [one.facts["step_of_process"] for one in after] == [2, 3]
    assert len({one.facts["processes"] for one in (first, *after)}) == 1


def test_a_step_cannot_look_into_the_process_that_is_kept(open_shop: Open) -> None:
    shop = open_shop()
    assert [shop.told(shop.make("peeks", number)) for number in range(2)] == ["[] []"] * 2
    with pytest.raises(StepEnded) as error:
        shop.make("ends_it", 2)
    assert error.value.ended == KILLED and shop.make("tells", 3).facts["step_of_process"] == 1


@pytest.mark.parametrize(
    ("kind", "ended", "limits"),
    drawn([
        ("raises", FAILED, {}),
        ("dies", KILLED, {}),
        ("aborts", CRASHED, {}),
        ("sleeps", TIME, {"seconds": 2.0}),
        ("hoards", MEMORY, {}),
        ("shares", MEMORY, {}),
        ("fills", DISK, {"disk": 1 << 20}),
    ], 2, 7),
)  # fmt: skip
def test_the_end_of_a_step_is_its_own_and_the_next_goes_on_in_a_new_process(
    kind: str, ended: str, limits: dict[str, Any], open_shop: Open
) -> None:
    shop, cold = open_shop(**limits), open_shop("cold", warm=False, **limits)
    before = shop.make("tells", 0)
    errors = []
    for one in (shop, cold):
        with pytest.raises(StepEnded) as error:
            one.make(kind, 1)
        errors.append(error.value)
    assert [one.ended for one in errors] == [ended, ended]
    assert str(errors[0]) == str(errors[1])
    after = shop.make("tells", 2)
    assert shop.told(after) == "2 row 2 1 [2] [] ['rows', 'weights']"
    assert (before.facts["step_of_process"], after.facts["step_of_process"]) == (1, 1)


@pytest.mark.long
def test_a_step_that_has_room_alone_only_is_executed_alone(open_shop: Open) -> None:
    shop = open_shop()
    assert shop.make("needs", 0, held=120, mib=60).facts["step_of_process"] == 1
    made = shop.make("needs", 1, held=120, mib=170)
    assert "step_of_process" not in made.facts and shop.told(made).startswith("1 row 1 0 [1]")


def test_limits_and_log_are_those_of_each_step(open_shop: Open) -> None:
    shop = open_shop(seconds=3.0, disk=2 << 20)
    began, made = time.monotonic(), []
    while time.monotonic() - began < 4:  # longer in all than one step may take, and more written than one may write
        made.append(shop.make("prints", len(made)))
        time.sleep(0.2)
    assert [one.facts["step_of_process"] for one in made] == list(range(1, len(made) + 1))
    assert shop.log == [(f"{n}-prints", f"step {n} speaks\n".encode()) for n in range(len(made))]


def test_a_stopped_run_ends_the_step_and_its_process(open_shop: Open) -> None:
    shop = open_shop()
    shop.make("tells", 0)
    threading.Timer(0.5, shop.workshop.cancel.set).start()
    with pytest.raises(Interrupted):
        shop.make("sleeps", 1)


def test_what_cannot_be_loaded_ahead_or_forked_is_executed_as_ever(open_shop: Open) -> None:
    shop = open_shop()
    for number in range(2):
        threads = shop.make("tells", number, quantisation="threads")
        assert threads.facts["step_of_process"] == 1, "a process with threads executes one step and is not kept"
        assert shop.told(threads).startswith(f"{number} row {number} 1 [{number}]")
    assert shop.told(shop.make("tells", 3, quantisation="fails")).startswith("3 row 3 1 [3]")


def test_only_steps_with_the_same_model_code_and_numerics_share_a_process(open_shop: Open) -> None:
    shop = open_shop()
    step, parts = shop.step("tells", 0)
    name = shop.workshop.affinity(step, parts)
    assert name and name == shop.workshop.affinity(*shop.step("tells", 1))
    weights = parts["inputs"]["weights"]
    others: list[Any] = [
        {"code": "0" * 64},
        {"environment": "0" * 64},
        {"numerics": {**parts["numerics"], "TZ": "CET"}},
        {"params": {**parts["params"], "dtype": "float16"}},
        {"inputs": {**parts["inputs"], "weights": weights[::-1]}},
        {"batch": "8"},
    ]
    names = [shop.workshop.affinity(step, parts | other) for other in others]
    assert all(names) and len({name, *names}) == len(others) + 1
    alone: list[Any] = [
        {"device": "cuda:sm_90"},
        {"numerics": {**parts["numerics"], "HARNESS_THREADS": "2"}},
        {"inputs": {"rows": parts["inputs"]["rows"]}},
    ]
    assert [shop.workshop.affinity(step, parts | other) for other in alone] == ["", "", ""]
    assert shop.workshop.affinity(replace(step, infers=False), parts) == ""


def test_a_process_is_kept_while_memory_is_left_and_not_for_ever(open_shop: Open) -> None:
    assert memory_to_spare() > 0 and memory_to_spare(Path("/nowhere")) == 0
    shop, greedy = open_shop(), open_shop("greedy", memory=1 << 50)
    for number in (0, 1):
        assert greedy.make("tells", number).facts["step_of_process"] == 1
    assert shop.workshop.warm
    shop.workshop.warm.idle = 0.3
    shop.make("tells", 0)
    assert list(shop.store.temp.iterdir())
    time.sleep(1)
    assert not list(shop.store.temp.iterdir())
    assert shop.make("tells", 1).facts["step_of_process"] == 1


def test_no_more_processes_are_kept_than_steps_run_at_once(open_shop: Open) -> None:
    shop = open_shop()
    kinds = [shop.make("tells", n, dtype=str(n % 2)).facts["step_of_process"] for n in range(4)]
    assert kinds == [1, 1, 1, 1] and len(list(shop.store.temp.iterdir())) == 1


def test_a_step_whose_process_waits_goes_first(open_shop: Open) -> None:
    shop = open_shop()
    assert shop.workshop.warm
    order: list[int] = []
    gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        queue = WarmQueue(pool, shop.workshop.warm)
        made: list[Future[Any]] = [queue.submit("", gate.wait)]
        for number in range(6):
            step, parts = shop.step("tells", number, dtype=str(number % 2))

            def work(step: Step = step, parts: Any = parts, number: int = number) -> StepResult:
                order.append(number)
                return shop.workshop.make(step, parts)

            made.append(queue.submit(shop.workshop.affinity(step, parts), work))
        gate.set()
        results = [one.result() for one in made[1:]]
    assert order == [0, 2, 4, 1, 3, 5]
    assert [one.facts["step_of_process"] for one in results] == [1, 1, 2, 2, 3, 3]
