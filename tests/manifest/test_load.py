"""Each bad manifest is one error that names file, line and the mend; a good one means what a person sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from manifest.parsing import GOOD, parse, refused
from support_examples import examples

from harness.digest import encode_document, sha256
from harness.errors import HarnessError, InputError
from harness.manifest.load import load_manifest, parse_manifest, project_root, resolve_inside
from harness.manifest.schema import SIZES, TIMES, parse_amount

LOCAL = "models:\n  m: {provider: transformers, dtype: float32, source: "
HEX = "0123456789abcdef" * 4


def changed(old, new):
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def models(lines):
    head, rest = GOOD.split("models:\n")
    return head + lines + rest[rest.index("datasets:") :]


def datasets(lines):
    head, rest = GOOD.split("datasets:\n")
    return head + lines + rest[rest.index("prompts:") :]


def test_a_manifest_reads_as_it_is_written():
    manifest = parse(GOOD)
    assert (manifest.study, manifest.name, sorted(manifest.models)) == (
        "reliability",
        "small",
        ["noisy-oracle", "oracle"],
    )
    assert (manifest.seeds, manifest.image, manifest.generation.temperature) == ((0,), "cpu", "0")
    assert encode_document({"type": "manifest/1", **manifest.intent()})  # typed, complete, without floats


def test_scalars_keep_the_text_a_person_wrote():
    revision = "1234567890" * 4
    text = models(LOCAL + f'"hf:x/y", revision: {revision}, facts: {{parameters: 1.1e6, shaped: no, time: 30:00}}}}\n')
    model = parse(text).models["m"]
    assert model.revision == revision
    assert model.facts == {"parameters": "1.1e6", "shaped": "no", "time": "30:00"}
    manifest = parse(
        GOOD + "generation: {temperature: 1e-9, max_tokens: 64}\noutputs: {counts: {within: 1e-9}}\nseeds: [0, 10]\n"
    )
    assert (manifest.generation.temperature, manifest.generation.max_tokens) == ("1e-9", 64)
    assert (manifest.outputs["counts"].within, manifest.seeds) == ("1e-9", (0, 10))


BAD = {
    "unknown key": (changed("seed: 7", "seed: 7") + "sedes: [0]\n", "sedes", "unknown key `sedes`"),
    "unknown key of a part": (changed("gpus: 0", "gpu: 0"), "gpu: 0", "unknown key `resources.gpu`"),
    "merge key": (GOOD + "<<: {a: b}\n", "<<", "unknown key `<<`"),
    "merge key among models": (models("models:\n  <<: {provider: baseline, behaviour: oracle}\n"), "<<", "<<"),
    "wrong type": (GOOD + "seeds: zero\n", "seeds", "`seeds` is wrong"),
    "a word for a number": (GOOD + "seeds: [0, one]\n", "seeds", "not 'one'"),
    "a fraction for a count": (GOOD + "generation: {max_tokens: 2.5}\n", "generation", "max_tokens"),
    "no number": (GOOD + "generation: {temperature: warm}\n", "generation", "decimal number"),
    "no finite number": (GOOD + "generation: {temperature: .nan}\n", "generation", "decimal number"),
    "infinity": (GOOD + "generation: {temperature: Infinity}\n", "generation", "finite"),
    "a negative seed": (GOOD + "seeds: [-1]\n", "seeds", "seeds.0"),
    "a seed past 2^53": (GOOD + "seeds: [9007199254740992]\n", "seeds", "seeds.0"),
    "an amount without a unit": (changed("memory: 2GiB", "memory: 2"), "memory", "a number and a unit"),
    "a time of day for a duration": (changed("timeout: 10m", "timeout: 30:00"), "timeout", "a number and a unit"),
    "another version": (changed("harness: 1", "harness: 3"), "harness", "harness"),
    "a missing field": (changed("study: reliability\n", ""), "harness", "`study` is missing"),
    "an empty field": (changed("name: small", "name:"), "name:", "name"),
    "a name that is a path": (changed("name: small", "name: ../small"), "name:", "name"),
    "a list for a map": (models("models: [oracle]\n"), "models", "models"),
    "hub model without revision": (models(LOCAL + '"hf:meta/x"}\n'), "m:", "revision"),
    "hub model with a branch": (models(LOCAL + '"hf:meta/x", revision: main}\n'), "m:", "revision"),
    "model without a provider": (models("models:\n  m: {behaviour: oracle}\n"), "m:", "provider"),
    "unknown provider": (models("models:\n  m: {provider: cohere}\n"), "m:", "provider"),
    "API model without a tape": (models("models:\n  m: {provider: openai, model: gpt}\n"), "m:", "tape"),
    "source above the project": (models(LOCAL + "../weights}\n"), "m:", "inside the project"),
    "source hidden above it": (models(LOCAL + "a/../../weights}\n"), "m:", "inside the project"),
    "absolute source": (models(LOCAL + "/srv/weights}\n"), "m:", "inside the project"),
    "URL without sha256": (
        datasets('datasets:\n  d: {fetch: "https://x.org/d", licence: MIT}\n'), "d:", "a URL alone pins nothing"),
    "URL with half a sha256": (
        datasets(f'datasets:\n  d: {{fetch: "https://x.org/d", licence: MIT, sha256: {HEX[:32]}}}\n'), "d:", "sha256"),
    "URL without a licence": (
        datasets(f'datasets:\n  d: {{fetch: "https://x.org/d", sha256: {HEX}}}\n'), "d:", "licence"),
    "URL of a file": (
        datasets(f'datasets:\n  d: {{fetch: "file:///etc/passwd", licence: MIT, sha256: {HEX}}}\n'), "d:", "fetch"),
    "data both made and fetched": (
        datasets(f'datasets:\n  d: {{make: a.b, fetch: "https://x.o/d", licence: MIT, sha256: {HEX}}}\n'),
        "d:", "make"),
    "no data": (datasets("datasets: {}\n"), "datasets", "datasets"),
    "unknown level": (GOOD + "outputs: {items: roughly}\n", "outputs", "outputs.items"),
    "two levels": (GOOD + "outputs: {items: {within: 1, interval: 0.9}}\n", "outputs", "interval"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_manifest_is_one_error_that_names_the_line_and_the_mend(case):
    text, part, said = BAD[case]
    error = refused(text)
    assert said in error.what
    assert error.where == f"m.yaml:{line_of(text, part)}"
    assert error.next and "\n" not in error.what and "pydantic" not in str(error).lower()


def test_a_misspelt_key_is_answered_with_the_one_that_was_meant():
    assert "datasets" in refused(GOOD.replace("datasets:", "dataset:")).next
    assert "`study`" in refused(GOOD.replace("study:", "studdy:")).next


def test_a_missing_pin_is_answered_with_what_to_add():
    assert "SHA-256" in refused(BAD["URL without sha256"][0]).what
    assert "40 hex" in refused(BAD["hub model without revision"][0]).what
    assert "replay, record or live" in refused(BAD["API model without a tape"][0]).next


def test_further_errors_are_counted_and_the_first_line_is_told():
    error = refused(GOOD.replace("gpus: 0", "gpus: x") + "a: 1\nb: 2\n")
    assert "(and 2 more)" in error.what
    assert error.where == f"m.yaml:{line_of(GOOD, 'gpus')}"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "[]", "text", "~"])
def test_a_manifest_is_a_map(text):
    assert "map of names" in refused(text).what


@pytest.mark.parametrize("text", ["0", "4GiB", "1.5GiB", "512 MiB"])
def test_amounts_are_read_as_a_person_reads_them(text):
    wanted = {"4GiB": 4 << 30, "1.5GiB": 3 << 29, "512 MiB": 512 << 20}
    if text in wanted:
        assert parse(changed("memory: 2GiB", f"memory: {text}")).resources.memory == text
        assert parse_amount(text, SIZES) == wanted[text]
    else:
        refused(changed("memory: 2GiB", f"memory: {text}"))
    assert (parse_amount("90s", TIMES), parse_amount("30m", TIMES), parse_amount("1.5h", TIMES)) == (90, 1800, 5400)


def test_a_manifest_of_a_project_is_named_by_its_bytes(tmp_path):
    (tmp_path / "lockfiles").mkdir()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    path = tmp_path / "deep" / "er" / "m.yaml"
    path.write_text(GOOD)
    loaded = load_manifest(path)
    assert (loaded.sha256, loaded.root, loaded.path) == (sha256(GOOD.encode()), tmp_path, path)
    assert project_root(path) == tmp_path


def test_a_manifest_outside_any_project_is_refused(tmp_path):
    (tmp_path / "m.yaml").write_text(GOOD)
    with pytest.raises(InputError, match="in no project") as error:
        load_manifest(tmp_path / "m.yaml")
    assert "harness init" in error.value.next


def test_no_path_or_link_leads_out_of_the_project(tmp_path):
    root = tmp_path / "project"
    (root / "data").mkdir(parents=True)
    (root / "data" / "file").write_text("x")
    (tmp_path / "outside").write_text("secret")
    (root / "way out").symlink_to(tmp_path)
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "fine").symlink_to(root / "data")
    assert (
        resolve_inside(root, "data/file", "m.yaml:1")
        == resolve_inside(root, "fine/file", "m.yaml:1")
        == root / "data" / "file"
    )
    for name in (
        "../outside",
        "data/../../outside",
        str(tmp_path / "outside"),
        "link",
        "way out/outside",
        "/etc/passwd",
    ):
        with pytest.raises(InputError, match="leaves the project") as error:
            resolve_inside(root, name, "m.yaml:7")
        assert error.value.where == "m.yaml:7"
    for name in ("nothing", "data", ""):
        with pytest.raises(InputError, match="no file"):
            resolve_inside(root, name, "m.yaml:7")


parts = st.sampled_from([*GOOD.splitlines(keepends=True), "sedes: [0]\n", "models: {a: 1}\n", "outputs: {a: exact}\n"])
values = st.recursive(
    st.sampled_from(["1", "exact", "hf:x", "https://x.org", "make", "", "a.b", "é", "0" * 64]) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["provider", "make", "fetch", "within", "interval", "set", "of", "x", "splits", "budget"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@examples(0.5)
@given(st.lists(parts, max_size=14).map("".join) | st.text(max_size=100))
def test_no_text_raises_anything_but_an_error_in_our_words(text):
    try:
        parse_manifest(text.encode("utf-8", "replace"), "m.yaml")
    except HarnessError as bad:
        assert bad.what and bad.next and bad.where.startswith("m.yaml")


@given(st.sampled_from(["models", "datasets", "prompts", "outputs", "agents", "claims", "seeds", "generation"]), values)
def test_no_value_of_a_field_raises_anything_but_an_error_in_our_words(field, value):
    import yaml

    kept = [line for line in GOOD.splitlines(keepends=True) if not line.startswith((" ", field))]
    kept = [line for line in kept if line.rstrip() not in ("models:", "datasets:")]
    given_ = {**({} if field == "datasets" else {"datasets": {"d": {"make": "a.b"}}}), field: value}
    text = "".join(kept) + yaml.safe_dump(given_, allow_unicode=True)
    try:
        manifest = parse(text)
        assert encode_document({"type": "manifest/1", **manifest.intent()})
    except HarnessError as bad:
        assert bad.what
