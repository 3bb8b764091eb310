"""A derived manifest is what its options say and nothing else; the same options give the same file."""

from __future__ import annotations

from itertools import permutations

import pytest
from run.own_project import CAPITALS, own_project
from support import REPOSITORY, manifest_text

from harness.errors import InputError
from harness.manifest.load import LoadedManifest, load_manifest
from harness.run.planning.derived import DerivedOptions, derive_manifest
from harness.run.service import RunTarget, lock_manifest

CLAIMS = 'claims:\n  - {of: "counts#/addition/kept", published: 1, within: 0, where: "Table 1"}\n'
OUTPUTS = "outputs: {scores: exact, counts: exact}\n"


@pytest.fixture
def parent(tmp_path) -> LoadedManifest:
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests").mkdir()
    path = tmp_path / "manifests" / "small.yaml"
    path.write_text(manifest_text() + OUTPUTS + CLAIMS)
    return load_manifest(path)


def options(models=(), only=(), settings=()) -> DerivedOptions:
    return DerivedOptions(models, only, settings)


def refused(parent: LoadedManifest, **given) -> InputError:
    with pytest.raises(InputError) as error:
        derive_manifest(parent, options(**given))
    assert error.value.next
    assert not (parent.root / "manifests" / "derived").exists(), "what is refused is not written"
    return error.value


def test_it_says_where_it_comes_from_and_claims_nothing(parent):
    made = derive_manifest(parent, options(["mine=baseline/forger"], ["model=mine,oracle"], ["seeds=[3]"]))
    manifest = made.manifest
    assert list(manifest.models) == ["oracle", "mine"] and manifest.seeds == (3,) and not manifest.claims
    assert manifest.name.startswith("small-") and made.path.stem == manifest.name
    assert manifest.derived and manifest.derived.as_data() == {
        "from": "manifests/small.yaml",
        "sha256": parent.sha256,
        "changes": ["-m mine=baseline/forger", "--only model=mine,oracle", "--set seeds=[3]"],
    }
    assert manifest.intent()["derived"]["from"] == "manifests/small.yaml"
    assert set(manifest.outputs) == {"scores", "counts"} and manifest.about == parent.manifest.about
    comment = made.data.decode().split("harness: ")[0]
    assert "harness run manifests/small.yaml -m mine=baseline/forger --only model=mine,oracle" in comment


def test_the_same_options_in_any_order_give_the_same_file(parent):
    names, values = ["forger", "refuser"], ["seeds=[3]", "generation.temperature=0.5"]
    made = {
        derive_manifest(
            parent, options([f"baseline/{one}" for one in order], [f"model={kept}"], list(values[::step]))
        ).data
        for order in permutations(names)
        for kept in ("oracle,forger,refuser", "refuser,forger,oracle")
        for step in (1, -1)
    }
    assert len(made) == 1 and len(list((parent.root / "manifests" / "derived").iterdir())) == 1


def test_what_no_option_names_stays_as_the_parent_has_it(parent):
    made = derive_manifest(parent, options(settings=["about=Another text."])).manifest
    kept = made.intent() | {
        "name": "small",
        "about": parent.manifest.about,
        "claims": parent.manifest.intent()["claims"],
    }
    assert {name: part for name, part in kept.items() if name != "derived"} == parent.manifest.intent()


def test_rows_that_were_appended_since_are_cut_where_the_lock_of_its_parent_ended(tmp_path):
    project = own_project(tmp_path / "project", RunTarget(tmp_path / "store"))
    project.lock()
    project.data.write_text(CAPITALS + "Capital of Spain?,Madrid,z\n")
    made = derive_manifest(load_manifest(project.path), options(["half=baseline/coin-oracle"]))
    assert lock_manifest(made, project.place).lock.of("files")["capitals"]["cuts"] == [2]


def test_one_that_was_edited_is_kept_and_refused(parent):
    made = derive_manifest(parent, options(settings=["seeds=[3]"]))
    made.path.write_bytes(made.data.replace(b"about: A few", b"about: Some"))
    with pytest.raises(InputError, match="was edited"):
        derive_manifest(parent, options(settings=["seeds=[3]"]))
    assert b"Some" in made.path.read_bytes()


def test_a_parent_that_changed_gives_another_file(parent):
    first = derive_manifest(parent, options(settings=["seeds=[3]"]))
    parent.path.write_text(parent.path.read_text() + "# a remark\n")
    assert (
        derive_manifest(load_manifest(parent.path), options(settings=["seeds=[3]"])).path != first.path
        and first.path.exists()
    )


