"""The API keys that a run needs: one that is not there is missed before the first step, not after hours of other work.

A key is needed if a step that asks its model is not in the store, and its answers are not on a tape. No key is read
beyond whether there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from harness.errors import HarnessError, MissingError
from harness.manifest.load import LoadedManifest
from harness.manifest.lockfile import Lock
from harness.models.gateway.settings import Keys
from harness.models.provider import Service
from harness.models.tape.tape import Tape
from harness.run.executing.forecast import asking_steps, look_up_asking_steps
from harness.run.executing.warm import NOTHING
from harness.run.executing.workshop import Workshop
from harness.run.locking.models import INSTRUMENTS, MODELS, every_model
from harness.steps import JUDGED, Plan, Ref, Step


def require_keys(loaded: LoadedManifest, lock: Lock, plan: Plan, workshop: Workshop) -> None:
    """Raise MissingError for the first API key that a run needs and that is not there; servers of loopback need none.

    A model whose tape has answers already is not checked: perhaps nothing of it is left to ask.
    """
    keys, lacking = Keys(os.environ), dict[tuple[str, str], MissingError]()
    for named in every_model(loaded.manifest):
        service = named.model.service
        if service and service.tape != "replay":
            try:
                keys.find_for(service.told["key"], service.told["base_url"])
            except MissingError as bad:
                if not _taped(service, loaded, named.tapes(loaded.manifest)):
                    lacking[named.part, named.name] = bad
    if lacking:
        asked = set(_asked(lock, plan, workshop))
        for model, lack in lacking.items():
            if model in asked:
                raise lack


def _asked(lock: Lock, plan: Plan, workshop: Workshop) -> Iterator[tuple[str, str]]:
    """Yield part and name of each model that a step asks and whose answers are not in the store."""
    steps = {step.name: step for step in plan.steps}
    schedule = look_up_asking_steps(plan, lock, workshop)
    for step in asking_steps(plan):
        prompts = step.inputs["prompts"]
        assert isinstance(prompts, Ref)
        empty = schedule.made.get((prompts.step, prompts.output)) == NOTHING or _may_be_empty(steps[prompts.step])
        if step.calls and step.name not in schedule.results and not empty:
            yield INSTRUMENTS if step.stage == JUDGED else MODELS, str(step.params.get("model"))


def _may_be_empty(prompts: Step) -> bool:
    """Whether a step writes prompts only about what an earlier round left open, which may be nothing."""
    return "unread" in prompts.inputs


def _taped(service: Service, loaded: LoadedManifest, tapes: str) -> bool:
    folder = service.folder(loaded.root, tapes)
    if service.tape == "live" or not folder.is_dir():
        return False
    try:
        with Tape.open(folder) as tape:
            return any(one.body.get("model") == service.model for one in tape.requests())
    except HarnessError:
        return False  # the gateway says what is wrong with it
