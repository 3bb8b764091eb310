"""Run as a command: the pairs of all templates of `biomed` from five tables; prints what it took, and how many.

python tests/bench/whole_biomed.py FOLDER [MODE [TEMPLATE …]]; the demo's tables are written where FOLDER holds none.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness.studies.biomed.sources.reading import read_tables
from harness.studies.biomed.sources.synthetic import write_tables
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.generating import generate
from harness.studies.biomed.templates.pair import TABLES, Rules
from harness.studies.biomed.terms import STRICT

SEED = 7


def main(folder: Path, mode: str, *templates: str) -> None:
    """Generate from the tables and say how many candidates and pairs each template has."""
    begun = time.perf_counter()
    paths = {name: folder / f"{name}.parquet" for name in TABLES}
    if not all(path.exists() for path in paths.values()):
        paths = dict(write_tables(SEED, folder))
    counts, seconds = {}, {}
    last = time.perf_counter()
    for made in generate(read_tables(paths), Rules(mode), SEED, only=templates or TEMPLATES):
        counts[made.template.id] = (made.candidates, made.yes, len(made.pairs))
        seconds[made.template.id] = round(time.perf_counter() - last, 3)
        last = time.perf_counter()
    print(json.dumps({
        "seconds": time.perf_counter() - begun, "counts": counts, "each": seconds,
        "largest_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }))  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else STRICT, *sys.argv[3:])
