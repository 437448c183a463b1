#!/usr/bin/env bash
# The functions and types of the headers are those of reference.abi, by libabigail: what a program or plugin that was built against them relies on.
# The library is Swift, whose debug information does not have the types of C; so a stub is compared that defines every function as the headers
# declare it. Whether the library exports just these is check_exports.sh's.
# usage: check_abi.sh [--write]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
reference=$root/Tests/ABI/reference.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '#include <mediasdk/mediasdk.h>\n#include <mediasdk/feeder.h>\n' >"$work/all.c"
gcc -std=c11 -E -P -I"$root/Include" "$work/all.c" |
  sed -z -E 's/(__attribute__\(\(visibility\("default"\)\)\)[^;{}]*\))[ \n]*;/\1 { __builtin_trap(); }/g' >"$work/stub.c"
# Its path is in what abidw writes, so it is a relative one.
(cd "$work" && gcc -std=c11 -g -gdwarf-4 -fPIC -shared -w stub.c -o stub.so)
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture "$work/stub.so" >"$work/now.abi"
if [ "${1:-}" = --write ]; then
  cp "$work/now.abi" "$reference"
  echo "check_abi: wrote reference.abi"
  exit 0
fi
if ! abidiff "$reference" "$work/now.abi" >"$work/report"; then
  cat "$work/report"
  echo "check_abi: the headers are not those of reference.abi; while 1.0 is a candidate, Tests/ABI/check_abi.sh --write takes them as they are"
  exit 1
fi
echo "check_abi: $(grep -c '<function-decl ' "$work/now.abi") functions and $(grep -c '<class-decl name=.msdk_' "$work/now.abi") types as in reference.abi"
