"""The first generation of the locality maker, OURS-v1: the target must pass the filters itself.

Rule: docs/reliability-rules.md#locality-v1. It is kept, byte for byte, for old runs and for the golden cases made with
it: six in ten of its items have an answer that is wrong in reality. Independent of prompts, models and scoring.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import rows
from harness.answers.names import STOP_WORDS, common_words_sha256
from harness.studies.reliability.data.cities import City, load, names, surviving, unique_names
from harness.studies.reliability.data.locality_draw import TASK, CityInstance, binned, draw, instances, write
from harness.studies.reliability.data.nearby import Candidates
from harness.studies.reliability.data.popularity import popularity

GENERATOR_VERSION = "1"


def make(params: Mapping[str, Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Write the locality benchmark by the first rules: items (without answers), gold, budgets, counts, city names.

    Raises InputError if no city has a target.
    """
    places = load(inputs)
    kept = sorted(surviving(places.rows), key=lambda city: city.name)
    candidates = Candidates(kept)
    found = instances(params["seed"], kept, candidates.targets)
    pop = popularity(inputs)
    pops = {name: pop(name) for name in {*found, *(target.name for _, target in found.values())}}
    made = [
        CityInstance(city, *found[city.name], pops[city.name], pops[found[city.name][1].name])
        for city in kept
        if city.name in found
    ]
    # OURS: the answer must not be a common word of prompts and refusals. Otherwise repeating the prompt, or saying
    # that one does not know, would be right (towns are called Of and Most); the counts say how many were removed.
    usable = [each for each in made if each.target.name.lower() not in STOP_WORDS]
    drawn = draw(params["seed"], usable, params["per_bin"])
    origins, distances = [each.city for each in drawn], [each.d_km for each in drawn]
    real = Candidates(places.rows).targets(origins, distances)
    counted = candidates.counts(origins, distances)
    answers = [_answer(*each) for each in zip(drawn, counted, real, strict=True)]
    write(drawn, answers, {**places.about, "generator_version": GENERATOR_VERSION}, params, out)
    tally = {
        "drawn": len(kept),
        "kept": len(drawn),
        "removed": len(kept) - len(drawn),
        "rows": len(places.rows),
        "unique_names": len(unique_names(places.rows)),
        "single_words": len(kept),
        "known_population": len(candidates.cities),
        "without_target": len(kept) - len(made),
        "said_in_prompts": len(made) - len(usable),
        "bins": len(set(binned([each.f_pop for each in usable]))),
        "source": places.about["source"],
        "common_words_sha256": common_words_sha256(),
    }
    rows.write_one(out / "counts", {TASK: tally})
    rows.write_one(out / "gazetteer", {"names": names(places.rows)})


def _answer(each: CityInstance, count: int, real: City | None) -> dict[str, Any]:
    """Return the gold: the target, and `true_target`, the most populous city nearby among all unfiltered rows."""
    assert real  # every target is a row too
    return {
        "target": each.target.name,
        "accepted": [],
        "target_population": each.target.population,
        "n_candidates": count,
        "true_target": real.name,
        "true_target_filtered": real != each.target,
    }
