"""Activations are what plain transformers says of the same tokens, by piece, word and span; nothing is cut unsaid."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support_hidden import make_masked, plainly
from support_models import REPOSITORY, deliver

from harness import rows
from harness.errors import InputError
from harness.models.local.activations import ActivationOptions, Activations, extract
from harness.models.local.load import LoadedModel, open_encoder

np = pytest.importorskip("numpy")
needs("torch", "transformers")
pytestmark = pytest.mark.together

LIMIT = 44  # tokens, as a byte each; no more than the masked model holds
PARAMS = {"batch": "reference", "dtype": "float32"}
STORY = ["the cat sat on a mat", "and dogs were walking", "along the river when", "rain began to fall over hilltops"]
PIECES = [{"id": f"{p}{n}", "passage": p, "text": text} for p in "ab" for n, text in enumerate(STORY[: 4 - (p == "b")])]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    masked = make_masked(tmp_path_factory.mktemp("masked") / "m")
    return {"causal": REPOSITORY / "assets" / "tiny-shaped", "masked": masked}


@pytest.fixture(scope="module")
def opened(folders: dict[str, Path]) -> dict[str, LoadedModel]:
    return {kind: open_encoder(folder, PARAMS) for kind, folder in folders.items()}


@pytest.fixture(scope="module")
def plain(folders: dict[str, Path]) -> dict[str, tuple[Any, Any]]:
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

    autos = {"causal": AutoModelForCausalLM, "masked": AutoModelForMaskedLM}
    return {
        kind: (
            autos[kind].from_pretrained(folder, attn_implementation="eager").eval(),
            AutoTokenizer.from_pretrained(folder),
        )
        for kind, folder in folders.items()
    }


def look(loaded: LoadedModel, pieces: list[Any], layers: Any = None, size: int = 1, **how: Any) -> list[Any]:
    return [found.vectors for found in Activations(loaded, ActivationOptions(**how), layers, size).of(pieces)]


def near(one: Any, two: Any) -> bool:
    """Say whether two lie as near as float32 sums of another order may: processors differ in it."""
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(two).max())))


@pytest.mark.parametrize("kind", ["causal", "masked"])
@pytest.mark.parametrize("space", ["later", "always"])
def test_a_sentence_behind_its_passage_is_summed_as_the_authors_sum_it(
    opened: dict[str, LoadedModel], plain: dict[str, tuple[Any, Any]], kind: str, space: str
) -> None:
    """Two generations of the authors' code differ in the space before the first piece of a passage."""
    found = look(opened[kind], PIECES, pool="sum", context="pieces", space=space, limit=LIMIT)
    assert opened[kind].facts["attention"] == "eager" and len(found) == len(PIECES)
    firsts = {}
    for piece, vectors in zip(PIECES, found, strict=True):
        number = int(piece["id"][1])
        spaced = [f" {text}" if at or space == "always" else text for at, text in enumerate(STORY)]
        states = plainly(*plain[kind], "".join(spaced[:number]), spaced[number], LIMIT)
        assert near(vectors, states.sum(axis=1)[:, None])
        firsts[piece["id"]] = vectors
    assert np.array_equal(firsts["a0"], firsts["b0"])  # a passage begins anew


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_context_may_be_counted_in_pieces_words_or_tokens(
    opened: dict[str, LoadedModel], plain: dict[str, tuple[Any, Any]], kind: str
) -> None:
    last, text = PIECES[:4], f" {STORY[3]}"
    model, tokenizer = plain[kind]
    joined = f"{STORY[0]} {STORY[1]} {STORY[2]}"
    tokens = tokenizer(joined, add_special_tokens=False)["input_ids"]
    befores = {("pieces", 1): STORY[2], ("words", 3): "the river when", ("tokens", 4): tokenizer.decode(tokens[-4:])}
    for (what, most), before in befores.items():
        [*_, found] = look(opened[kind], last, pool="mean", context=what, most=most, limit=LIMIT)
        assert near(found, plainly(model, tokenizer, before, text, LIMIT).mean(axis=1)[:, None]), what
    [*_, alone] = look(opened[kind], last, pool="mean")
    assert near(alone, plainly(model, tokenizer, "", STORY[3], LIMIT).mean(axis=1)[:, None])


