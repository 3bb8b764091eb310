#!/bin/sh
# Resolves the Python locks anew: requirements.txt for core and development (every file with its hash), then one lock an
# image (CPython 3.11 on manylinux x86-64: one wheel a line, with its one hash), and last records.json: what each locked
# wheel brings, so that an installed RECORD that somebody edited is known.
#
# What is locked keeps its version, where what is asked allows that; `sh lockfiles/relock.sh --upgrade` moves everything.
#
# The CPU build of torch is not on PyPI. Its wheel is taken from where pip is told to look (PIP_FIND_LINKS, say), else
# from https://download.pytorch.org/whl/cpu: the same file, held by the same hash.
# rouge-score has an sdist only; a wheel built here would not be the wheel built there, so no image holds it.
set -eu
cd "$(dirname "$0")/.."
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
python3 -m venv "$tool"
"$tool/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$tool/bin/uv" pip compile pyproject.toml --extra dev --extra containers --extra gateway --extra tools --universal \
    --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make relock" --quiet "$@" \
    -o lockfiles/requirements.txt

torch=$(sed -n 's/^ *"torch==\([0-9.]*\)".*/\1/p' pyproject.toml)
fetch() { "$tool/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$tool/torch" "$@"; }
fetch "torch==$torch+cpu" 2>/dev/null || fetch --extra-index-url https://download.pytorch.org/whl/cpu "torch==$torch+cpu"

upgrade=$*
# image NAME CONSTRAINTS INPUT [OPTION...]: writes lockfiles/image-NAME.txt
image() {
    name=$1 constraints=$2 input=$3
    shift 3
    set -- "$input" "$@" --python-version 3.11 --python-platform x86_64-manylinux_2_36 \
        --only-binary :all: --no-binary rouge-score --constraint "$constraints" --quiet
    # First in the form whose old versions uv prefers, then, bound to what that gave, in the form that lists the wheels.
    sed 's/ --hash=.*//' "lockfiles/image-$name.txt" >"$tool/held.$name.txt" 2>/dev/null || true
    "$tool/bin/uv" pip compile "$@" $upgrade -o "$tool/held.$name.txt" >/dev/null
    "$tool/bin/uv" pip compile "$@" --constraint "$tool/held.$name.txt" \
        --format pylock.toml -o "$tool/pylock.$name.toml" >/dev/null
    "$tool/bin/python" - "$tool/pylock.$name.toml" >"$tool/lock" <<'PY'
import pathlib, sys, tomllib, urllib.parse
from pip._vendor.packaging import tags, utils

platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)]
platforms += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]
known = [*tags.cpython_tags((3, 11), platforms=platforms), *tags.compatible_tags((3, 11), "cp311", platforms)]
rank = {tag: number for number, tag in enumerate(known)}
print("# Written by lockfiles/relock.sh: wheels for CPython 3.11 on manylinux x86-64.")
for package in tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["packages"]:
    if package["name"] == "rouge-score":
        continue
    fitting = []
    for wheel in package.get("wheels", []):
        name = urllib.parse.unquote(wheel["url"].rpartition("/")[2])
        ranks = [rank[tag] for tag in utils.parse_wheel_filename(name)[3] if tag in rank]
        fitting += [(min(ranks), name, wheel["hashes"]["sha256"])] if ranks else []
    if not fitting:
        sys.exit(f"error: {package['name']} {package['version']} has no wheel for CPython 3.11 on manylinux x86-64")
    print(f"{package['name']}=={package['version']} --hash=sha256:{min(fitting)[2]}")
PY
    cp "$tool/lock" "lockfiles/image-$name.txt"
}

extras="--extra local --extra api --extra science --extra brain"
cp lockfiles/requirements.txt "$tool/cpu.txt"
echo "torch==$torch+cpu" >>"$tool/cpu.txt"
image cpu "$tool/cpu.txt" pyproject.toml $extras --find-links "$tool/torch"
grep -v '^torch==' lockfiles/image-cpu.txt >"$tool/cuda.txt"
image cuda "$tool/cuda.txt" pyproject.toml $extras
printf 'numpy\nrfc8785\nscipy\n' >"$tool/sandbox.in"
image sandbox lockfiles/image-cpu.txt "$tool/sandbox.in"

# wheels LOCK: fetches the wheels that a lock names, each held against its hash
platforms=$(for minor in $(seq 36 -1 5); do printf ' --platform manylinux_2_%s_x86_64' "$minor"; done)
wheels() {
    "$tool/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary :all: --implementation cp --python-version 3.11 $platforms \
        --platform manylinux2014_x86_64 --platform manylinux2010_x86_64 --platform manylinux1_x86_64 \
        --find-links "$tool/torch" --dest "$tool/wheels" -r "$1"
}
for lock in requirements image-cpu; do wheels "lockfiles/$lock.txt"; done
python3 lockfiles/records.py "$tool/wheels"