def test_a_derived_manifest_is_not_derived_from(parent):
    made = derive_manifest(parent, options(settings=["seeds=[3]"]))
    with pytest.raises(InputError, match="derived itself") as error:
        derive_manifest(made, options(settings=["image=cuda"]))
    assert "manifests/small.yaml" in error.value.next and "--set 'seeds=[3]'" in error.value.next


@pytest.mark.parametrize(
    ("text", "place", "value"),
    [
        ("generation.temperature=0.7", ("generation", "temperature"), "0.7"),
        ("generation.stop=[a, 'null']", ("generation", "stop"), ["a", "null"]),
        ("generation.stop=null", ("generation", "stop"), None),
        ("models.noisy-oracle.facts={family: x}", ("models", "noisy-oracle", "facts"), {"family": "x"}),
        ("models.oracle.behaviour=echo", ("models", "oracle", "behaviour"), "echo"),
        ("about=A text: with a colon, and 'quotes'", ("about",), "A text: with a colon, and 'quotes'"),
        ('about="1"', ("about",), "1"),
        ("seeds=[5]", ("seeds",), ["5"]),
    ],
)
def test_a_path_and_a_value_are_one_place_of_the_file(parent, text, place, value):
    tree = derive_manifest(parent, options(settings=[text])).tree.value
    for part in place[:-1]:
        tree = tree.get(part, {})
    assert tree.get(place[-1]) == value


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("generation.temperature=hot", "--set generation.temperature", "`generation.temperature` is wrong"),
        ("generation.temprature=1", "--set generation.temprature", "unknown key `generation.temprature`"),
        ("generation.top_k=4", "--set generation.top_k", "means nothing to the provider"),
        ("datasets.addition.cuont=4", "--set datasets.addition.cuont", "unknown key `datasets.addition.cuont`"),
        ("prompts.set=reliability/x@1", "--set prompts.set", "no wordings"),
        ("models.mine.dtype=float16", "--set models.mine.dtype", "names no known provider"),
        ("models.oracle.behaviour.x=1", "--set models.oracle.behaviour.x", "has no parts"),
        ("seeds=[0", "--set seeds", "not YAML"),
        ("seeds=[0]\nname: x", "--set seeds", "more than one value"),
        ("about={question}", "--set about", "a text that begins with a brace stands in quotes"),
        ("seeds.x=1", "--set seeds.x", "`seeds` is wrong"),
        ("outputs.scoers=exact", "--set outputs.scoers", "no output 'scoers'"),
        ("about", "--set about", "sets nothing"),
        ("=1", "--set =1", "sets nothing"),
        ("a..b=1", "--set a..b=1", "sets nothing"),
        (".".join(["a"] * 400) + "=1", None, "sets nothing"),
        ("name=other", "--set name=other", "`name` is not set"),
        ("claims=[]", "--set claims=[]", "`claims` is not set"),
        ("derived=null", "--set derived=null", "`derived` is not set"),
        ("generation.extra={a: 0x10}", "--set generation.extra", "is no JSON"),
    ],
)
def test_a_value_that_is_refused_names_the_option(parent, text, where, what):
    error = refused(parent, settings=[text])
    assert what in error.what and where in (None, error.where)


def test_a_fault_of_the_parent_keeps_its_line(parent):
    parent.path.write_text(parent.path.read_text().replace("behaviour: oracle", "behaviour: oracel", 1))
    with pytest.raises(InputError) as error:
        load_manifest(parent.path)
    line = error.value.where
    fine = load_without_checks(parent)
    assert refused(fine, settings=["seeds=[1]"]).where == line


def load_without_checks(parent: LoadedManifest) -> LoadedManifest:
    """Give a parent whose file has gone wrong since it was loaded."""
    from dataclasses import replace

    from harness.manifest.read import read_tree

    data = parent.path.read_bytes()
    return replace(parent, data=data, tree=read_tree(data, str(parent.path)))


def test_one_value_is_set_once(parent):
    assert "sets this too" in refused(parent, settings=["seeds=[1]", "seeds=[2]"]).what
    assert "sets this too" in refused(parent, settings=["generation={}", "generation.stop=[a]"]).what


