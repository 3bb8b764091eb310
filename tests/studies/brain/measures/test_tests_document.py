"""The document `tests`, from files of errors to counts by family, level, split and pair of models."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from studies.brain.measures import slow_tests as slow
from support_brain_structure import stimuli

from harness import arrays, rows
from harness.errors import InputError
from harness.studies.brain.measures.comparisons import KeptErrors, analyse
from harness.studies.brain.structure.folds import outer_folds
from harness.studies.brain.structure.layout import layout
from harness.studies.brain.structure.pereira import pereira

UNITS = [
    {"id": f"{person}.{number}", "participant": person, "network": network}
    for person in ("018", "199")
    for number, network in enumerate(["language"] * 4 + ["MD"] * 2)
]
MODELS = ("intercept", "SP", "LLM", "SP+LLM")


def cut(categories=4):
    """The rows of the first categories, of both experiments."""
    whole = pereira()
    names = sorted({label.split("-")[1] for label in whole.labels})[:categories]
    kept = [row for row, label in enumerate(whole.labels) if label.split("-")[1] in names]
    fields = [field.name for field in dataclasses.fields(whole)][1:-1]
    cut_fields: dict[str, Any] = {name: tuple(getattr(whole, name)[row] for row in kept) for name in fields}
    return dataclasses.replace(whole, **cut_fields)


def errors_of(experiment, seed, models=MODELS):
    source = np.random.default_rng(seed)
    size = (len(cut().only(experiment).ids), len(UNITS))
    plain = source.chisquare(1, size)
    return {name: (plain + source.normal(-0.1 * place, 0.7, size)).astype(np.float32)
            for place, name in enumerate(models)}  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """Write the inputs of groups of one dataset, and give the document."""
    numbers = iter(range(100))

    def run(groups, generation="P", units=UNITS, **more):
        folder = tmp_path / str(next(numbers))
        (folder / "errors").mkdir(parents=True)
        for place, (group, tables) in enumerate(groups):
            arrays.write_all(folder / "errors" / f"part-{place:05}", tables)
            group.update({"dataset": "D", "layout": "pereira", "world": "default"})
        for name, table in (("stimuli", stimuli(cut())), ("units", units)):
            (folder / name).mkdir()
            rows.write(folder / name / "part-00000", table)
        params = {"generation": generation, "groups": [group for group, _ in groups], "datasets": [{"dataset": "D"}]}
        inputs = {name: folder / name for name in ("stimuli", "units", "errors")}
        analyse({**params, **more}, inputs, folder)
        return json.loads((folder / "tests").read_text())["D"]

    return run


def group(experiment, seed=1, split="contiguous", models=MODELS):
    return {"experiment": experiment, "split": split}, errors_of(experiment, seed, models)


def below(p):
    return sum(one < 0.05 for one in p)


def test_every_network_is_a_family_of_its_own_in_p(written):
    _, tables = one = group("384")
    [row] = written([one], pairs={"D": {"contiguous": [["SP+LLM", "SP"]]}})["contiguous"]
    assert (row["model"], row["against"], row["nested"]) == ("SP+LLM", "SP", True)
    p = slow.every_p(*(tables[name].astype(float) for name in ("SP+LLM", "SP")))
    q = slow.corrected(p, [(unit["participant"], unit["network"]) for unit in UNITS])
    assert below(p) > below(q) > 0
    expected = [
        {"participant": who, "network": net, "experiment": "384", "units": len(own),
         "raw": below(p[unit] for unit in own), "fdr": below(q[unit] for unit in own)}
        for who, net in (("018", "MD"), ("018", "language"), ("199", "MD"), ("199", "language"))
        for own in [[place for place, unit in enumerate(UNITS) if (unit["participant"], unit["network"]) == (who, net)]]
    ]  # fmt: skip
    found = row["levels"]["row"]
    assert found["families"] == expected
    assert (found["raw_share"], found["fdr_share"]) == (below(p) / 12, below(q) / 12)


def test_blocks_are_passages_and_folds_those_of_the_split(written):
    for split in ("contiguous", "shuffled"):
        _, tables = one = group("384", 2, split)
        [row] = written([one], pairs={"D": {split: [["LLM", "SP"]]}})[split]
        assert row["nested"] is False
        part = layout("pereira", stimuli(cut())).only("384")
        folds = outer_folds(part, split)
        of = [next(place for place, fold in enumerate(folds) if each in fold.test) for each in range(len(part.ids))]
        for level, labels in (("block", part.blocks), ("fold", of)):
            p = slow.every_p(*(slow.means(tables[name].tolist(), labels)[1] for name in ("LLM", "SP")))
            assert sum(each["raw"] for each in row["levels"][level]["families"]) == below(p)


def test_two_experiments_are_one_table_in_h_and_two_families_in_p(written):
    first, second = group("243", 3), group("384", 4)
    for name in MODELS:
        first[1][name][:, 6:] = np.nan  # participant 199 did the other alone
    pairs = {"D": {"contiguous": [["LLM", "intercept"]]}}
    [row] = written([first, second], "H", pairs=pairs)["contiguous"]
    both = [np.concatenate([one[1][name] for one in (first, second)]).astype(float) for name in ("LLM", "intercept")]
    p = slow.every_p(both[0], both[1], omit=True)
    language = [place for place, unit in enumerate(UNITS) if unit["network"] == "language"]
    assert [(each["participant"], each["network"], each["units"]) for each in row["levels"]["row"]["families"]] == [
        ("018", "language", 4), ("199", "language", 4),
    ]  # fmt: skip
    assert sum(each["raw"] for each in row["levels"]["row"]["families"]) == below(p[unit] for unit in language)
    [row] = written([first, second], "P", pairs=pairs)["contiguous"]
    names = [(each["participant"], each["experiment"]) for each in row["levels"]["row"]["families"]]
    assert names == [("018", "243"), ("018", "384"), ("018", "243"), ("018", "384"), ("199", "384"), ("199", "384")]


def test_h_reports_the_misaligned_block_test_beside_the_right_one(written):
    pair = {"D": {"contiguous": [["LLM", "SP"]]}}
    one = group("384", 5)
    [row] = written([one], "H", pairs=pair)["contiguous"]
    part = cut().only("384")
    order = [each for fold in outer_folds(part) for each in fold.test]
    p = slow.every_p(*(slow.means(one[1][name][order].tolist(), part.blocks)[1] for name in ("LLM", "SP")))
    own = [place for place, unit in enumerate(UNITS) if unit["network"] == "language"]
    assert sum(each["raw"] for each in row["misaligned_block"]["families"]) == below(p[unit] for unit in own)
    assert "misaligned_block" not in written([one], "P", pairs=pair)["contiguous"][0]


def test_models_of_several_parts_are_compared(written):
    first, second = group("384", 6, models=("intercept", "SP")), group("384", 7, models=("intercept", "SP+LLM"))
    found = written([first, second])["contiguous"]
    assert [(row["model"], row["against"]) for row in found] == [
        ("SP+LLM", "SP"), ("SP", "intercept"), ("SP+LLM", "intercept"),
    ]  # fmt: skip
    assert all(row["nested"] for row in found)


def test_a_starred_model_is_the_best_of_its_subsets_in_each_unit(written):
    _, tables = one = group("384", 8)
    [row] = written([one], pairs={"D": {"contiguous": [["SP+LLM*", "SP*"]]}})["contiguous"]
    assert row["selected_from"] == {"SP+LLM*": 2, "SP*": 1}
    whole = {name: tables[name].astype(float).tolist() for name in ("LLM", "SP+LLM")}
    best = slow.lowest_case("", whole)["expected"]["lowest"]
    p = slow.every_p(best, tables["SP"].astype(float))
    assert sum(each["raw"] for each in row["levels"]["row"]["families"]) == below(p)
    [row] = written([one], "H", pairs={"D": {"contiguous": [["SP+LLM*", "SP*"]]}})["contiguous"]
    assert row["selected_from"] == {"SP+LLM*": 3, "SP*": 2}  # the intercept is admitted


def test_units_without_signal_are_counted_apart(written):
    units = [{**unit, "signal": place % 3 > 0} for place, unit in enumerate(UNITS)]
    [row] = written([group("384")], units=units, pairs={"D": {"contiguous": [["LLM", "SP"]]}})["contiguous"]
    assert row["levels"]["fold"]["null"]["units"] == 4


def test_identical_errors_stay_in_their_family_with_p_of_1(written):
    _, tables = one = group("384", 9)
    tables["SP+LLM"][:, :4] = tables["SP"][:, :4]
    [row] = written([one], pairs={"D": {"contiguous": [["SP+LLM", "SP"]]}})["contiguous"]
    own = next(each for each in row["levels"]["row"]["families"] if each["network"] == "language")
    assert (own["participant"], own["units"], own["raw"]) == ("018", 4, 0)


def test_models_without_errors_and_errors_of_other_rows_are_refused(written):
    for pair in (["GPT", "SP"], ["GPT*", "SP"]):
        with pytest.raises(InputError, match="GPT"):
            written([group("384")], pairs={"D": {"contiguous": [pair]}})
    _, tables = one = group("384")
    tables["SP"] = tables["SP"][:-1]
    with pytest.raises(InputError, match="the errors of 'SP' are"):
        written([one])


def test_errors_of_many_units_are_read(tmp_path):
    part, units = cut().only("384"), 150_000
    table = np.arange(len(part.ids) * units, dtype=np.float32).reshape(-1, units)
    arrays.write_all(tmp_path / "errors", {"LLM": table})
    found = KeptErrors("384", part, "contiguous", {"LLM": tmp_path / "errors"}).read("LLM", units)
    assert table.nbytes > 1 << 24 and (found == table).all()
