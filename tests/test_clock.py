"""Time stamps: of one form, so that they compare as texts, and names that no two things share."""

import re

from harness.clock import current_time, time_after, unique_stamp


def test_a_stamp_after_another_has_its_form_and_compares_as_text():
    assert time_after("2026-05-01T23:59:59.250Z", 1) == "2026-05-02T00:00:00.250Z"
    first = current_time()
    assert len(time_after(first, 60)) == len(first) and time_after(first, -1) < first < time_after(first, 1)


def test_a_name_has_the_second_and_as_many_random_bytes_as_are_asked_for():
    assert re.fullmatch(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}", unique_stamp())
    names = {unique_stamp(16) for _ in range(100)}
    assert len(names) == 100 and all(re.fullmatch(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{32}", name) for name in names)
