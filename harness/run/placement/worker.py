"""What a worker of a cluster does: one function from a message to a message, called by name on another machine.

Before it takes a step a worker reads its own packages, interpreter, processor and device as a run does, and probes its
isolation; it executes only steps whose key names exactly these. It reads no manifest, no lock and no journal, writes no
entry, holds no key of a provider, and has of a store only the inputs of its steps, unless the store is shared with it.
"""

from __future__ import annotations

import copy
import tempfile
import threading
import traceback
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from harness.digest import document_digest
from harness.engines.engine import NO_IMAGE, EngineKind, EngineOptions
from harness.errors import HarnessError, InputError, MissingError, StepError
from harness.manifest.schema import Resources
from harness.run.engines import ENGINES, EngineChoice, image_of_run, step_limits, within_disk
from harness.run.environment import count_cores, machine_facts
from harness.run.executing import exchange
from harness.run.executing.warm import WarmProcesses
from harness.run.executing.workshop import Workshop
from harness.steps import CPU, Computing, Step
from harness.store.journal import Preimage
from harness.store.store import Store

MOST_RUNS = 64  # runs whose stop a worker remembers
_turn = threading.Lock()
_hosts: dict[str, WorkerHost | MissingError] = {}
_stops: OrderedDict[str, threading.Event] = OrderedDict()
_folder = ExitStack()


Answer = tuple[exchange.WorkerReply, Sequence[bytes]]  # the document and the blobs that travel with it


def answer_message(message: bytes) -> bytes:
    """Answer a message of a run on this worker: with a proof of its environment, or with the result of a step.

    A step that fails is an answer too, and so is a defect: whatever is raised here, a scheduler might try again.
    """
    try:
        fields, blobs = _answer(message)
    except HarnessError as bad:
        fields, blobs = exchange.failure_fields(bad), ()
    except Exception as bad:  # the border: it is told to the run, which ends with it
        error = StepError(f"a worker failed: {type(bad).__name__}: {bad}", next="tell the authors of the harness")
        error.add_note(traceback.format_exc())
        fields, blobs = exchange.failure_fields(error), ()
    return exchange.pack_message({**fields, "address": _address()}, blobs)


def _answer(message: bytes) -> Answer:
    said, blobs = exchange.unpack_order(message)
    if said["type"] == exchange.STOP:
        _stop_of(said["run"]).set()
        return {"type": exchange.STOPPED}, ()
    host = _host(said["setting"])
    if isinstance(host, MissingError):
        return {"type": exchange.REFUSED, "why": host.what, "next": host.next}, ()
    return host.prove() if said["type"] == exchange.QUESTION else host.execute(said, blobs)


def _address() -> str:
    """Return the address of this worker as its scheduler knows it; empty where Dask is not the caller."""
    from distributed import get_worker  # noqa: PLC0415 - not needed before a worker is asked

    try:
        return str(get_worker().address)
    except ValueError:
        return ""


def _stop_of(run: str) -> threading.Event:
    """Return the event that ends the steps of a run here."""
    with _turn:
        event = _stops.setdefault(run, threading.Event())
        while len(_stops) > MOST_RUNS:
            _stops.popitem(last=False)
        return event


def _host(setting: exchange.WorkerSetting) -> WorkerHost | MissingError:
    """Return what executes steps of a setting in this process; it is opened, and so read and probed, once."""
    name = document_digest(setting)
    with _turn:
        if name not in _hosts:
            try:
                _hosts[name] = WorkerHost(setting, _own_folder())
            except MissingError as lack:
                _hosts[name] = lack
        return _hosts[name]


def _own_folder() -> Path:
    """Return the folder of this worker: the one that Dask gave it, else a temporary one."""
    from distributed import get_worker  # noqa: PLC0415 - not needed before a worker is asked

    try:
        return Path(get_worker().local_directory)
    except ValueError:
        return Path(_folder.enter_context(tempfile.TemporaryDirectory(prefix="worker-")))


