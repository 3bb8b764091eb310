"""The parts of the short tests that workers take: every file is in one of them, in order, and none is much larger."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("xdist")


@pytest.mark.parametrize("parts", [1, 2, 3, 16])
def test_every_file_is_in_one_part_and_no_part_is_larger_by_more_than_a_file(parts: int, tmp_path: Path) -> None:
    from support_sharing import part_of

    sizes = [0, 700, 0, 5, 40_000, 1, 1, 9_000, 12_000, 0, 3, 30_000, 8_000, 0]
    files = [tmp_path / f"test_{place:02}.py" for place in range(len(sizes))]
    for file, size in zip(files, sizes, strict=True):
        file.write_bytes(b"x" * size)
    shared = [part_of(files, number, parts) for number in range(parts)]
    assert [file for part in shared for file in part] == files
    most = max(sum(file.stat().st_size for file in part) for part in shared)
    assert most <= sum(sizes) / parts + max(sizes)
    assert part_of([], 0, parts) == []


def test_a_byte_weighs_what_the_tests_of_its_folder_take(tmp_path: Path) -> None:
    from support_sharing import part_of

    files = [tmp_path / room / f"test_{place}.py" for room in ("run", "studies", "tools") for place in range(10)]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"x" * 100)
    first, second = part_of(files, 0, 2), part_of(files, 1, 2)
    assert len(first) == 22 and len(second) == 8  # 20 + 10 + 2 times 5, and 8 times 5
