"""The published prompts: the right file or none, one place for a text, and no other change to a word."""

import pytest
from support_curie_records import PROMPTS

from harness.digest import sha256
from harness.errors import InputError
from harness.studies.curie.data.makers import MAKERS
from harness.studies.curie.data.prompt_files import (
    WORDINGS,
    assemble,
    checked_template,
    choose_wording,
    one_place,
    paper_first,
    read_template,
)
from harness.studies.curie.data.shown import choose_shown
from harness.studies.curie.tasks import PROMPT_SHA256, TASKS


def test_a_prompt_is_stripped_filled_and_otherwise_left_as_it_is():
    written = " \n{{frame}} \\n a \\\nLine: {{text}} {{text}}\n\n"
    assert assemble(written, " {{text}} \n") == "{{frame}} \\n a \\\nLine:  {{text}} \n  {{text}} \n"


@pytest.mark.parametrize("template", ["no place", "{{text}} and {{text}}", "{ {text} }"])
def test_a_prompt_without_exactly_one_place_is_refused(template):
    with pytest.raises(InputError, match="places"):
        one_place(template, "x.txt")


def test_another_file_is_refused_with_both_digests():
    with pytest.raises(InputError) as bad:
        checked_template("hfe", b"{{text}}", "x.txt")
    assert sha256(b"{{text}}") in bad.value.what
    assert PROMPT_SHA256["extract_hamiltonian_0_shot"] in bad.value.what


def test_a_prompt_that_is_not_there_or_there_twice_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"{{text}}")
    for paths in ((), ("other.txt",), ("a/extract_hamiltonian_0_shot.txt", "b/extract_hamiltonian_0_shot.txt")):
        with pytest.raises(InputError, match=r"extract_hamiltonian_0_shot\.txt is here [02] times"):
            read_template("hfe", dict.fromkeys(paths, tmp_path / "x"))


@pytest.mark.skipif(not PROMPTS.is_dir(), reason="the published prompts are not here")
@pytest.mark.parametrize("task", TASKS)
def test_the_published_prompt_of_each_task_is_known_and_has_one_place(task):
    files = {f"prompts/{path.name}": path for path in PROMPTS.iterdir()}
    text = read_template(task, files)
    assert sha256(text.encode()) == PROMPT_SHA256[TASKS[task].prompt]
    assert assemble(text, "PAPER").count("PAPER") == text.count("PAPER") + 1


@pytest.mark.skipif(not PROMPTS.is_dir(), reason="the published prompts are not here")
@pytest.mark.parametrize(("task", "wording"), [(task, wording) for task in WORDINGS for wording in WORDINGS[task]])
def test_the_other_published_wordings_are_known_and_have_one_place(task, wording):
    files = {f"prompts/{path.name}": path for path in PROMPTS.iterdir()}
    text = read_template(task, files, wording)
    assert text != read_template(task, files) and text.count("{{text}}") == 1
    assert choose_wording(task, wording) == wording


def test_a_paper_first_prompt_begins_with_the_structure_and_ends_with_what_is_asked():
    made = paper_first("Do this.\n* And that.\n\nbelow it stands:\n\n{{text}}\n")
    assert made == "PROTEIN TERTIARY STRUCTURE: {{text}}Do this.\n* And that.\nAMINO ACID SEQUENCE:"


def test_a_wording_or_a_choice_that_a_task_does_not_have_is_refused():
    for task, given in (("hfe", "two-shot"), ("mpv", "three-shot"), ("mpv", 2)):
        with pytest.raises(InputError):
            choose_wording(task, given)
    with pytest.raises(InputError):
        choose_shown("both")
    assert "wording" not in MAKERS["curie.archive_prompts_hfe"].optional
    assert "wording" not in MAKERS["curie.archive_mpv"].optional
    assert "shown" in MAKERS["curie.repository_biogr"].optional
