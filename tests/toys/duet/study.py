"""The toy study `duet`: two datasets, a judge with a repair round, an encoder, a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from harness.kit.ask import Asked, How, Scorer, ask, make
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import REQUIRED, Brief, Maker, Study
from harness.steps import Plan, Source, Step

if TYPE_CHECKING:
    from harness.scorers.tool import Tool

HERE = "harness.studies.duet"
WRITTEN = "duet.written"


class Duet(Study):
    """Sums and differences, answered in words."""

    name = "duet"
    makers: Mapping[str, Maker] = {
        "duet.sums": Maker(f"{HERE}.data:sums", {"count": int}, ids="sum-"),
        "duet.differences": Maker(f"{HERE}.data:differences", {"count": int}, ids="difference-"),
    }
    roles: Mapping[str, str] = {"judge": REQUIRED, "encoder": REQUIRED}

    @property
    def scorers(self) -> Mapping[str, Tool]:
        """Give the rule that works alone, and that labels can be held against."""
        from harness.studies.duet.standalone import SCORERS

        return SCORERS

    def plan(self, brief: Brief) -> Plan:
        """Ask, judge, score, and show it on a page."""
        asked = Asked()
        judge = Judge("judge", f"{HERE}.grading:prompts", f"{HERE}.grading:read", rounds=2)
        near = RuleJudge("near", f"{HERE}.grading:near", role="encoder")
        scorers = (
            Scorer("grade", f"{HERE}.grading:grades", judges=("judge",)),
            Scorer("near", f"{HERE}.grading:nearness", judges=("near",)),
            Scorer("written", f"{HERE}.grading:written"),
        )
        how = How(scorers, brief.templates["duet/ask@1"], judges=(judge, near))
        for dataset in brief.datasets:
            maker = self.makers[dataset.make]
            make(asked, dataset, maker.kind, maker.outputs)
            ask(asked, brief, dataset, how)
        outputs = asked.tables()
        shown: dict[str, Source] = {"scores": outputs["scores"]}
        if WRITTEN in brief.certificates:
            shown["certificate"] = brief.certificates[WRITTEN]
        page = Step("page", f"{HERE}.page:write", "analyses", {}, shown, ("report.html",))
        outputs["report.html"] = asked.add(page)
        return asked.plan(outputs)


STUDY = Duet()
