"""Predictions out of answers: of MPV, and of DFT with a model that repairs the answer, or does not.

What that model was asked is not compared: only our own words for it are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from golden.case import EXACT, Tally, check
from golden.files import cases, load
from support_curie_reading import value_of

from harness.studies.curie.standalone.reading import ANALYSES

READ = ("mpve", "dft_llm_repairs", "dft_llm_useless")
REPLIES = ('[{"from_llm": 1}]', "still broken")


def run(given: Mapping[str, Any]) -> Mapping[str, Any]:
    parse = ANALYSES["curie.llmsim_parse"].run
    mpve = parse({**given, "reader": "mpve"})
    repaired, useless = (parse({**given, "reader": "dft", "repair": reply}) for reply in REPLIES)
    found = zip(READ, (mpve, repaired, useless), strict=True)
    return {**{name: value_of(one["result"]) for name, one in found}, "dft_llm_calls": repaired["repairs"]}


def read(path: Path, tally: Tally) -> None:
    for name, case in cases(load(path)):
        compared = {key: case[key] for key in case if key != "dft_llm_prompt_sha256"}
        compared |= {key: value_of(case[key]) for key in READ}
        check(tally, name, compared, run, ("text",), (*READ, "dft_llm_calls"), within=EXACT)
