"""Sampling and image input of one dataset: the seeds of repeated samples, and which models are shown images.

Plan values alone. It must never know what an image shows, nor who is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.errors import InputError
from harness.steps import Ref, Step, maker
from harness.studies.study import Dataset, Model

ILLUSTRATED = 256  # where images go along with prompts: a shard that is made again sends them again
_MEDIA = "harness.studies.media"


def sample_seeds(seeds: Sequence[int], samples: int | None) -> tuple[int, ...]:
    """Give a seed for each sample: the manifest's first ones, and where it has fewer those that follow its largest.

    Without `samples` they are the manifest's seeds; InputError where it is below 1.
    """
    if samples is None:
        return tuple(seeds)
    if samples < 1:
        raise InputError(f"`samples` is {samples}", where="samples", next="ask each model at least once")
    more = range(max(seeds) + 1, max(seeds) + 1 + samples - len(seeds))
    return (*seeds[:samples], *more)


def reads_images(model: Model) -> bool:
    """Whether a model is asked prompts with images: stand-ins, imported answers, and models elsewhere.

    One elsewhere whose `facts` say `images: no` is not.
    """
    asked = model.stand_in is not None or model.imported is not None or model.calls
    return asked and (not model.calls or model.facts.get("images") != "no")


def media_steps(
    dataset: Dataset, models: Sequence[Model], fits: Callable[[Model], bool], slices: Sequence[str]
) -> tuple[list[Step], list[Ref]]:
    """Give the steps that select each slice's images, and its prompts without images for models that see none.

    The second value refers to the counts of prompts those models are not asked; empty where all are asked everything.
    """
    steps: list[Step] = []
    name, prompts = dataset.name, {part: Ref(f"{dataset.name}/prompts/{part}", "prompts") for part in slices}
    if any(model.calls and fits(model) for model in models):
        whole = Ref(maker(name), "media")
        for part, asked in prompts.items():
            both = {"prompts": asked, "media": whole}
            steps.append(Step(f"{name}/media/{part}", f"{_MEDIA}:pick", "prompts", {}, both, ("media",)))
    unfit = sorted(model.name for model in models if not fits(model))
    if not unfit:
        return steps, []
    for part, asked in prompts.items():
        made = ("prompts", "skipped")
        steps.append(Step(f"{name}/plain/{part}", f"{_MEDIA}:without", "prompts", {}, {"prompts": asked}, made))
    skipped = tuple(Ref(f"{name}/plain/{part}", "skipped") for part in slices)
    params = {"dataset": name, "models": unfit}
    tally = Step(f"{name}/skipped", f"{_MEDIA}:tally", "prompts", params, {"skipped": skipped}, ("counts",))
    return [*steps, tally], [Ref(tally.name, "counts")]
