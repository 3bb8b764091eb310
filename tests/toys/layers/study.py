"""A toy study of activations: every model here reads sentences behind their passage, and its layers are measured."""

from __future__ import annotations

from collections.abc import Mapping

from harness.kit.ask import Asked, make
from harness.kit.hidden_states import activations
from harness.kit.study import Brief, Maker, Study
from harness.models.local.activations import ActivationOptions, layer_file
from harness.steps import Plan, Ref, Step, maker_step_name

_HERE = "harness.studies.layers.data"
LAYERS = (0, 3)


class Layers(Study):
    """What does a model make of a sentence?"""

    name = "layers"
    needs = ("models",)
    makers: Mapping[str, Maker] = {
        "layers.sentences": Maker(f"{_HERE}:make", {"count": int}, ("items", "pieces"), ids="s")
    }

    def plan(self, brief: Brief) -> Plan:
        """Look into every model, and measure what is there in as many threads as the run has."""
        [dataset] = brief.datasets
        asked = Asked()
        make(asked, dataset, self.makers[dataset.make].kind, self.makers[dataset.make].outputs)
        how = ActivationOptions(pool="sum", context="pieces", space="later")
        for model in brief.models:
            looked = activations(
                f"hidden/{model.name}", model, Ref(maker_step_name(dataset.name), "pieces"), how, LAYERS
            )
            asked.add(looked)
            files = {f"layer-{layer}": Ref(looked.name, layer_file(layer)) for layer in LAYERS}
            asked.add(
                Step(
                    f"lengths/{model.name}", f"{_HERE}:measure", "analyses", {"model": model.name}, files, ("lengths",),
                    derive=True, threaded=True,
                ),
                "lengths",
            )  # fmt: skip
        lengths = asked.merged("lengths", "analyses")
        return Plan(tuple(asked.steps), {"lengths": lengths})


STUDY = Layers()
