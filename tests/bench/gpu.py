"""What `make gpu-check` found on somebody's GPU, as rows of the page: taken in from its JSON, never measured here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measure import Failed
from bench.table import Row, Taken

SCHEMA = "gpu-check/1"
NAME = "gpu"


def read_gpu_check(path: Path) -> Taken:
    """Read the file that `make gpu-check` wrote; `Failed` for what is none, or was not measured on a GPU."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as bad:
        raise Failed(f"{path.name} is no JSON of `make gpu-check`: {bad}") from bad
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise Failed(f"{path.name} is no JSON of `make gpu-check`")
    if report["device"] != "cuda" or report["size"] != "full":
        raise Failed(f"{path.name} was made on {report['device']}, of size {report['size']}: the page takes whole ones")
    return taken_from(report)


def taken_from(report: Mapping[str, Any]) -> Taken:
    """Give a report as rows, and what it was measured on."""
    return Taken((*_counts(report), *_bounds(report["bounds"]), *_times(report["times"])), _about(report))


def _counts(report: Mapping[str, Any]) -> list[Row]:
    """Count what differs from the CPU and between the runs, which must be nothing."""
    ours = [one for one in report["compared"] if one["against"] == "the CPU's"]
    total = sum(one["decisions"] for one in ours)
    unlike = sum(max(0, one["differ"] - one["near_ties"] - one["allowed"]) for one in ours)
    ties = sum(one["near_ties"] for one in ours)
    twice = report["twice"]
    results = twice["alike"] + len(twice["differ"])
    must = {
        f"decisions other than the CPU's, of {total:,}": unlike,
        f"results with other bytes in a second process, of {results:,}": len(twice["differ"]),
        "whatever differs or failed, in all": len(report["differs"]),
    }
    told = {
        f"near ties that turned, of {total:,} decisions": ties,
        "parts left out, by time or a missing package": len(report["left_out"]),
        "architectures that torch refuses to compute alike twice": len(report["refused"]),
    }
    rows = [Row(NAME, what, (float(count),), 0.0, "of them") for what, count in must.items()]
    return rows + [Row(NAME, what, (float(count),), None, "of them") for what, count in told.items()]


def _bounds(found: Sequence[Mapping[str, float]]) -> list[Row]:
    if not found:
        return []
    copied, multiplied = ([one[name] for one in found] for name in ("copied", "multiplied"))
    return [
        Row(NAME, "bandwidth of a copy", tuple(value / 1e9 for value in copied), None, "GB/s"),
        Row(NAME, "rate of products in float32", tuple(value / 1e12 for value in multiplied), None, "TFLOP/s"),
    ]  # fmt: skip


def _times(found: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Give what each wide result took beside its bound, and the ridges' seconds; tiny ones show launches alone."""
    rows = []
    for one in found:
        ratios = [spent / least for spent, least in zip(one["seconds"], one["least"], strict=True) if least]
        if ratios and "tiny" not in one["label"]:
            rows.append(Row(NAME, f"wall of {one['label']}, to what the card allows", tuple(ratios)))
        if one["part"] in ("ridge", "himalaya"):
            rows.append(Row(NAME, f"wall of {one['label']}, search and refit", tuple(one["seconds"]), None, "s"))
    return rows


def _about(report: Mapping[str, Any]) -> dict[str, str]:
    """Say which card, which versions, and when."""
    versions, card = dict(report["versions"]), report["card"]
    python, peer = versions.pop("python", ""), versions.pop("himalaya", "")
    driver = f", driver {card['driver']}" if card.get("driver") else ""
    return {
        "date": report["date"],
        "CPU": report["cpu"],
        "system": ", ".join([f"Python {python}", *(f"{name} {value}" for name, value in versions.items())]),
        "peer": f"himalaya {peer}" if peer else "",
        "took": f"{report['took']:.0f} s",
        "card": f"{card['name']}{driver}",
    }
