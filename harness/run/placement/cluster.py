"""Placement of steps on the workers of a Dask scheduler: what is sent, to which worker, and what becomes of a loss.

Only documents of bytes and the name of one function travel. A step that fails is an answer; only the loss of a worker
makes Dask execute a step again, which is harmless, because the run's process writes an entry once. A worker gets no
step before its proof was read here, and what it sends back is held against its digests. Locks, the journal and what is
told to the user stay with the run.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from harness.digest import encode_document
from harness.engines.engine import NO_IMAGE, VISIBLE
from harness.errors import DamageError, HarnessError, InputError, Interrupted, MissingError
from harness.evidence.record import LOST
from harness.evidence.trail import environment_changes, read_environment
from harness.manifest.schema import SIZES, Resources, parse_amount
from harness.run.engines import PlacementChoice, find_address, require_private
from harness.run.executing import exchange
from harness.run.executing.execute import StepEnded
from harness.run.executing.workshop import Workshop
from harness.run.placement.worker import answer_message
from harness.steps import CPU, Step
from harness.store.journal import Preimage

TURN = 0.5  # seconds between two looks at the scheduler's list of workers
AT_ONCE = 128  # steps that are asked for at once, if the user says nothing
SOON = 0.05
SMALL = 1 << 20  # bytes of an input that is sent before a worker says that it lacks it
MOST_SENT = 256 << 20  # bytes that travel with one step
MOST_LOST = 3  # times that one step may lose its worker
WAIT = 60.0  # seconds without any worker after which a run ends
CONNECT = 20.0  # seconds within which a scheduler must answer
KEPT = "run again: every finished step is kept"
OnWorker = Callable[[str, Mapping[str, Any]], None]  # event of the journal, its fields


@dataclass(frozen=True)
class PlacementTerms:
    """What a worker has to offer for a run: isolation, resources, the most memory, and the kind of numerics."""

    isolation: str
    resources: Resources
    ceiling: int
    numerics: str


@dataclass
class SeenWorker:
    """A worker as this run knows it: its name in the record, what it proved, and the blobs that it has."""

    name: str
    ident: str  # its own folder, since an address may be used again
    resources: Mapping[str, float]
    device: str = ""  # until it has proved itself
    numerics: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    gpus: frozenset[str] = frozenset()  # by UUID
    held: set[str] = field(default_factory=set)


class WorkerLost(Exception):  # noqa: N818 - what became of it
    """Raised if the worker of a step went away before it answered; `often` if Dask gave the step up for that."""

    often = False


class DaskPlacement:
    """Placement of a run's steps on a Dask scheduler's workers; `open` connects it."""

    name = "dask"
    jobs = AT_ONCE

    def __init__(self, choice: PlacementChoice, workshop: Workshop, terms: PlacementTerms) -> None:
        self.choice, self.workshop, self.terms = choice, workshop, terms
        self.store, self.cancel = workshop.store, workshop.cancel
        self.workers: dict[str, SeenWorker] = {}  # by address
        self._token = secrets.token_hex(16)
        self._mark = f"seen-{self._token}"
        self._proofs: SimpleQueue[tuple[str, SeenWorker, Future[bytes]]] = SimpleQueue()  # that are to be read
        self._came = 0
        self._models = dict[str, int]()  # in the order in which their steps came
        self._events: list[tuple[str, Mapping[str, Any]]] = []  # until the run has a journal
        self._note: OnWorker | None = None
        self._lock = threading.Condition()
        self._ended, self._stopped = threading.Event(), False
        self._lacked: HarnessError | None = None  # the last that a worker lacked

    @contextmanager
    def open(self) -> Iterator[DaskPlacement]:
        """Context manager that connects to the scheduler, or starts one of its own, and looks after its workers.

        Raises MissingError if `distributed` is not installed or nothing answers, and for an address beyond this machine
        without certificates.
        """
        if not self.choice.own_workers:
            find_address(self.choice)  # before anything is loaded
        with connected_client(self.choice) as client:
            self.client = client
            if self.choice.shared:
                self.store.tree.write_file(f"tmp/{self._mark}", self._mark.encode())
            watch = threading.Thread(target=self._watch, name="workers", daemon=True)
            watch.start()
            try:
                yield self
            finally:
                self._ended.set()
                watch.join(timeout=CONNECT)
                if self.choice.shared:
                    self.store.tree.remove(f"tmp/{self._mark}")

    def spoken(self) -> dict[str, str]:
        """Return what the run's record says of this placement: its kind, and how inputs reach the workers."""
        return {"name": self.name, "store": "shared" if self.choice.shared else "sent"}

    def begin(self, note: OnWorker) -> None:
        """Pass the events of workers, past and future ones, to `note`, which writes the run's journal."""
        with self._lock:
            self._note = note
            for event, fields in self._events:
                note(event, fields)
            self._events.clear()

    def end(self) -> None:
        """Stop passing events: the run writes the last lines of its journal."""
        with self._lock:
            self._note = lambda _event, _fields: None

    def takes(self, step: Step) -> bool:
        """Whether a worker may execute a step: not one that asks models at providers, or runs programs from answers."""
        return not (step.calls or step.trial)

    def perform(self, request: bytes) -> bytes:
        """Have the step of a request executed by a worker, put its outputs into the store, and answer.

        Raises the error of a step that fails, MissingError if no worker is left for it, and StepEnded if it lost too
        many workers.
        """
        asked = exchange.parse_request(request)
        step, parts = exchange.read_request(asked)
        sent: exchange.SentRequest = {**asked, "setting": self._setting(), "run": self._token}
        wants, lacking, last, lost = self._wants(step), set[str](), "", 0
        while True:
            fit = self._fit(step, parts, wants)
            goal = [last] if last in fit else list(fit)
            try:
                message = exchange.pack_message(sent, self._sent(step, parts, lacking, fit.values()))
                said, blobs = self._ask(message, goal, wants, self._turn(step, parts))
            except WorkerLost as loss:
                lost, last = lost + 1, ""
                if loss.often or lost == MOST_LOST:
                    raise _lost(step) from None
                continue
            last = said.get("address", "")
            if log := said.get("log"):
                self.workshop.heard(step.name, log.encode())
            if said["type"] == exchange.LACKING:
                lacking |= set(said["digests"])
            elif said["type"] == exchange.REFUSED:
                self._refuse(last, said["why"], said["next"])
            elif said["type"] == exchange.FAILED:
                self._failed(last, exchange.read_failure(said))
            elif answer := self._taken(said, blobs, parts, last):
                return answer

    def _failed(self, address: str, error: HarnessError) -> None:
        """Raise the error of a step; but a worker that lacks something, such as room on its disk, is passed by."""
        if not isinstance(error, MissingError) or address not in self.workers:
            raise error
        self._lacked = error
        self._refuse(address, error.what, error.next)

    def _taken(self, said: exchange.StepMade, blobs: Mapping[str, bytes], parts: Preimage, at: str) -> bytes:
        """Put what a worker made into the store and return the answer; empty if the bytes are not what it says."""
        body: exchange.StepMade = {
            "type": said["type"],
            "key": said["key"],
            "outputs": said["outputs"],
            "usage": said["usage"],
            "facts": said["facts"],
        }
        seen = self.workers.get(at)
        answer = exchange.read_answer(encode_document(body), parts)
        for out in answer.outputs.values():
            if self.choice.shared:
                sound = self.store.blobs.state(out.sha256) == "sound" and self.store.blobs.size(out.sha256) == out.size
            else:
                data = blobs.get(out.sha256)
                sound = data is not None and len(data) == out.size and self.store.blobs.put(data) == out.sha256
            if not sound:
                self._refuse(at, "what it sent is not what it says it made", "")
                return b""
        if seen:
            seen.held |= {*exchange.input_digests(parts), *(out.sha256 for out in answer.outputs.values())}
        made = exchange.read_answer(encode_document({**body, "worker": seen.name if seen else ""}), parts)
        return exchange.encode_answer(parts, made)

    def _sent(self, step: Step, parts: Preimage, lacking: set[str], fit: Any) -> list[bytes]:
        """Return the blobs that travel with a step: what its worker lacks, and small ones that some worker may lack."""
        if self.choice.shared:
            return []
        common = set.intersection(*(one.held for one in fit))
        blobs, chosen, size = self.store.blobs, list[str](), 0
        for digest in exchange.input_digests(parts):
            many = blobs.size(digest)
            if digest in lacking or (digest not in common and many <= SMALL):
                chosen.append(digest)
                size += many
        if size > MOST_SENT:
            raise MissingError(
                f"step {step.name} reads {size:,} bytes that a worker lacks, and {MOST_SENT:,} travel with a step",
                where=step.kind,
                next='let the workers see the store, and write store = "shared" in placement.toml (docs/scale.md)',
            )
        return [blobs.read(digest, MOST_SENT) for digest in chosen]

    def _setting(self) -> exchange.WorkerSetting:
        engine, shared = self.workshop.engine, self.choice.shared
        return {
            "type": "worker-setting/1",
            "engine": engine.name,
            "isolation": self.terms.isolation,
            "image": engine.image,
            "resources": self.terms.resources.model_dump(mode="json"),
            "ceiling": self.terms.ceiling,
            "numerics": self.terms.numerics,
            "store": str(self.store.root.absolute()) if shared else "",
            "mark": self._mark if shared else "",
        }

    def _wants(self, step: Step) -> dict[str, float]:
        """Return what a step takes of its worker's resources: GPUs if it infers, and memory if that is counted."""
        wants = dict[str, float]()
        if step.infers and self.workshop.engine.device.kind != CPU:
            gpus = self.terms.resources.gpus
            wants["GPU"] = float(gpus) if isinstance(gpus, int) else 1.0
        if self.choice.memory:
            wants["MEMORY"] = float(parse_amount(self.terms.resources.memory, SIZES))
        return wants

    # The workers.

    def _fit(self, step: Step, parts: Preimage, wants: Mapping[str, float]) -> dict[str, SeenWorker]:
        """Return the workers that may execute a step; wait for one for a while, and raise MissingError without any."""
        began = time.monotonic()
        told = False
        with self._lock:
            while True:
                self._require_open()
                proved = {at: one for at, one in self.workers.items() if one.device and not one.refused}
                fit = {at: one for at, one in proved.items() if _may_execute(one, step, parts)}
                able = {at: one for at, one in fit.items() if all(one.resources.get(n, 0) >= wants[n] for n in wants)}
                if able:
                    return able
                waiting = [one for one in self.workers.values() if not one.device and not one.refused]
                if fit and not waiting:
                    raise _unoffered(step, wants, fit.values())
                if self.workers and not waiting:
                    raise self._none_fits(step)
                if not self.workers and time.monotonic() - began > WAIT:
                    raise self._lacked or MissingError(
                        f"no worker is left at {self.choice.target}",
                        where=f"--placement dask={self.choice.target}",
                        next=f"start one with `dask worker` (docs/scale.md), and {KEPT}",
                    )
                if not self.workers and not told:
                    told = True
                    self.choice.tell(f"waiting for a worker at {self.choice.target}")
                self._lock.wait(TURN)

    def _none_fits(self, step: Step) -> HarnessError:
        if self._lacked:
            return self._lacked
        why = "; ".join(f"{one.name}: {one.refused or 'another device or numerics'}" for one in self.workers.values())
        return MissingError(
            f"no worker may take step {step.name}: {why[:2000]}",
            where=f"--placement dask={self.choice.target}",
            next="make the workers' environment from the same lock as this one; docs/scale.md says what must be equal",
        )

    def _require_open(self) -> None:
        if self.cancel.is_set():
            raise Interrupted("stopped", next="run again: what was finished is kept")
        if self.client.status != "running":
            raise MissingError(
                f"the scheduler at {self.choice.target} is gone",
                where=f"--placement dask={self.choice.target}",
                next=f"start it again, and {KEPT}",
            )

    def _watch(self) -> None:
        """Look at the scheduler's list of workers, ask each new one for its proof and read it; ends with the run.

        All that waits for the scheduler is done here, so that no answer waits for it.
        """
        while not self._ended.wait(TURN if self.workers else SOON):
            scheduler = self.client.scheduler
            if self.client.status != "running" or scheduler is None:
                continue
            try:
                if self.cancel.is_set() and not self._stopped:
                    self._stopped = True
                    self.client.run(
                        answer_message,
                        exchange.pack_message({"type": exchange.STOP, "run": self._token}),
                        on_error="ignore",
                    )
                # not `scheduler_info`, in whose place the client puts an answer without workers every two seconds
                listed = self.client.sync(scheduler.identity, n_workers=-1)["workers"]
            except (OSError, TimeoutError, RuntimeError) as bad:
                if not self._ended.is_set():
                    self.choice.tell(f"the scheduler does not answer: {type(bad).__name__}: {bad}")
                continue
            with self._lock:
                for address in set(self.workers) - set(listed):
                    self._leave(address)
                for address, told in listed.items():
                    if address in self.workers and self.workers[address].ident != told["local_directory"]:
                        self._leave(address)
                    if address not in self.workers:
                        self._come(address, told)
                while not self._proofs.empty():
                    self._judge(*self._proofs.get())
                self._lock.notify_all()

    def _come(self, address: str, told: Mapping[str, Any]) -> None:
        """Note a new worker and ask it for its proof; one that is reached over an open line is asked for nothing."""
        self._came += 1
        seen = SeenWorker(f"w{self._came}", told["local_directory"], dict(told.get("resources") or {}))
        self.workers[address] = seen
        try:
            require_private(address, self.choice)
        except (InputError, MissingError) as bad:
            self._refuse(address, bad.what, bad.next)
            return
        question = exchange.pack_message({"type": exchange.QUESTION, "setting": self._setting()})
        future = self.client.get_executor(workers=[address], pure=False, retries=0).submit(answer_message, question)
        future.add_done_callback(lambda done: self._proofs.put((address, seen, done)))

    def _leave(self, address: str) -> None:
        seen = self.workers.pop(address)
        if not seen.refused:
            self.choice.tell(f"worker {seen.name} is gone")

    def _judge(self, address: str, seen: SeenWorker, done: Future[bytes]) -> None:
        """Read a worker's proof; it takes steps only if it is what the keys of this run name."""
        if done.cancelled() or self.workers.get(address) is not seen:
            return
        if bad := done.exception():
            self._refuse(address, f"it gave no proof: {type(bad).__name__}: {bad}"[:500], "")
            return
        try:
            said, blobs = exchange.unpack_proof(done.result())
        except DamageError as damage:
            self._refuse(address, damage.what, damage.next)
            return
        if said["type"] != exchange.PROOF:
            self._refuse(address, said["why"] if said["type"] == exchange.REFUSED else said["what"], said["next"])
            return
        if why := self._unproved(said, blobs):
            self._refuse(address, why, "")
            return
        seen.device, seen.numerics, seen.gpus = said["device"], said["numerics"], _gpus(said["facts"])
        self._record("worker.joined", {"worker": seen.name, "isolation": said["isolation"], "facts": said["facts"]})

    def _unproved(self, said: exchange.WorkerProof, blobs: Mapping[str, bytes]) -> str:
        """Return why a worker may take no step; empty if its environment and image are those of this run."""
        setting = self.workshop.setting
        if said["image"] != self.workshop.engine.image:
            return "its steps run in another image"
        if twin := self._twin(said):
            return f"it computes on a GPU of worker {twin}; start each with {VISIBLE} and one GPU of its own"
        if said["environment"] == setting.environment:
            return ""
        theirs = blobs.get(said["environment"])
        if self.workshop.engine.image != NO_IMAGE or theirs is None:
            return "its environment is not that of this run"
        mine = read_environment(self.workshop.environment, "this environment")
        changes = list(environment_changes(mine, read_environment(theirs, "its environment")))
        return f"its environment is not that of this run: {'; '.join(changes[:5])}"[:1000]

    def _twin(self, said: exchange.WorkerProof) -> str:
        """Return the name of another worker that takes steps on a GPU of this one; empty if there is none."""
        own = _gpus(said["facts"])
        return next((one.name for one in self.workers.values() if not one.refused and one.gpus & own), "")

    def _refuse(self, address: str, why: str, advice: str) -> None:
        """Stop using a worker, record the reason, and report it."""
        with self._lock:
            seen = self.workers.get(address)
            if seen and not seen.refused:
                seen.refused = why
                self._record("worker.refused", {"worker": seen.name, "why": why[:2000]})
                self.choice.tell(f"worker {seen.name} takes no step: {why}" + (f" ({advice})" if advice else ""))
            self._lock.notify_all()

    def _record(self, event: str, fields: Mapping[str, Any]) -> None:
        with self._lock:
            if self._note:
                self._note(event, fields)
            else:
                self._events.append((event, fields))

    # One message.

    def _turn(self, step: Step, parts: Preimage) -> int:
        """Return the priority of a step: 0, or the lower the later its model came: workers rarely change models.

        A worker keeps the process of the model that it loaded last (`warm.py`).
        """
        name = self.workshop.affinity(step, parts)
        with self._lock:
            return -(1 + self._models.setdefault(name, len(self._models))) if name else 0

    def _ask(
        self, message: bytes, goal: Sequence[str], wants: Mapping[str, float], turn: int = 0
    ) -> tuple[exchange.StepReply, dict[str, bytes]]:
        """Send a message to one of some workers and return its answer; WorkerLost if all of them went away."""
        import dask  # noqa: PLC0415 - an optional package, installed where this runs
        from distributed import KilledWorker  # noqa: PLC0415 - as above

        options: dict[str, Any] = {"workers": list(goal), "pure": False, "retries": 0}
        if wants:
            options["resources"] = dict(wants)
        with dask.annotate(priority=turn):
            future: Future[bytes] = self.client.get_executor(**options).submit(answer_message, message)
        try:
            while True:
                with suppress(TimeoutError):
                    return exchange.unpack_step_reply(future.result(timeout=TURN))
                self._require_open()
                if not any(at in self.workers for at in goal):
                    raise WorkerLost
        except CancelledError:  # the client cancels all when it loses its scheduler, and notes that a moment later
            for _ in range(10):
                self._require_open()
                time.sleep(SOON)
            raise WorkerLost from None
        except KilledWorker:
            loss = WorkerLost()
            loss.often = True
            raise loss from None
        finally:
            if not future.done() and self.client.status == "running":
                future.cancel()