def test_each_word_has_a_vector_of_its_own_tokens(opened: dict[str, LoadedModel]) -> None:
    by = {pool: look(opened["masked"], PIECES, pool=pool, context="pieces") for pool in ("sum", "last")}
    words = {
        pool: look(opened["masked"], PIECES, pool=f"word-{pool}", context="pieces") for pool in ("sum", "mean", "last")
    }
    for place, piece in enumerate(PIECES):
        assert words["sum"][place].shape == (3, len(piece["text"].split()), 32)
        assert near(words["sum"][place].sum(axis=1), by["sum"][place][:, 0])  # of these tokens each belongs to a word
        assert np.array_equal(words["last"][place][:, -1], by["last"][place][:, 0])
    assert not near(words["sum"][3], words["mean"][3])  # some word has several tokens


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_characters_of_a_text_are_found_by_the_tokens_that_hold_them(
    opened: dict[str, LoadedModel], plain: dict[str, tuple[Any, Any]], kind: str
) -> None:
    text = "the cat sat on a mat"
    first, last = text.index("sat"), text.index(" a mat")
    rows_ = [{"id": "x", "text": text, "span": [first, last]}, {"id": "y", "text": text, "span": [first, first + 1]}]
    whole, one = look(opened[kind], rows_, pool="sum")
    model, tokenizer = plain[kind]
    spans = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    own = [place for place, (a, b) in enumerate(spans) if a < last and b > first]
    states = plainly(model, tokenizer, "", text, LIMIT)
    assert near(whole, states[:, own].sum(axis=1)[:, None])
    assert near(one, states[:, own[:1]].sum(axis=1)[:, None])
    words = look(opened[kind], rows_[:1], pool="word-last")[0]
    assert words.shape[1] == 2 and near(words[:, -1], states[:, own[-1]])


