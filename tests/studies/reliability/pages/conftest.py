"""What the tests of figures, cards and the page share: one run's figures, drawn once for all workers."""

import pytest
import support_reliability_documents as made
from support_ground import copy_of

from harness.studies.reliability.pages import figures


@pytest.fixture(scope="session")
def ten(tmp_path_factory):
    """Give the folder of every figure of ten models on five benchmarks; nobody writes into it."""

    def draw(folder):
        given = made.laid(tmp_path_factory.mktemp("given"), made.documents(made.TEN))
        figures.draw({"models": made.TEN}, given, made.empty(folder))

    return copy_of("reliability-figures-of-ten", tmp_path_factory.mktemp("ten") / "out", draw)
