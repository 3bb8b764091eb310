"""A small good manifest, and the ways a text is read: as a manifest, or as one error that says the mend."""

from __future__ import annotations

import pytest
from support import manifest_text

from harness.errors import InputError
from harness.manifest.load import parse_manifest
from harness.manifest.schema import Manifest

GOOD = manifest_text()


def parse(text: str) -> Manifest:
    """Read a text as a manifest."""
    return parse_manifest(text.encode(), "m.yaml")[0]


def refused(text: str) -> InputError:
    """Give the one error that a text is; it says what to do next."""
    with pytest.raises(InputError) as error:
        parse(text)
    assert error.value.next
    return error.value