def extracted(where: Path, folder: Path, pieces: list[Any], **more: Any) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Make the step, and give arrays by layer, their index and what was observed."""
    names = deliver(folder, where / "weights")
    (where / "out").mkdir()
    rows.write(where / "pieces", pieces)
    params = {"model": "m", "files": names, "dtype": "float32", "batch": "reference", **more}
    extract(params, {"pieces": where / "pieces", "weights": where / "weights"}, where / "out")
    facts = json.loads((where / "out" / "facts.json").read_bytes())
    arrays = {path.name: np.load(path, allow_pickle=False) for path in sorted((where / "out").glob("*.npy"))}
    return arrays, list(rows.read(where / "out" / "vectors")), facts


def test_the_step_writes_a_file_a_layer_and_says_what_each_row_is(
    tmp_path: Path, folders: dict[str, Path], opened: dict[str, LoadedModel]
) -> None:
    how = {"pool": "word-mean", "context": "pieces"}
    arrays, index, facts = extracted(tmp_path / "all", folders["masked"], PIECES, how=how)
    wanted = look(opened["masked"], PIECES, pool="word-mean", context="pieces")
    assert list(arrays) == [f"layer-{layer:02d}.npy" for layer in range(3)]
    for layer, array in enumerate(arrays.values()):
        assert array.dtype == np.float32 and array.flags.c_contiguous
        assert np.array_equal(array, np.concatenate([found[layer] for found in wanted]))
    said = [(piece["id"], word) for piece in PIECES for word in range(len(piece["text"].split()))]
    assert [(row["id"], row["word"]) for row in index] == said
    assert (facts["pieces"], facts["vectors"], facts["layers"], facts["cut"]) == (7, len(said), 3, 0)
    assert facts["threads"] == 1 and facts["batch"] == "reference" and len(facts["numerics"]["digest"]) == 64
    some, _, _ = extracted(tmp_path / "some", folders["masked"], PIECES, how=how, layers=[0, 2])
    assert list(some) == ["layer-00.npy", "layer-02.npy"]
    for name in some:
        assert (tmp_path / "some/out" / name).read_bytes() == (tmp_path / "all/out" / name).read_bytes()


@pytest.mark.parametrize("said", [[0, 1], [0, 1, 2, 3]])
def test_layers_that_are_said_to_be_all_are_all_that_the_model_has(
    tmp_path: Path, folders: dict[str, Path], said: list[int]
) -> None:
    how = {"pool": "mean"}
    found, _, _ = extracted(tmp_path / "right", folders["masked"], PIECES, how=how, layers=[0, 1, 2], all_layers=True)
    assert len(found) == 3
    with pytest.raises(InputError, match="the model has 2 layers above its embedding") as bad:
        extracted(tmp_path / "wrong", folders["masked"], PIECES, how=how, layers=said, all_layers=True)
    assert bad.value.next == 'say `layers: "2"` of the model'


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_batch_gives_the_same_vectors_but_for_their_last_digits(
    tmp_path: Path, folders: dict[str, Path], kind: str
) -> None:
    how = {"pool": "last", "context": "pieces"}
    one, same, _ = extracted(tmp_path / "one", folders[kind], PIECES, how=how)
    many, index, facts = extracted(tmp_path / "many", folders[kind], PIECES, how=how, batch="3")
    assert facts["batch"] == "3" and index == same
    assert all(near(one[name], many[name]) for name in one)


def test_what_the_model_has_no_room_for_is_counted(tmp_path: Path, folders: dict[str, Path]) -> None:
    long = [{"id": "long", "passage": "z", "text": "x" * 9 + " cat" * 60}, *PIECES]
    how = {"pool": "sum", "context": "pieces"}
    arrays, index, facts = extracted(tmp_path / "a", folders["masked"], long, how=how)
    assert facts["window"] == 48 and facts["limit"] == 46  # two places are for the model's own signs
    assert (facts["pieces"], facts["cut"], facts["pieces_cut"]) == (8, 1, 1)
    assert index[0]["tokens"] == 46 and index[0]["cut"] > 0 and "cut" not in index[1]
    assert all(np.isfinite(array).all() for array in arrays.values())
    _, index, facts = extracted(tmp_path / "b", folders["masked"], PIECES, how={**how, "limit": 12})
    assert facts["limit"] == 12 and facts["cut"] == 3 == sum("cut" in row for row in index)
    assert facts["pieces_cut"] == 0 and max(row["before"] + row["tokens"] for row in index) == 12
    with pytest.raises(InputError, match="a word has no token that is left"):
        extracted(tmp_path / "c", folders["masked"], long, how={**how, "pool": "word-last"})


def test_no_more_is_held_than_a_batch(opened: dict[str, LoadedModel]) -> None:
    taken = []

    def endless() -> Iterator[dict[str, Any]]:
        while True:
            taken.append(len(taken))
            yield {"id": str(len(taken)), "text": "a cat"}

    found = Activations(opened["causal"], ActivationOptions(pool="mean"), [1], size=2).of(endless())
    assert [next(found).read.id for _ in range(5)] == ["1", "2", "3", "4", "5"] and len(taken) == 6


def test_where_memory_runs_out_half_as_many_are_looked_at(
    opened: dict[str, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.models.local import activations
    from harness.models.local import activations as local_hidden

    looked: list[int] = []

    def narrow(loaded: LoadedModel, texts: Any) -> Any:
        looked.append(len(texts))
        if len(texts) > 2:
            raise RuntimeError("CUDA out of memory")
        return forward(loaded, texts)

    forward = local_hidden.forward_batch
    wanted = look(opened["causal"], PIECES, pool="sum")
    monkeypatch.setattr(activations, "forward_batch", narrow)
    half = Activations(opened["causal"], ActivationOptions(pool="sum"), size=5)
    found = [each.vectors for each in half.of(PIECES)]
    assert looked == [5, 3, 2, 1, 2, 2] and half.told["redone"] == 2
    assert all(near(one, two) for one, two in zip(wanted, found, strict=True))


BAD: dict[str, tuple[dict[str, Any], list[Any], Any]] = {
    "no pooling is called": ({"pool": "max"}, PIECES, None),
    "says nothing of activations": ({"pool": "sum", "contxt": "pieces"}, PIECES, None),
    "`most` of no context": ({"pool": "sum", "most": 3}, PIECES, None),
    "goes on after another": ({"pool": "sum", "context": "pieces"}, [*PIECES, PIECES[0]], None),
    "a piece has no `passage`": ({"pool": "sum", "context": "words"}, [{"id": "x", "text": "y"}], None),
    "has its context there": (
        {"pool": "sum", "context": "words"}, [{"id": "x", "text": "y", "passage": "p", "span": [0, 1]}], None,
    ),
    "has no characters 0 to 9": ({"pool": "sum"}, [{"id": "x", "text": "y", "span": [0, 9]}], None),
    "`span` is two numbers": ({"pool": "sum"}, [{"id": "x", "text": "y", "span": [0, "9"]}], None),
    "a piece has no token": ({"pool": "sum"}, [{"id": "x", "text": ""}], None),
    "there are no pieces": ({"pool": "sum"}, [], None),
    "there is no layer 7": ({"pool": "sum"}, PIECES, [7]),
    "each once": ({"pool": "sum"}, PIECES, [1, 1]),
}  # fmt: skip


@pytest.mark.parametrize("words", BAD)
def test_what_could_not_be_meant_is_refused(tmp_path: Path, folders: dict[str, Path], words: str) -> None:
    how, pieces, layers = BAD[words]
    with pytest.raises(InputError, match=words.replace("pooling", "pool")):
        extracted(tmp_path, folders["masked"], pieces, how=how, **({"layers": layers} if layers else {}))


def test_a_file_without_a_pooler_is_whole_and_one_without_a_layer_is_not(
    tmp_path: Path, folders: dict[str, Path], opened: dict[str, LoadedModel]
) -> None:
    assert hasattr(opened["masked"].model, "pooler")  # which its file does not hold: no hidden state is made with it
    short = shutil.copytree(folders["masked"], tmp_path / "short")
    config = json.loads((short / "config.json").read_bytes())
    (short / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(InputError, match=r"do not fill the model: missing_keys.*encoder\.layer\.2"):
        open_encoder(short, PARAMS)
