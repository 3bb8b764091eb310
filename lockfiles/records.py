"""Writes lockfiles/records.json: what each locked wheel brings, by the digest of its RECORD.

Give the folders in which wheels lie, or packages that were installed with every hash held:
python lockfiles/records.py FOLDER [FOLDER...]
"""

import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness.run.installed.checked import (  # noqa: E402
    RECORDS,
    UNPINNED,
    merge_records,
    read_locks,
    read_records,
    spell_records,
    wheel_record_digest,
)
from harness.run.installed.packages import installed_packages, normal_name, record_digest  # noqa: E402


def found(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Give what the wheels and the packages of a folder bring."""
    tables = []
    for wheel in sorted(folder.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        with zipfile.ZipFile(wheel) as inside:
            [record] = [one for one in inside.namelist() if one.endswith(".dist-info/RECORD") and one.count("/") == 1]
            tables.append({normal_name(name): {version: [wheel_record_digest(inside.read(record))]}})
    for package in installed_packages(folder):
        tables.append({normal_name(package.name): {package.version: [record_digest(package.lines)]}})
    return merge_records(tables)


def main(folders: list[str]) -> None:
    """Keep of the table what is still locked, and add what was found."""
    pinned = read_locks(HERE).versions
    table = merge_records([read_records(HERE / RECORDS), *(found(Path(folder)) for folder in folders)])
    kept = {
        name: {version: one for version, one in versions.items() if version in pinned.get(name, ())}
        for name, versions in table.items()
        if name not in UNPINNED
    }
    (HERE / RECORDS).write_bytes(spell_records({name: one for name, one in kept.items() if one}))
    lacking = sorted(set(pinned) - {name for name, one in kept.items() if one})
    print(
        f"{len(pinned) - len(lacking)} of {len(pinned)} locked packages; not among them: {', '.join(lacking) or 'none'}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