def _may_execute(worker: SeenWorker, step: Step, parts: Preimage) -> bool:
    """Whether a worker that proved itself has the device and the numerics that the key of a step names."""
    return parts["device"] in (CPU, worker.device) and all(
        worker.numerics.get(name) == value for name, value in parts["numerics"].items() if step.in_threads
    )


def _gpus(facts: Mapping[str, Any]) -> frozenset[str]:
    """Return the UUIDs of the GPUs that a worker's steps compute on."""
    return frozenset(str(gpu["uuid"]) for gpu in facts.get("gpus", ()))


def _lost(step: Step) -> StepEnded:
    error = StepEnded(
        f"step {step.name} failed: each worker that executed it was lost",
        where=step.kind,
        next="a step that needs too much memory can end its worker: lower `resources.memory`, or give workers more; "
        f"else {KEPT}",
    )
    error.ended = LOST
    return error


def _unoffered(step: Step, wants: Mapping[str, float], workers: Iterable[SeenWorker]) -> MissingError:
    """Return the error for resources that no worker offers, for which Dask would wait for ever."""
    lacking = [name for name in wants if not any(one.resources.get(name, 0) >= wants[name] for one in workers)]
    name = (lacking or sorted(wants))[0]
    return MissingError(
        f"step {step.name} takes {name}={wants[name]:g}, and no worker offers that",
        where="the workers' resources",
        next=f'start workers with `dask worker --resources "{name}={wants[name]:g}"`, one for each GPU',
    )


