"""The verb `carry`: an expectation is carried to a new lock, where a run under it gives the same outputs."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from harness.errors import AGREED, DISAGREED
from harness.manifest.load import Loaded
from harness.run.answers import NO_ERRORS, read_error_limit
from harness.run.recording.carry import CarriedExpectation
from harness.run.recording.carry import carry as carry_along
from harness.run.service import RunTarget
from harness.verbs.engine_choice import EngineRequest
from harness.verbs.project import PathText, Project, Result, Watch


class CarryRequest(EngineRequest):
    """Request of `carry`: which manifests are locked again and run, and where."""

    manifests: Sequence[PathText] = Field(min_length=1, description="Manifest files.")
    jobs: int = Field(default=0, ge=0, description="Steps at once; default: the cores.")
    max_errors: str = Field(default="", description="Rows of a model that may be without an answer: `12` or `5%`.")
    at_levels: bool = Field(default=False, description="Put up with other bytes where an output agrees at its level.")


class PartedOutput(Result):
    """Output that differs from the accepted one; an empty digest means that there is none."""

    output: str
    accepted: str
    made: str
    agrees: bool  # at the level that the manifest declares, all the same


class CarriedManifest(Result):
    """Result of `carry` for one manifest: its locks, and whether the expectation was carried."""

    manifest: str
    name: str
    expect: str
    state: str  # carried | refused | fits
    old: str  # the lock that it named
    lock: str  # the lock that was made; where it was refused, it was put away again
    run: str  # none where the lock and the code that it named still fit
    parted: list[PartedOutput]


class CarryResult(Result):
    """Result of `carry`: what became of each expectation, in the order of the manifests."""

    carried: list[CarriedManifest]

    @property
    def code(self) -> int:
        """Exit code: 1 where an expectation was refused, because an output differs from the accepted one."""
        return DISAGREED if any(one.state == "refused" for one in self.carried) else AGREED


def carry(project: Project, asked: CarryRequest, watch: Watch | None = None) -> CarryResult:
    """Lock manifests again, run them, and carry their expectations to the new locks where every output is the same.

    The same means by its bytes or, with `at_levels`, at its level. Else lock and expectation stay as they were; where
    the old lock and the code of the steps are what the expectation names, nothing is run.
    """
    watch, allowed = watch or Watch(), read_error_limit(asked.max_errors) or NO_ERRORS
    found = []
    for loaded in [project.manifest(path) for path in asked.manifests]:
        here = project.of(loaded)
        place = RunTarget(here.store, asked.choice(here, watch), asked.jobs, stop=watch.stop)
        done = carry_along(loaded, place, watch.task, allowed, at_levels=asked.at_levels)
        found.append(_data(loaded, done))
        watch.say(f"{loaded.manifest.name}: {_words(found[-1])}")
    return CarryResult(carried=found)


def _data(loaded: Loaded, done: CarriedExpectation) -> CarriedManifest:
    state = "fits" if not done.run else "carried" if done.along else "refused"
    return CarriedManifest(
        manifest=str(loaded.path), name=loaded.manifest.name, expect=str(done.path), state=state,
        old=done.old, lock=done.new, run=done.run, parted=[PartedOutput(**vars(one)) for one in done.parted],
    )  # fmt: skip


def _words(one: CarriedManifest) -> str:
    same = ", ".join(out.output for out in one.parted)
    how = f"other bytes, which agree at their level, for {same}" if same else "every output the same bytes"
    return {
        "carried": f"run {one.run} gave {how}; lock and expectation name it now",
        "refused": f"run {one.run} gave other bytes than were accepted; lock and expectation stay as they were",
        "fits": "the expectation names the lock that fits, and this code; nothing was left to do",
    }[one.state]