class WorkerHost:
    """Executor of steps for one setting: engine, image, resources and numerics, as a run asks for them.

    Raises MissingError if this machine lacks what the setting asks for, or if its isolation does not hold.
    """

    def __init__(self, setting: exchange.WorkerSetting, folder: Path) -> None:
        self.shared = bool(setting["store"])
        self.store = _shared_store(setting) if self.shared else Store.make(folder / "harness-store")
        self.store.blobs.durable = self.shared  # a worker's own store ends with it
        resources = Resources(**setting["resources"])
        kind: EngineKind = ENGINES.find(setting["engine"])
        images = EngineChoice(setting["engine"], setting["isolation"], self.store.root)
        engine = kind.open(
            EngineOptions(
                setting["isolation"] if kind.isolations else "",
                resources.gpus,
                lambda: image_of_run(images, setting["image"]),
            )
        )
        self.threads = resources.threads or 1
        allowed = within_disk(step_limits(resources, setting["ceiling"]), self.store.root)
        computing = Computing(resources.threads, setting["numerics"])
        self.workshop = Workshop(self.store, engine, allowed, computing=computing)
        self.workshop.warm = WarmProcesses(self.store)
        self.found = {
            **machine_facts(self.workshop.processor),
            **engine.facts(),
            **engine.device.facts,
            **self.workshop.containment(),
            **self.workshop.unread(),
        }

    def prove(self) -> Answer:
        """Return what a worker proves of itself: its environment document, device, numerics and facts."""
        setting = self.workshop.setting
        proof: exchange.WorkerProof = {
            "type": exchange.PROOF,
            "environment": setting.environment,
            "device": setting.device,
            "numerics": {**setting.numerics, **setting.heavy},
            "image": self.workshop.engine.image,
            "isolation": self.workshop.engine.isolation,
            "facts": self.found,
        }
        return proof, [self.workshop.environment] if self.workshop.engine.image == NO_IMAGE else []

    def execute(self, said: exchange.SentRequest, blobs: Mapping[str, bytes]) -> Answer:
        """Execute the step of a request, and return its outputs; or say why it is not taken, or what is lacking."""
        step, parts = exchange.read_request(said)
        if why := self.unfit(step, parts):
            return {"type": exchange.REFUSED, "why": why, "next": ""}, ()
        for data in blobs.values():
            self.store.blobs.put(data)
        if lacking := [one for one in exchange.input_digests(parts) if self.store.blobs.state(one) != "sound"]:
            return {"type": exchange.LACKING, "digests": lacking}, ()
        bound, log = copy.copy(self.workshop), list[bytes]()
        bound.cancel, bound.heard = _stop_of(said["run"]), lambda _, text: log.append(text)
        fields: exchange.StepMade | exchange.StepFailed
        try:
            made = exchange.read_answer(bound.perform(exchange.encode_request(step, parts)), parts)
            fields = exchange.answer_fields(parts, made)
        except HarnessError as bad:
            made, fields = None, exchange.failure_fields(bad)
        fields["log"] = b"".join(log)[: self.workshop.limits.log_bytes].decode("utf-8", "replace")
        given = {} if self.shared or made is None else {out.sha256 for out in made.outputs.values()}
        return fields, [self.store.blobs.path(one).read_bytes() for one in sorted(given)]

    def unfit(self, step: Step, parts: Preimage) -> str:
        """Return why a step may not be executed here; empty if its key names this worker's environment and device."""
        setting, threads = self.workshop.setting, self.threads
        wrong = {
            "a step that asks models or tries programs stays with its run": step.calls or step.trial,
            "its packages or its interpreter are not those of the key": parts["environment"] != setting.environment,
            f"the key names device {parts['device']}, and this worker has {setting.device}": parts["device"]
            not in (CPU, setting.device),
            "its numerics are not those of the key": parts["numerics"] != setting.numerics_of(step),
            f"the key names {threads} threads, and this worker has {count_cores()} cores": step.in_threads
            and threads > count_cores(),
            f"its harness has other code for {step.kind}": parts["code"] != self._code_of(step),
        }
        return next((why for why, found in wrong.items() if found), "")

    def _code_of(self, step: Step) -> str:
        try:
            return self.workshop.code.closure(step.kind).digest
        except InputError:
            return ""  # its harness has no such module


def _shared_store(setting: exchange.WorkerSetting) -> Store:
    """Open the run's own store; MissingError if this worker does not see it, or sees another one under its path."""
    root, mark = Path(setting["store"]), setting["mark"]
    try:
        store = Store.open(root)
        seen = store.tree.find_file(f"tmp/{mark}", 1 << 10)
    except HarnessError as bad:
        raise MissingError(f"this worker does not see the run's store: {bad.what}", where=str(root)) from bad
    if seen != str(mark).encode():
        raise MissingError("this worker sees another store than the run under its path", where=str(root))
    return store
