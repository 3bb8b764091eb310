"""The prompts around a question: our own words, and the published ones, which are known by their digests alone."""

import pytest

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.biomed.data import prompts
from harness.studies.biomed.data.prompts import SYSTEM, read_config
from harness.studies.biomed.terms import PROMPT_SHA256

TEXTS = {"system_prompt": "Persona.", "bioscore_system_prompt": "Other.", "bioscore_grading_prompt": "{question} ü"}
CONFIG = "paths: {results: out}\nprompts:\n  a: |\n    Persona.\n\n  deep: [{b: Other.}]\n  c: '{question} ü  '\n"


@pytest.fixture
def published(monkeypatch, tmp_path):
    """Lay down a settings file of our own as if it were the published one."""
    digests = {name: sha256(text.encode()) for name, text in TEXTS.items()}
    monkeypatch.setattr(prompts, "PROMPT_SHA256", digests)
    monkeypatch.setattr(prompts, "CONFIG_SHA256", sha256(CONFIG.encode()))
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_the_published_prompts_are_found_by_digest_without_end_blanks(published):
    found = read_config(published)
    assert (found.system, found.grading) == ("Persona.", "{question} ü")


def test_another_file_is_refused_with_both_digests(published):
    wanted = sha256(published.read_bytes())
    published.write_text(CONFIG + "# more\n", encoding="utf-8")
    with pytest.raises(InputError) as bad:
        read_config(published)
    assert wanted in bad.value.what
    assert sha256(published.read_bytes()) in bad.value.what


def test_a_file_that_lacks_a_prompt_is_refused_by_its_name(published, monkeypatch):
    monkeypatch.setattr(prompts, "PROMPT_SHA256", {**PROMPT_SHA256, "system_prompt": "0" * 64})
    with pytest.raises(InputError, match="`system_prompt`"):
        read_config(published)


def test_a_file_of_any_size_is_refused_before_it_is_parsed(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(b"[" * 5_000_000)
    with pytest.raises(InputError, match="not the published file"):
        read_config(path)


def test_our_own_words_are_none_of_the_published_ones():
    assert sha256(SYSTEM.encode()) not in PROMPT_SHA256.values()
    assert "do not know" in SYSTEM
