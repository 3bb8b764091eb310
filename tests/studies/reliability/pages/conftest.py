"""What the tests of figures, cards and the page share: one run's figures, drawn once."""

import pytest
import support_reliability_documents as made

from harness.studies.reliability.pages import figures


@pytest.fixture(scope="session")
def ten(tmp_path_factory):
    """Give the folder of every figure of ten models on five benchmarks; nobody writes into it."""
    folder = tmp_path_factory.mktemp("ten")
    figures.draw({"models": made.TEN}, made.laid(folder / "in", made.documents(made.TEN)), made.empty(folder / "out"))
    return folder / "out"
