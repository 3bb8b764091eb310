"""A toy study of images: dots that a model may see, examples, and continuations that a model here measures."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.ask import Asked, How, ask, make
from harness.kit.study import Brief, Maker, Study
from harness.steps import Plan, Ref, Source, Step, maker_step_name

_HERE = "harness.studies.dots.data"


class Dots(Study):
    """How dark is a dot?"""

    name = "dots"
    makers: Mapping[str, Maker] = {
        "dots.dots": Maker(f"{_HERE}:make", {}, ("items", "gold", "counts", "shots", "media", "measured"), ids="dot")
    }

    def plan(self, brief: Brief) -> Plan:
        """Ask every model, and let those on this machine measure the two answers there are."""
        [dataset] = brief.datasets
        asked = Asked()
        make(asked, dataset, self.makers[dataset.make].kind, self.makers[dataset.make].outputs)
        how = How(f"{_HERE}:score", brief.templates["dots/q@1"], samples=2, shots=1, media=True)
        ask(asked, brief, dataset, how)
        for model in (model for model in brief.models if model.weights):
            inputs: dict[str, Source] = {"prompts": Ref(maker_step_name(dataset.name), "measured")}
            inputs["weights"] = tuple(model.weights.values())
            params = {**model.settings, "model": model.name, "files": list(model.weights), "unconditional": True}
            step = Step(
                f"likelihoods/{model.name}", "harness.models.local.likelihood:measure", "responses", params, inputs,
                ("likelihoods",), batch=str(model.settings["batch"]), infers=True,
            )  # fmt: skip
            asked.add(step, "likelihoods")
        outputs = {**asked.tables(), "likelihoods": asked.joined("likelihoods", "responses")}
        return asked.plan(outputs)


STUDY = Dots()
