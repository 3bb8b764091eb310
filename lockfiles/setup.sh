#!/bin/sh
# Makes .venv from the lock files, every file held against its hash. Exit 3: the machine lacks something.
# It takes the newest Python here for which every package is locked, or the one that PYTHON names; `--which` says which.
# CORE=1 leaves out torch and what the studies need, 2 GB: the core runs, audits and scores what needs none of it.
set -eu
cd "$(dirname "$0")/.."

missing() {
    printf 'error: %s\n  next:  %s\n' "$1" "$2" >&2
    exit 3
}

pythons=$(sed -n 's/^pythons = \[\(.*\)\].*/\1/p' pyproject.toml | tr -d '",')
tried=" $(sed -n 's/.*"Programming Language :: Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml | tr '\n' ' ')"
oldest=${pythons%% *}
# One version of each package for all Pythons: what an image holds of the oldest, the others have in a lock of their own.
lock_of() { if [ "$1" = "$oldest" ]; then echo lockfiles/image-cpu.txt; else echo "lockfiles/local-$1.txt"; fi; }
whole() { grep -q '^torch==' "$(lock_of "$1")" 2>/dev/null; }

look() { # look PYTHON: its version and, behind a bar, why it is not to be had
    "$1" - $pythons 2>/dev/null <<'PY' || true
import platform, sys, sysconfig
kind, version = platform.python_implementation(), platform.python_version()
minor = ".".join(version.split(".")[:2])
why = ""
if kind != "CPython":
    why = "it is no CPython"
elif sysconfig.get_config_var("Py_GIL_DISABLED"):
    why = "it is a free-threaded build"
elif minor not in sys.argv[1:]:
    why = "packages are locked for " + ", ".join(sys.argv[1:])
elif not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"):
    why = "packages are locked for Linux on x86-64 and aarch64"
elif "musl" in (sysconfig.get_config_var("SOABI") or ""):
    why = "its C library is musl, and packages are locked for glibc"
print("%s %s|%s" % (kind, version, why))
PY
}

# The newest for which every package is locked, else the newest for which all but torch are; what was tried comes first.
order=
for known in yes no; do
    for complete in yes no; do
        for minor in $pythons; do
            case $tried in *" $minor "*) was=yes ;; *) was=no ;; esac
            if whole "$minor"; then has=yes; else has=no; fi
            [ "$was $has" = "$known $complete" ] && group="$minor ${group:-}"
        done
        order="$order ${group:-}" group=
    done
done
python='' refused=''
take() { # take CANDIDATE MINOR: whether it is one of that version
    command -v "$1" >/dev/null 2>&1 || return 1
    found=$(look "$1")
    why=${found#*|} found=${found%%|*}
    [ -n "$found" ] || found="no Python that starts" why="it said nothing"
    if [ -n "$why" ]; then
        case $refused in *"$1 is $found"*) ;; *) refused="$refused${refused:+; }$1 is $found: $why" ;; esac
        return 1
    fi
    case "$found" in "CPython $2."*) python=$1 ;; *) return 1 ;; esac
}
for minor in $order; do
    for candidate in ${PYTHON:-python$minor python3}; do
        if take "$candidate" "$minor"; then break 2; fi
    done
done
[ -n "$python" ] || missing "no Python was found for which packages are locked (${refused:-there is no ${PYTHON:-python3}})" \
    "apt-get install python3 python3-venv, or name one of $pythons with PYTHON=/path/to/python3"
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing "$python cannot make a virtual environment" \
    "apt-get install python$minor-venv"

if whole "$minor"; then why="the newest here for which every package is locked"
else why="of the Pythons for which torch is locked, too, none is here: models of weights will not run"; fi
if [ -n "${PYTHON:-}" ]; then
    why="as PYTHON says"
    whole "$minor" || why="$why; torch is not locked for it: models of weights will not run"
fi
case $tried in *" $minor "*) ;; *) why="$why; nothing was tried with $minor yet" ;; esac
echo "making .venv with $("$python" --version) ($python): $why" >&2
[ "${1:-}" != --which ] || exit 0
echo "packages are fetched, which takes minutes; about $([ -n "${CORE:-}" ] && echo 1 || echo 3) GB unpacked" >&2
rm -rf .venv
"$python" -m venv .venv

# Packages take minutes in which pip is silent or floods; a line every few seconds says instead how far it is.
EVERY=${EVERY:-10}
exec 4>&2  # where pip's errors go
teller=
hush() { [ -z "$teller" ] || kill "$teller" 2>/dev/null || true; teller=; }
trap hush EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
speak() { # speak WHAT: until hushed
    (
        seconds=0
        while sleep "$EVERY" >/dev/null 2>&1; do
            seconds=$((seconds + EVERY))
            kill -0 $$ 2>/dev/null || exit 0
            now=$(tail -n 1 .venv/pip.log 2>/dev/null | sed 's/^ *//; s/ (from .*//' | cut -c 1-60)
            echo "  $1, $seconds s: $(du -sm .venv | cut -f 1) MB in .venv${now:+; $now}" >&2
        done
    ) &
    teller=$!
}
with_hashes() {
    speak "packages"
    code=0
    .venv/bin/python -m pip install --progress-bar off --disable-pip-version-check --no-compile --no-deps --require-hashes "$@" \
        >.venv/pip.log 2>&4 || code=$?
    hush
    return $code
}
unfetched() {
    missing "the packages could not be fetched or are not those that are locked; pip says why above" \
        "check the network, the disk and pip's index (pip config list), then run it again"
}
with_hashes -r lockfiles/requirements.txt || unfetched
lock=$(lock_of "$minor")
if [ -n "${CORE:-}" ]; then
    echo "as CORE says, the core alone" >&2
elif [ "$(uname -m)" = x86_64 ]; then
    echo "adding what the studies and local models need" >&2
    # The CPU build of torch is on no index but its own; a pip that is told where else to look may have it nearer.
    if grep '^torch==' "$lock" >.venv/torch.txt; then
        with_hashes -r .venv/torch.txt 4>.venv/torch.log ||
            with_hashes --extra-index-url https://download.pytorch.org/whl/cpu -r .venv/torch.txt ||
            { cat .venv/torch.log >&2; unfetched; }
    fi
    # Wheels of packages that are published as source archives alone are laid out here, by what pip has brought so far.
    .venv/bin/python -B -m harness.images.layers.sdist_wheel "$lock" .venv/laid-out >/dev/null || exit $?
    grep -v '^torch==' "$lock" >.venv/others.txt
    with_hashes --find-links .venv/laid-out -r .venv/others.txt || unfetched
else
    echo "on $(uname -m) the core alone is locked, and nothing was tried with it yet" >&2
fi
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
echo "making the bytecode that steps load, and reading every installed file once" >&2
rm -f .venv/pip.log
speak "bytecode"
.venv/bin/python -m compileall -q harness tools # or each command compiles them again where Python may write none
.venv/bin/python -m harness.run.installed.setup
.venv/bin/python -V >.venv/ready # of another Python, it is made anew
hush
echo "ready: \`. .venv/bin/activate\` gives the command harness; a first run: harness run manifests/demo/addition.yaml" >&2
