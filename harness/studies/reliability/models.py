"""Metadata of the paper's 32 models: size, tokens, compute and access, each with its source.

Rule: docs/reliability-rules.md#models. Holds names and numbers only; independent of manifests, responses and results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

SOURCES = {
    "P": "Zhou et al., Nature 634, 61-68 (2024), main text",
    "B20": "Brown et al. 2020, Table D.1",
    "LL": "the size tables of the LLaMA and Llama 2 papers",
    "BL": "the model cards of BLOOM and BLOOMZ",
    "HUB": "the publisher's own repository on the Hugging Face hub",
    "OURS": "computed or chosen for this project",
    "UNVERIFIED": "believed, not found in a primary source",
}
STATED, COMPUTED, UNVERIFIED = "stated", "computed", "unverified"
UNKNOWN = "not published"


@dataclass(frozen=True, slots=True)
class Sourced:
    """A number with its source: decimal text, the source's tag and status; the text is empty if none was published."""

    text: str
    source: str
    status: str = STATED

    def row(self) -> dict[str, str]:
        """Return the table fields value, source and status; `missing` if there is no number."""
        if not self.text:
            return {"missing": UNKNOWN}
        return {"value": self.text, "source": self.source, "status": self.status}


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """How to access a model: the name of its weights on a hub, or its id in a provider's API."""

    provider: str
    id: str
    source: str
    status: str = STATED
    gated: bool = False

    def row(self) -> dict[str, Any]:
        """Return the table fields: provider, `model` (OpenAI) or `hub` (others), source, status and gated."""
        where = "model" if self.provider == "openai" else "hub"
        provenance = {"source": self.source, "status": self.status, "gated": self.gated}
        return {"provider": self.provider, where: self.id, **provenance}


@dataclass(frozen=True, slots=True)
class PaperModel:
    """A language model of the paper: family, size, training facts, and how it can be accessed today.

    `raw_twin` is set on the shaped half of an exact pair and names the raw half; `group` is set only for models with a
    larger token budget.
    """

    paper_name: str
    name: str
    family: str
    shaped: bool
    parameters: Sourced
    tokens: Sourced
    flops: Sourced
    access: ModelAccess
    raw_twin: str | None = None
    note: str = ""
    group: str = ""

    def row(self) -> dict[str, Any]:
        """Return the model's row of the table of models: every field, the sourced ones as objects."""
        return {
            "paper_name": self.paper_name,
            "name": self.name,
            "family": self.family,
            "shaped": self.shaped,
            "parameters": self.parameters.row(),
            "tokens": self.tokens.row(),
            "flops": self.flops.row(),
            "access": self.access.row(),
            "raw_twin": self.raw_twin,
            "group": self.group or None,
            "note": self.note,
        }

    def facts(self) -> dict[str, str]:
        """Return the model's `facts` for a manifest as texts: family, shaped, and the other facts that are known."""
        known = {
            "parameters": self.parameters.text,
            "flops": self.flops.text,
            "raw_twin": self.raw_twin,
            "group": self.group,
        }
        return {
            "family": self.family,
            "shaped": "true" if self.shaped else "false",
            **{name: text for name, text in known.items() if text},
        }


_NONE = Sourced("", "")
_RETIRED = "the vendor has retired most of its endpoints of that time"


def _gpt() -> Iterator[PaperModel]:
    trained = Sourced("300000000000", "B20")
    mapped = "OpenAI has not confirmed which sizes of the GPT-3 paper ada, babbage and curie are"
    for short, parameters, flops, status, note in (
        ("ada", "356000000", "6.41e20", UNVERIFIED, f"{mapped}; reports of the paper's table say 350 M"),
        ("babbage", "1320000000", "2.38e21", UNVERIFIED, mapped),
        ("curie", "6660000000", "1.20e22", UNVERIFIED, mapped),
        ("davinci", "174600000000", "3.14e23", STATED, ""),
    ):
        yield PaperModel(
            f"GPT-3 {short}",
            f"gpt-3-{short}",
            "gpt",
            False,
            Sourced(parameters, "B20", status),
            trained,
            Sourced(flops, "B20", status),
            ModelAccess("openai", short, "OURS", UNVERIFIED),
            note=f"{note}; {_RETIRED}".removeprefix("; "),
        )
    for number in ("001", "002", "003"):
        name = f"text-davinci-{number}"
        yield PaperModel(
            name,
            name,
            "gpt",
            True,
            Sourced("175000000000", "UNVERIFIED", UNVERIFIED),
            _NONE,
            _NONE,
            ModelAccess("openai", name, "P"),
            note=f"InstructGPT line; not in the analysis of compute; {_RETIRED}",
        )
    moderated = f"with moderation on top; not in the analysis of compute; {_RETIRED}"
    for paper_name, name, group, access, note in (
        (
            "GPT-3.5-turbo",
            "gpt-3.5-turbo",
            "gpt-3.5",
            ModelAccess("openai", "gpt-3.5-turbo-0301", "OURS", UNVERIFIED),
            f"the paper calls the build gpt-3.5-0301; {moderated}",
        ),
        ("GPT-4 v1", "gpt-4-v1", "gpt-4", ModelAccess("openai", "gpt-4-0314", "P"), moderated),
        ("GPT-4 v2", "gpt-4-v2", "gpt-4", ModelAccess("openai", "gpt-4-0613", "P"), moderated),
    ):
        yield PaperModel(paper_name, name, "gpt", True, _NONE, _NONE, _NONE, access, note=note, group=group)


