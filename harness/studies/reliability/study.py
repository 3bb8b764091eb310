"""The reliability study to the rest of the house: its makers, its wordings, its plan, its scorers and analyses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.models.baseline import BEHAVIOURS
from harness.steps import Plan, Ref, Step
from harness.studies.ask import Asked, ask, make
from harness.studies.reliability.tools import ANALYSES, SCORERS
from harness.studies.study import Brief, Maker, Tool

BINS = 30  # section 6.1
_HERE = "harness.studies.reliability"
_SCORE = {"reliability.addition": f"{_HERE}.score:score", "reliability.small_addition": f"{_HERE}.score:score"}


class Reliability:
    """Zhou et al., Nature 2024; so far its benchmark `addition`."""

    name = "reliability"
    needs: tuple[str, ...] = ("models", "prompts")
    makers: Mapping[str, Maker] = {
        "reliability.addition": Maker(f"{_HERE}.addition:make", {"seed": int, "count": int}),
        # a miniature for the models in assets/: one to three digits, not the paper's distribution
        "reliability.small_addition": Maker("harness.studies.tiny.sums:make", {"seed": int, "count": int}),
    }
    prompt_sets: Mapping[str, Path] = {
        "reliability/addition@1": Path(__file__).parent / "prompts" / "addition@1.jsonl",
    }
    scorers: Mapping[str, Tool] = SCORERS
    analyses: Mapping[str, Tool] = ANALYSES

    def plan(self, brief: Brief) -> Plan:
        """Say which steps a brief means: data, prompts, answers, scores, and what is computed from them."""
        asked = Asked()
        for dataset in brief.datasets:
            maker = self.makers[dataset.make]
            make(asked, dataset, maker.kind, maker.outputs)
            ask(asked, brief, dataset, _SCORE[dataset.make])
        outputs = {
            name: asked.joined(name, stage)
            for name, stage in (
                ("items", "rows"), ("gold", "rows"), ("counts", "rows"),
                ("prompts", "prompts"), ("responses", "responses"), ("scores", "scores"),
            )
        }  # fmt: skip
        scores = tuple(asked.parts["scores"])
        behaviours = {
            model.name: {"expected": stand_in.expected, "adversarial": stand_in.adversarial}
            for model in brief.models
            if model.provider == "baseline" and (stand_in := BEHAVIOURS[model.settings["behaviour"]])
        }
        for step in (
            Step("proportions", f"{_HERE}.proportions:analyse", "analyses", {"bins": BINS},
                 {"items": outputs["items"], "scores": scores}, ("proportions",), derive=True),
            Step("checks", f"{_HERE}.checks:analyse", "analyses", {"behaviours": behaviours},
                 {"proportions": Ref("proportions", "proportions")}, ("checks",), derive=True),
        ):  # fmt: skip
            asked.steps.append(step)
            outputs[step.name] = Ref(step.name, step.name)
        return Plan(tuple(asked.steps), outputs)
