"""What the tests of figures and page share: one run's documents, figures and page, made once."""

import copy

import pytest
from studies.curie.pages import made_run
from studies.curie.pages.page_text import read

from harness.studies.curie.pages import report


@pytest.fixture(scope="session")
def curie_documents(tmp_path_factory):
    """Give the documents of a made-up run of all tasks; nobody changes them."""
    return made_run.documents(tmp_path_factory.mktemp("curie"))


@pytest.fixture(scope="session")
def curie_figures(tmp_path_factory, curie_documents):
    """Give the files of the figures of these documents, by name."""
    return made_run.drawn(tmp_path_factory.mktemp("curie-figures"), curie_documents)


@pytest.fixture(scope="session")
def whole(tmp_path_factory, curie_documents, curie_figures):
    """Give the page of the whole run, and as read."""
    html = made_run.written(tmp_path_factory.mktemp("whole"), curie_documents, curie_figures)
    return html, read(html)


@pytest.fixture
def page(tmp_path, curie_documents):
    """Write a page from some documents of the run, changed; gives it as read."""

    def write(change=None, names=report.DOCUMENTS, **asked):
        given = copy.deepcopy({name: curie_documents[name] for name in names})
        if change:
            change(given)
        return read(made_run.written(tmp_path, given, **asked))

    return write
