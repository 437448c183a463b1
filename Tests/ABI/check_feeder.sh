#!/usr/bin/env bash
# check_feeder.sh LIB: the feeder's library and the archive beside it export the functions of feeder.h and nothing else, with the version
# MSDK_FEEDER_1.0, and need nothing but libc.
set -u
[ $# -eq 1 ] || { echo "usage: $0 LIBMEDIASDK_FEEDER_SO" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LC_ALL=C
failed=0

echo '#include <mediasdk/feeder.h>' | gcc -E -P -I"$root/Include" - | tr '\n' ' ' |
  grep -oE '__attribute__\(\(visibility\("default"\)\)\)[^;]*;' | grep -oE 'msdk_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/header"
nm -D --defined-only --format=posix "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {sub(/@.*/, "", $1); print $1}' | sort -u >"$work/library"
[ -s "$work/header" ] || { echo "check_feeder: no function was found in feeder.h"; failed=1; }
diff "$work/header" "$work/library" >"$work/diff" ||
  { echo "check_feeder: feeder.h (<) and the library (>) differ:"; cat "$work/diff"; failed=1; }
nm -D --defined-only --with-symbol-versions --format=posix "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {print $1}' | sort -u >"$work/versions"
sed 's/$/@@MSDK_FEEDER_1.0/' "$work/header" | diff - "$work/versions" >"$work/diff" ||
  { echo "check_feeder: the versions of the symbols are not as expected (<):"; cat "$work/diff"; failed=1; }

nm -g --defined-only --format=posix "${1%.so}.a" | awk '$2 ~ /^[A-Z]$/ {print $1}' | sort -u >"$work/archive"
diff "$work/header" "$work/archive" >"$work/diff" ||
  { echo "check_feeder: feeder.h (<) and the archive (>) differ:"; cat "$work/diff"; failed=1; }

soname=$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "libmediasdk-feeder.so.1" ] || { echo "check_feeder: the soname is '$soname'"; failed=1; }
readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libpthread|ld-linux[-_a-z0-9]*)\.so' >"$work/needed"
[ ! -s "$work/needed" ] || { echo "check_feeder: it needs"; cat "$work/needed"; failed=1; }
echo "check_feeder: $(wc -l <"$work/library") functions"
exit $failed
