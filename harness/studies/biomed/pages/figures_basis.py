"""What every figure uses: the mode, the grader that counts, the models in their order, and the documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.kit import charts
from harness.kit.documents import number, section

DOCUMENTS = ("performance", "categories", "texts", "dataset", "tokens")
NAMED = 20  # models that a sentence lists at most


@dataclass(frozen=True)
class FigureBasis:
    """The mode, the grader that counts, whether each model is a stand-in, and the documents by name."""

    mode: str
    grader: str
    stand_ins: Mapping[str, bool]
    documents: Mapping[str, Mapping[str, Any]]

    @staticmethod
    def of(params: Mapping[str, Any], documents: Mapping[str, Mapping[str, Any]]) -> FigureBasis:
        """Create a basis from a step's parameters; the grader that counts is the first."""
        graders = params.get("graders") or [""]
        models = {str(name): facts.get("stand_in") is True for name, facts in params.get("models", {}).items()}
        return FigureBasis(str(params.get("mode", "")), str(graders[0]), models, documents)

    @property
    def models(self) -> list[str]:
        """The models in the order of the figures: as `categories` orders them, then all others."""
        order = section(self.documents.get("categories"), "graders", self.grader).get("order")
        known = [name for name in order if name in self.stand_ins] if isinstance(order, list) else []
        return [*known, *(name for name in self.stand_ins if name not in known)]

    @property
    def grey(self) -> list[str]:
        """The stand-ins, whose names are drawn in grey."""
        return [name for name, is_stand_in in self.stand_ins.items() if is_stand_in]

    def told(self, model: str) -> Mapping[str, Any]:
        """Return what `performance` says of a model by the grader that counts; empty if it says nothing."""
        return section(self.documents.get("performance"), "graders", self.grader, "models", model)

    def answered(self, model: str) -> bool:
        """Whether the grader that counts has graded, or failed to grade, an answer of a model."""
        return bool(number(self.told(model).get("answers")))

    def rate(self, model: str, name: str) -> Any:
        """Return a model's rate with its intervals from `performance`; empty if it has none."""
        return section(self.told(model), "rates").get(name, {})

    def note(self, *sentences: str, graded: bool = True, grey: bool = True) -> str:
        """Join the sentences of the small print, and add the mode, the grader, and the meaning of grey names."""
        ends = (
            f"Grey: stand-ins, which answer by a rule ({listed(self.grey)})." if self.grey and graded and grey else "",
            f"Graded by {self.grader}." if graded and self.grader else "",
            f"Mode: {self.mode}." if self.mode else "",
        )
        return " ".join(part for part in (*sentences, *ends) if part)


def listed(names: Iterable[str]) -> str:
    """Return names as part of a sentence, each cut to a line's width, at most twenty of them."""
    given = [charts.label(name) for name in names]
    more = f" and {len(given) - NAMED} more" if len(given) > NAMED else ""
    return ", ".join(given[:NAMED]) + more
