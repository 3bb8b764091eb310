"""Choice of engine, isolation and images, in the request of every verb that runs steps."""

from __future__ import annotations

from pydantic import Field

from harness.run.engines import EngineChoice
from harness.run.planning.preconditions import read_ceiling
from harness.run.service import RunTarget
from harness.verbs.project import PathText, Project, Request, Watch

MEMORY = "The most memory a step gets, such as `8GiB`, whatever its manifest asks; default: 80 % of the machine's."
LOCAL = "local"  # the engine that needs nothing but this machine


class EngineRequest(Request):
    """Part of a request: the engine and isolation that steps run in, and the store of images."""

    engine: str = Field(default=LOCAL, description="Where steps run; `doctor` lists the engines.")
    isolation: str = Field(default="", description="How steps are shut in; default: the best there is.")
    images: PathText | None = Field(default=None, description="The store of images; default: the project's.")
    max_memory: str = Field(default="", description=MEMORY)

    def choice(self, project: Project, watch: Watch, *, moved: bool = False) -> EngineChoice:
        """Make the choice of engine, isolation and store of images that this request states, for a project."""
        images = project.path(self.images) if self.images else project.store
        return EngineChoice(self.engine, self.isolation, images, moved, watch.say, read_ceiling(self.max_memory))

    def place(self, project: Project, watch: Watch) -> RunTarget:
        """Make the run target of this request: the project's store and the chosen engine; neither is opened."""
        return RunTarget(project.store, self.choice(project, watch), stop=watch.stop)


class RunnerRequest(EngineRequest):
    """Part of a request: where steps run and how many at once, the `moved` image, and the rows left unanswered."""

    moved: bool = Field(default=False, description="Use the image made of newer packages; the verdict says so.")
    jobs: int = Field(default=0, ge=0, description="Steps at once; default: the cores.")
    max_errors: str = Field(default="", description="Rows of a model that may be without an answer: `12` or `5%`.")