@pytest.mark.parametrize(
    ("only", "what"),
    [
        ("model=nobody", "has no 'nobody'"), ("dataset=x", "has no 'x'"), ("modle=oracle", "keeps nothing"),
        ("model=", "keeps nothing"), ("oracle", "keeps nothing"), (",", "keeps nothing"),
    ],
)  # fmt: skip
def test_what_is_kept_must_be_there(parent, only, what):
    assert what in refused(parent, only=[only]).what


def test_a_model_of_a_name_that_is_taken_is_refused(parent):
    assert "a model 'oracle' already" in refused(parent, models=["oracle=baseline/echo"]).what
    assert "a model 'echo' already" in refused(parent, models=["echo=baseline/echo", "baseline/echo"]).what
    assert refused(parent, models=["x=transformers/hf:org/name"]).where == "-m x=transformers/hf:org/name"


def test_only_keeps_of_old_and_new_models_and_refuses_to_drop_a_new_one(parent):
    made = derive_manifest(parent, options(["new=baseline/echo"], ["model=oracle,new"]))
    assert list(made.manifest.models) == ["oracle", "new"]
    assert list(derive_manifest(parent, options(["new=baseline/echo"], ["model=new"])).manifest.models) == ["new"]
    both = derive_manifest(parent, options(["new=baseline/echo"], ["dataset=addition"])).manifest.models
    assert list(both) == [*parent.manifest.models, "new"], "what --only does not name is not cut"


@pytest.mark.parametrize("kept", [["model=oracle"], ["model=oracle", "model=noisy-oracle,one"]])
def test_a_model_that_only_leaves_out_is_an_error_that_says_so(parent, kept):
    error = refused(parent, models=["one=baseline/echo", "two=baseline/forger"], only=kept)
    left = "two" if len(kept) > 1 else "one"
    assert f"leaves out the model {left!r} that -m adds" in error.what and "--only model=" in error.what
    assert error.where == f"-m {left}=baseline/{'forger' if left == 'two' else 'echo'}"
    assert "keep it too: --only model=" in error.next and left in error.next


def test_a_model_that_is_added_is_set_further_in_the_same_line(parent):
    made = derive_manifest(parent, options(["tiny=transformers/assets/tiny"], ["model=tiny"], ["models.tiny.batch=32"]))
    assert made.manifest.models["tiny"].batch == "32"


def test_datasets_that_are_kept_keep_their_outputs_and_splits(tmp_path):
    parent = REPOSITORY / "manifests" / "demo" / "reliability.yaml"
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "manifests").mkdir()
    path = tmp_path / "manifests" / "reliability.yaml"
    path.write_text(parent.read_text())
    whole = load_manifest(path)
    made = derive_manifest(whole, options(only=["dataset=addition,model=oracle"])).manifest
    assert list(made.datasets) == ["addition"] and list(made.models) == ["oracle"]
    assert "card-tiny-raw.html" not in made.outputs and "scores" in made.outputs
    assert made.agents and made.agents.splits["dev"].datasets == ("addition",)
    assert derive_manifest(whole, options(only=["dataset=people"])).manifest.agents is None


def test_data_that_is_kept_brings_what_it_is_made_from():
    whole = load_manifest(REPOSITORY / "manifests" / "paper" / "reliability.yaml")
    from harness.run.locking.datasets import made_datasets
    from harness.run.planning.derived import only_datasets, read_only_options
    from harness.studies.registry import find

    made = made_datasets(whole.manifest, find(whole.manifest.study), whole.tree)
    name, one = next((name, one) for name, one in made.items() if one.files or one.folders)
    value = {"datasets": dict(whole.tree.value["datasets"])}
    only_datasets(value, read_only_options([f"dataset={name}"])["dataset"], whole)
    assert set(value["datasets"]) == {name, *one.files.values(), *one.folders.values()}


def test_a_model_keeps_the_tape_it_was_asked_on_and_a_new_one_has_another(parent):
    said = "  remote: {provider: openai, model: gpt-x, tape: replay}\n"
    parent.path.write_text(parent.path.read_text().replace("models:\n", "models:\n" + said, 1))
    made = derive_manifest(load_manifest(parent.path), options(["other=openai/gpt-y"])).manifest
    assert made.models["remote"].tapes == "tapes/small" and made.models["other"].tapes == "tapes/small.derived"
    again = derive_manifest(load_manifest(parent.path), options(settings=["models.remote.tape=record"])).manifest
    assert again.models["remote"].tapes == "tapes/small.derived", "a tape that a lock may pin is not written to"
