"""The verb `carry`: an expectation is taken along to a new lock, where a run under it gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from harness.errors import AGREED, DISAGREED
from harness.manifest.load import Loaded
from harness.run.answers import NONE, Most, most
from harness.run.carry import carry as carry_along
from harness.run.service import Place
from harness.verbs.choices import EngineRequest
from harness.verbs.project import PathText, Project, Result, Watch


class CarryRequest(EngineRequest):
    """Which manifests are locked anew and run, and where."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    jobs: int = Field(default=0, ge=0, description="Steps at once; default: the cores.")
    max_errors: str = Field(default="", description="Rows of a model that may be without an answer: `12` or `5%`.")


class PartedOutput(Result):
    """An output that came out other than it was accepted; an empty digest is no such output."""

    output: str
    accepted: str
    made: str


class CarriedManifest(Result):
    """What became of one expectation."""

    manifest: str
    name: str
    expect: str
    state: str  # carried | refused | fits
    old: str  # the lock that it named
    lock: str  # the lock that was made; where it was refused, it was put away again
    run: str  # none where the lock that it named still fits
    parted: list[PartedOutput]


class CarryResult(Result):
    """The expectations of the manifests, in their order."""

    carried: list[CarriedManifest]

    @property
    def code(self) -> int:
        """Give the exit code: 1 where an output came out other than it was accepted."""
        return DISAGREED if any(one.state == "refused" for one in self.carried) else AGREED


def carry(project: Project, asked: CarryRequest, watch: Watch | None = None) -> CarryResult:
    """Lock manifests anew and take their expectations along, where a run gives every output the same bytes."""
    watch, allowed = watch or Watch(), most(asked.max_errors) or NONE
    found = []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        place = Place(here.store, asked.choice(here, watch), asked.jobs, stop=watch.stop)
        found.append(_carried(loaded, place, watch, allowed))
    return CarryResult(carried=found)


def _carried(loaded: Loaded, place: Place, watch: Watch, allowed: Most) -> CarriedManifest:
    name = loaded.manifest.name
    done = carry_along(loaded, place, watch.task(name), watch.task(f"audit {name}"), allowed)
    state = "refused" if done.parted else "carried" if done.run else "fits"
    watch.say(f"{name}: {_words(state, done.run)}")
    return CarriedManifest(
        manifest=str(loaded.path), name=name, expect=str(done.path), state=state, old=done.old, lock=done.new,
        run=done.run, parted=[PartedOutput(**vars(one)) for one in done.parted],
    )  # fmt: skip


def _words(state: str, run: str) -> str:
    return {
        "carried": f"run {run} gave every output the same bytes; lock and expectation name it now",
        "refused": f"run {run} gave other bytes than were accepted; lock and expectation stay as they were",
        "fits": "the expectation names the lock that fits; nothing was left to do",
    }[state]
