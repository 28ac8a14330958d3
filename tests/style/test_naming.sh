#!/usr/bin/env bash
# Names in our headers follow .clang-tidy (readability-identifier-naming): one translation unit that includes them all is
# enough for that, and takes seconds; scripts/tidy runs every check over every file.
set -euo pipefail
cd "${PLUMBLINE_SOURCE:-$(dirname "$0")/../..}"
rooms=(base core machine net configs schemas verdict formats systems profiles registry reports intake verbs server cli)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { clang-tidy --quiet --checks='-*,readability-identifier-naming' --warnings-as-errors='*' "$1" -- -std=c++20 -I"$2" 2>/dev/null; }

# it can fail: a made-up header with a wrong name is found
mkdir -p "$work/made-up/core"
cp .clang-tidy "$work/"
printf 'struct bad_name { int Field = 0; };\n' >"$work/made-up/core/bad.hpp"
printf '#include "core/bad.hpp"\n' >"$work/made-up.cpp"
if check "$work/made-up.cpp" "$work/made-up" >/dev/null; then
  echo "the check does not see a wrong name"
  exit 1
fi

find "${rooms[@]}" -name '*.hpp' | LC_ALL=C sort | sed 's/.*/#include "&"/' >"$work/headers.cpp"
check "$work/headers.cpp" "$PWD"
echo "style: names in $(wc -l <"$work/headers.cpp") headers are right"
