"""Many small cases of one test as one case of pytest, whose own work on a case takes longer than each of them.

`@each_of(...)` stands where `@pytest.mark.parametrize(...)` would, above a test that needs no folder of its own. The
first case that fails is named; a test whose cases cost more, or are to be drawn, stays parametrised.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Test = Callable[..., None]


def each_of(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test with every case, as parametrising does: of one name a case is the value, of several a row of them."""
    asked = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    given = [(case,) if len(asked) == 1 and isinstance(names, str) else tuple(case) for case in cases]
    if not given:
        raise ValueError(f"there is no case of {', '.join(asked)}: a test of nothing cannot fail")

    def decorate(test: Test) -> Test:
        wanted = inspect.signature(test)

        @functools.wraps(test)
        def whole(**others: Any) -> None:
            for number, values in enumerate(given):
                case = dict(zip(asked, values, strict=True))
                try:
                    test(**case, **others)
                except BaseException as bad:
                    shown = ", ".join(f"{name}={value!r:.300}" for name, value in case.items())
                    bad.add_note(f"case {number} of {len(given)}: {shown}")
                    raise

        left = [each for name, each in wanted.parameters.items() if name not in asked]
        whole.__signature__ = wanted.replace(parameters=left)  # type: ignore[attr-defined]  # what pytest reads
        del whole.__wrapped__  # or it would read the test's own
        return whole

    return decorate
