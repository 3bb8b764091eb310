"""The toy study `snippets`: programs in answers, executed and scored."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.ask import Asked, How, Scorer, ask, make
from harness.kit.study import Brief, Maker, Study
from harness.kit.trials import TrialSpec
from harness.steps import Plan, Step
from harness.trial import TrialLimits

HERE = "harness.studies.snippets"


class Snippets(Study):
    """Squares, programmed."""

    name = "snippets"
    makers: Mapping[str, Maker] = {"snippets.squares": Maker(f"{HERE}.data:make", {"count": int})}

    def plan(self, brief: Brief) -> Plan:
        """Ask, try, score, and sum it up in an array."""
        asked = Asked()
        limits = TrialLimits(seconds=30, cpu_seconds=1, memory=256 << 20, output=1 << 16)
        how = How(
            (Scorer("printed", f"{HERE}.code:score", trials=("square",)),),
            brief.templates["snippets/ask@1"],
            trials=(TrialSpec("square", f"{HERE}.code:take", limits),),
        )
        for dataset in brief.datasets:
            maker = self.makers[dataset.make]
            make(asked, dataset, maker.kind, maker.outputs)
            ask(asked, brief, dataset, how)
        outputs = asked.tables()
        given = {"scores": outputs["scores"], "items": outputs["items"]}
        outputs["right"] = asked.add(
            Step("right", f"{HERE}.measures:right", "analyses", {}, given, ("right",), derive=True)
        )
        return asked.plan(outputs)


STUDY = Snippets()