@contextmanager
def connected_client(choice: PlacementChoice) -> Iterator[Any]:
    """Context manager that yields a client of the chosen scheduler, or of one with workers that it starts here."""
    try:
        import dask  # noqa: PLC0415 - an optional package
        import distributed  # noqa: PLC0415 - as above
        from distributed.security import Security  # noqa: PLC0415 - as above
    except ImportError as bad:
        raise MissingError(
            f"the package {bad.name} is not installed, and --placement dask needs it",
            next="pip install 'repro-harness[scale]'",
        ) from bad
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}))
        stack.enter_context(_silence())
        try:
            if choice.own_workers:
                target: Any = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=choice.own_workers,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        protocol="tls://",
                        security=Security.temporary(),
                        dashboard_address="127.0.0.1:0",  # its HTTP server cannot be left out
                        memory_limit=0,
                    )
                )
                security = target.security
            else:
                target, security = find_address(choice), _security(choice)
            client = stack.enter_context(
                distributed.Client(target, security=security, timeout=CONNECT, set_as_default=False)
            )
        except OSError as bad:  # a TimeoutError is one
            raise MissingError(
                f"no scheduler answers at {choice.target}: {bad}",
                where="--placement",
                next="start one with `dask scheduler`; docs/scale.md says how",
            ) from bad
        yield client


@contextmanager
def _silence() -> Iterator[None]:
    """Context manager under which Dask writes no log here: what matters of it, the run says in its own words."""
    theirs = ("distributed", "tornado")  # whose loop logs what a connection's end leaves unanswered
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in theirs]
    before = {log: log.level for log in map(logging.getLogger, names)}
    for log in before:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in before.items():
            log.setLevel(level)


def _security(choice: PlacementChoice) -> Any:
    """Return what Dask is told of the user's certificates; None for an address on this machine without any."""
    from distributed.security import Security  # noqa: PLC0415 - an optional package

    held = choice.certificates
    if held is None:
        return None
    files = {"tls_ca_file": str(held.ca), "tls_client_cert": str(held.cert), "tls_client_key": str(held.key)}
    return Security(**files, require_encryption=True)
