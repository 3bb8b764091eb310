"""The models of the paper: ids of the result files, names in figures and tables, and their orders.

Independent of results.
"""

from __future__ import annotations

from collections.abc import Mapping

LABELS: Mapping[str, str] = {  # id of the result files -> the name that the figures show
    "mixtral-gcp": "Mixtral-8x7b",
    "command-r-plus": "Command R+",
    "longllama": "LongLLaMA",
    "gemini-1.0-pro": "Gemini 1.0 Pro",
    "gpt-4o": "GPT-4o",
    "gemini-1.5-pro-latest": "Gemini 1.5 Pro",
    "gemini-1.5-flash-latest": "Gemini 1.5 Flash",
    "gemini-2.0-flash-latest": "Gemini 2.0 Flash",
    "claude-3-opus-20240229": "Claude 3 (Opus)",
}
TABLE_1 = tuple(LABELS)
THINKING = "gemini-v3-s-thinking"  # printed as Gemini 2.0 Flash in Table 2, from the results of another model
TABLE_2 = tuple(THINKING if name == "gemini-2.0-flash-latest" else name for name in TABLE_1)
TABLE_7 = (
    "claude-3-opus-20240229",
    "gemini-1.5-pro-latest",
    "gemini-2.0-flash-latest",
    "gemini-1.5-flash-latest",
    "gpt-4o",
    "gemini-1.0-pro",
)
FIGURE_1 = (  # from top to bottom
    "Gemini 2.0 Flash",
    "Claude 3 (Opus)",
    "Gemini 1.5 Pro",
    "Gemini 1.5 Flash",
    "GPT-4o",
    "Command R+",
    "Gemini 1.0 Pro",
    "Mixtral-8x7b",
    "LongLLaMA",
)


def label(model: str) -> str:
    """Return the name that a figure shows for a model, or its id if the paper does not name the model."""
    return LABELS.get(model, model)
