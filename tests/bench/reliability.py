"""What the study `reliability` costs: labels by the million, six indicators, nearest cities, the demo's figures."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bench.answers import SIZES, answers, questions
from bench.costs import FULL, Size
from bench.measure import Failed, spend, spend_here
from bench.peers import environment
from bench.table import Row

from harness import seeds

HERE = Path(__file__).resolve().parent
MARK_US = 1e6 / 120_000  # a response, on one core
PROMPTS = 15


def reliability_rows(work: Path, size: Size) -> list[Row]:
    """Measure in this process what runs on one core, and the whole study as a command of its own."""
    rows = [*_scoring(1_000_000 if size is FULL else 50_000, size.repeats), _nearest(size), *_figures(work, size)]
    if size is FULL:
        rows += _whole(work)
    return rows


def _scoring(count: int, repeats: int) -> list[Row]:
    """Label mixed answers to the five benchmarks; making them up is not in the time."""
    each = count // len(SIZES) // PROMPTS
    asked = [
        (question.label, answers(question, 1, item, PROMPTS))
        for benchmark in SIZES
        for item, question in enumerate(questions(benchmark, each))
    ]
    texts = [text for _, said in asked for text in said]
    mean = sum(map(len, texts)) / len(texts)
    if mean > 60:
        raise Failed(f"the answers are {mean:.0f} characters long on average, more than the mark is for")

    def work() -> None:
        for label, said in asked:
            for text in said:
                label(text)

    costs = [1e6 * spend_here(work).cpu / len(texts) for _ in range(max(1, repeats // 2))]
    what = f"CPU of labelling a response, {len(texts):,} mixed ones of five benchmarks (8.33 µs are 120,000 a second)"
    return [Row("labels", what, tuple(costs), MARK_US, "µs")]


def _nearest(size: Size) -> Row:
    """Find the target of every surviving city: 18,000 by 18,000."""
    from harness.studies.reliability.data.cities import City
    from harness.studies.reliability.data.locality_draw import distance
    from harness.studies.reliability.data.nearby import Candidates

    count = 18_000 if size is FULL else 4_000
    source = seeds.random_stream(seeds.derive_seed(5, "bench.cities"))
    cities = [
        City(f"City{place}", "", seeds.draw_below(source, 1_300) / 10 - 55, seeds.draw_below(source, 3_600) / 10 - 180,
             "Anywhere", 500 + seeds.draw_below(source, 10_000_000))
        for place in range(count)
    ]  # fmt: skip
    walls = []
    for _ in range(max(1, size.repeats // 2)):
        begun = time.perf_counter()
        candidates = Candidates(cities)
        within = [distance(1, city.name, 0) for city in cities]
        candidates.targets(cities, within)
        candidates.counts(cities, within)
        walls.append(time.perf_counter() - begun)
    return Row("cities", f"wall of the targets of {count:,} cities among {count:,}", tuple(walls), 30.0, "s")


def _whole(work: Path) -> list[Row]:
    """Answers of 30 models at the published size to labels, and labels to six indicators with their intervals."""
    done = spend([sys.executable, HERE / "whole_study.py", work / "whole", "30", "1"], environment(work), work)
    told = json.loads(done.output)
    responses = f"{told['responses']:,} responses of 30 models on 5 benchmarks"
    return [
        Row("study", f"wall of labels and six indicators, 2,000 resamples: {responses}", (done.wall,), 90.0, "s"),
        Row("study", "largest process of it", (told["largest_mib"],), 2048.0, "MiB"),
        Row("study", "of it, labels on two cores", (told["labels_s"],), None, "s"),
    ]


def _figures(work: Path, size: Size) -> list[Row]:
    """Draw every figure of the demo's size, seven models and five benchmarks, imports and PNGs included."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "import support_reliability_documents as made\n"
        "from harness.studies.reliability.pages.figures import draw\n"
        "models = dict(list(made.TEN.items())[:7]); out = Path(sys.argv[2]); (out / 'drawn').mkdir(parents=True)\n"
        "draw({'models': models, 'planted': True}, made.laid(out / 'in', made.documents(models)), out / 'drawn')\n"
    )
    walls = [
        spend([sys.executable, "-c", code, HERE.parent, work / f"figures-{turn}"], environment(work), work).wall
        for turn in range(max(1, size.repeats // 2))
    ]
    return [Row("figures", "wall of all figures of 7 models on 5 benchmarks, PNGs included", tuple(walls), 10.0, "s")]
