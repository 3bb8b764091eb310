"""The toy study `grid`: a maker whose outputs are arrays, and arrays among the outputs of a run."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.ask import make_step
from harness.kit.study import Brief, Maker, Study
from harness.steps import Plan, Ref, Step, maker_step_name

HERE = "harness.studies.grid"


class Grid(Study):
    """Points on a grid, scaled."""

    name = "grid"
    needs: tuple[str, ...] = ()
    makers: Mapping[str, Maker] = {
        "grid.points": Maker(f"{HERE}.data:points", {"seed": int, "rows": int}, outputs=("points", "counts")),
    }

    def plan(self, brief: Brief) -> Plan:
        """Scale the points of each dataset, and name those of all."""
        steps, outputs, scaled = [], {}, []
        for dataset in brief.datasets:
            steps.append(make_step(dataset, "harness.studies.grid.data:points", ("points", "counts")))
            points = {"points": Ref(maker_step_name(dataset.name), "points")}
            step = Step(f"{dataset.name}/scaled", f"{HERE}.scaling:scale", "analyses", {}, points, ("scaled",))
            steps.append(step)
            scaled.append(Ref(step.name, "scaled"))
            outputs[f"{dataset.name}.scaled"] = scaled[-1]
        steps.append(Step("named", f"{HERE}.scaling:name", "analyses", {}, {"parts": tuple(scaled)}, ("named",)))
        return Plan(tuple(steps), {**outputs, "named": Ref("named", "named")})


STUDY = Grid()
