"""`-m NAME=PROVIDER/MODEL` is a model as a manifest would have it, or one error that says how to write it."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.manifest.models import read_model
from harness.run.planning.derived import read_model_option

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("openai/gpt-4o-mini", "gpt-4o-mini", {"model": "gpt-4o-mini", "tape": "record"}),
        ("mine=openai/ft:gpt-4o:org::x", "mine", {"model": "ft:gpt-4o:org::x", "tape": "record"}),
        ("anthropic/claude-x", "claude-x", {"model": "claude-x", "tape": "record"}),
        ("o=baseline/oracle", "o", {"behaviour": "oracle"}),
        ("transformers/assets/Tiny_Raw", "tiny_raw", {"source": "assets/Tiny_Raw"}),
        (f"transformers/hf:org/Model-7B@{COMMIT}", "model-7b", {"source": "hf:org/Model-7B", "revision": COMMIT}),
        ("transformers/folder:my model", "folder-my-model", {"source": "folder:my model"}),
        ("old=imported/data/answers.jsonl", "old", {"source": "data/answers.jsonl"}),
    ],
)
def test_a_line_names_a_model_of_each_provider(text, name, said):
    option = read_model_option(text)
    provider = text.rpartition("=")[2].partition("/")[0]
    assert option.name == name and option.said == {"provider": provider, **said}
    assert read_model(option.said).provider == provider
    assert read_model_option(option.text.removeprefix("-m ")) == option, "the option as it is written means the same"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "names no model"), ("oracle", "names no model"), ("baseline/", "names no model"),
        ("=/x", "names no model"),
        ("opena/x", "no provider 'opena'"), ("A B=baseline/oracle", "a name"), ("openai/ß", "a name"),
        ("agent/x", "more than a line"), ("../baseline/oracle", "no provider '..'"),
    ],
)  # fmt: skip
def test_what_names_no_model_is_refused_with_the_option(text, what):
    with pytest.raises(InputError, match=what) as error:
        read_model_option(text)
    assert error.value.where == f"-m {text}" and error.value.next
