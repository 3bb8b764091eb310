#!/bin/sh
# Resolves the Python locks anew: requirements.txt for core and development (every file with its hash, for every Python),
# then one lock an image (CPython 3.11 on manylinux x86-64: one wheel a line, with its one hash), local-3.N.txt with the
# same versions for each other Python that `make setup` takes, and last records.json: what each locked wheel brings, so
# that an installed RECORD that somebody edited is known.
#
# What is locked keeps its version, where what is asked allows that; `sh lockfiles/relock.sh --upgrade` moves everything.
#
# The CPU build of torch is not on PyPI. Its wheel is taken from where pip is told to look (PIP_FIND_LINKS, say), else
# from https://download.pytorch.org/whl/cpu: the same file, held by the same hash. For another Python than 3.11 it is
# locked where it is to be had when this runs; where it is not, what was locked before stays.
# What $sdists names is published as a source archive alone: sdists.txt pins that, and the locks the wheel that is laid
# out of it here, the same bytes everywhere (harness/images/layers/sdist_wheel.py).
set -eu
cd "$(dirname "$0")/.."
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
python3 -m venv "$tool"
"$tool/bin/python" -m pip install --quiet --disable-pip-version-check uv
pythons=$(sed -n 's/^pythons = \[\(.*\)\].*/\1/p' pyproject.toml | tr -d '",')
oldest=${pythons%% *} newer=${pythons#* }
sdists=rouge-score
from_source=$(printf ' --no-binary %s' $sdists)

# One version of a package for all: what an image holds bounds what the core and development take.
sed 's/ --hash=.*//' lockfiles/image-cpu.txt | grep -v '^torch==' >"$tool/all.txt"
case " $* " in *" --upgrade "*) : >"$tool/all.txt" ;; esac
"$tool/bin/uv" pip compile pyproject.toml --extra dev --extra containers --extra gateway --extra tools --extra scale --extra view --universal \
    --constraint "$tool/all.txt" --python-version "$oldest" --generate-hashes --no-emit-index-url --custom-compile-command "make relock" --quiet "$@" \
    -o lockfiles/requirements.txt
sed -i "s|-c $tool/all.txt|-c what images hold|" lockfiles/requirements.txt

torch=$(sed -n 's/^ *"torch==\([0-9.]*\)".*/\1/p' pyproject.toml)
fetch() { "$tool/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$tool/torch" "$@"; }
fetch "torch==$torch+cpu" 2>/dev/null || fetch --extra-index-url https://download.pytorch.org/whl/cpu "torch==$torch+cpu"

upgrade=$*
# lay_out PYLOCK: pins in sdists.txt what a lock takes from source, and makes the wheels of it
lay_out() {
    "$tool/bin/python" - "$1" $sdists >"$tool/sdists.txt" <<'PY'
import pathlib, sys, tomllib
print("# Written by lockfiles/relock.sh: source archives of which wheels are laid out here, as the other locks pin them.")
for package in tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["packages"]:
    if package["name"] in sys.argv[2:]:
        print(f"{package['name']}=={package['version']} --hash=sha256:{package['sdist']['hashes']['sha256']}")
PY
    "$tool/bin/python" -B -m harness.images.layers.sdist_wheel "$tool/sdists.txt" "$tool/laid-out" >"$tool/laid-out.txt"
    cp "$tool/sdists.txt" lockfiles/sdists.txt
}
# choose PYLOCK PYTHON: prints of each package the wheel that fits best
choose() {
    "$tool/bin/python" - "$@" "$tool/laid-out.txt" <<'PY'
import pathlib, sys, tomllib, urllib.parse
from pip._vendor.packaging import tags, utils

version = tuple(map(int, sys.argv[2].split(".")))
platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)]
platforms += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]
cpython = "cp" + "".join(map(str, version))
known = [*tags.cpython_tags(version, platforms=platforms), *tags.compatible_tags(version, cpython, platforms)]
rank = {tag: number for number, tag in enumerate(known)}
laid_out = pathlib.Path(sys.argv[3]).read_text().splitlines()
fits = f"CPython {sys.argv[2]} on manylinux x86-64"
print(f"# Written by lockfiles/relock.sh: wheels for {fits}.")
for package in tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["packages"]:
    line = f"{package['name']}=={package['version']} --hash=sha256:"
    if own := [one for one in laid_out if one.startswith(line)]:
        print(*own)
        continue
    fitting = []
    for wheel in package.get("wheels", []):
        name = urllib.parse.unquote(wheel["url"].rpartition("/")[2])
        ranks = [rank[tag] for tag in utils.parse_wheel_filename(name)[3] if tag in rank]
        fitting += [(min(ranks), name, wheel["hashes"]["sha256"])] if ranks else []
    if not fitting:
        sys.exit(f"error: {package['name']} {package['version']} has no wheel for {fits}")
    print(f"{line}{min(fitting)[2]}")
