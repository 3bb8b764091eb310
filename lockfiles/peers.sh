#!/bin/sh
# Makes .bench/peers: the packages of lockfiles/peers.txt, beside those of .venv, which it reads and never changes.
set -eu
cd "$(dirname "$0")/.."
[ ! .bench/peers/ready -nt lockfiles/peers.txt ] || exit 0
echo "making .bench/peers: other people's software, fetched from where pip looks" >&2
rm -rf .bench/peers
.venv/bin/python -m venv .bench/peers
site=$(.bench/peers/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$site/beside.pth"
.bench/peers/bin/python -m pip install --quiet --disable-pip-version-check -r lockfiles/peers.txt
touch .bench/peers/ready
