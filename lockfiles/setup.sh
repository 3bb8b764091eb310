#!/bin/sh
# Makes .venv from lockfiles/requirements.txt, every file held against its hash. Exit 3: the machine lacks something.
set -eu
cd "$(dirname "$0")/.."

fits() {
    "$1" - >/dev/null 2>&1 <<'PY'
import platform, sys
ok = platform.python_implementation() == "CPython" and sys.version_info[:2] == (3, 11)
sys.exit(not (ok and sys.platform == "linux" and platform.machine() == "x86_64"))
PY
}

missing() {
    printf 'error: %s\n  next:  %s\n' "$1" "$2" >&2
    exit 3
}

python=
for candidate in ${PYTHON:-python3.11 python3}; do
    if fits "$candidate"; then python=$candidate; break; fi
done
[ -n "$python" ] || missing "CPython 3.11 on Linux x86-64 is missing (python3 is $(python3 -V 2>&1))" \
    "apt-get install python3.11 python3.11-venv, or name another with PYTHON=/path/to/python3.11"
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing "$python cannot make a virtual environment" \
    "apt-get install python3.11-venv"

echo "making .venv with $("$python" --version): packages are fetched, which takes minutes; about 3 GB unpacked" >&2
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
    .venv/bin/python -m pip install --progress-bar off --disable-pip-version-check --no-deps --require-hashes "$@" \
        >.venv/pip.log 2>&4 || code=$?
    hush
    return $code
}
unfetched() {
    missing "the packages could not be fetched or are not those that are locked; pip says why above" \
        "check the network, the disk and pip's index (pip config list), then run it again"
}
with_hashes -r lockfiles/requirements.txt || unfetched
echo "adding what local models need (torch for the CPU, and the studies' packages)" >&2
# The CPU build of torch is on no index but its own; a pip that is told where else to look may have it nearer.
grep '^torch==' lockfiles/image-cpu.txt >.venv/torch.txt
grep -v '^torch==' lockfiles/image-cpu.txt >.venv/others.txt
with_hashes -r .venv/torch.txt 4>.venv/torch.log ||
    with_hashes --extra-index-url https://download.pytorch.org/whl/cpu -r .venv/torch.txt ||
    { cat .venv/torch.log >&2; unfetched; }
with_hashes -r .venv/others.txt || unfetched
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
echo "making the bytecode that steps load, and reading every installed file once" >&2
rm -f .venv/pip.log
speak "bytecode"
.venv/bin/python -m compileall -q harness tools # or each command compiles them again where Python may write none
.venv/bin/python -m harness.run.setup
touch .venv/ready
