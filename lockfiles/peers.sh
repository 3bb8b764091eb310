#!/bin/sh
# Makes .bench/peers: the packages of lockfiles/peers.txt, beside those of .venv, which it reads and never changes; and
# in its folder npm, where there is an npm, those of lockfiles/peers-npm.txt, of which no install script is run.
set -eu
cd "$(dirname "$0")/.."
if [ ! .bench/peers/ready -nt lockfiles/peers.txt ]; then
    echo "making .bench/peers: other people's software, fetched from where pip looks" >&2
    rm -rf .bench/peers
    .venv/bin/python -m venv .bench/peers
    site=$(.bench/peers/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    .venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$site/beside.pth"
    .bench/peers/bin/python -m pip install --quiet --disable-pip-version-check -r lockfiles/peers.txt
    touch .bench/peers/ready
fi
if [ ! .bench/peers/npm/ready -nt lockfiles/peers-npm.txt ] && command -v npm >/dev/null; then
    rm -rf .bench/peers/npm
    mkdir -p .bench/peers/npm
    case $(uname -m) in aarch64 | arm64) kind=arm64 ;; *) kind=x64 ;; esac
    packages=$(grep -v '^#' lockfiles/peers-npm.txt | sed "s/ARCH/$kind/")
    # shellcheck disable=SC2086 # a name a word
    npm install --prefix .bench/peers/npm --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error $packages
    touch .bench/peers/npm/ready
fi
