"""The toy study `drift`: one step for each thing that can make two runs differ."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.ask import make_step
from harness.kit.study import Brief, Maker, Study
from harness.steps import Plan, Ref, Step, maker_step_name

HERE = "harness.studies.drift"
NUMBERS = f"{HERE}.data:numbers"


class Drift(Study):
    """Numbers that are scored, and what drifts."""

    name = "drift"
    needs: tuple[str, ...] = ()
    makers: Mapping[str, Maker] = {
        "drift.numbers": Maker(NUMBERS, {"seed": int, "count": int}, outputs=("numbers", "counts")),
    }

    def plan(self, brief: Brief) -> Plan:
        """Score each dataset; then tell threads and a variable."""
        [dataset] = brief.datasets
        numbers = {"numbers": Ref(maker_step_name(dataset.name), "numbers")}
        steps = (
            make_step(dataset, NUMBERS, ("numbers", "counts")),
            Step("scored", f"{HERE}.scoring:score", "scores", {}, numbers, ("scored",)),
            Step("threads", f"{HERE}.computing:count_threads", "analyses", {}, numbers, ("threads",), threaded=True),
            *(
                Step(name, f"{HERE}.computing:stamp", "analyses", {"name": name, "spread": spread}, numbers, (name,))
                for name, spread in (("far", "1"), ("near", "1e-9"))
            ),
        )
        return Plan(steps, {name: Ref(name, name) for name in ("scored", "threads", "far", "near")})


STUDY = Drift()
