"""The page takes what the measures write: fits of random numbers go through every measure, and come out as a page."""

from __future__ import annotations

import numpy as np
import pytest
from studies.brain.pages import sample_run as run
from studies.curie.pages.page_text import read, section_of, text_of

from harness import arrays, rows
from harness.studies.brain.measures import choices, comparisons, findings, omega, performance, stars
from harness.studies.brain.nulls.sizes import NullDesign, sizes
from harness.studies.brain.structure.pereira import pereira
from harness.studies.brain.terms import EXP1

MODELS = ("SP", "SL", "SP+SL", "LLM", "SP+SL+LLM", "SP+LLM", "SL+LLM", "OASM@1.0", "OASM@2.2", "minilm@0", "minilm@3",
          "minilm@6")  # fmt: skip
UNITS = [
    {"id": f"u{at}", "participant": f"p{at % 2}", "network": ("language", "DMN")[at % 3 == 0], "signal": at % 5 != 0}
    for at in range(20)
]
STRUCTURE = pereira(EXP1)


def stimuli():
    fields = (STRUCTURE.ids, STRUCTURE.labels, STRUCTURE.blocks, STRUCTURE.positions)
    return [{"id": name, "label": label, "block": block, "position": place, "text": "", "experiment": EXP1}
            for name, label, block, place in zip(*fields, strict=True)]  # fmt: skip


def laid(folder):
    """Write fits, errors, units and stimuli of two data sets under both splits; gives the inputs."""
    source = np.random.Generator(np.random.PCG64(1))
    for name in ("fits", "errors", "units", "stimuli"):
        (folder / name).mkdir(parents=True)
    for at in range(4):
        made = {"intercept.mse": np.ones((8, 20)), "fold_rows": np.full(8, 48), "cv_error": np.array([2.0**-27])}
        for model in MODELS:
            made |= {f"{model}.{what}": source.uniform(0.5, 1.1, (8, 20)) for what in ("mse", "r", "cv")}
            made[f"{model}.tied"] = np.zeros((8, 20), bool)
        arrays.write_all(folder / "fits" / rows.part_name(at), made)
        kept = {
            model: source.chisquare(1, (384, 20)).astype(np.float32) for model in ("SP+SL", "SP+SL+LLM", "intercept")
        }
        arrays.write_all(folder / "errors" / rows.part_name(at), kept)
    for at in range(2):
        rows.write(folder / "units" / rows.part_name(at), UNITS)
        rows.write(folder / "stimuli" / rows.part_name(at), stimuli())
    inputs = {name: folder / name for name in ("fits", "errors", "units", "stimuli")}
    return {**inputs, **{f"units-{name}": folder / "units" / rows.part_name(0) for name in run.WORLDS}}


@pytest.mark.parametrize("generation", ["P", "H"])
def test_a_page_of_measured_documents_lacks_nothing(tmp_path, generation):
    inputs, out = laid(tmp_path / "in"), tmp_path / "out"
    out.mkdir()
    groups = [{**group, "models": list(MODELS), "experiment": EXP1} for group in run.GROUPS]
    params = run.params(generation=generation, groups=groups)
    for measure in (performance, choices, stars, omega):
        measure.analyse(params, inputs, out)
    listed = [{"dataset": name, "layout": "pereira", "experiment": EXP1} for name in run.WORLDS]
    comparisons.analyse({**params, "datasets": listed}, inputs, out)
    written = {name: out / name for name in ("choices", "tests")}
    findings.analyse(params, {**inputs, **written}, out)
    given = {path.name: next(rows.read(path)) for path in out.iterdir()}
    measured = sizes(STRUCTURE, NullDesign(families=4, units=4, columns=2))
    given["sizes"] = {"pereira": measured}
    drawn = run.drawn(tmp_path, given, {name: inputs[name] for name in ("fits", "units")}, **params)
    svgs = {path.name: path for path in drawn.glob("*.svg")}
    html = run.written(tmp_path, given, svgs, generation=generation)
    page = read(html)
    lacking = ("figure-seeds", "figure-brains", "figure-length")  # no untrained model, no places, no check of lengths
    told = ", ".join(f"the figure {stem}" for stem in lacking)
    assert f"made nothing for it: {told}, the document length_check." in page.text
    own = given["findings"][run.TOPIC]["LLM"]["table"]["SP+SL"]["r2"]
    assert f"SP+SL SP+SL {own:.4f}" in text_of(section_of(html, "Findings by data set"))
    told = given["performance"]["datasets"][run.TOPIC]["splits"]["shuffled"]["SP+SL"]
    assert (
        f"SP+SL {given['performance']['datasets'][run.TOPIC]['splits']['contiguous']['SP+SL']['r2']:.4f}" in page.text
    )
    assert f"{told['r2']:.4f} {told['pearson']:.4f}" in text_of(section_of(html, "Scores"))
    assert "minilm all 3" in page.text and "SP+SL* , shuffled 3" in page.text
    assert ("whose size was not measured" in page.text) == (generation == "H")
    assert ("block, as the published code" in page.text) == (generation == "H")
