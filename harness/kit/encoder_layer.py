"""The setting `encoder_layer` of studies that measure BERTScore by the instrument `encoder`.

Loads no encoder: whether it has the layer is found when it measures.
"""

from __future__ import annotations

from harness.errors import InputError
from harness.kit.study import Brief

SETTING, ROLE = "encoder_layer", "encoder"
LAYER = "layer"  # the parameter of the judging step in `kit/encoded.py`, which planning does not load
FARTHEST = 100  # layers from the embedding, or from the last one


def layer_of(brief: Brief) -> dict[str, int]:
    """Return the BERTScore step's parameter for the encoder layer that the settings name; empty if they name none.

    Raise InputError for a number that is no layer, and for a layer of no encoder.
    """
    layer = brief.settings.get(SETTING)
    if layer is None:
        return {}
    where = f"settings.{SETTING}"
    if not -FARTHEST <= layer <= FARTHEST:
        raise InputError(
            f"{layer} is no layer", where=where, next="write 17, or 0 for the embedding, or -1 for the last"
        )
    if ROLE not in brief.instruments:
        what = "a layer of which encoder?"
        raise InputError(what, where=where, next="leave it out, or add `instruments: {encoder: {provider: …}}`")
    return {LAYER: layer}
