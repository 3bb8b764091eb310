#!/bin/sh
# Resolves the one lock for core and development anew: every supported Python, every file with its hash.
set -eu
cd "$(dirname "$0")/.."
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
python3 -m venv "$tool"
"$tool/bin/python" -m pip install --quiet --disable-pip-version-check uv
"$tool/bin/uv" pip compile pyproject.toml --extra dev --extra containers --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --custom-compile-command "make relock" --quiet "$@" -o lockfiles/requirements.txt