def _llama() -> Iterator[PaperModel]:
    copies = "weights from a community copy; which one the paper used is not known"
    for size, parameters, tokens, flops in (
        ("7b", "6700000000", "1000000000000", "4.02e22"),
        ("13b", "13000000000", "1000000000000", "7.80e22"),
        ("30b", "32500000000", "1400000000000", "2.73e23"),
        ("65b", "65200000000", "1400000000000", "5.48e23"),
    ):
        yield PaperModel(
            f"LLaMA-{size}",
            f"llama-{size}",
            "llama",
            False,
            Sourced(parameters, "LL"),
            Sourced(tokens, "LL"),
            Sourced(flops, "OURS", COMPUTED),
            ModelAccess("transformers", f"huggyllama/llama-{size}", "UNVERIFIED", UNVERIFIED),
            note=copies + ("; the paper used a hosted API" if size == "65b" else ""),
        )
    for size, parameters, flops in (
        ("7b", "7000000000", "8.40e22"),
        ("13b", "13000000000", "1.56e23"),
        ("70b", "70000000000", "8.40e23"),
    ):
        raw = f"llama-2-{size}"
        for shaped, end in ((False, ""), (True, "-chat")):
            yield PaperModel(
                f"LLaMA-2-{size}{end}",
                f"{raw}{end}",
                "llama",
                shaped,
                Sourced(parameters, "LL"),
                Sourced("2000000000000", "LL"),
                Sourced(flops, "OURS", COMPUTED),
                ModelAccess("transformers", f"meta-llama/Llama-2-{size}{end}-hf", "HUB", gated=True),
                raw if shaped else None,
                "compute of the raw model" if shaped else "the paper used a hosted API (Together.AI)",
            )


def _bloom() -> Iterator[PaperModel]:
    unique, seen = Sourced("341000000000", "BL"), Sourced("366000000000", "BL")
    for size, parameters, status, tokens, flops, hub in (
        ("560m", "559214592", STATED, unique, "1.14e21", "-560m"),
        ("1b1", "1065314304", UNVERIFIED, unique, "2.18e21", "-1b1"),
        ("1b7", "1722408960", UNVERIFIED, unique, "3.52e21", "-1b7"),
        ("3b", "3002557440", UNVERIFIED, unique, "6.14e21", "-3b"),
        ("7b1", "7069016064", STATED, unique, "1.45e22", "-7b1"),
        ("176b", "176247271424", STATED, seen, "3.87e23", ""),
    ):
        for shaped, end in ((False, ""), (True, "z")):
            tuned = (
                f"compute of the raw model; {'8.39' if size == '3b' else '2.09'} billion tokens of tuning come on top"
            )
            hosted = "341 billion of its tokens are unique; the paper used a hosted API"
            yield PaperModel(
                f"BLOOM{end}-{size}",
                f"bloom{end}-{size}",
                "bloom",
                shaped,
                Sourced(parameters, "BL", status),
                tokens,
                Sourced(flops, "OURS", COMPUTED),
                ModelAccess("transformers", f"bigscience/bloom{end}{hub}", "HUB"),
                f"bloom-{size}" if shaped else None,
                tuned + ("; the paper ran it in NF4" if size == "176b" else "")
                if shaped
                else hosted
                if size == "176b"
                else "",
            )


MODELS: tuple[PaperModel, ...] = (*_gpt(), *_llama(), *_bloom())


def rows(models: Iterable[PaperModel] = MODELS) -> list[dict[str, Any]]:
    """Return the rows of the table of models, in the order given; by default GPT, LLaMA, BLOOM as in the paper."""
    return [model.row() for model in models]
