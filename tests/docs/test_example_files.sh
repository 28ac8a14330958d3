#!/usr/bin/env bash
# The files of examples/ are those that examples/make writes, and it sees one that is not.
set -euo pipefail
cd "${PLUMBLINE_SOURCE:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r examples "$work/"
echo " " >>"$work/examples/code/go-main.txt"
if "$work/examples/make" --check >/dev/null; then
  echo "examples/make --check does not see a changed file"
  exit 1
fi
examples/make --check