PY
}
# image NAME CONSTRAINTS INPUT [OPTION...]: writes lockfiles/image-NAME.txt
image() {
    name=$1 constraints=$2 input=$3
    shift 3
    set -- "$input" "$@" --python-version "$oldest" --python-platform x86_64-manylinux_2_36 \
        --only-binary :all: $from_source --constraint "$constraints" --quiet
    # First in the form whose old versions uv prefers, then, bound to what that gave, in the form that lists the wheels.
    sed 's/ --hash=.*//' "lockfiles/image-$name.txt" >"$tool/held.$name.txt" 2>/dev/null || true
    "$tool/bin/uv" pip compile "$@" $upgrade -o "$tool/held.$name.txt" >/dev/null
    "$tool/bin/uv" pip compile "$@" --constraint "$tool/held.$name.txt" \
        --format pylock.toml -o "$tool/pylock.$name.toml" >/dev/null
    [ "$name" != cpu ] || lay_out "$tool/pylock.$name.toml"
    choose "$tool/pylock.$name.toml" "$oldest" >"$tool/lock"
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

# What images hold, in the same versions for each other Python; torch where its build for the CPU is to be had.
grep -v '^torch==' lockfiles/image-cpu.txt | sed 's/ --hash=.*//' >"$tool/same.txt"
for python in $newer; do
    local=lockfiles/local-$python.txt
    grep '^torch==' "$local" >"$tool/torch.before" 2>/dev/null || true
    "$tool/bin/uv" pip compile "$tool/same.txt" --no-deps --python-version "$python" --only-binary :all: $from_source --quiet \
        --python-platform x86_64-manylinux_2_36 --format pylock.toml -o "$tool/pylock.local${python#*.}.toml" >/dev/null
    choose "$tool/pylock.local${python#*.}.toml" "$python" >"$tool/lock"
    mkdir -p "$tool/torch-$python"
    for index in "" "--extra-index-url https://download.pytorch.org/whl/cpu"; do
        "$tool/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --retries 0 \
            --python-version "$python" --dest "$tool/torch-$python" $index "torch==$torch+cpu" 2>/dev/null && break
    done
    for wheel in "$tool/torch-$python"/*.whl; do
        [ -f "$wheel" ] || continue
        echo "torch==$torch+cpu --hash=sha256:$(sha256sum "$wheel" | cut -d ' ' -f 1)" >"$tool/torch.before"
    done
    cat "$tool/torch.before" >>"$tool/lock"
    { head -n 1 "$tool/lock"; tail -n +2 "$tool/lock" | LC_ALL=C sort; } >"$local"
done

# wheels LOCK PYTHON: fetches the wheels that a lock names, each held against its hash
platforms=$(for minor in $(seq 36 -1 5); do printf ' --platform manylinux_2_%s_x86_64' "$minor"; done)
wheels() {
    "$tool/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary :all: --implementation cp --python-version "$2" $platforms \
        --platform manylinux2014_x86_64 --platform manylinux2010_x86_64 --platform manylinux1_x86_64 \
        --find-links "$tool/torch" --find-links "$tool/laid-out" --dest "$tool/wheels" -r "$1"
}
for python in $pythons; do
    if [ "$python" = "$oldest" ]; then lock=image-cpu; else lock=local-$python; fi
    for one in requirements "$lock"; do wheels "lockfiles/$one.txt" "$python"; done
done
python3 lockfiles/records.py "$tool/wheels"
