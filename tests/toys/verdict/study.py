"""The toy study `verdict`: one benchmark, a judge with a repair round, a rule, two scorers."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.ask import Asked, How, Scorer, ask, make
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import REQUIRED, Brief, Maker, Study
from harness.steps import Plan, Step

HERE = "harness.studies.verdict"


class Verdict(Study):
    """Small sums, answered in words."""

    name = "verdict"
    makers: Mapping[str, Maker] = {"verdict.sums": Maker(f"{HERE}.data:make", {"count": int})}
    roles: Mapping[str, str] = {"judge": REQUIRED}

    def plan(self, brief: Brief) -> Plan:
        """Ask, judge, score, count."""
        asked = Asked()
        judge = Judge(
            "judge", f"{HERE}.judging:prompts", f"{HERE}.judging:read", brief.templates["verdict/judge@1"], rounds=2
        )
        how = How(
            (
                Scorer("grade", f"{HERE}.scoring:score", judges=("judge",), instead={"error": 0}),
                Scorer("exact", f"{HERE}.scoring:exact", prompts=True),
            ),
            brief.templates["verdict/ask@1"],
            judges=(judge, RuleJudge("short", f"{HERE}.judging:short")),
        )
        for dataset in brief.datasets:
            maker = self.makers[dataset.make]
            make(asked, dataset, maker.kind, maker.outputs)
            ask(asked, brief, dataset, how)
        outputs = asked.tables()
        scores = {"scores": outputs["scores"]}
        outputs["graded"] = asked.add(
            Step("graded", f"{HERE}.scoring:count", "analyses", {}, scores, ("graded",), derive=True)
        )
        return asked.plan(outputs)


STUDY = Verdict()
