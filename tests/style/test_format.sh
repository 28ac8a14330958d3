#!/usr/bin/env bash
# Every C++ file of ours is as clang-format leaves it.
set -euo pipefail
cd "${PLUMBLINE_SOURCE:-$(dirname "$0")/../..}"
rooms=(core configs schemas verdict formats systems profiles registry reports intake verbs server cli tests)
mapfile -t files < <(find "${rooms[@]}" \( -name '*.cpp' -o -name '*.hpp' \) -print | LC_ALL=C sort)
[[ ${#files[@]} -gt 0 ]] || { echo "no C++ files found"; exit 1; }
if ! clang-format --style=file --dry-run -Werror "${files[@]}"; then
  echo "run: scripts/tidy --fix"
  exit 1
fi
echo "style: ${#files[@]} files are formatted"
