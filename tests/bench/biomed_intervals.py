"""How often biomed's strict intervals hold the true share, when questions of one template resemble each other.

Shares of templates are drawn from a beta distribution with the wanted mean and correlation, answers from them; the true
share is that mean, as for questions of new templates. No peer computes these intervals, so none is measured beside.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench.costs import FULL, Size
from bench.table import Row

SIZES = ((40, 270), (5, 20))  # templates and rows of each
SHARES, CORRELATIONS = (0.02, 0.2, 0.5), (0.05, 0.2, 0.5, 0.8)
MARK_S = 60.0
MARK_SHORT = 0.02  # how far the interval over templates may fall short where the share is not small


def coverage(templates: int, rows: int, share: float, correlation: float, draws: int, seed: int) -> tuple[float, float]:
    """Give the shares of draws whose interval over templates, and over rows, holds the true share."""
    import numpy as np

    from harness.studies.biomed.measures.strict_intervals import share_over_rows, share_over_templates

    source = np.random.Generator(np.random.PCG64([seed, templates, rows, int(1000 * share), int(100 * correlation)]))
    weight = 1 / correlation - 1
    own = source.beta(share * weight, (1 - share) * weight, size=(draws, templates))
    held, drawn = [0, 0], source.binomial(rows, own)
    for counts in np.asarray(drawn).tolist():
        parts = [(count, rows) for count in counts]
        found: list[Any] = [share_over_templates(parts)["interval"], share_over_rows(parts)]
        for place, (low, high) in enumerate(found):
            held[place] += low <= share <= high
    return held[0] / draws, held[1] / draws


def biomed_interval_rows(work: Path, size: Size) -> list[Row]:
    """Simulate the coverage of both intervals in all settings, one row a setting, and how long that takes."""
    begun, short = time.perf_counter(), 0.0
    rows: list[Row] = []
    draws = 4000 if size is FULL else 2000
    for templates, each in SIZES:
        for share in SHARES:
            told = [coverage(templates, each, share, rho, draws, 1) for rho in CORRELATIONS]
            if share >= 0.2 and templates >= 40:
                short = max(short, *(0.95 - over_templates for over_templates, _ in told))
            what = f"{templates} templates of {each} rows at {share:g}; correlations {CORRELATIONS}"
            for name, values in zip(("templates", "rows"), zip(*told, strict=True), strict=True):
                rows.append(Row("biomed intervals", f"coverage over {name}, {what}", values, None, "of draws"))
    spent = time.perf_counter() - begun
    shortfall = "coverage of the interval over 40 templates below .95, worst of 8 settings with a share of .2 or .5"
    return [
        Row("biomed intervals", f"wall of {draws:,} draws in 24 settings", (spent,), MARK_S, "s"),
        Row("biomed intervals", shortfall, (short,), MARK_SHORT, "of draws"),
        *rows,
    ]
