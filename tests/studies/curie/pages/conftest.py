"""What the tests of figures and page share: one run's documents and figures, made once."""

import pytest
from studies.curie.pages import made_run


@pytest.fixture(scope="session")
def curie_documents(tmp_path_factory):
    """Give the documents of a made-up run of all tasks; nobody changes them."""
    return made_run.documents(tmp_path_factory.mktemp("curie"))


@pytest.fixture(scope="session")
def curie_figures(tmp_path_factory, curie_documents):
    """Give the files of the figures of these documents, by name."""
    return made_run.drawn(tmp_path_factory.mktemp("curie-figures"), curie_documents)
