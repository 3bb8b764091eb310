"""Readers of the published `.npz` files: scores of single units, and the layers and widths that were chosen."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.studies.brain.reanalysis import naming
from harness.studies.brain.reanalysis.naming import PEARSON, PublishedName
from harness.studies.brain.reanalysis.people import owners
from harness.studies.brain.reanalysis.tables import LAYERS, MOST, POOLINGS
from harness.studies.brain.reanalysis.unnamed import read_all
from harness.studies.brain.reanalysis.values import ADVICE
from harness.studies.brain.terms import CONTIGUOUS, DATASETS, EXP1, EXP2, SHUFFLED

WIDEST = 100.0  # the largest sigma of a smoothing
LAYER, WIDTH, SCORE = "layer", "width", "score"
_METRIC = f"(?P<metric>{naming.R2}|{PEARSON})"
_OF_DATASET = re.compile(
    rf"(?P<dataset>{'|'.join(DATASETS)})(?:_(?P<experiment>{EXP1}|{EXP2}))?_{_METRIC}"
    rf"_(?P<split>contig|{SHUFFLED})(?P<plain>_{naming.NO_L2})?(?P<pooling>-lt|-mp|-sp)?"
)
_OF_MODEL = re.compile(rf"(?P<model>.+?)_{_METRIC}_(?P<experiment>{EXP1}|{EXP2})_?(?P<pooling>-lt|-mp|-sp)?")


def read(path: Path, name: str, told: PublishedName) -> dict[str, Any]:
    """Read a published `.npz` file of a known kind as `kind`, `rows`, and `unread`, the names of its unused arrays.

    Raises InputError if an array does not hold numbers, has an unknown length, or has an impossible or infinite value.
    """
    found = read_all(path, name, ADVICE)
    if not found:
        raise InputError("it holds no array", where=name, next=ADVICE)
    rows, unread = (_units if told.kind == naming.UNITS else _choices)(found, name, told)
    return {"kind": told.kind, "rows": rows, "unread": unread}


def _units(found: dict[str, Any], name: str, told: PublishedName) -> tuple[list[dict[str, Any]], list[str]]:
    people = owners(told.dataset, told.experiment)
    seen: dict[str, str] = {}
    rows, unread = [], []
    for key, array in found.items():
        if key not in POOLINGS or key == "nan":
            unread.append(key)
            continue
        if array.dtype.kind != "f" or array.shape != (len(people),):
            shape = f"it is {array.dtype} {[*array.shape]}, and not a float for each of {len(people):,} units"
            raise InputError(shape, where=_at(name, key), next=ADVICE)
        scores = array.astype("f8").tolist()
        low = -MOST if told.metric.startswith(PEARSON) else -math.inf  # R2 is -inf if there was nothing to predict
        for place, score in enumerate(scores):
            if not (math.isnan(score) or low <= score <= MOST):
                raise InputError(f"unit {place} has a score that none can have", where=_at(name, key), next=ADVICE)
        label = _label(name, key, told)
        if label in seen:
            raise InputError(f"array `{seen[label]}` is of {label} too", where=_at(name, key), next=ADVICE)
        seen[label] = key
        spelled = [one if math.isfinite(one) else str(one) for one in scores]
        rows.append({"model": label, "participants": people, "scores": spelled})
    return rows, unread


def _label(name: str, key: str, told: PublishedName) -> str:
    """Return the model of an array, from the file's name and its own; raise InputError if these give two poolings."""
    simple = naming.read_model(told.source).base in (naming.SIMPLE, naming.OASM)
    own = key.removeprefix("-")
    if told.pooling and own not in ("", told.pooling):
        what = f"the file's name says {told.pooling}, the array's says {own}"
        raise InputError(what, where=_at(name, key), next=ADVICE)
    pooling = own or told.pooling or ("" if simple else naming.LAST)
    return f"{told.source}-{pooling}" if pooling else told.source


def _choices(found: dict[str, Any], name: str, told: PublishedName) -> tuple[list[dict[str, Any]], list[str]]:
    seen: dict[tuple[str, ...], tuple[str, float]] = {}
    rows, unread = [], []
    for key, array in found.items():
        said = _choice(key, told)
        if said is None or array.shape not in ((), (1,)):  # a choice is one number
            unread.append(key)
            continue
        if array.dtype.kind not in "iuf":
            raise InputError(f"it is {array.dtype}, and no number", where=_at(name, key), next=ADVICE)
        value = array.reshape(()).item()
        other, before = seen.setdefault(tuple(said.values()), (key, value))
        if other != key and before != value:
            what = f"array `{other}` is of the same choice, and tells another {said['is']}"
            raise InputError(what, where=_at(name, key), next=ADVICE)
        rows.append({"key": key, **said, "value": _checked(value, said["is"], _at(name, key))})
    return rows, unread


def _choice(key: str, told: PublishedName) -> dict[str, Any] | None:
    """Parse the name of a chosen number, for a data set (the file's name gives the model) or for a model of Pereira."""
    if match := _OF_DATASET.fullmatch(key):
        widths = "sigma" in told.source
        base = re.sub(r"[^a-z0-9]", "", re.sub("best|layer|_", "", told.source.lower()))
        model, dataset, split = naming.OASM if widths else base, match["dataset"], match["split"]
        is_ = WIDTH if widths else LAYER
    elif match := _OF_MODEL.fullmatch(key):
        model, dataset, split = re.sub(r"[^a-z0-9]", "", match["model"].lower()), "pereira", "contig"
        # PWR is position and word rate, which has a width. GloVe has neither layer nor width, so its number is a score.
        is_ = {"pwr": WIDTH, "glove": SCORE}.get(model, LAYER)
    else:
        return None
    plain = f"_{naming.NO_L2}" if match.groupdict().get("plain") else ""
    pooling = "" if is_ == WIDTH else (match["pooling"] or "-lt").removeprefix("-")
    return {
        "model": model,
        "dataset": dataset,
        "experiment": match["experiment"] or "",
        "metric": match["metric"] + plain,
        "split": SHUFFLED if split == SHUFFLED else CONTIGUOUS,
        "pooling": pooling,
        "is": is_,
    }


def _checked(value: float, is_: str, where: str) -> float:
    sound = {
        LAYER: lambda: 0 <= value <= LAYERS and value == int(value),
        WIDTH: lambda: 0 <= value <= WIDEST,
        SCORE: lambda: value <= MOST,
    }
    if not math.isfinite(value) or not sound[is_]():
        raise InputError(f"its number is no {is_}", where=where, next=ADVICE)
    return value


def _at(name: str, key: str) -> str:
    return f"{name}, array `{key}`"
